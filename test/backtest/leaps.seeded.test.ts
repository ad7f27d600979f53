// In a backtest time leaps from one due moment to the next, over hours of silence. Whatever the market did
// and whichever controls act, it never wakes later than a bot that checks twice a second, as a live one does.
// HUNT=1000 searches for longer.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PriceFeed } from '../../src/backtest/price-feed.ts';
import { vanishedIn } from '../../src/backtest/scenarios.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import { VirtualRun } from '../../src/backtest/virtual-run.ts';
import { backtestSettings } from '../../src/setup/core-settings.ts';
import { microsOfDollars } from '../../src/domain/index.ts';
import type { CoreSettings } from '../../src/engine/index.ts';
import { InProcessExchange } from '../../src/paper/index.ts';
import twoSided from '../../strategies/two-sided.ts';
import { coreSettings } from '../support/core-driver.ts';
import { doorSettings } from '../support/door-settings.ts';
import { seeds } from '../support/seeds.ts';
import { timeAt, MadeTape } from './made-tape.ts';

const CHECKS_EVERY_MS = 500;
const RUNS = seeds(6, 40);

/** Seconds after the previous move, the fair price then, and what was taken of the best offers. */
type Move = { readonly after: number; readonly fair: number; readonly took: number };
const moves = fc.array(
  fc.record({
    after: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 20 }) },
      { weight: 2, arbitrary: fc.integer({ min: 20, max: 900 }) },
      { weight: 1, arbitrary: fc.integer({ min: 900, max: 40_000 }) },
    ),
    fair: fc.integer({ min: 40, max: 60 }).map((percent) => percent / 100),
    took: fc.integer({ min: 0, max: 150 }),
  }),
  { minLength: 5, maxLength: 40 },
);
const controls = fc.record({
  stopBeforeMs: fc.constantFrom(0, 60_000, 3_600_000),
  losingFills: fc.option(
    fc.record({
      count: fc.integer({ min: 1, max: 3 }),
      withinMs: fc.constant(3_600_000),
      pauseMs: fc.constantFrom(5000, 600_000, 20_000_000),
      markoutMs: fc.constantFrom(1000, 60_000),
    }),
    { nil: undefined },
  ),
  haltAtLoss: fc.option(fc.constantFrom(microsOfDollars(5), microsOfDollars(40)), { nil: undefined }),
  gap: fc.option(fc.integer({ min: 1, max: 4000 }), { nil: undefined }),
});

const american = (p: number): number => (p >= 0.5 ? -Math.round((100 * p) / (1 - p)) : Math.round((100 * (1 - p)) / p));

function tapeOf(list: readonly Move[], gap: number | undefined): MadeTape {
  const tape = new MadeTape({});
  const seconds = list.reduce((sum, { after }) => sum + after, 0);
  tape.game(0, {
    start: new Date(timeAt(seconds + 600)).toISOString(),
  });
  let now = 1;
  for (const [n, { after, fair, took }] of list.entries()) {
    now += after;
    for (const [side, p] of [
      ['home', fair],
      ['away', 1 - fair],
    ] as const)
      for (const left of [200, 200 - took])
        tape.side(left === 200 ? now : now + 0.7, side, [
          { id: `${side}${n}`, odds: american(p - 0.02), risk: 200, left },
          { id: `${side}${n}deep`, odds: american(p - 0.04), risk: 200 },
        ]);
    if (n === 3 && gap !== undefined) {
      tape.disconnect(now + 1).connect(now + 1 + gap);
      now += 1 + gap;
    }
  }
  return tape;
}

/**
 * Runs a whole bot on the tape and asks its core every `everyMs`, besides, whether anything is due. Returns
 * what the core did then that its next wake would have been too late for, and the number of fills.
 */
async function runAndAsk(
  file: string,
  settings: CoreSettings,
  everyMs: number,
): Promise<{ readonly late: readonly unknown[]; readonly fills: number }> {
  const account = { username: 'bot', password: 'secret' };
  const rule = { requests: 25, windowMs: 5000, marginMs: 20 };
  const exchange = new InProcessExchange({
    startMs: timeAt(0),
    leaps: true,
    traders: 'tape',
    accounts: [{ ...account, coins: 10_000, mode: 'coins' }],
  });
  const latency = (): number => 50;
  const feed = new PriceFeed(exchange, vanishedIn('optimistic', { share: 0 }, 1), latency);
  let isExtra = false;
  let wakesAt = 0;
  const late: unknown[] = [];
  const run: VirtualRun = new VirtualRun({
    exchange,
    settings,
    run: 'leaps',
    tapes: { prices$: feed.inputs$ },
    onLogin: () => feed.openFeed(),
    record: ({ arrival: { t, mono }, commands }) => {
      const isLate = isExtra && wakesAt - mono > CHECKS_EVERY_MS;
      for (const command of commands)
        if (command.type === 'wake') wakesAt = command.at;
        else if (isLate) late.push([new Date(t).toISOString(), command]);
    },
    door: {
      ...doorSettings(account, settings, { place: rule, cancel: rule, read: rule }),
      latency,
      book: (read) => feed.read(read),
    },
  });
  // a time at which nothing else takes place
  let extraAt = timeAt(1) + 1 / 64;
  let begun = false;
  for await (const events of decodeTape(file, { skipped: undefined })) {
    for (const event of events) {
      for (; extraAt < event.ts; extraAt += everyMs) {
        exchange.advanceTo(extraAt);
        isExtra = true;
        run.input({ type: 'tick' });
        isExtra = false;
      }
      exchange.advanceTo(event.ts);
      feed.applyEvent(event, false);
      if (!begun) run.start();
      begun = true;
    }
  }
  return { late, fills: run.status().fills };
}

it('a bot whose time leaps over silence wakes in time for all that is due', { timeout: 1_200_000 }, async () => {
  let filled = 0;
  await fc.assert(
    fc.asyncProperty(moves, controls, fc.integer({ min: 200, max: 5000 }), async (list, control, everyMs) => {
      const { stopBeforeMs, losingFills, haltAtLoss, gap } = control;
      const file = tapeOf(list, gap).write();
      const settings = coreSettings(
        { markets: { stopBeforeMs }, safety: { state: 'active', haltAtLoss, losingFills } },
        twoSided,
        { edge: 0.005, risk: 25 },
      );
      const { late, fills } = await runAndAsk(file, backtestSettings(settings), everyMs);
      filled += fills;
      expect(late).toEqual([]);
    }),
    { numRuns: RUNS, ...(process.env['HUNT'] === undefined ? { seed: 20_300_101 } : {}) },
  );
  expect(filled).toBeGreaterThan(2 * RUNS);
});
