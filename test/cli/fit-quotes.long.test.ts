// A backtest on a made exchange whose takers are known: how often they come, how far they reach, and how many of
// them know the next move. `fit-quotes` finds these numbers from own quotes and fills alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { QuoteTable } from 'oddsmaker/pricing';
import { createRandom, oddsOf, probabilityOf, rungAtMost } from '../../src/domain/index.ts';
import type { AmericanOdds } from '../../src/domain/index.ts';
import { command, folder, NO_JOURNAL, run, TWO_SIDED, writeConfig } from '../support/children.ts';
import type { Row, SideName } from '../backtest/made-tape.ts';
import { MadeTape } from '../backtest/made-tape.ts';

/** Takers an hour on each side. */
const A = 40;
/** How fast their reach falls, per point. */
const K = 0.8;
/** The share of the takers who know a move of so many points. */
const INFORMED = 0.5;
const MOVE = 0.6;
const HOURS = 8;
/** The distance of whole prices near even, points. */
const STEP = 0.245;
const LEVELS = 30;
const SIZE = 10_000;

/** A ladder with an offer at each whole price below fair, the best first. */
function ladderAt(fair: number, name: string): readonly Row[] {
  const rows: Row[] = [];
  for (let p = fair - 0.001; rows.length < LEVELS;) {
    const rung = rungAtMost(p, 1);
    if (rung === undefined) break;
    const odds = oddsOf(rung);
    if (rows.at(-1)?.odds !== odds) rows.push({ id: `${name}-${rows.length}`, odds, risk: SIZE });
    p -= 0.001;
  }
  return rows;
}

/** A game in play. Each taker takes from all offers within his reach; after an informed one, all prices move. */
function gameOfTakers(seed: number): string {
  const random = createRandom(seed, 'takers');
  const exponential = (mean: number): number => -mean * Math.log(1 - random.next());
  const tape = new MadeTape().game(0, { live: true, start: '2030-01-01T11:00:00Z' });
  let fair = 0.5;
  let ladders: Record<'home' | 'away', readonly Row[]> = { home: [], away: [] };
  const show = (second: number, sides: readonly ('home' | 'away')[]): void => {
    for (const side of sides) tape.side(second, side satisfies SideName, ladders[side], true);
  };
  const move = (second: number): void => {
    ladders = { home: ladderAt(fair, `h${second}`), away: ladderAt(1 - fair, `a${second}`) };
    show(second, ['home', 'away']);
  };
  move(1);
  for (let second = 60 + exponential(1800 / A); second < HOURS * 3600; second += 2 + exponential(1800 / A)) {
    const side = random.next() < 0.5 ? 'home' : 'away';
    const sideFair = side === 'home' ? fair : 1 - fair;
    const reach = exponential(1 / K) / 100;
    ladders[side] = ladders[side].map((row) =>
      sideFair - probabilityOf(row.odds as AmericanOdds) > reach ? row : { ...row, left: (row.left ?? row.risk) - 30 },
    );
    show(second, [side]);
    if (random.next() >= INFORMED) continue;
    fair += ((side === 'home' ? -1 : 1) * MOVE) / 100;
    move(second + 1);
  }
  return tape.game(HOURS * 3600 + 60, { live: true, ended: true, start: '2030-01-01T11:00:00Z' }).write();
}

it.each([1, 2, 3])('finds the takers of a made exchange, and how many are informed (seed %i)', async (seed) => {
  const tape = gameOfTakers(seed);
  const config = writeConfig(
    `exchange: { embedded: {} }\n${NO_JOURNAL}markets: { leagues: [NBA], live: true, stopBefore: 0s }\n` +
      `strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.02, risk: 10, skew: 0, inventoryLimit: 100000 } }\n` +
      'risk: { maxGameLoss: 100000, maxTotalLoss: 100000 }\norders: { tolerance: 0.0005 }\n',
  );
  const out = folder();
  const played = await run([
    ...['backtest', config, '--tape', tape, '--fills', 'pessimistic', '--out', out],
    ...['--vary', 'main.edge=0.006,0.011,0.016,0.022,0.03,0.04'],
  ]);
  expect(played.code, played.stderr).toBe(0);
  const file = join(folder(), 'quotes.json');
  const fitted = await command(['fit-quotes', out, '--out', file]);
  expect([fitted.code, fitted.stderr]).toEqual([0, '']);
  const [group] = (JSON.parse(readFileSync(file, 'utf8')) as QuoteTable).groups;
  expect(group).toMatchObject({ league: 'NBA', type: 'moneyline', phase: 'inplay' });
  const { A: found = 0, k = 0, a = 0, errors = { A: 0, k: 0, a: 0 } } = group ?? {};
  expect(Math.abs(k - K)).toBeLessThan(2.5 * errors.k);
  expect(Math.abs(a - INFORMED * MOVE)).toBeLessThan(2.5 * errors.a);
  // an own quote stands behind the offers of its price: a taker has to reach the next one
  expect(Math.abs(found - A * Math.exp(-K * STEP))).toBeLessThan(2.5 * errors.A);
  expect(errors.k).toBeLessThan(0.2 * K);
  expect(errors.A).toBeLessThan(0.25 * A);
  expect(errors.a).toBeLessThan(0.15);
});
