import { describe, expect, it } from 'vitest';
import { TwoWayBook } from '../../src/import/two-way-book.ts';
import type { RunnerChange } from '../../src/import/stream-line.ts';

const change = (more: Partial<RunnerChange>): RunnerChange => ({
  id: 1,
  handicap: 0,
  toBack: undefined,
  toLay: undefined,
  bestToBack: undefined,
  bestToLay: undefined,
  traded: undefined,
  hasLast: false,
  ...more,
});

type Told = Partial<RunnerChange> | undefined;

class Scene {
  readonly book = new TwoWayBook(['1/0', '2/0'], 'bf-1');
  #ms = 0;

  tell(first: Told, second?: Told, isImage = false) {
    const of = (told: Told): RunnerChange[] => (told === undefined ? [] : [change(told)]);
    this.#ms += 1000;
    return this.book.apply([of(first), of(second)], isImage, new Date(this.#ms).toISOString());
  }

  /** `odds risk/left`, best for the taker first. */
  rows(side: 0 | 1, depth = 20): string[] {
    return this.book.rows(side, depth).map(({ odds, risk, untaken }) => `${odds} ${risk / 100}/${untaken / 100}`);
  }
}

describe('what can be laid and backed', () => {
  it('is offers on the runner by those who back it, and on the other one by those who lay it', () => {
    const scene = new Scene();
    // laying at 2.5 with a backer's 40 risks 60 at 5/3
    scene.tell({ toBack: [[2.5, 40]], toLay: [[2.6, 30]] });
    expect(scene.rows(0)).toEqual(['160 30/30']);
    expect(scene.rows(1)).toEqual(['-150 60/60']);
    scene.tell(undefined, { toBack: [[1.6, 100]], toLay: [[1.65, 80]] });
    expect(scene.rows(0)).toEqual(['160 30/30', '166.7 60/60']);
    expect(scene.rows(1)).toEqual(['-153.8 80/80', '-150 60/60']);
  });

  it('meets on one rung in the order in which it came', () => {
    const scene = new Scene();
    scene.tell({ toLay: [[3, 10]] });
    scene.tell(undefined, { toBack: [[1.5, 40]] });
    scene.tell({ toLay: [[3, 25]] });
    expect(scene.rows(0)).toEqual(['200 10/10', '200 20/20', '200 15/15']);
    expect(scene.rows(0, 2)).toEqual(['200 10/10', '200 20/20']);
  });
});

describe('a size that changes', () => {
  it('is a new order behind the others when it grows, and one withdrawn from their end when it falls', () => {
    const scene = new Scene();
    for (const size of [10, 25, 28]) scene.tell({ toLay: [[3, size]] });
    expect(scene.rows(0)).toEqual(['200 10/10', '200 15/15', '200 3/3']);
    scene.tell({ toLay: [[3, 12]] });
    expect(scene.rows(0)).toEqual(['200 10/10', '200 2/2']);
  });

  it('was taken from the oldest as far as trades grew, of which one half is the stake of a backer', () => {
    const scene = new Scene();
    for (const size of [10, 25]) scene.tell({ toLay: [[3, size]] });
    const { spent } = scene.tell({ toLay: [[3, 12]], traded: [[3, 24]] });
    expect(spent[0].map(({ risk, untaken }) => [risk, untaken])).toEqual([[1000, 0]]);
    // 12 were taken, and 1 withdrawn
    expect(scene.rows(0)).toEqual(['200 14/12']);
    expect(scene.book.trades).toEqual({ traded: 12, found: 12 });
  });

  it('was taken wholly where each runner counts its own stake alone: offers of both met', () => {
    const scene = new Scene();
    scene.tell({ toBack: [[3.15, 12.22]] });
    // 2.49 at 3.15 pays what 5.33 pays at 1.47
    scene.tell({ toBack: [[3.15, 9.73]], traded: [[3.15, 2.49]] }, { traded: [[1.47, 5.33]] });
    expect(scene.rows(1)).toEqual(['-215 26.27/20.92']);
  });

  it('hides a take where as much was offered anew at once', () => {
    const scene = new Scene();
    scene.tell({ toLay: [[3, 10]] });
    scene.tell({ traded: [[3, 8]] });
    expect(scene.rows(0)).toEqual(['200 10/6', '200 4/4']);
  });

  it('tells of no take without an offer that stood there before', () => {
    const scene = new Scene();
    scene.tell({ toLay: [[3, 10]], traded: [[3, 500]] });
    expect(scene.rows(0)).toEqual(['200 10/10']);
    expect(scene.book.trades).toEqual({ traded: 250, found: 0 });
  });
});

describe('an image', () => {
  it('takes away what it leaves out', () => {
    const scene = new Scene();
    scene.tell({ toLay: [[3, 10]], toBack: [[2, 5]] });
    scene.tell({ toLay: [[3.1, 4]] }, undefined, true);
    expect([scene.rows(0), scene.rows(1)]).toEqual([['210 4/4'], []]);
  });
});

describe('the best prices alone', () => {
  const places = (...prices: readonly (readonly [number, number])[]) =>
    prices.map(([price, size], place) => [place, price, size] as const);

  it('push the last one out, which is the same when it comes back', () => {
    const scene = new Scene();
    scene.tell({ bestToLay: places([3, 10], [3.1, 20], [3.2, 30]) });
    const before = scene.book.rows(0, 20).map(({ id }) => id);
    scene.tell({ bestToLay: places([2.9, 5], [3, 10], [3.1, 20]) });
    expect(scene.rows(0)).toEqual(['190 5/5', '200 10/10', '210 20/20']);
    scene.tell({ bestToLay: places([3, 10], [3.1, 20], [3.2, 30]) });
    expect(scene.book.rows(0, 20).map(({ id }) => id)).toEqual(before);
  });

  it('tell of one that is gone while there is room behind', () => {
    const scene = new Scene();
    scene.tell({ bestToLay: places([3, 10], [3.1, 20], [3.2, 30]) });
    scene.tell({ bestToLay: [[2, 0, 0] as const] });
    expect(scene.rows(0)).toEqual(['200 10/10', '210 20/20']);
  });
});
