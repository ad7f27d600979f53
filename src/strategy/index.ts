// `oddsmaker/strategy`: everything a strategy file needs, and nothing else.
export { americanOdds, defineStrategy, dollars, dollarAmount, quoteTable } from './define.ts';
export type { GameStrategy, Strategy, StrategyContext } from './define.ts';
export type { GameView } from './game-view.ts';
export { showAgain, withoutRepeats } from './operators.ts';
export type { StrategyLog } from './log.ts';
export type { Persist } from './persist.ts';
export type { AccountView, MarketHistory, MarketView, OwnOffer, PricePoint, SideView, Signals, Take } from './view.ts';
export type { GameScore } from '../pricing/index.ts';
export type { Freshness } from '../mirror/index.ts';
export type {
  AmericanOdds,
  Cents,
  CommissionRule,
  Consensus,
  Fill,
  Game,
  GameKind,
  GamePart,
  HeldPosition,
  Ladder,
  Market,
  MarketId,
  MarketType,
  Micros,
  Offer,
  Period,
  Position,
  QueuePlace,
  Quote,
  QuoteIntent,
  Regime,
  Rung,
  Side,
} from '../domain/index.ts';
export {
  centsOfDollars,
  consensusOf,
  dollarsOfCents,
  dollarsOfMicros,
  inventoryOf,
  microsOfCents,
  oddsOf,
  oppositeSide,
  payoutOf,
  probabilityOf,
  probabilityOfRung,
  queuePlace,
  shiftLogOdds,
  toOdds,
} from '../domain/index.ts';
