// `oddsmaker`: the parts that programs of one's own start from. Strategies import `oddsmaker/strategy`, `oddsmaker/pricing` and
// `oddsmaker/testkit`.
export type { PaperExchange, PaperExchangeOptions } from './paper/server.ts';
export { startPaperExchange } from './paper/server.ts';
export type { TapeFrame } from './record/tape-reader.ts';
export { readTape } from './record/tape-reader.ts';
export { main } from './cli/main.ts';
