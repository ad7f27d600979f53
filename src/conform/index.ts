// Checks a journal against the rules of the exchange.
export type { ConformSettings } from './conformance.ts';
export { Conformance } from './conformance.ts';
export type { Finding } from './rules.ts';
export { conformSettings } from './settings.ts';
