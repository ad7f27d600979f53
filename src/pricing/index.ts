// `oddsmaker/pricing`: fair prices from bookmakers' prices and from expected scores, for strategies and
// programs. Pure functions.
export type { Devigged, DevigMethod } from './devig.ts';
export { devig, DEVIG_METHODS } from './devig.ts';
export { expit, logit, shiftLogOdds } from '../domain/index.ts';
export type { DrawRule } from '../domain/index.ts';
export type { Distribution, LineOutcome } from './score-model.ts';
export { normalScores, poissonScores, ScoreModel } from './score-model.ts';
export { normalBelow, normalQuantile } from './normal.ts';
