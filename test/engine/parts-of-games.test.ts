// Child games, props and futures: how they are found, which are quoted, and what they may lose together with
// their game. A configuration without them reads nothing of them and quotes nothing in them.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Command, GameId, Period } from '../../src/domain/index.ts';
import { microsOfDollars } from '../../src/domain/index.ts';
import type { PartSelection } from '../../src/engine/index.ts';
import type { MarketView } from '../../src/strategy/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import twoSided from '../../strategies/two-sided.ts';
import {
  alertsIn,
  AWAY,
  CoreDriver,
  coreSettings,
  GAME_ID,
  gameEntry,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

type Fields = Readonly<Record<string, unknown>>;

const entry = (id: string, fields: Fields = {}): unknown =>
  gameEntry(
    HOME.map((row) => ({ ...row, id: `${id}-${row.id}` })),
    AWAY.map((row) => ({ ...row, id: `${id}-${row.id}` })),
    { id, ...fields },
  );
const child = (id: string, periodName: string | undefined, fields: Fields = {}): unknown =>
  entry(id, { parentGameID: 'game-1', periodName, ...fields });

const WHOLE: PartSelection = { periods: ['full'], props: false, futures: false };
const selecting = (...periods: readonly Period[]): PartSelection => ({ ...WHOLE, periods });

type Options = {
  readonly parts?: PartSelection | undefined;
  readonly leagues?: readonly string[];
  readonly games?: 'all' | readonly GameId[];
  readonly maxGameLoss?: number;
};

function driverFor({ parts, leagues = ['NBA'], games = 'all', maxGameLoss = 2000 }: Options): CoreDriver {
  const settings = coreSettings({ markets: { leagues, games, ...(parts === undefined ? {} : { parts }) } });
  const { orders } = settings;
  return new CoreDriver({
    ...settings,
    orders: { ...orders, risk: { ...orders.risk, maxGameLoss: microsOfDollars(maxGameLoss) } },
  });
}

/**
 * The exchange's games: those that its league books list, and those that the book of each game lists beside
 * it.
 */
type Listed = {
  readonly leagues?: Readonly<Record<string, readonly unknown[]>>;
  readonly games?: Readonly<Record<string, { readonly childGames?: unknown; readonly propGames?: unknown }>>;
};

const answered = new WeakMap<CoreDriver, Set<number>>();

/** Answers every read of books for a while. */
function serve(driver: CoreDriver, { leagues = { NBA: [entry('game-1')] }, games = {} }: Listed): void {
  const asked = answered.get(driver) ?? new Set<number>();
  answered.set(driver, asked);
  const inBooks = Object.values(leagues).flat() as readonly { readonly id: string }[];
  const all = (): readonly { readonly id: string }[] => [
    ...inBooks,
    ...Object.values(games).flatMap(({ childGames = [], propGames = [] }) => [
      ...(childGames as readonly { readonly id: string }[]),
      ...(propGames as readonly { readonly id: string }[]),
    ]),
  ];
  for (let round = 0; round < 16; round++) {
    for (const { req, read } of readsIn(driver.sent)) {
      if (asked.has(req) || (read.what !== 'league' && read.what !== 'game')) continue;
      asked.add(req);
      if (read.what === 'league')
        driver.reply(req, {
          data: { games: leagues[read.league] ?? [], pagination: { hasNextPage: false } },
        });
      else {
        const game = all().find(({ id }) => id === read.gameId);
        const body = { data: { game, childGames: [], propGames: [], ...games[read.gameId] } };
        driver.reply(req, game === undefined ? {} : body, game === undefined ? 400 : 200);
      }
    }
    driver.passTime(250);
  }
}

function connect(driver: CoreDriver): void {
  driver.input({ type: 'boot', run: 'run' });
  driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
  driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
  driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
  driver.permits('cancel', 30);
  driver.permits('place', 25);
}

function started(options: Options, listed: Listed = {}): CoreDriver {
  const driver = driverFor(options);
  connect(driver);
  serve(driver, listed);
  return driver;
}

const quoted = (commands: readonly Command[]): readonly string[] =>
  [...new Set(placesIn(commands).flatMap(({ orders }) => orders.map(({ market }) => market.gameId)))].sort();
/** Games with a market that is quoted now. */
const quotedNow = ({ core }: CoreDriver): readonly string[] =>
  core
    .markets()
    .filter(({ quoted: isQuoted }) => isQuoted)
    .map(({ gameId }) => gameId)
    .sort();
const gamesRead = ({ sent }: CoreDriver): readonly string[] =>
  readsIn(sent).flatMap(({ read }) => (read.what === 'game' ? [read.gameId] : []));
const feed = (driver: CoreDriver, game: unknown): void =>
  void driver.input({
    type: 'frame',
    feed: 'prices',
    epoch: 1,
    event: 'gameUpdate',
    data: JSON.stringify(game),
  });

const LISTED: Listed = {
  games: {
    'game-1': {
      childGames: [child('half', '1st Half'), child('quarter', 'Q1'), child('odd', 'Overtime')],
      propGames: [child('points', 'Full Time', { isSpecials: true, eventName: 'Alder (POINTS)' })],
    },
  },
};

describe('the book of a game', () => {
  it('is read once for its parts when parts are selected, and the selected parts are quoted', () => {
    const driver = started({ parts: selecting('full', 'h1') }, LISTED);
    expect(gamesRead(driver).filter((id) => id === 'game-1')).toHaveLength(1);
    expect(quoted(driver.sent)).toEqual(['game-1', 'half']);
    expect([...driver.core.games()].map(({ id, kind, period }) => [id, kind, period])).toEqual([
      ['game-1', 'game', 'full'],
      ['half', 'child', 'h1'],
    ]);
  });

  it.each<[string, PartSelection, readonly string[]]>([
    ['props alone', { periods: [], props: true, futures: false }, ['points']],
    ['a quarter and props', { periods: ['q1'], props: true, futures: false }, ['points', 'quarter']],
    [
      'everything',
      { periods: ['full', 'h1', 'q1'], props: true, futures: true },
      ['game-1', 'half', 'points', 'quarter'],
    ],
  ])('brings the selected parts: %s', (_name, parts, games) => {
    expect(quoted(started({ parts }, LISTED).sent)).toEqual(games);
  });

  it('is not read when only whole games are quoted', () => {
    const driver = started({ parts: WHOLE }, LISTED);
    expect(gamesRead(driver)).toEqual([]);
    expect(quoted(driver.sent)).toEqual(['game-1']);
  });

  it('reports a child game of an unknown period once, and leaves it out', () => {
    const driver = started({ parts: selecting('full', 'h1') }, LISTED);
    expect(alertsIn(driver.sent, 'PERIOD_UNKNOWN').map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ gameId: 'odd', parentGameId: 'game-1', period: 'Overtime' }),
    ]);
    expect(alertsIn(started({ parts: WHOLE }, LISTED).sent, 'PERIOD_UNKNOWN')).toEqual([]);
  });

  it('applies frames of a part that came before the part was known', () => {
    const driver = driverFor({ parts: selecting('h1'), games: [GAME_ID] });
    connect(driver);
    const [league] = readsIn(driver.sent).filter(({ read }) => read.what === 'league');
    driver.reply(league?.req ?? 0, { data: { games: [entry('game-1')], pagination: { hasNextPage: false } } });
    const [book] = readsIn(driver.sent).filter(({ read }) => read.what === 'game');
    driver.now += 10;
    // newer than the rows of the read
    driver.frame('p-home', [{ id: 'new', odds: 120, risk: 100 }], { gameID: 'half' });
    driver.reply(book?.req ?? 0, { data: { game: entry('game-1'), childGames: [child('half', '1H')] } });
    driver.passTime(500);
    const [first] = driver.core.ladder('half/moneyline' as never) ?? [];
    expect(first).toMatchObject([{ odds: 120, offers: 1 }]);
  });
});

describe('a part of a game', () => {
  it('is found in the book of a league and on the feed', () => {
    const leagues = { NBA: [entry('game-1'), child('half', '1st Half')] };
    const driver = started({ parts: selecting('full', 'h1', 'h2') }, { leagues });
    expect(quoted(driver.sent)).toEqual(['game-1', 'half']);
    feed(driver, child('second', '2nd Half'));
    driver.passTime(500);
    expect(quoted(driver.sent)).toEqual(['game-1', 'half', 'second']);
  });

  it('is looked up in the book of its game when the feed announces it without its period', () => {
    const driver = started({ parts: selecting('full', 'h1') });
    feed(driver, child('half', undefined));
    driver.passTime(500);
    expect(quoted(driver.sent)).toEqual(['game-1']);
    serve(driver, { games: { 'game-1': { childGames: [child('half', '1st Half')] } } });
    expect(quoted(driver.sent)).toEqual(['game-1', 'half']);
  });

  it('is selected with its game when it is in another league', () => {
    const games = { 'game-1': { propGames: [child('points', undefined, { league: 'NBA-PROPS' })] } };
    const driver = started({ parts: { ...WHOLE, props: true } }, { games });
    expect(quoted(driver.sent)).toEqual(['game-1', 'points']);
  });

  it('is a prop when it is listed in a league of props', () => {
    const leagues = {
      NBA: [entry('game-1')],
      'NBA-PROPS': [child('points', undefined, { league: 'NBA-PROPS' })],
    };
    const options = { leagues: ['NBA', 'NBA-PROPS'] };
    const driver = started({ ...options, parts: { ...WHOLE, props: true } }, { leagues });
    expect(quoted(driver.sent)).toEqual(['game-1', 'points']);
    expect(quoted(started({ ...options, parts: WHOLE }, { leagues }).sent)).toEqual(['game-1']);
  });

  it('is quoted when its game is named in markets.games', () => {
    const leagues = { NBA: [entry('game-1'), entry('game-2')] };
    const games = {
      'game-1': { childGames: [child('half', '1H')] },
      'game-2': { childGames: [child('other', '1H', { parentGameID: 'game-2' })] },
    };
    const options = { games: ['game-1' as GameId], parts: selecting('full', 'h1') };
    expect(quoted(started(options, { leagues, games }).sent)).toEqual(['game-1', 'half']);
  });

  it('is neither quoted nor read by a configuration for whole games when the feed shows it', () => {
    const driver = started({ parts: WHOLE });
    feed(driver, child('half', '1st Half'));
    driver.passTime(1000);
    expect(quoted(driver.sent)).toEqual(['game-1']);
    expect(gamesRead(driver)).toEqual([]);
  });

  it('is quoted like a game by a configuration from before parts existed', () => {
    const driver = started({});
    feed(driver, child('half', '1st Half'));
    driver.passTime(1000);
    expect(quoted(driver.sent)).toEqual(['game-1', 'half']);
    expect(gamesRead(driver)).not.toContain('game-1');
  });

  it('shows its strategy its kind, period and parent game', () => {
    const seen = new Map<string, readonly unknown[]>();
    const strategy = defineStrategy({
      ...twoSided,
      create: (context) => {
        const run = twoSided.create(context);
        return (views) => {
          views.subscribe(({ game }: MarketView) => seen.set(game.id, [game.kind, game.period, game.parentGameId]));
          return run(views);
        };
      },
    });
    const parts = { periods: ['full', 'h1'], props: true, futures: true } as const;
    const settings = coreSettings({ markets: { parts } }, strategy);
    const driver = new CoreDriver(settings);
    connect(driver);
    const leagues = { NBA: [entry('game-1'), entry('champion', { isFutures: true })] };
    serve(driver, { ...LISTED, leagues });
    expect(Object.fromEntries(seen)).toEqual({
      'game-1': ['game', 'full', undefined],
      half: ['child', 'h1', 'game-1'],
      points: ['prop', 'full', 'game-1'],
      champion: ['future', 'full', undefined],
    });
  });
});

describe('a future', () => {
  const leagues = { NBA: [entry('game-1'), entry('champion', { isFutures: true })] };

  it('is quoted only when futures are selected', () => {
    expect(quoted(started({ parts: { ...WHOLE, futures: true } }, { leagues }).sent)).toEqual(['champion', 'game-1']);
    expect(quoted(started({ parts: WHOLE }, { leagues }).sent)).toEqual(['game-1']);
    expect(quoted(started({}, { leagues }).sent)).toEqual(['game-1']);
  });

  it('may lose both sides, which is reported once', () => {
    const driver = started({ parts: { ...WHOLE, futures: true } }, { leagues });
    expect(alertsIn(driver.sent, 'SPORT_UNKNOWN')).toHaveLength(1);
    expect(driver.core.sportOf('champion' as GameId).rule.draw).toBe('both-lose');
    expect(driver.core.sportOf('game-1' as GameId).rule.draw).toBe('impossible');
  });
});

describe('maxGameLoss', () => {
  const parts = { periods: ['full', 'h1', 'q1'], props: true, futures: false } as const;

  it('limits the game and all its parts together', () => {
    // two sides of 100 in the game lose 100; in each part, which may end level, 200
    const options = { parts, maxGameLoss: 100 + 200 + 150 };
    const driver = started(options, LISTED);
    const open = placesIn(driver.sent).flatMap(({ orders }) => orders);
    const risk = (id: string): number =>
      open.filter(({ market }) => market.gameId === id).reduce((sum, order) => sum + order.risk / 100, 0);
    const lost = Math.min(100, risk('game-1')) + risk('half') + risk('quarter') + risk('points');
    expect(lost).toBeGreaterThan(300);
    expect(lost).toBeLessThanOrEqual(450);
    const markets = driver.core.markets();
    expect(markets.filter(({ held }) => held.includes('game-loss')).length).toBeGreaterThan(0);
    for (const { worstWithParts } of markets) expect(worstWithParts).toBe(-lost);
    expect(markets.find(({ gameId }) => gameId === 'game-1')?.worstOfGame).toBe(-100);
    expect(markets.map(({ part }) => part).sort()).toEqual(['h1', 'prop', 'q1', undefined]);
  });

  it('limits each part by itself under a configuration from before parts existed', () => {
    const driver = started({ maxGameLoss: 200 });
    for (const id of ['half', 'quarter']) feed(driver, child(id, '1H'));
    driver.passTime(1000);
    expect(driver.core.markets().map(({ worstOfGame }) => worstOfGame)).toEqual([-100, -200, -200]);
    expect(driver.core.markets().map(({ worstWithParts }) => worstWithParts)).toEqual([-100, -200, -200]);
  });
});

describe('books of quiet parts', () => {
  it('are read again with the book of their game, and by themselves only when that book does not list them', () => {
    const driver = started({ parts: selecting('full', 'h1', 'q1') }, LISTED);
    const before = gamesRead(driver).length;
    driver.permits('place', 25);
    const leagues = { NBA: [entry('game-1')] };
    for (let turn = 0; turn < 8; turn++) serve(driver, { ...LISTED, leagues });
    const again = gamesRead(driver).slice(before);
    expect(new Set(again)).toEqual(new Set(['game-1']));
    for (const { freshness } of driver.core.markets()) expect(freshness).toEqual(['fresh', 'fresh']);
    // the quarter is listed no longer
    const fewer = {
      games: { 'game-1': { childGames: [child('half', '1H')] } },
      leagues: { NBA: [entry('game-1'), child('quarter', 'Q1')] },
    };
    const then = gamesRead(driver).length;
    for (let turn = 0; turn < 6; turn++) serve(driver, fewer);
    expect(gamesRead(driver).slice(then)).toContain('quarter');
  });
});

describe('a new selection of parts while the bot runs', () => {
  const settingsOf = (parts: PartSelection) => coreSettings({ markets: { parts } });

  it('is read and quoted without a reconnection, and removed parts are withdrawn', () => {
    const next: PartSelection[] = [];
    const driver = new CoreDriver(settingsOf(selecting('full', 'h1')), {
      configured: () => settingsOf(next[0] ?? WHOLE),
    });
    const select = (parts: PartSelection): void => {
      next.unshift(parts);
      driver.input({ type: 'configure', config: String(next.length), replace: [] });
      serve(driver, LISTED);
    };
    connect(driver);
    serve(driver, LISTED);
    expect(quotedNow(driver)).toEqual(['game-1', 'half']);
    select(selecting('full', 'h1', 'q1'));
    expect(quotedNow(driver)).toEqual(['game-1', 'half', 'quarter']);
    select(WHOLE);
    expect(quotedNow(driver)).toEqual(['game-1']);
    select({ ...WHOLE, props: true });
    expect(quotedNow(driver)).toEqual(['game-1', 'points']);
  });
});

describe('a view of a whole game', () => {
  /** The game of each view, the games of its markets, and what the game may lose, by the market that changed. */
  function viewsOf(parts: PartSelection | undefined): ReadonlyMap<string, readonly unknown[]> {
    const seen = new Map<string, readonly unknown[]>();
    const watching = defineStrategy({
      name: 'watching',
      params: z.object({}),
      scope: 'game',
      create: () => (views$) =>
        views$.pipe(
          map(({ market, game, markets, distribution }) => {
            const games = [...new Set(markets.map((view) => view.market.gameId))].sort();
            seen.set(market.gameId, [game.id, games, distribution !== undefined]);
            return { market: market.id, quotes: [] };
          }),
        ),
    });
    const driver = new CoreDriver(coreSettings({ markets: parts === undefined ? {} : { parts } }, watching, {}));
    connect(driver);
    serve(driver, LISTED);
    feed(driver, child('half', '1H'));
    serve(driver, LISTED);
    driver.frame('p-home', [{ id: 'h2', odds: 106, risk: 200 }]);
    return seen;
  }

  it('has the whole game and its parts, whichever of them changed', () => {
    const seen = viewsOf(selecting('full', 'h1'));
    expect(seen.get('game-1')).toEqual(['game-1', ['game-1', 'half'], true]);
    expect(seen.get('half')).toEqual(['game-1', ['game-1', 'half'], true]);
  });

  it('has one part alone under a configuration from before parts existed', () => {
    const seen = viewsOf(undefined);
    expect(seen.get('game-1')).toEqual(['game-1', ['game-1'], true]);
    expect(seen.get('half')).toEqual(['half', ['half'], true]);
  });
});
