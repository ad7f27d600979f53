// `--strategy-latency`: how long strategies take for one input, as measured, as given, or as an earlier run
// measured it. Live, a strategy's time delays the bot by itself; in a backtest this flag does.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { didYouMean, parseDuration } from '../../domain/index.ts';
import type { Scenario } from '../../report/index.ts';
import type { StrategyTimeTables } from './time-table.ts';
import type { GivenTimes, TimeSource } from './strategy-times.ts';

/** The flag as written. `file`: a table that a measured run wrote. */
export type StrategyLatencyFlag =
  GivenTimes | { readonly kind: 'measured' } | { readonly kind: 'file'; readonly file: string };
/** The flag with its table. */
export type StrategyLatency = GivenTimes | { readonly kind: 'measured' } | StrategyTimeTables;

const EXPECTED =
  'expected measured, a time such as 2ms, <strategy>=<time>, or the strategy-latency.csv of a measured run';

/**
 * Reads one value of the flag and adds it to those before.
 * @throws RangeError
 */
export function strategyLatency(text: string, before?: StrategyLatencyFlag): StrategyLatencyFlag {
  const isFile = text.endsWith('.csv') || statSync(text, { throwIfNoEntry: false })?.isFile() === true;
  const [, id, own] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
  if (id !== undefined && own !== undefined && !isFile) return withTime(id.trim(), own, before);
  if (parseDuration(text) !== undefined) return withTime(undefined, text, before);
  if (text !== 'measured' && !isFile)
    throw new RangeError(/^-\s*[\d.]/.test(text) ? 'a strategy takes 0ms or more' : EXPECTED);
  if (before !== undefined) throw new RangeError(`${text} is for all strategies: give no other --strategy-latency`);
  return text === 'measured' ? { kind: 'measured' } : { kind: 'file', file: text };
}

function withTime(id: string | undefined, text: string, before: StrategyLatencyFlag | undefined): GivenTimes {
  if (before !== undefined && before.kind !== 'given')
    throw new RangeError(
      `${before.kind === 'file' ? before.file : 'measured'} is for all strategies: give no other --strategy-latency`,
    );
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new RangeError(
      text === 'measured'
        ? 'measured is for all strategies: give it without a name'
        : /^-\s*[\d.]/.test(text)
          ? `${id} takes 0ms or more`
          : `${id}: expected a time such as 2ms`,
    );
  if (ms > LONGEST_MS) throw new RangeError('at most 1m');
  const { byStrategy = {} } = before ?? {};
  if (id === undefined) {
    if (before !== undefined && before.ms !== 0) throw new RangeError('the time of all strategies is given twice');
    return { kind: 'given', ms, byStrategy };
  }
  if (Object.hasOwn(byStrategy, id)) throw new RangeError(`the time of ${id} is given twice`);
  return { kind: 'given', ms: before?.ms ?? 0, byStrategy: { ...byStrategy, [id]: ms } };
}

/** Longer than any strategy that trades. */
const LONGEST_MS = 60_000;

/** Why the flag does not fit the strategies. Undefined when it does. */
export function unknownStrategyIn(
  latency: StrategyLatencyFlag | undefined,
  ids: readonly string[],
): string | undefined {
  if (latency?.kind !== 'given') return undefined;
  const unknown = Object.keys(latency.byStrategy).find((id) => !ids.includes(id));
  if (unknown === undefined) return undefined;
  const hint = didYouMean(unknown, ids) || `; the configuration has ${ids.join(', ')}`;
  return `--strategy-latency ${unknown}=…: there is no strategy ${unknown}${hint}`;
}

/** The flag as `result.json` has it. A table has what was measured, so both say the same. */
export function latencyTextOf(latency: StrategyLatencyFlag | StrategyLatency): string {
  if (latency.kind !== 'given') return 'measured';
  const own = Object.entries(latency.byStrategy).map(([id, ms]) => `${id}=${ms}ms`);
  return [...(latency.ms > 0 || own.length === 0 ? [`${latency.ms}ms`] : []), ...own].join(', ');
}

/** Where the times of one run come from. `part`: the name of its day or game; empty when one run plays all. */
export function timeSourceOf(
  latency: StrategyLatency | undefined,
  scenario: Scenario,
  part: string,
): TimeSource | undefined {
  if (latency === undefined) return undefined;
  if (latency.kind === 'given') return latency;
  if (latency.kind === 'measured') return { kind: 'measured', part };
  const { file, tables } = latency;
  const times = tables.find((table) => table.scenario === scenario && table.times.part === part)?.times;
  return { kind: 'recorded', file, times: times ?? { part, strategies: [], rows: [] } };
}

/** Why the flag does not go with other flags. Undefined when it does. */
export function refusedWith(
  latency: StrategyLatencyFlag | undefined,
  flags: {
    readonly vary: boolean;
    readonly calibrate: string | undefined;
    readonly lookAheadCheck: true | undefined;
    readonly watch: true | undefined;
    readonly profile: true | undefined;
  },
): string | undefined {
  if (latency === undefined || latency.kind === 'given') return undefined;
  if (latency.kind === 'file' && flags.watch === true)
    return `${latency.file} has the times of one run: --watch plays a changed one, so give measured, or a time such as 2ms`;
  const [name, isMeasured] = [latency.kind === 'file' ? latency.file : 'measured', latency.kind === 'measured'];
  if (isMeasured && flags.profile === true)
    return '--profile slows what --strategy-latency measured would measure: measure first, then profile with its table';
  const why = isMeasured ? 'gives other times in each run' : 'has the times of one run';
  if (flags.vary) return `--vary compares runs, and ${name} ${why}: give a time such as 2ms`;
  if (flags.calibrate !== undefined)
    return `--calibrate compares runs, and ${name} ${why}: calibrate first, then give --fill-model`;
  if (flags.lookAheadCheck === true)
    return `--look-ahead-check compares runs, and ${name} ${why}: give a time such as 2ms`;
  return undefined;
}

/** What of the flag decides a result, in few letters. */
export const keyOfLatency = (latency: StrategyLatency): unknown =>
  latency.kind === 'tables' ? createHash('sha256').update(JSON.stringify(latency.tables)).digest('hex') : latency;
