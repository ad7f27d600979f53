// How likely takers had an offer that vanished, by what the tape shows of it: a logistic regression over a dozen figures of
// the moment (docs/fill-model.md says how its weights were found). It is a plain object, so it travels between threads and files.
import type { Vanished, VanishedShare } from '../traders/index.ts';
import type { FillModelScore } from '../run/index.ts';
import { hash32, mix32 } from '../domain/index.ts';
import { SOON_MS } from '../traders/index.ts';

/** What a model looks at. Each is a number of the offer and the frame that it is gone from. */
export const FILL_FEATURES = {
  /** 1: everything that was served before it is gone as well. */
  top: ({ isTop }) => Number(isTop),
  /** Its place in the ladder, the first being 0, as ln(1 + place). */
  rank: ({ place }) => Math.log1p(place),
  /** ln of the payout that was left of it, dollars. */
  size: ({ payout }) => Math.log(payout + 0.1),
  /** ln of the payout that stays before it, dollars. */
  ahead: ({ ahead }) => Math.log1p(ahead),
  /** How far it was from the middle of the best prices, as probability. */
  distance: (of) => (middleOf(of) ?? of.price) - of.price,
  /** ln of its age, ms. */
  age: ({ ageMs }) => Math.log(ageMs + 100),
  /** ln(1 + offers of its side that are gone with it). */
  together: ({ together }) => Math.log1p(together),
  /** 1: the first offer that stays was partly taken in the same frame. */
  next: ({ isNextTaken }) => Number(isNextTaken),
  /** How far the best price of the other side came towards it, a moment after against right before. */
  moved: ({ facingBefore, facingAfter }) =>
    facingBefore === undefined || facingAfter === undefined ? 0 : clip(facingAfter - facingBefore, MOST_MOVE),
  /** How far the other side came beyond its price a moment after. */
  beyond: (of) => Math.max(0, clip(gapOf(of) ?? 0, MOST_BEYOND)),
  /** 1: the other side offers just its price a moment after, as the rest of a taker does; falling off over a point. */
  met: (of) => {
    const gap = gapOf(of);
    return gap === undefined ? 0 : Math.exp(-Math.abs(gap) / NEAR);
  },
  /** 1: in play. */
  live: ({ live }) => Number(live),
  /** ln(1 + seconds to the start). */
  start: ({ toStartMs }) => Math.log1p(toStartMs / 1000),
} as const satisfies Readonly<Record<string, (of: Vanished) => number>>;

export type FillFeature = keyof typeof FILL_FEATURES;

/** Probabilities. */
const MOST_MOVE = 0.1;
const MOST_BEYOND = 0.2;
const NEAR = 0.01;

const clip = (value: number, most: number): number => Math.max(-most, Math.min(most, value));

/** Undefined where nobody offered on the other side, or the book was crossed. */
function middleOf({ best, facingBefore }: Vanished): number | undefined {
  if (facingBefore === undefined || best + facingBefore >= 1) return undefined;
  return (best + 1 - facingBefore) / 2;
}

/** Above 0: whoever offers on the other side then would have matched it. */
const gapOf = ({ price, facingAfter }: Vanished): number | undefined =>
  facingAfter === undefined ? undefined : facingAfter - (1 - price);

export type FillModel = {
  readonly fillModel: 1;
  /** How it was found, for people. */
  readonly name: string;
  /** It looks so far ahead of what it judges, ms. */
  readonly horizonMs: number;
  /** Log-odds where every figure is at its mean. */
  readonly bias: number;
  /** Log-odds for each standard deviation above the mean. */
  readonly features: readonly {
    readonly name: FillFeature;
    readonly mean: number;
    readonly deviation: number;
    readonly weight: number;
  }[];
  /** The odds that it was taken are multiplied by lean / (1 − lean): ½ is the model itself, 0 takes nothing, 1 everything. */
  readonly lean: number;
  /** How good it was, before any lean, when it was fitted; undefined: nobody told. */
  readonly score?: FillModelScore | undefined;
};

export const FILL_HORIZON_MS = SOON_MS;

export type TakenProbability = (of: Vanished) => number;

/** P(taken | vanished), 0 … 1. */
export function takenProbability({ bias, features, lean }: FillModel): TakenProbability {
  const terms = features.map(({ name, mean, deviation, weight }) => {
    const figure: (of: Vanished) => number = FILL_FEATURES[name];
    return (of: Vanished): number => ((figure(of) - mean) / deviation) * weight;
  });
  if (lean <= 0) return () => 0;
  if (lean >= 1) return () => 1;
  const from = bias + Math.log(lean / (1 - lean));
  return (of) => 1 / (1 + Math.exp(-terms.reduce((sum, term) => sum + term(of), from)));
}

/**
 * An offer was taken whole or not at all, by a draw of its own: the same seed draws the same for it in every variation,
 * whatever else happens in the run.
 */
export function drawnBy(probability: TakenProbability, seed: number): VanishedShare {
  const salt = mix32(seed);
  return (vanished) => {
    // whoever recorded knows better
    if (vanished.proof !== undefined) return Number(vanished.proof === 'taken');
    return Number(mix32(hash32(vanished.id) ^ salt) / 2 ** 32 < probability(vanished));
  };
}
