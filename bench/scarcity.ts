// Quote quality under scarcity: 40 markets whose fair prices jump, five place permits per second. The order
// manager with its own planner against the same manager with a first-in-first-out planner that also
// conflates, binds late and batches. It measures the staleness cost of trade.md, integrated over time at the
// exchange; empty slots are reported separately.
import type {
  Bucket,
  Command,
  Game,
  GameId,
  Market,
  MarketId,
  OrderId,
  RequestId,
  Rung,
  Side,
  StrategyId,
} from '../src/domain/index.ts';
import {
  centsOfDollars,
  market,
  microsOfCents,
  microsOfDollars,
  moveValue,
  NAKED_VALUE,
  oddsOf,
  payoutOf,
  probabilityOfRung,
  rungAtMost,
  slotId,
  Sports,
} from '../src/domain/index.ts';
import { Account } from '../src/account/index.ts';
import type { Outcome, Planner, Target } from '../src/orders/index.ts';
import { byValue, OrderManager } from '../src/orders/index.ts';
import { WindowLedger } from '../src/exchange/index.ts';
import { createRandom } from '../src/domain/random.ts';
import { WINDOWS } from '../test/support/windows.ts';
import { firstInFirstOut } from './fifo-planner.ts';
import type { Row } from './run.ts';

const BASKETBALL = new Sports().sportOf({ league: 'NBA', sport: 'basketball', parentGameId: undefined }).rule;
const MARKETS = 40;
const SECONDS = 300;
const ROUND_TRIP_MS = 80;
const EDGE = 0.02;
const RISK = centsOfDollars(100);
const SEEDS = [1, 2, 3, 4, 5];
/** Pareto: the smallest jump in probability, and the tail. */
const JUMP = { smallest: 0.004, alpha: 1.5, largest: 0.15 };
const STRATEGY = 'bench' as StrategyId;
const { place: PLACE, cancel: CANCEL } = WINDOWS;

export type Cost = {
  /** Cost of offers that rest at a price that is no longer wanted, micro-dollars × seconds. */
  readonly stale: number;
  /** Cost of slots without an order, micro-dollars × seconds. */
  readonly naked: number;
  /** Profit of a taker who knows the fair price and takes each late quote once a second, micro-dollars. */
  readonly informed: number;
  /** Average number of slots without an order. */
  readonly empty: number;
  readonly requests: number;
};

/** Runs the simulation in virtual time. `jumpsPerSecond`: over all markets together. */
export function runScarcity(planner: Planner, maxOrdersPerPlace: number, jumpsPerSecond: number, seed: number): Cost {
  const random = createRandom(seed, 'scarcity');
  const markets: Market[] = [];
  const games = new Map<GameId, Game>();
  const fair = new Map<MarketId, number>();
  for (let i = 0; i < MARKETS; i++) {
    const id = `g${i}` as GameId;
    const gameMarket = market(id, 'moneyline');
    markets.push(gameMarket);
    fair.set(gameMarket.id, random.between(0.3, 0.7));
    games.set(id, { id, sport: 'basketball', league: 'NBA' } as Game);
  }
  let now = 0;
  let requests = 0;
  const events: { at: number; act: () => void }[] = [];
  const later = (ms: number, act: () => void): void => {
    const event = { at: now + ms, act };
    let index = events.length;
    while (index > 0 && (events[index - 1]?.at ?? 0) > event.at) index -= 1;
    events.splice(index, 0, event);
  };
  const windows = { place: new WindowLedger(PLACE), cancel: new WindowLedger(CANCEL) };
  /** Orders that rest at the exchange. */
  const resting = new Map<OrderId, { readonly market: MarketId; readonly side: Side; readonly rung: Rung }>();
  let ids = 0;
  const rest = (order: { readonly market: Market; readonly side: Side; readonly rung: Rung }): OrderId => {
    const id = `o${(ids += 1)}` as OrderId;
    resting.set(id, { market: order.market.id, side: order.side, rung: order.rung });
    return id;
  };
  const wanted = (id: MarketId, side: Side): number => {
    const p = fair.get(id) ?? 0;
    return (side === 'home' ? p : 1 - p) - EDGE;
  };

  let reqs = 0;
  const account = new Account({ instance: 'b', playerMode: 'coins', lateArrivalMs: 30_000 });
  const manager = new OrderManager(
    account,
    {
      playerMode: 'coins',
      batchErrors: { batchIsAtomic: false, batch400IsAtomic: true },
      tolerance: 0.005,
      permits: PLACE.requests,
      reserve: 5,
      instance: 'b',
      maxOrdersPerPlace,
      mayEdit: true,
      editKeepsId: false,
      maxIdsPerCancel: 100,
      risk: {
        maxOrderRisk: centsOfDollars(500),
        minOrderRisk: centsOfDollars(1),
        maxMarketLoss: undefined,
        maxLeagueLoss: undefined,
        maxGameLoss: microsOfDollars(1e6),
        maxTotalLoss: microsOfDollars(1e6),
        maxOpenOrders: 1e6,
        maxCreditUse: 1,
        priceBand: 1,
        bandWithout: 'off',
        bandAgeMs: 0,
        heldHedges: false,
        staleAfterMs: 1e6,
        resumeAfterMs: 1000,
      },
    },
    {
      nextRequest: () => (reqs += 1),
      send: (command) => send(command),
      alert: () => undefined,
      raise: () => undefined,
      wall: () => now,
      gameOf: (id) => games.get(id),
      ruleOf: () => BASKETBALL,
      balance: () => undefined,
      askBalance: () => undefined,
    },
    planner,
  );
  manager.applyBoot('bench');

  const refresh = (): void => {
    for (const touchedMarket of account.touched) manager.refresh(touchedMarket.id, now);
    account.touched.clear();
    manager.plan(now);
    account.touched.clear();
  };
  const end = (bucket: Bucket, permit: number): void => {
    windows[bucket].endRequest(permit, now, now);
    grant(bucket);
  };
  const planned: Record<Bucket, number> = { place: -1, cancel: -1 };
  const grant = (bucket: Bucket): void => {
    for (const permit of windows[bucket].take(now)) manager.applyPermit(bucket, permit);
    const { nextAt } = windows[bucket];
    if (nextAt === undefined || nextAt === planned[bucket]) return;
    planned[bucket] = nextAt;
    later(Math.max(1, nextAt - now), () => {
      grant(bucket);
      refresh();
    });
  };
  /**
   * A request: it acts at the exchange after half a round trip, and the reply arrives after the other half.
   */
  const request = (bucket: Bucket, permit: number, act: () => void, reply: () => void): void => {
    requests += 1;
    later(ROUND_TRIP_MS / 2, () => {
      act();
      later(ROUND_TRIP_MS / 2, () => {
        reply();
        end(bucket, permit);
        refresh();
      });
    });
  };
  const outcome = (req: RequestId, reported: Outcome): void => {
    const attempt = manager.attempt(req);
    if (attempt !== undefined) manager.applyOutcome(attempt, reported, now);
  };
  const send = (command: Command): void => {
    if (command.type === 'place') {
      const orderIds: OrderId[] = [];
      request(
        'place',
        command.permit,
        () => orderIds.push(...command.orders.map(rest)),
        () => {
          outcome(command.req, {
            type: 'placed',
            results: orderIds.map((orderId) => ({ status: 'accepted', orderId, ref: undefined, fills: [] })),
          });
        },
      );
    } else if (command.type === 'edit') {
      let orderId: OrderId | undefined;
      request(
        'place',
        command.permit,
        () => {
          resting.delete(command.orderId);
          orderId = rest(command.order);
        },
        () => {
          outcome(command.req, {
            type: 'edited',
            result: {
              cancelled: true,
              filled: undefined,
              placed: { status: 'accepted', orderId, ref: undefined, fills: [] },
            },
          });
        },
      );
    } else if (command.type === 'cancel') {
      request(
        'cancel',
        command.permit,
        () => {
          for (const id of command.orderIds) resting.delete(id);
        },
        () => {
          outcome(command.req, {
            type: 'cancelled',
            results: command.orderIds.map((orderId) => ({
              orderId,
              success: true,
              filled: undefined,
              reason: undefined,
            })),
          });
        },
      );
    }
  };
  const retarget = (quotedMarket: Market): void => {
    const targets = quotedMarket.sides.map((side): Target => {
      const rung = rungAtMost(wanted(quotedMarket.id, side), 1);
      if (rung === undefined) throw new Error('no rung');
      return {
        slot: slotId(STRATEGY, quotedMarket, side, '#0'),
        strategy: STRATEGY,
        key: '#0',
        market: quotedMarket,
        side,
        rung,
        risk: RISK,
        queue: [],
        denial: undefined,
        intent: 0,
      };
    });
    manager.setTargets(quotedMarket.id, targets);
    manager.refresh(quotedMarket.id, now);
  };
  const jump = (): void => {
    later(-Math.log(1 - random.next()) * (1000 / jumpsPerSecond), jump);
    const jumping = markets[Math.floor(random.next() * MARKETS)];
    if (jumping === undefined) return;
    const size = Math.min(JUMP.largest, JUMP.smallest * (1 - random.next()) ** (-1 / JUMP.alpha));
    const p = (fair.get(jumping.id) ?? 0.5) + (random.next() < 0.5 ? size : -size);
    // kept within the range by reflection
    fair.set(jumping.id, p < 0.15 ? 0.3 - p : p > 0.85 ? 1.7 - p : p);
    retarget(jumping);
    refresh();
  };

  let stale = 0;
  let naked = 0;
  let informed = 0;
  let emptySeconds = 0;
  const integrate = (untilMs: number): void => {
    const seconds = (untilMs - now) / 1000;
    // the warm-up is left out: at the start nothing rests with either planner
    if (seconds > 0 && now > WARM_UP_MS) {
      let rate = 0;
      let earned = 0;
      for (const order of resting.values()) {
        const q = probabilityOfRung(order.rung);
        const target = probabilityOfRung(rungAtMost(wanted(order.market, order.side), 1) as Rung);
        const payout = payoutOf(microsOfCents(RISK), oddsOf(order.rung));
        rate += payout * moveValue(q, target);
        // the quote costs less than it is worth: only its price and the fair price count, not what the
        // planner says
        earned += payout * Math.max(0, q - (wanted(order.market, order.side) + EDGE));
      }
      stale += rate * seconds;
      informed += earned * seconds;
      const empty = MARKETS * 2 - resting.size;
      emptySeconds += empty * seconds;
      naked += empty * 2 * microsOfCents(RISK) * NAKED_VALUE * seconds;
    }
    now = untilMs;
  };
  grant('place');
  grant('cancel');
  for (const quotedMarket of markets) retarget(quotedMarket);
  refresh();
  later(1, jump);
  for (let event = events.shift(); event !== undefined && event.at < SECONDS * 1000; event = events.shift()) {
    integrate(event.at);
    event.act();
  }
  const empty = emptySeconds / (SECONDS - WARM_UP_MS / 1000);
  return { stale: stale / 1e6, naked: naked / 1e6, informed: informed / 1e6, empty, requests };
}

const WARM_UP_MS = 30_000;

export async function scarcity(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [maxOrdersPerPlace, goal] of [
    [1, '<= 0.5'],
    [20, '<= 1'],
  ] as const) {
    for (const jumps of [5, 10, 20]) {
      const none = { stale: 0, naked: 0, informed: 0, empty: 0 };
      const sums = { own: { ...none }, fifo: { ...none } };
      for (const seed of SEEDS)
        for (const [name, planner] of [
          ['own', byValue],
          ['fifo', firstInFirstOut],
        ] as const) {
          const cost = runScarcity(planner, maxOrdersPerPlace, jumps, seed);
          for (const field of Object.keys(none) as (keyof typeof none)[]) sums[name][field] += cost[field];
        }
      const emptyOf = (name: 'own' | 'fifo'): string =>
        `${(sums[name].empty / SEEDS.length).toFixed(1)} of ${MARKETS * 2} slots empty`;
      const costText = (name: 'own' | 'fifo'): string =>
        `${name} ${sums[name].stale.toFixed(0)} (empty slots ${sums[name].naked.toFixed(0)}; ${emptyOf(name)})`;
      const place = `${maxOrdersPerPlace} a place, ${jumps} jumps/s`;
      rows.push(
        {
          what: `staleness cost ÷ first in, first out, ${place}`,
          ratios: [sums.own.stale / sums.fifo.stale],
          goal,
          detail: `${costText('own')}, ${costText('fifo')} $·s`,
        },
        {
          what: `the same by what an informed taker earns of late quotes, ${place}`,
          ratios: [sums.own.informed / sums.fifo.informed],
          goal,
          detail: `own $${sums.own.informed.toFixed(0)}, fifo $${sums.fifo.informed.toFixed(0)}, one take a second`,
        },
      );
    }
  }
  return Promise.resolve(rows);
}
