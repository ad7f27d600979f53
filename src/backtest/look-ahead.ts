// `backtest --look-ahead-check`: do a strategy's intents depend on later events? The tapes are cut at random
// moments, and the intents before a cut must be byte-identical to those on the whole tapes. The whole is
// played first, so that a strategy that remembers earlier runs shows it in the later ones.
import type { Scenario } from '../report/index.ts';
import { tap } from 'rxjs';
import { runScenario } from './run-scenario.ts';
import type { BacktestOptions } from './scenario-types.ts';
import { MarketSource } from './market-source.ts';
import type { Tape, MarketEvent } from '../tape/index.ts';
import { openTape } from '../tape/index.ts';
import type { TransferredConfig, LoadedConfig } from '../config/index.ts';
import { createRandom, isoTime } from '../domain/index.ts';
import { ownModule } from '../files/index.ts';
import type { CoreSettings } from '../engine/index.ts';
import { beginGeneration } from '../strategy/host/index.ts';
import { LiveLine } from '../terminal/index.ts';
import type { TapeFlags } from './tapes.ts';
import { backtestSettings, expirationMinutesOf, loadCoreSettings, ruleOf } from '../setup/index.ts';
import { ThreadPool } from './thread-pool.ts';

export const CUTS = 20;
/**
 * How far a fill scenario looks ahead after an offer vanishes: this number of events, and this long for a
 * close of the market.
 */
const EVENTS_AHEAD = 1000;
const CLOSE_AHEAD_MS = 5000;

export type LookAheadJob = Pick<
  BacktestOptions,
  'latency' | 'signalLatency' | 'strategyTime' | 'seed' | 'calibrated' | 'fromMs' | 'toMs' | 'results'
> & { readonly tapes: readonly Tape[]; readonly reading: TapeFlags; readonly fills: Scenario };

export type LookAhead = {
  readonly cuts: number;
  /** Number of intents compared, over all cuts. */
  readonly compared: number;
  /**
   * The longest stretch before a cut in which fills may depend on later events, ms. Intents in it are not
   * compared.
   */
  readonly horizonMs: number;
  readonly difference:
    | {
        /** Where the tape was cut, and the time of the first intent that differs, ISO. */
        readonly cut: string;
        readonly at: string;
        readonly strategy: string;
        readonly whole: string;
        readonly cutShort: string;
      }
    | undefined;
};

type Wanted = { readonly t: number; readonly strategy: string; readonly text: string };

export type LookAheadTask = {
  readonly job: LookAheadJob;
  readonly loaded: TransferredConfig;
};

type LookAheadThread = ThreadPool<LookAheadTask, LookAhead, number>;

/** The thread of checks. It starts with the first one, and is warm for the next. */
export const lookAheadThread = (): LookAheadThread => new ThreadPool(ownModule('backtest/look-ahead-thread'), 1);

/**
 * Runs the check in a thread of its own, so that strategies have no state of the backtest's runs.
 * @throws OddsmakerError as a backtest does
 */
export async function lookAheadIn(thread: LookAheadThread, task: LookAheadTask): Promise<LookAhead> {
  const line = new LiveLine(process.stderr);
  try {
    return await thread.run(task, { onMessage: (cut) => line.draw(() => `look-ahead: cut ${cut} of ${CUTS}`) });
  } finally {
    line.clearLine();
  }
}

/**
 * Plays the whole tapes, then each cut, and compares intents. `shown`: called with the number of each cut,
 * from 1.
 */
export async function lookAheadCheck(
  job: LookAheadJob,
  loaded: LoadedConfig,
  shown: (cut: number) => void,
): Promise<LookAhead> {
  const whole = await playUntil(job, loaded, undefined);
  const [first, last] = [whole.wanted[0]?.t ?? 0, whole.wanted.at(-1)?.t ?? 0];
  const random = createRandom(job.seed, 'look-ahead');
  const cuts = Array.from({ length: last > first ? CUTS : 0 }, () => Math.round(random.between(first, last)));
  let compared = 0;
  let horizonMs = 0;
  for (const [index, cut] of cuts.entries()) {
    shown(index + 1);
    const short = await playUntil(job, loaded, cut);
    const untilMs = short.knownMs;
    if (job.fills !== 'pessimistic') horizonMs = Math.max(horizonMs, cut - untilMs);
    const difference = firstDifference(whole.wanted, short.wanted, untilMs);
    compared += short.wanted.filter(({ t }) => t < untilMs).length;
    if (difference === undefined) continue;
    return { cuts: index + 1, compared, horizonMs, difference: { cut: isoTime(cut), ...difference } };
  }
  return { cuts: cuts.length, compared, horizonMs, difference: undefined };
}

/** Plays the tapes up to a cut. `knownMs`: nothing before this time depends on events after the cut. */
async function playUntil(
  { tapes, reading, fills, ...job }: LookAheadJob,
  loaded: LoadedConfig,
  cutMs: number | undefined,
): Promise<{ readonly wanted: readonly Wanted[]; readonly knownMs: number }> {
  const { settings } = await loadCoreSettings(loaded, beginGeneration());
  const wanted: Wanted[] = [];
  let step: Omit<Wanted, 't'>[] = [];
  const times: number[] = [];
  const streams = tapes.map((tape) => ({
    name: tape.file,
    batches: upTo(openTape(tape, reading).events, cutMs, times),
  }));
  const market = new MarketSource(streams, reading.depth);
  await runScenario(market, {
    ...job,
    fills,
    settings: backtestSettings(withListener(settings, (entry) => step.push(entry))),
    windows: {
      place: ruleOf(loaded, 'place'),
      cancel: ruleOf(loaded, 'cancel'),
      read: ruleOf(loaded, 'reads'),
    },
    requestTimeoutMs: loaded.config.exchange.requestTimeout,
    expirationMinutes: expirationMinutesOf(loaded),
    journal: {
      record: ({ t }) => {
        for (const entry of step) wanted.push({ t, ...entry });
        step = [];
      },
      ready: () => Promise.resolve(),
    },
  });
  await market.close();
  times.sort((a, b) => a - b);
  // the bot stops at the end of its tape
  const endMs = times.at(-1) ?? 0;
  if (fills === 'pessimistic') return { wanted, knownMs: endMs };
  return {
    wanted,
    knownMs: Math.min(times[Math.max(0, times.length - EVENTS_AHEAD)] ?? 0, endMs - CLOSE_AHEAD_MS),
  };
}

/** The events of a tape up to and including this time; all events when it is undefined. */
async function* upTo(
  batches: AsyncGenerator<readonly MarketEvent[], void, void>,
  cutMs: number | undefined,
  times: number[],
): AsyncGenerator<readonly MarketEvent[], void, void> {
  for await (const events of batches) {
    if (cutMs === undefined) {
      yield events;
      continue;
    }
    const before = events.filter(({ ts }) => ts <= cutMs);
    for (const { ts } of before) times.push(ts);
    if (before.length > 0) yield before;
    if (before.length < events.length) return;
  }
}

/** The same settings, with each intent of a strategy also passed to `listener`. */
function withListener(settings: CoreSettings, listener: (wanted: Omit<Wanted, 't'>) => void): CoreSettings {
  return {
    ...settings,
    strategies: settings.strategies.map(({ id, strategy, params }) => ({
      id,
      params,
      strategy: {
        ...strategy,
        create: (context) => {
          const operator = strategy.create(context);
          return (views$) =>
            operator(views$).pipe(tap((intent) => listener({ strategy: id, text: JSON.stringify(intent) })));
        },
      },
    })),
  };
}

function firstDifference(
  whole: readonly Wanted[],
  short: readonly Wanted[],
  untilMs: number,
): Omit<NonNullable<LookAhead['difference']>, 'cut'> | undefined {
  for (let index = 0; ; index++) {
    const [a, b] = [whole[index], short[index]].map((row) => (row !== undefined && row.t < untilMs ? row : undefined));
    if (a === undefined && b === undefined) return undefined;
    if (a?.t === b?.t && a?.strategy === b?.strategy && a?.text === b?.text) continue;
    return {
      at: isoTime(Math.round(Math.min(a?.t ?? Number.POSITIVE_INFINITY, b?.t ?? Number.POSITIVE_INFINITY))),
      strategy: (a ?? b)?.strategy ?? '',
      whole: a?.text ?? 'nothing',
      cutShort: b?.text ?? 'nothing',
    };
  }
}

/** Whether there were intents but none could be compared with a cut tape. */
export const isVoid = ({ cuts, compared, difference }: LookAhead): boolean =>
  cuts > 0 && compared === 0 && difference === undefined;

export function lookAheadText({ cuts, compared, horizonMs, difference }: LookAhead, fills: Scenario): string {
  const seconds = (horizonMs / 1000).toFixed(1);
  const horizon =
    horizonMs === 0
      ? ''
      : `; whether an offer that vanished was taken, ${fills} decides by what follows it, so intents of the last ${seconds} s before a cut are not compared`;
  if (isVoid({ cuts, compared, horizonMs, difference }))
    return `look-ahead: nothing could be compared: ${fills} decides by what follows it whether an offer that vanished was taken, and the cuts leave less than the ${seconds} s that this takes`;
  if (difference === undefined)
    return `look-ahead: none. ${compared.toLocaleString('en')} intents before ${cuts} cuts are the same bytes${horizon}`;
  const { cut, at: differsAt, strategy, whole, cutShort } = difference;
  return (
    `look-ahead: strategy ${strategy} wants something else at ${differsAt} where the tape ends at ${cut}:\n` +
    `  with all of it: ${whole}\n  cut there:      ${cutShort}\n` +
    'it knows what comes later, or remembers earlier runs'
  );
}
