// The door to the exchange without I/O; the live transports are separate.
export { Door } from './door.ts';
export type { DoorPorts, DoorSettings, SentCounts } from './door.ts';
export { Session } from './session.ts';
export type { SessionPorts, SessionSettings } from './session.ts';
export { FeedConnections } from './feed-connections.ts';
export type { FeedArrival } from './feed-connections.ts';
export type { OutgoingCall, RestPort, SocketEvents, SocketPort } from './ports.ts';
export { WindowLedger } from './window-ledger.ts';
export { LedgerWindow } from './ledger-window.ts';
