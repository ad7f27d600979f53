// Markout curves: the value of fills over time per dollar of payout, with a confidence band, for all fills
// and cut by group (figures.md, "report.html").
import { createRandom, MARKOUT_SECONDS } from '../domain/index.ts';
import { inventoryBefore } from './attribution.ts';
import { markoutOf } from './fill-figures.ts';
import type { RunFill } from './run-fill.ts';
import { fine } from './rounding.ts';

export type MarkoutPoint = {
  readonly seconds: number;
  readonly fills: number;
  /** Mean markout per dollar of payout. Null: no fill has a price then. */
  readonly mean: number | null;
  /** Bounds of the 95 % band of the draws. */
  readonly low: number | null;
  readonly high: number | null;
};
export type MarkoutCurve = { readonly key: string; readonly points: readonly MarkoutPoint[] };
export type MarkoutCut = { readonly by: string; readonly curves: readonly MarkoutCurve[] };

const DRAWS = 200;
const BLOCK_MS = 5 * 60_000;
const FEW_GAMES = 10;

/** Cuts that are informative for most strategies. */
const CUTS: readonly { readonly by: string; readonly key: (fill: RunFill) => string | undefined }[] = [
  { by: 'all', key: () => 'all fills' },
  {
    by: 'inventory',
    key: (fill) => {
      const held = inventoryBefore(fill);
      return held > 1 ? 'adds to what is held' : held < -1 ? 'reduces it' : 'from flat';
    },
  },
  {
    by: 'age',
    key: ({ ageMs }) =>
      ageMs === undefined ? undefined : ageMs < 2000 ? 'under 2 s' : ageMs < 30_000 ? '2 to 30 s' : 'over 30 s',
  },
  {
    by: 'queue',
    key: ({ queuePlaced }) =>
      queuePlaced === undefined ? undefined : queuePlaced < 1e6 ? 'first in the queue' : 'behind others',
  },
  { by: 'strategy', key: ({ strategy }) => strategy },
];
const MOST_CURVES = 6;

export function markoutCuts(fills: readonly RunFill[], seed: number): readonly MarkoutCut[] {
  return CUTS.map(({ by, key }) => ({
    by,
    curves: [...Map.groupBy(fills, key)]
      .flatMap(([name, group]) => (name === undefined ? [] : [{ key: name, points: curveOf(group, seed) }]))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, MOST_CURVES),
  }));
}

/**
 * The curve of a group. It draws whole games, or blocks of five minutes when games are few: clustered fills
 * are not independent.
 */
function curveOf(fills: readonly RunFill[], seed: number): readonly MarkoutPoint[] {
  const games = Map.groupBy(fills, ({ gameId }) => gameId);
  const blocks = [
    ...(games.size >= FEW_GAMES
      ? games
      : Map.groupBy(fills, ({ gameId, t }) => `${gameId} ${Math.floor(t / BLOCK_MS)}`)
    ).values(),
  ];
  return MARKOUT_SECONDS.map((seconds) => {
    const sums = blocks.map((block) => {
      let [money, payout, count] = [0, 0, 0];
      for (const fill of block) {
        const value = markoutOf(fill, seconds);
        if (value === undefined) continue;
        money += value;
        payout += fill.payout;
        count += 1;
      }
      return { money, payout, count };
    });
    const count = sums.reduce((sum, block) => sum + block.count, 0);
    if (count === 0) return { seconds, fills: 0, mean: null, low: null, high: null };
    const mean = ratioOf(sums, (block) => block);
    const random = createRandom(seed, `markout ${seconds}`);
    const anyBlock = (): number => Math.floor(random.next() * sums.length);
    const draws = Array.from({ length: DRAWS }, () => ratioOf(sums, anyBlock)).sort((a, b) => a - b);
    const quantile = (share: number): number => fine(draws[Math.round(share * (DRAWS - 1))] ?? mean);
    return { seconds, fills: count, mean: fine(mean), low: quantile(0.025), high: quantile(0.975) };
  });
}

/** Money per dollar of payout over as many blocks as there are; `chosen` says which block stands in each place. */
function ratioOf(
  sums: readonly { readonly money: number; readonly payout: number }[],
  chosen: (place: number) => number,
): number {
  let [money, payout] = [0, 0];
  for (let place = 0; place < sums.length; place++) {
    const block = sums[chosen(place)];
    if (block === undefined) continue;
    money += block.money;
    payout += block.payout;
  }
  return payout === 0 ? 0 : money / payout;
}
