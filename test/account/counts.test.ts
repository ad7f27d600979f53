// The counters in the summary of a run.
import { expect, it } from 'vitest';
import { Account } from '../../src/account/index.ts';
import { id, LATE_ARRIVAL_MS, OWNER, orderOf, ref, send, withAccount } from './scene.ts';

it('an order of unknown fate counts once, and an order whose cancel was not answered does not count', () => {
  const account = withAccount();
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
  account.beginStep(2);
  const [name] = account.applyCancelSent([id('o')], -1);
  account.applyEnding(name, -1, 'silent');
  expect([order.status, account.counts.unknownEver]).toEqual(['open', 0]);

  const edit = account.applySent(orderOf(ref('2')), OWNER, { req: -2, t: 0, replaces: order });
  account.applyEnding(name, -2, 'silent');
  account.applyPlacing(edit, 'silent');
  expect([order.status, edit.status, account.counts.unknownEver]).toEqual(['unknown', 'unknown', 2]);
  // a cancel meanwhile does not count it a second time
  account.applyCancelSent([id('o')], -3);
  account.applyEnding(name, -3, 'silent');
  expect([order.status, account.counts.unknownEver]).toEqual(['unknown', 2]);
});

it.each([
  ['was never answered', ['silent'], { cancelled: 0, undetermined: 1 }],
  ['was answered', ['done'], { cancelled: 1, undetermined: 0 }],
  ['was answered the second time', ['silent', 'done'], { cancelled: 1, undetermined: 0 }],
] as const)('an order that ended after a cancel of the bot that %s counts accordingly', (_answer, answers, counts) => {
  const account = withAccount();
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
  const gone = { orderId: id('o'), seenAt: 3, kind: { type: 'gone', total: undefined } } as const;
  for (const [index, answer] of answers.entries()) {
    account.beginStep(2 + index);
    const [name] = account.applyCancelSent([id('o')], index);
    if (name === undefined) throw new Error('it has no such id');
    if (answer === 'silent') account.applyEnding(name, index, 'silent');
    else account.recordCancelled(name, index, { ...gone, from: 'reply' });
  }
  account.record({ ...gone, from: 'event' });
  expect(order.status).toBe('cancelled');
  expect(account.counts).toMatchObject({ ...counts, cancelledByOthers: 0 });
});

it.each([
  ['counts as cancelled by others when it ends before its expiry', 59_999, 1],
  ['does not count as cancelled by others when it ends after its expiry', 60_001, 0],
])('an order that ended without a cancel of the bot %s', (_outcome, timeMs, byOthers) => {
  const account = new Account({
    instance: 'a',
    playerMode: 'coins',
    lateArrivalMs: LATE_ARRIVAL_MS,
    expiresAfterMs: 60_000,
  });
  account.fills.applyBoot('run');
  account.beginStep(0);
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
  account.beginStep(timeMs);
  account.record({ orderId: id('o'), from: 'event', seenAt: timeMs, kind: { type: 'gone', total: undefined } });
  expect(order.status).toBe('cancelled');
  expect(account.counts.cancelledByOthers).toBe(byOthers);
  expect(account.news.takeRequests().alerts.filter(({ code }) => code === 'ORDER_CANCELLED')).toHaveLength(byOthers);
});
