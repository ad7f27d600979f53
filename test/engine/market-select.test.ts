// `markets.select` in the core: which markets are quoted, why the others are not, and that all are by default.
import { describe, expect, it } from 'vitest';
import type { AmericanOdds, Command, GameId, MarketId, RunEvent } from '../../src/domain/index.ts';
import { centsOfDollars, market as marketOf } from '../../src/domain/index.ts';
import type { CoreSettings } from '../../src/engine/index.ts';
import { MarketSelect } from '../../src/engine/market-select.ts';
import type { Quoted } from '../../src/engine/quoted-market.ts';
import type { Overrides } from '../support/core-driver.ts';
import { cancelsIn, CoreDriver, coreSettings, gameEntry, placesIn } from '../support/core-driver.ts';

type Select = NonNullable<CoreSettings['markets']['select']>;
const GATES: Select['gates'] = { minTakesPerHour: 0, maxSpread: 0.08, pinned: 0.03, maxPriceAgeMs: 60_000 };
const selecting = (most: number, gates: Partial<Select['gates']> = {}): Select => ({
  most,
  gates: { ...GATES, ...gates },
});

const rows = (id: string, odds: number) => [{ id, odds, risk: 2000 }];
/** Starts a bot on games with a moneyline each, at these odds on both sides or on home and away. */
function startOn(
  games: Readonly<Record<string, readonly [number, number]>>,
  select: Select | undefined,
  overrides: Overrides = {},
  ports: ConstructorParameters<typeof CoreDriver>[1] = {},
) {
  const driver = new CoreDriver(coreSettings({ ...overrides, markets: { select } }), ports);
  driver.input({ type: 'boot', run: 'run' });
  driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 100_000 });
  driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
  const read = driver
    .input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 })
    .find((command) => command.type === 'read');
  if (read?.type !== 'read') throw new Error('the core does not read the league');
  driver.permits('cancel', 30);
  driver.permits('place', 25);
  const entries = Object.entries(games).map(([id, [home, away]]) =>
    gameEntry(rows(`${id}h`, home), rows(`${id}a`, away), { id }),
  );
  const commands = driver.reply(read.req, {
    data: { market: null, games: entries, pagination: { hasNextPage: false } },
  });
  return { driver, commands };
}
const EVEN = [105, 105] as const;
const quotedIn = (commands: readonly Command[]): readonly string[] =>
  [...new Set(placesIn(commands).flatMap(({ orders }) => orders.map(({ market }) => market.gameId)))].toSorted();
const heldBy = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'SlotHeld' && event.control === 'select' ? [event.reason] : []));
const marketIn = (driver: CoreDriver, game: string) =>
  driver.core.markets().find(({ market }) => market === (`${game}/moneyline` as MarketId));

describe('the core with markets.select by value', () => {
  it('quotes the best markets from the first moment on, and names the reason for the others', () => {
    const { driver, commands } = startOn({ g1: EVEN, g2: EVEN, g3: EVEN }, selecting(2));
    expect(quotedIn(commands)).toEqual(['g1', 'g2']);
    expect(heldBy(driver.events)).toEqual(['select: rank 3 of 2, $0.50 a permit']);
    expect(placesIn(commands)[0]?.why[0]?.rank).toBe('rank 1 of 2, $0.50 a permit');
    const out = marketIn(driver, 'g3');
    expect(out).toMatchObject({ quoted: true, wanted: 0, held: ['select', 'select'] });
    expect(out?.select).toMatchObject({ isSelected: false, rank: 3, gate: undefined });
    expect(out?.slots[0]).toMatchObject({ control: 'select', reason: 'select: rank 3 of 2, $0.50 a permit' });
    expect(marketIn(driver, 'g1')?.select).toMatchObject({ isSelected: true, rank: 1, reason: undefined });
  });

  it('prefers the market whose quotes pay out more, and counts only selected markets as wanted', () => {
    // a quote of the same stake pays out most on the long side of a lopsided game
    const { driver, commands } = startOn({ g1: EVEN, g2: [300, -250], g3: EVEN }, selecting(1));
    expect(quotedIn(commands)).toEqual(['g2']);
    expect(driver.core.status()).toMatchObject({ wanted: 2, markets: 1, held: {} });
  });

  it.each([
    ['select: pinned', [4000, -3700] as const, {}],
    ['select: the spread is too wide', [110, 110] as const, { maxSpread: 0.02 }],
    ['select: takes are too rare', EVEN, { minTakesPerHour: 1 }],
  ])('keeps a market out by a gate: %s', (reason, odds, gates) => {
    const { driver, commands } = startOn({ g1: odds }, selecting(5, gates));
    driver.passTime(15_000);
    expect(placesIn([...commands, ...driver.sent])).toEqual([]);
    expect(marketIn(driver, 'g1')?.select).toMatchObject({ isSelected: false, rank: undefined, reason });
  });

  it('leaves a market whose book becomes wide, after the least stay, and cancels its quotes with the reason', () => {
    const { driver, commands } = startOn({ 'game-1': EVEN }, selecting(5, { maxSpread: 0.04 }));
    const [place] = placesIn(commands);
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    driver.passTime(5000);
    const frames = (): readonly Command[] => [
      ...driver.frame('p-home', rows('h2', 110)),
      ...driver.frame('p-away', rows('a2', 110)),
    ];
    const pass = (): readonly Command[] => [...frames(), ...driver.passTime(5000)];
    for (let second = 10; second < 60; second += 5) pass();
    expect(marketIn(driver, 'game-1')?.select?.isSelected).toBe(true);
    for (let second = 60; second < 80; second += 5) pass();
    expect(marketIn(driver, 'game-1')?.select).toMatchObject({ isSelected: false, gate: 'spread' });
    expect(cancelsIn(driver.sent).flatMap(({ why }) => why.map(({ because }) => because))).toContain(
      'select: the spread is too wide',
    );
  });

  it('holds no quote back in reduce-only, where a position may be closed in any market', () => {
    const { driver } = startOn({ g1: EVEN, g2: EVEN }, selecting(1));
    driver.input({ type: 'operator', command: 'reduce-only' });
    const slots = driver.core.markets().flatMap((market) => market.slots);
    expect(slots.length).toBe(4);
    expect(slots.map(({ control }) => control)).not.toContain('select');
  });

  it('applies another number of markets at once, and selects all again without it', () => {
    const next: (Select | undefined)[] = [selecting(1), undefined];
    const ports = { configured: () => coreSettings({ markets: { select: next.shift() } }) };
    const { driver } = startOn({ g1: EVEN, g2: EVEN, g3: EVEN }, selecting(3), {}, ports);
    expect(driver.core.status().wanted).toBe(6);
    driver.input({ type: 'configure', config: 'next', replace: [] });
    expect(driver.core.status().wanted).toBe(2);
    driver.input({ type: 'configure', config: 'last', replace: [] });
    expect(driver.core.status()).toMatchObject({ wanted: 6, markets: 3 });
    expect(marketIn(driver, 'g1')?.select).toBeUndefined();
  });

  it('ranks a market that opens later at the next ranking, and not before', () => {
    const { driver } = startOn({ g1: EVEN }, selecting(5));
    const data = JSON.stringify(gameEntry(rows('g2h', 105), rows('g2a', 105), { id: 'g2' }));
    driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
    expect(marketIn(driver, 'g2')?.slots[0]?.reason).toBe('select: not ranked yet');
    driver.passTime(10_000);
    expect(marketIn(driver, 'g2')?.select).toMatchObject({ isSelected: true });
  });
});

/** A market with a fair price of .5 and an intent for $100 on both sides at +105: $0.49 a permit at the prior. */
function quotedOf(id: string): Quoted {
  const market = marketOf(id as GameId, 'moneyline', undefined);
  const side = { ladder: [], coveredAt: 0 };
  const quotes = market.sides.map((name) => ({ side: name, risk: centsOfDollars(100), odds: 105 as AmericanOdds }));
  const held = { strategy: 'main', intent: { market: market.id, quotes }, seq: 1, isWithdrawn: false };
  return {
    book: { market, sides: [side, side] },
    intents: new Map([['main', held]]),
    freshness: ['fresh', 'fresh'],
    others: [[], []],
    consensus: { p: 0.5, spread: 0.02 },
  } as unknown as Quoted;
}

describe('the price of a permit', () => {
  it.each([
    ['keeps markets while it is below what they bring', [0.5, 0.5], 8],
    ['lets a quarter of them leave at each ranking while it is above', [2, 2], 5],
    ['counts by its mean since the last ranking, not by its peak', [0, 1.2], 8],
    ['lets them leave for a mean above what they bring', [0, 1.4], 5],
  ])('%s', (_text, [first = 0, second = 0], left) => {
    let now = 0;
    let price = 0;
    const markets = Array.from({ length: 8 }, (_, index) => quotedOf(`g${index}`));
    const select = new MarketSelect({
      open: new Map(markets.map((quoted) => [quoted.book.market.id, quoted])),
      selection: { select: selecting(Number.POSITIVE_INFINITY, { maxPriceAgeMs: Number.POSITIVE_INFINITY }) },
      tolerance: () => 0.005,
      permitPrice: () => price,
      fills: [],
      isDenied: () => false,
      now: () => now,
    });
    expect(select.advance(true)).toHaveLength(8);
    expect(select.count).toBe(8);
    // each price lasts half of the 10 s between two rankings; the least stay ends at 60 s
    for (now = 5000; now <= 70_000; now += 5000) {
      price = now % 10_000 === 0 ? first : second;
      select.advance(true);
    }
    expect(select.count).toBe(left);
    const [out] = markets
      .map(({ book }) => select.statusOf(book.market.id))
      .filter((status) => status?.isSelected === false);
    expect(out?.reason).toEqual(
      left === 8 ? undefined : expect.stringMatching(/^select: rank \d, \$0\.\d\d a permit, /),
    );
  });
});

describe('the core with all markets', () => {
  it('ranks no market, in no command, event or status', () => {
    const { driver, commands } = startOn({ g1: EVEN, g2: EVEN, g3: EVEN }, undefined);
    expect(quotedIn(commands)).toEqual(['g1', 'g2', 'g3']);
    driver.passTime(30_000);
    expect(JSON.stringify([driver.sent, driver.events])).not.toMatch(/select|"rank":"/);
    expect(driver.core.markets().map(({ select }) => select)).toEqual([undefined, undefined, undefined]);
  });
});
