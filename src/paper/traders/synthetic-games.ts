// The made-up games of the synthetic traders: teams that exist nowhere, a hidden strength and pace per game that drift as
// a random walk, and from them one consistent fair probability for every line (margin and total are logistic).
import type { Game, GameId, MarketType, ParticipantId } from '../../domain/index.ts';
import { createIds } from '../venue/ids.ts';
import type { Random } from '../venue/random.ts';
import { createRandom } from '../venue/random.ts';

const TEAMS: readonly (readonly [name: string, short: string])[] = [
  ['Harbor City Herons', 'HCH'],
  ['Redwood Rangers', 'RDW'],
  ['Granite Bay Comets', 'GBC'],
  ['Silver Lake Otters', 'SLO'],
  ['Northgate Knights', 'NGK'],
  ['Mesa Verde Coyotes', 'MVC'],
  ['Lakeshore Lanterns', 'LKL'],
  ['Iron Valley Hammers', 'IVH'],
  ['Coral Coast Rays', 'CCR'],
  ['Prairie Falls Bison', 'PFB'],
  ['Stonebridge Owls', 'STB'],
  ['Bluewater Barons', 'BWB'],
  ['Cedar Point Falcons', 'CPF'],
  ['Twin Rivers Pilots', 'TRP'],
  ['Ashford Arrows', 'ASH'],
  ['Golden Plains Mustangs', 'GPM'],
  ['Kingsport Crowns', 'KPC'],
  ['Windmere Wolves', 'WMW'],
  ['Summit Springs Lynx', 'SSL'],
  ['Eastbrook Engineers', 'EBE'],
  ['Palmetto Pelicans', 'PAL'],
  ['Frostburg Foxes', 'FRB'],
  ['Copper Canyon Condors', 'COC'],
  ['Old Mill Millers', 'OMM'],
];

/** Log-odds per point of margin and of total: a basketball game's spread of results. */
const PER_POINT = { margin: 0.16, total: 0.11 } as const;
const JUMPS_PER_SECOND = 1 / 90;

export type SyntheticMarket = { readonly type: MarketType; readonly line: number | undefined };

export class SyntheticGame {
  readonly header: Game;
  readonly markets: readonly SyntheticMarket[];
  readonly #path: Random;
  /** Standard deviation of the walk, log-odds per square root of a second. */
  readonly #sd: number;
  /** Home's strength in log-odds, and the expected total. */
  #strength: number;
  #pace: number;

  constructor(seed: number, index: number, league: string, startMs: number) {
    const make = createRandom(seed, `game ${index}`);
    const ids = createIds(seed, `game ${index}`);
    this.#path = createRandom(seed, `path ${index}`);
    this.#sd = make.between(0.004, 0.01);
    this.#strength = Math.max(-1.6, Math.min(1.6, make.normal() * 0.6));
    this.#pace = make.between(208, 236);
    const [away, home] = pairOf(seed, index);
    // half points cannot push, and no line is 0
    const spread = Math.floor(-this.#strength / PER_POINT.margin) + 0.5;
    const total = Math.floor(this.#pace) + 0.5;
    this.header = {
      id: ids() as GameId,
      parentGameId: undefined,
      league,
      sport: 'basketball',
      eventName: `${away[0]} @ ${home[0]}`,
      start: startMs,
      live: false,
      ended: false,
      open: true,
      futures: false,
      home: { id: ids() as ParticipantId, name: home[0], shortName: home[1] },
      away: { id: ids() as ParticipantId, name: away[0], shortName: away[1] },
      mainHomeSpread: spread,
      mainTotal: total,
    };
    this.markets = [
      { type: 'moneyline', line: undefined },
      { type: 'spread', line: spread },
      { type: 'spread', line: spread + (spread < 0 ? 1 : -1) },
      { type: 'total', line: total },
      { type: 'total', line: total + 2 },
    ];
  }

  /** Lets the truth drift; now and then there is news. */
  drift(seconds: number): void {
    const news = this.#path.next() < JUMPS_PER_SECOND * seconds;
    const jump = news ? this.#path.between(0.05, 0.15) * (this.#path.next() < 0.5 ? -1 : 1) : 0;
    const step = this.#sd * Math.sqrt(seconds);
    this.#strength = Math.max(-2.2, Math.min(2.2, this.#strength + step * this.#path.normal() + jump));
    this.#pace += (step / PER_POINT.total) * this.#path.normal();
  }

  /** The probability of the market's first side (home, over). */
  fair(market: SyntheticMarket): number {
    const logOdds =
      market.type === 'total'
        ? PER_POINT.total * (this.#pace - (market.line ?? 0))
        : this.#strength + PER_POINT.margin * (market.line ?? 0);
    return 1 / (1 + Math.exp(-logOdds));
  }
}

type Team = readonly [name: string, short: string];

/** No team plays twice until all have played. */
function pairOf(seed: number, index: number): readonly [Team, Team] {
  const perRound = Math.floor(TEAMS.length / 2);
  const random = createRandom(seed, `round ${Math.floor(index / perRound)}`);
  const order = TEAMS.map((team) => ({ team, at: random.next() })).sort((a, b) => a.at - b.at);
  const slot = (index % perRound) * 2;
  return [order[slot]?.team ?? ['Visitors', 'VIS'], order[slot + 1]?.team ?? ['Hosts', 'HST']];
}
