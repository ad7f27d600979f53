// The common parts of all synthetic games: a header as published, a face that changes, the traded lines, a
// fair price for each, and a final score at the end.
import type { FinalScore, Game, Random } from '../domain/index.ts';
import type { GameDetails } from '../venue/index.ts';
import { createRandom } from '../domain/index.ts';
import type { SyntheticMarket } from './synthetic-prices.ts';
import type { GameIdentity } from './synthetic-teams.ts';
import type { Tempo } from './synthetic-tempo.ts';

/** The header fields that change during a game. */
export type Face = Pick<Game, 'start' | 'live' | 'open' | 'ended' | 'mainHomeSpread' | 'mainTotal'>;

/** A synthetic item that is traded: a game or one of its side games. */
export type TradedItem = {
  /** The header at publication. */
  readonly header: Game;
  readonly details: GameDetails;
  readonly face: Face;
  /** The lines traded now. A change makes a new array. */
  readonly markets: readonly SyntheticMarket[];
  /** True when fewer accounts trade it, and less often. */
  readonly light: boolean;
  /** The probability of the market's first side (home, over). */
  readonly fair: (market: SyntheticMarket) => number;
  /** The official final score. Undefined before. */
  readonly finalScore: FinalScore | undefined;
  /**
   * Adopts the venue's header: the operator may move a start or start a game, and a former run may have ended
   * it.
   */
  readonly heed: (header: Game) => void;
  /** The parent of a side game. */
  readonly parent?: TradedItem;
};

export type GameOptions = {
  readonly seed: number;
  readonly league: string;
  /** The ratio of a game's time to the venue's time. */
  readonly speed: number;
  /** The number of earlier starts of the exchange. */
  readonly earlierRuns: number;
  readonly tempo?: Tempo | undefined;
  /** Whether the second half, a child game, counts overtime (wire profile). Default: true. */
  readonly secondHalfOvertime?: boolean | undefined;
};

export const headerOf = (
  { id, home, away }: GameIdentity,
  league: string,
  face: Face,
  overrides: Partial<Game> = {},
): Game => ({
  id,
  parentGameId: undefined,
  kind: 'game',
  period: 'full',
  league,
  sport: 'basketball',
  eventName: `${away.name} @ ${home.name}`,
  futures: false,
  home,
  away,
  ...face,
  ...overrides,
});

/** A line near `points`. Half points cannot push, and no line is 0. */
export const lineBelow = (points: number): number => Math.floor(points) + 0.5;

const FIELDS = ['start', 'live', 'open', 'ended', 'mainHomeSpread', 'mainTotal'] as const;

export const faceOf = ({ start, live, open, ended, mainHomeSpread, mainTotal }: Face): Face => ({
  start,
  live,
  open,
  ended,
  mainHomeSpread,
  mainTotal,
});

export function changeOf(sent: Face, face: Face): Partial<Face> | undefined {
  const changed = FIELDS.filter((field) => sent[field] !== face[field]);
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((field) => [field, face[field]]));
}

/** A random stream of its own name, which continues differently after each restart. */
export const streamOfRun = (seed: number, name: string, restarts: number): Random =>
  createRandom(seed, restarts === 0 ? name : `${name} life ${restarts}`);
