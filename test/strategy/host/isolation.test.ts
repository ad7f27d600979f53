// A fault of one strategy withdraws its own quotes and stops nothing else.
import { EMPTY, from, map, merge, NEVER, of, Subject, switchMap, take, takeUntil, tap, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { entryOf, HostFixture, id, intentOf, MONEYLINE, SPREAD, TOTAL } from '../fixtures.ts';

const steady = (name = 'steady') =>
  entryOf(name, () => (views$) => views$.pipe(map((view) => intentOf(view.market, 100))));

const boom = (): never => {
  throw new Error('boom');
};

describe('a strategy that throws', () => {
  it.each([
    ['in create', entryOf('bad', () => boom())],
    ['in its operator', entryOf('bad', () => () => boom())],
    ['in map', entryOf('bad', () => (views$) => views$.pipe(map(() => boom())))],
    [
      'at subscription, with a value that is not an error',
      entryOf('bad', () => () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- a plugin may throw anything
        throw 'boom';
      }),
    ],
    ['when it returns no operator', entryOf('bad', () => undefined as never)],
    ['when its operator returns no observable', entryOf('bad', () => () => undefined as never)],
  ])('%s is disabled in that market, while the other strategy continues', (_where, bad) => {
    const fixture = new HostFixture(bad, steady());
    fixture.show(MONEYLINE).show(MONEYLINE).show(SPREAD);
    expect(fixture.faults.map(({ code, strategy }) => [code, strategy])).toEqual([
      ['STRATEGY_THREW', 'bad'],
      ['STRATEGY_THREW', 'bad'],
    ]);
    expect(fixture.faults[0]?.detail).toContain(MONEYLINE.id);
    expect(fixture.standing('bad', MONEYLINE)).toBeUndefined();
    expect(fixture.intents.filter(([, strategy]) => strategy === 'steady')).toHaveLength(3);
  });

  it('in one market continues in the others', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        () => (views$) => views$.pipe(map(({ market }) => (market.id === SPREAD.id ? boom() : intentOf(market, 7)))),
      ),
    );
    fixture.show(MONEYLINE).show(SPREAD).show(MONEYLINE).show(SPREAD);
    expect(fixture.faults).toHaveLength(1);
    expect(fixture.faults[0]?.detail).toContain('boom');
    expect(fixture.standing('main', MONEYLINE)).toBe(7);
    expect(fixture.standing('main', SPREAD)).toBeUndefined();
  });

  it('has its earlier quotes withdrawn', () => {
    const fixture = new HostFixture(
      entryOf('main', () => (views$) => views$.pipe(map((view, n) => (n === 0 ? intentOf(view.market, 7) : boom())))),
    );
    fixture.show(MONEYLINE);
    expect(fixture.standing('main', MONEYLINE)).toBe(7);
    fixture.show(MONEYLINE);
    expect(fixture.intents.at(-1)?.[3]).toMatch(/^none: .*threw/);
  });

  it('in a timer is disabled, and the timers of the other strategy run', () => {
    const later = (name: string, centsFor: (n: number) => number) =>
      entryOf(
        name,
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(switchMap((view) => timer(50, scheduler).pipe(map((n) => intentOf(view.market, centsFor(n)))))),
      );
    const fixture = new HostFixture(
      later('bad', boom),
      later('good', () => 5),
    );
    fixture.show(MONEYLINE, 10).tick(60);
    expect(fixture.faults.map(({ code, strategy }) => [code, strategy])).toEqual([['STRATEGY_THREW', 'bad']]);
    expect(fixture.standing('good', MONEYLINE)).toBe(5);
    fixture.show(MONEYLINE, 70).tick(200);
    expect(fixture.faults).toHaveLength(1);
  });

  it('when its views complete does not keep the market from closing for the others', () => {
    const fixture = new HostFixture(
      entryOf(
        'bad',
        () => (views$) =>
          views$.pipe(
            map((view) => intentOf(view.market, 3)),
            tap({ complete: boom }),
          ),
      ),
      steady(),
    );
    fixture.show(MONEYLINE).close(MONEYLINE);
    expect(fixture.standing('bad', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('steady', MONEYLINE)).toBeUndefined();
    expect(fixture.faults.map(({ code }) => code)).toEqual(['STRATEGY_THREW']);
    fixture.show(MONEYLINE);
    expect(fixture.standing('steady', MONEYLINE)).toBe(100);
  });

  it('is measured with a leave for each enter', () => {
    const fixture = new HostFixture(
      entryOf('bad', () => (views$) => views$.pipe(map(() => boom()))),
      steady(),
    );
    fixture.show(MONEYLINE).show(MONEYLINE).close(MONEYLINE);
    let depth = 0;
    for (const entry of fixture.entered) {
      depth += entry.startsWith('>') ? 1 : -1;
      expect(depth).toBeGreaterThanOrEqual(0);
    }
    expect(depth).toBe(0);
  });
});

describe('a strategy that completes', () => {
  it.each([
    ['at once', () => EMPTY],
    ['with a last intent', () => of(intentOf(MONEYLINE, 4))],
  ])('%s has its quotes withdrawn', (_how, stream) => {
    const fixture = new HostFixture(
      entryOf('main', () => stream),
      steady(),
    );
    fixture.show(MONEYLINE).show(MONEYLINE);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.faults).toMatchObject([{ code: 'STRATEGY_COMPLETED', strategy: 'main' }]);
    expect(fixture.standing('steady', MONEYLINE)).toBe(100);
  });

  it('after some views is disabled until the market opens again', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        () => (views$) =>
          views$.pipe(
            take(2),
            map((view) => intentOf(view.market, 4)),
          ),
      ),
    );
    fixture.show(MONEYLINE);
    expect(fixture.standing('main', MONEYLINE)).toBe(4);
    fixture.show(MONEYLINE).show(MONEYLINE);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    fixture.close(MONEYLINE).show(MONEYLINE);
    expect(fixture.standing('main', MONEYLINE)).toBe(4);
  });
});

describe('an emission outside a dispatch', () => {
  const async$ = from(Promise.resolve());

  it('is refused and reported, and its intent is ignored', async () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        () => (views$) => views$.pipe(switchMap((view) => async$.pipe(map(() => intentOf(view.market, 4))))),
      ),
    );
    fixture.show(MONEYLINE);
    await Promise.resolve();
    await Promise.resolve();
    expect(fixture.said).toEqual([{ what: 'async', strategy: 'main' }]);
  });

  it.each([
    ['an error', () => merge(NEVER, async$.pipe(map(boom)))],
    ['an end', () => NEVER.pipe(takeUntil(async$))],
  ])('is reported too when it is %s, since a replay could not repeat it', async (_name, stream) => {
    const fixture = new HostFixture(entryOf('main', () => stream));
    fixture.show(MONEYLINE);
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(fixture.said).toEqual([{ what: 'async', strategy: 'main' }]);
  });
});

describe('the quarantine of a strategy', () => {
  it('disables all instances of that strategy for good, and no other strategy', () => {
    const fixture = new HostFixture(steady('slow'), steady());
    fixture.show(MONEYLINE).show(SPREAD);
    fixture.host.quarantine(id('slow'), 'STRATEGY_OVERRUN');
    expect(fixture.host.isQuarantined(id('slow'))).toBe(true);
    expect(fixture.host.isQuarantined(id('steady'))).toBe(false);
    expect(fixture.standing('slow', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('slow', SPREAD)).toBeUndefined();
    fixture.show(MONEYLINE).close(MONEYLINE).show(MONEYLINE).show(TOTAL);
    expect(fixture.standing('slow', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('slow', TOTAL)).toBeUndefined();
    expect(fixture.standing('steady', TOTAL)).toBe(100);
  });
});

describe('a strategy in its host', () => {
  it('gets its parameters, the signals and a log', () => {
    const given: unknown[] = [];
    const entry = {
      ...entryOf('main', ({ params, signals, log }) => {
        given.push(params, signals.get('model'), signals.get('none'));
        log('made');
        return (views$) => views$.pipe(map((view) => intentOf(view.market, 1)));
      }),
      params: { edge: 0.02 },
    };
    const fixture = new HostFixture(entry);
    fixture.show(MONEYLINE);
    expect(given).toEqual([{ edge: 0.02 }, 0.5, undefined]);
    expect(fixture.said[0]).toEqual({ what: 'log', strategy: 'main', message: 'made', fields: {} });
  });

  it('gets one view for each input, after the strategies before it in the configuration', () => {
    const shared = new Subject<string>();
    const seen: string[] = [];
    shared.subscribe((name) => seen.push(name));
    const watching = (name: string) =>
      entryOf(
        name,
        () => (views$) =>
          views$.pipe(
            tap(() => shared.next(name)),
            map((view) => intentOf(view.market, 1)),
          ),
      );
    new HostFixture(watching('b'), watching('a')).show(MONEYLINE).show(MONEYLINE);
    expect(seen).toEqual(['b', 'a', 'b', 'a']);
  });
});
