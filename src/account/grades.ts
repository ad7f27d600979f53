// Fills of ended games, and of games that are not known, that are listed no longer: a look-up says whether they were graded
// (rules.md, 11), of own orders by their reference, of others by the txID. A few at a time, each in its turn.
import type { OpenPlay, Read } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { Account } from './account.ts';

/**
 * Fills that one reconciliation looks up by their txID, once a minute; the others have their turn later. An exchange that did
 * not answer for one is asked for one alone: an answer that is not its own holds its permit for long.
 */
const LOOKED_UP = { usually: 20, unanswered: 1 };
const LOOK_UP_EVERY_MS = 60_000;
/** The next list must not come too early for a look-up. */
const SLACK_MS = 1000;

export class GradeInquiries {
  readonly #account: Account;
  readonly #mirror: Mirror;
  readonly #everyMs: number;
  #lookedUp = 0;
  #lookUpFrom = Number.NEGATIVE_INFINITY;
  #areAnswered = true;

  /** `everyMs`: between two look-ups while the exchange answers them. */
  constructor(account: Account, mirror: Mirror, everyMs = LOOK_UP_EVERY_MS) {
    this.#everyMs = everyMs;
    this.#account = account;
    this.#mirror = mirror;
  }

  /** Asks for what `listed` shows no longer. */
  ask(fills: readonly OpenPlay[], now: number): void {
    const { holdings } = this.#account;
    const listed = new Set(fills.flatMap(({ txId, graded }) => (graded === true ? [] : [txId])));
    const others: Read[] = [];
    for (const fill of holdings.elsewhere.values()) {
      const { txId, ref, gameId } = fill;
      if (listed.has(txId)) continue;
      const isOurs = ref !== undefined && this.#account.isOwnReference(ref);
      others.push(isOurs ? { what: 'reference', ref, gameId } : { what: 'play', txId });
    }
    for (const gameId of [...this.#account.games.keys()]) {
      const game = this.#mirror.games.get(gameId)?.game;
      if (game !== undefined && !game.ended) continue;
      for (const { txId, ref, market, name } of holdings.openIn(gameId)) {
        if (market === undefined || listed.has(txId)) continue;
        const known = ref ?? name?.holder?.ref;
        if (known === undefined) others.push({ what: 'play', txId });
        else this.#account.news.ask('grade', { what: 'reference', ref: known, gameId });
      }
      this.#account.forgetGame(gameId);
    }
    this.#lookUp(others, now);
  }

  /** A few, in turn: an exchange that does not answer is not asked for all of them again and again. */
  #lookUp(reads: readonly Read[], now: number): void {
    if (reads.length === 0 || now < this.#lookUpFrom) return;
    this.#lookUpFrom = now + (this.#areAnswered ? this.#everyMs : LOOK_UP_EVERY_MS) - SLACK_MS;
    const first = this.#lookedUp;
    this.#lookedUp += Math.min(LOOKED_UP[this.#areAnswered ? 'usually' : 'unanswered'], reads.length);
    for (let turn = first; turn < this.#lookedUp; turn++) {
      const read = reads[turn % reads.length];
      if (read !== undefined) this.#account.news.ask('grade', read);
    }
  }

  /** A look-up by txID was answered, or it was not. */
  applyAnswered(areAnswered: boolean): void {
    this.#areAnswered = areAnswered;
  }
}
