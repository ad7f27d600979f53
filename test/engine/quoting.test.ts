import { describe, expect, it } from 'vitest';
import { oddsOf, probabilityOfRung, cents } from '../../src/domain/index.ts';
import type { AmericanOdds, QuoteIntent } from '../../src/domain/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import type { MarketView, Strategy } from '../../src/strategy/index.ts';
import { map } from 'rxjs';
import { z } from 'zod';
import {
  AWAY,
  cancelsIn,
  CoreDriver,
  coreSettings,
  editsIn,
  HOME,
  placesIn,
  readsIn,
  START,
} from '../support/core-driver.ts';

describe('quoting', () => {
  it('places both sides in one request, each keeping its edge', () => {
    const [place] = placesIn(new CoreDriver().start());
    expect(place?.orders.map((order) => order.side)).toEqual(['home', 'away']);
    for (const order of place?.orders ?? []) {
      expect(probabilityOfRung(order.rung)).toBeLessThanOrEqual(0.48);
      expect(probabilityOfRung(order.rung)).toBeGreaterThan(0.475);
    }
  });

  it('sends nothing without a permit, and decides with the newest book when a permit comes', () => {
    const driver = new CoreDriver();
    expect(placesIn(driver.start(HOME, AWAY, { place: 0, cancel: 0 }))).toEqual([]);
    driver.frame('p-home', [{ id: 'h2', odds: 120, risk: 200 }]);
    driver.frame('p-away', [{ id: 'a2', odds: -110, risk: 200 }]);
    const [place] = placesIn(driver.permits('place', 1));
    const home = place?.orders.find((order) => order.side === 'home');
    expect(home === undefined ? undefined : oddsOf(home.rung)).toBeGreaterThan(120);
  });

  it('leaves a quote alone inside its tolerance and edits it outside', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    const small = [
      ...driver.frame('p-home', [{ id: 'h2', odds: 106, risk: 200 }]),
      ...driver.frame('p-away', [{ id: 'a2', odds: 104, risk: 200 }]),
    ];
    expect(editsIn(small)).toEqual([]);
    const large = [
      ...driver.frame('p-home', [{ id: 'h3', odds: 115, risk: 200 }]),
      ...driver.frame('p-away', [{ id: 'a3', odds: -105, risk: 200 }]),
    ];
    expect(editsIn(large).length).toBeGreaterThan(0);
    expect(editsIn(large)[0]?.orderId).toMatch(/^o/);
  });

  it('does not resend an order that came too late for the book until the book was read again', () => {
    const driver = new CoreDriver(coreSettings({ orders: { maxOrdersPerPlace: 1 } }));
    const places = placesIn(driver.start());
    const [first] = places;
    if (first === undefined) throw new Error('no place');
    const [order] = first.orders;
    const isIt = ({ orders: [sent] }: (typeof places)[number]): boolean =>
      sent?.side === order?.side && sent?.rung === order?.rung;
    const [read] = readsIn(driver.reply(first.req, { message: 'Odds have been edited' }, 409));
    expect(read?.read).toMatchObject({ what: 'game' });
    expect(placesIn(driver.passTime(3000)).filter(isIt)).toEqual([]);
    // the same book, seen anew: decided anew
    const seen = driver.frame('p-home', HOME);
    expect(placesIn([...seen, ...driver.passTime(1000)]).filter(isIt)).toHaveLength(1);
  });

  it('pulls its quotes when the book is too wide to have a price', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    expect(place.why.map(({ said }) => said)).toEqual(['fair 0.5000', 'fair 0.5000']);
    const ids = driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.frame('p-home', [{ id: 'h2', odds: 160, risk: 200 }]));
    expect([...(cancel?.orderIds ?? [])].sort()).toEqual([...ids].sort());
    expect(cancel?.why).toMatchObject(ids.map(() => ({ cause: 'unwanted', said: 'no fair price' })));
  });

  it('does not count own offers in the book it quotes from', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    const before = driver.core.status().intents;
    // own row at the very best price, far better than the others': it must not move the consensus
    const own = place.orders.find((order) => order.side === 'home');
    if (own === undefined) throw new Error('no home quote');
    const commands = driver.frame('p-home', [{ id: 'o0', odds: oddsOf(own.rung), risk: 100, own: true }, ...HOME]);
    expect(driver.core.status().intents).toBe(before + 1);
    expect([...editsIn(commands), ...cancelsIn(commands)]).toEqual([]);
  });

  it('reads a side again by REST when it nears staleAfter, and pulls only if that does not help', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    const reads = readsIn(driver.passTime(7000)).filter((command) => command.read.what === 'game');
    expect(reads).toHaveLength(1);
    expect(cancelsIn(driver.sent)).toEqual([]);
    expect(cancelsIn(driver.passTime(5000))).toHaveLength(1);
  });

  it('stops quoting a game stopBefore its start', () => {
    const driver = new CoreDriver();
    driver.wall = START - 62_000;
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    const ids = driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.passTime(3000));
    expect(cancel?.orderIds).toHaveLength(ids.length);
    expect(driver.core.status().markets).toBe(0);
  });

  it('quotes a live game only when the configuration says so', () => {
    const live = { live: true };
    const off = new CoreDriver();
    off.start();
    expect(off.core.status().markets).toBe(1);
    off.frame('p-home', HOME, live);
    expect(off.core.status().markets).toBe(0);
    const on = new CoreDriver(coreSettings({ markets: { live: true } }));
    on.start();
    on.frame('p-home', HOME, live);
    expect(on.core.status().markets).toBe(1);
  });

  it('keeps a quote off the prices where it would match the other offers', () => {
    const eager = defineStrategy({
      name: 'eager',
      params: z.object({}),
      create: () => (views$) =>
        views$.pipe(
          map((view): QuoteIntent => ({
            market: view.market.id,
            quotes: [{ side: 'home', risk: cents(1000), probability: 0.6 }],
          })),
        ),
    });
    const driver = new CoreDriver(coreSettings({}, eager, {}));
    const [place] = placesIn(driver.start());
    // AWAY rests at +105, so the first HOME price that does not match is one step above −105
    expect(place?.orders.map((order) => oddsOf(order.rung))).toEqual([-104]);
  });

  it('lets the first strategy of the file win when two quotes would cross', () => {
    const strategyAt = (side: 'home' | 'away', probability: number): Strategy =>
      defineStrategy({
        name: side,
        params: z.object({}),
        create: () => (views$) =>
          views$.pipe(
            map((view): QuoteIntent => ({
              market: view.market.id,
              quotes: [{ side, risk: cents(1000), probability }],
            })),
          ),
      });
    const settings = coreSettings({}, strategyAt('home', 0.51), {});
    const second = {
      id: 'second',
      strategy: strategyAt('away', 0.505),
      params: {},
    } as unknown as (typeof settings.strategies)[number];
    const driver = new CoreDriver({ ...settings, strategies: [...settings.strategies, second] });
    const placed = placesIn(driver.start()).flatMap((place) => place.orders);
    expect(placed.map((order) => order.side)).toEqual(['home']);
  });

  it('withholds quotes that would break the loss limit of the game', () => {
    const tight = coreSettings();
    const driver = new CoreDriver({
      ...tight,
      orders: { ...tight.orders, risk: { ...tight.orders.risk, maxGameLoss: 50_000_000 as never } },
    });
    expect(placesIn(driver.start())).toEqual([]);
    expect(driver.core.status().wanted).toBe(2);
  });
});

describe('a view', () => {
  /** All objects that can be reached from `value`. */
  const partsOf = (value: unknown, found = new Set<object>()): Set<object> => {
    if (typeof value !== 'object' || value === null || found.has(value)) return found;
    found.add(value);
    for (const part of Object.values(value)) partsOf(part, found);
    return found;
  };

  it('is frozen wherever another strategy or a later view shares it', () => {
    const views: MarketView[] = [];
    const spy = defineStrategy({
      name: 'spy',
      params: z.object({}),
      create: () => (views$) =>
        views$.pipe(
          map((view) => {
            views.push(view);
            const quotes = view.sides.map(({ side }) => ({ side, risk: cents(1000), odds: 150 as AmericanOdds }));
            return { market: view.market.id, quotes };
          }),
        ),
    });
    const driver = new CoreDriver(coreSettings({}, spy, {}));
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    const rows = (n: number) => [
      { id: 'h1', odds: 160, risk: 100 },
      { id: `h${n}`, odds: 170, risk: 100 },
    ];
    for (let n = 2; n < 6; n++) driver.frame('p-home', rows(n));
    driver.frame('p-home', [...rows(9), { id: 'o0', odds: 150, risk: 10 }], { live: true });
    const seen = views.map((view) => partsOf(view));
    const shared = seen.flatMap((parts, index) =>
      [...parts].filter((part) => seen.some((other, next) => next !== index && other.has(part))),
    );
    expect(shared.length).toBeGreaterThan(50);
    for (const part of shared) expect(part).toSatisfy(Object.isFrozen);
    const ladder = views.at(-1)?.sides[0].offers as unknown as { risk: number }[];
    expect(ladder.length).toBeGreaterThan(1);
    expect(() => ladder.sort(() => 1)).toThrow(TypeError);
    expect(() => ((ladder[0] as { risk: number }).risk = 0)).toThrow(TypeError);
  });
});
