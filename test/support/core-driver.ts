// Drives a core step by step: the test sets the time, the inputs and the exchange's answers.
import type {
  Arrival,
  Command,
  GameId,
  OrderId,
  RunEvent,
  StampedArrival,
  StrategyId,
} from '../../src/domain/index.ts';
import { centsOfDollars, microsOfDollars, NO_COMMISSION, oddsOf } from '../../src/domain/index.ts';
import type { CoreSettings, Surroundings } from '../../src/engine/index.ts';
import type { CorePorts } from '../../src/engine/parts.ts';
import { Core } from '../../src/engine/index.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { Decoder, DEFAULT_PROFILE } from '../../src/wire/index.ts';
import twoSided from '../../strategies/two-sided.ts';

export const GAME_ID = 'game-1' as GameId;
export const START = Date.parse('2030-01-01T12:00:00Z');

export type Overrides = Partial<Omit<CoreSettings, 'orders' | 'markets'>> & {
  readonly orders?: Partial<CoreSettings['orders']>;
  readonly markets?: Partial<CoreSettings['markets']>;
};

/** The surroundings of a live bot, except that the current user is read every 15 s, whatever rests. */
export const SURROUNDINGS: Surroundings = {
  idleTickMs: 500,
  stallAfterMs: 2000,
  userEveryMs: { busy: 15_000, quiet: 15_000 },
  modeAgeMs: Number.POSITIVE_INFINITY,
  modeIsCertain: false,
  reconcileEveryMs: 60_000,
  reconcileBacksOff: false,
  rowsCarryOwners: true,
  warnsOfEmptyLeagues: true,
};

export function coreSettings(
  overrides: Overrides = {},
  strategy: Strategy = twoSided,
  params: unknown = { edge: 0.02, risk: 100 },
): CoreSettings {
  return {
    playerMode: 'coins',
    allowModeSwitch: false,
    strategies: [{ id: 'main' as StrategyId, strategy, params: strategy.params.parse(params) }],
    profile: DEFAULT_PROFILE,
    sports: {},
    commission: NO_COMMISSION,
    scoreAgeMs: 30_000,
    lateArrivalMs: 30_000,
    readsAtOnce: 10,
    ...SURROUNDINGS,
    onExit: 'cancel',
    foreign: 'leave',
    safety: { state: 'active', haltAtLoss: undefined, losingFills: undefined },
    ...overrides,
    markets: {
      leagues: ['NBA'],
      types: ['moneyline', 'spread', 'total'],
      lines: 'main',
      games: 'all',
      live: false,
      stopBeforeMs: 60_000,
      ...overrides.markets,
    },
    orders: {
      tolerance: 0.005,
      permits: 25,
      reserve: 5,
      instance: 'a',
      maxOrdersPerPlace: 20,
      mayEdit: true,
      editKeepsId: false,
      maxIdsPerCancel: 100,
      risk: {
        maxOrderRisk: centsOfDollars(500),
        minOrderRisk: centsOfDollars(1),
        maxGameLoss: microsOfDollars(2000),
        maxTotalLoss: microsOfDollars(10_000),
        maxOpenOrders: 200,
        maxCreditUse: 0.9,
        priceBand: 0.15,
        bandWithout: 'hold',
        bandAgeMs: 300_000,
        heldHedges: false,
        staleAfterMs: 10_000,
        resumeAfterMs: 5000,
      },
      ...overrides.orders,
    },
  };
}

export type OfferRow = {
  readonly id: string;
  readonly odds: number;
  readonly risk: number;
  readonly left?: number;
  readonly own?: boolean;
  readonly createdAt?: string;
};

const sideOrders = (rows: readonly OfferRow[]): unknown[] =>
  rows.map(({ id, odds, risk, left = risk, own, createdAt = '2030-01-01T00:00:00.000Z' }) => ({
    id,
    type: 'moneyline',
    risk,
    sumUntaken: left,
    odds,
    takenRatio: 0,
    createdAt,
    ...(own === true ? { createdBy: 'me' } : {}),
  }));

export const teams = [
  { id: 'p-away', longName: 'Away', shortName: 'AWY', homeAway: 'away' },
  { id: 'p-home', longName: 'Home', shortName: 'HOM', homeAway: 'home' },
];

/** A game in the form of the REST interface, with a moneyline only. */
export const gameEntry = (
  home: readonly OfferRow[],
  away: readonly OfferRow[],
  fields: Readonly<Record<string, unknown>> = {},
): unknown => ({
  id: GAME_ID,
  league: 'NBA',
  sport: 'basketball',
  start: new Date(START).toISOString(),
  live: false,
  ended: false,
  eventName: 'Away @ Home',
  participants: teams,
  homeMoneylines: sideOrders(home),
  awayMoneylines: sideOrders(away),
  ...fields,
});

export class CoreDriver {
  readonly core: Core;
  readonly #decoder: Decoder;
  /** Wall clock and monotonic ms of the next input. */
  now = 1000;
  wall = START - 3_600_000;
  #seq = 0;
  #permits = 0;
  /** Receives each step, as a journal does. */
  record: (arrival: StampedArrival, commands: readonly Command[], events: readonly RunEvent[]) => void = () =>
    undefined;
  /** All commands and all events since the start. */
  readonly sent: Command[] = [];
  readonly events: RunEvent[] = [];

  constructor(settings: CoreSettings = coreSettings(), ports: Omit<CorePorts, 'reportAsync'> = {}) {
    this.core = new Core(settings, { reportAsync: () => undefined, ...ports });
    this.#decoder = new Decoder(settings.profile);
  }

  /** Steps the core with an input; returns the commands except `wake`. */
  input(arrival: Arrival): readonly Command[] {
    this.#seq += 1;
    const input = this.#decoder.inputOf(arrival);
    const { commands, events } = this.core.step({ seq: this.#seq, t: this.wall, mono: this.now, in: input });
    this.#decoder.applyCommands(commands, this.now);
    this.record({ seq: this.#seq, t: this.wall, mono: this.now, in: arrival }, commands, events);
    this.sent.push(...commands);
    this.events.push(...events);
    return [...commands.filter((command) => command.type !== 'wake'), ...this.#answerCensus(commands)];
  }

  /** The answer to the first census: by default the account has no orders and no bets. */
  census: { readonly orders: readonly unknown[]; readonly plays: readonly unknown[] } | undefined = {
    orders: [],
    plays: [],
  };
  /** The answers to reads of bets at the end of a run, one after the other, and then none. */
  lastPlays: unknown[] = [];
  #censuses = 0;

  #answerCensus(commands: readonly Command[]): readonly Command[] {
    const read = commands.find(
      (command) => command.type === 'read' && (command.read.what === 'open-orders' || command.read.what === 'plays'),
    );
    if (read?.type !== 'read') return [];
    // the end of a run reads the last matched bets
    if (read.read.what === 'plays' && this.core.status().stopping)
      return this.reply(read.req, { data: this.lastPlays.shift() ?? { matchedBets: [] } });
    if (this.census === undefined || this.#censuses > 0 || this.core.status().stopping) return [];
    if (read.read.what === 'open-orders') return this.reply(read.req, { data: { unmatched: this.census.orders } });
    this.#censuses += 1;
    return this.reply(read.req, { data: { matchedBets: this.census.plays } });
  }

  /** Lets time pass in ticks of at most 250 ms. */
  passTime(ms: number): readonly Command[] {
    const out: Command[] = [];
    for (let left = ms; left > 0; left -= 250) {
      const step = Math.min(250, left);
      this.now += step;
      this.wall += step;
      out.push(...this.input({ type: 'tick' }));
    }
    return out;
  }

  permits(bucket: 'place' | 'cancel', count: number): readonly Command[] {
    const out: Command[] = [];
    for (let i = 0; i < count; i++) {
      this.#permits += 1;
      out.push(...this.input({ type: 'permit', bucket, permit: this.#permits }));
    }
    return out;
  }

  reply(req: number, body: unknown, status = 200): readonly Command[] {
    return this.input({ type: 'reply', req, status, body });
  }

  frame(
    participant: 'p-home' | 'p-away',
    rows: readonly OfferRow[],
    fields: Readonly<Record<string, unknown>> = {},
  ): readonly Command[] {
    const data = {
      gameID: GAME_ID,
      sport: 'basketball',
      league: 'NBA',
      live: false,
      type: 'moneyline',
      participantID: participant,
      ...fields,
      sideOrders: sideOrders(rows),
    };
    return this.input({
      type: 'frame',
      feed: 'prices',
      epoch: 1,
      event: 'orderUpdate',
      data: JSON.stringify(data),
    });
  }

  /** Sends a positionUpdate of an own offer. */
  position(unmatched: unknown, matched: unknown = null): readonly Command[] {
    const data = { gameID: GAME_ID, origin: 'offer', unmatched, matched };
    return this.input({
      type: 'frame',
      feed: 'user',
      epoch: 1,
      event: 'positionUpdate',
      data: JSON.stringify(data),
    });
  }

  /** Sends boot, session, both feeds, permits and the league's book, so that the last call already quotes. */
  start(
    home: readonly OfferRow[] = HOME,
    away: readonly OfferRow[] = AWAY,
    permits = { place: 25, cancel: 30 },
    found: Omit<Extract<Arrival, { type: 'boot' }>, 'type' | 'run'> = {},
  ): readonly Command[] {
    this.input({ type: 'boot', run: 'run', ...found });
    this.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
    this.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
    const reads = this.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
    const read = reads.find((command) => command.type === 'read');
    this.permits('cancel', permits.cancel);
    this.permits('place', permits.place);
    if (read?.type !== 'read') throw new Error('the core does not read the league');
    return this.reply(read.req, {
      data: { market: null, games: [gameEntry(home, away)], pagination: { hasNextPage: false } },
    });
  }

  /** Accepts each order of a place under ids `<prefix>0`, `<prefix>1`, …, also on the user feed. */
  accept(place: Extract<Command, { type: 'place' }>, prefix: string): readonly OrderId[] {
    const ids = place.orders.map((_order, index) => `${prefix}${index}` as OrderId);
    this.reply(place.req, {
      data: {
        createdSessions: place.orders.map((order, index) => ({
          matched: [],
          unmatched: {
            orderID: ids[index],
            offered: order.risk / 100,
            remaining: order.risk / 100,
            odds: oddsOf(order.rung),
            userReference: order.ref,
          },
        })),
      },
    });
    place.orders.forEach((order, index) => {
      const size = order.risk / 100;
      this.position({
        orderID: ids[index],
        odds: oddsOf(order.rung),
        offered: size,
        filled: 0,
        remaining: size,
      });
    });
    return ids;
  }
}

/** An even book: probability 0.4878 on each side, fair price 0.5. */
export const HOME: readonly OfferRow[] = [{ id: 'h1', odds: 105, risk: 200 }];
export const AWAY: readonly OfferRow[] = [{ id: 'a1', odds: 105, risk: 200 }];

export const placesIn = (commands: readonly Command[]): Extract<Command, { type: 'place' }>[] =>
  commands.filter((command) => command.type === 'place');
export const editsIn = (commands: readonly Command[]): Extract<Command, { type: 'edit' }>[] =>
  commands.filter((command) => command.type === 'edit');
export const cancelsIn = (commands: readonly Command[]): Extract<Command, { type: 'cancel' }>[] =>
  commands.filter((command) => command.type === 'cancel');
export const readsIn = (commands: readonly Command[]): Extract<Command, { type: 'read' }>[] =>
  commands.filter((command) => command.type === 'read');
export const exitsIn = (commands: readonly Command[]): Extract<Command, { type: 'exit' }>[] =>
  commands.filter((command) => command.type === 'exit');
type Alert = Extract<Command, { type: 'alert' }>;
export const alertsIn = (commands: readonly Command[], code: string): Alert[] =>
  commands.filter((command): command is Alert => command.type === 'alert' && command.code === code);
