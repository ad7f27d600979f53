// The adapters to the real exchange: session, REST, sockets, request windows.
export { RestClient } from './rest-client.ts';
export type { Answer, AuthorizedCall } from './rest-client.ts';
export { Session } from './session.ts';
export type { SessionSettings } from './session.ts';
export { conflate, feed$ } from './feeds.ts';
export type { FeedInput } from './feeds.ts';
export { PermitWindow } from './windows.ts';
export { Gateway } from './gateway.ts';
export type { GatewaySettings, GatewayWindows, RequestCounts } from './gateway.ts';
