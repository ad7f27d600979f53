// Facts of runs for tests whose figures can be worked out by hand.
import type {
  AmericanOdds,
  GameId,
  MarkoutSeconds,
  Micros,
  QuoteTimes,
  StrategyId,
  TxId,
} from '../../src/domain/index.ts';
import { market, MARKOUT_SECONDS } from '../../src/domain/index.ts';
import type { PhaseFacts, RunFill, ReportOrder, RunFacts } from '../../src/run/index.ts';
import { NO_FACTS, NO_PHASE, OrderTally } from '../../src/run/index.ts';

export const M = 1_000_000;
export const HOUR_MS = 3_600_000;
export const START = Date.parse('2030-01-02T20:00:00Z');

/**
 * A fill on home at +105 with risk 100: cost c = 100/205, payout 205, fair .5000, close .5200, 1.5 hours
 * before the start.
 */
export const fill = (changes: Partial<RunFill> & { readonly game?: string } = {}): RunFill => {
  const gameId = (changes.game ?? 'g1') as GameId;
  return {
    txId: 'x' as TxId,
    ref: undefined,
    odds: 105 as AmericanOdds,
    mark: undefined,
    markLater: undefined,
    risk: 100 * M,
    payout: 205 * M,
    f0: 0.5,
    fc: 0.52,
    later: [],
    profit: undefined,
    commission: 0,
    t: START - 1.5 * HOUR_MS,
    gameId,
    eventName: `Away @ Home ${gameId}`,
    league: 'NBA',
    period: 'full',
    start: START,
    market: market(gameId, 'moneyline', undefined),
    side: 'home',
    strategy: 'main' as StrategyId,
    role: 'maker',
    ageMs: 3000,
    queuePlaced: 0 as Micros,
    queueFilled: 0 as Micros,
    reason: undefined,
    isInPlay: false,
    past: undefined,
    own: undefined,
    outside: {},
    position: { first: (105 * M) as Micros, second: (-100 * M) as Micros },
    ...changes,
  };
};

/** The prices at each markout time, in the order of `MARKOUT_SECONDS`. */
export const after = (prices: Partial<Record<MarkoutSeconds, number>>): readonly (number | undefined)[] =>
  MARKOUT_SECONDS.map((seconds) => prices[seconds]);

export const order = (changes: Partial<ReportOrder> = {}): ReportOrder => ({
  ref: 'r',
  strategy: 'main' as StrategyId,
  market: market('g1' as GameId, 'moneyline', undefined),
  side: 'home',
  price: 0.49,
  odds: 104 as AmericanOdds,
  risk: (100 * M) as Micros,
  filled: 0 as Micros,
  fromMs: 0,
  toMs: 1000,
  end: 'cancelled',
  queuePlaced: 0 as Micros,
  fair: 0.5,
  reason: undefined,
  ...changes,
});

/** The counts that a run keeps of these orders. */
export const counted = (orders: readonly ReportOrder[]): PhaseFacts['orders'] => {
  const tally = new OrderTally();
  for (const order of orders) tally.addOrder(order);
  return tally.counts;
};

/** Times for which quotes rested. The weighted times equal the plain ones by default. */
export type Quoted = Omit<QuoteTimes, 'weighted'> & Partial<Pick<QuoteTimes, 'weighted'>>;

export const quoted = (times: Quoted): QuoteTimes => ({ weighted: times, ...times });

/** Orders, permits and quotes (in the NBA) belong to the prematch phase unless phases are given. */
export const facts = ({
  orders,
  permits,
  quotes,
  ...others
}: Partial<RunFacts> &
  Partial<Pick<PhaseFacts, 'orders' | 'permits'>> & { readonly quotes?: Quoted } = {}): RunFacts => ({
  ...NO_FACTS,
  phases: {
    ...NO_FACTS.phases,
    prematch: {
      ...NO_PHASE,
      ...(orders === undefined ? {} : { orders }),
      ...(permits === undefined ? {} : { permits }),
      ...(quotes === undefined ? {} : { quotes: { NBA: quoted(quotes) } }),
    },
  },
  ...others,
});
