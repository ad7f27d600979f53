// Whose an id is may turn out late: what was said under it stays where it is, and each fill counts once, where it belongs.
import { describe, expect, it } from 'vitest';
import type { OwnOrder, Account } from '../../src/account/index.ts';
import { fillOf, id, looks, MONEYLINE, OWNER, orderOf, ref, send, usd, withAccount } from './scene.ts';

const held = (account: Account): number => account.positionIn(MONEYLINE.id).staked;

/** An order of a former run in the other mode, and one of this run that looks the same; both without an answer. */
function alike(): { readonly account: Account; readonly former: OwnOrder; readonly ours: OwnOrder } {
  const account = withAccount();
  const cash = ref('1', '-cash');
  account.applyUnanswered(orderOf(cash), OWNER, 0, 0);
  const ours = send(account, ref('2'));
  const former = account.find(undefined, cash);
  if (former === undefined) throw new Error('no order');
  return { account, former, ours };
}
const seen = (account: Account, at: number): void => {
  account.begin(at);
  account.record({ orderId: id('o1'), from: 'event', seenAt: at, signature: looks(), kind: { type: 'resting' } });
};
const filled = (account: Account, at: number): void => {
  account.begin(at);
  const kind = { type: 'fill', fill: fillOf('t1', 60) } as const;
  account.record({ orderId: id('o1'), from: 'event', seenAt: at, kind }, { market: MONEYLINE, side: 'home' });
};
const named = (account: Account, of: OwnOrder, at: number): void => {
  account.begin(at);
  account.record({
    ref: of.ref,
    orderId: id('o1'),
    from: 'list',
    askedAt: at,
    seenAt: at,
    kind: { type: 'resting' },
  });
};

describe('what filled under an id that was learned by a signature', () => {
  it('is ours once the id is', () => {
    const { account, former, ours } = alike();
    seen(account, 12);
    expect(former.id?.orderId).toBe('o1');
    filled(account, 13);
    named(account, ours, 14);
    filled(account, 15);
    expect([ours.filled, held(account), account.counts.fills]).toEqual([usd(60), usd(60), 1]);
    expect([former.filled, former.id]).toEqual([0, undefined]);
  });

  it('counts for nothing once the id is that of an order in the other mode, and fills that once', () => {
    const { account, former, ours } = alike();
    account.applyPlacing(ours, 'silent');
    seen(account, 12);
    filled(account, 13);
    named(account, former, 14);
    for (const at of [14, 15]) {
      if (at > 14) filled(account, at);
      expect([former.filled, former.status, held(account)]).toEqual([usd(60), 'open', 0]);
      expect([ours.filled, account.counts.fills]).toEqual([0, 0]);
    }
  });
});

describe('an exchange that tells no references', () => {
  it('lands an order whose event came before its answer was lost, and its strategy has the fills', () => {
    const account = withAccount();
    const order = send(account, ref('1'));
    seen(account, 9);
    filled(account, 20);
    account.begin(5000);
    account.applyPlacing(order, 'silent');
    expect([order.status, order.id?.orderId, order.filled]).toEqual(['open', 'o1', usd(60)]);
    expect(account.counts).toMatchObject({ placed: 1, fills: 1, riskFilled: usd(60) });
    expect(account.fills.fillsOf(OWNER.strategy, MONEYLINE.id)).toHaveLength(1);
    expect(account.news.takeRequests().alerts).toMatchObject([
      { level: 'info', code: 'ORDER_RECOGNISED', fields: { ref: order.ref, orderId: 'o1' } },
    ]);
  });

  it('keeps the full size of both while one of two that look alike was seen', () => {
    const account = withAccount();
    const orders = [send(account, ref('1')), send(account, ref('2'))];
    for (const order of orders) account.applyPlacing(order, 'silent');
    seen(account, 9);
    filled(account, 20);
    expect(orders.map(({ bound }) => bound)).toEqual([usd(100), usd(100)]);
    // the other one was seen as well: what is left is known
    account.record({ orderId: id('o2'), from: 'event', seenAt: 30, signature: looks(), kind: { type: 'resting' } });
    expect(orders.map(({ bound }) => bound).sort((a, b) => a - b)).toEqual([usd(40), usd(100)]);
  });

  it('takes both of two that look alike for unknown again when one was seen to end: it may be either', () => {
    const account = withAccount();
    const orders = [send(account, ref('1')), send(account, ref('2'))];
    for (const order of orders) account.applyPlacing(order, 'silent');
    seen(account, 9);
    expect(orders.map(({ status }) => status).sort()).toEqual(['open', 'unknown']);
    account.begin(20);
    account.record({ orderId: id('o1'), from: 'event', seenAt: 20, kind: { type: 'gone', total: undefined } });
    expect(orders.map(({ status, bound }) => [status, bound])).toEqual([
      ['unknown', usd(100)],
      ['unknown', usd(100)],
    ]);
    expect(account.owns(id('o1'))).toBe(false);
  });
});

describe('an order of a batch that was lost', () => {
  it.each(['filled', 'cancelled'] as const)('and %s before it was recognised counts as placed', (how) => {
    const account = withAccount();
    const order = send(account, ref('1'));
    account.applyPlacing(order, 'silent');
    const of = { ref: order.ref, from: 'event', seenAt: 6 } as const;
    if (how === 'filled') account.record({ ...of, kind: { type: 'fill', fill: fillOf('t1', 100) } });
    else account.record({ ...of, kind: { type: 'gone', total: undefined } });
    expect([order.status, account.counts.placed]).toEqual([how, 1]);
  });
});

describe('an order that was not cancelled after all', () => {
  it('is not counted as such, and counts again though its game was forgotten', () => {
    const account = withAccount();
    const order = send(account, ref('1'));
    account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
    for (const at of [2, 40]) {
      account.begin(at);
      const [life] = account.applyCancelSent([id('o')], at);
      if (life === undefined) throw new Error('it has no such id');
      const gone = {
        orderId: id('o'),
        from: 'reply',
        seenAt: at,
        kind: { type: 'gone', total: undefined },
      } as const;
      account.recordCancelled(life, at, gone);
      expect([order.status, account.counts.cancelled]).toEqual(['cancelled', 1]);
      account.forgetGame(MONEYLINE.gameId);
      expect(account.games.has(MONEYLINE.gameId)).toBe(false);
      account.begin(at + 10);
      account.lookUps.applyLookedUp(id('o'), { remaining: usd(100), filled: usd(0) }, at + 9);
      expect([order.status, account.counts.cancelled]).toEqual(['open', 0]);
      expect([...(account.games.get(MONEYLINE.gameId)?.keys() ?? [])]).toEqual([MONEYLINE.id]);
    }
  });
});
