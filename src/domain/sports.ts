// The rules that decide the markets of a game: one row a sport. The exchange does not publish them, so every
// row is an assumption (public house rules of the trade), shown by `check` and overridable column by column
// (`sports:`). Invariants: in an unknown sport no two types hedge each other and a draw loses both sides of a
// moneyline; a league that names exactly one sport takes precedence over the sport that a game names.
import type { Game, MarketType } from './market.ts';
import { MARKET_TYPES } from './market.ts';
import { plainName } from './plain-name.ts';

/**
 * The effect of a draw on a moneyline. `push`: stakes return. `both-lose`: the draw is an outcome of its own
 * that neither side backed. `impossible`: play continues until one side wins.
 */
export type DrawRule = 'push' | 'both-lose' | 'impossible';
/** True for a moneyline whose two bets both lose at a draw: its two prices are not all that may happen. */
export const hasThirdOutcome = (type: MarketType, draw: DrawRule): boolean =>
  type === 'moneyline' && draw === 'both-lose';
export const DRAW_RULES: readonly DrawRule[] = ['push', 'both-lose', 'impossible'];

/**
 * The markets that the house may void while others of the same game stand. `none`: a game is void as a whole.
 * `lines`: spread and total together, apart from the moneyline. `each`: every type on its own.
 */
export type VoidApart = 'none' | 'lines' | 'each';
export const VOID_APART: readonly VoidApart[] = ['none', 'lines', 'each'];

/**
 * One row of the table. `moneyline`, `spread` and `total` name what decides that type: types with the same
 * name share one score. The two numbers of a result are the score named by `total`, and decide every type
 * with that name. A type with the name `winner`, or any other name, is decided by the result's winner or by a
 * result of that type alone.
 */
export type SportColumns = {
  readonly moneyline: string;
  readonly spread: string;
  readonly total: string;
  readonly draw: DrawRule;
  readonly voidApart: VoidApart;
  /** True when the lower score wins, as with strokes. */
  readonly fewerWins: boolean;
  /** True when a level score with a winner counts one more for the winner, as after a shoot-out. */
  readonly shootOut: boolean;
};

/** The columns that the YAML's `sports:` may set. */
export const SPORT_COLUMNS = ['moneyline', 'spread', 'total', 'draw', 'voidApart'] as const;

export type SportSettings = { readonly [K in 'moneyline' | 'spread' | 'total']?: string | undefined } & {
  readonly draw?: DrawRule | undefined;
  readonly voidApart?: VoidApart | undefined;
};

/** The YAML's `sports:`, by league or sport; case and accents are ignored. */
export type SportsSettings = Readonly<Record<string, SportSettings>>;

/** A row for the arithmetic of positions. */
export type SportRule = SportColumns & {
  /**
   * The types whose bets hedge each other: one score decides them, and they are never void apart. Each type
   * is in one group.
   */
  readonly hedging: readonly (readonly MarketType[])[];
};

/**
 * The rule of a game and its origin. `key`: the league or sport that decided it; undefined when neither is
 * known.
 */
export type KnownSport = {
  readonly rule: SportRule;
  /** The sport, such as `basketball`; undefined for a sport without a row. */
  readonly sport: string | undefined;
  readonly origin: 'configured' | 'built in' | 'unknown';
  readonly key: string | undefined;
  /** The columns that `sports:` sets; the others are assumptions. */
  readonly set: readonly string[];
};

type Competition = Pick<Game, 'league' | 'sport' | 'parentGameId'> & {
  readonly futures?: boolean | undefined;
};

const SCORE = { moneyline: 'score', spread: 'score', total: 'score', fewerWins: false, shootOut: false };
const byScore = (draw: DrawRule, overrides: Partial<SportColumns> = {}): SportColumns => ({
  ...SCORE,
  draw,
  voidApart: 'none',
  ...overrides,
});
/**
 * A row in which the winner decides the moneyline, points of another kind the lines, and each type may be
 * void alone.
 */
const byWinner = (
  points: string,
  draw: DrawRule,
  overrides: Partial<Pick<SportColumns, 'fewerWins'>> = {},
): SportColumns => ({
  ...SCORE,
  moneyline: 'winner',
  spread: points,
  total: points,
  draw,
  voidApart: 'each',
  ...overrides,
});

const SPORTS: ReadonlyMap<string, SportColumns> = new Map(
  Object.entries({
    basketball: byScore('impossible'),
    // professional games of the regular season may end level: two-sided moneylines refund them
    football: byScore('push'),
    'college football': byScore('impossible'),
    hockey: byScore('impossible', { shootOut: true }),
    // where the draw can be backed, a bet on either team loses by it
    soccer: byScore('both-lose'),
    // five innings make a moneyline official, a run line and a total need nine
    baseball: byScore('impossible', { voidApart: 'lines' }),
    tennis: byWinner('games', 'impossible'),
    'table tennis': byWinner('points', 'impossible'),
    badminton: byWinner('points', 'impossible'),
    volleyball: byWinner('points', 'impossible'),
    // a best of two may end level
    darts: byWinner('legs', 'both-lose'),
    esports: byWinner('maps', 'both-lose'),
    snooker: byScore('impossible'),
    mma: byWinner('rounds', 'push'),
    boxing: byWinner('rounds', 'push'),
    golf: byWinner('strokes', 'push', { fewerWins: true }),
    cricket: byWinner('runs', 'push'),
    rugby: byScore('push'),
    'australian rules': byScore('push'),
  }),
);

/** Other names of sports, each with the name of its row. */
const SPORT_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'ice hockey': 'hockey',
    'american football': 'football',
    'association football': 'soccer',
    'mixed martial arts': 'mma',
    'aussie rules': 'australian rules',
    'rugby union': 'rugby',
    'rugby league': 'rugby',
    'e-sports': 'esports',
  }),
);

/** Names that mean different sports in different countries: the league decides. */
const AMBIGUOUS_SPORTS: ReadonlySet<string> = new Set(['football']);

/** The sport of a league, for games that name no sport or an ambiguous one. */
const SPORT_OF_LEAGUE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    basketball: ['nba', 'wnba', 'ncaab', 'ncaaw', 'nba-g', 'euroleague', 'fiba'],
    baseball: ['mlb', 'ncaabaseball', 'npb', 'kbo'],
    hockey: ['nhl', 'ahl', 'khl', 'shl'],
    football: ['nfl', 'ufl', 'cfl'],
    'college football': ['ncaaf'],
    soccer: [
      ...['mls', 'nwsl', 'epl', 'premier league', 'championship', 'la liga', 'serie a', 'bundesliga', 'ligue 1'],
      ...['eredivisie', 'liga mx', 'ucl', 'champions league', 'uel', 'europa league', 'fifa', 'uefa'],
    ],
    tennis: ['atp', 'wta', 'itf'],
    mma: ['ufc', 'bellator', 'pfl'],
    boxing: ['boxing'],
    golf: ['pga', 'liv'],
    cricket: ['ipl', 't20'],
    'australian rules': ['afl'],
    rugby: ['nrl'],
  }).flatMap(([sport, leagues]) => leagues.map((league) => [league, sport] as const)),
);

/**
 * Leagues with namesakes in another sport: the sport that a game names takes precedence when it is
 * unambiguous.
 */
const AMBIGUOUS_LEAGUES: ReadonlySet<string> = new Set([
  ...['premier league', 'championship', 'serie a', 'bundesliga', 'champions league', 'europa league'],
  ...['fifa', 'uefa', 'afl'],
]);

/** Columns in which a league differs from its sport. */
const LEAGUES: ReadonlyMap<string, Partial<SportColumns>> = new Map(
  Object.entries({
    // games end level after twelve innings
    npb: { draw: 'push' },
    kbo: { draw: 'push' },
  } as const),
);

/** The known leagues in upper case, as exchanges write them. */
export const KNOWN_LEAGUES: readonly string[] = [...SPORT_OF_LEAGUE.keys()].map((name) => name.toUpperCase());

/**
 * The sport of a league that another sport cannot have. Undefined for a league that is unknown, has a namesake in another
 * sport, or has games of `sport`.
 */
export function otherSport(league: string, sport: string): string | undefined {
  const ofLeague = isAmbiguousLeague(league) ? undefined : SPORT_OF_LEAGUE.get(plainName(league));
  const played = namedSport(sport);
  // a feed of sports names no leagues, so football may be that of colleges
  return ofLeague === played || ofLeague === `college ${played ?? ''}` ? undefined : ofLeague;
}

/** Every sport with a row. */
export const KNOWN_SPORTS: readonly string[] = [...SPORTS.keys()];

/** True when a league of this name exists in another sport too: its games may name that sport. */
export const isAmbiguousLeague = (league: string): boolean => AMBIGUOUS_LEAGUES.has(plainName(league));

const UNKNOWN: SportColumns = { ...byWinner('score', 'both-lose') };

/** The rule of a row, with its hedging groups. */
export function sportRule(columns: SportColumns): SportRule {
  const { voidApart } = columns;
  const groups = new Map<string, MarketType[]>();
  for (const type of MARKET_TYPES) {
    const voidWith = voidApart === 'each' ? type : voidApart === 'lines' ? String(type === 'moneyline') : '';
    const key = `${columns[type]} ${voidWith}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [type]);
    else group.push(type);
  }
  return Object.freeze({ ...columns, hedging: Object.freeze([...groups.values()]) });
}
/** The rules of all leagues and sports, including the configured ones. */
export class Sports {
  readonly #configured: ReadonlyMap<string, SportSettings>;
  readonly #known = new Map<string, KnownSport>();

  /** @param sports the YAML's `sports:` */
  constructor(sports: SportsSettings = {}) {
    this.#configured = new Map(Object.entries(sports).map(([key, columns]) => [plainName(key), columns]));
  }

  /** The rule of this game; the unknown sport's row for an unknown game. */
  sportOf(game: Competition | undefined): KnownSport {
    if (game === undefined) return UNKNOWN_SPORT;
    const { league, sport, parentGameId } = game;
    // a half, or a player's points, may end level in any sport, and both sides of a future may lose
    const isPart = parentGameId !== undefined || game.futures === true;
    const key = `${isPart ? 'part' : 'game'}|${league}|${sport}`;
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = this.#find(plainName(league), sport, isPart)));
    return known;
  }

  #find(league: string, sportName: string, isPart: boolean): KnownSport {
    const named = namedSport(sportName);
    const sport = sportOf(league, named);
    const row = sport === undefined ? undefined : SPORTS.get(sport);
    const ofLeague = LEAGUES.get(league);
    const columns: SportColumns = { ...(row ?? UNKNOWN), ...(sport === undefined ? {} : ofLeague) };
    // the sport's own settings come first, so that those of the league override them
    const configured = [sport, named, plainName(sportName), league].flatMap((key) => {
      const set = key === undefined || key === '' ? undefined : this.#configured.get(key);
      return set === undefined ? [] : [{ key: key as string, set }];
    });
    const draw = configured.map(({ set }) => set.draw).findLast((rule) => rule !== undefined);
    const given = Object.assign({}, ...configured.map(({ set }) => defined(set))) as Partial<SportColumns>;
    const own: SportColumns = { ...columns, ...given };
    const set = Object.keys(given);
    const decided = configured.findLast(({ set }) => set.draw !== undefined) ?? configured.at(-1);
    if (isPart) {
      const isKnown = draw !== undefined && draw !== 'impossible';
      const rule = sportRule({ ...own, draw: isKnown ? draw : 'both-lose', shootOut: false });
      return isKnown
        ? { rule, sport, origin: 'configured', key: decided?.key, set }
        : { rule, sport, origin: 'unknown', key: undefined, set };
    }
    const rule = sportRule(own);
    if (decided !== undefined && (row !== undefined || draw !== undefined))
      return { rule, sport, origin: 'configured', key: decided.key, set };
    if (row === undefined) return { rule, sport, origin: 'unknown', key: undefined, set };
    return { rule, sport, origin: 'built in', key: ofLeague === undefined ? sport : league, set };
  }
}

const UNKNOWN_SPORT: KnownSport = Object.freeze({
  rule: sportRule(UNKNOWN),
  sport: undefined,
  origin: 'unknown',
  key: undefined,
  set: [],
});

const defined = (columns: SportSettings): Partial<SportColumns> =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));

/** The row that a game's own name of its sport means; undefined when there is none. */
function namedSport(name: string): string | undefined {
  const plain = plainName(name);
  const sport = SPORT_ALIASES.get(plain) ?? plain;
  return SPORTS.has(sport) ? sport : undefined;
}

function sportOf(league: string, named: string | undefined): string | undefined {
  const ofLeague = SPORT_OF_LEAGUE.get(league);
  if (ofLeague === undefined) return named;
  const isClear = named !== undefined && !AMBIGUOUS_SPORTS.has(named);
  return AMBIGUOUS_LEAGUES.has(league) && isClear ? named : ofLeague;
}
