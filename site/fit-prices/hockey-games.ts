// Games of the NHL: prices at noon of the day, and the results of 2025–26.
import type { DataFolder } from './data.ts';
import { fairOfAmerican, winterSeason } from './data.ts';
import type { PricedGoals } from './goals.ts';

export type HockeyGame = PricedGoals & {
  readonly season: number;
  /** Eastern time. */
  readonly day: string;
  readonly home: string;
  readonly away: string;
  /** Home's line, 1.5 or −1.5, and its fair price. */
  readonly puckLine: number;
  readonly puck: number;
};

export type HockeyResult = HockeyGame & {
  /** A level score, before a shoot-out, is a margin of 0. */
  readonly margin: number;
  /** Without the goal of a shoot-out. */
  readonly total: number;
};

const TEAMS: Readonly<Record<string, string>> = {
  ANA: 'Anaheim Ducks',
  BOS: 'Boston Bruins',
  BUF: 'Buffalo Sabres',
  CAR: 'Carolina Hurricanes',
  CBJ: 'Columbus Blue Jackets',
  CGY: 'Calgary Flames',
  CHI: 'Chicago Blackhawks',
  COL: 'Colorado Avalanche',
  DAL: 'Dallas Stars',
  DET: 'Detroit Red Wings',
  EDM: 'Edmonton Oilers',
  FLA: 'Florida Panthers',
  LAK: 'Los Angeles Kings',
  MIN: 'Minnesota Wild',
  MTL: 'Montréal Canadiens',
  NJD: 'New Jersey Devils',
  NSH: 'Nashville Predators',
  NYI: 'New York Islanders',
  NYR: 'New York Rangers',
  OTT: 'Ottawa Senators',
  PHI: 'Philadelphia Flyers',
  PIT: 'Pittsburgh Penguins',
  SEA: 'Seattle Kraken',
  SJS: 'San Jose Sharks',
  STL: 'St Louis Blues',
  TBL: 'Tampa Bay Lightning',
  TOR: 'Toronto Maple Leafs',
  UTA: 'Utah Mammoth',
  VAN: 'Vancouver Canucks',
  VGK: 'Vegas Golden Knights',
  WPG: 'Winnipeg Jets',
  WSH: 'Washington Capitals',
};

const FIVE_HOURS_MS = 5 * 3_600_000;

/** Every game once, with the prices of the last row that has all of them. */
export function hockeyGames(data: DataFolder): readonly HockeyGame[] {
  const games = new Map<string, HockeyGame>();
  for (const row of data.rows('hockeyOdds')) {
    const priceOf = (...columns: readonly string[]): number | undefined =>
      fairOfAmerican(columns.map((column) => row.number(column)))?.[0];
    const p = priceOf('ml_home', 'ml_away');
    const puck = priceOf('spread_home_odds', 'spread_away_odds');
    const over = priceOf('total_over_odds', 'total_under_odds');
    const [puckLine, totalLine] = [row.number('spread_home'), row.number('total_line')];
    if (p === undefined || puck === undefined || over === undefined || Math.abs(puckLine) !== 1.5) continue;
    const start = new Date(row.text('commence_time')).getTime();
    const day = new Date(start - FIVE_HOURS_MS).toISOString().slice(0, 10);
    const [home, away] = [row.text('home_team'), row.text('away_team')];
    const game = { season: winterSeason(day), day, home, away, p, totalLine, over, puckLine, puck };
    games.set(`${day} ${home} ${away}`, game);
  }
  return [...games.values()];
}

/** All results of 2025–26, each with its prices where there are any. */
export function hockeyResults(
  data: DataFolder,
  games: readonly HockeyGame[],
): { readonly count: number; readonly margins: readonly number[]; readonly priced: readonly HockeyResult[] } {
  const byName = new Map(games.map((game) => [`${game.day} ${game.home} ${game.away}`, game]));
  const rows = data.rows('hockeyResults').map((row) => {
    const [home, away] = [row.number('home_goals'), row.number('away_goals')];
    const day = row.text('game_date').replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3');
    const name = `${day} ${TEAMS[row.text('home_team')] ?? ''} ${TEAMS[row.text('away_team')] ?? ''}`;
    return { margin: home - away, total: home + away, game: byName.get(name) };
  });
  return {
    count: rows.length,
    margins: rows.map(({ margin }) => margin),
    priced: rows.flatMap(({ margin, total, game }) => (game === undefined ? [] : [{ ...game, margin, total }])),
  };
}
