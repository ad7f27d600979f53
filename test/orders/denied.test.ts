// A control that denies some quotes keeps no other quote from being served.
import { expect, it } from 'vitest';
import type { Command, Game, GameId, OrderId, OrderRef, Rung } from '../../src/domain/index.ts';
import { centsOfDollars, market, microsOfDollars, slotId } from '../../src/domain/index.ts';
import type { Target } from '../../src/orders/index.ts';
import { Account } from '../../src/account/index.ts';
import { OrderManager } from '../../src/orders/index.ts';
import { coreSettings } from '../support/core-driver.ts';
import { DANGEROUS, target } from './fixtures.ts';
import { ruleOf } from '../support/sport-rules.ts';

function limited(maxOrdersPerPlace: number) {
  const sent: Command[] = [];
  let requests = 0;
  const { orders } = coreSettings();
  const risk = { ...orders.risk, maxGameLoss: microsOfDollars(50) };
  const account = new Account({ instance: 'a', playerMode: 'coins', lateArrivalMs: 30_000 });
  const settings = {
    ...orders,
    playerMode: 'coins',
    batchErrors: { batchIsAtomic: false, batch400IsAtomic: true },
    maxOrdersPerPlace,
    risk,
  } as const;
  const manager = new OrderManager(account, settings, {
    nextRequest: () => (requests += 1),
    send: (command) => sent.push(command),
    alert: () => undefined,
    raise: () => undefined,
    wall: () => 0,
    gameOf: (id) => ({ id, sport: 'basketball', league: 'NBA' }) as Game,
    ruleOf: () => ruleOf('impossible'),
    balance: () => undefined,
    askBalance: () => undefined,
  });
  const want = (game: string, line: number, dollars: number): Target => {
    const gameSpread = market(game as GameId, 'spread', line);
    const slot = slotId(target(0).strategy, gameSpread, 'home', '#0');
    const wanted = { ...target(0), market: gameSpread, slot, risk: centsOfDollars(dollars) };
    manager.setTargets(gameSpread.id, [wanted]);
    manager.refresh(gameSpread.id, 0);
    return wanted;
  };
  const grant = (bucket: 'place' | 'cancel', count: number): void => {
    for (let permit = 1; permit <= count; permit++) manager.applyPermit(bucket, permit);
  };
  return { account, manager, sent, want, grant };
}

it.each([
  [5, 1, 1],
  [26, 25, 1],
  [60, 1, 20],
  [1300, 25, 20],
])(
  '%d denied quotes of higher value leave the permits (%d, for %d orders each) to the other quotes',
  (denied, permits, most) => {
    const { manager, sent, want, grant } = limited(most);
    for (let line = 1; line <= denied; line++) want('limited', -line, 100);
    want('free', -1, 10);
    grant('place', permits);
    manager.plan(1);
    expect(sent).toMatchObject([{ type: 'place', orders: [{ market: { gameId: 'free' } }] }]);
  },
);

it('a step tries a thousand denied quotes at most, and the next step continues with the others', () => {
  const { manager, sent, want, grant } = limited(1);
  for (let line = 1; line <= 1500; line++) want('limited', -line, 100);
  want('free', -1, 10);
  grant('place', 1);
  manager.plan(1);
  expect(sent).toEqual([]);
  manager.plan(2);
  expect(sent).toMatchObject([{ type: 'place', orders: [{ market: { gameId: 'free' } }] }]);
});

it('a denied edit becomes one cancel, whatever else is denied in the same step', () => {
  const { account, manager, sent, want, grant } = limited(1);
  const wanted = want('limited', -1, 30);
  const order = {
    ref: 'a.main.#0.r-1' as OrderRef,
    market: wanted.market,
    side: wanted.side,
    risk: wanted.risk,
  };
  account.applySent({ ...order, rung: DANGEROUS as Rung }, wanted, { req: 1, t: 0 });
  const { ref } = order;
  account.record({ ref, orderId: 'o' as OrderId, from: 'reply', seenAt: 0, kind: { type: 'resting' } });
  want('limited', -1, 30);
  for (let line = 2; line < 4; line++) want('limited', -line, 100);
  grant('place', 3);
  grant('cancel', 3);
  manager.plan(1);
  expect(sent).toMatchObject([{ type: 'cancel', orderIds: ['o'] }]);
});
