// Prices of games: a fit of one game to eleven books, the games of an evening through the odds feed, and the prices
// of one who holds bets in forty markets of a game.
// Absolute times: a strategy has this much of them after each document of odds.
import type { FairQuote, GameModel, Holding } from '../src/pricing/index.ts';
import { fitGame, modelFor, tilt } from '../src/pricing/index.ts';
import { quotesOf as bookQuotesOf } from '../src/signals/book-quotes.ts';
import { FeedModels } from '../src/signals/feed-models.ts';
import type { OddsBook } from '../src/signals/odds-event.ts';
import type { Game, GameId, ParticipantId } from '../src/domain/index.ts';
import { market } from '../src/domain/index.ts';
import type { Row } from './run.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const RUNS = 200;
const BOOKS = 11;
const MARKETS = 40;
const EVENING = 20;
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
      what: `${EVENING} games re-priced after a document of odds, ms`,
      ratios: evening(),
      goal: '<= 30',
      detail: `football, ${BOOKS} books × 3 markets, 40 lines a game with their errors`,
    },
    {
      what: `the prices of one who holds bets in ${MARKETS} markets of a game, ms`,
      ratios: tilts,
      goal: '<= 0.3',
      detail: 'all scores weighed again, and each of the markets priced',
    },
  ]);
}

/** What eleven books say of a game: they differ by a point, a third of them are on another line. */
function quotesOf(model: GameModel): readonly FairQuote[] {
  const { margin, total } = model.grid;
  const middle = ({ from, probabilities }: typeof margin): number =>
    Math.round(Array.from(probabilities).reduce((sum, p, index) => sum + p * (from + index), 0));
  const [spread, over] = [0.5 - middle(margin), middle(total) + 0.5];
  return Array.from({ length: BOOKS }, (_none, index): readonly FairQuote[] => {
    const other = index % 3 === 0 ? 1 : 0;
    const apart = ((index % 5) - 2) / 200;
    const book = `book ${index}`;
    const [own, sum] = [spread + other, over + other];
    return [
      { book, type: 'moneyline', side: 'home', probability: model.moneyline().fair + apart },
      { book, type: 'spread', side: 'home', line: own, probability: model.spread(own).fair - apart },
      { book, type: 'total', side: 'over', line: sum, probability: model.total(sum).fair + apart },
    ];
  }).flat();
}

function fitted(model: GameModel): { readonly times: readonly number[] } {
  const quotes = quotesOf(model);
  return { times: timed(() => fitGame(quotes, { sport: model.sport })) };
}

/** An odds feed prices every market of the games of an evening. */
function evening(): readonly number[] {
  const now = Date.UTC(2026, 0, 1);
  const game = (index: number): Game => {
    const team = (name: string) => ({ id: name as ParticipantId, name, shortName: name });
    return {
      ...{ id: `g${index}` as GameId, parentGameId: undefined, kind: 'game', period: 'full', league: 'NFL' },
      ...{ sport: 'football', eventName: `game ${index}`, start: now + 3_600_000, live: false, ended: false },
      ...{ open: true, futures: false, home: team(`h${index}`), away: team(`a${index}`) },
      ...{ mainHomeSpread: undefined, mainTotal: undefined },
    };
  };
  const matches = Array.from({ length: EVENING }, (_none, index) => {
    const model = modelFor('football', { margin: index - 8, total: 40 + index / 2 });
    const books = [...Map.groupBy(quotesOf(model), ({ book }) => book)].map(([key, quotes]): OddsBook => ({
      key,
      title: key,
      markets: quotes.map(({ type, line, probability }) => {
        const points = type === 'spread' ? [line, 0 - (line ?? 0)] : [line, line];
        const names = type === 'total' ? ['Over', 'Under'] : ['home', 'away'];
        const decimals = [0.96 / probability, 0.96 / (1 - probability)];
        const outcomes = names.map((name, side) => ({ name, decimal: decimals[side] ?? 2, point: points[side] }));
        return { key: type, type, period: 'full', isAlternate: false, updated: now - 1000 * index, outcomes };
      }),
    }));
    const event = { id: `e${index}`, sport: 'americanfootball_nfl', start: now, home: 'home', away: 'away', books };
    return { event, game: game(index), isTurned: false };
  });
  const settings = { method: 'shin', weights: {}, ttlMs: 120_000, everyMs: 30_000 } as const;
  const models = new FeedModels(
    { ...settings, exchangeWeight: 0, deviations: {} },
    {
      sportOf: () => 'football',
      drawOf: () => 'push',
      marketsOf: (id) =>
        Array.from({ length: 40 }, (_none, index) => ({
          market: index % 2 === 0 ? market(id, 'spread', index / 2 - 9.5) : market(id, 'total', 34.5 + index / 2),
          game: game(0),
        })),
      consensusIn: () => [],
      scoreOf: () => undefined,
    },
  );
  return timed(() => {
    for (const match of matches) models.price(match, bookQuotesOf(match.event, settings, now, now), now);
  }, 10);
}

const holdings = (): readonly Holding[] =>
  Array.from({ length: MARKETS }, (_none, index): Holding => {
    const payout = 100 * ((index % 7) - 3);
    return index % 2 === 0
      ? { type: 'total', side: 'over', line: 202.5 + index, payout }
      : { type: 'spread', side: 'home', line: index - 16.5, payout };
  });

/** The median time of a run in each round, ms, once all is compiled. */
function timed(run: () => void, runs = RUNS): readonly number[] {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const times: number[] = [];
    for (let index = 0; index < runs; index++) {
      const began = performance.now();
      run();
      times.push(performance.now() - began);
    }
    if (round > 0) rounds.push(median(times));
  }
  return rounds;
}
