import { describe, expect, it } from 'vitest';
import type { PositionEvent } from '../../src/domain/index.ts';
import { microsOfDollars } from '../../src/domain/index.ts';
import { parsePositionUpdate } from '../../src/wire/index.ts';
import { value } from './fixtures.ts';

type Fields = Readonly<Record<string, unknown>>;
const offer = (fields: Fields = {}) => ({
  orderID: 'o1',
  odds: -105,
  offered: 100,
  filled: 0,
  remaining: 100,
  ...fields,
});
const play = (fields: Fields = {}) => ({ txID: 't1', filled: 40, odds: -105, ...fields });
const text = (fields: Fields): string =>
  JSON.stringify({
    unmatched: null,
    matched: null,
    gameID: 'g1',
    parentGameID: null,
    eventName: 'Away @ Home',
    league: 'NBA',
    sport: 'basketball',
    live: false,
    start: '2030-01-01T12:00:00.000Z',
    awayRotationNumber: '571',
    origin: 'offer',
    platform: 'api',
    createdAt: '2030-01-01T00:00:00.000Z',
    ...fields,
  });
const read = (fields: Fields): PositionEvent => value(parsePositionUpdate(text(fields)));

describe('parsePositionUpdate', () => {
  it.each<[PositionEvent['kind'], string, Fields]>([
    ['posted', 'an offer with nothing filled', { unmatched: offer() }],
    [
      'partly-taken',
      'a fill that leaves something',
      { unmatched: offer({ filled: 40, remaining: 60 }), matched: play() },
    ],
    [
      'fully-taken',
      'a fill that leaves nothing',
      { unmatched: offer({ filled: 100, remaining: 0 }), matched: play({ filled: 60 }) },
    ],
    ['took', 'a wager', { origin: 'wager', matched: play() }],
    ['cancelled', 'an offer of 0', { unmatched: offer({ offered: 0, remaining: 0 }) }],
    ['cancelled', 'an offer of 0 after a partial fill', { unmatched: offer({ offered: 0, filled: 40, remaining: 0 }) }],
    [
      'cancelled',
      'an offer of 0 that still shows what was released',
      { unmatched: offer({ offered: 0, remaining: 60 }) },
    ],
    ['changed', 'an edit after a partial fill', { unmatched: offer({ offered: 150, filled: 40, remaining: 110 }) }],
  ])('classifies as %s: %s', (kind, _what, fields) => {
    expect(read(fields).kind).toBe(kind);
  });

  it.each<[PositionEvent['kind'], Fields]>([
    ['posted', { unmatched: offer({ offered: '100', filled: '0', remaining: '100.00' }) }],
    ['cancelled', { unmatched: offer({ offered: '0', filled: '0', remaining: '0' }) }],
    ['fully-taken', { unmatched: offer({ filled: '100', remaining: '0' }), matched: play({ filled: '100' }) }],
    ['posted', { unmatched: offer({ filled: undefined }) }],
    ['fully-taken', { unmatched: offer({ filled: 100, remaining: -1e-9 }), matched: play() }],
    ['partly-taken', { unmatched: offer({ remaining: undefined }), matched: play() }],
  ])('classifies as %s with numbers as text, missing or noisy', (kind, fields) => {
    expect(read(fields).kind).toBe(kind);
  });

  it('reads a fill by its txID and its own size, never by the cumulative size', () => {
    const event = read({ unmatched: offer({ filled: 90, remaining: 10 }), matched: play({ filled: 40 }) });
    expect(event.fill).toEqual({ txId: 't1', risk: microsOfDollars(40), odds: -105 });
  });

  it('never reads a cancel as a fill', () => {
    expect(read({ unmatched: offer({ offered: 0, filled: 40, remaining: 0 }) }).fill).toBeUndefined();
  });
});

describe('a positionUpdate', () => {
  it('of an offer has its id, price and sizes', () => {
    expect(read({ unmatched: offer({ odds: '+105.5', offered: 100, remaining: 100 }) })).toMatchObject({
      gameId: 'g1',
      orderId: 'o1',
      odds: 105.5,
      offered: microsOfDollars(100),
      remaining: microsOfDollars(100),
    });
  });

  it('of a wager has no order of its own', () => {
    expect(read({ origin: 'wager', matched: play({ odds: 105 }) })).toMatchObject({
      orderId: undefined,
      offered: undefined,
      remaining: undefined,
      fill: { risk: microsOfDollars(40), odds: 105 },
    });
  });

  it('uses the extra fields when they are there, and needs none of them', () => {
    const extra = { type: 'spread', side: 'p-away', number: '3.5', userReference: 'r1' };
    expect(read({ unmatched: offer(extra) })).toMatchObject({
      ref: 'r1',
      place: { type: 'spread', side: 'p-away', line: 3.5 },
    });
    expect(read({ origin: 'wager', matched: play(extra) })).toMatchObject({
      ref: 'r1',
      place: { type: 'spread' },
    });
    expect(read({ unmatched: offer() })).toMatchObject({
      ref: undefined,
      place: { type: undefined, side: undefined, line: undefined },
    });
    expect(read({ unmatched: offer({ type: 'future' }) }).place.type).toBeUndefined();
  });

  it.each<[string, Fields, number]>([
    ['filled', { filled: 40, amount: 41, risk: 42 }, 40],
    ['filled as text', { filled: '40.25' }, 40.25],
    ['amount', { filled: undefined, amount: 41, risk: 42 }, 41],
    ['amount beside a null', { filled: null, amount: '41', risk: 42 }, 41],
    ['risk', { filled: undefined, amount: undefined, risk: 42 }, 42],
  ])('reads the size of a fill from %s', (_where, fields, dollars) => {
    expect(read({ unmatched: offer({ remaining: 50 }), matched: play(fields) }).fill?.risk).toBe(
      microsOfDollars(dollars),
    );
  });

  it.each([571, '571', undefined, null])('is read whatever its awayRotationNumber is: %j', (awayRotationNumber) => {
    expect(read({ unmatched: offer(), awayRotationNumber }).kind).toBe('posted');
  });

  it('keeps an offer with unreadable odds: its id and its sizes count', () => {
    expect(read({ unmatched: offer({ odds: 'even' }) })).toMatchObject({ orderId: 'o1', odds: undefined });
  });

  it.each([-5, 1e300, 'NaN', null])('leaves the remaining size %j undefined', (remaining) => {
    expect(read({ unmatched: offer({ remaining }) }).remaining).toBeUndefined();
  });

  it.each<[string, Fields]>([
    ['names no game', { gameID: undefined, unmatched: offer() }],
    ['has neither part', {}],
    ['is an offer without unmatched', { origin: 'offer', matched: play() }],
    ['has an offer without id', { unmatched: offer({ orderID: undefined }) }],
    ['has an offer without size', { unmatched: offer({ offered: undefined }) }],
    ['has an offer of negative size', { unmatched: offer({ offered: -1 }) }],
    ['has an offer of absurd size', { unmatched: offer({ offered: 1e300 }) }],
    ['has a fill without txID', { unmatched: offer(), matched: play({ txID: undefined }) }],
    ['has a fill without size', { unmatched: offer(), matched: play({ filled: undefined }) }],
    ['has a fill of negative size', { unmatched: offer(), matched: play({ filled: -1 }) }],
    ['has a fill of absurd size', { unmatched: offer(), matched: play({ filled: 1e300 }) }],
    ['has a fill without odds', { unmatched: offer(), matched: play({ odds: undefined }) }],
    ['has a fill at no price', { unmatched: offer(), matched: play({ odds: 50 }) }],
  ])('is refused when it %s', (_what, fields) => {
    expect(parsePositionUpdate(text(fields)).ok).toBe(false);
  });

  it.each(['', '{', 'null', '[]', '"x"', '{}'])('is refused when its text is %j', (payload) => {
    expect(parsePositionUpdate(payload).ok).toBe(false);
  });
});
