// `oddsmaker/pricing`: fair prices of every line of a game, from bookmakers' prices or from expected scores; what
// they become for one who holds bets; how far and how much to quote. Pure functions.
export type { Devigged, DevigMethod } from './devig.ts';
export { canDevig, devig, DEVIG_METHODS } from './devig.ts';
export { expit, logit, shiftLogOdds } from '../domain/index.ts';
export type { DrawRule, MarketType, Period, Phase } from '../domain/index.ts';
export { normalBelow, normalQuantile } from './normal.ts';
export type { Distribution, LinePrice } from './line-price.ts';
export type { Factors, Payoff, Range, Region, Score, ScoreGrid, Winner } from './score-grid.ts';
export type {
  BaseballParameters,
  GameState,
  HockeyParameters,
  NormalParameters,
  ParametersOf,
  SoccerParameters,
  TennisParameters,
} from './game-model.ts';
export { GameModel, hasPeriod, levelScores, modelFor } from './game-model.ts';
export type { GameScore } from './game-state.ts';
export { gameState, swappedParameters } from './game-state.ts';
export type { ModelSport } from './sport-models.ts';
export { MODEL_SPORTS, PARAMETERS } from './sport-models.ts';
export { marginFor } from './margin-for.ts';
export type { Bet, FairQuote, FitSettings, FittedQuote } from './fit.ts';
export { fitGame, FittedGame } from './fit.ts';
export type { Holding } from './payoff.ts';
export { holdingsOf } from './payoff.ts';
export { tilt } from './tilt.ts';
export type { GameRisk, PayoffCell, PayoffMap } from './game-risk.ts';
export { gameRisk, payoffMap, TAIL } from './game-risk.ts';
export type { HurtingScores } from './hurting-scores.ts';
export { hurtingScores, scoresText } from './hurting-scores.ts';
export { aversion } from './aversion.ts';
export type { OfferedBet } from './both-win.ts';
export { canBothWin, excessOver } from './both-win.ts';
export type { KellyBet } from './kelly.ts';
export { kelly } from './kelly.ts';
export type { QuoteMarket } from './half-spread.ts';
export { bestDistance, halfSpread, valueOf } from './half-spread.ts';
export type { QuoteEntry, QuoteGroup, QuoteRates, QuoteTable, QuoteTableRead } from './quote-table.ts';
export { readQuoteTable } from './quote-table.ts';
export { quoteMarketOf } from './quote-market.ts';
export { PRIOR_QUOTES } from './prior-quotes.ts';
export type { LineOutcome } from './score-model.ts';
export { normalScores, poissonScores, ScoreModel } from './score-model.ts';
