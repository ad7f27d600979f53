// The rows of games on the page: figures in cents, a picture in two texts, computed every two seconds.
import { describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import type { GameRiskStatus } from '../../src/engine/index.ts';
import type { GameRisksSource } from '../../src/page/game-rows.ts';
import { GameRows } from '../../src/page/game-rows.ts';
import { wholeOf } from '../../src/page/parts.ts';

const STATUS: GameRiskStatus = {
  gameId: 'g1' as GameId,
  game: 'Hawks @ Owls',
  league: 'NBA',
  start: 1000,
  live: false,
  period: 'full',
  markets: 2,
  worst: -100.004,
  byScore: {
    source: 'odds',
    expected: 12.3456,
    deviation: 80,
    quantile: -60,
    shortfall: -90.5,
    worst: -100,
    hurting: [{ scores: 'away wins', value: -100, p: 0.0312345 }],
  },
  map: {
    margins: [
      { from: -4, to: -1 },
      { from: 0, to: 3 },
    ],
    totals: [{ from: 200, to: 209 }],
    cells: [
      [
        { p: 0.4, value: -100 },
        { p: 0.1, value: 50 },
      ],
    ],
  },
};
const UNKNOWN: GameRiskStatus = { ...STATUS, gameId: 'g2' as GameId, byScore: undefined, map: undefined };

function source(): GameRisksSource & { reads: number } {
  return {
    reads: 0,
    gameRisks() {
      this.reads += 1;
      return [STATUS, UNKNOWN];
    },
    gameOf: () => undefined,
  };
}

describe('the rows of games', () => {
  it('have figures and a picture; those of a game without a distribution have the worst case alone', () => {
    const { g1, g2 } = wholeOf(new GameRows(source()).at(0));
    expect(g1).toMatchObject({ expected: 12.35, worst: -100, hurting: [['away wins', -100, 0.0312]] });
    expect(g1?.picture).toEqual({ margins: [-4, 4, 2], totals: [200, 10, 1], largest: 100, values: 'ao', sizes: '95' });
    expect(g2).toMatchObject({ source: null, shortfall: null, worst: -100, picture: null, hurting: [] });
  });

  it('are computed every two seconds of the run, and again when a past run goes back', () => {
    const core = source();
    const rows = new GameRows(core);
    const reads = [0, 1999, 2000, 3999, 500].map((t) => {
      wholeOf(rows.at(t));
      return core.reads;
    });
    expect(reads).toEqual([1, 1, 2, 2, 3]);
  });
});
