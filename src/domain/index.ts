// The vocabulary of the whole project. Pure: imports nothing but itself.
export * from './brand.ts';
export * from './result.ts';
export * from './odds.ts';
export * from './money.ts';
export * from './market.ts';
export * from './book.ts';
export * from './consensus.ts';
export * from './market-data.ts';
export * from './order.ts';
export * from './outcome.ts';
export * from './position.ts';
export * from './intent.ts';
export * from './value.ts';
export * from './input.ts';
export * from './command.ts';
export * from './errors.ts';
export * from './durations.ts';
