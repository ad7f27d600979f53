// Branded primitives: a plain string or number cannot be passed where an id, a price or an amount is meant.
export type Brand<T, Name extends string> = T & { readonly __brand: Name };

export type GameId = Brand<string, 'GameId'>;
export type ParticipantId = Brand<string, 'ParticipantId'>;
/** The exchange's id of a resting order (spec: `orderID`, `sessionID`). */
export type OrderId = Brand<string, 'OrderId'>;
/** The exchange's id of one fill (spec: `txID`). */
export type TxId = Brand<string, 'TxId'>;
/** The own reference of an order, echoed by the exchange (wire profile: `userReference`). */
export type OrderRef = Brand<string, 'OrderRef'>;
export type StrategyId = Brand<string, 'StrategyId'>;
