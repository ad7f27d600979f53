import { describe, expect, it } from 'vitest';
import { LoopWatch, StallMeter } from '../../src/ops/index.ts';
import { eventually } from './fixtures.ts';

function watch(): { readonly watch: LoopWatch; now: number; fenced: boolean } {
  const clock = { now: 0, fenced: false };
  const watch = new LoopWatch({ deadlineMs: 10_000, fenced: () => clock.fenced, now: () => clock.now });
  return Object.assign(clock, { watch });
}

describe('the right to place', () => {
  it('lasts for half of guard.deadline after a completed loop', () => {
    const one = watch();
    one.now = 500;
    one.watch.completed();
    one.now = 5500;
    expect(one.watch.mayPlace()).toBeUndefined();
    one.now = 5501;
    expect(one.watch.mayPlace()).toMatch(/stood still for 5001 ms, more than half of guard.deadline/);
  });

  it('is refused to the step that ends too long a gap, whatever woke it, and given to the next', () => {
    const one = watch();
    one.watch.completed();
    // the process was stopped; the first step after SIGCONT completes and its commands are carried out
    one.now = 7000;
    one.watch.completed();
    expect(one.watch.mayPlace()).toMatch(/stood still for 7000 ms/);
    one.now = 7010;
    one.watch.completed();
    expect(one.watch.mayPlace()).toBeUndefined();
  });

  it('ends at a fence and with the lease', () => {
    const one = watch();
    one.watch.completed();
    one.watch.forbidden = 'the lease is lost';
    expect(one.watch.mayPlace()).toBe('the lease is lost');
    one.fenced = true;
    expect(one.watch.mayPlace()).toMatch(/a fence stands/);
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
