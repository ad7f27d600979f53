// Secrets by origin: a value that a configuration takes from the environment is shown as `${NAME}`, whatever its key. The process
// keeps the values it took, and this file alone says what is a secret and what is not.
//
// Shown as `${NAME}`: configurations, parameters, log lines, alerts, errors, and what strategies write for people.
// Never altered: frames, replies, orders, ids, numbers, and the keys of ledger, lease and files. They do not pass through here, so a
// team whose name contains a secret keeps its name, and a journal replays to the byte.

/**
 * No secrets, wherever they come from; a value that stands under one of these keys is none anywhere. Numbers, true and false are none
 * either.
 */
const OPEN_KEYS: readonly RegExp[] = [
  // username, player mode, host and path of the addresses, wire profile, and whatever an embedded exchange is set to
  /^exchange\.(?!password$)/,
  // leagues, market types, ids of games
  /^(?:markets|sports)\./,
  // directories and files
  /^(?:record|journal)\.dir$/,
  /^ledger\.file$/,
  /^strategies\.\d+\.use$/,
  /^signals\.(?:files\.\d+|odds\.(?:file|teams))$/,
  /^alerts\.\d+\.command$/,
  // ids, addresses and names of this side
  /^strategies\.\d+\.id$/,
  /^ops\.(?:host|hosts\.\d+)$/,
  /^alerts\.\d+\.env\.\d+$/,
  // what has a fixed choice of values, and what is a number in the end: limits, durations, sizes, ports
  /^(?:risk|orders|journal|guard|commission|log)\./,
  /^ops\.(?!token$|viewToken$|host)/,
  /^signals\.(?:http|odds\.(?:every|ttl|devig))$/,
  /^alerts\.\d+\.(?:body|level|repeat)$/,
  /^strategies\.\d+\.(?:impure$|budget\.)/,
  /^on(?:Exit|Crash)$/,
];

/** Of these, the query is no host and no path. */
const ADDRESSES = /^exchange\.(?:restUrl|socketUrl)$/;

/** Inside longer strings, shorter values are not looked for: too much would look like them. */
const SHORTEST_INSIDE = 8;

const NAME = /\$\{(\w+)\}/g;

/** A text of a configuration in which values of the environment stand. */
export type TakenText = {
  /** Keys and indices, joined by dots; undefined: it stands in several places (an alias of YAML). */
  readonly path: string | undefined;
  /** As it is used. */
  readonly text: string;
  /** As it is written, with `${NAME}`. */
  readonly written: string;
  readonly values: Readonly<Record<string, string>>;
};

const texts = new Map<string, TakenText[]>();
/** Name by value. */
const secrets = new Map<string, string>();
/** Values that are no secrets. */
const open = new Set<string>();
const longest: {
  texts: readonly (readonly [string, TakenText])[];
  secrets: readonly (readonly [string, string])[];
} = { texts: [], secrets: [] };

/** The process took these: from now on they are shown as they are written. */
export function takeValues(taken: readonly TakenText[]): void {
  for (const one of taken) {
    const known = texts.get(one.text) ?? [];
    if (!known.some(({ path, written }) => path === one.path && written === one.written))
      texts.set(one.text, [...known, one]);
    const beforeQuery = ADDRESSES.test(one.path ?? '') ? one.written.replace(/[?#].*/s, '') : one.written;
    const isOpen = isOpenKey(one.path);
    for (const [name, value] of Object.entries(one.values)) {
      if (isOpen && beforeQuery.includes(`\${${name}}`)) open.add(value);
      for (const form of formsOf(value)) if (form.length >= SHORTEST_INSIDE) secrets.set(form, name);
    }
  }
  byLength();
}

/** What is looked for inside texts: of two that begin alike, the longer one first. */
function byLength(): void {
  longest.texts = [...texts]
    .flatMap(([text, [taken]]): (readonly [string, TakenText])[] =>
      taken === undefined || text.length < SHORTEST_INSIDE ? [] : [[text, taken]],
    )
    .sort(([a], [b]) => b.length - a.length);
  longest.secrets = [...secrets].sort(([a], [b]) => b.length - a.length);
}

/** All that was taken so far, for another thread of this process. */
export const takenValues = (): readonly TakenText[] => [...texts.values()].flat();

/** Nothing was taken: another command begins in this process. */
export function forgetTakenValues(): void {
  for (const known of [texts, secrets, open]) known.clear();
  byLength();
}

/** A text for people without the secrets of 8 characters or more that were taken from the environment. */
export function withoutTaken(text: string): string {
  let shown = text;
  // first whole texts, such as an address, in which a value may be too short to be looked for alone
  for (const [whole, taken] of longest.texts)
    if (shown.includes(whole)) shown = shown.replaceAll(whole, writtenOf(taken));
  for (const [value, name] of longest.secrets)
    if (!open.has(value) && shown.includes(value)) shown = shown.replaceAll(value, `\${${name}}`);
  return shown;
}

/** What several said, by who did. */
export const withoutTakenWords = (said: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(said).map(([who, words]) => [who, withoutTaken(words)]));

/** Counts by the words of strategies. */
export const withoutTakenKeys = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).map(([words, count]) => [withoutTaken(words), count]));

/** The text of a configuration that stands there. */
export function withoutTakenAt(path: string, text: string): string {
  const taken = texts.get(text)?.find((one) => one.path === path || one.path === undefined);
  if (taken !== undefined) return writtenOf(taken);
  return isOpenKey(path) ? text : withoutTaken(text);
}

/** As it is written, but for values that are no secrets. */
const writtenOf = ({ written, values }: TakenText): string =>
  written.replace(NAME, (whole, name: string) => {
    const value = values[name];
    return value !== undefined && open.has(value) ? value : whole;
  });

const isOpenKey = (path: string | undefined): boolean => path !== undefined && OPEN_KEYS.some((key) => key.test(path));

/** As it is, and as it stands in JSON and in URLs. */
const formsOf = (value: string): ReadonlySet<string> =>
  new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);

/** True for a text in which a name stands for what it is. */
export const namesTaken = (text: string): boolean => text.search(NAME) >= 0;

/** The text with the values of these names; undefined: one of them is not set, or it has none. */
export function filledWith(
  written: string,
  env: Readonly<Record<string, string | undefined>>,
): Pick<TakenText, 'text' | 'values'> | undefined {
  const names = [...written.matchAll(NAME)].map(([, name = '']) => name);
  const values = Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  if (names.length === 0 || names.some((name) => !Object.hasOwn(values, name))) return undefined;
  return { values, text: written.replace(NAME, (whole, name: string) => values[name] ?? whole) };
}
