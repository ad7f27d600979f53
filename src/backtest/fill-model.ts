// The probability that an offer that vanished was taken: a logistic regression over a dozen features of the
// offer and its moment on the tape (docs/fill-model.md describes the fit). A model is a plain object, so it
// can pass between threads and files.
import type { Vanished, VanishedShare } from '../traders/index.ts';
import type { FillModelScore } from '../run/index.ts';
import { hash32, mix32 } from '../domain/index.ts';
import { SOON_MS } from '../traders/index.ts';

/** The features of a model. Each is a number computed from the offer and the frame in which it is gone. */
export const FILL_FEATURES = {
  /** 1 when everything that was served before the offer is gone as well, else 0. */
  top: ({ isTop }) => Number(isTop),
  /** The place in the ladder, from 0, as ln(1 + place). */
  rank: ({ place }) => Math.log1p(place),
  /** ln(remaining payout of the offer + 0.1), dollars. */
  size: ({ payout }) => Math.log(payout + 0.1),
  /** ln(1 + payout that stays ahead of the offer, dollars). */
  ahead: ({ ahead }) => Math.log1p(ahead),
  /** The distance of the price below the middle of the best prices, as a probability. */
  distance: (offer) => (middleOf(offer) ?? offer.price) - offer.price,
  /** ln(age of the offer + 100), ms. */
  age: ({ ageMs }) => Math.log(ageMs + 100),
  /** ln(1 + number of offers of the side that are gone in the same frame without an explanation). */
  together: ({ together }) => Math.log1p(together),
  /** 1 when the first offer that stays was partly taken in the same frame, else 0. */
  next: ({ isNextTaken }) => Number(isNextTaken),
  /** The move of the other side's best price towards the offer, from right before to a moment after. */
  moved: ({ facingBefore, facingAfter }) =>
    facingBefore === undefined || facingAfter === undefined ? 0 : clip(facingAfter - facingBefore, MOST_MOVE),
  /** The distance by which the other side is beyond the offer's price a moment after. */
  beyond: (offer) => Math.max(0, clip(gapOf(offer) ?? 0, MOST_BEYOND)),
  /**
   * 1 when the other side offers exactly the offer's price a moment after, as the rest of a taker's order
   * does; it decays with the distance, on a scale of NEAR.
   */
  met: (offer) => {
    const gap = gapOf(offer);
    return gap === undefined ? 0 : Math.exp(-Math.abs(gap) / NEAR);
  },
  /** 1 when the game is in play, else 0. */
  live: ({ live }) => Number(live),
  /** ln(1 + seconds to the start of the game). */
  start: ({ toStartMs }) => Math.log1p(toStartMs / 1000),
} as const satisfies Readonly<Record<string, (offer: Vanished) => number>>;

export type FillFeature = keyof typeof FILL_FEATURES;

/** Limits and scale of the features, as probabilities. */
const MOST_MOVE = 0.1;
const MOST_BEYOND = 0.2;
const NEAR = 0.01;

const clip = (value: number, most: number): number => Math.max(-most, Math.min(most, value));

/**
 * The middle of the best prices of both sides, as a probability. Undefined when the other side was empty, or
 * the book was crossed.
 */
function middleOf({ best, facingBefore }: Vanished): number | undefined {
  if (facingBefore === undefined || best + facingBefore >= 1) return undefined;
  return (best + 1 - facingBefore) / 2;
}

/**
 * The gap between the other side's best price afterwards and the offer. Above 0, the other side would have
 * matched the offer.
 */
const gapOf = ({ price, facingAfter }: Vanished): number | undefined =>
  facingAfter === undefined ? undefined : facingAfter - (1 - price);

export type FillModel = {
  readonly fillModel: 1;
  /** A description of the model's origin, for people. */
  readonly name: string;
  /** How far the model looks beyond the moment of vanishing, ms. */
  readonly horizonMs: number;
  /** The log-odds when every feature is at its mean. */
  readonly bias: number;
  /** The features. `weight`: log-odds per standard deviation above the mean. */
  readonly features: readonly {
    readonly name: FillFeature;
    readonly mean: number;
    readonly deviation: number;
    readonly weight: number;
  }[];
  /**
   * The odds of a take are multiplied by lean / (1 − lean): ½ is the model itself, 0 takes nothing, 1
   * everything.
   */
  readonly lean: number;
  /** The score of the model, before any lean, when it was fitted. Undefined when unknown. */
  readonly score?: FillModelScore | undefined;
};

export const FILL_HORIZON_MS = SOON_MS;

export type TakenProbability = (offer: Vanished) => number;

/** P(taken | vanished), 0 … 1. */
export function takenProbability({ bias, features, lean }: FillModel): TakenProbability {
  const terms = features.map(({ name, mean, deviation, weight }) => {
    const feature: (offer: Vanished) => number = FILL_FEATURES[name];
    return (offer: Vanished): number => ((feature(offer) - mean) / deviation) * weight;
  });
  if (lean <= 0) return () => 0;
  if (lean >= 1) return () => 1;
  const base = bias + Math.log(lean / (1 - lean));
  return (offer) => 1 / (1 + Math.exp(-terms.reduce((sum, term) => sum + term(offer), base)));
}

/**
 * Decides each offer by a draw of its own: taken whole or not at all. A seed draws the same for an offer in
 * every variation, whatever else happens in the run.
 */
export function drawnBy(probability: TakenProbability, seed: number): VanishedShare {
  const salt = mix32(seed);
  return (vanished) => {
    // the recorder's own offers prove what happened
    if (vanished.proof !== undefined) return Number(vanished.proof === 'taken');
    return Number(mix32(hash32(vanished.id) ^ salt) / 2 ** 32 < probability(vanished));
  };
}
