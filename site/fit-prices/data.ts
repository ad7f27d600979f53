// Reads the data files of ../shared/data/odds: rows as they are, prices without the margin of the bookmaker.
// Only sums over many rows leave this script.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { probabilityOf, toOdds } from '../../src/domain/index.ts';
import { canDevig, devig } from '../../src/pricing/index.ts';

/** The columns of a row that are read: a text, or a number that is NaN where there is none. */
export type Row = { readonly text: (column: string) => string; readonly number: (column: string) => number };

const FILES = {
  football: 'nfl-2011-2021-sbr.csv.gz',
  footballByBook: 'nfl-2025-close-by-book.csv.gz',
  basketball: 'nba-2017-2020.csv.gz',
  basketballByMinute: 'nba-winprobs-538-2014-15.tsv',
  baseball: 'mlb-2014-2019.csv.gz',
  hockeyOdds: 'nhl-2023-2026-noon-odds.csv.gz',
  hockeyResults: 'nhl-2025-26-results.csv.gz',
  soccer: 'soccer-big5-2009-2024.csv.gz',
} as const;

/** The folder of the data files. */
export class DataFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The files that are not there. */
  get missing(): readonly string[] {
    return Object.values(FILES).filter((name) => !existsSync(join(this.#folder, name)));
  }

  rows(file: keyof typeof FILES): readonly Row[] {
    const name = FILES[file];
    const bytes = readFileSync(join(this.#folder, name));
    const text = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    const rows: readonly Readonly<Record<string, string>>[] = parse(text, {
      columns: true,
      delimiter: name.endsWith('.tsv') ? '\t' : ',',
    });
    return rows.map((row) => ({
      text: (column) => valueIn(row, column, name),
      number: (column) => numberIn(valueIn(row, column, name)),
    }));
  }
}

function valueIn(row: Readonly<Record<string, string>>, column: string, file: string): string {
  const value = row[column];
  if (value === undefined) throw new Error(`${file} has no column ${column}`);
  return value.trim();
}

const numberIn = (text: string): number => (text === '' ? Number.NaN : Number(text));

/** The fair probabilities behind American odds, by the method of Shin. Undefined when one of them is no price. */
export function fairOfAmerican(prices: readonly number[]): readonly number[] | undefined {
  return fairOfDecimal(
    prices.map((price) => {
      const odds = toOdds(price);
      return odds === undefined ? Number.NaN : 1 / probabilityOf(odds);
    }),
  );
}

/** The same of decimal odds. Prices that are far from those of a bookmaker are errors of the file. */
export function fairOfDecimal(odds: readonly number[]): readonly number[] | undefined {
  const sum = odds.reduce((total, price) => total + 1 / price, 0);
  if (!odds.every((price) => price > 1) || !(sum > 0.98 && sum < 1.2) || !canDevig(odds, 'shin')) return undefined;
  return devig(odds, 'shin').probabilities;
}

/** The year in which the season of a day began, where seasons run over the turn of the year: 2017-10-17 → 2017. */
export const winterSeason = (date: string): number => Number(date.slice(0, 4)) - (Number(date.slice(5, 7)) < 8 ? 1 : 0);
