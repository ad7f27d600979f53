// The report of a backtest, computed from the facts of its scenarios. A backtest stores these facts as they
// are, and only who wants the report pays for its figures: a bootstrap draws each of them hundreds of times.
import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { FillModelScore, MarketPathSet, QuotePath, RunFacts, ScenarioSum, SeriesSet } from '../run/index.ts';
import { fillModelFigures } from '../run/index.ts';
import { VERSION } from '../files/index.ts';
import type { EventLog, MonthRow, ReportData } from './report-data.ts';
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
    /** How quoted markets looked over time. */
    readonly paths: MarketPathSet;
    /** The series that strategies logged. */
    readonly series: SeriesSet;
    readonly eventLog: EventLog;
    readonly sum: ScenarioSum;
    /** The result of each month. Absent: one run played all tapes. */
    readonly months?: readonly MonthRow[] | undefined;
  }[];
  /** Sentences about what this backtest leaves out, beside those that are true of every backtest. */
  readonly limits?: readonly string[];
  /** The model that decided the calibrated scenario. Undefined when none did. */
  readonly model: { readonly name: string; readonly lean: number; readonly score: FillModelScore | null } | undefined;
};

export function backtestReport({
  title,
  from,
  to,
  inputs,
  seed,
  scenarios,
  model,
  limits = [],
}: BacktestFacts): ReportData {
  const sums = Object.fromEntries(scenarios.map(({ name, sum }) => [name, sum]));
  const reported = Object.fromEntries(
    scenarios.map(({ name, facts, busiest, eventLog, months, paths, series }) => {
      const base = {
        ...reportScenario(facts, busiest, eventLog, seed, { paths, series }),
        ...(months === undefined ? {} : { months }),
      };
      if (name !== 'calibrated' || model === undefined) return [name, base];
      return [name, { ...base, figures: { ...base.figures, fillModel: fillModelFigures(model, sums) } }];
    }),
  );
  return {
    report: 2,
    title,
    from,
    to,
    inputs,
    scenarios: Object.fromEntries(
      Object.entries(reported).map(([name, scenario]) => [
        name,
        { ...scenario, limits: [...limits, ...limitations({ [name]: scenario }, true)] },
      ]),
    ),
    limitations: [...limits, ...limitations(reported, true)],
  };
}

/** The facts as the content of a file. The format is that of this version only. */
export const packFacts = (facts: BacktestFacts): Buffer => packed({ facts });

/** The fills of some games, in the order of time, in a file of facts in parts. */
export type FillsPart = { readonly scenario: Scenario; readonly fills: RunFacts['fills'] };

/**
 * The beginning of a file of facts in parts: fills, part by part, and once the facts without them. So a backtest
 * of many days never has all fills in memory.
 */
export const FACTS_IN_PARTS = Buffer.from('oddsmaker facts\n');
const LENGTH_BYTES = 4;

/** A part of such a file. */
export function packFactsPart(part: FillsPart | { readonly facts: BacktestFacts }): Buffer {
  const content = packed('facts' in part ? part : { part });
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(content.length);
  return Buffer.concat([length, content]);
}

type Packed = { readonly version?: unknown; readonly facts?: BacktestFacts; readonly part?: FillsPart };
const packed = (content: Packed): Buffer => zstdCompressSync(serialize({ version: VERSION, ...content }));

/**
 * Reads facts, in one part or several.
 * @throws Error for the facts of another version, or anything else
 */
export function unpackFacts(bytes: Uint8Array): BacktestFacts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.subarray(0, FACTS_IN_PARTS.length).equals(FACTS_IN_PARTS)) return withFacts(unpacked(buffer)).facts;
  const fills = new Map<Scenario, RunFacts['fills'][number][]>();
  let facts: BacktestFacts | undefined;
  for (let start = FACTS_IN_PARTS.length; start < buffer.length;) {
    const end = start + LENGTH_BYTES + buffer.readUInt32LE(start);
    const content = unpacked(buffer.subarray(start + LENGTH_BYTES, end));
    start = end;
    if (content.part === undefined) {
      ({ facts } = withFacts(content));
      continue;
    }
    const known = fills.get(content.part.scenario) ?? [];
    for (const fill of content.part.fills) known.push(fill);
    fills.set(content.part.scenario, known);
  }
  if (facts === undefined) throw new Error('its end is missing');
  return {
    ...facts,
    scenarios: facts.scenarios.map((scenario) => ({
      ...scenario,
      facts: { ...scenario.facts, fills: fills.get(scenario.name) ?? [] },
    })),
  };
}

function unpacked(bytes: Uint8Array): Packed {
  const content = Object(deserialize(zstdDecompressSync(bytes))) as Packed;
  if (content.version !== VERSION)
    throw new Error(`its facts are of version ${String(content.version)}, and this is ${VERSION}`);
  return content;
}

function withFacts({ version, facts }: Packed): { readonly facts: BacktestFacts } {
  if (facts === undefined) throw new Error(`its facts are of version ${String(version)}, and this is ${VERSION}`);
  return { facts };
}
