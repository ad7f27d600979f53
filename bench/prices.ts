// Prices of games: a fit of one game to eleven books, and the prices of one who holds bets in forty of its markets.
// Absolute times: a strategy has this much of them after each document of odds.
import type { FairQuote, GameModel, Holding } from '../src/pricing/index.ts';
import { fitGame, modelFor, tilt } from '../src/pricing/index.ts';
import type { Row } from './run.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const RUNS = 200;
const BOOKS = 11;
const MARKETS = 40;
const GAMMA = 0.0005;

const GAMES = {
  football: modelFor('football', { margin: 3.1, total: 44.5 }),
  basketball: modelFor('basketball', { margin: -4, total: 222 }),
  soccer: modelFor('soccer', { home: 1.6, away: 1.1 }),
  hockey: modelFor('hockey', { home: 3.2, away: 2.8 }),
  baseball: modelFor('baseball', { home: 4.7, away: 4.1 }),
} as const;

export function prices(): Promise<readonly Row[]> {
  const fits = Object.entries(GAMES).map(([sport, model]) => ({ sport, ...fitted(model) }));
  const slowest = fits.reduce((a, b) => (median(b.times) > median(a.times) ? b : a));
  const held = holdings();
  const tilts = timed(() => {
    const own = tilt(GAMES.basketball, held, GAMMA);
    for (const { line = 0, type } of held)
      if (type === 'spread') own.spread(line);
      else own.total(line);
  });
  return Promise.resolve([
    {
      what: `a fit of one game, ${BOOKS} books × 3 markets, ms`,
      ratios: slowest.times,
      goal: '<= 1',
      detail: `the slowest sport; ${fits.map(({ sport, times }) => `${sport} ${median(times).toFixed(2)}`).join(', ')}`,
    },
    {
      what: `the prices of one who holds bets in ${MARKETS} markets of a game, ms`,
      ratios: tilts,
      goal: '<= 0.3',
      detail: 'all scores weighed again, and each of the markets priced',
    },
  ]);
}

/** Fits the quotes of books that differ by a point, a third of them on another line. */
function fitted(model: GameModel): { readonly times: readonly number[] } {
  const { margin, total } = model.grid;
  const middle = ({ from, probabilities }: typeof margin): number =>
    Math.round(Array.from(probabilities).reduce((sum, p, index) => sum + p * (from + index), 0));
  const [spread, over] = [0.5 - middle(margin), middle(total) + 0.5];
  const quotes = Array.from({ length: BOOKS }, (_none, book): readonly FairQuote[] => {
    const other = book % 3 === 0 ? 1 : 0;
    const apart = ((book % 5) - 2) / 200;
    const name = `book ${book}`;
    return [
      { book: name, type: 'moneyline', side: 'home', probability: model.moneyline().fair + apart },
      {
        book: name,
        type: 'spread',
        side: 'home',
        line: spread + other,
        probability: model.spread(spread + other).fair - apart,
      },
      {
        book: name,
        type: 'total',
        side: 'over',
        line: over + other,
        probability: model.total(over + other).fair + apart,
      },
    ];
  }).flat();
  return { times: timed(() => fitGame(quotes, { sport: model.sport })) };
}

const holdings = (): readonly Holding[] =>
  Array.from({ length: MARKETS }, (_none, index): Holding => {
    const payout = 100 * ((index % 7) - 3);
    return index % 2 === 0
      ? { type: 'total', side: 'over', line: 202.5 + index, payout }
      : { type: 'spread', side: 'home', line: index - 16.5, payout };
  });

/** The median time of a run in each round, ms, once all is compiled. */
function timed(run: () => void): readonly number[] {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const times: number[] = [];
    for (let index = 0; index < RUNS; index++) {
      const began = performance.now();
      run();
      times.push(performance.now() - began);
    }
    if (round > 0) rounds.push(median(times));
  }
  return rounds;
}
