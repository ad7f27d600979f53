// The paper exchange as a server: REST, Socket.IO, admin port and state file.
export type { PaperExchange, PaperExchangeOptions } from './server.ts';
export { startPaperExchange } from './server.ts';
