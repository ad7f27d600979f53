// The kinds of games: a whole game, a child game (a half, a quarter, a set …), a prop (a player's points) or
// a future; and the period of the sport's game that decides it. Invariant: a part with an unknown period has
// none; no other period is assumed.
import type { GameId } from './brand.ts';
import { plainName } from './plain-name.ts';

/** The units in which a score is kept, and their number in a game. */
const UNITS = { h: 2, q: 4, p: 3, i: 9, s: 5, m: 5 } as const;
type Unit = keyof typeof UNITS;
type Digit = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/**
 * The period of a game: `full` the game itself, `reg` without overtime, `h1` `h2` halves, `q1` … `q4`
 * quarters, `p1` … `p3` periods of hockey, `i1` … `i9` innings, `f5` the first five of them, `s1` … `s5`
 * sets, `m1` … `m5` maps.
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

/** Every period; the game itself comes first. */
export const PERIODS: readonly Period[] = [
  ...(['full', 'reg', 'f5'] as const),
  ...(Object.keys(UNITS) as Unit[]).flatMap((unit) =>
    Array.from({ length: UNITS[unit] }, (_, index) => `${unit}${index + 1}` as Period),
  ),
];

/**
 * The kind of a game. `child`: the score of a part of its parent decides it. `prop`: something else in its
 * parent, such as the points of a player.
 */
export type GameKind = 'game' | 'child' | 'prop' | 'future';

/** The kind and period of a game. `period`: undefined for a part with an unknown period. */
export type GamePart = {
  /** The kind of the game: a whole game, a child game, a prop or a future. */
  readonly kind: GameKind;
  /** The period that decides the game. Undefined when it is not known. */
  readonly period: Period | undefined;
};

const WHOLE: GamePart = Object.freeze({ kind: 'game', period: 'full' });
const FUTURE: GamePart = Object.freeze({ kind: 'future', period: 'full' });

/** The fields of a message that show the kind and period; undefined when the message does not give them. */
type GameFacts = {
  readonly gameId: GameId;
  readonly parentGameId: GameId | undefined;
  readonly futures: boolean | undefined;
  readonly league?: string | undefined;
  /** The period's name as the exchange writes it: `1st Half`. */
  readonly periodName?: string | undefined;
  /** The list of the parent's book that holds the game, or its own mark as a special. */
  readonly part?: 'child' | 'prop' | undefined;
};

/**
 * The kind and period of a game by a message and earlier knowledge: a list that held it takes precedence over
 * its period's name.
 */
export function partOf(facts: GameFacts, before: GamePart | undefined): GamePart {
  if (facts.futures === true) return FUTURE;
  if (facts.parentGameId === undefined || facts.parentGameId === facts.gameId) return WHOLE;
  const known = before?.kind === 'game' || before?.kind === 'future' ? undefined : before;
  const named = facts.periodName === undefined ? undefined : periodOf(facts.periodName);
  // the exchange also writes "Full Time" where no period is known
  const period = named === 'full' ? undefined : named;
  const isProp =
    facts.part === 'prop' || (facts.part === undefined && (known?.kind === 'prop' || isPropLeague(facts.league ?? '')));
  return isProp
    ? { kind: 'prop', period: period ?? (known?.kind === 'prop' ? known.period : 'full') }
    : { kind: 'child', period: period ?? (known?.kind === 'child' ? known.period : undefined) };
}

/** True for a league of props, such as NHL-PROPS: a part of a game in such a league is a prop. */
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

/**
 * The period that a name means, in the exchanges' spellings (`1H`, `1st Half`, `Q3`, `Third Period`, `Full
 * Time`).
 */
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

/**
 * The label of a part beside the name of its game: `h1`, `prop`, `prop h1`, `future`; undefined for a whole
 * game.
 */
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

/**
 * The title of a game: its name, with the label of its part, since all parts of a game may have the same
 * name.
 */
export function gameTitle(game: GamePart & { readonly eventName: string }): string {
  const part = partText(game);
  return part === undefined ? game.eventName : `${game.eventName} (${part})`;
}
