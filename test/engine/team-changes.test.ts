// A header that swaps home and away, or replaces a team: orders, positions, signals and marks stay with the
// team that they belong to.
import { describe, expect, it } from 'vitest';
import type { Command, Rung } from '../../src/domain/index.ts';
import { oddsOf } from '../../src/domain/index.ts';
import type { OfferRow } from '../support/core-driver.ts';
import {
  alertsIn,
  cancelsIn,
  editsIn,
  CoreDriver,
  GAME_ID,
  gameEntry,
  placesIn,
  readsIn,
  teams,
} from '../support/core-driver.ts';

const MONEYLINE = `${GAME_ID}/moneyline`;
const [AWAY_TEAM, HOME_TEAM] = teams;
const swapped = [
  { ...HOME_TEAM, homeAway: 'away' },
  { ...AWAY_TEAM, homeAway: 'home' },
];
const replaced = [AWAY_TEAM, { id: 'p-other', longName: 'Other', shortName: 'OTH', homeAway: 'home' }];

/** The home team is at .6; 50 of its offer are filled. */
const STRONG: readonly OfferRow[] = [{ id: 'h1', odds: -145, risk: 200 }];
const WEAK: readonly OfferRow[] = [{ id: 'a1', odds: 155, risk: 200 }];

class Game extends CoreDriver {
  ids: readonly string[] = [];
  /** The order of the home team, and its odds. */
  home = '';
  odds = 0;
  readonly #answered = new Set<number>();

  begin(): readonly Command[] {
    const [place] = placesIn(this.start(STRONG, WEAK));
    if (place === undefined) throw new Error('no place');
    this.ids = this.accept(place, 'o');
    const home = place.orders.findIndex(({ side }) => side === 'home');
    const { rung = 0 } = place.orders[home] ?? {};
    this.odds = oddsOf(rung as Rung);
    this.home = this.ids[home] ?? '';
    const id = this.home;
    // the rest of the home offer is topped up
    const commands = this.position(
      { orderID: id, odds: this.odds, offered: 100, filled: 50, remaining: 50 },
      { txID: 't1', filled: 50, odds: this.odds },
    );
    for (const { req, orderId, order } of editsIn(commands)) {
      const edited = `${orderId}-edited`;
      const unmatched = {
        orderID: edited,
        odds: oddsOf(order.rung),
        offered: 100,
        filled: 0,
        remaining: 100,
      };
      this.reply(req, { data: { cancelled: { success: true }, matched: [], unmatched } });
      this.position(unmatched);
      this.ids = this.ids.map((id) => (id === orderId ? edited : id));
      if (this.home === orderId) this.home = edited;
    }
    return this.passTime(500);
  }

  header(participants: readonly unknown[], fields: Readonly<Record<string, unknown>> = {}): readonly Command[] {
    const data = JSON.stringify({ id: GAME_ID, participants, ...fields });
    return this.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
  }

  cancelled(commands: readonly Command[]): readonly Command[] {
    const out: Command[] = [];
    for (const { req, orderIds } of cancelsIn(commands)) {
      out.push(...this.reply(req, { data: orderIds.map((orderID) => ({ orderID, status: 'cancelled' })) }));
      for (const orderID of orderIds) out.push(...this.position({ orderID, offered: 0, filled: 0, remaining: 0 }));
    }
    return out;
  }

  /** Answers the newest unanswered read of the game. */
  read(home: readonly OfferRow[], away: readonly OfferRow[], participants: readonly unknown[]) {
    const read = readsIn(this.sent).findLast(({ req, read: { what } }) => what === 'game' && !this.#answered.has(req));
    if (read === undefined) throw new Error('the game is not read again');
    this.#answered.add(read.req);
    return this.reply(read.req, { data: { game: gameEntry(home, away, { participants }) } });
  }

  get positions() {
    return [...this.core.positions()].map(({ market, position }) => ({ market: market.id, ...position }));
  }
}

describe('home and away that change places', () => {
  it('take orders and positions with them: the orders are cancelled first, then quoted anew on the sides of the same teams', () => {
    const game = new Game();
    game.begin();
    const before = game.core.priceOf(`${GAME_ID}/moneyline` as never) ?? 0;
    const [held] = game.positions;
    const commands = game.header(swapped);
    expect(alertsIn(commands, 'TEAMS_SWAPPED')).toMatchObject([
      { level: 'warn', fields: { gameId: GAME_ID, before: 'Away @ Home', after: 'Home @ Away' } },
    ]);
    expect(
      cancelsIn(commands)
        .flatMap(({ orderIds }) => orderIds)
        .sort(),
    ).toEqual([...game.ids].sort());
    expect(placesIn(commands)).toEqual([]);
    expect(game.positions).toEqual([{ market: MONEYLINE, first: held?.second, second: held?.first, staked: 50e6 }]);
    expect(game.core.priceOf(MONEYLINE as never)).toBeCloseTo(1 - before, 9);
    expect(game.core.marked).toBeCloseTo((before * (held?.first ?? 0) + (1 - before) * (held?.second ?? 0)) / 1e6, 6);
    // a book of the new sides while an earlier order may still rest: nothing is placed
    const first = game.read(WEAK, STRONG, swapped);
    expect(placesIn(first)).toEqual([]);
    const after = [...game.cancelled(commands), ...game.passTime(1000)];
    const sides = placesIn(after).flatMap(({ orders }) => orders.map(({ side, market }) => [market.id, side]));
    expect(sides).toEqual([
      [MONEYLINE, 'home'],
      [MONEYLINE, 'away'],
    ]);
  });

  it('are recorded for each order that may rest, with the side of its team', () => {
    const game = new Game();
    game.begin();
    const sides = new Map(game.core.orders().map(({ ref, side }) => [ref, side]));
    game.header(swapped);
    const moved = game.events.filter(({ type }) => type === 'OrderMoved');
    expect(moved).toHaveLength(2);
    for (const event of moved)
      if (event.type === 'OrderMoved')
        expect(event).toMatchObject({ market: MONEYLINE, side: sides.get(event.ref) === 'home' ? 'away' : 'home' });
  });

  it('leave a late fill with its team', () => {
    const game = new Game();
    game.begin();
    game.header(swapped);
    game.position(
      { orderID: game.home, odds: game.odds, offered: 100, filled: 100, remaining: 0 },
      { txID: 't2', filled: 50, odds: game.odds },
    );
    const [held] = game.positions;
    expect([held?.first, held?.staked]).toEqual([-100e6, 100e6]);
  });

  it('withdraw the signals of the game, whose sides have changed', () => {
    const game = new Game();
    game.begin();
    game.input({
      type: 'signal',
      values: { [`fair:${MONEYLINE}`]: 0.6, 'fair:game-2/moneyline': 0.4, elo: 1500 },
      ttlMs: 60_000,
    });
    game.header(swapped);
    expect([...game.core.signals().keys()].sort()).toEqual(['elo', 'fair:game-2/moneyline']);
  });

  it('settle positions by the sides of the last header', () => {
    const game = new Game();
    game.begin();
    const [held] = game.positions;
    game.header(swapped);
    game.wall += 7_200_000;
    game.header(swapped, { ended: true });
    game.input({ type: 'settle', gameId: GAME_ID, result: { home: 99, away: 101 } });
    // the former home team, which was backed, won as the visitor
    expect(game.core.realized).toBeCloseTo((held?.first ?? 0) / 1e6, 6);
  });

  it('restore all positions when they change back', () => {
    const game = new Game();
    game.begin();
    const before = game.positions;
    game.header(swapped);
    game.header(teams);
    expect(game.positions).toEqual(before);
  });

  it('do not happen when a team only gets another name', () => {
    const game = new Game();
    game.begin();
    const before = game.positions;
    const commands = game.header([AWAY_TEAM, { ...HOME_TEAM, longName: 'Home (Smith pitches)' }]);
    expect(alertsIn(commands, 'TEAMS_SWAPPED')).toEqual([]);
    expect(cancelsIn(commands)).toEqual([]);
    expect(game.positions).toEqual(before);
  });

  it('are not undone by a read that is older than the change', () => {
    const game = new Game();
    game.begin();
    game.passTime(12_000);
    game.header(swapped);
    game.read(STRONG, WEAK, teams);
    expect(game.core.gameOf(GAME_ID)?.home.name).toBe('Away');
    expect(game.core.markets()[0]?.best).toEqual([undefined, undefined]);
    game.cancelled(game.sent);
    game.passTime(6000);
    game.read(WEAK, STRONG, swapped);
    expect(game.core.markets()[0]?.best).toMatchObject([{ odds: 155 }, { odds: -145 }]);
    expect(game.core.gameOf(GAME_ID)?.home.name).toBe('Away');
  });
});

describe('a team that is replaced', () => {
  it('closes the game for quoting, and all stakes on teams count as lost', () => {
    const game = new Game();
    game.begin();
    const commands = game.header(replaced);
    expect(alertsIn(commands, 'TEAM_REPLACED')).toMatchObject([{ level: 'error', fields: { gameId: GAME_ID } }]);
    expect(cancelsIn(commands).flatMap(({ orderIds }) => orderIds)).toHaveLength(2);
    // a fill before the cancel arrives belongs to no team for certain either
    game.position(
      { orderID: game.home, odds: game.odds, offered: 100, filled: 10, remaining: 90 },
      { txID: 't3', filled: 10, odds: game.odds },
    );
    expect(game.positions).toEqual([]);
    const later = [...game.read(STRONG, WEAK, replaced), ...game.cancelled(commands)];
    expect(placesIn([...later, ...game.passTime(5000)])).toEqual([]);
    expect(game.core.worst).toBe(-60);
  });

  it.each([
    ['on the same sides', teams, false],
    ['on swapped sides', swapped, true],
  ])('is quoted again with its positions when it comes back: %s', (_sides, back, isSwapped) => {
    const game = new Game();
    game.begin();
    const [held] = game.positions;
    const gone = game.header(replaced);
    game.cancelled(gone);
    game.read(STRONG, WEAK, replaced);
    game.passTime(1000);
    const commands = game.header(back);
    expect(alertsIn(commands, 'TEAMS_FOUND')).toHaveLength(1);
    const [first, second] = isSwapped ? [held?.second, held?.first] : [held?.first, held?.second];
    expect(game.positions).toEqual([{ market: MONEYLINE, first, second, staked: 50e6 }]);
    const [home, away] = isSwapped ? [WEAK, STRONG] : [STRONG, WEAK];
    const later = [...game.read(home, away, back), ...game.passTime(1000)];
    expect(placesIn(later).flatMap(({ orders }) => orders)).toHaveLength(2);
    expect(game.core.status().fills).toBe(1);
  });
});
