// The core, from inputs to commands. Nothing here depends on an adapter.
export { Core } from './core.ts';
export type { CorePorts } from './parts.ts';
export type { LadderRow, MarketStatus, OwnPrices } from './market-status.ts';
export type { GameRiskStatus } from './game-risks.ts';
export type { AccountOrder } from './order-status.ts';
export type { CoreStatus } from './status.ts';
export { wantsParts } from './selection.ts';
export type { Surroundings, CoreSettings, PartSelection } from './settings.ts';
