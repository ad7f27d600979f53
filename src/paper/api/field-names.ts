// The name of an order's size on the wire (wire profile, "public field names"): `risk`, or the older `bet` when the profile
// says so. Clients that do not ask for the public names (header `X-API-Version: public`) get both, so that the spec's own
// name is never missing. A quote inside a text is escaped, so only keys are found.
import type { WireProfile } from '../../wire/index.ts';
import { recordOf } from '../../wire/index.ts';
import type { Headers } from './sessions.ts';

/** Whether a request or handshake did not ask for the public names. */
export const prefersOlder = (headers: Headers, query: unknown, publicVersion: string): boolean =>
  publicVersion !== '' &&
  headers['x-api-version'] !== publicVersion &&
  recordOf(query)?.['apiVersion'] !== publicVersion;

/** JSON in which every `risk` is told as `bet` too. */
export const withOlderNames = (json: string): string =>
  json.replace(/"risk":(-?[\d.eE+-]+|null)/g, '"risk":$1,"bet":$1');

/** Puts the size under the name that the profile says; undefined when it has it already. */
export const namedBy = ({ riskField }: WireProfile): ((json: string) => string) | undefined =>
  riskField === 'risk' ? undefined : (json) => json.replaceAll('"risk":', `"${riskField}":`);
