// What the summary of a run counts.
import { expect, it } from 'vitest';
import { Account } from '../../src/account/index.ts';
import { id, LATE_ARRIVAL_MS, OWNER, orderOf, ref, send, withAccount } from './scene.ts';

it('an order of unknown fate counts once, and one whose cancel was not answered is none', () => {
  const account = withAccount();
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
  account.begin(2);
  const [life] = account.applyCancelSent([id('o')], -1);
  account.applyEnding(life, -1, 'silent');
  expect([order.status, account.counts.unknownEver]).toEqual(['open', 0]);

  const edit = account.applySent(orderOf(ref('2')), OWNER, { req: -2, t: 0, replaces: order });
  account.applyEnding(life, -2, 'silent');
  account.applyPlacing(edit, 'silent');
  expect([order.status, edit.status, account.counts.unknownEver]).toEqual(['unknown', 'unknown', 2]);
  // to cancel it meanwhile makes it no second one
  account.applyCancelSent([id('o')], -3);
  account.applyEnding(life, -3, 'silent');
  expect([order.status, account.counts.unknownEver]).toEqual(['unknown', 2]);
});

it.each([
  ['was never answered', ['silent'], { cancelled: 0, undetermined: 1 }],
  ['was answered', ['done'], { cancelled: 1, undetermined: 0 }],
  ['was answered the second time', ['silent', 'done'], { cancelled: 1, undetermined: 0 }],
] as const)('an order that ended after our cancel, which %s, counts as such', (_what, answers, counts) => {
  const account = withAccount();
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
  const gone = { orderId: id('o'), seenAt: 3, kind: { type: 'gone', total: undefined } } as const;
  for (const [index, answer] of answers.entries()) {
    account.begin(2 + index);
    const [life] = account.applyCancelSent([id('o')], index);
    if (life === undefined) throw new Error('it has no such id');
    if (answer === 'silent') account.applyEnding(life, index, 'silent');
    else account.recordCancelled(life, index, { ...gone, from: 'reply' });
  }
  account.record({ ...gone, from: 'event' });
  expect(order.status).toBe('cancelled');
  expect(account.counts).toMatchObject({ ...counts, cancelledByOthers: 0 });
});

it.each([
  ['before its time, by others', 59_999, 1],
  ['when its time was over, by itself', 60_001, 0],
])('an order that ended without a cancel of ours ended %s', (_what, at, byOthers) => {
  const account = new Account({
    instance: 'a',
    playerMode: 'coins',
    lateArrivalMs: LATE_ARRIVAL_MS,
    expiresAfterMs: 60_000,
  });
  account.fills.applyBoot('run');
  account.begin(0);
  const order = send(account, ref('1'));
  account.record({ ref: order.ref, orderId: id('o'), from: 'reply', seenAt: 1, kind: { type: 'resting' } });
  account.begin(at);
  account.record({ orderId: id('o'), from: 'event', seenAt: at, kind: { type: 'gone', total: undefined } });
  expect(order.status).toBe('cancelled');
  expect(account.counts.cancelledByOthers).toBe(byOthers);
  expect(account.news.takeRequests().alerts.filter(({ code }) => code === 'ORDER_CANCELLED')).toHaveLength(byOthers);
});
