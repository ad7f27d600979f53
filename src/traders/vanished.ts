// What a recording shows of an offer that is gone: where it stood, what went with it and what stayed, and where the price of
// the other side was right before and a moment after. A fill model says by it how likely a taker had it (docs/fill-model.md).
import type { OrderId } from '../domain/index.ts';
import { payoutOf, probabilityOfRung } from '../domain/index.ts';
import type { Ghost, SideBook } from '../venue/index.ts';
import { oppositeOf, DUST } from '../venue/index.ts';

/** The price of the other side is looked at so long after: frames of the two sides of one change come a little apart. */
export const SOON_MS = 100;

/** Payouts are in dollars, stake included; probabilities are those of their own side. */
export type Vanished = {
  readonly id: OrderId;
  /** When, Unix ms of the tape. */
  readonly ts: number;
  /** Nothing that was served before it is left, so a taker may have gone through it. */
  readonly isTop: boolean;
  /** Offers that stood before it; 0: it was the first. */
  readonly place: number;
  /** What was left of it. */
  readonly payout: number;
  /** Its stake that was left, dollars. */
  readonly risk: number;
  /** Payout of the offers before it that stay. */
  readonly ahead: number;
  /** Its price, and the best of its side before, as probabilities. */
  readonly price: number;
  readonly best: number;
  readonly ageMs: number;
  /** The first offer that stays was partly taken in the same frame. */
  readonly isNextTaken: boolean;
  /** How many offers of the side are gone with it, itself included, and nothing explains it. */
  readonly together: number;
  /** The best price of the other side right before, and a moment after (`SOON_MS`); undefined: nobody offered. */
  readonly facingBefore: number | undefined;
  readonly facingAfter: number | undefined;
  readonly live: boolean;
  /** Before the start: until then; else 0. */
  readonly toStartMs: number;
  /** What offers of whoever recorded prove of it: one that was served before it stayed, or one behind it was taken. */
  readonly proof: 'cancelled' | 'taken' | undefined;
};

/** The share of a vanished offer's rest that counts as taken, 0 … 1. */
export type VanishedShare = (vanished: Vanished) => number;
/** What vanishes was cancelled, whatever came before and after. */
export const CANCELS: VanishedShare = () => 0;

/** One frame of a side out of which offers are gone. */
export class VanishingFrame {
  readonly #ts: number;
  readonly #nowMs: number;
  readonly #side: SideBook;
  readonly #known: readonly Ghost[];
  readonly #gone: ReadonlySet<Ghost>;
  readonly #together: number;
  readonly #isNextTaken: boolean;
  readonly #facingAfter: () => number | undefined;
  /** Payout of what stays before each place. */
  #ahead: readonly number[] | undefined;
  readonly #frame: number;
  /** Offers of whoever recorded. */
  #own: readonly Ghost[] | undefined;

  /**
   * `known`: the offers of the side as they stood, in the order in which they were served; `unexplained`: of those that are
   * gone, the ones that nothing explains.
   */
  constructor(of: {
    readonly ts: number;
    readonly nowMs: number;
    /** Its number. */
    readonly frame: number;
    readonly side: SideBook;
    readonly known: readonly Ghost[];
    readonly gone: readonly Ghost[];
    readonly unexplained: number;
    readonly isNextTaken: boolean;
    readonly facingAfter: () => number | undefined;
  }) {
    this.#ts = of.ts;
    this.#nowMs = of.nowMs;
    this.#side = of.side;
    this.#frame = of.frame;
    this.#known = of.known;
    this.#gone = new Set(of.gone);
    this.#together = of.unexplained;
    this.#isNextTaken = of.isNextTaken;
    this.#facingAfter = of.facingAfter;
  }

  /** `place`: among the known ones. */
  of(ghost: Ghost, place: number, isTop: boolean): Vanished {
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

  /** Where an own offer stands among those of its own price, only the exchange knows. */
  #proofOf({ rung }: Ghost): Vanished['proof'] {
    const own = (this.#own ??= [...this.#side.ghostById.values()].filter(({ offer }) => offer.own));
    if (own.some((one) => one.rung < rung && one.frame === this.#frame && one.told.untaken > 0)) return 'cancelled';
    return own.some((one) => one.rung > rung && this.#isTakenNow(one)) ? 'taken' : undefined;
  }

  /** Of an own offer: this frame shows that more of it was taken, or not any more what the user feed told as taken. */
  #isTakenNow({ offer, told, risk, mostTaken, frame }: Ghost): boolean {
    return frame === this.#frame
      ? told.risk - told.untaken - (offer.risk - offer.untaken) >= DUST
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

/** The best price of a side as it was before whatever was told at that time. */
function bestBefore({ newest }: SideBook, ts: number): number | undefined {
  const rung = newest.ts < ts ? newest.best : newest.before;
  return rung === undefined ? undefined : probabilityOfRung(rung);
}

/** The recording shows another ladder of the side: its best price, and that of before, are remembered by time. */
export function noteBest(side: SideBook, ts: number): void {
  const { newest } = side;
  if (newest.ts !== ts) {
    newest.before = newest.best;
    newest.ts = ts;
  }
  newest.best = side.offers[0]?.rung;
}
