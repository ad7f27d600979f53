// Describes an offer that vanished from a recording: where it stood, what vanished with it and what stayed,
// and the other side's price just before and shortly after. Fill models estimate from it how likely a taker
// had it (docs/fill-model.md).
import type { OrderId } from '../domain/index.ts';
import { payoutOf, probabilityOfRung } from '../domain/index.ts';
import type { Ghost, SideBook } from '../venue/index.ts';
import { oppositeOf, DUST } from '../venue/index.ts';

/**
 * Delay after which the other side's price is read: the frames of both sides of one change come slightly
 * apart.
 */
export const SOON_MS = 100;

/** A vanished offer. Payouts are in dollars, stake included; probabilities are those of their own side. */
export type Vanished = {
  readonly id: OrderId;
  /** The time of the frame without it, Unix ms of the tape. */
  readonly ts: number;
  /** True when no offer ranked before it is left, so a taker may have gone through it. */
  readonly isTop: boolean;
  /** The number of offers ranked before it; 0 for the first. */
  readonly place: number;
  /** The payout of its untaken part. */
  readonly payout: number;
  /** Its untaken stake, dollars. */
  readonly risk: number;
  /** The payout of offers before it that stay. */
  readonly ahead: number;
  /** Its price and the best price of its side before, as probabilities. */
  readonly price: number;
  readonly best: number;
  readonly ageMs: number;
  /** True when the first offer that stays was partly taken in the same frame. */
  readonly isNextTaken: boolean;
  /** The number of offers of the side that vanished unexplained in this frame, itself included. */
  readonly together: number;
  /** The best price of the other side just before, and `SOON_MS` after. Undefined without offers. */
  readonly facingBefore: number | undefined;
  readonly facingAfter: number | undefined;
  readonly live: boolean;
  /** Time until the start, ms; 0 when live or after it. */
  readonly toStartMs: number;
  /**
   * Evidence from offers of the recording account: `cancelled` when one ranked before it stayed, `taken` when
   * one behind it was taken.
   */
  readonly proof: 'cancelled' | 'taken' | undefined;
};

/** The share of a vanished offer's untaken part that counts as taken, 0 … 1. */
export type VanishedShare = (vanished: Vanished) => number;
/** Counts every vanished offer as cancelled. */
export const CANCELS: VanishedShare = () => 0;

/** One frame of a side from which offers vanished. */
export class VanishingFrame {
  readonly #ts: number;
  readonly #nowMs: number;
  readonly #side: SideBook;
  readonly #known: readonly Ghost[];
  readonly #gone: ReadonlySet<Ghost>;
  readonly #together: number;
  readonly #isNextTaken: boolean;
  readonly #facingAfter: () => number | undefined;
  /** Payout of the staying offers before each place. */
  #ahead: readonly number[] | undefined;
  readonly #frame: number;
  /** Offers of the recording account. */
  #own: readonly Ghost[] | undefined;

  /**
   * `known`: the side's offers before the frame, in the order of service; `unexplained`: the number of
   * vanished offers that nothing explains.
   */
  constructor(options: {
    readonly ts: number;
    readonly nowMs: number;
    /** The number of the frame. */
    readonly frame: number;
    readonly side: SideBook;
    readonly known: readonly Ghost[];
    readonly gone: readonly Ghost[];
    readonly unexplained: number;
    readonly isNextTaken: boolean;
    readonly facingAfter: () => number | undefined;
  }) {
    this.#ts = options.ts;
    this.#nowMs = options.nowMs;
    this.#side = options.side;
    this.#frame = options.frame;
    this.#known = options.known;
    this.#gone = new Set(options.gone);
    this.#together = options.unexplained;
    this.#isNextTaken = options.isNextTaken;
    this.#facingAfter = options.facingAfter;
  }

  /** Describes one vanished offer. @param place its index among the known offers */
  vanishedOf(ghost: Ghost, place: number, isTop: boolean): Vanished {
    const { header } = this.#side.book.game;
    const ahead = (this.#ahead ??= this.#sumAhead());
    return {
      id: ghost.id,
      ts: this.#ts,
      isTop,
      place,
      payout: payoutOf(ghost.untaken, ghost.odds) / 1e6,
      risk: ghost.untaken / 1e6,
      ahead: ahead[place] ?? 0,
      price: probabilityOfRung(ghost.rung),
      best: probabilityOfRung((this.#known[0] ?? ghost).rung),
      ageMs: Math.max(0, this.#nowMs - ghost.createdAtMs),
      isNextTaken: this.#isNextTaken,
      together: this.#together,
      facingBefore: bestBefore(oppositeOf(this.#side.book, this.#side.side), this.#ts),
      facingAfter: this.#facingAfter(),
      live: header.live,
      toStartMs: header.live ? 0 : Math.max(0, header.start - this.#nowMs),
      proof: this.#proofOf(ghost),
    };
  }

  /** Evidence from own offers at other prices: within one price, only the exchange knows their order. */
  #proofOf({ rung }: Ghost): Vanished['proof'] {
    const own = (this.#own ??= [...this.#side.ghostById.values()].filter(({ offer }) => offer.own));
    if (own.some((ghost) => ghost.rung < rung && ghost.frame === this.#frame && ghost.shown.untaken > 0))
      return 'cancelled';
    return own.some((ghost) => ghost.rung > rung && this.#isTakenNow(ghost)) ? 'taken' : undefined;
  }

  /**
   * Whether this frame shows that more of an own offer was taken, or no longer shows one that the user feed
   * reported as taken in full.
   */
  #isTakenNow({ offer, shown: row, risk, mostTaken, frame }: Ghost): boolean {
    return frame === this.#frame
      ? row.risk - row.untaken - (offer.risk - offer.untaken) >= DUST
      : risk - mostTaken < DUST;
  }

  #sumAhead(): readonly number[] {
    let micros = 0;
    return this.#known.map((ghost) => {
      const before = micros / 1e6;
      if (!this.#gone.has(ghost)) micros += payoutOf(ghost.untaken, ghost.odds);
      return before;
    });
  }
}

/** The probability at a side's best price before all frames of the time `ts`. */
function bestBefore({ newest }: SideBook, ts: number): number | undefined {
  const rung = newest.ts < ts ? newest.best : newest.before;
  return rung === undefined ? undefined : probabilityOfRung(rung);
}

/** Remembers the best price of a side's new ladder by time, and the one before. */
export function noteBest(side: SideBook, ts: number): void {
  const { newest } = side;
  if (newest.ts !== ts) {
    newest.before = newest.best;
    newest.ts = ts;
  }
  newest.best = side.offers[0]?.rung;
}
