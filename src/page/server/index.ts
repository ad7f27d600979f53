// The page's server: HTTP with tokens, streams, commands and metrics. Loaded only by commands that open a
// port.
export type { AdminPorts } from './admin-server.ts';
export { ApiError } from './api-error.ts';
export { readPageFiles } from './files.ts';
export { AdminServer } from './admin-server.ts';
export { EventStream } from './event-stream.ts';
export { Metrics } from './metrics.ts';
export { openSiteServer } from './site-server.ts';
export { openViewServer } from './view-server.ts';
export { PageStream } from './page-stream.ts';
export { ProgramEvents } from './program-events.ts';
