import fc from 'fast-check';
import type { SchedulerAction } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualScheduler } from '../../src/strategy/scheduler.ts';

const plain = { run: (action: () => void) => action() };

describe('VirtualScheduler', () => {
  it('runs nothing until time passes, then each due action at its own time', () => {
    const virtual = new VirtualScheduler();
    const scheduler = virtual.forOwner(plain);
    const ran: [string, number][] = [];
    scheduler.schedule(() => ran.push(['late', scheduler.now()]), 300);
    scheduler.schedule(() => ran.push(['early', scheduler.now()]), 100);
    virtual.runUntil(99);
    expect(ran).toEqual([]);
    expect(virtual.nextDue).toBe(100);
    virtual.runUntil(1000);
    expect(ran).toEqual([
      ['early', 100],
      ['late', 300],
    ]);
    expect(scheduler.now()).toBe(1000);
    expect(virtual.nextDue).toBeUndefined();
  });

  it('runs actions in the order (due, registration)', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 40 }), (delays) => {
        const virtual = new VirtualScheduler();
        const scheduler = virtual.forOwner(plain);
        const ran: number[] = [];
        delays.forEach((delay, index) => scheduler.schedule(() => ran.push(index), delay));
        virtual.runUntil(20);
        const wanted = delays
          .map((delay, index) => ({ delay, index }))
          .sort((a, b) => a.delay - b.delay || a.index - b.index)
          .map(({ index }) => index);
        expect(ran).toEqual(wanted);
      }),
    );
  });

  it('runs the same actions whether time passes in one step or in many', () => {
    const run = (steps: readonly number[], delays: readonly number[]): [number, number][] => {
      const virtual = new VirtualScheduler();
      const scheduler = virtual.forOwner(plain);
      const ran: [number, number][] = [];
      delays.forEach((delay, index) => {
        scheduler.schedule(function (this: SchedulerAction<unknown>) {
          ran.push([index, scheduler.now()]);
          if (ran.length < 60) this.schedule(undefined, delay);
        }, delay);
      });
      for (const step of steps) virtual.runUntil(step);
      virtual.runUntil(500);
      return ran;
    };
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 20 }),
        fc.array(fc.integer({ min: 10, max: 200 }), { minLength: 1, maxLength: 5 }),
        (steps, delays) => {
          expect(
            run(
              steps.toSorted((a, b) => a - b),
              delays,
            ),
          ).toEqual(run([], delays));
        },
      ),
    );
  });

  it('drops an action that was unsubscribed, also by an earlier action of the same time', () => {
    const virtual = new VirtualScheduler();
    const scheduler = virtual.forOwner(plain);
    const ran: string[] = [];
    scheduler.schedule(() => {
      ran.push('first');
      second.unsubscribe();
    }, 10);
    const second = scheduler.schedule(() => ran.push('second'), 10);
    scheduler.schedule(() => ran.push('third'), 10).unsubscribe();
    virtual.runUntil(10);
    expect(ran).toEqual(['first']);
  });

  it('moves an action that is scheduled again, instead of running it twice', () => {
    const virtual = new VirtualScheduler();
    const scheduler = virtual.forOwner(plain);
    const ran: number[] = [];
    const action = scheduler.schedule(() => ran.push(scheduler.now()), 10) as SchedulerAction<unknown>;
    action.schedule(undefined, 50);
    virtual.runUntil(100);
    expect(ran).toEqual([50]);
  });

  it.each([0, -5, Number.NaN])(
    'takes at least a millisecond for a delay of %d, so that a loop of such delays ends',
    (delay) => {
      const virtual = new VirtualScheduler();
      const scheduler = virtual.forOwner(plain);
      let runs = 0;
      scheduler.schedule(function (this: SchedulerAction<unknown>) {
        runs += 1;
        this.schedule(undefined, delay);
      }, delay);
      virtual.runUntil(20);
      expect(runs).toBe(20);
    },
  );

  it('runs each action through its owner', () => {
    const virtual = new VirtualScheduler();
    const owners: string[] = [];
    for (const name of ['a', 'b', 'a']) {
      const scheduler = virtual.forOwner({
        run: (action) => {
          owners.push(name);
          action();
        },
      });
      scheduler.schedule(() => undefined, 1);
    }
    virtual.runUntil(1);
    expect(owners).toEqual(['a', 'b', 'a']);
  });

  it('does not go back in time', () => {
    const virtual = new VirtualScheduler();
    const scheduler = virtual.forOwner(plain);
    virtual.runUntil(100);
    virtual.runUntil(50);
    expect(scheduler.now()).toBe(100);
  });
});
