// What a game is beside a whole one: a child game (a half, a quarter, a set …), a prop (a player's points) or a future, and
// which part of the sport's game decides it. Invariant: a part whose period is not known has none; it is never taken for another.
import type { GameId } from './brand.ts';
import { plainName } from './plain-name.ts';

/** Parts that a score is kept of, by unit and how many of it there are. */
const UNITS = { h: 2, q: 4, p: 3, i: 9, s: 5, m: 5 } as const;
type Unit = keyof typeof UNITS;
type Digit = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/**
 * Which part of a game: `full` the game itself, `reg` without overtime, `h1` `h2` halves, `q1` … `q4` quarters, `p1` … `p3`
 * periods of hockey, `i1` … `i9` innings, `f5` the first five of them, `s1` … `s5` sets, `m1` … `m5` maps.
 */
export type Period =
  | 'full'
  | 'reg'
  | 'f5'
  | 'h1'
  | 'h2'
  | `q${1 | 2 | 3 | 4}`
  | `p${1 | 2 | 3}`
  | `i${Digit}`
  | `s${1 | 2 | 3 | 4 | 5}`
  | `m${1 | 2 | 3 | 4 | 5}`;

/** Every period, the game itself first. */
export const PERIODS: readonly Period[] = [
  ...(['full', 'reg', 'f5'] as const),
  ...(Object.keys(UNITS) as Unit[]).flatMap((unit) =>
    Array.from({ length: UNITS[unit] }, (_, index) => `${unit}${index + 1}` as Period),
  ),
];

/** `child`: decided by the score of a part of its parent. `prop`: by something else in it, such as the points of a player. */
export type GameKind = 'game' | 'child' | 'prop' | 'future';

/** What a game is. `period`: undefined for a part whose period is not known. */
export type GamePart = { readonly kind: GameKind; readonly period: Period | undefined };

const WHOLE: GamePart = Object.freeze({ kind: 'game', period: 'full' });
const FUTURE: GamePart = Object.freeze({ kind: 'future', period: 'full' });

/** What a message says of it; undefined: nothing. */
type Told = {
  readonly gameId: GameId;
  readonly parentGameId: GameId | undefined;
  readonly futures: boolean | undefined;
  readonly league?: string | undefined;
  /** As the exchange writes it: `1st Half`. */
  readonly periodName?: string | undefined;
  /** The list of its parent's book that it stands in, or its own mark as a special. */
  readonly part?: 'child' | 'prop' | undefined;
};

/** What a game is by what is told of it now and was before: a list that named it goes before the name of its period. */
export function partOf(told: Told, before: GamePart | undefined): GamePart {
  if (told.futures === true) return FUTURE;
  if (told.parentGameId === undefined || told.parentGameId === told.gameId) return WHOLE;
  const known = before?.kind === 'game' || before?.kind === 'future' ? undefined : before;
  const named = told.periodName === undefined ? undefined : periodOf(told.periodName);
  // "Full Time" is also written where no period is known
  const period = named === 'full' ? undefined : named;
  const isProp =
    told.part === 'prop' || (told.part === undefined && (known?.kind === 'prop' || isPropLeague(told.league ?? '')));
  return isProp
    ? { kind: 'prop', period: period ?? (known?.kind === 'prop' ? known.period : 'full') }
    : { kind: 'child', period: period ?? (known?.kind === 'child' ? known.period : undefined) };
}

/** Props may be a league of their own, such as NHL-PROPS: a part of a game that stands there is one. */
export const isPropLeague = (league: string): boolean => /\bprops?$/.test(plainName(league));

const WORDS: Readonly<Record<string, Period>> = {
  full: 'full',
  'full time': 'full',
  fulltime: 'full',
  ft: 'full',
  game: 'full',
  'full game': 'full',
  match: 'full',
  reg: 'reg',
  regulation: 'reg',
  'regulation time': 'reg',
  '60 min': 'reg',
  '60 minutes': 'reg',
  f5: 'f5',
  '1st 5': 'f5',
  '1st 5 innings': 'f5',
  'first 5': 'f5',
  'first 5 innings': 'f5',
  'first five innings': 'f5',
  '5 innings': 'f5',
};
const UNIT_OF: Readonly<Record<string, Unit>> = {
  h: 'h',
  half: 'h',
  q: 'q',
  qtr: 'q',
  quarter: 'q',
  p: 'p',
  per: 'p',
  period: 'p',
  i: 'i',
  inn: 'i',
  inning: 'i',
  innings: 'i',
  s: 's',
  set: 's',
  m: 'm',
  map: 'm',
};
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];
const NUMBER = `([1-9])(?:st|nd|rd|th)?|(${ORDINALS.join('|')})`;
const BEFORE = new RegExp(`^(?:${NUMBER})[ -]?([a-z]+)$`);
const AFTER = /^([a-z]+)[ -]?([1-9])$/;

/** The period that a name means, as exchanges write it (`1H`, `1st Half`, `Q3`, `Third Period`, `Full Time`). */
export function periodOf(name: string): Period | undefined {
  const plain = name
    .toLowerCase()
    .replace(/[.\s]+/g, ' ')
    .trim();
  const whole = Object.hasOwn(WORDS, plain) ? WORDS[plain] : undefined;
  if (whole !== undefined) return whole;
  const before = BEFORE.exec(plain);
  if (before !== null) {
    const [, digit, ordinal, unit = ''] = before;
    return numbered(unit, digit === undefined ? ORDINALS.indexOf(ordinal ?? '') + 1 : Number(digit));
  }
  const after = AFTER.exec(plain);
  return after === null ? undefined : numbered(after[1] ?? '', Number(after[2]));
}

function numbered(word: string, number: number): Period | undefined {
  const unit = Object.hasOwn(UNIT_OF, word) ? UNIT_OF[word] : undefined;
  return unit === undefined ? undefined : PERIODS.find((period) => period === `${unit}${number}`);
}

/** How a part of a game is named beside its game: `h1`, `prop`, `prop h1`, `future`; undefined for a whole game. */
export function partText({ kind, period }: GamePart): string | undefined {
  switch (kind) {
    case 'game':
      return undefined;
    case 'child':
      return period ?? 'part';
    case 'prop':
      return period === undefined || period === 'full' ? 'prop' : `prop ${period}`;
    case 'future':
      return 'future';
  }
}

/** A game beside others: the parts of one may all have its name. */
export function gameTitle(game: GamePart & { readonly eventName: string }): string {
  const part = partText(game);
  return part === undefined ? game.eventName : `${game.eventName} (${part})`;
}
