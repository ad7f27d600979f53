// Runs the bot against the exchange in process, on the virtual clock, under a fault plan, judged at the
// exchange (judge.ts).
import type { VirtualEnd } from '../../src/backtest/virtual-run.ts';
import { VirtualRun } from '../../src/backtest/virtual-run.ts';
import type { InProcessSettings } from '../../src/backtest/in-process-door.ts';
import { WindowLedger } from '../../src/exchange/index.ts';
import type { FaultPlan } from '../../src/paper/index.ts';
import type { WindowLimits } from '../../src/venue/index.ts';
import { faultPlanSchema, InProcessExchange } from '../../src/paper/index.ts';
import type { JournalWriter } from '../../src/journal/index.ts';
import { SentRequests } from '../../src/journal/last-requests.ts';
import { createRandom } from '../../src/domain/random.ts';
import type { WireProfile } from '../../src/wire/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import type { Overrides } from '../support/core-driver.ts';
import { coreSettings } from '../support/core-driver.ts';
import { Judge } from './judge.ts';

export const START = Date.parse('2030-01-01T00:00:00Z');

export type FaultyRun = {
  readonly plan: unknown;
  readonly seed: number;
  /** Virtual seconds of trading before the bot is stopped. */
  readonly seconds?: number;
  readonly settings?: Overrides;
  readonly lateArrivalMs?: number;
  readonly profile?: Partial<WireProfile>;
  /** Cancel permits of the bot in two seconds. */
  readonly cancels?: number;
  /** Request windows of the exchange, when they differ from those that the bot assumes. */
  readonly limits?: WindowLimits;
  /** kill -9 at these seconds; a new process starts a second later. */
  readonly killsAt?: readonly number[];
  /** Receives every step of every run of the bot, in order, as its journal does. */
  readonly record?: JournalWriter['record'];
};

export type Verdict = {
  readonly broken: readonly string[];
  readonly ended: VirtualEnd | undefined;
  readonly fills: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests that cancelled a whole game or league. */
  readonly bulks: number;
  /** How often each rule of the plan struck. */
  readonly hits: readonly number[];
};

/** Runs the bot under the plan and returns every rule that was broken, with its time. */
export function runFaulty({
  plan,
  seed,
  seconds = 40,
  settings,
  lateArrivalMs = 8000,
  killsAt = [],
  profile: changes = {},
  limits,
  cancels = 30,
  record,
}: FaultyRun): Verdict {
  const profile = { ...DEFAULT_PROFILE, ...changes };
  const faults: FaultPlan = faultPlanSchema.parse(plan);
  const exchange = new InProcessExchange({
    startMs: START,
    traders: 'synthetic',
    profile,
    ...(limits === undefined ? {} : { limits }),
    games: 2,
    seed,
    accounts: [{ username: 'bot', password: 'secret' }],
    ping: { intervalMs: 3000, timeoutMs: 2000 },
  });
  const { venue } = exchange.world;
  const account = venue.accounts.get('bot');
  if (account === undefined) throw new Error('no account');
  const judge = new Judge(account, () => (exchange.nowMs - START) / 1000);
  const latency = createRandom(seed, 'latency');
  let run: VirtualRun;
  let runs = 0;
  const sentByRun: SentRequests[] = [];
  let bulks = 0;
  const launch = (): VirtualRun => {
    runs += 1;
    // a restart knows nothing of the windows: they count as used
    const fresh = runs === 1;
    // requests without an answer, as the journals of the earlier runs record them
    const unanswered = sentByRun
      .flatMap((requests) => [...requests.unanswered()])
      .filter(({ sentT }) => sentT + lateArrivalMs >= exchange.nowMs);
    const sent = new SentRequests();
    sentByRun.push(sent);
    judge.restart();
    const all = coreSettings({ lateArrivalMs, profile, ...settings });
    const launched = new VirtualRun({
      unanswered,
      exchange,
      settings: all,
      // the run stands for a live bot, whose strategies may read the clock
      impure: new Set(all.strategies.map(({ id }) => id)),
      run: `r${runs}`,
      door: doorSettings(() => latency.between(5, 60), lateArrivalMs, fresh, profile, cancels),
      record: ({ arrival: stamped, commands, events }) => {
        const { in: input, t } = stamped;
        record?.(stamped, commands, events);
        judge.checkStep(input, commands);
        sent.applyInput(input, t);
        sent.applyCommands(commands, t);
        for (const command of commands) if (command.type === 'cancel-all' && command.scope !== undefined) bulks += 1;
      },
    });
    launched.start();
    return launched;
  };
  run = launch();
  judge.watch(venue, () => run.status());
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
  judge.checkEnd({
    code: run.ended?.code,
    status: run.status(),
    positions: run.core.positions(),
    restarted: killsAt.length > 0,
  });
  return {
    broken: judge.broken,
    ended: run.ended,
    fills: account.fills,
    requests: run.door.requests,
    statuses: Object.fromEntries(run.door.statuses),
    bulks,
    hits: exchange.world.exchange.faults?.hits() ?? [],
  };
}

function doorSettings(
  latency: () => number,
  lateArrivalMs: number,
  fresh: boolean,
  profile: WireProfile,
  cancels: number,
): InProcessSettings {
  const window = (requests: number, windowMs: number): WindowLedger =>
    new WindowLedger(
      { requests, windowMs, marginMs: 20 },
      fresh ? [] : new Array<number>(requests).fill(windowMs + 20),
    );
  return {
    username: 'bot',
    password: 'secret',
    playerMode: 'coins',
    profile,
    startTimeoutMs: 60_000,
    requestTimeoutMs: 2000,
    lateArrivalMs,
    expirationMinutes: undefined,
    windows: { place: window(25, 5000), cancel: window(cancels, 2000), read: window(10, 1000) },
    latency,
  };
}
