// Plays orders that are placed and cancelled at fixed times against a tape: what each order fills, and when.
// The tape goes through what every backtest uses (decodeTape, MarketSource, PriceFeed); only the bot is
// missing.
import { SCENARIOS } from '../../src/report/index.ts';
import type { Scenario } from '../../src/report/index.ts';
import { PriceFeed } from '../../src/backtest/price-feed.ts';
import { MarketSource } from '../../src/backtest/market-source.ts';
import { vanishedIn } from '../../src/backtest/scenarios.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import type { GameId, MarketType, Micros, Side } from '../../src/domain/index.ts';
import { microsOfDollars, toRung } from '../../src/domain/index.ts';
import type { MarketEvent } from '../../src/tape/index.ts';
import type { VenueOrder } from '../../src/venue/index.ts';
import { InProcessExchange } from '../../src/paper/index.ts';
import type { MadeTape, SideName } from './made-tape.ts';
import { timeAt, GAME, NOON } from './made-tape.ts';

export type Scheduled = {
  /** The seconds after noon at which the order, and its cancel, reach the exchange. */
  readonly at: number;
  readonly until?: number;
  readonly side: SideName;
  readonly odds: number;
  /** Dollars. */
  readonly risk: number;
  readonly gameStartExpiry?: boolean;
};

/** Each fill as `[second, dollars of the own risk]`, and how the order ended. */
export type Story = {
  readonly fills: readonly (readonly [second: number, dollars: number])[];
  readonly end: 'open' | 'filled' | 'cancelled' | 'expired' | 'refused';
};
export type Schedule = Readonly<Record<string, Scheduled>>;
export type Stories<Orders extends Schedule> = { readonly [name in keyof Orders]: Story };

const USER = 'scheduled';

/** Plays the orders in one scenario. Returns what became of each. */
export async function play<Orders extends Schedule>(
  tapes: MadeTape | readonly MadeTape[],
  orders: Orders,
  scenario: Scenario = 'pessimistic',
): Promise<Stories<Orders>> {
  const streams = [tapes].flat().map((tape) => decodeTape(tape.write(), { skipped: undefined }));
  return playEvents(streams, orders, scenario);
}

/** The dollars filled of each order: pessimistic, calibrated, optimistic. */
export async function inEachScenario<Orders extends Schedule>(
  tapes: MadeTape | readonly MadeTape[],
  orders: Orders,
): Promise<{ readonly [name in keyof Orders]: readonly number[] }> {
  const filled = Object.fromEntries(Object.keys(orders).map((name): [string, number[]] => [name, []]));
  for (const scenario of SCENARIOS)
    for (const [name, story] of Object.entries(await play(tapes, orders, scenario)))
      filled[name]?.push(filledOf(story));
  return filled as unknown as { readonly [name in keyof Orders]: readonly number[] };
}

export const filledOf = ({ fills }: Story): number =>
  Number(fills.reduce((sum, [, dollars]) => sum + dollars, 0).toFixed(6));

/** @param looksAhead false: nothing is known in advance of ids that return, as if they had gone long ago */
export async function playEvents<Orders extends Schedule>(
  streams: readonly AsyncIterator<readonly MarketEvent[]>[],
  orders: Orders,
  scenario: Scenario,
  looksAhead = true,
): Promise<Stories<Orders>> {
  const exchange = new InProcessExchange({
    startMs: NOON,
    leaps: true,
    traders: 'tape',
    accounts: [{ username: USER, password: USER, coins: 1_000_000, mode: 'coins' }],
  });
  const feed = new PriceFeed(exchange, vanishedIn(scenario, { share: 0.5 }, 1), () => 0);
  const placed = new Map<string, VenueOrder>();
  for (const [name, order] of Object.entries(orders)) {
    exchange.at(timeAt(order.at), () => place(exchange, order, (done) => placed.set(name, done)));
    if (order.until === undefined) continue;
    exchange.at(timeAt(order.until), () => cancel(exchange, placed.get(name)));
  }
  const source = new MarketSource(streams.map((batches, index) => ({ name: `${index}`, batches })));
  let last = NOON;
  for (;;) {
    const event = source.next();
    if (event === undefined) {
      if (await source.fill()) continue;
      break;
    }
    if (!looksAhead && event.what === 'side') delete event.returning;
    exchange.advanceTo(event.ts);
    feed.applyEvent(event, false);
    last = event.ts;
  }
  // what is planned for later still takes place
  exchange.advanceTo(Math.max(last, ...Object.values(orders).map((order) => timeAt(order.until ?? order.at))));
  return Object.fromEntries(
    Object.keys(orders).map((name) => [name, storyOf(placed.get(name))]),
  ) as unknown as Stories<Orders>;
}

function place(
  { world, nowMs }: InProcessExchange,
  { side: name, odds, risk, gameStartExpiry = false }: Scheduled,
  done: (order: VenueOrder) => void,
): void {
  const { venue } = world;
  const game = venue.games.get(GAME as GameId);
  const account = venue.accounts.get(USER);
  const rung = toRung(odds);
  if (game === undefined || account === undefined || rung === undefined) throw new Error('not on the tape');
  const { type, side, line } = placeOf(name);
  const result = venue.place(
    account,
    {
      book: venue.book(game, type, line),
      side,
      rung,
      risk: microsOfDollars(risk),
      orderType: 'post',
      gameStartExpiry,
    },
    nowMs,
  );
  if (result.ok) done(result.order);
}

function cancel({ world, nowMs }: InProcessExchange, order: VenueOrder | undefined): void {
  if (order?.status === 'open') world.venue.cancel(order.account, order.id, nowMs);
}

/** The market and side of a name. `away 3.5` is the other side of the market of `home -3.5`. */
function placeOf(name: SideName): { type: MarketType; side: Side; line: number | undefined } {
  const [side, lineText] = name.split(' ') as [Side, string | undefined];
  if (lineText === undefined) return { type: 'moneyline', side, line: undefined };
  const line = side === 'away' ? -Number(lineText) : Number(lineText);
  return { type: side === 'over' || side === 'under' ? 'total' : 'spread', side, line };
}

function storyOf(order: VenueOrder | undefined): Story {
  if (order === undefined) return { fills: [], end: 'refused' };
  return {
    fills: order.plays.map(({ atMs, risk }) => [(atMs - NOON) / 1000, dollars(risk)] as const),
    end: order.status === 'cancelled' && order.cause === 'expired' ? 'expired' : order.status,
  };
}

const dollars = (amount: Micros): number => amount / 1_000_000;
