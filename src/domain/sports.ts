// How a level score settles a moneyline, by sport: built in for the sports and leagues that are known, configured by
// `sports:` for the others. Invariant: what is not known is taken at its worst (both sides lose), and says that it is.
import type { Game } from './market.ts';

/**
 * `push`: stakes return. `both-lose`: the draw is an outcome of its own that nobody backed. `impossible`: play goes on
 * until somebody wins.
 */
export type DrawRule = 'push' | 'both-lose' | 'impossible';
export const DRAW_RULES: readonly DrawRule[] = ['push', 'both-lose', 'impossible'];

/** The YAML's `sports:`, by league or sport, in any case. */
export type SportsSettings = Readonly<Record<string, { readonly draw: DrawRule }>>;

/** `key`: the league or sport that decided; undefined for one that is not known. */
export type KnownDraw = {
  readonly draw: DrawRule;
  readonly origin: 'configured' | 'built in' | 'unknown';
  readonly key: string | undefined;
};

type Competition = Pick<Game, 'league' | 'sport' | 'parentGameId'>;

const SPORTS: ReadonlyMap<string, DrawRule> = new Map(
  Object.entries({
    basketball: 'impossible',
    baseball: 'impossible',
    hockey: 'impossible',
    'ice hockey': 'impossible',
    tennis: 'impossible',
    'table tennis': 'impossible',
    volleyball: 'impossible',
    badminton: 'impossible',
    darts: 'impossible',
    snooker: 'impossible',
    // a regular season ends games level: two-sided moneylines refund them
    football: 'push',
    'american football': 'push',
    mma: 'push',
    boxing: 'push',
    golf: 'push',
    cricket: 'push',
    rugby: 'push',
    'aussie rules': 'push',
    // where the draw can be backed, a bet on either team loses by it
    soccer: 'both-lose',
  } as const),
);

/** The sport of a league, for games whose sport is not told and for `check`, which sees no game. */
const SPORT_OF_LEAGUE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    basketball: ['nba', 'wnba', 'ncaab', 'ncaaw', 'nba-g', 'euroleague', 'fiba'],
    baseball: ['mlb', 'ncaabaseball'],
    hockey: ['nhl', 'ahl', 'khl', 'shl'],
    football: ['nfl', 'ufl', 'cfl'],
    soccer: [
      ...[
        'mls',
        'nwsl',
        'epl',
        'premier league',
        'championship',
        'la liga',
        'serie a',
        'bundesliga',
        'ligue 1',
      ],
      ...['eredivisie', 'liga mx', 'ucl', 'champions league', 'uel', 'europa league', 'fifa', 'uefa'],
    ],
    tennis: ['atp', 'wta', 'itf'],
    mma: ['ufc', 'bellator', 'pfl'],
    boxing: ['boxing'],
    golf: ['pga', 'liv'],
    cricket: ['ipl', 't20'],
  }).flatMap(([sport, leagues]) => leagues.map((league) => [league, sport] as const)),
);

/** Leagues that do otherwise than their sport. */
const LEAGUES: ReadonlyMap<string, DrawRule> = new Map(
  Object.entries({
    // overtime until somebody wins
    ncaaf: 'impossible',
    // games end level after twelve innings
    npb: 'push',
    kbo: 'push',
  } as const),
);

/** As exchanges write them. */
export const KNOWN_LEAGUES: readonly string[] = [...SPORT_OF_LEAGUE.keys(), ...LEAGUES.keys()].map((name) =>
  name.toUpperCase(),
);

export class DrawRules {
  readonly #configured: ReadonlyMap<string, DrawRule>;
  readonly #known = new Map<string, KnownDraw>();

  constructor(sports: SportsSettings = {}) {
    this.#configured = new Map(Object.entries(sports).map(([key, { draw }]) => [plain(key), draw]));
  }

  /** How a level score settles this game's moneyline; of a game that is not known, at its worst. */
  of(game: Competition | undefined): KnownDraw {
    if (game === undefined) return UNKNOWN;
    const { league, sport, parentGameId } = game;
    // a half, or a player's points, may end level in any sport
    const isPart = parentGameId !== undefined;
    const key = `${isPart ? 'part' : 'game'}|${league}|${sport}`;
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = this.#find(plain(league), plain(sport), isPart)));
    return known;
  }

  #find(league: string, sport: string, isPart: boolean): KnownDraw {
    const named = sport === '' || sport === 'unknown' ? (SPORT_OF_LEAGUE.get(league) ?? sport) : sport;
    for (const key of [league, named]) {
      const draw = this.#configured.get(key);
      if (draw !== undefined && !(isPart && draw === 'impossible'))
        return { draw, origin: 'configured', key };
    }
    if (isPart) return UNKNOWN;
    const ofLeague = LEAGUES.get(league);
    if (ofLeague !== undefined) return { draw: ofLeague, origin: 'built in', key: league };
    const ofSport = SPORTS.get(named);
    return ofSport === undefined ? UNKNOWN : { draw: ofSport, origin: 'built in', key: named };
  }
}

const UNKNOWN: KnownDraw = Object.freeze({ draw: 'both-lose', origin: 'unknown', key: undefined });

const plain = (name: string): string => name.trim().toLowerCase();
