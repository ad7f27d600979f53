// Secrets by origin: a value that a configuration takes from the environment is shown as `${NAME}`, whatever
// its key. The process keeps the values that it took; only this file decides which of them are secrets.
//
// Shown as `${NAME}`: configurations, parameters, log lines, alerts, errors, and what strategies write for
// people. Never altered: frames, replies, orders, ids, numbers, and the keys of ledger, lease and files. They
// do not pass through here, so a team whose name contains a secret keeps its name, and a journal replays to
// the byte.

/**
 * Keys without secrets: a value that stands under one of them is no secret anywhere. Numbers, true and false
 * are no secrets either.
 */
const OPEN_KEYS: readonly RegExp[] = [
  // username, player mode, host and path of the addresses, wire profile, and all settings of an embedded
  // exchange
  /^exchange\.(?!password$)/,
  // leagues, market types, ids of games
  /^(?:markets|sports)\./,
  // directories and files
  /^(?:record|journal)\.dir$/,
  /^ledger\.file$/,
  /^strategies\.\d+\.use$/,
  /^signals\.(?:files\.\d+|odds\.(?:file|teams))$/,
  /^alerts\.\d+\.command$/,
  // ids, addresses and names of the bot itself
  /^strategies\.\d+\.id$/,
  /^ops\.(?:host|hosts\.\d+)$/,
  /^alerts\.\d+\.env\.\d+$/,
  // keys with a fixed choice of values, and keys that are numbers: limits, durations, sizes, ports
  /^(?:risk|orders|journal|guard|commission|log)\./,
  /^ops\.(?!token$|viewToken$|host)/,
  /^signals\.(?:http|odds\.(?:every|ttl|devig))$/,
  /^alerts\.\d+\.(?:body|level|repeat)$/,
  /^strategies\.\d+\.(?:impure$|budget\.)/,
  /^on(?:Exit|Crash)$/,
];

/** Addresses: their query is neither host nor path, and may hold a secret. */
const ADDRESSES = /^exchange\.(?:restUrl|socketUrl)$/;

/** The shortest value that is searched inside longer strings: shorter ones would match too much. */
const SHORTEST_INSIDE = 8;

const NAME = /\$\{(\w+)\}/g;

/** A text of a configuration that contains values of the environment. */
export type TakenText = {
  /** Keys and indices, joined by dots; undefined when it stands in several places (a YAML alias). */
  readonly path: string | undefined;
  /** The text with the values. */
  readonly text: string;
  /** The text as written, with `${NAME}`. */
  readonly written: string;
  readonly values: Readonly<Record<string, string>>;
};

const texts = new Map<string, TakenText[]>();
/** Names of variables by value. */
const secrets = new Map<string, string>();
/** Values that are no secrets. */
const open = new Set<string>();
const longest: {
  texts: readonly (readonly [string, TakenText])[];
  secrets: readonly (readonly [string, string])[];
} = { texts: [], secrets: [] };

/** Records values that the process took: from now on they are shown as written. */
export function noteSecrets(taken: readonly TakenText[]): void {
  for (const entry of taken) {
    const known = texts.get(entry.text) ?? [];
    if (!known.some(({ path, written }) => path === entry.path && written === entry.written))
      texts.set(entry.text, [...known, entry]);
    const beforeQuery = ADDRESSES.test(entry.path ?? '') ? entry.written.replace(/[?#].*/s, '') : entry.written;
    const isOpen = isOpenKey(entry.path);
    for (const [name, value] of Object.entries(entry.values)) {
      if (isOpen && beforeQuery.includes(`\${${name}}`)) open.add(value);
      for (const form of formsOf(value)) if (form.length >= SHORTEST_INSIDE) secrets.set(form, name);
    }
  }
  byLength();
}

/** Sorts the texts and secrets to search for: of two that begin alike, the longer one comes first. */
function byLength(): void {
  longest.texts = [...texts]
    .flatMap(([text, [taken]]): (readonly [string, TakenText])[] =>
      taken === undefined || text.length < SHORTEST_INSIDE ? [] : [[text, taken]],
    )
    .sort(([a], [b]) => b.length - a.length);
  longest.secrets = [...secrets].sort(([a], [b]) => b.length - a.length);
}

/** All values taken so far, for another thread of this process. */
export const takenValues = (): readonly TakenText[] => [...texts.values()].flat();

/** Forgets all values, for another command in this process. */
export function forgetSecrets(): void {
  for (const known of [texts, secrets, open]) known.clear();
  byLength();
}

/** A text for people, without the secrets of 8 characters or more that were taken from the environment. */
export function redacted(text: string): string {
  let shown = text;
  // whole texts first, such as an address: a value inside may be too short to be searched alone
  for (const [whole, taken] of longest.texts)
    if (shown.includes(whole)) shown = shown.replaceAll(whole, writtenOf(taken));
  for (const [value, name] of longest.secrets)
    if (!open.has(value) && shown.includes(value)) shown = shown.replaceAll(value, `\${${name}}`);
  return shown;
}

/** Reasons by their author, without secrets. */
export const redactedValues = (reasons: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(reasons).map(([who, words]) => [who, redacted(words)]));

/** Counts by the reasons of strategies, without secrets. */
export const redactedKeys = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).map(([words, count]) => [redacted(words), count]));

/** The text at this place of a configuration, without secrets. */
export function redactedAt(path: string, text: string): string {
  const taken = texts.get(text)?.find((entry) => entry.path === path || entry.path === undefined);
  if (taken !== undefined) return writtenOf(taken);
  return isOpenKey(path) ? text : redacted(text);
}

/** The text as written, except for values that are no secrets. */
const writtenOf = ({ written, values }: TakenText): string =>
  written.replace(NAME, (whole, name: string) => {
    const value = values[name];
    return value !== undefined && open.has(value) ? value : whole;
  });

const isOpenKey = (path: string | undefined): boolean => path !== undefined && OPEN_KEYS.some((key) => key.test(path));

/** The forms of a value: plain, in JSON and in URLs. */
const formsOf = (value: string): ReadonlySet<string> =>
  new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);

/** True for a text that contains a `${NAME}`. */
export const namesTaken = (text: string): boolean => text.search(NAME) >= 0;

/**
 * The text filled with the values of its names. Undefined when one of them is not set, or the text has no
 * names.
 */
export function filledWith(
  written: string,
  env: Readonly<Record<string, string | undefined>>,
): Pick<TakenText, 'text' | 'values'> | undefined {
  const names = [...written.matchAll(NAME)].map(([, name = '']) => name);
  const values = Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  if (names.length === 0 || names.some((name) => !Object.hasOwn(values, name))) return undefined;
  return { values, text: written.replace(NAME, (whole, name: string) => values[name] ?? whole) };
}
