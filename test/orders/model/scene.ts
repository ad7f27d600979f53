// The scene that model and manager share: games, markets, strategies, and the settings of the exchange and
// the limits.
import fc from 'fast-check';
import type {
  Game,
  GameId,
  GameMessage,
  Market,
  NewOrder,
  OrderRef,
  ParticipantId,
  Rung,
  StrategyId,
} from '../../../src/domain/index.ts';
import { centsOfDollars, market, microsOfDollars } from '../../../src/domain/index.ts';
import type { CoreSettings } from '../../../src/engine/index.ts';
import { coreSettings } from '../../support/core-driver.ts';

/** The settings that differ from run to run. */
export type Setup = {
  readonly maxOrdersPerPlace: number;
  readonly maxIdsPerCancel: number;
  readonly reserve: number;
  /** A 4xx to a batch means that no order of it was acted on. */
  readonly batchIsAtomic: boolean;
  /** A 400 to a batch means that no order of it was acted on. */
  readonly batch400IsAtomic: boolean;
  /** False when no answer, event or list has a reference, and none is found by one. */
  readonly reportsReferences: boolean;
  /** An edited order keeps its id. */
  readonly editKeepsId: boolean;
  /** The limits are so low that they bind. */
  readonly tight: boolean;
  /** Permits of each bucket in hand at the start. */
  readonly pool: number;
  /**
   * An order of the run before: it rests, also under an id that was handed over, or was never answered and
   * may still land.
   */
  readonly former: 'none' | 'rests' | 'handed' | 'unanswered';
};

export const setups: fc.Arbitrary<Setup> = fc.record({
  maxOrdersPerPlace: fc.constantFrom(20, 2, 1),
  maxIdsPerCancel: fc.constantFrom(100, 2, 1),
  reserve: fc.constantFrom(0, 2),
  batchIsAtomic: fc.boolean(),
  batch400IsAtomic: fc.boolean(),
  reportsReferences: fc.boolean(),
  editKeepsId: fc.boolean(),
  tight: fc.boolean(),
  pool: fc.constantFrom(0, 2, 6),
  former: fc.constantFrom('none', 'none', 'none', 'rests', 'handed', 'unanswered'),
});

/** The usual case, strictly judged. */
export const SETUP: Setup = {
  maxOrdersPerPlace: 20,
  maxIdsPerCancel: 100,
  reserve: 0,
  batchIsAtomic: false,
  batch400IsAtomic: false,
  reportsReferences: true,
  editKeepsId: false,
  tight: false,
  pool: 0,
  former: 'none',
};

/** Short, so that a run outlives many requests. */
export const REQUEST_TIMEOUT_MS = 3000;
export const LATE_ARRIVAL_MS = 12_000;
export const STEP_MS = 500;
/** Unix ms at monotonic 0. */
export const WALL = Date.parse('2030-01-01T11:00:00Z');

const G1 = 'g1' as GameId;
const G2 = 'g2' as GameId;
const G3 = 'g3' as GameId;
/** Markets with a push, with a tie that both sides lose, and with lines that are decided together. */
export const MARKETS: readonly Market[] = [
  market(G1, 'moneyline'),
  market(G1, 'spread', -2.5),
  market(G1, 'total', 8.5),
  market(G2, 'moneyline'),
  market(G2, 'spread', -3),
  market(G3, 'moneyline'),
];
/** Scores up to this decide every line above in every way. */
export const MAX_SCORE = 12;
type SceneGame = Pick<Game, 'id' | 'sport' | 'league'>;
/** Two games of one league, and one of another. */
export const GAMES: readonly SceneGame[] = [
  { id: G1, sport: 'basketball', league: 'NBA' },
  { id: G2, sport: 'soccer', league: 'EPL' },
  { id: G3, sport: 'basketball', league: 'NBA' },
];
export const leagueOf = (gameId: GameId): string | undefined => GAMES.find(({ id }) => id === gameId)?.league;
/** In the order of the file: when quotes cross, the first wins. */
export const STRATEGIES = ['alpha', 'beta'] as readonly string[] as readonly StrategyId[];

/**
 * The order that the run before sent for a slot that this run may want as well. Without references it counts
 * as external when it rests.
 */
export const FORMER: NewOrder = {
  ref: 'a.alpha.a.former-1' as OrderRef,
  market: market(G1, 'moneyline'),
  side: 'home',
  rung: 10 as Rung,
  risk: centsOfDollars(50),
};

export const MAX_GAME_LOSS = microsOfDollars(150);
export const MAX_LEAGUE_LOSS = microsOfDollars(180);
export const MAX_TOTAL_LOSS = microsOfDollars(220);

export const participantOf = (gameId: GameId, side: 'home' | 'away'): ParticipantId =>
  `${gameId}-${side}` as ParticipantId;

export const gameMessage = ({ id, sport, league }: SceneGame): GameMessage => ({
  gameId: id,
  parentGameId: undefined,
  league,
  sport,
  eventName: 'Away @ Home',
  start: WALL + 86_400_000,
  live: false,
  ended: false,
  futures: false,
  participants: (['away', 'home'] as const).map((side) => ({
    id: participantOf(id, side),
    homeAway: side,
    longName: side,
    shortName: side,
  })),
  mainHomeSpread: undefined,
  mainTotal: undefined,
  messageType: undefined,
  ladders: [],
  covers: [],
});

export function settingsOf({ tight, batchIsAtomic, batch400IsAtomic, editKeepsId, ...setup }: Setup): CoreSettings {
  const { maxOrdersPerPlace, maxIdsPerCancel, reserve } = setup;
  const common = coreSettings();
  const { risk } = common.orders;
  const loss = tight
    ? { maxGameLoss: MAX_GAME_LOSS, maxLeagueLoss: MAX_LEAGUE_LOSS, maxTotalLoss: MAX_TOTAL_LOSS, maxOpenOrders: 5 }
    : { maxGameLoss: microsOfDollars(1e6), maxTotalLoss: microsOfDollars(1e6), maxOpenOrders: 1000 };
  return {
    ...common,
    lateArrivalMs: LATE_ARRIVAL_MS,
    profile: { ...common.profile, batchIsAtomic, batch400IsAtomic, editKeepsId },
    orders: {
      ...common.orders,
      editKeepsId,
      maxOrdersPerPlace,
      maxIdsPerCancel,
      reserve,
      risk: {
        ...risk,
        ...loss,
        maxOrderRisk: centsOfDollars(500),
        priceBand: 1,
        bandWithout: 'off',
        staleAfterMs: 1e9,
      },
    },
  };
}
