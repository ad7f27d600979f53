import { expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/index.ts';
import { AccountFollower } from '../../src/engine/index.ts';
import { CoreDriver, coreSettings, editsIn, placesIn } from '../support/core-driver.ts';

it('believes of a run’s orders what their journal says, step by step: placed, moved, and cancelled at the end', () => {
  const settings = coreSettings({ orders: { tolerance: 0 } });
  const driver = new CoreDriver(settings);
  const follower = new AccountFollower(settings);
  driver.record = (arrival, commands) => {
    follower.applyInput(arrival);
    follower.applyCommands(commands);
  };
  const statusOf = (ref: Parameters<AccountFollower['find']>[0]) => follower.find(ref, undefined)?.status;

  const [place] = placesIn(driver.start());
  const [first] = place?.orders ?? [];
  if (place === undefined || first === undefined) throw new Error('nothing is placed');
  expect(statusOf(first.ref)).toBe('sending');
  driver.accept(place, 'o');
  expect(statusOf(first.ref)).toBe('open');

  const rows = (odds: number) => [{ id: 'other', odds, risk: 200 }];
  const [edit] = editsIn(driver.frame('p-home', rows(125)));
  if (edit === undefined) throw new Error('nothing is moved');
  const old = place.orders.find((_order, index) => edit.orderId === `o${index}`) ?? first;
  expect([statusOf(old.ref), statusOf(edit.order.ref)]).toEqual(['moving', 'sending']);
  driver.reply(edit.req, {
    data: { cancelled: { success: true }, matched: [], unmatched: { orderID: 'new' } },
  });
  expect([statusOf(old.ref), statusOf(edit.order.ref)]).toEqual(['cancelled', 'open']);
  expect(follower.find(undefined, 'new' as OrderId)?.ref).toBe(edit.order.ref);

  driver.input({ type: 'operator', command: 'stop' });
  expect(statusOf(edit.order.ref)).toBe('cancelling');
});
