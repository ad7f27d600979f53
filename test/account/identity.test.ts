// The owner of an id may become known late: reports under the id stay with the id, and each fill counts once,
// for its owner.
import { describe, expect, it } from 'vitest';
import type { OwnOrder, Account } from '../../src/account/index.ts';
import { fillOf, id, signatureOf, MONEYLINE, OWNER, orderOf, ref, send, usd, withAccount } from './scene.ts';

const held = (account: Account): number => account.positionIn(MONEYLINE.id).staked;

/** An order of an earlier run in the other mode, and an equal order of this run; both without an answer. */
function alike(): { readonly account: Account; readonly former: OwnOrder; readonly own: OwnOrder } {
  const account = withAccount();
  const cash = ref('1', '-cash');
  account.applyUnanswered(orderOf(cash), OWNER, 0, 0);
  const ours = send(account, ref('2'));
  const former = account.find(undefined, cash);
  if (former === undefined) throw new Error('no order');
  return { account, former, own: ours };
}
const seen = (account: Account, timeMs: number): void => {
  account.beginStep(timeMs);
  account.record({
    orderId: id('o1'),
    from: 'event',
    seenAt: timeMs,
    signature: signatureOf(),
    kind: { type: 'resting' },
  });
};
const filled = (account: Account, timeMs: number): void => {
  account.beginStep(timeMs);
  const kind = { type: 'fill', fill: fillOf('t1', 60) } as const;
  account.record({ orderId: id('o1'), from: 'event', seenAt: timeMs, kind }, { market: MONEYLINE, side: 'home' });
};
const named = (account: Account, order: OwnOrder, timeMs: number): void => {
  account.beginStep(timeMs);
  account.record({
    ref: order.ref,
    orderId: id('o1'),
    from: 'list',
    askedAt: timeMs,
    seenAt: timeMs,
    kind: { type: 'resting' },
  });
};

describe('a fill under an id that was learned from odds and size', () => {
  it("belongs to this run's order once the id does", () => {
    const { account, former, own: ours } = alike();
    seen(account, 12);
    expect(former.id?.orderId).toBe('o1');
    filled(account, 13);
    named(account, ours, 14);
    filled(account, 15);
    expect([ours.filled, held(account), account.counts.fills]).toEqual([usd(60), usd(60), 1]);
    expect([former.filled, former.id]).toEqual([0, undefined]);
  });

  it('counts for nothing once the id turns out to be that of an order in the other mode, and fills that order once', () => {
    const { account, former, own: ours } = alike();
    account.applyPlacing(ours, 'silent');
    seen(account, 12);
    filled(account, 13);
    named(account, former, 14);
    for (const timeMs of [14, 15]) {
      if (timeMs > 14) filled(account, timeMs);
      expect([former.filled, former.status, held(account)]).toEqual([usd(60), 'open', 0]);
      expect([ours.filled, account.counts.fills]).toEqual([0, 0]);
    }
  });
});

describe('an exchange that reports no references', () => {
  it('lands an order whose event came before its answer was lost, and its strategy gets the fills', () => {
    const account = withAccount();
    const order = send(account, ref('1'));
    seen(account, 9);
    filled(account, 20);
    account.beginStep(5000);
    account.applyPlacing(order, 'silent');
    expect([order.status, order.id?.orderId, order.filled]).toEqual(['open', 'o1', usd(60)]);
    expect(account.counts).toMatchObject({ placed: 1, fills: 1, riskFilled: usd(60) });
    expect(account.fills.fillsOf(OWNER.strategy, MONEYLINE.id)).toHaveLength(1);
    expect(account.news.takeRequests().alerts).toMatchObject([
      { level: 'info', code: 'ORDER_RECOGNISED', fields: { ref: order.ref, orderId: 'o1' } },
    ]);
  });

  it('keeps the full size of both of two equal orders while only one was seen', () => {
    const account = withAccount();
    const orders = [send(account, ref('1')), send(account, ref('2'))];
    for (const order of orders) account.applyPlacing(order, 'silent');
    seen(account, 9);
    filled(account, 20);
    expect(orders.map(({ bound }) => bound)).toEqual([usd(100), usd(100)]);
    // the other one was seen as well: the remaining sizes are known
    account.record({
      orderId: id('o2'),
      from: 'event',
      seenAt: 30,
      signature: signatureOf(),
      kind: { type: 'resting' },
    });
    expect(orders.map(({ bound }) => bound).sort((a, b) => a - b)).toEqual([usd(40), usd(100)]);
  });

  it('makes both of two equal orders unknown again when one was seen to end, because it may be either', () => {
    const account = withAccount();
    const orders = [send(account, ref('1')), send(account, ref('2'))];
    for (const order of orders) account.applyPlacing(order, 'silent');
    seen(account, 9);
    expect(orders.map(({ status }) => status).sort()).toEqual(['open', 'unknown']);
    account.beginStep(20);
    account.record({ orderId: id('o1'), from: 'event', seenAt: 20, kind: { type: 'gone', total: undefined } });
    expect(orders.map(({ status, bound }) => [status, bound])).toEqual([
      ['unknown', usd(100)],
      ['unknown', usd(100)],
    ]);
    expect(account.owns(id('o1'))).toBe(false);
  });
});

describe('an order of a batch whose answer was lost', () => {
  it.each(['filled', 'cancelled'] as const)('that was %s before it was recognised counts as placed', (how) => {
    const account = withAccount();
    const order = send(account, ref('1'));
    account.applyPlacing(order, 'silent');
    const report = { ref: order.ref, from: 'event', seenAt: 6 } as const;
    if (how === 'filled') account.record({ ...report, kind: { type: 'fill', fill: fillOf('t1', 100) } });
    else account.record({ ...report, kind: { type: 'gone', total: undefined } });
    expect([order.status, account.counts.placed]).toEqual([how, 1]);
  });
});

describe('an order that was not cancelled after all', () => {
  it('is not counted as cancelled, and is active again even if its game was forgotten', () => {
    const account = withAccount();
    const order = send(account, ref('1'));
    account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
    for (const timeMs of [2, 40]) {
      account.beginStep(timeMs);
      const [name] = account.applyCancelSent([id('o')], timeMs);
      if (name === undefined) throw new Error('it has no such id');
      const gone = {
        orderId: id('o'),
        from: 'reply',
        seenAt: timeMs,
        kind: { type: 'gone', total: undefined },
      } as const;
      account.recordCancelled(name, timeMs, gone);
      expect([order.status, account.counts.cancelled]).toEqual(['cancelled', 1]);
      account.forgetGame(MONEYLINE.gameId);
      expect(account.games.has(MONEYLINE.gameId)).toBe(false);
      account.beginStep(timeMs + 10);
      account.lookUps.applyLookedUp(id('o'), { remaining: usd(100), filled: usd(0) }, timeMs + 9);
      expect([order.status, account.counts.cancelled]).toEqual(['open', 0]);
      expect([...(account.games.get(MONEYLINE.gameId)?.keys() ?? [])]).toEqual([MONEYLINE.id]);
    }
  });
});
