// The pool of needs against a plain look at all of them, whatever is wanted, refused, denied, accepted, seen or waited for.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cents, GameId, Rung, SlotId } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';
import { NeedPool } from '../../src/orders/need-pool.ts';
import type { Need } from '../../src/orders/index.ts';
import { needsOf } from '../../src/orders/index.ts';
import { SlotBlocks } from '../../src/orders/slot-blocks.ts';
import { DANGEROUS, GENEROUS, open, SHY, target } from './fixtures.ts';

const TOLERANCE = 0.002;
const rungs = fc.constantFrom(0, 10, 400, -300);
const index = fc.nat(7);
const kind = <K extends string>(name: K): fc.Arbitrary<K> => fc.constant(name);
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('wants'), index, rung: rungs }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('rests'),
      index,
      rung: rungs,
      away: fc.constantFrom(GENEROUS, DANGEROUS, SHY, SHY + 1, 0),
      wanted: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('needs nothing'), index }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('refused'),
      index,
      why: fc.constantFrom('wrong', 'doubtful', 'liability', 'stale', 'throttled', 'other'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind('denied'), index }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('accepted'), index }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('seen'), index }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('news') }) },
  { weight: 5, arbitrary: fc.record({ kind: kind('wait'), ms: fc.constantFrom(1, 249, 250, 1000, 30_000) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const inOrder = (needs: readonly Need[]): readonly Need[] => needs.toSorted((a, b) => (a.slot < b.slot ? -1 : 1));

const kindOf = (need: Need): string => (need.type === 'move' ? (need.generous ? 'generous' : 'shy') : need.type);

class Trial {
  readonly #blocks = new SlotBlocks();
  readonly #pool: NeedPool;
  readonly #mayEdit: boolean;
  readonly #needs = new Map<string, readonly Need[]>();
  #now = 1000;

  constructor(mayEdit: boolean) {
    this.#mayEdit = mayEdit;
    this.#pool = new NeedPool(this.#blocks, mayEdit);
  }

  run(action: Action): void {
    if (action.kind === 'news') this.#blocks.applyNews();
    else if (action.kind === 'wait') this.#now += action.ms;
    else {
      const of = target(action.index, ('rung' in action ? action.rung : 0) as Rung);
      if (action.kind === 'wants') this.#replace(of.market.id, needsOf([of], [], TOLERANCE));
      else if (action.kind === 'needs nothing') this.#replace(of.market.id, []);
      else if (action.kind === 'rests') {
        const order = open(action.index, (action.rung + action.away) as Rung);
        this.#replace(of.market.id, needsOf(action.wanted ? [of] : [], [order], TOLERANCE));
      } else if (action.kind === 'refused') this.#blocks.applyRefused(of, action.why, this.#now);
      else if (action.kind === 'denied') this.#blocks.applyDenied(of, this.#now, { control: 'game-loss', reason: '' });
      else if (action.kind === 'accepted') this.#blocks.applyAccepted({ slot: of.slot, sentAt: this.#now - 500 });
      else this.#blocks.applySeen(of.market.gameId, this.#now, () => undefined);
    }
    this.#compare();
  }

  #replace(market: Parameters<NeedPool['replace']>[0], needs: readonly Need[]): void {
    const before = this.#needs.get(market) ?? [];
    this.#pool.replace(market, needs, this.#now);
    for (const { slot, since } of needs)
      expect(since).toBe(before.find((one) => one.slot === slot)?.since ?? this.#now);
    this.#needs.set(market, needs);
  }

  #isUrgent(need: Need): boolean {
    return need.type === 'cancel' || (need.type === 'move' && (need.dangerous || !this.#mayEdit));
  }

  #compare(): void {
    const all = [...this.#needs.values()].flat();
    const dueOf = (need: Need): number =>
      need.type === 'cancel' || (need.type === 'move' && need.generous)
        ? this.#now
        : Math.max(this.#now, this.#blocks.nextDue(need.target));
    const ready = all.filter(
      (need) => !this.#isUrgent(need) && need.type !== 'cancel' && this.#blocks.nextDue(need.target) <= this.#now,
    );
    const found = this.#pool.best(Number.POSITIVE_INFINITY, this.#now);
    expect(new Set(found)).toEqual(new Set(ready));
    expect(found).toHaveLength(ready.length);
    const two = this.#pool.best(2, this.#now);
    for (const kind of ['generous', 'shy', 'place']) {
      const ranks = (needs: readonly Need[]): number[] =>
        needs.filter((need) => kindOf(need) === kind).map(({ rank }) => rank);
      const best = ranks(ready)
        .sort((a, b) => b - a)
        .slice(0, 2);
      expect(ranks(two).slice(0, best.length)).toEqual(best);
    }
    const longest = Math.min(...ready.map(({ since = 0 }) => since));
    if (ready.length > 0) expect(Math.min(...two.map(({ since = 0 }) => since))).toBe(longest);
    const urgent = all.filter((need) => this.#isUrgent(need));
    const blocked = (need: Need): boolean => need.type !== 'cancel' && this.#blocks.isBlocked(need.target, this.#now);
    const told = this.#pool.urgent(this.#now, false);
    const asTheyAre = told.filter((need) => all.includes(need));
    expect(inOrder(asTheyAre)).toEqual(inOrder(urgent.filter((need) => !blocked(need))));
    const taken = all.filter(
      (need) => kindOf(need) === 'generous' && (this.#isUrgent(need) ? blocked(need) : !ready.includes(need)),
    );
    expect(inOrder(told.filter((need) => !all.includes(need)))).toMatchObject(
      inOrder(taken).map(({ slot, since }) => ({ type: 'cancel', slot, since })),
    );
    expect(this.#pool.urgent(this.#now, true).every(({ type }) => type === 'cancel')).toBe(true);
    expect(this.#pool.nextDue(this.#now)).toBe(Math.min(Number.POSITIVE_INFINITY, ...all.map(dueOf)));
  }
}

describe('the pool of needs', () => {
  it('tells what a look at all of them would tell', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60, size: 'max' }), fc.boolean(), (actions, mayEdit) => {
        const trial = new Trial(mayEdit);
        for (const one of actions) trial.run(one);
      }),
      { numRuns: 300 },
    );
  });

  it('shows who has waited longest beside the best, so that it is served some day', () => {
    const blocks = new SlotBlocks();
    const pool = new NeedPool(blocks, true);
    const want = (at: number, dollars: number): void => {
      const of = { ...target(at), risk: (dollars * 100) as ReturnType<typeof target>['risk'] };
      pool.replace(of.market.id, needsOf([of], [], TOLERANCE), at);
    };
    want(0, 1);
    for (let at = 1; at < 20; at++) want(at, 100 + at);
    const told = (now: number): unknown => pool.best(2, now).map(({ since }) => since);
    expect(told(100)).toEqual([19, 18, 0]);
    // a denial does not cost it its turn
    blocks.applyDenied(target(0), 100, { control: 'game-loss', reason: '' });
    expect(told(101)).toEqual([19, 18, 1]);
    blocks.applyNews();
    expect(told(350)).toEqual([19, 18, 0]);
  });

  it('asks for denied orders again four times a second, and for a thousand of them at most', () => {
    for (const [denied, wait] of [
      [1, 250],
      [999, 250],
      [1000, 500],
      [3000, 1000],
    ] as const) {
      const blocks = new SlotBlocks();
      for (let at = 0; at <= denied; at++) blocks.applyDenied(target(at), 0, { control: 'open-orders', reason: '' });
      blocks.applyNews();
      expect(blocks.nextDue(target(denied))).toBe(wait);
    }
  });

  it('remembers a denial as long as an order is wanted in the slot', () => {
    const blocks = new SlotBlocks();
    const of = target(0);
    // nobody waits for what was on its way when its market closed
    blocks.applyDenied(of, 0, { control: 'total-loss', reason: '' });
    blocks.applyTargets(of.market.id, [of]);
    expect(blocks.deniedBy(of.slot)?.control).toBe('total-loss');
    blocks.applyTargets(of.market.id, []);
    expect(blocks.deniedBy(of.slot)).toBeUndefined();
    expect(blocks.isBlocked(of, 1)).toBe(false);
  });

  it('forgets the denials of all slots of a market in which nothing is wanted, also when one was accepted before', () => {
    const blocks = new SlotBlocks();
    const one = target(0);
    const other = { ...one, slot: 'other' as SlotId };
    for (const of of [one, other]) blocks.applyDenied(of, 0, { control: 'total-loss', reason: '' });
    // what was denied after it left stays denied
    blocks.applyAccepted({ slot: one.slot, sentAt: -1 });
    expect(blocks.deniedBy(one.slot)?.control).toBe('total-loss');
    blocks.applyAccepted({ slot: one.slot, sentAt: 0 });
    expect([one, other].map(({ slot }) => blocks.deniedBy(slot)?.control)).toEqual([undefined, 'total-loss']);
    blocks.applyTargets(one.market.id, []);
    expect(blocks.deniedBy(other.slot)).toBeUndefined();
  });

  it('remembers what the exchange refused until the game is over, and no longer', () => {
    const blocks = new SlotBlocks();
    const [of, other] = [target(0), { ...target(1), market: market('other' as GameId, 'moneyline') }];
    for (const why of ['wrong', 'doubtful', 'liability', 'stale', 'other'] as const) {
      for (const one of [of, other]) blocks.applyRefused(one, why, 0);
      expect(blocks.isBlocked(of, 1)).toBe(true);
      blocks.forgetGame(of.market.gameId);
      expect(blocks.isBlocked(of, 1)).toBe(false);
      expect(blocks.isBlocked(other, 1)).toBe(true);
      blocks.applySeen(of.market.gameId, 2, () => {
        throw new Error('something is kept of a game that is over');
      });
      blocks.forgetGame(other.market.gameId);
    }
  });
});

describe('what the exchange may have refused for a moment', () => {
  const at = (rung: number) => ({
    slot: 's' as SlotId,
    rung: rung as Rung,
    risk: 100 as Cents,
    market: market('g' as GameId, 'moneyline', undefined),
  });

  it('stays doubtful at each of two prices that take turns', () => {
    const blocks = new SlotBlocks();
    blocks.applyRefused(at(1), 'doubtful', 0);
    blocks.applyRefused(at(2), 'doubtful', 10);
    expect([at(1), at(2), at(3)].map((one) => blocks.isBlocked(one, 20))).toEqual([true, true, false]);
  });

  it('is tried five times in a row after a 429, counted anew once an order of the slot was accepted', () => {
    const blocks = new SlotBlocks();
    const throttle = (times: number): boolean => {
      for (let time = 0; time < times; time++) blocks.applyRefused(at(1), 'throttled', 7);
      return blocks.isBlocked(at(1), 7);
    };
    expect(throttle(4)).toBe(false);
    // a 429 is no reason for the slot to wait: it left at once
    blocks.applyAccepted({ slot: at(1).slot, sentAt: 7 });
    expect(throttle(4)).toBe(false);
    blocks.applyAccepted({ slot: at(1).slot, sentAt: 6 });
    expect(throttle(1)).toBe(true);
  });

  it('gives up after five, until a minute is over or another price is wanted', () => {
    const blocks = new SlotBlocks(60_000);
    const throttle = (times: number, now: number): readonly boolean[] =>
      Array.from({ length: times }, () => blocks.applyRefused(at(1), 'throttled', now));
    expect(throttle(5, 0)).toEqual([false, false, false, false, true]);
    expect([blocks.isBlocked(at(1), 59_999), blocks.isBlocked(at(2), 1)]).toEqual([true, false]);
    expect(blocks.isBlocked(at(1), 60_000)).toBe(false);
    // then it is tried five times again
    expect(throttle(5, 60_000)).toEqual([false, false, false, false, true]);
    expect(blocks.isBlocked(at(1), 119_999)).toBe(true);
  });

  it('waits half a minute at most for want of credit, at every price', () => {
    const blocks = new SlotBlocks();
    let now = 0;
    for (let time = 0; time < 20; time++) {
      blocks.applyRefused(at(1), 'liability', now);
      expect(blocks.isBlocked(at(2), now)).toBe(true);
      expect(blocks.nextDue(at(1)) - now).toBeLessThanOrEqual(30_000);
      now = blocks.nextDue(at(1));
    }
  });
});
