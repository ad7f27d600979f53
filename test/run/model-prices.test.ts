// The model of the odds feed against the close, by the distance of its price from even.
import { describe, expect, it } from 'vitest';
import type { GameId, MarketType } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';
import type { RunFill } from '../../src/run/index.ts';
import { modelDistances } from '../../src/run/index.ts';

const fill = (f0: number | undefined, fc: number | undefined, type: MarketType = 'spread', isInPlay = false) =>
  ({
    market: type === 'moneyline' ? market('g' as GameId, type) : market('g' as GameId, type, 3.5),
    isInPlay,
    outside: f0 === undefined ? {} : { model: { f0, fc: undefined } },
    fc,
  }) as unknown as RunFill;

describe('the model against the close', () => {
  it('is the mean and the root mean square of the difference, near even and far from it', () => {
    const rows = modelDistances([fill(0.52, 0.5), fill(0.48, 0.52), fill(0.62, 0.6), fill(0.9, 0.87), fill(0.1, 0.1)]);
    expect(rows.map(({ from, to, fills, mean, rms }) => [from, to, fills, mean, rms])).toEqual([
      [0, 5, 2, -1, 3.162278],
      [5, 10, 0, null, null],
      [10, 20, 1, 2, 2],
      [20, null, 2, 1.5, 2.12132],
    ]);
  });

  it('leaves out moneylines, fills in play, and fills without a price of the model or a close', () => {
    const rows = modelDistances([
      fill(0.52, 0.5, 'moneyline'),
      fill(0.52, 0.5, 'total', true),
      fill(undefined, 0.5),
      fill(0.5, undefined),
    ]);
    expect(rows.every(({ fills }) => fills === 0)).toBe(true);
  });
});
