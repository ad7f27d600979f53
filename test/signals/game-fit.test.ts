// One model from the quotes of all books: what counts, what is named, and what gives no price.
import { describe, expect, it } from 'vitest';
import type { ModelSport } from '../../src/pricing/index.ts';
import { modelFor } from '../../src/pricing/index.ts';
import { quotesOf } from '../../src/signals/book-quotes.ts';
import type { FitContext } from '../../src/signals/game-fit.ts';
import { fitQuotes } from '../../src/signals/game-fit.ts';
import { readOdds } from '../../src/signals/odds-shape.ts';
import type { Lines } from './odds.ts';
import { book, event, NOW } from './odds.ts';

const CONTEXT: FitContext = {
  sport: 'football',
  known: {},
  state: undefined,
  before: undefined,
  near: undefined,
  trusted: new Set(),
  worthOf: () => 1,
  halfLifeMs: 60_000,
  now: NOW,
};

function fitOf(books: readonly unknown[], context: Partial<FitContext> = {}) {
  const document = readOdds(JSON.stringify([event('Hawks', 'Owls', books)]));
  if (typeof document === 'string') throw new Error(document);
  const [found] = document.events;
  if (found === undefined) throw new Error('no event');
  const { quotes, left } = quotesOf(found, { method: 'multiplicative', weights: {}, ttlMs: 120_000 }, NOW, NOW);
  const outcome = fitQuotes(quotes, { ...CONTEXT, ...context });
  return { ...outcome, left: [...left, ...outcome.left] };
}

/** The prices of a book without margin that agrees with a model. */
function linesOf(spread: number, total: number, sport: ModelSport = 'football'): Lines {
  const model = modelFor(sport, { margin: 3.1, total: 44.5 });
  const both = (p: number): readonly [number, number] => [1 / p, 1 / (1 - p)];
  const [home, away] = both(model.moneyline().fair);
  const [first, second] = both(model.spread(spread).fair);
  const [over, under] = both(model.total(total).fair);
  return {
    h2h: { Hawks: home, Owls: away },
    spreads: [
      ['Hawks', first, spread],
      ['Owls', second, 0 - spread],
    ],
    totals: [
      ['Over', over, total],
      ['Under', under, total],
    ],
  };
}

const market = (key: string, rows: readonly (readonly [name: string, price: number, point?: number])[]) => ({
  key,
  last_update: new Date(NOW).toISOString(),
  outcomes: rows.map(([name, price, point]) => ({ name, price, ...(point === undefined ? {} : { point }) })),
});

describe('books on different lines', () => {
  it('give one model, which prices lines that none of them quotes', () => {
    const { fit, left } = fitOf([
      book('a', linesOf(-3, 44.5)),
      book('b', linesOf(-2.5, 43)),
      book('c', linesOf(-4, 45)),
    ]);
    expect(left).toEqual([]);
    expect(fit).toMatchObject({ books: 3, gaps: [], ts: NOW - 10_000 });
    expect(fit?.fitted.parameters).toMatchObject({
      margin: expect.closeTo(3.1, 1) as number,
      total: expect.closeTo(44.5, 1) as number,
    });
    expect(fit?.fitted.priceOf({ type: 'spread', side: 'home', line: -7 }).fair).toBeCloseTo(
      modelFor('football', { margin: 3.1, total: 44.5 }).spread(-7).fair,
      2,
    );
  });

  it('count with their alternative lines and their periods, and name a line without its other side', () => {
    const half = modelFor('football', { margin: 3.1, total: 44.5 }).period('h1').spread(-1.5).fair;
    const alternates = {
      key: 'alts',
      markets: [
        market('alternate_spreads', [
          ['Hawks', 1 / modelFor('football', { margin: 3.1, total: 44.5 }).spread(-7).fair, -7],
          ['Owls', 1 / (1 - modelFor('football', { margin: 3.1, total: 44.5 }).spread(-7).fair), 7],
          ['Hawks', 3, -10],
        ]),
        market('spreads_h1', [
          ['Hawks', 1 / half, -1.5],
          ['Owls', 1 / (1 - half), 1.5],
        ]),
        market('player_points', [['Hawks', 2, 3]]),
      ],
    };
    const { fit, left } = fitOf([book('a', linesOf(-3, 44.5)), alternates]);
    expect(left).toEqual(['alts alternate_spreads: Hawks -10 has no other side']);
    expect(fit?.fitted.quotes.map(({ book: name, type, line, period }) => [name, type, line, period])).toEqual([
      ['a', 'moneyline', undefined, 'full'],
      ['a', 'spread', -3, 'full'],
      ['a', 'total', 44.5, 'full'],
      ['alts', 'spread', -7, 'full'],
      ['alts', 'spread', -1.5, 'h1'],
    ]);
  });
});

describe('a quote far from all others', () => {
  const honest = ['a', 'b', 'c', 'd'].map((name) => book(name, linesOf(-3, 44.5)));

  it('with its sign swapped is left out and named, and the others give the price', () => {
    const [, ...swapped] = Object.entries({ ...linesOf(-3, 44.5) });
    const lines = Object.fromEntries(swapped) as Lines;
    const wrong = {
      ...lines,
      spreads: [
        ['Hawks', 1.5, 7],
        ['Owls', 3, -7],
      ] as const,
    };
    const { fit, left } = fitOf([...honest, book('wrong', wrong)]);
    expect(left).toEqual([
      expect.stringMatching(/^wrong spread home 7 0\.667 is left out: all quotes together say 0\.8\d\d$/),
    ]);
    expect(fit?.gaps.map(({ book: name }) => name)).toEqual(['wrong']);
    expect(fit?.fitted.parameters).toMatchObject({ margin: expect.closeTo(3.1, 1) as number });
  });
});

describe('no price', () => {
  it.each<[string, readonly unknown[], Partial<FitContext>, RegExp]>([
    [
      'comes of two books that are 14 points apart',
      [
        book('a', linesOf(-7, 44.5)),
        book('b', {
          spreads: [
            ['Hawks', 1.91, 7],
            ['Owls', 1.91, -7],
          ],
        }),
      ].map((entry, index) =>
        index === 0
          ? book('a', {
              spreads: [
                ['Hawks', 1.91, -7],
                ['Owls', 1.91, 7],
              ],
            })
          : entry,
      ),
      {},
      /^quotes contradict each other, and none is used: a spread home -7 0\.500, b spread home 7 0\.500$/,
    ],
    ['comes of one book alone', [book('a', linesOf(-3, 44.5))], {}, /^a stands alone/],
    [
      'comes of crossed prices',
      [book('a', { h2h: { Hawks: 2.2, Owls: 2.2 } })],
      {},
      /^a h2h: inverses that do not add up/,
    ],
    [
      'comes of three prices where a game cannot end level',
      [book('a', { h2h: { Hawks: 2.5, Owls: 3, Draw: 3.6 } }), book('b', { h2h: { Hawks: 2.5, Owls: 3, Draw: 3.6 } })],
      { sport: 'basketball' },
      /^a h2h: three prices, but basketball has no draw$/,
    ],
    [
      'comes of two prices where a draw is an outcome of its own',
      [book('a', { h2h: { Hawks: 1.9, Owls: 1.9 } }), book('b', { h2h: { Hawks: 1.9, Owls: 1.9 } })],
      { sport: 'soccer' },
      /two prices, but a draw is an outcome of its own in soccer$/,
    ],
    ['comes without any quote', [], {}, /^there is no quote of the whole game$/],
  ])('%s, and the message names it', (_what, books, context, message) => {
    const { fit, left } = fitOf(books, context);
    expect(fit).toBeUndefined();
    expect(left).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  });

  it('is missing for one book that the configuration names', () => {
    expect(fitOf([book('a', linesOf(-3, 44.5))], { trusted: new Set(['a']) }).fit?.books).toBe(1);
  });
});

it('prices the sixty minutes of hockey from three prices, and the game from two', () => {
  const { fit, left } = fitOf(
    [
      book('a', {
        h2h: { Hawks: 1.9, Owls: 1.95 },
        totals: [
          ['Over', 1.95, 6],
          ['Under', 1.95, 6],
        ],
      }),
      {
        key: 'b',
        markets: [
          market('h2h_3_way', [
            ['Hawks', 2.4],
            ['Owls', 2.5],
            ['Draw', 4.2],
          ]),
        ],
      },
    ],
    { sport: 'hockey' },
  );
  expect(left).toEqual([]);
  expect(fit?.fitted.quotes.map(({ side, period }) => [side, period])).toEqual([
    ['home', 'full'],
    ['over', 'full'],
    ['home', 'reg'],
    ['away', 'reg'],
    ['draw', 'reg'],
  ]);
});

it('counts an old quote less than a new one', () => {
  const totals = (p: number): Lines => ({
    totals: [
      ['Over', 1 / p, 44.5],
      ['Under', 1 / (1 - p), 44.5],
    ],
  });
  const meanOf = (age: number): number => {
    const { fit } = fitOf([book('a', totals(0.5)), book('b', totals(0.53), NOW - age)]);
    return fit?.fitted.priceOf({ type: 'total', side: 'over', line: 44.5 }).fair ?? Number.NaN;
  };
  expect(meanOf(0)).toBeGreaterThan(meanOf(110_000) + 0.003);
});
