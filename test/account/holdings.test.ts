// Fills without their orders: holdings, possible player modes, and settlement.
import { expect, it } from 'vitest';
import type { OrderRef, TxId } from '../../src/domain/index.ts';
import { Account } from '../../src/account/index.ts';
import { fillOf, id, MONEYLINE, orderOf, OWNER, ref, send, usd, withAccount } from './scene.ts';

const HERE = { market: MONEYLINE, side: 'home' } as const;
const tx = (name: string): TxId => name as TxId;

it('a fill is settled once, however often its grade is reported', () => {
  const account = withAccount();
  account.record({ orderId: id('x'), from: 'list', seenAt: 1, kind: { type: 'fill', fill: fillOf('t1', 100) } }, HERE);
  for (let times = 0; times < 3; times++) account.fills.applyGraded(tx('t1'), usd(90));
  account.fills.applyGraded(tx('never held'), undefined);
  account.record({ orderId: id('x'), from: 'list', seenAt: 2, kind: { type: 'fill', fill: fillOf('t1', 100) } }, HERE);
  expect(account.holdings.realized).toBe(usd(90));
  expect([...account.holdings.open]).toEqual([]);
  expect(account.holdings.positions.size).toBe(0);
});

it("a fill that was settled before its order turned out to be the bot's own is not held", () => {
  const account = withAccount();
  account.record({ orderId: id('x'), from: 'event', seenAt: 1, kind: { type: 'fill', fill: fillOf('t1', 40) } }, HERE);
  account.fills.applyGraded(tx('t1'), usd(36));
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('x'), from: 'reply', seenAt: 2, kind: { type: 'resting' } });
  expect([order.status, order.filled]).toEqual(['open', usd(40)]);
  expect([...account.holdings.positions]).toEqual([]);
  expect([account.counts.fills, account.news.takeOwnFills()]).toEqual([0, []]);
});

it('the commission of a market is computed from its net winnings as its fills settle', () => {
  const commission = { of: 'market', share: 0.05 } as const;
  const account = new Account({ instance: 'a', playerMode: 'coins', lateArrivalMs: 12_000, commission });
  account.fills.applyBoot('run');
  const settle = (name: string, profit: number): unknown => {
    account.beginStep(1000);
    account.record(
      { orderId: id(name), from: 'event', seenAt: 1, kind: { type: 'fill', fill: fillOf(name, 100) } },
      HERE,
    );
    account.beginStep(1001);
    account.fills.applyGraded(tx(name), usd(profit));
    const settled = account.news.fills.find(({ type }) => type === 'Settled');
    return settled?.type === 'Settled' ? [settled.profit, settled.commission] : undefined;
  };
  expect(settle('t1', 80)).toEqual([usd(80), usd(4)]);
  // a loss in the same market takes some of it back
  expect(settle('t2', -60)).toEqual([usd(-60), usd(-3)]);
  expect(settle('t3', -100)).toEqual([usd(-100), usd(-1)]);
  expect(account.holdings.realized).toBe(usd(-80));
});

it('a fill hedges nothing until the player mode is confirmed after its order was sent', () => {
  const account = new Account({ instance: 'a', playerMode: 'coins', lateArrivalMs: 12_000 });
  account.fills.applyBoot('run');
  account.beginStep(1000);
  account.applySent(orderOf(ref('1')), OWNER, { req: 1, t: 0 });
  account.record({
    ref: ref('1'),
    from: 'event',
    seenAt: 1001,
    kind: { type: 'fill', fill: fillOf('t1', 100) },
  });
  for (const asked of [900, 1000]) {
    account.fills.applyModeSure(asked);
    expect(account.holdings.surePositionIn(MONEYLINE.id).staked).toBe(0);
    expect(account.awaitsMode).toBe(true);
  }
  account.fills.applyModeSure(1001);
  expect(account.awaitsMode).toBe(false);
  expect(account.holdings.surePositionIn(MONEYLINE.id).staked).toBe(usd(100));
});

it("a fill of another client is never taken to be in the bot's player mode", () => {
  const account = withAccount();
  account.record(
    { orderId: id('web'), from: 'event', seenAt: 1, kind: { type: 'fill', fill: fillOf('t1', 50) } },
    HERE,
  );
  account.fills.applyModeSure(Number.POSITIVE_INFINITY);
  expect(account.positionIn(MONEYLINE.id).staked).toBe(usd(50));
  expect(account.holdings.surePositionIn(MONEYLINE.id).staked).toBe(0);
  expect(account.counts.fills).toBe(0);
});

it('a late fill of a forgotten order counts for its strategy once its game is known', () => {
  const account = withAccount();
  account.applyRead(0);
  const kind = { type: 'fill', fill: fillOf('t1', 40), gameId: MONEYLINE.gameId } as const;
  account.record({ ref: ref('9'), from: 'list', seenAt: 1, kind });
  expect([account.stakedElsewhere, account.counts.fills]).toEqual([usd(40), 0]);
  // the news has the fill, and later its market
  expect(account.news.fills).toMatchObject([{ type: 'held', fill: { txId: 't1', market: undefined } }]);
  account.beginStep(2);
  account.fills.placeWaiting(() => HERE);
  expect(account.news.fills).toMatchObject([{ type: 'held', fill: { txId: 't1', market: MONEYLINE } }]);
  expect([account.stakedElsewhere, account.positionIn(MONEYLINE.id).staked]).toEqual([0, usd(40)]);
  expect(account.counts).toMatchObject({ fills: 1, riskFilled: usd(40) });
  expect(account.fills.fillsOf(OWNER.strategy, MONEYLINE.id)).toMatchObject([{ txId: 't1', risk: usd(40) }]);
});

it('ofOtherMode lists the orders sent since the mode was confirmed, and those reported in the other mode', () => {
  const account = new Account({ instance: 'a', playerMode: 'coins', lateArrivalMs: 12_000 });
  account.fills.applyBoot('run');
  account.beginStep(1000);
  account.applyUnanswered(orderOf('a.main.#0.before-1' as OrderRef), OWNER, 900, 0);
  for (const name of ['sure', 'cash']) account.applySent(orderOf(ref(name)), OWNER, { req: 1, t: 0 });
  account.record({ ref: ref('cash'), from: 'list', seenAt: 1001, mode: 'cash', kind: { type: 'resting' } });
  account.fills.applyModeSure(1500);
  account.beginStep(2000);
  account.applySent(orderOf(ref('since')), OWNER, { req: 2, t: 0 });
  expect(account.ofOtherMode().orders.map((order) => order.ref)).toEqual([ref('cash'), ref('since')]);
});

it('the fills of a game are forgotten with the game, once nothing is held in it', () => {
  const account = withAccount();
  account.record({ ref: ref('1'), from: 'event', seenAt: 1, kind: { type: 'fill', fill: fillOf('t1', 50) } }, HERE);
  expect(account.fills.fillsOf(OWNER.strategy, MONEYLINE.id)).toHaveLength(1);
  account.forgetGame(MONEYLINE.gameId);
  expect(account.fills.fillsOf(OWNER.strategy, MONEYLINE.id)).toHaveLength(1);
  account.fills.applyGraded(tx('t1'), usd(45));
  account.forgetGame(MONEYLINE.gameId);
  expect(account.fills.fillsOf(OWNER.strategy, MONEYLINE.id)).toEqual([]);
});
