export { createLog } from './log.ts';
export type { Fields, Log, LogLevel } from './log.ts';
export { StatusLine, statusLine } from './status-line.ts';
export type { LineState } from './status-line.ts';
