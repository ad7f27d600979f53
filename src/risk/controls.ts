// The ordered controls between a wanted quote and the exchange. Each has a name, and every denial carries it.
// `checkQuote` checks one wanted quote; `checkOrder` checks again just before an order is sent.
import type { Game, GameId, Micros, Rung, WantedOrder } from '../domain/index.ts';
import {
  crosses,
  dollarsOfCents,
  dollarsOfMicros,
  microsOfCents,
  plainName,
  probabilityOfRung,
  sideIndex,
} from '../domain/index.ts';
import type { Freshness } from '../mirror/index.ts';
import type { Exposure } from './exposure.ts';
import type { RiskLimits } from './limits.ts';

export type ControlName =
  | 'gate' // perspective gate, player mode, feeds, stopping: nothing is quoted at all
  | 'freshness'
  | 'no-price' // a probability of 0 or 1, or beyond: there are no such odds
  | 'order-size'
  | 'price-band'
  | 'own-cross'
  | 'reduce-only'
  | 'paused' // an operator paused the strategy
  | 'losing-fills'
  | 'warm-up'
  | 'select' // other markets bring more (markets.select)
  | 'open-orders'
  | 'market-loss'
  | 'game-loss'
  | 'game-shortfall'
  | 'league-loss'
  | 'total-loss'
  | 'credit';

/** The controls that stand for a limit on what the account may have open, or lose. */
export const LIMIT_CONTROLS: ReadonlySet<ControlName> = new Set([
  ...(['open-orders', 'market-loss', 'game-loss', 'game-shortfall', 'league-loss', 'total-loss', 'credit'] as const),
]);

export type Denial = { readonly control: ControlName; readonly reason: string };

/** The reference of the price band: the probability of the market's first side, and its source. */
export type BandReference = {
  readonly p: number;
  /** The source of the price. Undefined: the consensus. */
  readonly of?: keyof typeof REFERENCES;
};

const REFERENCES = {
  odds: 'the price of the odds feed',
  last: 'the last good consensus',
  own: "the strategy's own fair price",
} as const;

/** The denial without any reference (risk.bandWithout). */
export const NO_REFERENCE: Denial = { control: 'price-band', reason: 'price-band: no reference' };

/** Checks size, price and freshness of one wanted quote. Undefined when it may rest. */
export function checkQuote(
  wanted: WantedOrder,
  state: {
    readonly freshness: readonly [Freshness, Freshness];
    readonly reference: BandReference | undefined;
  },
  limits: RiskLimits,
): Denial | undefined {
  const [first, second] = state.freshness;
  const stale = first === 'fresh' ? second : first;
  if (stale !== 'fresh') return { control: 'freshness', reason: `a side of the book is ${stale}` };
  if (wanted.risk < limits.minOrderRisk || wanted.risk > limits.maxOrderRisk) {
    return {
      control: 'order-size',
      reason:
        wanted.risk === 0
          ? `an order of no size: risk 0, from ${dollarsOfCents(limits.minOrderRisk)} to ${dollarsOfCents(limits.maxOrderRisk)} is allowed`
          : `risk ${dollarsOfCents(wanted.risk)} is not within ${dollarsOfCents(limits.minOrderRisk)} and ${dollarsOfCents(limits.maxOrderRisk)}`,
    };
  }
  const { reference } = state;
  if (reference === undefined) return limits.bandWithout === 'off' ? undefined : NO_REFERENCE;
  const fair = sideIndex(wanted.side) === 0 ? reference.p : 1 - reference.p;
  const distance = Math.abs(probabilityOfRung(wanted.rung) - fair);
  if (distance <= limits.priceBand) return undefined;
  return {
    control: 'price-band',
    reason: `${distance.toFixed(3)} away from ${reference.of === undefined ? 'the consensus' : REFERENCES[reference.of]}, more than ${limits.priceBand}`,
  };
}

/** The state of the account when an order would be sent. */
export type AccountState = {
  readonly exposure: Exposure;
  readonly openOrders: number;
  /** Stake of resting, in-flight and unknown orders, and fills that the balance does not contain yet. */
  readonly creditInUse: Micros;
  /** Spendable balance. Undefined when the exchange does not report it. */
  readonly balance: Micros | undefined;
  readonly leagueOf: (gameId: GameId) => string;
};

/** The limits on everything open. */
export type OrderLimits = Pick<
  RiskLimits,
  | 'maxOpenOrders'
  | 'maxMarketLoss'
  | 'maxGameLoss'
  | 'maxGameShortfall'
  | 'maxLeagueLoss'
  | 'maxTotalLoss'
  | 'maxCreditUse'
>;

/**
 * Checks an order against the limits on everything open. Orders approved earlier in the same request already
 * count as open.
 */
export function checkOrder(
  order: WantedOrder,
  game: Game,
  account: AccountState,
  limits: OrderLimits,
): Denial | undefined {
  if (account.openOrders + 1 > limits.maxOpenOrders) {
    return { control: 'open-orders', reason: `${limits.maxOpenOrders} orders are open already` };
  }
  const risk = microsOfCents(order.risk);
  const proposed = { market: order.market, side: order.side, risk };
  const elsewhere = account.exposure.hasHeld(game.id) ? ', with what is held elsewhere' : '';
  if (limits.maxMarketLoss !== undefined) {
    const loss = account.exposure.worstOfMarketWith(game.id, proposed);
    if (loss < -limits.maxMarketLoss)
      return { control: 'market-loss', reason: `the market could lose ${lossOf(loss)}${elsewhere}` };
  }
  const worst = account.exposure.worstWith(game.id, proposed);
  const unplaced = account.exposure.unplacedIn(game.id);
  const beside = account.exposure.worstBeside(game.id);
  const withParts = worst - unplaced + beside;
  if (withParts < -limits.maxGameLoss) {
    return {
      control: 'game-loss',
      reason:
        beside === 0
          ? `the game could lose ${lossOf(withParts)}${elsewhere}`
          : `the game with all its parts could lose ${lossOf(withParts)}${elsewhere}`,
    };
  }
  // a shortfall is never below the worst case
  if (limits.maxGameShortfall !== undefined && withParts < -limits.maxGameShortfall) {
    const shortfall = account.exposure.shortfallWith(game.id, proposed);
    if (shortfall < -limits.maxGameShortfall)
      return {
        control: 'game-shortfall',
        reason: `the game could lose ${lossOf(shortfall)} on average at the worst 5 % of its scores${elsewhere}`,
      };
  }
  const here = Math.min(0, worst);
  if (limits.maxLeagueLoss !== undefined) {
    const own = plainName(game.league);
    const alsoInLeague = (id: GameId): boolean => {
      if (id === game.id) return false;
      const league = account.leagueOf(id);
      return league === game.league || plainName(league) === own;
    };
    const loss = account.exposure.worstOfGames(alsoInLeague) + here - unplaced;
    if (loss < -limits.maxLeagueLoss)
      return { control: 'league-loss', reason: `${game.league} could lose ${lossOf(loss)}` };
  }
  const total = account.exposure.totalWorst(game.id) + here;
  if (total < -limits.maxTotalLoss) {
    return {
      control: 'total-loss',
      reason: `all games together could lose ${lossOf(total)}`,
    };
  }
  const inUse = account.creditInUse + risk;
  if (account.balance !== undefined && inUse > account.balance * limits.maxCreditUse) {
    const dollars = dollarsOfMicros(inUse as Micros).toFixed(2);
    return { control: 'credit', reason: `${dollars} of the balance would be in use` };
  }
  return undefined;
}

/** The loss in dollars, without its sign. */
const lossOf = (amount: number): string => dollarsOfMicros((0 - amount) as Micros).toFixed(2);

/** True when a new own order would cross an own order that rests or may rest on the other side. */
export const crossesOwn = (rung: Rung, others: Iterable<{ readonly rung: Rung }>): boolean => {
  for (const other of others) if (crosses(rung, other.rung)) return true;
  return false;
};
