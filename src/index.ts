// `oddsmaker`: the parts that programs of one's own start from. Strategies import `oddsmaker/strategy`,
// `oddsmaker/pricing`, `oddsmaker/indicators` and `oddsmaker/testkit`.
export type { PaperExchange, PaperExchangeOptions } from './paper/server/index.ts';
export { startPaperExchange } from './paper/server/index.ts';
export type { TapeFrame } from './tape/index.ts';
export { readTape } from './tape/index.ts';
export { main } from './cli/main.ts';
