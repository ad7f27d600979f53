// Clients that do not ask for the public field names (header `X-API-Version: public`) know the size of an order as `bet`
// (wire profile). They get both names, so that the spec's own name is never missing.
import type { Headers } from './sessions.ts';

/** Whether a request or handshake did not ask for the public names. */
export const prefersOlder = (headers: Headers, publicVersion: string): boolean =>
  publicVersion !== '' && headers['x-api-version'] !== publicVersion;

/** JSON in which every `risk` is told as `bet` too. A quote inside a text is escaped, so only keys are found. */
export const withOlderNames = (json: string): string =>
  json.replace(/"risk":(-?[\d.eE+-]+|null)/g, '"risk":$1,"bet":$1');
