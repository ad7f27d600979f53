// Look-ups of grades: fills of ended or unknown games that are no longer listed may have been graded
// (rules.md, 11). Fills of own orders are looked up by reference, others by txID, a few at a time in turn.
import type { OpenPlay, Read } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { Account } from './account.ts';

/**
 * The most fills that one reconciliation looks up by txID; the others follow in turn. While an exchange does
 * not answer these look-ups, only one is sent: a request without an answer holds its permit for long.
 */
const MOST_LOOK_UPS = { usually: 20, unanswered: 1 };
const LOOK_UP_EVERY_MS = 60_000;
/** The slack by which a list may come early and still allow the next look-up. */
const SLACK_MS = 1000;

export class GradeInquiries {
  readonly #account: Account;
  readonly #mirror: Mirror;
  readonly #everyMs: number;
  #nextTurn = 0;
  #lookUpFrom = Number.NEGATIVE_INFINITY;
  #areAnswered = true;

  /** `everyMs`: the interval of look-ups while the exchange answers them. */
  constructor(account: Account, mirror: Mirror, everyMs = LOOK_UP_EVERY_MS) {
    this.#everyMs = everyMs;
    this.#account = account;
    this.#mirror = mirror;
  }

  /** Looks up the fills that the list `fills` shows no longer. */
  ask(fills: readonly OpenPlay[], now: number): void {
    const { holdings } = this.#account;
    const listed = new Set(fills.flatMap(({ txId, graded }) => (graded === true ? [] : [txId])));
    const others: Read[] = [];
    for (const fill of holdings.elsewhere.values()) {
      const { txId, ref, gameId } = fill;
      if (listed.has(txId)) continue;
      const isOwn = ref !== undefined && this.#account.isOwnReference(ref);
      others.push(isOwn ? { what: 'reference', ref, gameId } : { what: 'play', txId });
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

  /**
   * Sends a few look-ups in turn: an exchange that does not answer must not be asked for all again and again.
   */
  #lookUp(reads: readonly Read[], now: number): void {
    if (reads.length === 0 || now < this.#lookUpFrom) return;
    this.#lookUpFrom = now + (this.#areAnswered ? this.#everyMs : LOOK_UP_EVERY_MS) - SLACK_MS;
    const first = this.#nextTurn;
    this.#nextTurn += Math.min(MOST_LOOK_UPS[this.#areAnswered ? 'usually' : 'unanswered'], reads.length);
    for (let turn = first; turn < this.#nextTurn; turn++) {
      const read = reads[turn % reads.length];
      if (read !== undefined) this.#account.news.ask('grade', read);
    }
  }

  /** Notes whether a look-up by txID was answered. */
  applyAnswered(areAnswered: boolean): void {
    this.#areAnswered = areAnswered;
  }
}
