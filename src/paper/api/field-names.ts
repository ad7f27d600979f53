// The name of an order's size on the wire (wire profile, "public field names"): `risk`, or the older `bet`
// when the profile says so. Clients that do not request the public names (header `X-API-Version: public`) get
// both, so that the spec's own name is never missing. Quotes inside JSON texts are escaped, so the
// replacements match keys only.
import type { WireProfile } from '../../wire/index.ts';
import { recordOf } from '../../wire/index.ts';
import type { Headers } from './sessions.ts';

/** Whether a request or handshake did not ask for the public names. */
export const prefersOlder = (headers: Headers, query: unknown, publicVersion: string): boolean =>
  publicVersion !== '' &&
  headers['x-api-version'] !== publicVersion &&
  recordOf(query)?.['apiVersion'] !== publicVersion;

/** Adds to every `risk` in the JSON the same value as `bet`. */
export const withOlderNames = (json: string): string =>
  json.replace(/"risk":(-?[\d.eE+-]+|null)/g, '"risk":$1,"bet":$1');

/** Returns a function that renames `risk` to the profile's name. Undefined when the profile keeps `risk`. */
export const namedBy = ({ riskField }: WireProfile): ((json: string) => string) | undefined =>
  riskField === 'risk' ? undefined : (json) => json.replaceAll('"risk":', `"${riskField}":`);
