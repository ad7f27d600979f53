// How markets take offers, by league, type and phase: the shape of the file that `oddsmaker fit-quotes` writes,
// and its reader. A table that was read holds only numbers that a quote can be computed from.
import type { MarketType, Phase } from '../domain/index.ts';
import { MARKET_TYPES, PHASES } from '../domain/index.ts';
import type { QuoteMarket } from './half-spread.ts';

/** How fast offers fill and how far prices move against them, with standard errors. */
export type QuoteRates = Pick<QuoteMarket, 'A' | 'k'> & {
  /** What the fair price moves against a fill, points, at least 0. */
  readonly a: number;
  /** One standard error of each. */
  readonly errors: {
    /** Of `A`, fills an hour. */
    readonly A: number;
    /** Of `k`, per point. */
    readonly k: number;
    /** Of `a`, points. */
    readonly a: number;
  };
};

/** What is measured of some markets. */
export type QuoteEntry = QuoteRates & {
  /** Fills that were counted. */
  readonly fills: number;
  /** Hours that offers rested at the counted distances. */
  readonly hours: number;
};

/** The markets of a league, of one type, in one phase. */
export type QuoteGroup = {
  /** The league as the exchange writes it. */
  readonly league: string;
  /** The type of the markets. */
  readonly type: MarketType;
  /** Before the start, or in play. */
  readonly phase: Phase;
};

/** What `oddsmaker fit-quotes` writes: groups, their leagues, and everything together. */
export type QuoteTable = {
  /** The version of the format. */
  readonly quotes: 1;
  /** By league, type and phase, in this order. */
  readonly groups: readonly (QuoteGroup & QuoteEntry)[];
  /** By league. */
  readonly leagues: readonly (Pick<QuoteGroup, 'league'> & QuoteEntry)[];
  /** All leagues together. */
  readonly all: QuoteEntry;
};

/** A table that was read, or what is wrong with it. */
export type QuoteTableRead =
  | {
      /** It is a table. */
      readonly ok: true;
      /** The table. */
      readonly value: QuoteTable;
    }
  | {
      /** It is none. */
      readonly ok: false;
      /** The wrong field, by its path, and what is expected there. */
      readonly problem: string;
    };

/**
 * Reads a table from a parsed JSON file.
 * @param value anything
 * @returns the table, or a text that names the wrong field by its path, such as `groups.0.k`
 */
export function readQuoteTable(value: unknown): QuoteTableRead {
  try {
    return { ok: true, value: tableIn(value) };
  } catch (error) {
    if (error instanceof WrongField) return { ok: false, problem: error.message };
    throw error;
  }
}

/** A field that is not as it should be. */
class WrongField extends Error {
  constructor(path: string, expected: string) {
    super(`${path === '' ? 'the table' : path}: expected ${expected}`);
  }
}

function tableIn(value: unknown): QuoteTable {
  const table = fieldsIn(value, '');
  if (table['quotes'] !== 1) throw new WrongField('quotes', 'version 1, as fit-quotes writes it');
  const groups = listIn(table['groups'], 'groups').map((entry, index): QuoteTable['groups'][number] => {
    const path = `groups.${index}`;
    const fields = fieldsIn(entry, path);
    return {
      league: textIn(fields['league'], `${path}.league`),
      type: choiceIn(fields['type'], `${path}.type`, MARKET_TYPES),
      phase: choiceIn(fields['phase'], `${path}.phase`, PHASES),
      ...entryIn(fields, path),
    };
  });
  const leagues = listIn(table['leagues'], 'leagues').map((entry, index): QuoteTable['leagues'][number] => {
    const path = `leagues.${index}`;
    const fields = fieldsIn(entry, path);
    return { league: textIn(fields['league'], `${path}.league`), ...entryIn(fields, path) };
  });
  refuseTwice(
    groups.map(({ league, type, phase }) => `${league} ${type} ${phase}`),
    'groups',
  );
  refuseTwice(
    leagues.map(({ league }) => league),
    'leagues',
  );
  return { quotes: 1, groups, leagues, all: entryIn(fieldsIn(table['all'], 'all'), 'all') };
}

function refuseTwice(names: readonly string[], path: string): void {
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index) throw new WrongField(`${path}.${index}`, `${name} once`);
}

function entryIn(fields: Fields, path: string): QuoteEntry {
  const above = (name: 'A' | 'k'): number =>
    numberIn(fields[name], `${path}.${name}`, 'a number above 0', (x) => x > 0);
  const counted = (name: 'a' | 'fills' | 'hours'): number => leastZero(fields[name], `${path}.${name}`);
  const errors = fieldsIn(fields['errors'], `${path}.errors`);
  const error = (name: 'A' | 'k' | 'a'): number => leastZero(errors[name], `${path}.errors.${name}`);
  return {
    A: above('A'),
    k: above('k'),
    a: counted('a'),
    errors: { A: error('A'), k: error('k'), a: error('a') },
    fills: counted('fills'),
    hours: counted('hours'),
  };
}

const leastZero = (value: unknown, path: string): number =>
  numberIn(value, path, 'a number, at least 0', (number) => number >= 0);

function numberIn(value: unknown, path: string, expected: string, isValid: (value: number) => boolean): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || !isValid(value)) throw new WrongField(path, expected);
  return value;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new WrongField(path, 'an object');
  return value as Fields;
}

function listIn(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new WrongField(path, 'a list');
  return value;
}

function textIn(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw new WrongField(path, 'a name');
  return value;
}

function choiceIn<Choice extends string>(value: unknown, path: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((name) => name === value);
  if (choice === undefined) throw new WrongField(path, choices.join(', '));
  return choice;
}
