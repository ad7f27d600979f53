// Builds the data of a report from the journals of runs.
import { basename } from 'node:path';
import type { RunEvent } from '../domain/index.ts';
import { isoTime } from '../domain/index.ts';
import type { EventLog, ReportData } from './report-data.ts';
import type { EventListener, ReportOrder } from '../run/index.ts';
import { limitations, reportScenario } from './report-data.ts';
import { configHash, recordedConfig } from '../setup/index.ts';
import { headerOf } from '../journal/index.ts';
import { drawnSeries, readSoundEvents, RunFigures } from '../run/index.ts';
import { shownPath } from '../terminal/index.ts';

const SEED = 1;

/**
 * Reads the journals of runs, in order of time.
 * @param seen called with each journal and the events of each of its steps
 * @returns their figures, and what each was written with
 * @throws OddsmakerError JOURNAL_INVALID when a journal cannot be read, or this version does not reproduce it
 */
export async function readRuns(
  journals: readonly string[],
  seen: (journal: string, events: readonly RunEvent[]) => void = () => undefined,
): Promise<{ readonly figures: RunFigures; readonly inputs: ReportData['inputs'] }> {
  const figures = new RunFigures();
  const inputs: [string, string][] = [];
  for (const journal of [...journals].sort((a, b) => (basename(a) < basename(b) ? -1 : 1))) {
    const header = await headerOf(journal);
    const config = recordedConfig(journal, header);
    const follower = figures.beginRun(config);
    const listen: EventListener = (moment, events) => {
      seen(journal, events);
      follower.step(moment, events);
    };
    await readSoundEvents(journal, header, 'reading', listen, { withoutPrices: true });
    follower.end();
    inputs.push(
      ['journal', shownPath(journal)],
      ['version', header.version],
      ['configuration', configHash({ config })],
    );
    for (const { file, sha256 } of header.strategies) inputs.push(['strategy', `${file} ${sha256.slice(0, 12)}`]);
  }
  return { figures, inputs };
}

/** @throws OddsmakerError as `readRuns` */
export async function reportOfJournals(
  journals: readonly string[],
): Promise<{ readonly data: ReportData; readonly orders: readonly ReportOrder[] }> {
  const { figures, inputs } = await readRuns(journals);
  const { facts, orders, busiest, paths, run } = figures;
  const drawn = { paths, series: drawnSeries(figures.series, paths) };
  const times = facts.curve.map(({ t }) => t);
  const eventLog: EventLog = {
    placed: run.placed,
    cancelled: run.cancelled,
    refused: run.refused,
    unknown: run.unknown.ever,
    refusals: figures.refusals,
    http: run.http,
    quotedShare: run.quotedShare,
    heldBack: facts.heldBack,
    idle: figures.idle,
    alerts: figures.alerts,
    signals: figures.signals,
    end: null,
  };
  const scenarios = times.length === 0 ? {} : { live: reportScenario(facts, busiest, eventLog, SEED, drawn) };
  const data: ReportData = {
    report: 2,
    title: journals.length === 1 ? `Run ${basename(journals[0] ?? '')}` : `${journals.length} runs`,
    from: times[0] === undefined ? null : isoTime(times[0]),
    to: times.length === 0 ? null : isoTime(times.at(-1) ?? 0),
    inputs,
    scenarios,
    limitations: limitations(scenarios, false),
  };
  return { data, orders };
}
