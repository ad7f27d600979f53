// The cost of a price frame with ten thousand other markets, or after ten thousand orders that ended; and the
// memory per market.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Arrival, Command } from '../src/domain/index.ts';
import { Core } from '../src/engine/index.ts';
import { CoreDriver, coreSettings, editsIn, placesIn } from '../test/support/core-driver.ts';
import { Decoder, DEFAULT_PROFILE } from '../src/wire/index.ts';
import type { Row } from './run.ts';
import { median } from './statistics.ts';

const MANY = 10_000;
const DEPTH = 20;
const FRAMES = 6000;
const ROUNDS = 5;
const PERMITS = 25;
const START = Date.parse('2030-03-01T10:00:00Z');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export function scale(): Promise<readonly Row[]> {
  const { few, many, denied, heap } = markets();
  const orders = pastOrders();
  return Promise.resolve([
    {
      what: `cost of a frame with ${MANY.toLocaleString('en')} markets ÷ with one`,
      ratios: [median(many) / median(few)],
      goal: '<= 1.3',
      detail: `p50 ${us(median(many))} against ${us(median(few))}, each frame for another market`,
    },
    {
      what: `the same when a limit denies all that is wanted ÷ when nothing can be sent`,
      ratios: [median(denied) / median(many)],
      goal: '<= 1.5',
      detail: `p50 ${us(median(denied))} against ${us(median(many))}, ${PERMITS} place permits in hand against none`,
    },
    {
      what: `cost of a frame with ${MANY.toLocaleString('en')} past orders ÷ with ten`,
      ratios: [median(orders.many) / median(orders.few)],
      goal: '<= 1.1',
      detail: `p50 ${us(median(orders.many))} against ${us(median(orders.few))}`,
    },
    {
      what: `heap per tracked market, KB, ${MANY.toLocaleString('en')} markets, ${DEPTH} orders a side`,
      ratios: [heap / MANY / 1024],
      goal: '<= 10',
      detail: `${(heap / 1024 / 1024).toFixed(0)} MB more after all books arrived`,
    },
  ]);
}

const us = (ms: number): string => `${(ms * 1000).toFixed(1)} µs`;

type Times = { few: number[]; many: number[]; denied: number[] };

function markets(): Times & { heap: number } {
  collect();
  const before = process.memoryUsage().heapUsed;
  const big = marketWithBooks(MANY);
  collect();
  const heap = process.memoryUsage().heapUsed - before;
  const small = marketWithBooks(1);
  const limited = marketWithBooks(MANY);
  limited.grant(PERMITS);
  const medians: Times = { few: [], many: [], denied: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    // one after the other: in turn each would find the CPU caches full of the others' data
    for (const [name, market] of Object.entries({ few: small, many: big, denied: limited })) {
      const times: number[] = [];
      for (let frame = 0; frame < FRAMES; frame++) {
        const marketIndex = name === 'few' ? 0 : (frame * 7919 + round * 31) % MANY;
        times.push(market.step(marketIndex, SIDES[frame % 2] ?? 'home', round * FRAMES + frame));
      }
      // the first round warms up
      if (round > 0) medians[name as keyof Times].push(median(times));
    }
  }
  return { ...medians, heap };
}

function marketWithBooks(count: number): Market {
  const markets = new Market(count);
  for (let market = 0; market < count; market++) for (const side of SIDES) markets.step(market, side, 0);
  markets.check();
  return markets;
}

const SIDES = ['home', 'away'] as const;

/**
 * A core that wants to trade `count` moneylines and may open no order. Each frame is one side of a market.
 */
class Market {
  readonly #core: Core;
  readonly #decoder = new Decoder(DEFAULT_PROFILE);
  readonly #count: number;
  #seq = 0;
  #now = 0;

  constructor(count: number) {
    this.#count = count;
    const common = coreSettings().orders;
    const risk = { ...common.risk, staleAfterMs: 1e9, maxOpenOrders: 0 };
    this.#core = new Core(coreSettings({ orders: { ...common, risk } }), { reportAsync: () => undefined });
    this.#input({ type: 'boot', run: 'bench' });
    this.#input({ type: 'session', username: 'u', userId: 'u', mode: 'coins', balance: 10_000 });
    this.#input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
    this.#answer(this.#input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 }));
  }

  /** Answers reads: the league has `count` games, the account has no orders or bets. */
  #answer(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.type !== 'read') continue;
      const { req, read } = command;
      const data = read.what === 'league' ? this.#league() : { unmatched: [], matchedBets: [] };
      this.#answer(this.#input({ type: 'reply', req, status: 200, body: { data } }));
    }
  }

  #league(): unknown {
    const games = Array.from({ length: this.#count }, (_none, market) => gameOf(market));
    return { market: null, games, pagination: { hasNextPage: false } };
  }

  grant(permits: number): void {
    for (let permit = 1; permit <= permits; permit++) this.#input({ type: 'permit', bucket: 'place', permit });
  }

  /** Checks that quotes are wanted on both sides of every market. */
  check(): void {
    const { closed, wanted } = this.#core.status();
    if (closed !== undefined || wanted !== this.#count * SIDES.length)
      throw new Error(`${wanted} quotes are wanted: ${closed ?? 'no reason'}`);
  }

  /** The time that the core takes for one frame, ms. */
  step(market: number, side: (typeof SIDES)[number], n: number): number {
    const data = payload(market % this.#count, side, n);
    this.#now += 1;
    const from = performance.now();
    const commands = this.#input({ type: 'frame', feed: 'prices', epoch: 1, event: 'orderUpdate', data });
    const ms = performance.now() - from;
    this.#answer(commands);
    return ms;
  }

  #input(arrival: Arrival): readonly Command[] {
    const input = this.#decoder.inputOf(arrival);
    const stamp = { seq: (this.#seq += 1), t: START + this.#now, mono: this.#now };
    const { commands } = this.#core.step({ ...stamp, in: input });
    this.#decoder.applyCommands(commands, this.#now);
    return commands;
  }
}

const gameOf = (market: number): unknown => ({
  id: `game-${market}`,
  league: 'NBA',
  sport: 'basketball',
  live: false,
  ended: false,
  start: new Date(START + 7_200_000).toISOString(),
  participants: ['away', 'home'].map((homeAway) => ({
    id: `team-${market}-${homeAway}`,
    longName: `${homeAway} ${market}`,
    homeAway,
  })),
});

/** One offer of the ladder changes from frame to frame. */
function payload(market: number, side: string, n: number): string {
  const team = `team-${market}-${side}`;
  return JSON.stringify({
    gameID: `game-${market}`,
    sport: 'basketball',
    league: 'NBA',
    live: false,
    type: 'moneyline',
    participantID: team,
    sideOrders: Array.from({ length: DEPTH }, (_none, level) => ({
      id: `${team}-${level}`.padStart(24, '0'),
      type: 'moneyline',
      risk: 200,
      sumUntaken: level === 0 ? 100 + (n % 100) : 200,
      odds: 105 + level * 2,
      takenRatio: 0,
      gameID: `game-${market}`,
      participantID: team,
      total: null,
      spread: null,
      OU: null,
      expiry: null,
      createdAt: '2030-01-01T00:00:00.000Z',
      gameStartExpiry: false,
    })),
  });
}

/** The same market after ten edits of its quote, and after ten thousand. */
function pastOrders(): { few: number[]; many: number[] } {
  const few: number[] = [];
  const many: number[] = [];
  const [fewEdits, manyEdits] = [edited(10), edited(MANY)];
  for (let round = 0; round <= ROUNDS; round++) {
    const times = { few: [] as number[], many: [] as number[] };
    for (let frame = 0; frame < FRAMES; frame++) {
      times.few.push(timed(fewEdits, frame));
      times.many.push(timed(manyEdits, frame));
    }
    if (round === 0) continue;
    few.push(median(times.few));
    many.push(median(times.many));
  }
  return { few, many };
}

const rows = (n: number, best = 107): { id: string; odds: number; risk: number; left: number }[] =>
  Array.from({ length: DEPTH }, (_none, level) => ({
    id: `offer-${level}`,
    odds: best + level * 2,
    risk: 200,
    left: level === DEPTH - 1 ? 100 + (n % 100) : 200,
  }));

function edited(times: number): CoreDriver {
  const driver = new CoreDriver(coreSettings({ orders: { ...coreSettings().orders, tolerance: 0 } }));
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('nothing is placed');
  driver.accept(place, 'o');
  for (let n = 0; n < times;) {
    const commands = driver.frame('p-home', rows(n, n % 2 === 0 ? 107 : 103));
    const edits = editsIn(commands);
    for (const edit of edits)
      driver.reply(edit.req, {
        data: { cancelled: { success: true }, matched: [], unmatched: { orderID: `w${n}-${edit.req}` } },
      });
    driver.permits('place', edits.length);
    n += Math.max(1, edits.length);
  }
  return driver;
}

function timed(driver: CoreDriver, n: number): number {
  const from = performance.now();
  driver.frame('p-home', rows(n));
  return performance.now() - from;
}
