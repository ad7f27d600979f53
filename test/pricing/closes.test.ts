// The fit on closing odds of NFL games, where they are at hand: what books on other lines say of a book's line.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { FairQuote } from '../../src/pricing/index.ts';
import { devig, fitGame } from '../../src/pricing/index.ts';

const FILE = join(import.meta.dirname, '../../../shared/data/odds/nfl-2025-close-by-book.csv.gz');
/** Snapshots that are older than this at the kick-off are no closes. */
const CLOSE_MS = 30 * 60_000;

type Close = {
  readonly book: string;
  readonly spread: number;
  readonly p: number;
  readonly moneyline: number | undefined;
};

const decimalOf = (american: number): number => (american > 0 ? 1 + american / 100 : 1 - 100 / american);
const fair = (home: number, away: number): number => {
  const decimals = [decimalOf(home), decimalOf(away)];
  return decimals.every(Number.isFinite) ? (devig(decimals, 'shin').probabilities[0] ?? Number.NaN) : Number.NaN;
};

function closes(): readonly (readonly Close[])[] {
  const [head = '', ...lines] = gunzipSync(readFileSync(FILE)).toString().trim().split('\n');
  const names = head.split(',');
  const rows = lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, index) => [names[index] ?? '', cell])),
  );
  const inTime = rows.filter(
    (row) => Date.parse(row['kickoff_utc'] ?? '') - Date.parse(row['snapshot_utc'] ?? '') <= CLOSE_MS,
  );
  const number = (cell: string | undefined): number => (cell === undefined || cell === '' ? Number.NaN : Number(cell));
  return [...Map.groupBy(inTime, (row) => row['game_id']).values()].map((books) =>
    books.flatMap((row) => {
      const p = fair(number(row['spread_home_price']), number(row['spread_away_price']));
      const moneyline = fair(number(row['ml_home']), number(row['ml_away']));
      const spread = number(row['spread_home']);
      if (!Number.isFinite(p) || !Number.isFinite(spread)) return [];
      return [{ book: row['book'] ?? '', spread, p, moneyline: Number.isFinite(moneyline) ? moneyline : undefined }];
    }),
  );
}

const spreadsOf = (books: readonly Close[]): readonly FairQuote[] =>
  books.map(({ book, spread, p }) => ({ book, type: 'spread', side: 'home', line: spread, probability: p }));
const points = (errors: readonly number[]): number =>
  100 * Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);

describe.runIf(existsSync(FILE))('closing odds of the NFL', () => {
  const games = existsSync(FILE) ? closes() : [];
  const errorsOf = (priced: (own: Close, others: readonly Close[]) => number | undefined): readonly number[] =>
    games.flatMap((books) =>
      books.flatMap((own) => {
        const error = priced(
          own,
          books.filter(({ book }) => book !== own.book),
        );
        return error === undefined ? [] : [error];
      }),
    );

  it("price a book's spread from other lines of other books within 1.25 points", () => {
    const errors = errorsOf((own, others) => {
      const elsewhere = others.filter(({ spread }) => spread !== own.spread);
      if (elsewhere.length === 0) return undefined;
      const fitted = fitGame(spreadsOf(elsewhere), { sport: 'football' });
      return own.p - fitted.priceOf({ type: 'spread', side: 'home', line: own.spread }).fair;
    });
    expect(errors.length).toBeGreaterThan(600);
    expect(points(errors)).toBeLessThan(1.25);
  });

  it("price a book's moneyline from the spreads of others within 1.3 points", () => {
    const errors = errorsOf(({ moneyline }, others) => {
      if (moneyline === undefined || others.length === 0) return undefined;
      const fitted = fitGame(spreadsOf(others), { sport: 'football' });
      return moneyline - fitted.priceOf({ type: 'moneyline', side: 'home' }).fair;
    });
    expect(errors.length).toBeGreaterThan(700);
    expect(points(errors)).toBeLessThan(1.3);
  });
});
