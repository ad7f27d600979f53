import { describe, expect, it } from 'vitest';
import type { BookPerspective, OrderId, OrderRef } from '../../../src/domain/index.ts';
import {
  BookJson,
  cancelledJson,
  editedJson,
  orderJson,
  gradedPlayJson,
  ownPlayJson,
  placedJson,
  positionJson,
} from '../../../src/paper/index.ts';
import { sideOf } from '../../../src/venue/index.ts';
import {
  bookPerspectiveOf,
  parseCancelReply,
  parseEditReply,
  parseGameReply,
  parseGameUpdate,
  parseOpenOrders,
  parseOrderLookup,
  parseOrderUpdate,
  parsePlaceReply,
  parsePositionUpdate,
  parsePlayLookup,
  parseReferenceTrail,
  sideHeaderOf,
  wireProfileSchema,
} from '../../../src/wire/index.ts';
import { accepted, venueFixture } from '../fixtures.ts';

const OFFERER: BookPerspective = { odds: 'offerer', side: 'offerer', line: 'offerer' };
const value = <T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string },
): T => {
  if (!result.ok) throw new Error(result.problem);
  return result.value;
};

function traded(perspective: unknown = 'offerer') {
  const profile = wireProfileSchema.parse({ bookPerspective: perspective });
  const fixture = venueFixture({ profile });
  const { venue, game, account, place } = fixture;
  const [a, b] = [account('a'), account('b')];
  const spread = venue.book(game, 'spread', -3.5);
  const total = venue.book(game, 'total', 210.5);
  const away = accepted(place(a, 'away', 105, 50, 'post', spread)).order;
  const under = accepted(place(a, 'under', -110, 20.5, 'post', total)).order;
  const home = accepted(place(a, 'home', 120, 100, 'post')).order;
  const taken = accepted(place(b, 'away', -120, 60));
  return { ...fixture, profile, a, b, spread, total, away, under, home, taken, book: new BookJson(profile) };
}

describe.each(['offerer', 'taker', { odds: 'taker', side: 'offerer', line: 'taker' }] as const)(
  'BookJson in perspective %j',
  (perspective) => {
    it('writes a row that the client reads back as the resting order: rung, risk and untaken are the offerer’s', () => {
      const { book, moneyline, a, home, profile } = traded(perspective);
      const frame = value(parseOrderUpdate(book.orderUpdate(sideOf(moneyline, 'home'), a), bookPerspectiveOf(profile)));
      expect(frame.offers).toMatchObject([{ id: home.id, rung: home.rung, risk: home.offered, own: true }]);
      expect(Math.abs((frame.offers[0]?.untaken ?? 0) - home.remaining)).toBeLessThanOrEqual(1);
      expect(frame.participantId).toBe(bookPerspectiveOf(profile).side === 'taker' ? 'p-away' : 'p-home');
    });

    it('writes the side and the line in the perspective of the profile', () => {
      const { book, spread, total, profile } = traded(perspective);
      const view = bookPerspectiveOf(profile);
      const frame = value(parseOrderUpdate(book.orderUpdate(sideOf(spread, 'away'), undefined), view));
      expect(frame.line).toBe(view.line === 'taker' ? -3.5 : 3.5);
      expect(frame.participantId).toBe(view.side === 'taker' ? 'p-home' : 'p-away');
      expect(frame.mainHomeSpread).toBe(-3.5);
      const under = value(parseOrderUpdate(book.orderUpdate(sideOf(total, 'under'), undefined), view));
      expect([under.side, under.line, under.mainTotal]).toEqual([
        view.side === 'taker' ? 'over' : 'under',
        210.5,
        210.5,
      ]);
    });
  },
);

describe('the JSON that the paper exchange writes', () => {
  it('names the side of a frame before its rows', () => {
    const { book, total, spread, moneyline } = traded();
    for (const side of [...total.sides, ...spread.sides, ...moneyline.sides])
      expect(sideHeaderOf(book.orderUpdate(side, undefined))).toBeDefined();
  });

  it('contains createdBy only for the owner', () => {
    const { book, moneyline, game, a, b } = traded();
    for (const text of [
      book.orderUpdate(sideOf(moneyline, 'home'), b),
      book.orderUpdate(sideOf(moneyline, 'home'), undefined),
      book.game(game, b),
    ]) {
      expect(text).not.toContain('createdBy');
    }
    expect(book.game(game, a).match(/"createdBy":"/g)).toHaveLength(3);
  });

  it('has game entries that the client reads back with header, lines and ladders', () => {
    const { book, game, a, away, under } = traded();
    const read = value(parseGameReply({ data: { game: JSON.parse(book.game(game, a)) as unknown } }, OFFERER));
    expect(read).toMatchObject({
      gameId: 'game-1',
      league: 'NBA',
      start: game.header.start,
      live: false,
      ended: false,
      mainHomeSpread: -3.5,
      mainTotal: 210.5,
      messageType: undefined,
    });
    expect(read.participants?.map(({ id, homeAway }) => [id, homeAway])).toEqual([
      ['p-away', 'away'],
      ['p-home', 'home'],
    ]);
    expect(read.covers).toHaveLength(6);
    expect(read.ladders.find((ladder) => ladder.type === 'spread' && ladder.side === 'away')).toMatchObject({
      line: 3.5,
      offers: [{ id: away.id }],
    });
    expect(read.ladders.find((ladder) => ladder.type === 'total' && ladder.side === 'under')).toMatchObject({
      line: 210.5,
      offers: [{ id: under.id }],
    });
  });

  it('closes a market with empty ladders and a messageType', () => {
    const { venue, book, game, tick } = traded();
    venue.changeGame(game, { open: false }, tick());
    const read = value(parseGameUpdate(book.game(game, undefined, 'marketClosed'), OFFERER));
    expect(read.messageType).toBe('marketClosed');
    expect(read.ladders.every((ladder) => ladder.offers.length === 0)).toBe(true);
  });

  it('has replies to places, edits and cancels that the client reads back', () => {
    const { venue, a, b, taken, home, away, moneyline, tick } = traded();
    const refusal = venue.place(
      b,
      { book: moneyline, side: 'away', rung: -500 as never, risk: 5_000_000 as never, orderType: 'post' },
      tick(),
    );
    const [first, second] = value(
      parsePlaceReply({ data: { createdSessions: [placedJson(taken), placedJson(refusal)] } }, 2),
    );
    expect(first).toMatchObject({
      status: 'accepted',
      orderId: undefined,
      fills: [{ risk: 60_000_000, odds: -120 }],
    });
    expect(second).toMatchObject({ status: 'refused', errorType: 'rejected_order_type_rules' });
    const edited = venue.edit(
      a,
      home.id,
      { book: moneyline, side: 'home', rung: 300 as never, risk: 5_000_000 as never, orderType: 'post' },
      tick(),
    );
    if (!edited.ok) throw new Error(edited.message);
    expect(value(parseEditReply({ data: editedJson(edited) }))).toMatchObject({
      cancelled: true,
      placed: { status: 'accepted' },
    });
    const cancelled = venue.cancel(a, away.id, tick());
    if (!cancelled.ok) throw new Error(cancelled.message);
    expect(value(parseCancelReply({ data: [cancelledJson(cancelled)] }, 1))).toEqual([
      { orderId: away.id, success: true, filled: 0, reason: undefined },
    ]);
  });

  it('has order lists and look-ups that the client reads back', () => {
    const { a, home } = traded();
    expect(
      value(parseOpenOrders({ data: { unmatched: [...a.open.values()].map(orderJson) } })).map(
        (order) => order.orderId,
      ),
    ).toContain(home.id);
    expect(value(parseOrderLookup({ data: { order: orderJson(home) } }))).toEqual({
      remaining: home.remaining,
      filled: home.filled,
    });
    expect(
      value(
        parseReferenceTrail(
          { data: { unmatched: [orderJson(home)], matched: home.plays.map(ownPlayJson), graded: [] } },
          home.reference as OrderRef,
        ),
      ).fills,
    ).toMatchObject([{ risk: 50_000_000, odds: 120 }]);
  });

  it('has plays that the client reads back before and after grading', () => {
    const { venue, home, tick } = traded();
    const [play] = home.plays;
    if (play === undefined) throw new Error('nothing was matched');
    const lookUp = (): unknown => value(parsePlayLookup({ bet: gradedPlayJson(play) }, play.txId));
    expect(lookUp()).toEqual({ graded: false, profit: undefined });
    venue.grade(play.order.book.game, { home: 1, away: 2 }, tick());
    expect(lookUp()).toEqual({ graded: true, profit: -50_000_000 });
  });

  it('has position updates that each fit one row of the spec’s table', () => {
    const { venue, records, a, under, tick } = traded();
    venue.cancel(a, under.id, tick());
    const events = records.map(
      ({ account, record }) =>
        [account.username, value(parsePositionUpdate(JSON.stringify(positionJson(record))))] as const,
    );
    expect(events.map(([name, event]) => [name, event.kind])).toEqual([
      ['a', 'posted'],
      ['a', 'posted'],
      ['a', 'posted'],
      ['a', 'partly-taken'],
      ['b', 'took'],
      ['a', 'cancelled'],
    ]);
    expect(events[0]?.[1].place).toEqual({ type: 'spread', side: 'p-away', line: 3.5 });
    expect(events[3]?.[1]).toMatchObject({
      odds: 120,
      remaining: 50_000_000,
      fill: { risk: 50_000_000, odds: 120 },
    });
    expect(events[4]?.[1]).toMatchObject({
      orderId: undefined as OrderId | undefined,
      fill: { risk: 60_000_000, odds: -120 },
    });
  });
});
