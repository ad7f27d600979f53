// The belief about an order between the bot's request and the reports about it.
import { expect, it } from 'vitest';
import type { TxId } from '../../src/domain/index.ts';
import { id, LATE_ARRIVAL_MS, OWNER, orderOf, ref, send, usd, withAccount } from './scene.ts';

it('an order that landed waits for the user feed from then on, until an event names it', () => {
  const account = withAccount();
  const order = send(account, ref('1'));
  expect([...account.unconfirmed]).toEqual([]);
  for (const timeMs of [10, 20]) {
    account.beginStep(timeMs);
    account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: timeMs, kind: { type: 'resting' } });
    expect([...account.unconfirmed]).toEqual([[order, 10]]);
  }
  account.record({ orderId: id('o'), from: 'event', seenAt: 30, kind: { type: 'resting' } });
  expect([...account.unconfirmed]).toEqual([]);
});

it('an order whose edit was refused is of unknown fate when its look-up fails, until a look-up shows it', () => {
  const account = withAccount();
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
  account.beginStep(10);
  account.applySent(orderOf(ref('2')), OWNER, { req: -1, t: 0, replaces: order });
  account.applyEnding(order.id, -1, 'unclear');
  expect(order.status).toBe('moving');
  account.beginStep(20);
  account.lookUps.applyLookUpFailed(id('o'));
  expect([order.status, order.bound, account.counts.unknownEver]).toEqual(['unknown', usd(100), 1]);
  account.beginStep(30);
  account.lookUps.applyLookedUp(id('o'), { remaining: usd(100), filled: usd(0) }, 25);
  expect(order.status).toBe('open');
});

it('an order that no cancel ends is cancelled again at once when the run ends, and then less and less often', () => {
  const account = withAccount();
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
  let now = 10;
  /** The wait in ms after one more cancel without effect. */
  const waitAfterCancel = (): number => {
    account.beginStep((now += 10));
    const [name] = account.applyCancelSent([id('o')], now);
    account.applyEnding(name, now, 'unclear');
    account.lookUps.applyLookedUp(id('o'), { remaining: usd(100), filled: usd(0) }, now);
    expect(order.status).toBe('open');
    return Math.max(0, (name?.cancelFrom ?? 0) - now);
  };
  const waits = [0, 1000, 2000, 4000, 8000, 10_000, 10_000];
  expect(waits.map(waitAfterCancel)).toEqual(waits);
  account.lookUps.hurry();
  expect(order.id?.cancelFrom).toBeLessThan(now);
  expect(waits.map(waitAfterCancel)).toEqual(waits);
});

it('time alone changes nothing but orders of unknown fate and bulk cancels', () => {
  const account = withAccount();
  const order = send(account, ref('1'));
  expect(account.isIdle).toBe(true);
  account.applyPlacing(order, 'silent');
  expect(account.isIdle).toBe(false);
  account.record({ ref: order.ref, orderId: id('o'), from: 'event', seenAt: 1, kind: { type: 'resting' } });
  expect(account.isIdle).toBe(true);
  account.applyBulkSent([id('o')], 1000);
  expect([order.status, account.isIdle]).toEqual(['cancelling', false]);
  account.beginStep(1000);
  account.housekeep();
  expect([order.status, account.isIdle]).toEqual(['open', true]);
});

it('reads of single orders are sent before lists of the account and look-ups of grades, in any order of requests', () => {
  const account = withAccount();
  const order = send(account, ref('1'));
  account.applyPlacing(order, 'silent');
  account.beginStep(0);
  account.housekeep();
  account.beginStep(500);
  account.news.ask('grade', { what: 'play', txId: 't' as TxId });
  // the answer to a list requests the next one, and the look-up is due in the same step
  account.news.ask('account', { what: 'plays' });
  account.housekeep();
  const { reads } = account.news.takeRequests();
  expect(reads.map(({ what }) => what)).toEqual(['reference', 'open-orders', 'plays', 'play']);
  expect(account.news.takeRequests().reads).toEqual([]);
});

it('an order of unknown fate is looked up after half a second, every two seconds, and from ten seconds on every ten, until nothing can land', () => {
  const account = withAccount();
  const order = send(account, ref('1'));
  account.applyPlacing(order, 'silent');
  const asked: number[] = [];
  for (let now = 0; now <= 40_000; now += 500) {
    account.beginStep(now);
    account.housekeep();
    if (account.news.takeRequests().reads.some(({ what }) => what === 'reference')) {
      asked.push(now);
      // the look-up has no answer
      account.lookUps.applyTrail(order.ref, undefined, now, undefined);
    }
  }
  expect(asked.slice(0, 6)).toEqual([500, 2500, 4500, 6500, 8500, 10_500]);
  const apart = asked.map((timeMs, index) => timeMs - (asked[index - 1] ?? timeMs));
  const late = asked.findIndex((timeMs) => timeMs > LATE_ARRIVAL_MS);
  // after the read that was put off for long, the reads are as frequent as before
  expect(apart.slice(late, late + 3)).toEqual([10_000, 2000, 2000]);
});
