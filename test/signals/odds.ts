// Builds events of an odds feed and games of the exchange.
import type { Game, GameId, ParticipantId } from '../../src/domain/index.ts';

export const NOW = Date.parse('2030-01-01T12:00:00Z');
export const START = NOW + 3_600_000;

type Prices = Readonly<Record<string, number>>;
export type Lines = {
  readonly h2h?: Prices;
  readonly spreads?: readonly (readonly [name: string, price: number, point: number])[];
  readonly totals?: readonly (readonly [name: string, price: number, point: number])[];
};

export const book = (key: string, { h2h, spreads, totals }: Lines, updated = NOW - 10_000) => {
  const priced = (rows: NonNullable<Lines['totals']>) => rows.map(([name, price, point]) => ({ name, price, point }));
  const last_update = new Date(updated).toISOString();
  return {
    key,
    title: key.toUpperCase(),
    last_update,
    markets: [
      ...(h2h === undefined
        ? []
        : [{ key: 'h2h', last_update, outcomes: Object.entries(h2h).map(([name, price]) => ({ name, price })) }]),
      ...(spreads === undefined ? [] : [{ key: 'spreads', last_update, outcomes: priced(spreads) }]),
      ...(totals === undefined ? [] : [{ key: 'totals', last_update, outcomes: priced(totals) }]),
    ],
  };
};

export const event = (home: string, away: string, bookmakers: readonly unknown[], fields: object = {}) => ({
  id: `${away}-${home}`,
  sport_key: 'basketball_nba',
  sport_title: 'NBA',
  commence_time: new Date(START).toISOString(),
  home_team: home,
  away_team: away,
  bookmakers,
  ...fields,
});

export function game(home: string, away: string, fields: Partial<Game> = {}): Game {
  const team = (name: string) => ({
    id: `p-${name}` as ParticipantId,
    name,
    shortName: name.slice(0, 3).toUpperCase(),
  });
  return {
    id: `g-${home}`.replaceAll(' ', '') as GameId,
    parentGameId: undefined,
    league: 'NBA',
    sport: 'basketball',
    eventName: `${away} @ ${home}`,
    start: START,
    live: false,
    ended: false,
    open: true,
    futures: false,
    kind: 'game',
    period: 'full',
    home: team(home),
    away: team(away),
    mainHomeSpread: undefined,
    mainTotal: undefined,
    ...fields,
  };
}
