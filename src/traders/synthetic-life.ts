// What every made-up game has, whatever it is: a header as it is published, a face that changes in its life, lines that are
// traded, a fair price for each, and a final score at the end.
import type { FinalScore, Game, Random } from '../domain/index.ts';
import type { GameDetails } from '../venue/index.ts';
import { createRandom } from '../domain/index.ts';
import type { SyntheticMarket } from './synthetic-prices.ts';
import type { GameIdentity } from './synthetic-teams.ts';
import type { Tempo } from './synthetic-tempo.ts';

/** What changes of a header in a game's life. */
export type Face = Pick<Game, 'start' | 'live' | 'open' | 'ended' | 'mainHomeSpread' | 'mainTotal'>;

/** Anything made up that is traded: a game, or what hangs on one. */
export type TradedItem = {
  /** As it is published. */
  readonly header: Game;
  readonly details: GameDetails;
  readonly face: Face;
  /** The lines that are traded now; another array when they change. */
  readonly markets: readonly SyntheticMarket[];
  /** Traded by fewer, and less often. */
  readonly light: boolean;
  /** The probability of the market's first side (home, over). */
  readonly fair: (market: SyntheticMarket) => number;
  /** Once it is official. */
  readonly finalScore: FinalScore | undefined;
  /** The venue's word counts: its operator may move a start or let a game begin, a former life may have ended it. */
  readonly heed: (header: Game) => void;
  /** The game that it hangs on. */
  readonly parent?: TradedItem;
};

export type GameOptions = {
  readonly seed: number;
  readonly league: string;
  /** A game's time runs this much faster than the venue's. */
  readonly speed: number;
  /** How often the exchange was started before. */
  readonly life: number;
  readonly tempo?: Tempo | undefined;
  /** The second half of a game, its child game, counts overtime (wire profile); so unless told. */
  readonly secondHalfOvertime?: boolean | undefined;
};

export const headerOf = (
  { id, home, away }: GameIdentity,
  league: string,
  face: Face,
  more: Partial<Game> = {},
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
  ...more,
});

/** Half points cannot push, and no line is 0. */
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

export function changeOf(told: Face, face: Face): Partial<Face> | undefined {
  const changed = FIELDS.filter((field) => told[field] !== face[field]);
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((field) => [field, face[field]]));
}

/** A stream of the game's own; after a restart it draws anew. */
export const lifeStream = (seed: number, name: string, life: number): Random =>
  createRandom(seed, life === 0 ? name : `${name} life ${life}`);
