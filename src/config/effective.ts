// Reads the effective configuration from a journal's header (secrets hidden, durations in ms, sizes in bytes)
// and checks it against the schema of this version.
import { z } from 'zod';
import type { Result } from '../domain/index.ts';
import { bad, isHiddenText, KNOWN_SPORTS, ok, plainName } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { wireProfileSchema } from '../wire/index.ts';
import type { Config } from './schema.ts';
import { TEXT_KIND } from './schema-values.ts';
import { configSchema } from './schema.ts';

type Shape = {
  readonly [TEXT_KIND]?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
};

/** Reads a recorded configuration. A problem names every key that this version does not know. */
export function readEffective(value: unknown): Result<Config> {
  const shape = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Shape;
  // alert targets are left out: no replay needs them, and their addresses are hidden
  const given = typeof value === 'object' && value !== null ? { ...value, alerts: [] } : value;
  const { signals: written, ...rest } = (given ?? {}) as { readonly signals?: unknown };
  const { signals, hidden } = withAddresses(written);
  const readable = signals === undefined ? given : { ...rest, signals };
  const parsed = configSchema.safeParse(asWritten(withFormerDefaults(readable), shape));
  if (parsed.success) return ok({ ...parsed.data, signals: withHidden(parsed.data.signals, hidden) });
  const problems = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${[...issue.path, key].join('.')}: unknown key`)
      : [`${issue.path.join('.')}${issue.path.length === 0 ? '' : ': '}${issue.message}`],
  );
  return bad(problems.join('; '));
}

/** Former versions left the orders of a batch unknown when the exchange answered it with one 400. */
const FORMER_PROFILE = { batch400IsAtomic: false };

/** Reads the wire profile of a header. Undefined when it is invalid. */
export const readProfile = (profile: unknown): WireProfile | undefined =>
  wireProfileSchema.safeParse(merged(FORMER_PROFILE, profile)).data;

/** Stand-ins for hidden addresses of signal sources, which the schema would refuse. No replay uses them. */
const HIDDEN_ADDRESSES = { redis: 'redis://hidden', odds: 'https://hidden' } as const;
type Hidden = Partial<Record<keyof typeof HIDDEN_ADDRESSES, string>>;

function withAddresses(signals: unknown): { readonly signals: unknown; readonly hidden: Hidden } {
  if (typeof signals !== 'object' || signals === null) return { signals, hidden: {} };
  const shown: Record<string, unknown> = { ...signals };
  const hidden: Hidden = {};
  for (const [name, address] of Object.entries(HIDDEN_ADDRESSES)) {
    const source = shown[name];
    if (typeof source !== 'object' || source === null || !('url' in source)) continue;
    const { url } = source;
    if (typeof url !== 'string' || !isHiddenText(url)) continue;
    hidden[name as keyof Hidden] = url;
    shown[name] = { ...source, url: address };
  }
  return { signals: shown, hidden };
}

const withHidden = (signals: Config['signals'], { redis, odds }: Hidden): Config['signals'] => ({
  ...signals,
  redis: signals.redis === null || redis === undefined ? signals.redis : { ...signals.redis, url: redis },
  odds: signals.odds === null || odds === undefined ? signals.odds : { ...signals.odds, url: odds },
});

/** Values for keys that a former version did not have, where today's default behaves differently. */
const FORMER_DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  // there was no band for markets without a consensus
  risk: { bandWithout: 'off' },
  // a quote that gave up waited 30 s in any case
  orders: { giveUpFor: null },
  // grades were read with the account, once a minute
  exchange: { gradesEvery: null, profile: FORMER_PROFILE },
  // child games and props of the feed were quoted, each with its own limits
  markets: { periods: null },
};

/**
 * The sport rules of versions without a table of sports: one score decides all markets, which are void
 * together.
 */
const FORMER_SPORTS = Object.fromEntries(
  KNOWN_SPORTS.map((sport) => [
    sport,
    {
      moneyline: 'score',
      spread: 'score',
      total: 'score',
      voidApart: 'none',
      ...(sport === 'darts' ? { draw: 'impossible' } : {}),
    },
  ]),
);

/** True for a header of a version that lacked some of the settings that decide what is sent. */
const isFormer = (value: object): boolean =>
  !('bandWithout' in ((value as { readonly risk?: object | null }).risk ?? {}));

function withFormerSports(value: object): object {
  const { sports: recorded = {} } = value as { readonly sports?: Readonly<Record<string, object>> };
  const sports = new Map<string, object>(Object.entries(FORMER_SPORTS));
  for (const [name, columns] of Object.entries(recorded)) {
    const key = sports.has(plainName(name)) ? plainName(name) : name;
    sports.set(key, { ...sports.get(key), ...columns });
  }
  return { ...value, sports: Object.fromEntries(sports) };
}

/** Fills in the defaults of the former version, so that a replay behaves as the run did. */
function withFormerDefaults(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const value = isFormer(given) ? withFormerSports(given) : given;
  return merged(FORMER_DEFAULTS, value);
}

/** Merges defaults into a recorded value. Recorded keys win. */
function merged(defaults: Section, recorded: unknown): unknown {
  if (!isSection(recorded)) return recorded ?? defaults;
  const keys = Object.entries(defaults).map(([key, value]) => {
    if (!(key in recorded)) return [key, value];
    return [key, isSection(value) ? merged(value, recorded[key]) : recorded[key]];
  });
  return { ...recorded, ...Object.fromEntries(keys) };
}

type Section = Readonly<Record<string, unknown>>;
const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Converts durations and sizes to the spelling of the YAML file. */
function asWritten(value: unknown, shape: Shape | undefined): unknown {
  if (typeof value === 'number')
    return isOf(shape, 'duration', 'age') ? `${value}ms` : isOf(shape, 'size') ? `${value}B` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => asWritten(item, shape?.items));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, asWritten(field, partOf(shape, key))]));
}

const isOf = (shape: Shape | undefined, ...kinds: readonly string[]): boolean =>
  kinds.includes(shape?.[TEXT_KIND] ?? '') || shape?.anyOf?.some((variant) => isOf(variant, ...kinds)) === true;

const partOf = (shape: Shape | undefined, key: string): Shape | undefined =>
  shape?.properties?.[key] ?? shape?.anyOf?.map((variant) => partOf(variant, key)).find((part) => part !== undefined);
