// The built-in fill model (docs/fill-model.md). `fit-fills` fitted it on one basketball game, from a day
// before the start to the end, for which it is known what was traded.
import type { FillModel } from './fill-model.ts';
import { FILL_HORIZON_MS } from './fill-model.ts';

export const SHIPPED_FILL_MODEL: FillModel = {
  fillModel: 1,
  name: 'shipped',
  horizonMs: FILL_HORIZON_MS,
  bias: -6.38647,
  // prettier-ignore
  features: [
    { name: 'top', mean: 0.283995, deviation: 0.450935, weight: -0.31477 },
    { name: 'rank', mean: 1.39736, deviation: 0.899047, weight: 0.293987 },
    { name: 'size', mean: 4.69606, deviation: 1.95692, weight: -0.214216 },
    { name: 'ahead', mean: 4.66989, deviation: 3.31926, weight: -1.80436 },
    { name: 'distance', mean: 0.0531231, deviation: 0.0595606, weight: -0.568257 },
    { name: 'age', mean: 9.31018, deviation: 2.21826, weight: 0.347407 },
    { name: 'together', mean: 1.13343, deviation: 0.492216, weight: -0.00368934 },
    { name: 'next', mean: 0.048014, deviation: 0.213796, weight: 1.24929 },
    { name: 'moved', mean: -9.47215e-06, deviation: 0.010813, weight: 0.406933 },
    { name: 'beyond', mean: 0.00036305, deviation: 0.00361477, weight: 0.681965 },
    { name: 'met', mean: 0.153704, deviation: 0.268729, weight: 1.46058 },
  ],
  lean: 0.5,
  score: {
    offers: 8560,
    brier: 0.0338139,
    brierOfConstant: 0.0834864,
    stakes: 1.02106,
    stakesOfConstant: 4.32238,
    reliability: [
      { offers: 7342, expected: 31.9, taken: 52 },
      { offers: 153, expected: 22.2, taken: 20 },
      { offers: 81, expected: 20.2, taken: 18 },
      { offers: 65, expected: 22.8, taken: 24 },
      { offers: 76, expected: 34.5, taken: 49 },
      { offers: 138, expected: 76.9, taken: 95 },
      { offers: 204, expected: 133, taken: 153 },
      { offers: 159, expected: 119, taken: 113 },
      { offers: 119, expected: 101.4, taken: 83 },
      { offers: 223, expected: 215.5, taken: 180 },
    ],
  },
};
