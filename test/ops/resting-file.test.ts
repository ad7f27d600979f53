// The file of the orders that the next run needs when the exchange reports no references.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OrderId, OrderRef, RestingOrder, Rung, GameId } from '../../src/domain/index.ts';
import { cents, market } from '../../src/domain/index.ts';
import { readResting, RestingFile } from '../../src/ops/index.ts';
import { folder } from '../support/children.ts';

const order = (name: string) => ({
  ref: `a.main.k.run-${name}` as OrderRef,
  market: market('g1' as GameId, 'moneyline'),
  side: 'home' as const,
  rung: 100 as Rung,
  risk: cents(5000),
});
const resting: readonly RestingOrder[] = [{ orderId: 'o1' as OrderId, sentT: 1000, order: order('1') }];
const unanswered = [{ sentT: 2000, order: order('2') }];

const fileOf = (file: string, isKnown: boolean, orders: typeof resting | undefined): RestingFile =>
  new RestingFile(file, {
    isKnown: () => isKnown,
    now: () => 3000,
    left: () => (orders === undefined ? undefined : { orders, unanswered }),
    problem: (text) => expect.unreachable(text),
  });

describe('the list of resting orders', () => {
  it('contains the orders with an id and those whose fate is open', () => {
    const file = join(folder(), 'alice.resting');
    fileOf(file, true, resting).close();
    expect(readResting(file)).toEqual({ savedMs: 3000, orders: resting, unanswered });
  });

  it('stays as the last run left it until the account is read', () => {
    const file = join(folder(), 'alice.resting');
    fileOf(file, true, resting).close();
    const before = readFileSync(file);
    fileOf(file, false, []).close();
    expect(readFileSync(file)).toEqual(before);
  });

  it('is removed when the exchange reports references, and is refused when it is something else', () => {
    const file = join(folder(), 'alice.resting');
    fileOf(file, true, resting).close();
    fileOf(file, true, undefined).close();
    expect(existsSync(file)).toBe(false);
    expect(readResting(file)).toBeUndefined();
    for (const text of ['[]', '{"savedMs":1,"orders":[{}],"unanswered":[]}', '{"savedMs":1,"orders":[]}']) {
      writeFileSync(file, text);
      expect(() => readResting(file)).toThrow('it is not');
    }
  });
});
