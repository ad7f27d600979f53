// `oddsmaker/testkit`: a strategy under test. The host, the scheduler, the signals and the rounding of prices are those of a
// run; games, books and fills are the test's. What takes a strategy off in a run is thrown here, by the call that caused it.
//
//   const test = new StrategyTest(fade, { edge: 0.02, risk: 50 });
//   const market = test.market('moneyline');
//   market.book({ home: [[105, 200]], away: [[105, 200]] });
//   assert.deepEqual(market.quotes, [{ side: 'home', odds: 109, risk: 50 }, { side: 'away', odds: 109, risk: 50 }]);
import type { z } from 'zod';
import type {
  Fill,
  Game,
  GameId,
  Ladder,
  Market,
  MarketId,
  MarketType,
  Micros,
  Offer,
  OrderId,
  ParticipantId,
  Position,
  Quote,
  QuoteIntent,
  Rung,
  Side,
  StrategyId,
  TxId,
} from '../domain/index.ts';
import {
  applyFill,
  dollarsOfCents,
  dollarsOfMicros,
  FLAT,
  market,
  microsOfCents,
  microsOfDollars,
  NO_OFFERS,
  oddsOf,
  parseDuration,
  readSignals,
  rungOfQuote,
  sideIndex,
  toRung,
  winOf,
} from '../domain/index.ts';
import type { Freshness } from '../mirror/index.ts';
import type { Strategy } from './define.ts';
import { failAtExit } from './exit-trap.ts';
import { StrategyHost } from './host.ts';
import { checkParams } from './params.ts';
import { SignalBoard } from './signal-board.ts';
import type { MarketView, OwnOffer } from './view.ts';

/** Somebody else's offer: American odds, and what of it can be taken, dollars of its owner's stake. */
export type Row = readonly [odds: number, dollars: number];

/** What should rest: American odds as they would be sent, the stake in dollars. */
export type RestingQuote = {
  readonly side: Side;
  readonly odds: number;
  readonly risk: number;
  readonly key?: string;
};

const STRATEGY = 'test' as StrategyId;
const NOON = Date.parse('2030-01-01T12:00:00Z');
/** Points of odds between two own prices, as the wire profile has it by default. */
const ODDS_STEP = 1;

const GAME: Game = {
  id: 'game' as GameId,
  parentGameId: undefined,
  league: 'NBA',
  sport: 'basketball',
  eventName: 'Away @ Home',
  start: NOON + 2 * 3_600_000,
  live: false,
  ended: false,
  open: true,
  futures: false,
  home: { id: 'home' as ParticipantId, name: 'Home', shortName: 'HOM' },
  away: { id: 'away' as ParticipantId, name: 'Away', shortName: 'AWY' },
  mainHomeSpread: undefined,
  mainTotal: undefined,
};

/** One game, and the instances of a strategy in it. It begins at noon, two hours before the game. */
export class StrategyTest<Schema extends z.ZodType> {
  /** As the strategy sees it. */
  game: Game;
  /** What the strategy said with `log`. */
  readonly logged: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  readonly #host: StrategyHost;
  readonly #board: SignalBoard;
  readonly #markets = new Map<MarketId, MarketTest>();
  readonly #faults: string[] = [];
  /** What is left of them when the process ends is told then. */
  #isWatched = false;
  #now = 0;

  /**
   * @param params as in the YAML file
   * @param game what is to be otherwise
   * @throws Error when the parameters do not fit the schema of the strategy
   */
  constructor(strategy: Strategy<Schema>, params: z.input<Schema>, game: Partial<Game> = {}) {
    this.game = { ...GAME, ...game };
    const checked = checkParams(STRATEGY, strategy, params);
    if (!('strategy' in checked))
      throw new Error(
        checked.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': ')).join('; '),
      );
    this.#board = new SignalBoard({
      now: () => this.#now,
      wall: () => this.time,
      leftOut: (names) => this.#faults.push(`signals are left out: ${names.join(', ')}`),
    });
    this.#host = new StrategyHost([checked], this.#board, {
      reportAsync: () => {
        this.#faults.push('ASYNC_EMISSION: it emitted from a timer of the process; use the scheduler');
        // perhaps no call comes that throws it: the test would pass
        if (!this.#isWatched) failAtExit(() => this.#faults);
        this.#isWatched = true;
      },
      fault: (code, _strategy, detail) => this.#faults.push(`${code}: ${detail}`),
      log: (_strategy, message, fields) => this.logged.push({ message, fields }),
    });
  }

  /** Unix ms. */
  get time(): number {
    return NOON + this.#now;
  }

  /** A market of the game; the same one each time. `line`: of home, or the total. */
  market(type: MarketType = 'moneyline', line?: number): MarketTest {
    if (line === undefined ? type !== 'moneyline' : type === 'moneyline' || !Number.isInteger(line * 4))
      throw new Error(
        type === 'moneyline'
          ? 'a moneyline has no line'
          : `market('${type}', ${line}): a ${type} has a line in quarters, such as 3.5`,
      );
    const of = market(this.game.id, type, line);
    let known = this.#markets.get(of.id);
    if (known === undefined) {
      known = new MarketTest(of, {
        look: () => ({ time: this.time, game: this.game, signals: this.#host.signals }),
        show: (view) => this.#do(() => this.#host.dispatch(of, () => view)),
        close: () => this.#do(() => this.#host.close(of)),
      });
      this.#markets.set(of.id, known);
    }
    return known;
  }

  /** Another header, such as `{ live: true }`: each market that was shown is shown again. */
  header(changes: Partial<Game>): void {
    this.game = { ...this.game, ...changes };
    for (const of of this.#markets.values()) if (of.isShown) of.show();
  }

  /** Time passes (`250ms`, `5s`, `10m`, `2h`): timers ring and signals end, each at its moment. */
  pass(duration: string): void {
    const ms = parseDuration(duration);
    if (ms === undefined) throw new Error(`"${duration}" is no duration: write 250ms, 5s, 10m or 2h`);
    const until = this.#now + ms;
    this.#do(() => {
      for (let at = this.#nextDue; at <= until; at = this.#nextDue) this.#moveTo(at);
      this.#moveTo(until);
    });
  }

  get #nextDue(): number {
    return Math.min(this.#host.nextDue ?? Number.POSITIVE_INFINITY, this.#board.nextDue);
  }

  #moveTo(at: number): void {
    this.#now = at;
    this.#board.expire();
    this.#serve();
    this.#host.runTimers(at);
    this.#serve();
  }

  /** Shows the markets whose signals changed, and takes what was said. */
  #serve(): void {
    const reading = new Set(this.#host.marketsReading(this.#board.takeChanged()));
    for (const id of reading) this.#markets.get(id)?.show();
    for (const { intent } of this.#host.takeIntents()) this.#markets.get(intent.market)?.take(intent);
  }

  /** Several at once; `null` withdraws one. They hold for `ttl`. */
  signal(values: Readonly<Record<string, number | null>>, ttl = '60s'): void {
    const update = readSignals(values, ttl);
    if (typeof update === 'string') throw new Error(update);
    this.#do(() => this.#board.apply(update));
  }

  /** What was found wrong is thrown, also what an earlier timer of the process did. */
  #do(step: () => void): void {
    step();
    this.#serve();
    const faults = this.#faults.splice(0);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
}

type Ports = {
  readonly look: () => Pick<MarketView, 'time' | 'game' | 'signals'>;
  readonly show: (view: MarketView) => void;
  readonly close: () => void;
};

/** One market: what the others offer, what the strategy wants there, and what it was filled. */
export class MarketTest {
  readonly market: Market;
  /** Every intent so far, in the order of emission. */
  readonly intents: QuoteIntent[] = [];
  readonly fills: Fill[] = [];
  position: Position = FLAT;
  isShown = false;
  readonly #ports: Ports;
  readonly #others: [Ladder, Ladder] = [NO_OFFERS, NO_OFFERS];
  readonly #freshness: [Freshness, Freshness] = ['fresh', 'fresh'];
  /** The newest quotes, as if each were accepted at once. */
  #own: readonly OwnOffer[] = [];

  constructor(of: Market, ports: Ports) {
    this.market = of;
    this.#ports = ports;
  }

  /** The others' offers, in any order; a side that is not told stays as it was. Shows the market. */
  book(ladders: Partial<Record<Side, readonly Row[]>>): this {
    for (const [side, rows] of Object.entries(ladders) as [Side, readonly Row[]][])
      this.#others[this.#indexOf(side)] = ladderOf(side, rows);
    return this.show();
  }

  /** A side that is not `fresh`. Shows the market. */
  freshness(side: Side, freshness: Freshness): this {
    this.#freshness[this.#indexOf(side)] = freshness;
    return this.show();
  }

  /** What is held, as dollars that either outcome pays: home or over, then away or under. Shows the market. */
  hold(first: number, second: number): this {
    dollarsIn('hold', first, second);
    const staked = microsOfDollars(Math.max(0, -first, -second));
    this.position = { first: microsOfDollars(first), second: microsOfDollars(second), staked };
    return this.show();
  }

  /** One more view of it as it stands. */
  show(): this {
    this.isShown = true;
    const sides = this.market.sides.map((side, index) => ({
      side,
      offers: this.#others[index as 0 | 1],
      freshness: this.#freshness[index as 0 | 1],
      own: this.#own.filter((offer) => offer.side === side),
    })) as unknown as MarketView['sides'];
    const { market: of, position } = this;
    this.#ports.show({ ...this.#ports.look(), market: of, sides, position, fills: [...this.fills] });
    return this;
  }

  /** Somebody takes so many dollars (of own stake) of the quotes on a side, the best for him first. Shows the market. */
  fill(side: Side, dollars: number): this {
    this.#indexOf(side);
    dollarsIn('fill', dollars);
    if (dollars <= 0) throw new Error(`fill('${side}', ${dollars}): somebody takes more than nothing`);
    let left = microsOfDollars(dollars);
    const own = this.#own.map((offer) => {
      const risk = offer.side === side ? (Math.min(left, offer.remaining) as Micros) : (0 as Micros);
      if (risk === 0) return offer;
      left = (left - risk) as Micros;
      this.#book(offer, risk);
      return { ...offer, remaining: (offer.remaining - risk) as Micros };
    });
    if (left > 0)
      throw new Error(
        `on ${side} rests less than $${dollars}: $${dollarsOfMicros((microsOfDollars(dollars) - left) as Micros)}`,
      );
    this.#own = own.filter(({ remaining }) => remaining > 0);
    return this.show();
  }

  #book({ side, rung }: OwnOffer, risk: Micros): void {
    const win = winOf(risk, oddsOf(rung));
    this.position = applyFill(this.position, side, risk, win);
    this.fills.push({
      txId: `fill-${this.fills.length + 1}` as TxId,
      orderId: undefined,
      ref: undefined,
      strategy: STRATEGY,
      market: this.market,
      side,
      rung,
      risk,
      win,
    });
  }

  /** The market is no longer quoted: `views$` completes once the last one of the instance has closed. */
  close(): void {
    this.isShown = false;
    this.#ports.close();
  }

  /** What the strategy wants resting now, each price rounded and kept behind the others' best as in a run. */
  get quotes(): readonly RestingQuote[] {
    return this.#priced().map(({ quote: { side, risk, key }, rung }) => ({
      side,
      odds: oddsOf(rung),
      risk: dollarsOfCents(risk),
      ...(key === undefined ? {} : { key }),
    }));
  }

  /** The reason that came with the newest intent. */
  get reason(): string | undefined {
    return this.intents.at(-1)?.reason;
  }

  /** @internal A new intent: what it leaves as it is keeps what was taken of it. */
  take(intent: QuoteIntent): void {
    this.intents.push(intent);
    const before = this.#own;
    const own = this.#priced().map(({ quote: { side, risk, key }, rung }, index): OwnOffer => {
      const named = key ?? String(index + 1);
      const same = before.find(
        (one) => one.side === side && one.key === named && one.rung === rung && one.risk === risk,
      );
      return same ?? { side, rung, risk, remaining: microsOfCents(risk), key: named, status: 'open' };
    });
    this.#own = own.sort((a, b) => a.rung - b.rung);
  }

  #priced(): readonly { readonly quote: Quote; readonly rung: Rung }[] {
    return (this.intents.at(-1)?.quotes ?? []).flatMap((quote) => {
      const across = this.#others[1 - this.#indexOf(quote.side)]?.[0]?.rung;
      const rung = rungOfQuote(quote, across, ODDS_STEP);
      return rung === undefined ? [] : [{ quote, rung }];
    });
  }

  #indexOf(side: Side): 0 | 1 {
    if (!this.market.sides.includes(side))
      throw new Error(`${this.market.id} has ${this.market.sides.join(' and ')}, not ${side}`);
    return sideIndex(side);
  }
}

function dollarsIn(where: string, ...amounts: readonly number[]): void {
  for (const amount of amounts)
    if (!Number.isFinite(amount)) throw new Error(`${where}: ${amount} is no amount of dollars`);
}

function ladderOf(side: Side, rows: readonly Row[]): Ladder {
  const offers = rows.map(([odds, dollars], index): Offer => {
    const rung = toRung(odds);
    if (rung === undefined) throw new Error(`${odds} are no American odds: ±100 and beyond, one decimal`);
    dollarsIn(`book: ${odds}`, dollars);
    if (dollars <= 0) throw new Error(`book: an offer at ${odds} has more than $${dollars}`);
    return Object.freeze({
      id: `${side}-${odds}-${index}` as OrderId,
      rung,
      risk: microsOfDollars(dollars),
      untaken: microsOfDollars(dollars),
      createdAt: new Date(NOON - 3_600_000 + index).toISOString(),
      own: false,
    });
  });
  return Object.freeze(offers.sort((a, b) => a.rung - b.rung));
}
