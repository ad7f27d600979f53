// Fits a fill model to labelled offers and scores it on blocks of time that it was not fitted on, against the
// best constant.
import type { FillFeature, FillModel, TakenProbability } from './fill-model.ts';
import { FILL_FEATURES, FILL_HORIZON_MS, takenProbability } from './fill-model.ts';
import type { FillModelScore } from '../run/index.ts';
import type { Labelled } from './fill-labels.ts';
import { fitLogistic } from './logistic.ts';

/**
 * The features of every model, and those that are added only when they improve the score on held-out blocks.
 */
const ALWAYS = [
  ...(['top', 'rank', 'size', 'ahead', 'distance', 'age', 'together', 'next'] as const),
  ...(['moved', 'beyond', 'met'] as const),
];
const WHERE_IT_HELPS = ['live', 'start'] as const;

const RIDGE = 1;
/**
 * Weights of offers: an offer counts by its stake, up to MOST_STAKE dollars, so that the model fits filled
 * risk and not only the number of fills.
 */
const MOST_STAKE = 200;
const LEAST_COUNT = 0.2;
const PER_DOLLAR = 1 / 50;

export function fitFillModel(labels: readonly Labelled[], name: string, features: readonly FillFeature[]): FillModel {
  const figures: readonly ((offer: Labelled['vanished']) => number)[] = features.map(
    (feature) => FILL_FEATURES[feature],
  );
  const { bias, means, deviations, weights } = fitLogistic(
    {
      figures: labels.map(({ vanished: offer }) => figures.map((figure) => figure(offer))),
      outcomes: labels.map(({ isTaken }) => isTaken),
      counts: labels.map(({ vanished: offer }) => LEAST_COUNT + PER_DOLLAR * Math.min(offer.risk, MOST_STAKE)),
    },
    RIDGE,
  );
  return {
    fillModel: 1,
    name,
    horizonMs: FILL_HORIZON_MS,
    bias: rounded(bias),
    features: features.map((feature, k) => ({
      name: feature,
      mean: rounded(means[k] ?? 0),
      deviation: rounded(deviations[k] ?? 1),
      weight: rounded(weights[k] ?? 0),
    })),
    lean: 0.5,
  };
}

const rounded = (value: number): number => Number(value.toPrecision(6));

/** A split of the labels into blocks of time, with models for held-out scoring. Times are Unix ms. */
export type HeldOut = {
  /** Per block: the model that was fitted without it. */
  readonly models: readonly FillModel[];
  /** The start of each block but the first. */
  readonly bounds: readonly number[];
};

/** Splits the labels into blocks of equal size and fits a model without each. */
export function heldOutModels(labels: readonly Labelled[], blocks: number, features: readonly FillFeature[]): HeldOut {
  const times = labels.map(({ vanished: offer }) => offer.ts).sort((a, b) => a - b);
  const bounds = Array.from(
    { length: blocks - 1 },
    (_, k) => times[Math.floor(((k + 1) * times.length) / blocks)] ?? Number.POSITIVE_INFINITY,
  );
  const models = Array.from({ length: blocks }, (_, block) =>
    fitFillModel(
      labels.filter(({ vanished: offer }) => blockOf(bounds, offer.ts) !== block),
      `block ${block + 1} of ${blocks} held out`,
      features,
    ),
  );
  return { bounds, models };
}

const blockOf = (bounds: readonly number[], ts: number): number => bounds.filter((bound) => ts >= bound).length;

/** The probability of each offer by the model that was fitted without its block. */
export function heldOutProbability({ models, bounds }: HeldOut): TakenProbability {
  const probabilities = models.map(takenProbability);
  return (offer) => probabilities[blockOf(bounds, offer.ts)]?.(offer) ?? 0;
}

export type FillScore = {
  readonly offers: number;
  /** The share that was taken: the best constant. */
  readonly taken: number;
  /** The mean of (probability − outcome)² of the model, and of the best constant. */
  readonly brier: number;
  readonly brierOfConstant: number;
  /** Stakes taken, dollars: actual, expected by the model, and expected by the best constant. */
  readonly risk: number;
  readonly riskOfModel: number;
  readonly riskOfConstant: number;
  /** By tenths of the probability: the number of offers, of expected takes and of actual takes. */
  readonly reliability: readonly {
    readonly offers: number;
    readonly expected: number;
    readonly taken: number;
  }[];
};

export const TENTHS = 10;

export function scoreOf(labels: readonly Labelled[], probability: TakenProbability): FillScore {
  const taken = labels.reduce((sum, { isTaken }) => sum + Number(isTaken), 0);
  const share = labels.length === 0 ? 0 : taken / labels.length;
  const reliability = Array.from({ length: TENTHS }, () => ({ offers: 0, expected: 0, taken: 0 }));
  const sums = { brier: 0, brierOfConstant: 0, risk: 0, riskOfModel: 0, riskOfConstant: 0 };
  for (const { vanished: offer, isTaken } of labels) {
    const p = probability(offer);
    const outcome = Number(isTaken);
    sums.brier += (p - outcome) ** 2 / labels.length;
    sums.brierOfConstant += (share - outcome) ** 2 / labels.length;
    sums.risk += offer.risk * outcome;
    sums.riskOfModel += offer.risk * p;
    sums.riskOfConstant += offer.risk * share;
    const tenth = reliability[Math.min(TENTHS - 1, Math.floor(p * TENTHS))];
    if (tenth === undefined) continue;
    tenth.offers += 1;
    tenth.expected += p;
    tenth.taken += outcome;
  }
  return { offers: labels.length, taken: share, ...sums, reliability };
}

/** The score in the form in which a model stores it. */
const modelScore = (score: FillScore): FillModelScore => ({
  offers: score.offers,
  brier: rounded(score.brier),
  brierOfConstant: rounded(score.brierOfConstant),
  stakes: rounded(score.riskOfModel / score.risk),
  stakesOfConstant: rounded(score.riskOfConstant / score.risk),
  reliability: score.reliability.map(({ offers, expected, taken }) => ({
    offers,
    expected: Math.round(10 * expected) / 10,
    taken,
  })),
});

export type FillFit = { readonly model: FillModel; readonly score: FillScore; readonly heldOut: HeldOut };

/** Number of blocks of time, each held out once. */
export const BLOCKS = 8;

/** The least number of taken offers, and of cancelled ones, for a fit. */
export const LEAST_LABELS = 50;

/**
 * Fits a fill model and scores it on held-out blocks.
 * @throws RangeError with fewer than LEAST_LABELS labels of a kind; check their number before
 */
export function fitFills(labels: readonly Labelled[], name: string): FillFit {
  const taken = labels.reduce((sum, { isTaken }) => sum + Number(isTaken), 0);
  if (Math.min(taken, labels.length - taken) < LEAST_LABELS) throw new RangeError('too few labels');
  const tried = [ALWAYS, [...ALWAYS, ...WHERE_IT_HELPS]].map((features) => {
    const heldOut = heldOutModels(labels, BLOCKS, features);
    return { features, heldOut, score: scoreOf(labels, heldOutProbability(heldOut)) };
  });
  const [plain, extended] = tried as [(typeof tried)[number], (typeof tried)[number]];
  const best = extended.score.brier < plain.score.brier ? extended : plain;
  const model = { ...fitFillModel(labels, name, best.features), score: modelScore(best.score) };
  return { model, score: best.score, heldOut: best.heldOut };
}
