// What a view remembers: earlier prices and takes of its market, the account, the score, the queue; and `warmUp`, which
// holds quotes back until a market has history enough.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AmericanOdds, StrategyId } from '../../src/domain/index.ts';
import { cents, market, NO_OFFERS } from '../../src/domain/index.ts';
import { RecordedHistory } from '../../src/strategy/host/index.ts';
import type { MarketView } from '../../src/strategy/index.ts';
import { defineStrategy, queuePlace } from '../../src/strategy/index.ts';
import type { OfferRow, Overrides } from '../support/core-driver.ts';
import { AWAY, cancelsIn, CoreDriver, coreSettings, GAME_ID, HOME, placesIn } from '../support/core-driver.ts';

const MONEYLINE = market(GAME_ID, 'moneyline');
const EMPTY = [NO_OFFERS, NO_OFFERS] as const;

/** A strategy that quotes both sides and shows each view to `look`. */
const looking = (look: (view: MarketView) => void) =>
  defineStrategy({
    name: 'looking',
    params: z.object({}),
    create: () => (views$) =>
      views$.pipe(
        map((view) => {
          look(view);
          const quotes = view.sides.map(({ side }) => ({ side, risk: cents(1000), odds: 115 as AmericanOdds }));
          return { market: view.market.id, quotes };
        }),
      ),
  });

function drive(look: (view: MarketView) => void, overrides: Overrides = {}, warmUpMs = 0): CoreDriver {
  const settings = coreSettings(overrides, looking(look), {});
  return new CoreDriver({ ...settings, strategies: settings.strategies.map((entry) => ({ ...entry, warmUpMs })) });
}
const home = (odds: number, left = 200): readonly OfferRow[] => [{ id: 'h1', odds, risk: 200, left }];

describe('the history of a market', () => {
  it('has a point for each change of the fair price, and each take of others, from the first read on', () => {
    const seen: MarketView[] = [];
    const driver = drive((view) => {
      view.history.consensus();
      seen.push(view);
    });
    driver.start();
    driver.passTime(1000);
    driver.frame('p-home', home(105, 150));
    driver.passTime(1000);
    driver.frame('p-home', home(110));
    const { history, time } = seen.at(-1) as MarketView;
    const points = history.consensus();
    expect(points.map(({ p }) => p.toFixed(3))).toEqual(['0.500', '0.498', '0.494']);
    expect(points.at(-1)?.time).toBe(time);
    expect(history.takes()).toEqual([{ time: time - 1000, side: 'home', odds: 105, risk: 50e6 }]);
    expect(history.consensus(1)).toEqual(points.slice(-1));
  });

  it('is empty where no strategy reads it, and a trial begins none', () => {
    const driver = drive(() => undefined);
    driver.start();
    driver.frame('p-home', home(110));
    let found: readonly unknown[] | undefined;
    const entry = {
      id: 'trial' as StrategyId,
      strategy: looking((view) => (found = view.history.consensus())),
      params: {},
    };
    driver.core.tryOut(entry, {});
    expect(found).toEqual([]);
    driver.frame('p-home', home(120));
    driver.core.tryOut(entry, {});
    expect(found).toEqual([]);
  });
});

describe('a view', () => {
  it('has the account: bankroll, permits, commission and the positions of all games', () => {
    let account: MarketView['account'] | undefined;
    const driver = drive((view) => ({ account } = view), { commission: { of: 'market', share: 0.02 } });
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    expect(account).toMatchObject({ commission: { of: 'market', share: 0.02 }, positions: [] });
    expect(account?.permits.place).toBeGreaterThan(0);
    const before = account?.bankroll ?? 0;
    expect(before).toBeGreaterThan(0);
    const [first] = driver.accept(place, 'o');
    driver.position(
      { orderID: first, odds: 115, offered: 10, filled: 4, remaining: 6 },
      { txID: 't1', odds: 115, risk: 4, win: 4.6, orderID: first },
    );
    // a fill moves money into a position and makes no loss
    expect(account?.positions.map(({ position }) => position.staked)).toEqual([4e6]);
    expect(account?.bankroll).toBe(before);
  });

  it('has the score where its signals are fresh', () => {
    const scores: unknown[] = [];
    const driver = drive((view) => scores.push(view.score()));
    driver.start();
    expect(scores.at(-1)).toBeUndefined();
    const values = { [`lead:${GAME_ID}`]: 3, [`clock:${GAME_ID}`]: 0.5, [`scored:${GAME_ID}`]: 101 };
    driver.input({ type: 'signal', values, ttlMs: 30_000 });
    expect(scores.at(-1)).toEqual({ lead: 3, clock: 0.5, scored: 101 });
  });

  it('has the place of its own offers in the queue', () => {
    let view: MarketView | undefined;
    const driver = drive((shown) => (view = shown));
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    driver.frame('p-home', [
      { id: 'h0', odds: 102, risk: 50 },
      { id: 'h1', odds: 115, risk: 200, left: 120 },
      { id: 'h2', odds: 115, risk: 70, createdAt: '2031-01-01T00:00:00.000Z' },
    ]);
    const [side] = view?.sides ?? [];
    const [own] = side?.own ?? [];
    if (side === undefined || own === undefined) throw new Error('no offer');
    expect(queuePlace(own, side.offers)).toEqual({ rank: 3, ahead: 170e6 });
  });
});

describe('warmUp', () => {
  it('holds quotes back until the market has a history so long, and names it', () => {
    const driver = drive(() => undefined, {}, 60_000);
    expect(placesIn(driver.start())).toEqual([]);
    expect(placesIn(driver.passTime(55_000))).toEqual([]);
    driver.frame('p-home', HOME);
    driver.frame('p-away', AWAY);
    expect(driver.core.status().held).toMatchObject({ 'warm-up': 2 });
    expect(placesIn(driver.passTime(6000))).toHaveLength(1);
  });

  it('counts the history of before the run, which views have first', () => {
    const seen: MarketView[] = [];
    const driver = drive((view) => seen.push(view), {}, 60_000);
    const t = driver.wall;
    driver.input({
      type: 'history',
      markets: [
        {
          market: MONEYLINE.id,
          prices: [
            [t - 70_000, 0.45],
            [t - 30_000, 0.47],
          ],
          takes: [[t - 20_000, 1, -110 as AmericanOdds, 5e6]],
        },
      ],
    });
    expect(placesIn(driver.start())).toHaveLength(1);
    const { history } = seen.at(-1) as MarketView;
    expect(history.consensus().map(({ p }) => p.toFixed(2))).toEqual(['0.45', '0.47', '0.50']);
    expect(history.takes()).toEqual([{ time: t - 20_000, side: 'away', odds: -110, risk: 5e6 }]);
  });

  it('ends in a market with more prices than a history keeps', () => {
    const history = new RecordedHistory(MONEYLINE);
    history.begin();
    for (let time = 0; time < 5000; time++) history.note(EMPTY, EMPTY, 0.4 + (time % 2) / 10, time);
    expect([history.since, history.consensus()[0]?.time]).toEqual([0, 4000]);
    // another run, for which only the newest prices were kept
    const next = new RecordedHistory(MONEYLINE);
    next.note(EMPTY, EMPTY, 0.5, 6000);
    next.prepend(history.consensus(), [], history.since);
    expect([next.since, next.consensus().length]).toEqual([0, 1000]);
  });

  it('applies to open markets when a reload asks for one, and the strategy keeps what it remembers', () => {
    const made: number[] = [];
    const strategy = defineStrategy({
      ...looking(() => undefined),
      create: (context) => {
        made.push(1);
        return looking(() => undefined).create(context);
      },
    });
    const settings = coreSettings({}, strategy, {});
    const [entry] = settings.strategies;
    if (entry === undefined) throw new Error('no strategy');
    const driver = new CoreDriver(settings, {
      configured: () => ({ ...settings, strategies: [{ ...entry, warmUpMs: 60_000 }] }),
    });
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    const commands = [...driver.input({ type: 'configure', config: 'next', replace: [] }), ...driver.passTime(2000)];
    expect(cancelsIn(commands).flatMap(({ orderIds }) => orderIds)).toHaveLength(2);
    expect(driver.core.markets().flatMap(({ slots }) => slots.map(({ control }) => control))).toEqual([
      'warm-up',
      'warm-up',
    ]);
    driver.passTime(60_000);
    driver.frame('p-home', HOME);
    driver.frame('p-away', AWAY);
    expect(driver.core.markets().flatMap(({ slots }) => slots.map(({ control }) => control))).not.toContain('warm-up');
    expect(made).toEqual([1]);
  });
});
