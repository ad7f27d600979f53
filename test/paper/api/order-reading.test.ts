// A bot in the exchange's process receives records without JSON. They must equal the records that the parsers
// read from the JSON, for random sequences of orders.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rung } from '../../../src/domain/index.ts';
import { cents, microsOfCents, toRung } from '../../../src/domain/index.ts';
import type { VenueAccount, MarketBook, OrderType, Placed, Refusal } from '../../../src/venue/index.ts';
import { cancelledJson, editedJson, placedJson, positionJson } from '../../../src/paper/index.ts';
import {
  cancelledAsRead,
  editedAsRead,
  notCancelledAsRead,
  placedAsRead,
  positionAsRead,
} from '../../../src/paper/api/order-reading.ts';
import { notCancelledJson } from '../../../src/paper/api/order-json.ts';
import {
  parseCancelReply,
  parseEditReply,
  parsePlaceReply,
  parsePositionUpdate,
  wireProfileSchema,
} from '../../../src/wire/index.ts';
import { venueFixture } from '../fixtures.ts';

const TYPES: readonly OrderType[] = ['post', 'limit', 'fillAndKill', 'fillOrKill'];
const ACTIONS = fc.array(
  fc.record({
    what: fc.constantFrom('place', 'place', 'place', 'edit', 'cancel'),
    who: fc.nat(1),
    market: fc.nat(2),
    isFirst: fc.boolean(),
    odds: fc.constantFrom(-150, -120, -105, 100, 104.5, 110, 125, 150),
    cents: fc.integer({ min: 1, max: 40_000 }),
    type: fc.constantFrom(...TYPES),
    pick: fc.nat(20),
  }),
  { minLength: 5, maxLength: 40 },
);

const read = <T>(json: unknown, parse: (body: unknown) => { readonly ok: boolean; readonly value?: T }): T => {
  const { ok, value } = parse(JSON.parse(JSON.stringify(json)));
  expect(ok).toBe(true);
  return value as T;
};

describe.each([true, false])('order reading in process, with mode and reference on records: %s', (onRecords) => {
  it('returns the records that the parsers read from the JSON', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(ACTIONS, (actions) => {
        const profile = wireProfileSchema.parse({
          modeOnRecords: onRecords,
          referenceOnRecords: onRecords,
        });
        const { venue, game, moneyline, account, records, tick } = venueFixture({ profile });
        const accounts: readonly VenueAccount[] = [account('a'), account('b', { mode: 'cash' })];
        const books: readonly MarketBook[] = [
          moneyline,
          venue.book(game, 'spread', -3.5),
          venue.book(game, 'total', 210.5),
        ];
        for (const [index, action] of actions.entries()) {
          const who = accounts[action.who] as VenueAccount;
          const book = books[action.market] as MarketBook;
          const ticket = {
            book,
            side: book.market.sides[action.isFirst ? 0 : 1],
            rung: toRung(action.odds) as Rung,
            risk: microsOfCents(cents(action.cents)),
            orderType: action.type,
            ...(action.pick % 3 === 0 ? {} : { reference: `ref ${index}` }),
          };
          const open = [...who.open.values()];
          const old = open[action.pick % Math.max(1, open.length)];
          if (action.what === 'place') {
            const placed: Placed | Refusal = venue.place(who, ticket, tick());
            const [parsed] = read({ data: { createdSessions: [placedJson(placed)] } }, (body) =>
              parsePlaceReply(body, 1),
            );
            expect(placedAsRead(placed)).toEqual(parsed);
            seen.add(placedAsRead(placed).status);
          } else if (action.what === 'edit' && old !== undefined) {
            const edited = venue.edit(who, old.id, { ...ticket, book: old.book, side: old.side }, tick());
            if (edited.ok) expect(editedAsRead(edited)).toEqual(read({ data: editedJson(edited) }, parseEditReply));
          } else if (action.what === 'cancel') {
            const id = old?.id ?? 'unknown';
            const result = venue.cancel(who, id, tick());
            const json = result.ok ? cancelledJson(result) : notCancelledJson(id, result);
            const parsed = read({ data: [json] }, (body) => parseCancelReply(body, 1));
            expect([result.ok ? cancelledAsRead(result) : notCancelledAsRead(id, result)]).toEqual(parsed);
          }
          for (const { record } of records.splice(0)) {
            const event = positionAsRead(record);
            const parsed = parsePositionUpdate(JSON.stringify(positionJson(record)));
            expect(parsed).toEqual({ ok: true, value: event });
            expect('mode' in event).toBe(onRecords);
            seen.add(event.kind);
          }
        }
      }),
      { numRuns: 150 },
    );
    expect([...seen].sort()).toEqual(
      expect.arrayContaining(['accepted', 'cancelled', 'fully-taken', 'partly-taken', 'posted', 'refused', 'took']),
    );
  });
});
