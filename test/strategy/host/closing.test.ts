// Closing of markets: views complete, quotes are withdrawn, and an instance of a whole game outlives its
// single markets.
import type { MonoTypeOperatorFunction, SchedulerLike } from 'rxjs';
import { debounceTime, endWith, map, merge, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { QuoteIntent } from '../../../src/domain/index.ts';
import { entryOf, HostFixture, intentOf, MONEYLINE, OTHER_GAME, SPREAD, TOTAL } from '../fixtures.ts';

const boom = (): never => {
  throw new Error('boom');
};

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

  type Last = (ms: number, scheduler: SchedulerLike) => MonoTypeOperatorFunction<QuoteIntent>;
  it.each<[string, Last]>([
    ['a debounce that flushes', (ms, scheduler) => debounceTime(ms, scheduler)],
    ['a last intent', () => endWith(intentOf(MONEYLINE, 9))],
  ])('accepts %s without a fault and leaves no quote', (_name, last) => {
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
    expect(fixture.intents.map(([, , market, wanted]) => [market, wanted])).toEqual([
      [MONEYLINE.id, 1],
      [SPREAD.id, 2],
      [TOTAL.id, 3],
      [OTHER_GAME.id, 1],
    ]);
  });

  it('completes with its last market, and keeps the others until then', () => {
    const fixture = new HostFixture(perGame());
    fixture.show(MONEYLINE).show(SPREAD).close(MONEYLINE);
    expect(fixture.said.filter(({ what: kind }) => kind === 'log')).toEqual([]);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('main', SPREAD)).toBe(2);
    fixture.close(SPREAD);
    expect(fixture.said.findLast(({ what: kind }) => kind === 'log')).toMatchObject({ fields: { created: 1 } });
  });

  it('loses its quotes in each market of the game when it throws', () => {
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

  it('keeps running when a late intent is for a market that has closed', () => {
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
