// What the odds feed sends of a fitted game: every market of it at the exchange, before the start and in play.
import { describe, expect, it } from 'vitest';
import type { DrawRule, Game, Market } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';
import type { GameScore } from '../../src/pricing/index.ts';
import { modelFor } from '../../src/pricing/index.ts';
import { quotesOf } from '../../src/signals/book-quotes.ts';
import { FeedModels } from '../../src/signals/feed-models.ts';
import { readOdds } from '../../src/signals/odds-shape.ts';
import { book, event, game, NOW, START } from './odds.ts';

const NFL = { league: 'NFL', sport: 'football' };
const PARAMETERS = { margin: 3.1, total: 44.5 };
const MODEL = modelFor('football', PARAMETERS);
const HOME = game('Hawks', 'Owls', NFL);

/** A book that agrees with the model, home and away as the feed has them. */
function bookOf(name: string, model = MODEL, updated = NOW - 10_000) {
  const both = (p: number): readonly [number, number] => [1 / p, 1 / (1 - p)];
  const [first, second] = both(model.spread(-3.5).fair);
  const [over, under] = both(model.total(44.5).fair);
  const [home, away] = both(model.moneyline().fair);
  return book(
    name,
    {
      h2h: { Hawks: home, Owls: away },
      spreads: [
        ['Hawks', first, -3.5],
        ['Owls', second, 3.5],
      ],
      totals: [
        ['Over', over, 44.5],
        ['Under', under, 44.5],
      ],
    },
    updated,
  );
}

type Parts = {
  readonly sport?: string | undefined;
  readonly draw?: DrawRule;
  readonly markets?: readonly { readonly market: Market; readonly game: Game }[];
  readonly consensus?: readonly { readonly market: Market; readonly p: number }[];
  readonly exchangeWeight?: number;
};

function models({ sport = 'football', draw = 'push', markets = [], consensus = [], exchangeWeight = 0 }: Parts = {}) {
  const state: { score: GameScore | undefined } = { score: undefined };
  const fitted = new FeedModels(
    { method: 'multiplicative', weights: {}, ttlMs: 120_000, everyMs: 30_000, exchangeWeight, deviations: {} },
    {
      sportOf: () => sport,
      drawOf: () => draw,
      marketsOf: () => markets,
      consensusIn: () => consensus,
      scoreOf: () => state.score,
    },
  );
  const price = (books: readonly unknown[], { listed = HOME, isTurned = false, now = NOW } = {}) => {
    const document = readOdds(JSON.stringify([event('Hawks', 'Owls', books, { sport_key: 'americanfootball_nfl' })]));
    if (typeof document === 'string') throw new Error(document);
    const [found] = document.events;
    if (found === undefined) throw new Error('no event');
    const quoted = quotesOf(found, { method: 'multiplicative', weights: {}, ttlMs: 120_000 }, now, now);
    const { signals, ...rest } = fitted.price({ event: found, game: listed, isTurned }, quoted, now);
    return { ...rest, values: Object.fromEntries([...signals].map(([name, { p }]) => [name, p])) };
  };
  return { price, state };
}

const marketsOf = (listed: Game, ...lines: readonly (readonly ['moneyline' | 'spread' | 'total', number?])[]) =>
  lines.map(([type, line]) => ({ market: market(listed.id, type, line), game: listed }));

describe('a game before its start', () => {
  const half = game('Hawks H1', 'Owls', { ...NFL, kind: 'child', period: 'h1', parentGameId: HOME.id });
  const markets = [
    ...marketsOf(HOME, ['moneyline'], ['spread', -3.5], ['spread', -10], ['total', 44.5], ['total', 51]),
    ...marketsOf(half, ['spread', -2.5], ['total', 20.5]),
  ];

  it('has a price and an error for every market of it and its periods, and the parameters of its model', () => {
    const { values, left, gaps } = models({ markets }).price([bookOf('a'), bookOf('b')]);
    expect([left, gaps]).toEqual([[], []]);
    expect(values[`model:${HOME.id}:margin`]).toBeCloseTo(3.1, 1);
    expect(values[`model:${HOME.id}:total`]).toBeCloseTo(44.5, 1);
    for (const {
      market: { id, type, line = 0 },
      game: { period },
    } of markets) {
      const part = period === 'h1' ? MODEL.period('h1') : MODEL;
      const fair = type === 'moneyline' ? part.moneyline() : type === 'spread' ? part.spread(line) : part.total(line);
      expect([id, values[`model:${id}`]]).toEqual([id, expect.closeTo(fair.fair, 2)]);
      expect(values[`model:${id}:error`]).toBeGreaterThan(0);
      expect(values[`model:${id}:error`]).toBeLessThan(0.03);
    }
  });

  it('is priced for the exchange’s home team where the feed has the teams the other way round', () => {
    const turned = game('Owls', 'Hawks', NFL);
    const { values } = models({ markets: marketsOf(turned, ['moneyline'], ['spread', 3.5], ['total', 44.5]) }).price(
      [bookOf('a'), bookOf('b')],
      { listed: turned, isTurned: true },
    );
    expect(values[`model:${turned.id}:margin`]).toBeCloseTo(-3.1, 1);
    expect(values[`model:${turned.id}/moneyline`]).toBeCloseTo(1 - MODEL.moneyline().fair, 2);
    expect(values[`model:${turned.id}/spread/3.5`]).toBeCloseTo(1 - MODEL.spread(-3.5).fair, 2);
    expect(values[`model:${turned.id}/total/44.5`]).toBeCloseTo(MODEL.total(44.5).fair, 2);
  });

  it('has no price of a moneyline whose sides a draw loses both, and says so', () => {
    const { values, left } = models({ markets, draw: 'both-lose' }).price([bookOf('a'), bookOf('b')]);
    expect(values[`model:${HOME.id}/moneyline`]).toBeUndefined();
    expect(values[`model:${HOME.id}/spread/-3.5`]).toBeDefined();
    expect(left).toEqual(['moneyline: a draw loses both bets, so that its two sides have no price in common']);
  });

  const books = [bookOf('a'), bookOf('b'), bookOf('c')];
  const withOwn = (p: number) =>
    models({ markets, consensus: [{ market: market(HOME.id, 'spread', -3.5), p }], exchangeWeight: 1 }).price(books);

  it('follows the exchange’s own book by its weight', () => {
    const id = `model:${HOME.id}/spread/-3.5`;
    const alone = models({ markets }).price(books).values[id] ?? 1;
    const { values, gaps } = withOwn(alone + 0.02);
    expect(gaps).toEqual([]);
    expect(values[id]).toBeGreaterThan(alone + 0.001);
    expect(values[id]).toBeLessThan(alone + 0.01);
  });

  it('names a quote that is far from all others', () => {
    expect(withOwn(0.56).gaps).toEqual([
      {
        key: 'Owls-Hawks exchange spread',
        text: expect.stringMatching(
          /^Owls @ Hawks: exchange spread home -3\.5 0\.560, where all quotes say 0\.4\d\d$/,
        ) as string,
      },
    ]);
  });

  it('of a sport without a model has none, and the message says what to set', () => {
    const { values, left } = models({ sport: 'cricket' }).price([bookOf('a'), bookOf('b')]);
    expect(values).toEqual({});
    expect(left).toEqual(['cricket has no model: set signals.odds.deviations for it, or price it by lines']);
  });
});

describe('a game in play', () => {
  const live = { ...HOME, live: true, start: START };
  const markets = marketsOf(live, ['moneyline'], ['spread', -3.5], ['total', 44.5]);
  const now = START + 3_600_000;

  it('has no price without a fresh score, and names the signals that it needs', () => {
    const { values, left } = models({ markets }).price([bookOf('a', MODEL, now)], { listed: live, now });
    expect(values).toEqual({});
    expect(left).toEqual([`it is in play, and there is no fresh score: signals lead:${HOME.id} and clock:${HOME.id}`]);
  });

  it('goes on from its closing prices by the score alone, and has a price of its total with both scores', () => {
    const game = models({ markets });
    game.price([bookOf('a'), bookOf('b')]);
    game.state.score = { lead: 7, clock: 0.5 };
    const { values } = game.price([], { listed: live, now });
    const model = modelFor('football', PARAMETERS, { lead: 7, clock: 0.5 });
    expect(values[`model:${live.id}/moneyline`]).toBeCloseTo(model.moneyline().fair, 2);
    expect(values[`model:${live.id}/total/44.5`]).toBeUndefined();
    game.state.score = { lead: 7, clock: 0.5, scored: 21 };
    expect(game.price([], { listed: live, now }).values[`model:${live.id}/total/44.5`]).toBeCloseTo(
      modelFor('football', PARAMETERS, { lead: 7, clock: 0.5, scored: 21 }).total(44.5).fair,
      2,
    );
  });

  it('ignores quotes that are older than the lead', () => {
    const game = models({ markets });
    game.price([bookOf('a'), bookOf('b')]);
    game.state.score = { lead: 0, clock: 0.6 };
    game.price([bookOf('a', MODEL, now), bookOf('b', MODEL, now)], { listed: live, now });
    game.state.score = { lead: 7, clock: 0.5 };
    const { values } = game.price([bookOf('a', MODEL, now), bookOf('b', MODEL, now)], {
      listed: live,
      now: now + 1000,
    });
    expect(values[`model:${live.id}/moneyline`]).toBeCloseTo(
      modelFor('football', PARAMETERS, { lead: 7, clock: 0.5 }).moneyline().fair,
      2,
    );
  });
});
