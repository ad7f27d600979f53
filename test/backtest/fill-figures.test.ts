// What a backtest reports of each fill, worked out by hand: the fair price right before its cause, N
// seconds later and at the close, the queue, and what the exchange keeps.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BacktestOptions, ScenarioRun } from '../../src/backtest/scenario-types.ts';
import { runScenario } from '../../src/backtest/run-scenario.ts';
import { MarketSource } from '../../src/backtest/market-source.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import { backtestSettings } from '../../src/setup/core-settings.ts';
import type { AmericanOdds, Cents, CommissionRule, GameId } from '../../src/domain/index.ts';
import { MARKOUT_SECONDS, NO_COMMISSION } from '../../src/domain/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { backtestOptions } from '../support/backtests.ts';
import { coreSettings } from '../support/core-driver.ts';
import type { Row } from './made-tape.ts';
import { timeAt, GAME, MadeTape, START_S } from './made-tape.ts';

/** A strategy that offers $100 on HOME at +105 in each view and never moves it. */
const once = defineStrategy({
  name: 'once',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map(({ market }) => ({
        market: market.id,
        quotes: [{ side: 'home' as const, odds: 105 as AmericanOdds, risk: 10_000 as Cents }],
        reason: 'because',
      })),
    ),
});

/** The same, from second 20 on at −120. */
const raised = defineStrategy({
  name: 'raised',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map(({ market, time }) => ({
        market: market.id,
        quotes: [
          { side: 'home' as const, odds: (time < timeAt(20) ? 105 : -120) as AmericanOdds, risk: 10_000 as Cents },
        ],
      })),
    ),
});

const row = (id: string, odds: number, risk = 500, left = risk): Row => ({ id, odds, risk, left });
/** Both sides at +110, .4762 each: the fair price is a half. */
const even = (tape: MadeTape, second: number): MadeTape =>
  tape.side(second, 'home', [row(`h${second}`, 110)]).side(second, 'away', [row(`a${second}`, 110)]);

async function run(
  tape: MadeTape,
  options: Partial<BacktestOptions> = {},
  commission: CommissionRule = NO_COMMISSION,
  strategy = once,
): Promise<ScenarioRun> {
  const settings = backtestSettings(
    coreSettings({ commission, markets: { live: true, stopBeforeMs: 0 } }, strategy, {}),
  );
  return runScenario(new MarketSource([{ name: 'made', batches: decodeTape(tape.write(), {}) }]), {
    ...backtestOptions(settings),
    latency: { kind: 'even', ms: 100, spreadMs: 0 },
    ...options,
  });
}

/** The order at +105 ranks before the recorded offers at +110. A taker goes through both at second 20. */
const taken = (): MadeTape => {
  const tape = even(new MadeTape().game(0), 0);
  // $210 of the offer behind are taken, a stake of $231; that stake takes the $100 of the order first
  tape.side(20, 'home', [row('h0', 110, 500, 290)]);
  // the fair price falls half a second later
  tape.side(20.5, 'home', [row('h1', 120)]).side(20.5, 'away', [row('a1', 102)]);
  return tape;
};

describe('a fill of a backtest', () => {
  it('has the fair price from before its cause, and those of 1 to 300 seconds later', async () => {
    const { fills } = await run(even(taken(), 400));
    expect(fills).toHaveLength(1);
    const [fill] = fills;
    expect(fill).toMatchObject({ t: timeAt(20), role: 'maker', reason: 'because', isInPlay: false, odds: 105 });
    // both sides are at +110 and equally deep: a half, and five seconds before as well
    expect(fill?.f0).toBeCloseTo(0.5, 10);
    expect(fill?.past).toBeCloseTo(0.5, 10);
    // 500 at +120 pays 1,100, at +102 it pays 1,010: what rests across weighs 1 − .4950 and .4545
    const [home, away] = [100 / 220, 100 / 202];
    const after = (home * 1010 + (1 - away) * 1100) / (1010 + 1100);
    for (const seconds of [1, 5, 10, 30, 60, 300] as const)
      expect(fill?.later[MARKOUT_SECONDS.indexOf(seconds)]).toBeCloseTo(after, 6);
    expect(fill?.fc).toBeUndefined();
    expect(fill?.profit).toBeUndefined();
  });

  it('of an order that took has later prices without what it took, before another event of its market', async () => {
    const tape = new MadeTape()
      .game(0)
      .side(0, 'home', [row('h', 110)])
      .side(0, 'away', [row('a', 130)]);
    // the order moves at second 20; on its way to the exchange, it comes to cross a better offer
    tape.side(20, 'home', [row('h', 112)]).side(20.15, 'away', [row('b', 110)]);
    // another market: the book of the moneyline is as the order left it
    tape.side(60, 'over 210.5', [row('o', 110)]);
    const { fills } = await run(tape, {}, NO_COMMISSION, raised);
    expect(fills.map(({ role, odds }) => [role, odds])).toEqual([['taker', -110]]);
    // $100 at −110 win $90.91: so much of the offer at +110 is gone
    const [home, away] = [100 / 212, 100 / 210];
    const [ours, theirs] = [500 / home, (500 - 1000 / 11) / away];
    const after = (home * theirs + (1 - away) * ours) / (ours + theirs);
    expect(fills[0]?.later[MARKOUT_SECONDS.indexOf(1)]).toBeCloseTo(after, 6);
    expect(fills[0]?.later[MARKOUT_SECONDS.indexOf(30)]).toBeCloseTo(after, 6);
  });

  it('closes at the last good price before the start, and brings the profit of the final score', async () => {
    const tape = taken().side(START_S - 60, 'away', [row('a2', 105)]);
    // a frame after the start is no close
    tape.side(START_S + 1, 'away', [row('a3', 300)], true).game(START_S + 100, { ended: true });
    const results = new Map([[GAME as GameId, { home: 90, away: 80 }]]);
    const { fills } = await run(tape, { results });
    const [fill] = fills;
    const [home, away] = [100 / 220, 100 / 205];
    expect(fill?.fc).toBeCloseTo((home * 1025 + (1 - away) * 1100) / (1025 + 1100), 6);
    expect(fill?.profit).toBe(105_000_000);
  });

  it('closes at the moment when its game turns live before its start', async () => {
    const tape = taken().side(100, 'away', [row('a2', 105)]);
    tape.side(200, 'away', [row('a3', 300)], true).side(300, 'home', [row('h4', 400)], true);
    const [fill] = (await run(tape)).fills;
    const [home, away] = [100 / 220, 100 / 205];
    expect(fill?.fc).toBeCloseTo((home * 1025 + (1 - away) * 1100) / (1025 + 1100), 6);
  });

  it('has the queue ahead when the order was placed and when it filled, and the position it leads to', async () => {
    const tape = new MadeTape().game(0);
    tape.side(0, 'home', [row('better', 100, 80), row('behind', 110)]).side(0, 'away', [row('a0', 110)]);
    // the better one is taken completely, then half of the one behind the order
    tape.side(20, 'home', [row('behind', 110, 500, 250)]);
    const { fills, result } = await run(tape);
    expect(fills[0]).toMatchObject({
      queuePlaced: 80_000_000,
      queueFilled: 0,
      position: { first: 105_000_000, second: -100_000_000 },
    });
    expect(fills[0]?.ageMs).toBe(19_000);
    expect(result.fills).toBe(1);
  });

  it('is net of commission: every sum is after what the exchange keeps', async () => {
    const tape = taken().game(START_S + 100, { ended: true });
    const results = new Map([[GAME as GameId, { home: 90, away: 80 }]]);
    const { fills, result, markets } = await run(tape, { results }, { of: 'market', share: 0.02 });
    expect(fills[0]).toMatchObject({ profit: 105_000_000, commission: 2_100_000 });
    expect(result.pnl).toMatchObject({ marked: 102.9, settled: 102.9 });
    expect(markets[0]?.settled).toBe(102_900_000);
    expect(result.strategies['main']?.settled).toBe(102.9);
    const lost = new Map([[GAME as GameId, { home: 70, away: 80 }]]);
    const none = await run(taken(), { results: lost }, { of: 'market', share: 0.02 });
    expect(none.result.pnl.settled).toBe(-100);
  });
});
