// The report of a backtest, computed from the facts of its scenarios. A backtest stores these facts as they
// are, and only who wants the report pays for its figures: a bootstrap draws each of them hundreds of times.
import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { FillModelScore, QuotePath, RunFacts, ScenarioSum } from '../run/index.ts';
import { fillModelFigures } from '../run/index.ts';
import { VERSION } from '../files/index.ts';
import type { EventLog, ReportData } from './report-data.ts';
import { limitations, reportScenario } from './report-data.ts';
import type { Scenario } from './result-files.ts';

export type BacktestFacts = Pick<ReportData, 'title' | 'from' | 'to' | 'inputs'> & {
  readonly seed: number;
  /** Scenarios in the order of display, the most realistic one first. */
  readonly scenarios: readonly {
    readonly name: Scenario;
    readonly facts: RunFacts;
    /** Quotes and book of the market with most fills. Undefined when nothing filled. */
    readonly busiest: QuotePath | undefined;
    readonly eventLog: EventLog;
    readonly sum: ScenarioSum;
  }[];
  /** The model that decided the calibrated scenario. Undefined when none did. */
  readonly model: { readonly name: string; readonly lean: number; readonly score: FillModelScore | null } | undefined;
};

export function backtestReport({ title, from, to, inputs, seed, scenarios, model }: BacktestFacts): ReportData {
  const sums = Object.fromEntries(scenarios.map(({ name, sum }) => [name, sum]));
  const reported = Object.fromEntries(
    scenarios.map(({ name, facts, busiest, eventLog }) => {
      const base = reportScenario(facts, busiest, eventLog, seed);
      if (name !== 'calibrated' || model === undefined) return [name, base];
      return [name, { ...base, figures: { ...base.figures, fillModel: fillModelFigures(model, sums) } }];
    }),
  );
  return { report: 2, title, from, to, inputs, scenarios: reported, limitations: limitations(reported, true) };
}

/** The facts as the content of a file. The format is that of this version only. */
export const packFacts = (facts: BacktestFacts): Buffer => zstdCompressSync(serialize({ version: VERSION, facts }));

/**
 * Reads what `packFacts` returned.
 * @throws Error for the facts of another version, or anything else
 */
export function unpackFacts(bytes: Uint8Array): BacktestFacts {
  const packed = Object(deserialize(zstdDecompressSync(bytes))) as {
    readonly version?: unknown;
    readonly facts?: BacktestFacts;
  };
  if (packed.version !== VERSION || packed.facts === undefined)
    throw new Error(`its facts are of version ${String(packed.version)}, and this is ${VERSION}`);
  return packed.facts;
}
