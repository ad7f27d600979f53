// Fair prices of an event: margins removed, books averaged in log-odds, stale prices left out.
import { describe, expect, it } from 'vitest';
import type { DrawRule } from '../../src/domain/index.ts';
import { devig } from '../../src/pricing/index.ts';
import { expit, logit } from '../../src/domain/index.ts';
import { quotesOf } from '../../src/signals/book-quotes.ts';
import type { OddsFairPrices, FairSettings } from '../../src/signals/odds-fair.ts';
import { fairPrices } from '../../src/signals/odds-fair.ts';
import { readOdds } from '../../src/signals/odds-shape.ts';
import { book, event, NOW } from './odds.ts';

const SETTINGS: FairSettings = { method: 'shin', weights: {}, ttlMs: 120_000, everyMs: 30_000 };

function fair(
  books: readonly unknown[],
  settings: Partial<FairSettings> = {},
  draw: DrawRule = 'impossible',
): OddsFairPrices {
  const document = readOdds(JSON.stringify([event('Hawks', 'Owls', books)]));
  const [firstEvent] = typeof document === 'string' ? [] : document.events;
  if (firstEvent === undefined) throw new Error('no event');
  const all = { ...SETTINGS, ...settings };
  return fairPrices(quotesOf(firstEvent, all, NOW, NOW), draw, all, NOW);
}

const moneyline = (hawks: number, owls: number) => ({ h2h: { Hawks: hawks, Owls: owls } });
const shin = (...odds: readonly number[]): number => devig(odds, 'shin').probabilities[0] ?? 0;

describe('the price of a moneyline', () => {
  it('equals the price of its only book without the margin', () => {
    const { prices, left } = fair([book('a', moneyline(1.5, 2.74))]);
    expect(left).toEqual([]);
    expect(prices).toEqual([
      {
        type: 'moneyline',
        line: undefined,
        p: expect.closeTo(0.6508516, 7) as number,
        ts: NOW - 10_000,
        books: 1,
      },
    ]);
  });

  it('is a weighted average in log-odds, in which books without a weight do not count', () => {
    const books = [book('a', moneyline(1.5, 2.74)), book('b', moneyline(1.65, 2.35)), book('c', moneyline(1.01, 20))];
    const weights = { A: 3, b: 1, absent: 5 };
    const expected = (3 * logit(shin(1.5, 2.74)) + logit(shin(1.65, 2.35))) / 4;
    expect(fair(books, { weights }).prices).toMatchObject([
      { p: expect.closeTo(expit(expected), 12) as number, books: 2 },
    ]);
  });

  it('ignores one absurd book among three, and names it', () => {
    const honest = [book('a', moneyline(1.9, 1.95)), book('b', moneyline(1.92, 1.93))];
    const { prices, left } = fair([...honest, book('absurd', moneyline(50, 1.01))]);
    expect(prices).toEqual(fair(honest).prices);
    expect(left).toEqual([
      expect.stringMatching(/^moneyline: absurd 0\.0\d\d is left out: the median of 3 books is 0\.5\d\d$/),
    ]);
  });

  it('is absent when two books are over 10 points apart, and both books are named', () => {
    const { prices, left } = fair([book('a', moneyline(1.9, 1.95)), book('b', moneyline(4, 1.28))]);
    expect(prices).toEqual([]);
    expect(left).toEqual([expect.stringMatching(/no two books agree, and none is used: a 0\.5\d\d, b 0\.2\d\d$/)]);
  });

  it('counts a book that is listed twice, or has two markets of a line, once and by its newest price', () => {
    const [old, news] = [book('a', moneyline(1.5, 2.74), NOW - 20_000), book('A', moneyline(1.8, 2.1))];
    const other = book('b', moneyline(1.6, 2.5));
    const both = { ...news, markets: [...old.markets, ...news.markets] };
    const expected = {
      prices: fair([news, other]).prices,
      left: [expect.stringMatching(/^moneyline: [aA] has several/)],
    };
    expect(fair([news, other]).left).toEqual([]);
    for (const books of [
      [old, news, other],
      [news, other, old],
      [both, other],
    ])
      expect(fair(books)).toEqual(expected);
    // of two prices with the same time, the first counts
    expect(fair([book('a', moneyline(1.5, 2.74)), news]).prices).toEqual(
      fair([book('a', moneyline(1.5, 2.74))]).prices,
    );
  });

  it('removes a draw that returns the stakes, and is absent when a draw cannot be or loses both bets', () => {
    const drawn = [book('a', { h2h: { Hawks: 2.6, Owls: 4.3, Draw: 2.4 } })];
    expect(fair(drawn, {}, 'push').prices).toMatchObject([
      { p: expect.closeTo(0.3729941 / (0.3729941 + 0.2222265), 6) as number },
    ]);
    expect(fair(drawn, {}, 'impossible')).toMatchObject({
      prices: [],
      left: [expect.stringContaining('play continues') as string],
    });
    for (const books of [drawn, [book('a', moneyline(1.8, 2.1))]])
      expect(fair(books, {}, 'both-lose')).toMatchObject({
        prices: [],
        left: [expect.stringContaining('a draw loses both bets') as string],
      });
  });
});

it('fair prices name a spread by the line of the home team and a total by over, and keep each line apart', () => {
  const { prices, left } = fair([
    book('a', {
      spreads: [
        ['Owls', 1.91, 3.5],
        ['Hawks', 1.91, -3.5],
      ],
      totals: [
        ['Under', 2, 210.5],
        ['Over', 1.8, 210.5],
      ],
    }),
    book('b', {
      spreads: [
        ['Hawks', 1.8, -3],
        ['Owls', 2, 3],
      ],
    }),
  ]);
  expect(left).toEqual([]);
  expect(prices.map(({ type, line }) => [type, line])).toEqual([
    ['spread', -3.5],
    ['total', 210.5],
    ['spread', -3],
  ]);
  expect(prices.map(({ p }) => p)).toEqual(
    [0.5, shin(1.8, 2), shin(1.8, 2)].map((p) => expect.closeTo(p, 9) as number),
  );
});

it.each([
  [
    'sides of two lines',
    {
      spreads: [
        ['Hawks', 1.9, -3.5],
        ['Owls', 1.9, 4.5],
      ],
    },
    'two sides of one line',
  ],
  ['a third team', { h2h: { Hawks: 2, Bears: 1.9 } }, 'not the two teams'],
  [
    'an over without an under',
    {
      totals: [
        ['Over', 1.9, 3],
        ['Over', 1.9, 3],
      ],
    },
    'over and under',
  ],
  [
    'a line in tenths',
    {
      totals: [
        ['Over', 1.9, 3.1],
        ['Under', 1.9, 3.1],
      ],
    },
    'not in quarters',
  ],
  ['prices that give money away', { h2h: { Hawks: 2.5, Owls: 2.5 } }, 'do not add up'],
  ['prices that no bettor would take', { h2h: { Hawks: 1.1, Owls: 1.1 } }, 'do not add up'],
] as const)('%s give no fair price, and the reason is reported', (_name, lines, why) => {
  expect(fair([book('a', lines)])).toMatchObject({
    prices: [],
    left: [expect.stringContaining(why) as string],
  });
});

it('a fair price contains no quote past its time to live, nor one that expires before the next reading when fresher quotes exist', () => {
  const quote = (ageMs: number, odds: number) => book(`of ${ageMs}`, moneyline(odds, odds), NOW - ageMs);
  const ages = (...list: readonly number[]) => fair(list.map((ageMs) => quote(ageMs, 1.9))).prices[0];
  expect(ages(120_000)).toBeUndefined();
  expect(ages(119_000)).toMatchObject({ books: 1, ts: NOW - 119_000 });
  expect(ages(119_000, 60_000, 5000)).toMatchObject({ books: 2, ts: NOW - 60_000 });
  const { prices, left } = fair([quote(-5000, 1.9), quote(0, 1.9)]);
  expect(prices).toMatchObject([{ books: 1, ts: NOW }]);
  expect(left).toEqual([expect.stringContaining('which is to come')]);
});
