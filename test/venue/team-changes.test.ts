// The exchange swaps home and away of a game: orders, plays, positions and the recorded book stay with their
// teams.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParticipantId, Side } from '../../src/domain/index.ts';
import { swappedSide } from '../../src/domain/index.ts';
import type { StateRecord } from '../../src/paper/state/records.ts';
import { recordsOf, SavedState } from '../../src/paper/state/records.ts';
import { Venue } from '../../src/venue/index.ts';
import { accepted, dollars, HEADER, venueFixture } from '../paper/fixtures.ts';

type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;
const action = fc.record({
  who: fc.integer({ min: 0, max: 2 }),
  side: fc.constantFrom<Side>('home', 'away'),
  market: fc.constantFrom('moneyline', 'spread', 'total'),
  odds: fc.oneof(fc.integer({ min: -130, max: -100 }), fc.integer({ min: 100, max: 130 })),
  cents: fc.integer({ min: 100, max: 50_000 }),
});
const scores = fc.record({
  home: fc.integer({ min: 80, max: 130 }),
  away: fc.integer({ min: 80, max: 130 }),
});

/** Runs the actions and swaps the teams before the action with index `swapAt`. */
function played(actions: readonly Action[], swapAt: number) {
  const { venue, game, account, place, tick } = venueFixture();
  const accounts = ['a', 'b', 'c'].map((name) => account(name, { coins: 1e6 }));
  let isSwapped = false;
  actions.forEach(({ who, side, market, odds, cents }, index) => {
    if (index === swapAt) {
      const { home, away } = game.header;
      venue.changeGame(game, { home: away, away: home }, tick());
      isSwapped = true;
    }
    const line = market === 'moneyline' ? undefined : market === 'spread' ? -3.5 : 210.5;
    const backed = market === 'total' ? (side === 'home' ? 'over' : 'under') : side;
    const book = venue.book(game, market, isSwapped && market === 'spread' ? 3.5 : line);
    const actor = accounts[who];
    if (actor !== undefined) place(actor, isSwapped ? swappedSide(backed) : backed, odds, cents / 100, 'limit', book);
  });
  return { venue, game, accounts, tick, isSwapped };
}

describe('a swap of home and away at the exchange', () => {
  it('does not change the stakes, fills and payments of any account', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), fc.nat({ max: 39 }), scores, (actions, swapAt, end) => {
        const [plain, swapped] = [played(actions, -1), played(actions, swapAt)];
        const stakes = ({ accounts }: typeof plain) =>
          accounts.map(({ credit, fills, open }) => [
            credit.coins.worstLoss(),
            fills,
            [...open.values()].map(({ remaining, rung }) => [remaining, rung]),
          ]);
        expect(stakes(swapped)).toEqual(stakes(plain));
        plain.venue.grade(plain.game, end, plain.tick());
        const after = swapped.isSwapped ? { home: end.away, away: end.home } : end;
        swapped.venue.grade(swapped.game, after, swapped.tick());
        const paid = ({ accounts }: typeof plain) =>
          accounts.map(({ balances, plays }) => [balances.coins, [...plays.values()].map(({ profit }) => profit)]);
        expect(paid(swapped)).toEqual(paid(plain));
      }),
      { numRuns: 100 },
    );
  });

  it('moves a resting order to the side of its team, keeps the owner’s line and updates the header', () => {
    const { venue, game, account, place, tick } = venueFixture();
    const book = venue.book(game, 'spread', -3.5);
    const { order } = accepted(place(account('a'), 'home', -110, 100, 'post', book));
    const { home, away } = game.header;
    venue.changeGame(game, { home: away, away: home }, tick());
    expect(game.header).toMatchObject({ home: { name: 'Away Team' }, mainHomeSpread: 3.5 });
    expect([order.side, order.book.market.line, order.book.market.id]).toEqual(['away', 3.5, 'game-1/spread/3.5']);
    expect(game.books.get(order.book.market.id)?.sides.map(({ orders }) => orders.length)).toEqual([0, 1]);
    expect(
      accepted(place(account('b'), 'home', 110, 110, 'limit', venue.book(game, 'spread', 3.5))).plays,
    ).toHaveLength(1);
  });

  it('persists in the saved state after a restart', () => {
    const { venue, game, account, place, tick } = venueFixture();
    const kept = new SavedState();
    venue.recorder = (changes) => {
      for (const record of recordsOf(changes)) kept.applyRecord(JSON.parse(JSON.stringify(record)) as StateRecord);
    };
    accepted(place(account('a'), 'home', 100, 100, 'post'));
    accepted(place(account('b'), 'away', 100, 40));
    const { home, away } = game.header;
    venue.changeGame(game, { home: away, away: home }, tick());
    const next = new Venue();
    for (const record of kept.accounts.values()) next.addAccount(kept.optionsOf(record, undefined));
    kept.restore(next, tick());
    const [order] = next.accounts.get('a')?.open.values() ?? [];
    expect([order?.side, dollars(order?.remaining ?? 0)]).toEqual(['away', 60]);
    next.grade(order?.book.game as never, { home: 90, away: 100 }, tick());
    expect([...(next.accounts.get('a')?.plays.values() ?? [])].map(({ profit = 0 }) => dollars(profit))).toEqual([40]);
  });

  it('does not happen when a team is only renamed', () => {
    const { venue, game, moneyline, account, place, tick } = venueFixture();
    const { order } = accepted(place(account('a'), 'home', 100, 100, 'post'));
    const home = { id: 'p-home' as ParticipantId, name: 'Home Team II', shortName: 'HOM' };
    venue.changeGame(game, { home }, tick());
    expect([order.side, moneyline.sides[0].side, game.header.home.name]).toEqual(['home', 'home', 'Home Team II']);
    expect(HEADER.home.name).toBe('Home Team');
  });
});
