// The profile of runs: where the time went and what was allocated, by strategy and by part of the program.
// Figures of several runs, in one thread or in many, are added up.

/** Milliseconds of samples, and bytes allocated. */
export type Cost = { readonly ms: number; readonly bytes: number };
/** A function of a strategy's files with all that it calls, up to the next function of these files. */
export type FunctionCost = Cost & { readonly place: string; readonly name: string };
export type LineCost = { readonly place: string; readonly ms: number };

export type StrategyCost = Cost & {
  readonly id: string;
  readonly file: string;
  /** How often it was called: with a view, or by a timer. */
  readonly calls: number;
  /** Time in the functions of its own files, in libraries such as rxjs, and in functions of oddsmaker. */
  readonly ownMs: number;
  readonly libraryMs: number;
  readonly calledMs: number;
  readonly functions: readonly FunctionCost[];
  /** Time in the lines of its own files, without what they call. */
  readonly lines: readonly LineCost[];
};

/** A part of the program outside of the strategies: its group and its room. */
export type PartCost = Cost & { readonly group: string; readonly room: string };

export type RunProfile = {
  readonly runs: number;
  readonly ms: number;
  readonly bytes: number;
  readonly strategies: readonly StrategyCost[];
  readonly parts: readonly PartCost[];
};

export function addedProfiles(profiles: readonly RunProfile[]): RunProfile {
  const all = <Item>(pick: (profile: RunProfile) => readonly Item[]): readonly Item[] => profiles.flatMap(pick);
  return {
    runs: sumOf(profiles, ({ runs }) => runs),
    ...costOf(profiles),
    strategies: grouped(
      all(({ strategies }) => strategies),
      ({ id }) => id,
    ).map(addedStrategies),
    parts: byMs(
      grouped(
        all(({ parts }) => parts),
        ({ group, room }) => `${group} ${room}`,
      ).map((parts) => ({ ...parts[0], ...costOf(parts) })),
    ),
  };
}

function addedStrategies(costs: readonly [StrategyCost, ...StrategyCost[]]): StrategyCost {
  const [{ id, file }] = costs;
  return {
    id,
    file,
    calls: sumOf(costs, ({ calls }) => calls),
    ...costOf(costs),
    ownMs: sumOf(costs, ({ ownMs }) => ownMs),
    libraryMs: sumOf(costs, ({ libraryMs }) => libraryMs),
    calledMs: sumOf(costs, ({ calledMs }) => calledMs),
    functions: byMs(
      grouped(
        costs.flatMap(({ functions }) => functions),
        ({ place, name }) => `${place} ${name}`,
      ).map((same) => ({ ...same[0], ...costOf(same) })),
    ),
    lines: byMs(
      grouped(
        costs.flatMap(({ lines }) => lines),
        ({ place }) => place,
      ).map((same) => ({ ...same[0], ms: sumOf(same, ({ ms }) => ms) })),
    ),
  };
}

const sumOf = <Item>(items: readonly Item[], pick: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + pick(item), 0);

const costOf = (costs: readonly Cost[]): Cost => ({
  ms: sumOf(costs, ({ ms }) => ms),
  bytes: sumOf(costs, ({ bytes }) => bytes),
});

/** The items with the same key, in the order of the first of each. */
const grouped = <Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly [Item, ...Item[]][] =>
  [...Map.groupBy(items, keyOf).values()] as [Item, ...Item[]][];

export const byMs = <Item extends { readonly ms: number }>(items: readonly Item[]): readonly Item[] =>
  items.toSorted((a, b) => b.ms - a.ms);

/** The share of the time from which a strategy counts as slow. */
const SLOW_SHARE = 0.5;

/** What to look at first, where a strategy took over half of the time. Undefined: none did. */
export function hintOf({ ms, strategies }: RunProfile): string | undefined {
  const slow = strategies.find((strategy) => strategy.ms > SLOW_SHARE * ms);
  if (slow === undefined) return undefined;
  const [line] = slow.lines;
  const [most] = slow.functions;
  const places = [
    ...(line === undefined ? [] : [`its hottest line is ${line.place}, ${percentOf(line.ms, ms)}`]),
    ...(most === undefined ? [] : [`its hottest function ${most.name} at ${most.place}, ${percentOf(most.ms, ms)}`]),
  ];
  return [`strategy ${slow.id} took ${percentOf(slow.ms, ms)} of the time`, places.join('; ')]
    .filter((text) => text !== '')
    .join(': ');
}

export const percentOf = (ms: number, all: number): string => `${(all === 0 ? 0 : (100 * ms) / all).toFixed(1)} %`;

/** The text of `profile.json`. Times are milliseconds, rounded to thousandths; shares are of all samples. */
export function profileJson(profile: RunProfile): string {
  const { runs, ms, bytes, strategies, parts } = profile;
  const share = (cost: { readonly ms: number }): number => (ms === 0 ? 0 : Math.round((1e4 * cost.ms) / ms) / 1e4);
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  const json = {
    schema: 1,
    runs,
    ms: rounded(ms),
    bytes: Math.round(bytes),
    hint: hintOf(profile) ?? null,
    strategies: strategies.map((own) => ({
      id: own.id,
      file: own.file,
      calls: own.calls,
      share: share(own),
      ms: rounded(own.ms),
      bytes: Math.round(own.bytes),
      ownMs: rounded(own.ownMs),
      libraryMs: rounded(own.libraryMs),
      calledMs: rounded(own.calledMs),
      functions: own.functions.map(({ place, name, ms: taken, bytes: made }) => ({
        place,
        name,
        share: share({ ms: taken }),
        ms: rounded(taken),
        bytes: Math.round(made),
      })),
      lines: own.lines.map(({ place, ms: taken }) => ({ place, share: share({ ms: taken }), ms: rounded(taken) })),
    })),
    parts: parts.map(({ group, room, ms: taken, bytes: made }) => ({
      group,
      room,
      share: share({ ms: taken }),
      ms: rounded(taken),
      bytes: Math.round(made),
    })),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}
