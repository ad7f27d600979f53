// One strategy's fault is its own: its quotes are pulled, and nothing else stops.
import {
  EMPTY,
  endWith,
  from,
  map,
  merge,
  NEVER,
  of,
  Subject,
  switchMap,
  take,
  takeUntil,
  tap,
  timer,
} from 'rxjs';
import { debounceTime } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { entryOf, HostFixture, id, intentOf, MONEYLINE, OTHER_GAME, SPREAD, TOTAL } from './fixtures.ts';

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
      'at subscription, with something that is no error',
      entryOf('bad', () => () => {
        throw 'boom';
      }),
    ], // eslint-disable-line
    ['when it returns no operator', entryOf('bad', () => undefined as never)],
  ])('%s is off in that market, while the other goes on', (_where, bad) => {
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

  it('in one market goes on in the others', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        () => (views$) =>
          views$.pipe(map(({ market }) => (market.id === SPREAD.id ? boom() : intentOf(market, 7)))),
      ),
    );
    fixture.show(MONEYLINE).show(SPREAD).show(MONEYLINE).show(SPREAD);
    expect(fixture.faults).toHaveLength(1);
    expect(fixture.faults[0]?.detail).toContain('boom');
    expect(fixture.standing('main', MONEYLINE)).toBe(7);
    expect(fixture.standing('main', SPREAD)).toBeUndefined();
  });

  it('has the quotes pulled that it wanted before', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        () => (views$) => views$.pipe(map((view, n) => (n === 0 ? intentOf(view.market, 7) : boom()))),
      ),
    );
    fixture.show(MONEYLINE);
    expect(fixture.standing('main', MONEYLINE)).toBe(7);
    fixture.show(MONEYLINE);
    expect(fixture.intents.at(-1)?.[3]).toMatch(/^none: .*threw/);
  });

  it('in a timer is off, and the timers of the other run', () => {
    const later = (name: string, what: (n: number) => number) =>
      entryOf(
        name,
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(
              switchMap((view) => timer(50, scheduler).pipe(map((n) => intentOf(view.market, what(n))))),
            ),
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

  it('when its views complete does not stop the closing of the others', () => {
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

  it('is measured whatever it does: every enter has its leave', () => {
    const fixture = new HostFixture(
      entryOf('bad', () => (views$) => views$.pipe(map(() => boom()))),
      steady(),
    );
    fixture.show(MONEYLINE).show(MONEYLINE).close(MONEYLINE);
    let depth = 0;
    for (const one of fixture.entered) {
      depth += one.startsWith('>') ? 1 : -1;
      expect(depth).toBeGreaterThanOrEqual(0);
    }
    expect(depth).toBe(0);
  });
});

describe('a strategy that completes', () => {
  it.each([
    ['at once', () => EMPTY],
    ['with a last intent', () => of(intentOf(MONEYLINE, 4))],
  ])('%s has its quotes pulled', (_how, stream) => {
    const fixture = new HostFixture(
      entryOf('main', () => stream),
      steady(),
    );
    fixture.show(MONEYLINE).show(MONEYLINE);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.faults).toEqual([]);
    expect(fixture.standing('steady', MONEYLINE)).toBe(100);
  });

  it('after some views is off until the market opens again', () => {
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

describe('a closing market', () => {
  it('completes the views and withdraws the quotes', () => {
    let completed = 0;
    const fixture = new HostFixture(
      entryOf(
        'main',
        () => (views$) =>
          views$.pipe(
            tap({ complete: () => (completed += 1) }),
            map((view) => intentOf(view.market, 4)),
          ),
      ),
    );
    fixture.show(MONEYLINE).show(SPREAD).close(MONEYLINE);
    expect(completed).toBe(1);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('main', SPREAD)).toBe(4);
    fixture.close(MONEYLINE).close(TOTAL);
    expect(completed).toBe(1);
  });

  it.each([
    ['a debounce that flushes', debounceTime],
    ['a last word', () => endWith(intentOf(MONEYLINE, 9))],
  ])('does not make %s at the end a fault, and lets no quote stand', (_what, last) => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(
              map((view) => intentOf(view.market, 4)),
              last(200, scheduler),
            ),
      ),
    );
    fixture.show(MONEYLINE, 10).close(MONEYLINE);
    expect(fixture.faults).toEqual([]);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
  });
});

describe('an emission outside a dispatch', () => {
  const async$ = from(Promise.resolve());

  it('is refused and reported, and nothing is taken from it', async () => {
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
  ])('is reported too when it is %s: a replay could not repeat it', async (_what, stream) => {
    const fixture = new HostFixture(entryOf('main', () => stream));
    fixture.show(MONEYLINE);
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(fixture.said).toEqual([{ what: 'async', strategy: 'main' }]);
  });
});

describe('a strategy of scope game', () => {
  const perGame = (created: string[] = []) =>
    entryOf(
      'main',
      ({ log }) => {
        created.push('created');
        return (views$) =>
          views$.pipe(
            tap({ complete: () => log('the game is over', { created: created.length }) }),
            map((view, n) => intentOf(view.market, n + 1)),
          );
      },
      'game',
    );

  it('gets the views of all markets of one game in one instance, and another game in another', () => {
    const created: string[] = [];
    const fixture = new HostFixture(perGame(created));
    fixture.show(MONEYLINE).show(SPREAD).show(TOTAL).show(OTHER_GAME);
    expect(created).toHaveLength(2);
    expect(fixture.intents.map(([, , market, what]) => [market, what])).toEqual([
      [MONEYLINE.id, 1],
      [SPREAD.id, 2],
      [TOTAL.id, 3],
      [OTHER_GAME.id, 1],
    ]);
  });

  it('completes with its last market, and keeps the others until then', () => {
    const fixture = new HostFixture(perGame());
    fixture.show(MONEYLINE).show(SPREAD).close(MONEYLINE);
    expect(fixture.said.filter(({ what }) => what === 'log')).toEqual([]);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('main', SPREAD)).toBe(2);
    fixture.close(SPREAD);
    expect(fixture.said.at(-1)).toMatchObject({ what: 'log', fields: { created: 1 } });
  });

  it('loses its quotes in every market of the game when it throws', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        () => (views$) => views$.pipe(map((view, n) => (n < 2 ? intentOf(view.market, 5) : boom()))),
        'game',
      ),
    );
    fixture.show(MONEYLINE).show(SPREAD).show(OTHER_GAME).show(MONEYLINE);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('main', SPREAD)).toBeUndefined();
    expect(fixture.standing('main', OTHER_GAME)).toBe(5);
  });

  it('stays on when a late intent is for a market that closed meanwhile', () => {
    const fixture = new HostFixture(
      entryOf(
        'main',
        ({ scheduler }) =>
          (views$) =>
            merge(
              views$.pipe(map((view) => intentOf(view.market, 5))),
              views$.pipe(
                debounceTime(200, scheduler),
                map((view) => intentOf(view.market, 6)),
              ),
            ),
        'game',
      ),
    );
    fixture.show(SPREAD, 10).show(MONEYLINE, 20).close(MONEYLINE).tick(500);
    expect(fixture.faults).toEqual([]);
    expect(fixture.standing('main', SPREAD)).toBe(5);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
  });
});

describe('quarantine', () => {
  it('takes every instance of one strategy off for good, and no other', () => {
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

describe('what a strategy is given', () => {
  it('has its parameters, the signals and a log', () => {
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

  it('is one view per strategy and input, in the order of the file', () => {
    const shared = new Subject<string>();
    const seen: string[] = [];
    shared.subscribe((one) => seen.push(one));
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
