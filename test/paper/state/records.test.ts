// The state that outlives the process, record by record: a venue that is restored from the records continues
// like the old one.
import { describe, expect, it } from 'vitest';
import type { OrderId, ParticipantId, Rung, SideFrame } from '../../../src/domain/index.ts';
import { microsOfDollars, toRung } from '../../../src/domain/index.ts';
import type { VenueAccount, VenueGame } from '../../../src/venue/index.ts';
import { bookFor, sideOf, Venue } from '../../../src/venue/index.ts';
import { createTapeClock, TapeTraders } from '../../../src/traders/index.ts';
import type { StateRecord } from '../../../src/paper/state/records.ts';
import { recordsOf, SavedState } from '../../../src/paper/state/records.ts';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import { accepted, HEADER, T0, venueFixture } from '../fixtures.ts';

/** Restores the records, after a round trip through JSON, into a new venue that has only the accounts. */
function restartedVenue(records: readonly StateRecord[], first: Venue, nowMs: number): Venue {
  const saved = new SavedState();
  for (const record of JSON.parse(JSON.stringify(records)) as StateRecord[]) saved.applyRecord(record);
  const venue = new Venue({ profile: first.profile, earlierRuns: 1 });
  for (const record of saved.accounts.values()) venue.addAccount(saved.optionsOf(record, undefined));
  saved.restore(venue, nowMs);
  return venue;
}

function keptVenue(profile = {}) {
  const fixture = venueFixture({ profile: wireProfileSchema.parse(profile) });
  const records: StateRecord[] = [...recordsOf(fixture.venue.everything())];
  fixture.venue.recorder = (changes) => void records.push(...recordsOf(changes));
  return { ...fixture, records, restart: () => restartedVenue(records, fixture.venue, fixture.tick()) };
}

const accountIn = (venue: Venue, name: string): VenueAccount => {
  const account = venue.accounts.get(name);
  if (account === undefined) throw new Error(`no ${name}`);
  return account;
};

const EVEN_MONEY = toRung(100) as Rung;

/** The recorded home offers of a moneyline, on the venue's clock. */
function recordedHome(venue: Venue) {
  const traders = new TapeTraders({ venue, clock: createTapeClock(T0, T0, 1) });
  const show = (untaken: number, atMs: number): void => {
    const frame: SideFrame = {
      gameId: HEADER.id,
      league: 'NBA',
      type: 'moneyline',
      side: undefined,
      line: undefined,
      live: false,
      mainHomeSpread: undefined,
      mainTotal: undefined,
      participantId: 'p-home' as ParticipantId,
      offers: [
        {
          id: 'g1' as OrderId,
          rung: EVEN_MONEY,
          own: false,
          createdAt: new Date(T0).toISOString(),
          risk: microsOfDollars(200),
          untaken: microsOfDollars(untaken),
        },
      ],
    };
    traders.applySide({ ts: atMs, what: 'side', frame, exhausted: [] }, atMs, true);
  };
  const left = (): number => {
    const game = venue.games.get(HEADER.id);
    if (game === undefined) throw new Error('no game');
    const [ghost] = sideOf(venue.book(game, 'moneyline', undefined), 'home').ghosts;
    return ghost === undefined ? 0 : (Math.min(ghost.untaken, ghost.risk - ghost.mostTaken) - ghost.used) / 1e6;
  };
  return { show, left };
}

describe('a venue that is restored after a restart', () => {
  it.each([
    ['keeps the part of a recorded offer taken that accounts took before', 200, 120],
    ['counts the part that the recording shows as taken against the part that accounts took', 170, 120],
    ['removes the part that the recording takes beyond it', 90, 90],
  ])('%s', (_name, untaken, left) => {
    const { venue, account, place, restart, tick } = keptVenue();
    const first = recordedHome(venue);
    first.show(200, tick());
    accepted(place(account('a'), 'away', -300, 80, 'fillAndKill'));
    expect(first.left()).toBe(120);
    const second = recordedHome(restart());
    second.show(untaken, T0 + 1000);
    expect(second.left()).toBe(left);
  });

  it('restores no line of a game without resting orders', () => {
    const { venue, account, place, restart, tick } = keptVenue();
    const trader = account('a', { exempt: true });
    for (let line = 1; line <= 20; line++) {
      const { book } = accepted(place(trader, 'home', 110, 5, 'post', openBook(venue, line))).order;
      if (line > 1) for (const id of [...trader.open.keys()].slice(1)) venue.cancel(trader, id, tick());
      expect(book.market.line).toBe(line);
    }
    // the moneyline of the fixture, and the only line with an order
    const spreads = (candidate: VenueGame | undefined) =>
      [...(candidate?.books.values() ?? [])].filter(({ market }) => market.type === 'spread');
    const next = restart();
    const restored = next.games.get(HEADER.id);
    expect(spreads(restored)).toHaveLength(1);
    const [open] = accountIn(next, 'a').open.values();
    expect(spreads(restored)[0]).toBe(open?.book);
  });

  it('cancels the orders of an account whose heartbeat is not repeated', () => {
    const { venue, account, place, restart, tick } = keptVenue();
    const trader = account('a');
    accepted(place(trader, 'home', 110, 5, 'post'));
    venue.heartbeat(trader, 3000, tick());
    const next = restart();
    expect(accountIn(next, 'a').open.size).toBe(1);
    next.advance(T0 + 10_000);
    expect(accountIn(next, 'a').open.size).toBe(0);
  });

  it('keeps orders that were placed after a heartbeat had expired', () => {
    const { venue, account, place, restart, tick } = keptVenue();
    const trader = account('a');
    venue.heartbeat(trader, 3000, tick());
    venue.advance(tick(5000));
    accepted(place(trader, 'home', 110, 5, 'post'));
    const next = restart();
    next.advance(T0 + 60_000);
    expect(accountIn(next, 'a').open.size).toBe(1);
  });

  it('continues a cancel-all, which also cancels an order whose edit was refused meanwhile', () => {
    const { venue, account, place, restart, tick, moneyline } = keptVenue({ editKeepsId: true });
    const trader = account('a', { exempt: true });
    for (let order = 0; order < 5; order++) accepted(place(trader, 'home', 110, 5, 'post'));
    venue.cancelAll(trader, tick());
    const last = [...trader.open.keys()].at(-1) ?? '';
    const ticket = { book: moneyline, side: 'home', risk: microsOfDollars(7), orderType: 'post' } as const;
    expect(venue.edit(trader, last, { ...ticket, rung: 120 as Rung }, tick())).toMatchObject({
      ok: false,
      status: 423,
    });
    accepted(place(trader, 'home', 110, 5, 'post'));
    const next = restart();
    next.advance(T0 + 60_000);
    // the cancel-all does not cancel orders that were placed after its start
    expect([...accountIn(next, 'a').open.keys()]).toHaveLength(1);
    expect(accountIn(next, 'a').open.has(last as OrderId)).toBe(false);
    expect(accountIn(next, 'a').lock).toBeUndefined();
  });

  it('continues a pause and remembers the orders that it cancelled before and after the restart', () => {
    const { venue, account, place, restart, tick } = keptVenue();
    const trader = account('a', { exempt: true });
    const ids = [110, 120, 130].map((odds) => accepted(place(trader, 'home', odds, 5, 'post')).order.id);
    venue.pause(trader, tick());
    expect(trader.paused).toEqual(ids.slice(0, 1));
    const next = restart();
    const again = accountIn(next, 'a');
    expect(again).toMatchObject({ paused: ids.slice(0, 1), lock: { remembers: true } });
    next.advance(T0 + 60_000);
    expect(again.open.size).toBe(0);
    expect(next.takePaused(again, () => true, T0 + 60_000).map(({ id }) => id)).toEqual(ids);
    expect(again.paused).toEqual([]);
  });

  it('forgets the orders of a pause that a cancel-all ended', () => {
    const { venue, account, place, restart, tick } = keptVenue();
    const trader = account('a', { exempt: true });
    for (const odds of [110, 120, 130]) accepted(place(trader, 'home', odds, 5, 'post'));
    venue.pause(trader, tick());
    venue.cancelAll(trader, tick());
    const next = restart();
    next.advance(T0 + 60_000);
    expect(accountIn(next, 'a').paused).toEqual([]);
  });

  it('keeps the request id of an order', () => {
    const { venue, account, moneyline, restart, tick } = keptVenue();
    const ticket = { book: moneyline, side: 'home', risk: microsOfDollars(7), orderType: 'post' } as const;
    const requestId = venue.newRequestId();
    const { order } = accepted(venue.place(account('a'), { ...ticket, rung: 120 as Rung, requestId }, tick()));
    expect(restart().orderById(order.id)?.requestId).toBe(requestId);
  });
});

const openBook = (venue: Venue, line: number) => {
  const game = venue.games.get(HEADER.id);
  if (game === undefined) throw new Error('no game');
  return bookFor(game, 'spread', line);
};
