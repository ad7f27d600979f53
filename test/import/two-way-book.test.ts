import { describe, expect, it } from 'vitest';
import { TwoWayBook } from '../../src/import/two-way-book.ts';
import type { RunnerChange } from '../../src/import/stream-line.ts';

const change = (fields: Partial<RunnerChange>): RunnerChange => ({
  id: 1,
  handicap: 0,
  toBack: undefined,
  toLay: undefined,
  bestToBack: undefined,
  bestToLay: undefined,
  traded: undefined,
  hasLast: false,
  ...fields,
});

type PartialChange = Partial<RunnerChange> | undefined;

class Scene {
  readonly book = new TwoWayBook(['1/0', '2/0'], 'bf-1');
  #ms = 0;

  send(first: PartialChange, second?: PartialChange, isImage = false) {
    const changesOf = (given: PartialChange): RunnerChange[] => (given === undefined ? [] : [change(given)]);
    this.#ms += 1000;
    return this.book.applyChanges([changesOf(first), changesOf(second)], isImage, new Date(this.#ms).toISOString());
  }

  /** `odds risk/left`, best for the taker first. */
  rows(side: 0 | 1, depth = 20): string[] {
    return this.book.rows(side, depth).map(({ odds, risk, untaken }) => `${odds} ${risk / 100}/${untaken / 100}`);
  }
}

describe('the two-way book of a Betfair market', () => {
  it('shows backers as offers on their runner, and layers as offers on the other runner', () => {
    const scene = new Scene();
    // laying a backer's 40 at 2.5 risks 60 at 5/3
    scene.send({ toBack: [[2.5, 40]], toLay: [[2.6, 30]] });
    expect(scene.rows(0)).toEqual(['160 30/30']);
    expect(scene.rows(1)).toEqual(['-150 60/60']);
    scene.send(undefined, { toBack: [[1.6, 100]], toLay: [[1.65, 80]] });
    expect(scene.rows(0)).toEqual(['160 30/30', '166.7 60/60']);
    expect(scene.rows(1)).toEqual(['-153.8 80/80', '-150 60/60']);
  });

  it('shows the offers of one rung in the order in which they arrived', () => {
    const scene = new Scene();
    scene.send({ toLay: [[3, 10]] });
    scene.send(undefined, { toBack: [[1.5, 40]] });
    scene.send({ toLay: [[3, 25]] });
    expect(scene.rows(0)).toEqual(['200 10/10', '200 20/20', '200 15/15']);
    expect(scene.rows(0, 2)).toEqual(['200 10/10', '200 20/20']);
  });
});

describe('a size of a Betfair market that changes', () => {
  it('is a new order behind the others when it grows, and is withdrawn from their end when it falls', () => {
    const scene = new Scene();
    for (const size of [10, 25, 28]) scene.send({ toLay: [[3, size]] });
    expect(scene.rows(0)).toEqual(['200 10/10', '200 15/15', '200 3/3']);
    scene.send({ toLay: [[3, 12]] });
    expect(scene.rows(0)).toEqual(['200 10/10', '200 2/2']);
  });

  it('was taken from the oldest order as far as trades grew: half of the traded amount is the stake of backers', () => {
    const scene = new Scene();
    for (const size of [10, 25]) scene.send({ toLay: [[3, size]] });
    const { spent } = scene.send({ toLay: [[3, 12]], traded: [[3, 24]] });
    expect(spent[0].map(({ risk, untaken }) => [risk, untaken])).toEqual([[1000, 0]]);
    // 12 were taken, and 1 was withdrawn
    expect(scene.rows(0)).toEqual(['200 14/12']);
    expect(scene.book.trades).toEqual({ traded: 12, found: 12 });
  });

  it('was taken completely when each runner counts its own stake alone: offers on both runners met', () => {
    const scene = new Scene();
    scene.send({ toBack: [[3.15, 12.22]] });
    // 2.49 at 3.15 pays what 5.33 pays at 1.47
    scene.send({ toBack: [[3.15, 9.73]], traded: [[3.15, 2.49]] }, { traded: [[1.47, 5.33]] });
    expect(scene.rows(1)).toEqual(['-215 26.27/20.92']);
  });

  it('shows a take by its trades when as much was offered anew at once', () => {
    const scene = new Scene();
    scene.send({ toLay: [[3, 10]] });
    scene.send({ traded: [[3, 8]] });
    expect(scene.rows(0)).toEqual(['200 10/6', '200 4/4']);
  });

  it('shows no take when no offer stood there before', () => {
    const scene = new Scene();
    scene.send({ toLay: [[3, 10]], traded: [[3, 500]] });
    expect(scene.rows(0)).toEqual(['200 10/10']);
    expect(scene.book.trades).toEqual({ traded: 250, found: 0 });
  });
});

describe('an image of a Betfair market', () => {
  it('removes what it leaves out', () => {
    const scene = new Scene();
    scene.send({ toLay: [[3, 10]], toBack: [[2, 5]] });
    scene.send({ toLay: [[3.1, 4]] }, undefined, true);
    expect([scene.rows(0), scene.rows(1)]).toEqual([['210 4/4'], []]);
  });
});

describe('a Betfair ladder of best prices only', () => {
  const places = (...prices: readonly (readonly [number, number])[]) =>
    prices.map(([price, size], place) => [place, price, size] as const);

  it('drops the last price, which keeps its order when it returns', () => {
    const scene = new Scene();
    scene.send({ bestToLay: places([3, 10], [3.1, 20], [3.2, 30]) });
    const before = scene.book.rows(0, 20).map(({ id }) => id);
    scene.send({ bestToLay: places([2.9, 5], [3, 10], [3.1, 20]) });
    expect(scene.rows(0)).toEqual(['190 5/5', '200 10/10', '210 20/20']);
    scene.send({ bestToLay: places([3, 10], [3.1, 20], [3.2, 30]) });
    expect(scene.book.rows(0, 20).map(({ id }) => id)).toEqual(before);
  });

  it('removes a price that is gone while there is room behind it', () => {
    const scene = new Scene();
    scene.send({ bestToLay: places([3, 10], [3.1, 20], [3.2, 30]) });
    scene.send({ bestToLay: [[2, 0, 0] as const] });
    expect(scene.rows(0)).toEqual(['200 10/10', '210 20/20']);
  });
});
