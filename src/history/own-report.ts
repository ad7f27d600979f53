// The report of fills that were made anywhere: the pages and figures of a run, of what is known of these fills.
import type { ReportData } from '../report/index.ts';
import { limitations, NO_EVENTS, reportScenario } from '../report/index.ts';
import { isoTime } from '../domain/index.ts';
import type { OwnFacts } from './own-facts.ts';
import type { ReadFills } from './read-fills.ts';

const SEED = 1;

/** @param inputs names and values that say what was read */
export function ownReport(
  title: string,
  { faults, notes }: ReadFills,
  { facts, unmatched, ages, closeAges, byModel }: OwnFacts,
  inputs: ReportData['inputs'],
): ReportData {
  const { fills } = facts;
  const times = fills.map(({ t }) => t);
  const scenarios: ReportData['scenarios'] =
    fills.length === 0 ? {} : { own: { ...reportScenario(facts, undefined, NO_EVENTS, SEED), fillsOnly: true } };
  return {
    report: 2,
    title,
    from: times.length === 0 ? null : isoTime(Math.min(...times)),
    to: times.length === 0 ? null : isoTime(Math.max(...times)),
    inputs,
    scenarios,
    limitations: [
      ...limitations(scenarios, false).filter((text) => !text.startsWith('The fill rate by distance')),
      ...notes,
      ...(faults.length === 0 ? [] : [`${faults.length} rows of the table were left out.`]),
      ...(unmatched.length === 0
        ? []
        : [
            `${unmatched.length} of ${fills.length} fills have no event in the odds: they have results, and no prices.`,
          ]),
      ...(byModel === 0
        ? []
        : [`${byModel} fills are priced by the model of their game, because no book quoted their line.`]),
      ...(ages.length === 0
        ? []
        : [
            `Half of the prices at the fills were fetched at most ${ageIn(ages, 0.5)} before them, 95 % at most ${ageIn(ages, 0.95)}. Markouts are known where a document was fetched in their time.`,
          ]),
      ...(closeAges.length === 0
        ? []
        : [
            `Half of the closing prices were fetched at most ${ageIn(closeAges, 0.5)} before the start, 95 % at most ${ageIn(closeAges, 0.95)}. A price from before a fill counts as its close only within 15 minutes of the start.`,
          ]),
    ],
  };
}

const ageIn = (ages: readonly number[], share: number): string =>
  ageText(ages[share === 0.5 ? ages.length >> 1 : Math.floor(share * (ages.length - 1))] ?? 0);

const ageText = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`;
};
