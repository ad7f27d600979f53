// When to keep away from a game: right after a price of it jumped, and when a price is lost. Makers who learn something
// withdraw first, so lines that still have their old price are next.
import type { JumpSettings } from './jump-detector.ts';
import { jumpDetector } from './jump-detector.ts';

/** When a guard keeps away, and for how long. */
export type JumpGuardSettings = JumpSettings & {
  /** How long nothing is quoted after a jump, ms. For as long again quotes are to be wider. */
  readonly coolOff: number;
  /** How long nothing is quoted after a price was lost, ms. */
  readonly gone: number;
};

/** What a guard says of a time. */
export type GuardState = 'pulled' | 'wide' | 'quoting';

/** Watches the prices of several markets. */
export type JumpGuard = {
  /**
   * Takes the price of a market.
   * @param market a name of the market
   * @param price the price, a probability. Undefined: the book gives none
   * @param t its time, ms; times must not fall
   */
  readonly see: (market: string, price: number | undefined, t: number) => void;
  /**
   * What to do at a time.
   * @param t the time, ms
   * @returns `pulled`: quote nothing; `wide`: quote wider; `quoting`: quote as usual
   */
  readonly stateAt: (t: number) => GuardState;
  /**
   * When the state changes by itself.
   * @param t the time, ms
   * @returns times from then on, ms
   */
  readonly dues: (t: number) => readonly number[];
  /** Why quotes were pulled last. Empty: they were not. */
  readonly why: string;
};

/**
 * Makes a guard for the markets of a game.
 * @param settings when it keeps away, and for how long
 * @returns the guard
 * @example const guard = jumpGuard({ sigmas: 3, window: 5000, least: 0.01, coolOff: 5000, gone: 3000 })
 */
export function jumpGuard({ coolOff, gone, ...jump }: JumpGuardSettings): JumpGuard {
  const priced = new Map<string, ReturnType<typeof jumpDetector>>();
  const isPriced = new Set<string>();
  let pulledUntil = Number.NEGATIVE_INFINITY;
  let wideUntil = Number.NEGATIVE_INFINITY;
  let why = '';
  const pull = (until: number, reason: string): void => {
    pulledUntil = Math.max(pulledUntil, until);
    why = reason;
  };
  return {
    see: (market, price, t) => {
      if (price === undefined) {
        if (isPriced.delete(market)) pull(t + gone, `${market} lost its price`);
        return;
      }
      isPriced.add(market);
      let detector = priced.get(market);
      if (detector === undefined) priced.set(market, (detector = jumpDetector(jump)));
      const moved = detector(price, t);
      if (moved === undefined) return;
      pull(t + coolOff, `${market} moved by ${(moved * 100).toFixed(1)} points in ${jump.window / 1000} s`);
      wideUntil = t + 2 * coolOff;
    },
    stateAt: (t) => (t < pulledUntil ? 'pulled' : t < wideUntil ? 'wide' : 'quoting'),
    dues: (t) => [pulledUntil, wideUntil].flatMap((until) => (until > t ? [until - t] : [])),
    get why() {
      return why;
    },
  };
}
