// The table of `backtest --profile`: where the time went and what was allocated.
import type { RunProfile } from '../backtest/index.ts';
import { hintOf, percentOf } from '../backtest/index.ts';
import { printable } from '../domain/index.ts';
import { aligned } from '../terminal/index.ts';

type Row = readonly [string, ...string[]];
type Cost = { readonly ms: number; readonly bytes: number };

/** Parts below this share of the time are left out; profile.json has all. */
const LEAST_SHARE = 0.005;
/** The most lines, and functions, of a strategy, and the least share of the time of each but the first. */
const MOST_PLACES = 5;
const LEAST_PLACE = 0.0005;

/** `run`: the number of the variation; empty when there is only one. */
export function profileText(profile: RunProfile, run: string): string {
  const { runs, ms, bytes, strategies } = profile;
  const all: Cost = { ms, bytes };
  const hint = hintOf(profile);
  const name = `${run === '' ? 'profile' : `profile of run ${run}`}${runs === 1 ? '' : ` of ${runs} runs`}`;
  return [
    '',
    ...aligned([
      [name, 'time', 'ms', 'MB allocated'],
      ...strategies.flatMap((strategy) => [
        rowOf(`strategy ${strategy.id}`, strategy, all),
        ...timeRows(all, [
          ['its own code', strategy.ownMs],
          ['rxjs and other libraries', strategy.libraryMs],
          ['functions of oddsmaker', strategy.calledMs],
        ]),
      ]),
      ...partRows(profile),
      rowOf('all', all, all),
    ]),
    ...strategies.flatMap((strategy) => strategyText(strategy, all)),
    ...(hint === undefined ? [] : ['', `${hint} (docs/profile.md)`]),
    '',
  ]
    .map(printable)
    .join('\n');
}

const rowOf = (name: string, { ms, bytes }: Cost, all: Cost): Row => [
  name,
  percentOf(ms, all.ms),
  whole(ms),
  (bytes / 1e6).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
];

const whole = (value: number): string => Math.round(value).toLocaleString('en');

const timeRows = (all: Cost, rows: readonly (readonly [name: string, ms: number])[]): readonly Row[] =>
  rows
    .filter(([, ms]) => ms >= LEAST_SHARE * all.ms)
    .map(([name, ms]): Row => [`  ${name}`, percentOf(ms, all.ms), whole(ms), '']);

/** One row a group of rooms, and below it its rooms. */
function partRows({ ms, bytes, parts }: RunProfile): readonly Row[] {
  const all = { ms, bytes };
  const groups = new Map<string, RunProfile['parts']>();
  for (const part of parts) groups.set(part.group, [...(groups.get(part.group) ?? []), part]);
  const rows = [...groups].map(([group, rooms]) => ({
    group,
    rooms,
    cost: {
      ms: rooms.reduce((sum, room) => sum + room.ms, 0),
      bytes: rooms.reduce((sum, room) => sum + room.bytes, 0),
    },
  }));
  return rows
    .filter(({ cost }) => cost.ms >= LEAST_SHARE * ms)
    .sort((a, b) => b.cost.ms - a.cost.ms)
    .flatMap(({ group, rooms, cost }) => [
      rowOf(group, cost, all),
      ...rooms
        .filter((room) => room.room !== '' && room.ms >= LEAST_SHARE * ms)
        .map((room) => rowOf(`  ${room.room}`, room, all)),
    ]);
}

/** The calls of a strategy, and its lines and functions that took most. */
function strategyText(strategy: RunProfile['strategies'][number], all: Cost): readonly string[] {
  const { id, file, calls, ms: taken, lines, functions } = strategy;
  const name = `strategy ${id} (${file})`;
  if (functions.length === 0) return ['', `${name}: no sample was taken in it`];
  const each = calls === 0 ? 0 : (1000 * taken) / calls;
  return [
    '',
    `${name}: ${calls.toLocaleString('en')} calls, ${each.toFixed(1)} µs each`,
    ...aligned([
      ['  lines', 'time', 'ms', ''],
      ...mostOf(lines, all).map(({ place, ms }): Row => [`  ${place}`, percentOf(ms, all.ms), whole(ms), '']),
      ['  functions, with what they call', 'time', 'ms', 'MB allocated'],
      ...mostOf(functions, all).map((own): Row => rowOf(`  ${own.place} ${own.name}`, own, all)),
    ]),
  ];
}

const mostOf = <Place extends { readonly ms: number }>(places: readonly Place[], all: Cost): readonly Place[] =>
  places.slice(0, MOST_PLACES).filter(({ ms }, index) => index === 0 || ms >= LEAST_PLACE * all.ms);
