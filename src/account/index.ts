// The bot's beliefs about its account: facts as reported, names, own orders, holdings, inquiries.
export * from './account.ts';
export * from './account-settings.ts';
export * from './facts.ts';
export type { DailyLossRule, DayStatus } from './day-loss.ts';
export { DayLoss } from './day-loss.ts';
export type { FormerFills } from './former-fills.ts';
export * from './settlements.ts';
export { Ungraded } from './ungraded.ts';
export type { Counted, HeldFill, ModeOfFill, Name, Owner, OwnOrder, Placing } from './records.ts';
export * from './fill.ts';
export * from './external-orders.ts';
export * from './order.ts';
export type { Placed } from './own-fills.ts';
export * from './reconciliation.ts';
export * from './references.ts';
export * from './reports.ts';
export * from './player-mode.ts';
