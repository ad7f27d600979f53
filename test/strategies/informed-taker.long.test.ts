// A made-up exchange with a taker who knows of news before the makers: what he takes from fair-game, and from a
// constant edge that fills about as often.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { DEFAULT_LATENCY, drawsOf } from '../../src/backtest/latency.ts';
import { VirtualRun } from '../../src/backtest/virtual-run.ts';
import { loadOffline } from '../../src/config/index.ts';
import type { RunEvent } from '../../src/domain/index.ts';
import { dollarsOfMicros, ofSide, probabilityOf } from '../../src/domain/index.ts';
import { InProcessExchange } from '../../src/paper/index.ts';
import { loadCoreSettings } from '../../src/setup/index.ts';
import { BUSY } from '../../src/traders/index.ts';
import { folder, ROOT } from '../support/children.ts';
import { doorSettings } from '../support/door-settings.ts';
import { WINDOWS } from '../support/windows.ts';

const BOT = { username: 'bot', password: 'secret' };
/** The account of the synthetic taker who is informed. */
const INFORMED = 'taker-2';
const MINUTE_MS = 60_000;
const OPEN = Date.parse('2030-11-16T12:00Z');
const [START, END] = [OPEN + 5 * MINUTE_MS, OPEN + 25 * MINUTE_MS];

type Taken = { readonly fills: number; readonly lost: number };

/** The own plays that the informed taker makes from now on. */
function takesOf(venue: InProcessExchange['world']['venue']): ReadonlySet<string> {
  const takes = new Set<string>();
  const plays = venue.accounts.get(BOT.username)?.plays;
  const place = venue.place.bind(venue);
  vi.spyOn(venue, 'place').mockImplementation((account, ...order) => {
    const before = plays?.size ?? 0;
    const placed = place(account, ...order);
    if (account.username === INFORMED)
      for (const { txId } of plays?.newest((plays.size ?? 0) - before) ?? []) takes.add(txId);
    return placed;
  });
  return takes;
}

/** The fills of a strategy in play, and what it lost to the informed taker by the price a minute later, dollars. */
async function takenFrom(strategy: string, params: string, seed: number): Promise<Taken> {
  const file = join(folder(), 'bot.yaml');
  writeFileSync(
    file,
    [
      'exchange: { embedded: {} }',
      'markets: { leagues: [NBA], types: [moneyline, spread, total], lines: all, live: true, stopBefore: 0s }',
      'strategies:',
      `  - { use: ${join(ROOT, 'strategies', strategy)}.ts, id: main, params: ${params} }`,
      'risk: { maxGameLoss: 20000, maxTotalLoss: 200000 }',
      'journal: { dir: null }',
      'ledger: { file: null }',
      '',
    ].join('\n'),
  );
  const { settings } = await loadCoreSettings(loadOffline(file, {}));
  const exchange = new InProcessExchange({
    startMs: OPEN,
    seed,
    league: 'NBA',
    traders: 'synthetic',
    starts: [START, START, START],
    tempo: BUSY,
    accounts: [{ ...BOT, coins: 1e6, mode: 'coins' }],
  });
  exchange.advanceTo(START);
  const informed = takesOf(exchange.world.venue);
  const events: RunEvent[] = [];
  const run = new VirtualRun({
    exchange,
    settings,
    run: 'r1',
    record: (step) => events.push(...step.events),
    door: { ...doorSettings(BOT, settings, WINDOWS), latency: drawsOf(DEFAULT_LATENCY, seed, 'requests') },
  });
  run.start();
  exchange.advanceTo(END);
  run.kill();
  const later = new Map(
    events.flatMap((event) => (event.type === 'Markout' && event.seconds === 60 ? [[event.txId, event.fair]] : [])),
  );
  let [fills, lost] = [0, 0];
  for (const event of events) {
    if (event.type !== 'Fill' || event.market === undefined || event.side === undefined) continue;
    fills += 1;
    const fair = ofSide(event.side, later.get(event.txId));
    if (!informed.has(event.txId) || fair === undefined) continue;
    const price = probabilityOf(event.odds);
    lost += (dollarsOfMicros(event.risk) / price) * (price - fair);
  }
  return { fills, lost };
}

it('loses less to him than a constant edge does at about as many fills', async () => {
  const sums = { game: { fills: 0, lost: 0 }, constant: { fills: 0, lost: 0 } };
  for (const seed of [1, 2]) {
    const game = await takenFrom('fair-game', '{ risk: 50, bankroll: 100000, distance: 0.6 }', seed);
    const constant = await takenFrom('two-sided', '{ risk: 50, edge: 0.04 }', seed);
    sums.game = { fills: sums.game.fills + game.fills, lost: sums.game.lost + game.lost };
    sums.constant = { fills: sums.constant.fills + constant.fills, lost: sums.constant.lost + constant.lost };
  }
  expect(sums.game.fills).toBeGreaterThan(500);
  expect(sums.game.fills / sums.constant.fills).toBeGreaterThan(0.8);
  expect(sums.constant.lost).toBeGreaterThan(0);
  expect(sums.game.lost / sums.game.fills).toBeLessThan(sums.constant.lost / sums.constant.fills);
});
