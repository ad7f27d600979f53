// A small venue for tests: one basketball game, accounts on demand, and a sink that stores all emitted
// events.
import type { Game, GameId, Micros, ParticipantId, Side } from '../../src/domain/index.ts';
import { microsOfDollars, toRung } from '../../src/domain/index.ts';
import type {
  VenueAccount,
  AccountOptions,
  GameMessageType,
  MarketBook,
  OrderType,
  Placed,
  PositionRecord,
  Refusal,
  SideBook,
  VenueGame,
  VenueOptions,
} from '../../src/venue/index.ts';
import { Venue } from '../../src/venue/index.ts';

export const T0 = Date.parse('2026-01-01T00:00:00Z');

export const HEADER: Game = {
  id: 'game-1' as GameId,
  parentGameId: undefined,
  league: 'NBA',
  sport: 'basketball',
  eventName: 'Away @ Home',
  start: T0 + 7_200_000,
  live: false,
  ended: false,
  open: true,
  futures: false,
  kind: 'game',
  period: 'full',
  home: { id: 'p-home' as ParticipantId, name: 'Home Team', shortName: 'HOM' },
  away: { id: 'p-away' as ParticipantId, name: 'Away Team', shortName: 'AWY' },
  mainHomeSpread: -3.5,
  mainTotal: 210.5,
};

export type Emission =
  | { readonly what: 'side'; readonly side: SideBook }
  | { readonly what: 'game'; readonly game: VenueGame; readonly type: GameMessageType | undefined };

export function venueFixture(options: VenueOptions = {}, header: Partial<Game> = {}) {
  const venue = new Venue(options);
  const emitted: Emission[] = [];
  const records: { readonly account: VenueAccount; readonly record: PositionRecord }[] = [];
  venue.sink = {
    sideChanged: (side) => emitted.push({ what: 'side', side }),
    gameChanged: (game, type) => emitted.push({ what: 'game', game, type }),
    position: (account, record) => records.push({ account, record }),
  };
  const game = venue.openGame({ ...HEADER, ...header }, T0);
  const moneyline = venue.book(game, 'moneyline', undefined);
  let clock = T0;
  const account = (username: string, options: Partial<AccountOptions> = {}): VenueAccount =>
    venue.addAccount({ username, password: 'x', ...options });
  const place = (
    who: VenueAccount,
    side: Side,
    odds: number,
    dollars: number,
    orderType: OrderType = 'limit',
    book: MarketBook = moneyline,
  ): Placed | Refusal => {
    const rung = toRung(odds);
    if (rung === undefined) throw new Error(`no odds: ${odds}`);
    return venue.place(who, { book, side, rung, risk: microsOfDollars(dollars), orderType }, ++clock);
  };
  return { venue, game, moneyline, emitted, records, account, place, tick: (ms = 1) => (clock += ms) };
}

export const accepted = (result: Placed | Refusal): Placed => {
  if (!result.ok) throw new Error(`refused: ${result.status} ${result.message}`);
  return result;
};

export const refused = (result: { readonly ok: boolean } | Refusal): Refusal => {
  if (result.ok) throw new Error('was accepted');
  return result as Refusal;
};

export const dollars = (amount: Micros | number): number => amount / 1_000_000;
