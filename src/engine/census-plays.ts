// What the exchange lists as matched, held against the ledger (census.ts reads the lists). Fills that the feed did not tell
// are booked, once, by txID; plays in games that are not known count with all they may lose until the game is; those of
// ended games that are listed no longer are looked up, so that they leave the exposure once they are graded.
import type { GameId, Market, OpenPlay, OrderRef, Read, Side, TxId } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { OrderManager } from '../orders/index.ts';
import { modeOf, ownerOf } from '../orders/index.ts';
import type { Desk } from './desk.ts';
import type { CoreSettings } from './settings.ts';
import { Ungraded } from './ungraded.ts';

/**
 * Plays that one census looks up by their txID, once a minute; the others have their turn later. An exchange that did not
 * tell of one is asked for one alone: an answer that is not its own holds its permit for long.
 */
const LOOKED_UP = { usually: 20, untold: 1 };
/** A little less than the minute between two lists: the next one must not come too early. */
const LOOK_UP_EVERY_MS = 59_000;

type PlayCensusSettings = Pick<CoreSettings, 'playerMode'> & { readonly instance: string };

export class PlayCensus {
  readonly #desk: Desk;
  readonly #mirror: Mirror;
  readonly #manager: OrderManager;
  readonly #settings: PlayCensusSettings;
  /** Plays in games that are not known yet; they are placed when the game is. */
  readonly #waiting = new Map<TxId, OpenPlay>();
  /** Their games. */
  readonly #waitsFor = new Set<GameId>();
  #lookedUp = 0;
  #lookUpFrom = Number.NEGATIVE_INFINITY;
  #areTold = true;
  readonly #ungraded: Ungraded;

  constructor(desk: Desk, mirror: Mirror, manager: OrderManager, settings: PlayCensusSettings) {
    this.#desk = desk;
    this.#mirror = mirror;
    this.#manager = manager;
    this.#settings = settings;
    this.#ungraded = new Ungraded(desk);
  }

  /** `isFirst`: what the first census of a run finds was filled before it. */
  apply(play: OpenPlay, isFirst: boolean): void {
    const { ledger } = this.#manager;
    const { txId, orderId, ref, gameId, risk, odds } = play;
    const order = ledger.find(orderId, ref);
    // what kept its id in an edit was another order, in a former run, when this was matched
    if (order !== undefined && (ref ?? order.ref) === order.ref) {
      ledger.applyFill(order, txId, risk, odds, this.#desk.now, !isFirst);
      if (play.graded === true) ledger.plays.applySettled(txId, play.profit);
      return;
    }
    if (play.graded === true) {
      ledger.plays.applySettled(txId, play.profit);
      return;
    }
    // it can cost nothing of what this run trades with
    if (ledger.plays.knows(txId) || this.#isOfOtherMode(ref)) return;
    const place = this.#mirror.placeOf(gameId, play.place);
    if (place !== undefined) this.#applyStray(play, place);
    else {
      ledger.plays.applyElsewhere(txId, gameId, risk);
      this.#waiting.set(txId, play);
      this.#waitsFor.add(gameId);
      // books of a league leave out games that are over, or closed: they are read one by one
      this.#mirror.wanted.add(gameId);
    }
  }

  #applyStray(play: OpenPlay, place: { readonly market: Market; readonly side: Side }): void {
    this.#manager.ledger.applyStray({ ...play, ...place }, this.#isOurs(play.ref));
  }

  #isOurs(ref: OrderRef | undefined): ref is OrderRef {
    return ref !== undefined && ownerOf(ref, this.#settings.instance) !== undefined;
  }

  /** A former run of this instance that traded in the other player mode sent its order (DESIGN rule 9). */
  #isOfOtherMode(ref: OrderRef | undefined): boolean {
    return this.#isOurs(ref) && modeOf(ref) !== this.#settings.playerMode;
  }

  /** What waits for a game has its place as soon as the game is known. */
  placeWaiting(): void {
    if (!this.#mirror.takeKnown(this.#waitsFor)) return;
    for (const [txId, play] of this.#waiting) {
      const place = this.#mirror.placeOf(play.gameId, play.place);
      if (place !== undefined) this.#applyStray(play, place);
      if (!this.#manager.ledger.plays.isElsewhere(txId)) this.#waiting.delete(txId);
    }
  }

  /**
   * Plays of ended games, and of games that are not known, that are listed no longer: a look-up tells whether they were
   * graded (DESIGN rule 11), of own orders by their reference, of others by the txID.
   */
  settleEnded(plays: readonly OpenPlay[]): void {
    const { exposure, ledger } = this.#manager;
    const listed = new Set(plays.flatMap(({ txId, graded }) => (graded === true ? [] : [txId])));
    for (const txId of this.#waiting.keys()) if (!ledger.plays.isElsewhere(txId)) this.#waiting.delete(txId);
    const others: Read[] = [];
    for (const [txId, { ref, gameId }] of this.#waiting) {
      if (listed.has(txId)) continue;
      others.push(this.#isOurs(ref) ? { what: 'reference', ref, gameId } : { what: 'play', txId });
    }
    for (const gameId of [...ledger.games.keys()]) {
      const game = this.#mirror.games.get(gameId)?.game;
      if (game !== undefined && !game.ended) continue;
      const open = [...ledger.plays.openIn(gameId)];
      if (open.length === 0) this.#ungraded.forget(gameId);
      else if (game !== undefined)
        this.#ungraded.apply(gameId, game.eventName, open.length, exposure.worstOf(gameId));
      for (const txId of open) {
        if (listed.has(txId)) continue;
        const ref = ledger.plays.refOf(txId);
        if (ref === undefined) others.push({ what: 'play', txId });
        else this.#desk.read({ what: 'reference', ref, gameId });
      }
      ledger.forgetGame(gameId);
    }
    this.#lookUp(others);
  }

  /** A few, in turn: an exchange that does not tell is not asked for all of them again and again. */
  #lookUp(reads: readonly Read[]): void {
    if (reads.length === 0 || this.#desk.now < this.#lookUpFrom) return;
    this.#lookUpFrom = this.#desk.now + LOOK_UP_EVERY_MS;
    const first = this.#lookedUp;
    this.#lookedUp += Math.min(LOOKED_UP[this.#areTold ? 'usually' : 'untold'], reads.length);
    for (let turn = first; turn < this.#lookedUp; turn++) {
      const read = reads[turn % reads.length];
      if (read !== undefined) this.#desk.read(read);
    }
  }

  /** A look-up by txID was answered, or it was not. */
  applyTold(areTold: boolean): void {
    this.#areTold = areTold;
  }
}
