// The figures of the journals of several runs.
import { describe, expect, it } from 'vitest';
import type { Micros, RunEvent } from '../../src/domain/index.ts';
import { NO_COMMISSION } from '../../src/domain/index.ts';
import { RunFigures } from '../../src/run/index.ts';
import type { Config } from '../../src/config/index.ts';
import { filled, settled, START, submitted } from './events.ts';

/** A run of ten seconds on its own exchange, with all its events at the end. */
function follow(figures: RunFigures, t: number, ...events: readonly RunEvent[]): void {
  const exchange = { embedded: {} } as Config['exchange'];
  const follower = figures.beginRun({ exchange, commission: NO_COMMISSION });
  follower.step({ t, mono: 500 }, [{ type: 'RunStarted', run: 'run1' }]);
  follower.step({ t: t + 10_000, mono: 10_500 }, events);
  follower.end();
}

describe('RunFigures of several journals', () => {
  it('count the games in which an own fill was settled, once for each exchange', () => {
    const figures = new RunFigures();
    expect(figures.games).toBe(0);
    follow(figures, START, filled('a'), filled('b'), settled('a', 1e6), settled('b', 1e6));
    follow(figures, START, filled('c'), settled('c', 1e6));
    // not settled
    follow(figures, START, filled('d'));
    expect(figures.games).toBe(2);
  });

  it('add up the counts of the runs, and have the end of the last run', () => {
    const figures = new RunFigures();
    const sample = (frames: number, marked: number, worst: number, restedMs: number): RunEvent => ({
      type: 'Sample',
      marked: (marked * 1e6) as Micros,
      worst: (worst * 1e6) as Micros,
      counts: { frames, placed: 2, fills: 1, riskFilled: 20e6 as Micros, unknownEver: 1, otherRequests: 3 },
      shares: { wantedMs: 1000, restedMs, wantingMs: 0, limitedMs: 0, held: {} },
    });
    const answered: RunEvent = { type: 'RequestAnswered', request: 1, kind: 'place', status: 200, latencyMs: 9 };
    const over = (openAtExit: number): RunEvent => ({ type: 'RunEnded', code: 0, reason: 'time', openAtExit });
    follow(figures, START, submitted(1), answered, sample(5, 1.5, -4, 200), over(2));
    follow(figures, START + 30_000, submitted(1), answered, sample(6, -0.25, -9, 600), over(1));
    expect(figures.run).toMatchObject({
      ...{ runs: 2, durationMs: 20_000, uptime: 0.5, frames: 11, placed: 4, fills: 2, riskFilled: 40 },
      ...{ requests: { place: 2, edit: 0, cancel: 0, other: 6 }, http: { '200': 2 } },
      ...{ unknown: { ever: 2, atExit: 0 }, openAtExit: 1, pnl: { marked: 1.25, worst: -9 }, quotedShare: 0.4 },
    });
  });

  it('have sums of 0 and unknown shares without a run', () => {
    expect(new RunFigures().run).toMatchObject({ runs: 0, frames: 0, uptime: null, quotedShare: null });
  });
});
