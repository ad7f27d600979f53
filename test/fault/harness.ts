// The bot against the exchange in process under a fault plan, held to the rules at the exchange's side: at every event of
// the venue the bot must know of at least the risk that there is, no slot holds two live orders, and no window is exceeded.
import type { Command, Input } from '../../src/domain/index.ts';
import { FLAT } from '../../src/domain/index.ts';
import type { VirtualEnd } from '../../src/backtest/virtual-run.ts';
import { VirtualRun } from '../../src/backtest/virtual-run.ts';
import type { VirtualGatewaySettings } from '../../src/backtest/virtual-gateway.ts';
import { WindowLedger } from '../../src/orders/index.ts';
import type { Account, FaultPlan } from '../../src/paper/index.ts';
import { faultPlanSchema, InProcessExchange } from '../../src/paper/index.ts';
import { createRandom } from '../../src/paper/venue/random.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import type { Overrides } from '../support/core-driver.ts';
import { coreSettings } from '../support/core-driver.ts';

export const START = Date.parse('2030-01-01T00:00:00Z');

export type FaultyRun = {
  readonly plan: unknown;
  readonly seed: number;
  /** Virtual seconds of trading, and the time until the stop must be over. */
  readonly seconds?: number;
  readonly settings?: Overrides;
  readonly lateArrivalMs?: number;
  /** kill -9 at these seconds; a new process starts a second later. */
  readonly killsAt?: readonly number[];
};

export type Verdict = {
  readonly broken: readonly string[];
  readonly ended: VirtualEnd | undefined;
  readonly fills: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
};

/** Runs the bot under the plan and returns every rule that was broken, with its time. */
export function runFaulty({
  plan,
  seed,
  seconds = 40,
  settings,
  lateArrivalMs = 8000,
  killsAt = [],
}: FaultyRun): Verdict {
  const broken = new Set<string>();
  const faults: FaultPlan = faultPlanSchema.parse(plan);
  const exchange = new InProcessExchange({
    startMs: START,
    traders: 'synthetic',
    games: 2,
    seed,
    accounts: [{ username: 'bot', password: 'secret' }],
    ping: { intervalMs: 3000, timeoutMs: 2000 },
  });
  const { venue } = exchange.world;
  const account = venue.accounts.get('bot');
  if (account === undefined) throw new Error('no account');
  const at = (): string => `${((exchange.nowMs - START) / 1000).toFixed(2)} s`;
  const say = (rule: string, detail: string): void => {
    // the first time is what matters
    if (![...broken].some((one) => one.includes(rule))) broken.add(`${at()} ${rule}: ${detail}`);
  };
  const latency = createRandom(seed, 'latency');
  const refused = new Map<string, number>();
  const bodies = new Map<number, string>();
  let run: VirtualRun;
  let runs = 0;
  const launch = (): VirtualRun => {
    runs += 1;
    // a restart knows nothing of the windows: they count as used
    const fresh = runs === 1;
    const launched = new VirtualRun({
      exchange,
      settings: coreSettings({ lateArrivalMs, ...settings }),
      run: `r${runs}`,
      gateway: gatewaySettings(() => latency.between(5, 60), lateArrivalMs, fresh),
      record: ({ in: input }, commands) => {
        watchResends(input, commands, bodies, refused, say);
      },
    });
    launched.start();
    return launched;
  };
  run = launch();
  const { sink } = venue;
  venue.sink = {
    sideChanged: (side) => sink.sideChanged(side),
    gameChanged: (game, type) => sink.gameChanged(game, type),
    position: (who, record) => {
      sink.position(who, record);
      if (who === account) checkVenue(account, run, say);
    },
  };
  exchange.world.exchange.setFaults(faults);
  for (const second of killsAt) {
    exchange.advanceTo(START + second * 1000);
    run.kill();
    exchange.advanceTo(START + second * 1000 + 1000);
    run = launch();
  }
  exchange.advanceTo(START + seconds * 1000);
  run.stop();
  exchange.advanceTo(START + seconds * 1000 + lateArrivalMs + 10_000);
  checkEnd(account, run, killsAt.length > 0, say);
  return {
    broken: [...broken],
    ended: run.ended,
    fills: account.fills,
    requests: run.gateway.counts,
    statuses: Object.fromEntries(run.gateway.statuses),
  };
}

function gatewaySettings(
  latency: () => number,
  lateArrivalMs: number,
  fresh: boolean,
): VirtualGatewaySettings {
  const window = (requests: number, windowMs: number): WindowLedger =>
    new WindowLedger(
      { requests, windowMs, marginMs: 20 },
      fresh ? [] : new Array<number>(requests).fill(windowMs + 20),
    );
  return {
    username: 'bot',
    password: 'secret',
    playerMode: 'coins',
    profile: DEFAULT_PROFILE,
    requestTimeoutMs: 2000,
    lateArrivalMs,
    expirationMinutes: undefined,
    windows: { place: window(25, 5000), cancel: window(30, 2000), read: window(10, 1000) },
    latency,
  };
}

type Say = (rule: string, detail: string) => void;

function checkVenue(account: Account, run: VirtualRun, say: Say): void {
  const slots = new Set<string>();
  for (const order of account.open.values()) {
    const slot = `${order.book.market.id} ${order.side} ${(order.reference ?? '').split('-')[0]?.replace(/\.[^.]*$/, '')}`;
    if (slots.has(slot)) say('two live orders in one slot', slot);
    slots.add(slot);
  }
  const venueLoss = account.credit.coins.worstLoss() / 1e6;
  const ownLoss = 0 - run.status().pnl.worst;
  // a process that has just started knows nothing yet, and places nothing
  if (!run.status().accountRead) return;
  if (venueLoss > ownLoss + 0.01)
    say(
      'exposure under-counted',
      `the venue could take ${venueLoss.toFixed(2)}, the bot knows of ${ownLoss.toFixed(2)}`,
    );
}

function checkEnd(account: Account, run: VirtualRun, restarted: boolean, say: Say): void {
  for (const [bucket, limit] of [
    ['place', 25],
    ['cancel', 30],
  ] as const) {
    const { most } = account.windows[bucket];
    if (most > limit) say('window exceeded', `${most} ${bucket} requests in one window of ${limit}`);
  }
  if (run.ended === undefined) say('never ended', 'the stop was not over');
  if (run.ended?.code === 0 && account.open.size > 0)
    say('orders left open', `${account.open.size} although the stop said 0`);
  comparePositions(account, run, say);
  const status = run.status();
  if (restarted) return;
  if (status.fills !== account.fills)
    say('fills differ', `the venue has ${account.fills}, the bot ${status.fills}`);
  else if (Math.abs(status.riskFilled - account.riskFilled / 1e6) > 1e-6)
    say('risk filled differs', `the venue has ${account.riskFilled / 1e6}, the bot ${status.riskFilled}`);
}

/** Position by position, to the micro-dollar but for the rounding of the wire. */
function comparePositions(account: Account, run: VirtualRun, say: Say): void {
  const own = new Map([...run.core.positions()].map(({ market, position }) => [market.id, position]));
  for (const { market, position } of account.credit.coins.positions()) {
    const known = own.get(market.id) ?? FLAT;
    if (Math.abs(known.first - position.first) > 50 || Math.abs(known.second - position.second) > 50)
      say(
        'positions differ',
        `${market.id}: the venue has ${position.first}/${position.second}, the bot ${known.first}/${known.second}`,
      );
  }
}

/** A request that was refused with 400 or 403 must not be sent again unchanged. */
function watchResends(
  input: Input,
  commands: readonly Command[],
  bodies: Map<number, string>,
  refused: Map<string, number>,
  say: Say,
): void {
  if (input.type === 'reply' && (input.status === 400 || input.status === 403)) {
    const body = bodies.get(input.req);
    if (body !== undefined) refused.set(body, input.status);
  }
  for (const command of commands) {
    if (command.type !== 'place' && command.type !== 'edit') continue;
    const orders = command.type === 'place' ? command.orders : [command.order];
    const body = JSON.stringify(orders.map(({ market, side, rung, risk }) => [market.id, side, rung, risk]));
    const status = refused.get(body);
    if (status !== undefined) say('resent unchanged', `after ${status}: ${body}`);
    bodies.set(command.req, body);
  }
}
