// Edits: by default a cancel and a new order; the profile can change that.
import { expect } from 'vitest';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import { refused } from '../kit.ts';
import * as schemas from '../schemas.ts';
import { read } from '../schemas.ts';
import { section } from '../section.ts';

const EDIT = 'Order endpoints (under /session) · POST /session/editOrder';

export const editSection = section('edit', (shows) => {
  shows(
    [EDIT, 'Orders · edit body', 'Orders · edit effect'],
    'cancels the old order and posts a new order with a new id and size and the same side and reference',
    async (venue) => {
      const alice = await venue.as('alice');
      const id = await alice.rests(venue.order('under', 110, 100, { number: 210.5, userReference: 'keep' }));
      const edited = await alice.edited(id, 120, 80);
      expect(edited).toMatchObject({
        cancelled: { sessionID: id, offered: 0, remaining: 100, odds: 110 },
        matched: [],
        unmatched: { offered: 80, remaining: 80, odds: 120, side: 'under', number: 210.5, userReference: 'keep' },
      });
      const { orderID } = read(schemas.offer, edited.unmatched);
      expect(orderID).not.toBe(id);
      expect(await alice.openIds()).toEqual([orderID]);
      expect((await alice.edited(orderID, 120, 80, { userReference: 'new' })).unmatched).toMatchObject({
        userReference: 'new',
      });
    },
  );

  shows(
    ['Orders · edit effect', 'positionUpdate (namespace /v2/user/<username>) · “Every state change of one …”'],
    'reports an edit as the cancel of the old order id, then the post of the new one',
    async (venue) => {
      const alice = await venue.as('alice');
      const events = await alice.positions();
      const id = await alice.rests(venue.order('home', 110, 100));
      const { orderID } = read(schemas.offer, (await alice.edited(id, 120, 80)).unmatched);
      const reported = await events.upTo(({ unmatched }) => unmatched?.orderID === orderID);
      expect(reported.map(({ unmatched }) => [unmatched?.orderID, unmatched?.offered])).toEqual([
        [id, 100],
        [id, 0],
        [orderID, 80],
      ]);
      expect(reported.every(({ origin, matched }) => origin === 'offer' && matched === null)).toBe(true);
    },
  );

  shows(
    ['positionUpdate · edit after a partial fill', 'Orders · edit body'],
    'offers the whole new size after the edit of a partly filled order and leaves the fill with the old order',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const events = await alice.positions();
      const id = await alice.rests(venue.order('home', 100, 100));
      await bob.takes(venue.order('away', 100, 30));
      const edited = await alice.edited(id, 110, 100);
      expect(edited.cancelled).toMatchObject({ sessionID: id, filled: 30, remaining: 70 });
      expect(edited.unmatched).toMatchObject({ offered: 100, remaining: 100 });
      const { orderID } = read(schemas.offer, edited.unmatched);
      const reported = await events.upTo(({ unmatched }) => unmatched?.orderID === orderID);
      expect(reported.map(({ unmatched: order, matched }) => [order?.offered, order?.filled, matched?.filled])).toEqual(
        [
          [100, 0, undefined],
          [100, 30, 30],
          [0, 30, undefined],
          [100, 0, undefined],
        ],
      );
      const order = await alice.get('/session/lookupOrder', { orderID: id });
      expect(order.json).toMatchObject({ data: { order: { status: 'cancelled', filled: 30, offered: 0 } } });
    },
  );

  shows(
    [EDIT, 'Orders · edit body'],
    'refuses an edit that lacks its price, size or id, has a size out of range, or names an ended order',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const id = await alice.rests(venue.order('home', 100, 10));
      const whole = { sessionID: id, orderOdds: 110, orderVolume: 20 };
      for (const missing of ['sessionID', 'orderOdds', 'orderVolume'])
        refused(await alice.post('/session/editOrder', { ...whole, [missing]: undefined }), 400);
      refused(await alice.edit(id, 50, 10), 400);
      refused(await alice.edit(id, 110, 1001), 403);
      expect(await alice.openIds()).toEqual([id]);
      await bob.takes(venue.order('away', 100, 10));
      refused(await alice.edit(id, 110, 20), 409);
      const other = await alice.rests(venue.order('home', 110, 10));
      await alice.cancel(other);
      refused(await alice.edit(other, 120, 20), 404);
    },
  );

  shows(
    ['Orders · edit effect', 'Errors · 409: Order size exceeds available credit'],
    'keeps the old order and places none when the new order exceeds the available credit',
    async (venue) => {
      const carol = await venue.as('carol');
      const id = await carol.rests(venue.order('home', 100, 40));
      refused(await carol.edit(id, 110, 41), 409, 'Order size exceeds available credit');
      expect(await carol.openIds()).toEqual([id]);
      // the edit may use the credit that the old order held
      expect((await carol.edited(id, 110, 40)).unmatched).toMatchObject({ offered: 40 });
    },
  );

  shows(
    ['Orders · edit effect'],
    'reports both results of an edit that cancels the old order and then fails to place the new one',
    async (venue) => {
      const alice = await venue.as('alice');
      await alice.rests(venue.order('away', -105, 10));
      const id = await alice.rests(venue.order('home', 120, 10));
      const reply = await alice.edit(id, 105, 10, { orderType: 'fillOrKill' });
      expect(reply.status).toBe(200);
      // the opposite offer covers only 9.52
      expect(reply.json).toMatchObject({
        data: {
          cancelled: { success: true, sessionID: id },
          error: expect.stringMatching(/^Order size exceeds quantity available/) as unknown,
          errorType: 'rejected_order_type_rules',
        },
      });
      expect(await alice.openIds()).toHaveLength(1);
    },
  );

  shows(['Orders · edit body'], 'matches a post edit that crosses, by default', async (venue) => {
    const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
    await bob.rests(venue.order('away', 110, 11));
    const id = await alice.rests(venue.order('home', 120, 10));
    expect(await alice.edited(id, -110, 22)).toMatchObject({
      cancelled: { sessionID: id },
      matched: [{ risk: 12.1, win: 11, odds: -110 }],
      unmatched: { offered: 9.9, odds: -110 },
    });
  });

  shows(
    ['Orders · edit body'],
    'refuses a post edit that crosses when the profile says that edits respect post',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      await bob.rests(venue.order('away', 110, 11));
      const id = await alice.rests(venue.order('home', 120, 10));
      const { json, status } = await alice.edit(id, -110, 22);
      expect(status).toBe(200);
      expect(json).toMatchObject({
        data: { cancelled: { sessionID: id }, errorType: 'rejected_order_type_rules' },
      });
      expect(await bob.openOrders()).toMatchObject([{ filled: 0 }]);
    },
    { profile: wireProfileSchema.parse({ editHonoursPost: true }) },
  );

  shows(
    ['Orders · edit effect'],
    'keeps the id of an edited order and reports no cancel when the profile says so',
    async (venue) => {
      const [alice, bob] = [await venue.as('alice'), await venue.as('bob')];
      const events = await alice.positions();
      const id = await alice.rests(venue.order('home', 110, 100));
      const edited = await alice.edited(id, 120, 80);
      expect(edited).toMatchObject({ cancelled: { sessionID: id }, unmatched: { orderID: id, offered: 80 } });
      expect(await bob.takes(venue.order('away', -120, 12))).toMatchObject([{ orderID: id, risk: 12 }]);
      const reported = await events.upTo(({ matched }) => matched !== null);
      expect(
        reported.map(({ unmatched: order }) => [order?.orderID, order?.odds, order?.offered, order?.filled]),
      ).toEqual([
        [id, 110, 100, 0],
        [id, 120, 80, 0],
        [id, 120, 80, 10],
      ]);
    },
    { profile: wireProfileSchema.parse({ editKeepsId: true }) },
  );

  shows(
    ['Orders · edit body'],
    'gives an edited order the default lifetime unless the edit names one; 0 means no expiry',
    async (venue) => {
      const alice = await venue.as('alice');
      const id = await alice.rests(venue.order('home', 110, 10));
      const lifetimeOf = async (expiryFields: object): Promise<number | undefined> => {
        const [before] = await alice.openOrders();
        await alice.edited(before?.id ?? '', 110, 10, expiryFields);
        const [after] = await alice.openOrders();
        const { expiry = null, createdAt = '' } = after ?? {};
        return expiry === null ? undefined : Math.round((Date.parse(expiry) - Date.parse(createdAt)) / 1000);
      };
      expect((await alice.openOrders()).map((open) => [open.id, open.expiry])).toEqual([[id, null]]);
      expect(await lifetimeOf({})).toBe(120);
      expect(await lifetimeOf({ expiryChange: 7 })).toBe(420);
      expect(await lifetimeOf({ expiryChange: 0 })).toBeUndefined();
    },
    { profile: wireProfileSchema.parse({ editExpiryMinutes: 2 }) },
  );

  shows(
    ['Orders · edit body'],
    'drops the reference of an edited order when the profile says so',
    async (venue) => {
      const alice = await venue.as('alice');
      const id = await alice.rests(venue.order('home', 110, 10, { userReference: 'mine' }));
      await alice.edited(id, 120, 10, { userReference: 'mine' });
      expect(await alice.openOrders()).toMatchObject([{ odds: 120, userReference: null }]);
    },
    { profile: wireProfileSchema.parse({ editKeepsReference: false }) },
  );
});
