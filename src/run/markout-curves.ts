// How fills were worth more or less as time went on, per dollar of payout, with a band: all of them, and cut by what they have in
// common (figures.md, "report.html").
import { createRandom, MARKOUT_SECONDS } from '../domain/index.ts';
import { inventoryBefore } from './attribution.ts';
import { markoutOf } from './fill-figures.ts';
import type { RunFill } from './run-fill.ts';
import { fine } from './rounding.ts';

export type MarkoutPoint = {
  readonly seconds: number;
  readonly fills: number;
  /** Per dollar of payout; null: no fill has a price then. */
  readonly mean: number | null;
  /** 95 % of draws lie between. */
  readonly low: number | null;
  readonly high: number | null;
};
export type MarkoutCurve = { readonly key: string; readonly points: readonly MarkoutPoint[] };
export type MarkoutCut = { readonly by: string; readonly curves: readonly MarkoutCurve[] };

const DRAWS = 200;
const BLOCK_MS = 5 * 60_000;
const FEW_GAMES = 10;

/** Halves and thirds that tell something of most strategies. */
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
      .flatMap(([name, of]) => (name === undefined ? [] : [{ key: name, points: curveOf(of, seed) }]))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, MOST_CURVES),
  }));
}

/** Draws are of whole games, or, of few games, of stretches of five minutes: fills that come together are no two results. */
function curveOf(fills: readonly RunFill[], seed: number): readonly MarkoutPoint[] {
  const games = Map.groupBy(fills, ({ gameId }) => gameId);
  const blocks = [
    ...(games.size >= FEW_GAMES
      ? games
      : Map.groupBy(fills, ({ gameId, t }) => `${gameId} ${Math.floor(t / BLOCK_MS)}`)
    ).values(),
  ];
  return MARKOUT_SECONDS.map((seconds) => {
    const sums = blocks.map((of) => {
      let [money, payout, count] = [0, 0, 0];
      for (const fill of of) {
        const one = markoutOf(fill, seconds);
        if (one === undefined) continue;
        money += one;
        payout += fill.payout;
        count += 1;
      }
      return { money, payout, count };
    });
    const count = sums.reduce((sum, one) => sum + one.count, 0);
    if (count === 0) return { seconds, fills: 0, mean: null, low: null, high: null };
    const mean = ratioOf(sums);
    const random = createRandom(seed, `markout ${seconds}`);
    const draws = Array.from({ length: DRAWS }, () =>
      ratioOf(Array.from(sums, () => sums[Math.floor(random.next() * sums.length)] ?? { money: 0, payout: 0 })),
    ).sort((a, b) => a - b);
    const at = (share: number): number => fine(draws[Math.round(share * (DRAWS - 1))] ?? mean);
    return { seconds, fills: count, mean: fine(mean), low: at(0.025), high: at(0.975) };
  });
}

function ratioOf(sums: readonly { readonly money: number; readonly payout: number }[]): number {
  const payout = sums.reduce((sum, one) => sum + one.payout, 0);
  return payout === 0 ? 0 : sums.reduce((sum, one) => sum + one.money, 0) / payout;
}
