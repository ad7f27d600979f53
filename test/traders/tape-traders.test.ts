import { describe, expect, it } from 'vitest';
import type { GameId, Ladder, OrderId, ParticipantId, Rung, SideFrame } from '../../src/domain/index.ts';
import { microsOfDollars, parseTapeStart, toRung } from '../../src/domain/index.ts';
import type { MarketEvent, RecordedFrame } from '../../src/tape/index.ts';
import { BookJson, Exchange } from '../../src/paper/index.ts';
import { createTapeClock, TapeFeed, TapeTraders } from '../../src/traders/index.ts';
import { sideOf, Venue } from '../../src/venue/index.ts';
import { TapeDecoder } from '../../src/tape/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import { accepted, dollars, HEADER, T0, venueFixture } from '../paper/fixtures.ts';

type Row = readonly [id: string, odds: number, risk: number, untaken: number, createdMs: number];

const ladder = (rows: readonly Row[]): Ladder =>
  rows.map(([id, odds, risk, untaken, createdMs]) => {
    const rung = toRung(odds);
    if (rung === undefined) throw new Error(`no odds: ${odds}`);
    return {
      id: id as OrderId,
      rung,
      risk: microsOfDollars(risk),
      untaken: microsOfDollars(untaken),
      createdAt: new Date(T0 + createdMs).toISOString(),
      own: false,
    };
  });

/** A recorded book on the venue's own clock: tape time is venue time. */
function tapeFixture() {
  const fixture = venueFixture();
  const traders = new TapeTraders({ venue: fixture.venue, clock: createTapeClock(T0, T0, 1) });
  const show = (side: 'home' | 'away', rows: readonly Row[], live = false): void => {
    const frame: SideFrame = {
      gameId: HEADER.id,
      league: 'NBA',
      type: 'moneyline',
      participantId: (side === 'home' ? 'p-home' : 'p-away') as ParticipantId,
      side: undefined,
      line: undefined,
      live,
      mainHomeSpread: undefined,
      mainTotal: undefined,
      offers: ladder(rows),
    };
    const nowMs = fixture.tick(100);
    traders.applySide({ ts: nowMs, what: 'side', frame, exhausted: [] }, nowMs);
  };
  const rows = (side: 'home' | 'away') =>
    JSON.parse(new BookJson(DEFAULT_PROFILE).rows(sideOf(fixture.moneyline, side), undefined)) as {
      id: string;
      sumUntaken: number;
      odds: number;
    }[];
  return { ...fixture, show, rows };
}

describe('TapeTraders', () => {
  it('fills account offers that stood before a taken offer, at their own odds', () => {
    const { account, place, show, records } = tapeFixture();
    show('home', [['g1', 110, 200, 200, -1000]]);
    const better = accepted(place(account('a'), 'home', 105, 40, 'post')).order;
    // 100 of g1 at +110 are taken: the taker staked 110. Of that 42 take the better offer whole, 68 are left
    // for g1.
    show('home', [['g1', 110, 200, 100, -1000]]);
    expect(better.status).toBe('filled');
    expect(records.at(-1)?.record.play).toMatchObject({
      odds: 105,
      risk: 40_000_000,
      win: 42_000_000,
      role: 'offer',
    });
  });

  it('fills a part of an account offer on a smaller take, at the odds of that offer', () => {
    const { account, place, show } = tapeFixture();
    show('home', [['g1', 110, 200, 200, -1000]]);
    const order = accepted(place(account('a'), 'home', -110, 100, 'post')).order;
    show('home', [['g1', 110, 200, 190, -1000]]);
    // a stake of 11 against −110 takes 12.10 of its risk
    expect(dollars(order.filled)).toBeCloseTo(12.1, 6);
    expect(order.status).toBe('open');
  });

  it('ranks an account offer behind an older recorded offer at the same price, and before a younger one', () => {
    const { account, place, show } = tapeFixture();
    show('home', [['old', 110, 50, 50, -1000]]);
    const order = accepted(place(account('a'), 'home', 110, 30, 'post')).order;
    show('home', [
      ['old', 110, 50, 20, -1000],
      ['young', 110, 50, 50, 150],
    ]);
    expect(order.filled).toBe(0);
    show('home', [
      ['old', 110, 50, 20, -1000],
      ['young', 110, 50, 40, 150],
    ]);
    expect(dollars(order.filled)).toBe(10);
  });

  it('shares one take among account offers by rank, and uses its volume once', () => {
    const { account, place, show } = tapeFixture();
    show('home', [['g1', 120, 500, 500, -1000]]);
    const second = accepted(place(account('b'), 'home', 105, 50, 'post')).order;
    const first = accepted(place(account('a'), 'home', 100, 50, 'post')).order;
    // 60 at +120: a stake of 72. 50 go to the offer at +100, 22 to the one at +105 (20.952381 of its risk).
    show('home', [['g1', 120, 500, 440, -1000]]);
    expect(dollars(first.filled)).toBe(50);
    expect(dollars(second.filled)).toBeCloseTo(22 / 1.05, 5);
    show('home', [['g1', 120, 500, 440, -1000]]);
    expect(dollars(second.filled)).toBeCloseTo(22 / 1.05, 5);
  });

  it('fills no account offer when a recorded offer vanishes, is cancelled in part, or is new', () => {
    const { account, place, show } = tapeFixture();
    show('home', [
      ['g1', 110, 100, 100, -1000],
      ['g2', 112, 100, 100, -1000],
    ]);
    const order = accepted(place(account('a'), 'home', 105, 30, 'post')).order;
    show('home', [['g2', 112, 60, 60, -1000]]);
    show('home', [
      ['g1', 110, 100, 30, -1000],
      ['g2', 112, 60, 60, -1000],
    ]);
    show('home', []);
    expect(order.filled).toBe(0);
  });

  it('fills account offers when a recorded offer is shown with nothing left', () => {
    const { venue, account, place, show, tick } = tapeFixture();
    show('home', [['g1', 100, 30, 30, -1000]]);
    const order = accepted(place(account('a'), 'home', -105, 20, 'post')).order;
    const traders = new TapeTraders({ venue, clock: createTapeClock(T0, T0, 1) });
    const frame = {
      gameId: HEADER.id,
      league: 'NBA',
      type: 'moneyline',
      participantId: HEADER.home.id,
      side: undefined,
      line: undefined,
      live: false,
      mainHomeSpread: undefined,
      mainTotal: undefined,
      offers: [],
    } as const;
    const exhausted = [{ id: 'g1' as OrderId, risk: microsOfDollars(30) }];
    traders.applySide({ ts: tick(), what: 'side', frame, exhausted }, tick());
    expect(order.status).toBe('filled');
  });

  it('fills an account offer that a new recorded offer would cross, and shows what is left of the recorded offer', () => {
    const { account, place, show, rows } = tapeFixture();
    const order = accepted(place(account('a'), 'home', 105, 40, 'post')).order;
    // an offer on AWAY at −110 crosses the +105 offer on HOME: 42 of its 60 are used
    show('away', [['x', -110, 60, 60, 50]]);
    expect(order.status).toBe('filled');
    expect(rows('away')).toMatchObject([{ id: 'x', sumUntaken: 18 }]);
    // the same offer again, untouched on the tape: what was used stays used
    show('away', [['x', -110, 60, 60, 50]]);
    expect(rows('away')).toMatchObject([{ id: 'x', sumUntaken: 18 }]);
  });

  it('uses up a smaller recorded offer that crosses an account offer, and does not show it', () => {
    const { account, place, show, rows } = tapeFixture();
    const order = accepted(place(account('a'), 'home', 105, 100, 'post')).order;
    show('away', [['x', -105, 21, 21, 50]]);
    expect(dollars(order.filled)).toBe(20);
    expect(rows('away')).toEqual([]);
  });

  it('does not use recorded volume again that an account had matched before the tape took it', () => {
    const { account, place, show, rows } = tapeFixture();
    accepted(place(account('a'), 'home', 105, 40, 'post'));
    show('away', [['x', -110, 60, 60, 50]]); // 42 used
    const behind = accepted(place(account('b'), 'away', -115, 30, 'post')).order;
    show('away', [['x', -110, 60, 20, 50]]); // 40 taken on the tape: all of them were used already
    expect(behind.filled).toBe(0);
    expect(rows('away').find((row) => row.id === 'x')?.sumUntaken).toBe(18);
    show('away', [['x', -110, 60, 10, 50]]); // 10 more: 2 of them used, 8 fresh
    expect(dollars(behind.filled)).toBeGreaterThan(0);
    expect(rows('away').find((row) => row.id === 'x')?.sumUntaken).toBe(10);
  });

  it('keeps a recorded offer used when it leaves the recorded depth and comes back', () => {
    const { account, place, show, rows } = tapeFixture();
    accepted(place(account('a'), 'home', 105, 40, 'post'));
    show('away', [['x', -110, 60, 60, 50]]);
    show('away', []);
    show('away', [['x', -110, 60, 60, 50]]);
    expect(rows('away')).toMatchObject([{ id: 'x', sumUntaken: 18 }]);
  });

  it('shows how much of a recorded offer the tape and accounts took', () => {
    const { account, place, show, rows } = tapeFixture();
    show('home', [['g1', 110, 100, 75, -1000]]);
    expect(rows('home')).toMatchObject([{ id: 'g1', risk: 100, sumUntaken: 75, takenRatio: 0.25 }]);
    place(account('a'), 'away', -110, 27.5, 'fillAndKill');
    expect(rows('home')).toMatchObject([{ id: 'g1', risk: 100, sumUntaken: 50, takenRatio: 0.5 }]);
  });

  it('lets accounts take recorded offers, each unit once', () => {
    const { account, place, show, rows } = tapeFixture();
    show('home', [['g1', 110, 100, 100, -1000]]);
    const taken = accepted(place(account('a'), 'away', -110, 55, 'fillAndKill'));
    expect(taken.plays).toMatchObject([{ counterparty: 'g1', odds: -110, risk: 55_000_000, win: 50_000_000 }]);
    expect(rows('home')).toMatchObject([{ id: 'g1', sumUntaken: 50 }]);
    show('home', [['g1', 110, 100, 100, -1000]]);
    expect(accepted(place(account('b'), 'away', -110, 500, 'fillAndKill')).plays).toMatchObject([{ risk: 55_000_000 }]);
    expect(rows('home')).toEqual([]);
  });

  it('refuses a post order that would cross a recorded offer', () => {
    const { account, place, show } = tapeFixture();
    show('home', [['g1', 110, 100, 100, -1000]]);
    expect(place(account('a'), 'away', -110, 10, 'post')).toMatchObject({
      ok: false,
      errorType: 'rejected_order_type_rules',
    });
    expect(place(account('a'), 'away', -109, 10, 'post').ok).toBe(true);
  });

  it('merges account offers by rank into a recorded frame, and emits its side once', () => {
    const { account, place, show, rows, emitted } = tapeFixture();
    accepted(place(account('a'), 'home', 111, 5, 'post'));
    emitted.length = 0;
    show('home', [
      ['g1', 110, 100, 100, -1000],
      ['g2', 111, 100, 100, -1000],
      ['g3', 112, 100, 100, -1000],
    ]);
    expect(emitted).toHaveLength(1);
    expect(rows('home').map((row) => row.odds)).toEqual([110, 111, 111, 112]);
    expect(rows('home')[1]?.id).toBe('g2');
  });

  it('takes `live` from frames, and accepts orders in a live game past its start', () => {
    const { game, account, place, show, tick } = tapeFixture();
    tick(game.header.start - T0);
    expect(place(account('a'), 'home', 100, 5)).toMatchObject({
      ok: false,
      message: 'Game is past start time',
    });
    show('home', [], true);
    expect(game.header.live).toBe(true);
    expect(place(account('b'), 'home', 100, 5).ok).toBe(true);
  });
});

describe('a tape on the venue’s clock', () => {
  const game = (ts: number, fields: object = {}): RecordedFrame => ({
    ts,
    ns: '/priceUpdates',
    event: 'gameUpdate',
    data: JSON.stringify({
      id: 'g',
      league: 'NBA',
      sport: 'basketball',
      start: new Date(5_000_000).toISOString(),
      ended: false,
      live: false,
      participants: [
        { id: 'a', homeAway: 'away' },
        { id: 'h', homeAway: 'home' },
      ],
      ...fields,
    }),
  });
  const side = (ts: number, id: string, left = 10): RecordedFrame => ({
    ts,
    ns: '/priceUpdates',
    event: 'orderUpdate',
    data: JSON.stringify({
      gameID: 'g',
      type: 'moneyline',
      participantID: 'h',
      sideOrders: [{ id, risk: 10, sumUntaken: left, odds: 105, createdAt: new Date(ts).toISOString() }],
    }),
  });
  const feedOf = (name: string, ...frames: RecordedFrame[]): TapeFeed => {
    async function* events(): AsyncGenerator<readonly MarketEvent[]> {
      const decoder = new TapeDecoder(name);
      for (const [index, frame] of frames.entries()) yield decoder.read({ ...frame, line: index + 1 });
    }
    return new TapeFeed({ name, events: events() });
  };

  it('serves the book at `from` with times moved and scaled, then delivers each event when it is due', async () => {
    const venue = new Venue({ speed: 10 });
    const feed = feedOf(
      't',
      game(1_000_000),
      side(1_000_000, 'first'),
      side(1_500_000, 'second'),
      side(3_000_000, 'third'),
    );
    await feed.prepare({ afterMs: 1_000_000 });
    feed.open(venue, 10, 'DEMO', T0);
    const opened = venue.games.get('g' as GameId);
    expect(opened?.header.league).toBe('DEMO');
    expect(opened?.header.start).toBe(T0 + 300_000);
    const book = opened === undefined ? undefined : sideOf(venue.book(opened, 'moneyline', undefined), 'home');
    expect(book?.ghosts).toMatchObject([{ id: 'second', createdAtMs: T0 - 50_000 }]);
    const waits: number[] = [];
    await feed.play({ now: () => T0, until: async (dueMs) => void waits.push(dueMs) });
    expect(waits).toEqual([T0 + 100_000]);
    expect(book?.ghosts).toMatchObject([{ id: 'third' }]);
  });

  it.each([
    ['fills an account offer on a take', false, 5],
    ['ignores a take in a gap of the recording, since its time is unknown', true, 0],
  ])('%s', async (_what, isGap, filled) => {
    const venue = new Venue();
    const maker = venue.addAccount({ username: 'maker', coins: 100 });
    const connection = (ts: number, event: string): RecordedFrame => ({ ts, ns: '/priceUpdates', event, data: '' });
    const gap = [connection(2000, 'disconnect'), connection(2500, 'connect')];
    const feed = feedOf('t', game(1000), side(1000, 'a'), ...(isGap ? gap : []), side(3000, 'a', 4));
    await feed.prepare(undefined);
    feed.open(venue, 1, undefined, 0);
    const [venueGame] = venue.games.values();
    if (venueGame === undefined) throw new Error('no game');
    const book = venue.book(venueGame, 'moneyline', undefined);
    const ticket = { book, side: 'home', rung: toRung(100) as Rung, risk: microsOfDollars(5) } as const;
    venue.place(maker, { ...ticket, orderType: 'post' }, 0);
    await feed.play({ now: () => 0, until: async () => undefined });
    expect(maker.riskFilled).toBe(microsOfDollars(filled));
  });

  it('leaves no market crossed that the operator closed and opened again', async () => {
    const venue = new Venue();
    const exchange = new Exchange(venue, { now: () => 0, at: () => undefined, newToken: () => 'x' });
    const maker = venue.addAccount({ username: 'maker', coins: 100 });
    const feed = feedOf('t', game(1000), side(3000, 'crossing'));
    await feed.prepare({ afterMs: 1000 });
    feed.open(venue, 1, undefined, 0);
    const [venueGame] = venue.games.values();
    if (venueGame === undefined) throw new Error('no game');
    const book = venue.book(venueGame, 'moneyline', undefined);
    // the recording offers +105 on home
    const ticket = { book, side: 'away', rung: toRung(-105) as Rung, risk: microsOfDollars(5) } as const;
    venue.place(maker, { ...ticket, orderType: 'post' }, 0);
    exchange.changeGame(venueGame, { open: false });
    await feed.play({ now: () => 0, until: async () => undefined });
    expect(maker.riskFilled).toBe(0);
    exchange.changeGame(venueGame, { open: true });
    expect(maker.riskFilled).toBe(microsOfDollars(5));
  });

  it('fails at the start with the line of a payload that cannot be read', async () => {
    const feed = feedOf('x.ndjson', game(1), { ...side(2, 'a'), data: '{"gameID":"g"}' });
    await expect(feed.prepare(undefined)).rejects.toThrow(/^x\.ndjson:2: this orderUpdate cannot be read/);
  });

  it('refuses a recording without price frames', async () => {
    const feed = feedOf('x', { ts: 1, ns: 'rest', event: 'GET /x', data: '{}' });
    await expect(feed.prepare(undefined)).rejects.toThrow(/^x:1: /);
  });

  it.each([
    ['20h', { afterMs: 72_000_000 }],
    ['1.5s', { afterMs: 1500 }],
    ['2019-12-29T01:30:00Z', { atMs: Date.UTC(2019, 11, 29, 1, 30) }],
    ['2019-12-29T01:30', { atMs: Date.UTC(2019, 11, 29, 1, 30) }],
    ['2019-12-29', { atMs: Date.UTC(2019, 11, 29) }],
    ['yesterday', undefined],
    ['20', undefined],
  ])('reads the start %s', (text, start) => {
    expect(parseTapeStart(text)).toEqual(start);
  });
});
