// Computes the figures of a run from its events: fills, quotes, orders, and the whole run (figures.md).
export type { AttributionName, AttributionRow, GroupSums } from './attribution.ts';
export {
  ATTRIBUTIONS,
  ATTRIBUTION_KEYS,
  addToGroup,
  attributionOf,
  attributionRows,
  noSums,
  shownKey,
} from './attribution.ts';
export type { BotResult } from './bot-result.ts';
export { busiestOf } from './busiest.ts';
export { gamesNeededOf } from './chance.ts';
export { Curve } from './curve.ts';
export type { ByWeight, FillPrices, FillSums, Known } from './fill-figures.ts';
export {
  addedSums,
  closeOf,
  clvOf,
  clvRatios,
  clvSum,
  identityOf,
  markoutOf,
  ownPriceOf,
  perPlaceOf,
  sumsOf,
} from './fill-figures.ts';
export type { FillModelScore, ScenarioSum } from './fill-model-figures.ts';
export { fillModelFigures } from './fill-model-figures.ts';
export type { FillRate, FillRateFit } from './fill-rate.ts';
export { fillRateFit } from './fill-rate.ts';
export { FillBook } from './fill-book.ts';
export type { BookedFill, FillCell, FillColumn, FillKind } from './fill-table.ts';
export { FILL_COLUMNS, fillCells } from './fill-table.ts';
export { RunFigures } from './journal-figures.ts';
export type { KnownOf } from './known-figures.ts';
export { LiveFigures } from './live-figures.ts';
export type { MarketPath, MarketPathSet } from './market-paths.ts';
export { fillsByMarket, MarketPaths, NO_PATHS } from './market-paths.ts';
export { thinned } from './thinned.ts';
export type { MarkoutCut } from './markout-curves.ts';
export { markoutCuts } from './markout-curves.ts';
export type { KnownOrder, OrderName } from './order-names.ts';
export { OrderNames, nameOf } from './order-names.ts';
export type { Outcome, Story, StoryEvent } from './order-story.ts';
export { OrderStory } from './order-story.ts';
export type { MsCounts } from './order-tally.ts';
export { countMs, OrderTally, orderFigures } from './order-tally.ts';
export { closedOutside, openOutside } from './outside-prices.ts';
export { inventoryOfPhase, quotingOf } from './quoting.ts';
export type { EventListener, ReadEvents } from './read-events.ts';
export { readEvents, readSoundEvents } from './read-events.ts';
export type { QuoteFacts } from './quote-fit.ts';
export { fitQuotes } from './quote-fit.ts';
export { Refusals } from './refusals.ts';
export type { RunFill } from './run-fill.ts';
export type { OrderEnd, ReportOrder } from './report-order.ts';
export { RequestUse } from './request-use.ts';
export type { Latency } from './request-times.ts';
export { RequestTimes } from './request-times.ts';
export { RequestTally } from './request-tally.ts';
export { dollars, cents, fine } from './rounding.ts';
export type { ModelDistance } from './model-prices.ts';
export { modelDistances } from './model-prices.ts';
export type { RiskPeak, ScoreFigures } from './game-risks.ts';
export { scoreFigures } from './game-risks.ts';
export type { CurvePoint, PhaseFacts, QuotePath, RequestCount, RunFacts } from './run-facts.ts';
export {
  NO_FACTS,
  NO_PERMITS,
  NO_PHASE,
  fallOf,
  mergedFacts,
  mergedPhase,
  mergedRisks,
  mostHeldOf,
} from './run-facts.ts';
export type { RunStatus } from './run-json.ts';
export { jsonOf, jsonOfNothing } from './run-json.ts';
export { RunFold, sharesHeld } from './run-fold.ts';
export { RunSums, pickedOffSoFar } from './run-sums.ts';
export type { RunningFigures } from './running-figures.ts';
export { partsOfFill, positionBefore } from './running-figures.ts';
export type { ScenarioFigures, SectionFigures } from './scenario.ts';
export { dailyPnl, scenarioFigures } from './scenario.ts';
export type { SeriesPath, SeriesSet } from './series-book.ts';
export { drawnSeries, SERIES_COLUMNS, SeriesBook, seriesCells, seriesRows } from './series-book.ts';
export { signalAges } from './signal-ages.ts';
export { StepChain } from './step-chain.ts';
export { timeAxis } from './time-axis.ts';
export type { Waits } from './waits.ts';
export { waitQuantiles } from './waits.ts';
