// Games fitted to quotes: what is found again, what is left out, how sure it is.
import { describe, expect, it } from 'vitest';
import type { Bet, FairQuote, GameModel, ModelSport, ParametersOf } from 'oddsmaker/pricing';
import { fitGame, modelFor } from 'oddsmaker/pricing';

type Line = Omit<FairQuote, 'book' | 'probability'>;

function fairOf(model: GameModel, { type, side, line = 0 }: Bet): number {
  if (type === 'moneyline') return model.moneyline(side as 'home').fair;
  const { fair } = type === 'spread' ? model.spread(line) : model.total(line);
  return side === 'home' || side === 'over' ? fair : 1 - fair;
}

/** Quotes of books that agree up to `scatter`, on the lines of `lines`. */
const quotesOf = (model: GameModel, lines: readonly Line[], books: number, scatter: number): readonly FairQuote[] =>
  Array.from({ length: books }, (_none, book) =>
    lines.map((line, index) => ({
      ...line,
      book: `book ${book}`,
      probability: fairOf(model, line) + (((book * 7 + index * 3) % 5) - 2) * scatter,
    })),
  ).flat();

const GAMES: readonly {
  readonly sport: ModelSport;
  readonly parameters: ParametersOf[ModelSport];
  readonly lines: readonly Line[];
}[] = [
  {
    sport: 'football',
    parameters: { margin: 3.1, total: 44.5 },
    lines: [
      { type: 'moneyline', side: 'home' },
      { type: 'spread', side: 'home', line: -3 },
      { type: 'spread', side: 'away', line: -3.5 },
      { type: 'total', side: 'under', line: 44.5 },
    ],
  },
  {
    sport: 'basketball',
    parameters: { margin: -4, total: 222 },
    lines: [
      { type: 'moneyline', side: 'home' },
      { type: 'spread', side: 'home', line: 4 },
      { type: 'total', side: 'over', line: 221.5 },
    ],
  },
  {
    sport: 'soccer',
    parameters: { home: 1.6, away: 1.1, rho: -0.1 },
    lines: [
      { type: 'moneyline', side: 'home' },
      { type: 'moneyline', side: 'draw' },
      { type: 'moneyline', side: 'away' },
      { type: 'total', side: 'over', line: 2.5 },
    ],
  },
  {
    sport: 'hockey',
    parameters: { home: 3.2, away: 2.8, emptyNet: 0.25 },
    lines: [
      { type: 'moneyline', side: 'home' },
      { type: 'spread', side: 'home', line: -1.5 },
      { type: 'total', side: 'over', line: 6.5 },
    ],
  },
  {
    sport: 'baseball',
    parameters: { home: 4.7, away: 4.1 },
    lines: [
      { type: 'moneyline', side: 'home' },
      { type: 'spread', side: 'home', line: -1.5 },
      { type: 'total', side: 'over', line: 8.5 },
    ],
  },
  {
    sport: 'tennis',
    parameters: { serve: 0.66, return: 0.38, bestOf: 3 },
    lines: [
      { type: 'moneyline', side: 'home' },
      { type: 'spread', side: 'home', line: -2.5 },
      { type: 'total', side: 'over', line: 22.5 },
    ],
  },
];

describe.each(GAMES)('a game of $sport', ({ sport, parameters, lines }) => {
  const known = sport === 'tennis' ? { known: { bestOf: 3 as const } } : {};
  const fit = (quotes: readonly FairQuote[]) => fitGame(quotes, { sport, ...known });
  const model = modelFor(sport, parameters);

  it('is found again from the quotes of eleven books', () => {
    const fitted = fit(quotesOf(model, lines, 11, 0.002));
    for (const line of lines) expect(fitted.priceOf(line).fair).toBeCloseTo(fairOf(model, line), 2);
    expect(fitted.quotes.every(({ outlier }) => !outlier)).toBe(true);
    for (const { residual, probability, fair } of fitted.quotes) expect(residual).toBeCloseTo(probability - fair, 12);
    for (const [name, value] of Object.entries(fitted.errors)) {
      expect([name, value > 0 && Number.isFinite(value)]).toEqual([name, true]);
    }
  });

  it('does not follow one absurd book, and marks it', () => {
    const quotes = quotesOf(model, lines, 7, 0.002);
    const [wrong] = quotes;
    if (wrong === undefined) throw new Error('no quote');
    const absurd = { ...wrong, book: 'absurd', probability: wrong.probability > 0.5 ? 0.2 : 0.85 };
    const fitted = fit([...quotes, absurd]);
    expect(fitted.quotes.filter(({ outlier }) => outlier).map(({ book }) => book)).toEqual(['absurd']);
    expect(fitted.priceOf(wrong).fair).toBeCloseTo(fairOf(model, wrong), 2);
  });

  it('is surer with more books', () => {
    const errorOf = (books: number): number => {
      const [line] = lines;
      if (line === undefined) throw new Error('no line');
      return fit(quotesOf(model, lines, books, 0.004)).errorOf(line);
    };
    expect(errorOf(12)).toBeLessThan(errorOf(2));
    expect(errorOf(2)).toBeLessThan(0.05);
  });
});

it('finds the goals behind four prices of a soccer game', () => {
  const quote = (type: FairQuote['type'], side: FairQuote['side'], probability: number, line?: number): FairQuote => ({
    book: 'close',
    type,
    side,
    probability,
    ...(line !== undefined && { line }),
  });
  const { parameters } = fitGame(
    [
      quote('moneyline', 'home', 0.5),
      quote('moneyline', 'draw', 0.26),
      quote('moneyline', 'away', 0.24),
      quote('total', 'over', 0.52, 2.5),
    ],
    { sport: 'soccer' },
  );
  expect(parameters.home).toBeCloseTo(1.66656, 4);
  expect(parameters.away).toBeCloseTo(1.08947, 4);
  expect(parameters.rho).toBeCloseTo(-0.07305, 3);
});

it('prices a line that no book quotes, less surely the further it is', () => {
  const fitted = fitGame(
    ['a', 'b', 'c'].map((book) => ({ book, type: 'spread', side: 'home', line: -3, probability: 0.5 })),
    { sport: 'football' },
  );
  const bet = (line: number): Bet => ({ type: 'spread', side: 'home', line });
  expect(fitted.priceOf(bet(-3.5)).fair).toBeCloseTo(0.4544, 3);
  expect(fitted.priceOf({ type: 'spread', side: 'away', line: -3.5 }).fair).toBeCloseTo(1 - 0.4544, 3);
  expect(fitted.errorOf(bet(-14))).toBeGreaterThan(fitted.errorOf(bet(-3)) * 0.9);
  // nothing is known of the total
  expect(fitted.errorOf({ type: 'total', side: 'over', line: 44.5 })).toBeGreaterThan(0.2);
});

describe('a quote of a period', () => {
  const whole = [
    { book: 'a', type: 'spread', side: 'home', line: -3, probability: 0.5 },
    { book: 'a', type: 'total', side: 'over', line: 44.5, probability: 0.5 },
  ] as const;
  const half = (line: number): Bet => ({ type: 'spread', side: 'home', line, period: 'h1' });
  const quoted = (book: string, probability: number): FairQuote => ({ book, ...half(-1.5), probability });

  it('moves the prices of that period towards it, and no others', () => {
    const alone = fitGame(whole, { sport: 'football' });
    const both = fitGame([...whole, quoted('a', 0.54), quoted('b', 0.54)], { sport: 'football' });
    const before = alone.priceOf(half(-1.5)).fair;
    expect(before).toBeCloseTo(0.5, 1);
    expect(both.priceOf(half(-1.5)).fair).toBeGreaterThan(before + 0.015);
    expect(both.priceOf(half(-1.5)).fair).toBeLessThan(0.541);
    expect(both.priceOf(half(-2.5)).fair).toBeGreaterThan(alone.priceOf(half(-2.5)).fair);
    expect(both.errorOf(half(-1.5))).toBeLessThan(0.03);
    expect(both.parameters).toEqual(alone.parameters);
    expect(both.priceOf({ ...half(-0.5), period: 'q1' })).toEqual(alone.priceOf({ ...half(-0.5), period: 'q1' }));
  });

  it('that is absurd does not move them by more than a period may differ from its share', () => {
    const fitted = fitGame([...whole, quoted('a', 0.9)], { sport: 'football' });
    expect(fitted.quotes.at(-1)?.residual).toBeGreaterThan(0.2);
    expect(fitted.priceOf({ type: 'spread', side: 'home', line: -3 }).fair).toBeCloseTo(0.5, 3);
  });
});

it('goes on from an earlier fit where there is no quote, and moves away from it with quotes', () => {
  const spread = (probability: number): FairQuote => ({
    book: 'a',
    type: 'spread',
    side: 'home',
    line: -3,
    probability,
  });
  const closing = fitGame([spread(0.5), { ...spread(0.5), book: 'b' }], { sport: 'football' });
  const lateOf = (quotes: readonly FairQuote[]) =>
    fitGame(quotes, { sport: 'football', before: closing, lead: 7, clock: 0.5 });
  const model = modelFor('football', closing.parameters, { lead: 7, clock: 0.5 });
  expect(lateOf([]).priceOf(spread(0)).fair).toBeCloseTo(model.spread(-3).fair, 3);
  expect(lateOf([spread(0.74), { ...spread(0.74), book: 'b' }]).priceOf(spread(0)).fair).toBeGreaterThan(
    model.spread(-3).fair + 0.02,
  );
});

it('prices a moneyline under another rule of a draw', () => {
  const fitted = fitGame([{ book: 'a', type: 'spread', side: 'home', line: -3, probability: 0.5 }], {
    sport: 'football',
  });
  const bet = { type: 'moneyline', side: 'home' } as const;
  const { win, push } = fitted.priceOf(bet);
  expect(push).toBeGreaterThan(0);
  expect(fitted.priceOf(bet, 'both-lose').fair).toBeCloseTo(win, 9);
});

const GOOD: FairQuote = { book: 'a', type: 'spread', side: 'home', line: -3, probability: 0.5 };
it.each([
  ['no quote', [], /at least one quote/],
  ['a period alone', [{ ...GOOD, period: 'h1' as const }], /at least one quote of the whole game/],
  ['a probability of 1', [{ ...GOOD, probability: 1 }], /quote 1, a spread home -3: expected a probability/],
  ['NaN', [GOOD, { ...GOOD, probability: Number.NaN }], /quote 2, a spread home -3: expected a probability/],
  [
    'a spread without a line',
    [{ book: 'a', type: 'spread' as const, side: 'home' as const, probability: 0.5 }],
    /line/,
  ],
  ['a total of home', [{ ...GOOD, type: 'total' as const }], /one of its sides/],
  ['a negative weight', [{ ...GOOD, weight: -1 }], /expected a weight/],
])('refuses %s and names the quote', (_what, quotes, message) => {
  expect(() => fitGame(quotes, { sport: 'football' })).toThrow(message);
});
