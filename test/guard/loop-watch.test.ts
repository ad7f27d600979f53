import { describe, expect, it } from 'vitest';
import { LoopWatch, StallMeter } from '../../src/ops/index.ts';
import { eventually } from './fixtures.ts';

function watch(): { readonly watch: LoopWatch; now: number; fenced: boolean } {
  const clock = { now: 0, fenced: false };
  const watch = new LoopWatch({ deadlineMs: 10_000, fenced: () => clock.fenced, now: () => clock.now });
  return Object.assign(clock, { watch });
}

describe('the permission to place', () => {
  it('lasts for half of guard.deadline after a completed loop', () => {
    const watched = watch();
    watched.now = 500;
    watched.watch.completed();
    watched.now = 5500;
    expect(watched.watch.mayPlace()).toBeUndefined();
    watched.now = 5501;
    expect(watched.watch.mayPlace()).toMatch(/stood still for 5001 ms, more than half of guard.deadline/);
  });

  it('is refused to the step that ends too long a gap, and given to the next step', () => {
    const watched = watch();
    watched.watch.completed();
    // the process was stopped; the first step after SIGCONT completes and its commands are carried out
    watched.now = 7000;
    watched.watch.completed();
    expect(watched.watch.mayPlace()).toMatch(/stood still for 7000 ms/);
    watched.now = 7010;
    watched.watch.completed();
    expect(watched.watch.mayPlace()).toBeUndefined();
  });

  it('ends at a fence and with the lease', () => {
    const watched = watch();
    watched.watch.completed();
    watched.watch.forbidden = 'the lease is lost';
    expect(watched.watch.mayPlace()).toBe('the lease is lost');
    watched.fenced = true;
    expect(watched.watch.mayPlace()).toMatch(/a fence stands/);
  });
});

describe('a stall of the event loop', () => {
  it('is measured', async () => {
    const meter = new StallMeter(10);
    expect(meter.take()).toBeLessThan(100);
    const until = performance.now() + 150;
    while (performance.now() < until);
    expect(await eventually('it is seen', () => meter.longestMs > 100 && meter.longestMs)).toBeGreaterThan(100);
    meter.stop();
  });
});
