// The transports of a live run: axios, socket.io-client, Bottleneck and the timers of the process.
export { RestClient } from './rest-client.ts';
export type { HttpAnswer } from './rest-client.ts';
export { socketsTo } from './sockets.ts';
export { liveDoor } from './live-door.ts';
export { PermitWindow } from './windows.ts';
export { LIVE_TIMERS } from './timers.ts';
