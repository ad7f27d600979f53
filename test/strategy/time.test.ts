// Strategies whose intents depend on time. Their time is the time of the inputs, so that a replay repeats
// them.
import fc from 'fast-check';
import { auditTime, debounceTime, delay, interval, map, merge, switchMap, take, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { entryOf, HostFixture, intentOf, MONEYLINE, SPREAD } from './fixtures.ts';

const cents = (time: number): number => time + 1;

const debounced = () =>
  entryOf(
    'main',
    ({ scheduler }) =>
      (views$) =>
        views$.pipe(
          debounceTime(200, scheduler),
          map((view) => intentOf(view.market, cents(view.time))),
        ),
  );

describe('a strategy with time operators', () => {
  it('emits a debounced intent after the views are quiet for the given time, and not before', () => {
    const fixture = new HostFixture(debounced());
    fixture.show(MONEYLINE, 1000).show(MONEYLINE, 1150).tick(1349);
    expect(fixture.intents).toEqual([]);
    expect(fixture.host.nextDue).toBe(1350);
    fixture.tick(1350);
    expect(fixture.intents).toEqual([[1350, 'main', MONEYLINE.id, cents(1150)]]);
    expect(fixture.host.nextDue).toBeUndefined();
  });

  it('runs due timers before the input that brings the time', () => {
    const fixture = new HostFixture(debounced());
    fixture.show(MONEYLINE, 1000).show(MONEYLINE, 1500).tick(1700);
    expect(fixture.intents.map(([, , , wanted]) => wanted)).toEqual([cents(1000), cents(1500)]);
  });

  it('gives auditTime the last view of each span', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(
              auditTime(100, scheduler),
              map((view) => intentOf(view.market, cents(view.time))),
            ),
      ),
    );
    fixture.show(MONEYLINE, 10).show(MONEYLINE, 50).show(MONEYLINE, 90).tick(110).show(MONEYLINE, 130).tick(300);
    expect(fixture.intents.map(([, , , wanted]) => wanted)).toEqual([cents(90), cents(130)]);
  });

  it('runs interval and timer beside the views, without drift', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(
              take(1),
              switchMap(({ market }) =>
                merge(
                  interval(100, scheduler).pipe(map((n) => intentOf(market, n + 1))),
                  timer(250, scheduler).pipe(map(() => intentOf(market, 999))),
                ),
              ),
            ),
      ),
    );
    fixture.show(MONEYLINE, 1000);
    for (let now = 1003; now < 1400; now += 9) fixture.tick(now);
    expect(fixture.intents.map(([, , , wanted]) => wanted)).toEqual([1, 2, 999, 3]);
    expect(fixture.host.nextDue).toBe(1400);
  });

  it('orders timers of several strategies by due time, then by registration', () => {
    const after = (name: string, ms: number) =>
      entryOf(
        name,
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(
              delay(ms, scheduler),
              map((view) => intentOf(view.market, 1)),
            ),
      );
    const fixture = new HostFixture(after('c', 30), after('a', 20), after('b', 20));
    fixture.show(MONEYLINE, 100).tick(1000);
    expect(fixture.intents.map(([, strategy]) => strategy)).toEqual(['a', 'b', 'c']);
  });

  it('loses the timers of an instance whose market closed', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(switchMap((view) => interval(100, scheduler).pipe(map((n) => intentOf(view.market, n + 1))))),
      ),
    );
    fixture.show(MONEYLINE, 0).show(SPREAD, 0).tick(100).close(MONEYLINE).tick(200);
    expect(fixture.intents.filter(([timeMs]) => timeMs === 200)).toEqual([[200, 'main', SPREAD.id, 2]]);
    fixture.close(SPREAD);
    expect(fixture.host.nextDue).toBeUndefined();
  });

  it('emits the same intents for the same views at the same times, at any times of the ticks', () => {
    const entries = () => [
      debounced(),
      entryOf(
        'audit',
        ({ scheduler }) =>
          (views$) =>
            merge(
              views$.pipe(
                auditTime(70, scheduler),
                map((view) => intentOf(view.market, cents(view.time))),
              ),
              views$.pipe(
                switchMap((view) =>
                  interval(90, scheduler).pipe(
                    take(3),
                    map((n) => intentOf(view.market, scheduler.now() * 10 + n)),
                  ),
                ),
              ),
            ),
      ),
    ];
    const run = (steps: readonly { readonly at: number; readonly show: boolean; readonly spread: boolean }[]) => {
      const fixture = new HostFixture(...entries());
      for (const { at: timeMs, show, spread } of steps) {
        if (show) fixture.show(spread ? SPREAD : MONEYLINE, timeMs);
        else fixture.tick(timeMs);
      }
      return fixture.tick(10_000).intents.map(([, ...intent]) => intent);
    };
    const steps = fc
      .array(fc.record({ at: fc.integer({ min: 0, max: 3000 }), show: fc.boolean(), spread: fc.boolean() }), {
        maxLength: 30,
      })
      .map((all) => all.toSorted((a, b) => a.at - b.at));
    fc.assert(
      fc.property(steps, (all) => {
        const once = run(all);
        expect(run(all)).toEqual(once);
        // ticks only bring the time: without them the same timers run, later but in the same order
        expect(run(all.filter(({ show }) => show))).toEqual(once);
      }),
    );
  });
});
