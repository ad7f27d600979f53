// The results of a sweep: `sweep.json`, `points.csv`, `heatmap.svg`, `front.svg`, and what it prints.
import { csvOf } from '../backtest/index.ts';
import { placesOf } from './dimensions.ts';
import { frontSvg } from './front-svg.ts';
import { heatmapSvg } from './heatmap.ts';
import type { Candidate, Judgement, Ranked } from './judge.ts';
import { judge } from './judge.ts';
import type { Objective } from './objective.ts';
import { objectiveText } from './objective.ts';
import { jsonText, SWEEP } from './out.ts';
import { isSound, problemOf } from './outcome.ts';
import type { Plan } from './plan.ts';
import type { Task } from './point.ts';
import { valuesIn } from './point.ts';
import type { JudgedRow } from './report-goals.ts';
import { goalFacts, goalFigures, goalsJson, meetsText, suchThat } from './report-goals.ts';
import { judgementJson } from './report-json.ts';
import type { Row, Shown } from './report-table.ts';
import { linesOf, tableOf } from './report-table.ts';
import type { Difference, ResultsLog } from './results-log.ts';
import type { SearchResult } from './searched.ts';
import { figureIn } from './searched.ts';
import { separateRuns } from './separate-runs.ts';
import { verdictOf } from './verdict.ts';

export type SweepReport = {
  /** File texts by their names in --out. */
  readonly files: Readonly<Record<string, string>>;
  /** The table for stdout. */
  readonly table: string;
  /** The same as JSON lines. */
  readonly lines: string;
  readonly judgement: Judgement | undefined;
  /** True when points could be judged, also when none of them meets the constraints. */
  readonly isJudged: boolean;
};

export function sweepReport(plan: Plan, searched: SearchResult, log: ResultsLog): SweepReport {
  const { objective, others, constraints, days, split, search } = plan;
  const trials = searched.points.length;
  const rows = lastRounds(searched, log);
  const candidates = candidatesOf(plan, searched, log);
  const presentOutcome = log.outcomeOf(searched.present.key);
  const present = isSound(presentOutcome) ? presentOutcome : undefined;
  const judgement = judge({
    candidates,
    present,
    days,
    split,
    objective,
    others,
    constraints,
    trials,
    seed: search.seed,
    separateRun: separateRuns(search.inputs, days, log, differingIn(log)),
    isGrid: search.kind === 'grid',
  });
  const ranked: ByPoint = new Map(judgement?.ranked.map((row) => [row.point.number, row]));
  const facts = goalFacts(plan, judgedRows(candidates, ranked, objective));
  const verdict = verdictOf(judgement, trials, objective, {
    ...(constraints.length === 0 ? {} : { constraints: { text: suchThat(constraints), ...facts.counts } }),
    ...(facts.front === undefined ? {} : { front: facts.front.length }),
  });
  const failed = rows.filter(({ outcome }) => outcome !== undefined && problemOf(outcome) !== '');
  const counts = { started: trials, judged: candidates.length, failed: failed.length };
  const shown: Shown = { plan, rows, judgement, facts, verdict, counts, searched, present: presentOutcome };
  return {
    judgement,
    isJudged: candidates.length > 0,
    files: {
      [SWEEP]: jsonText({
        schema: 1,
        state: 'done',
        settings: plan.settings,
        search: {
          kind: search.kind,
          ...counts,
          days: days.length,
          games: days.reduce((sum, day) => sum + day.games.length, 0),
          rounds: roundsOf(searched),
          ...(searched.unknownDropped === undefined ? {} : { unknownDropped: searched.unknownDropped }),
          ...(searched.stopped === undefined ? {} : { stoppedEarly: searched.stopped }),
        },
        ...judgementJson(judgement, plan),
        ...goalsJson(facts, plan),
        present: present === undefined ? null : { objective: judgement?.present ?? null, figures: present.figures },
        ...(log.differences.length > 0 ? { differences: log.differences.map(differenceJson) } : {}),
        verdict,
      }),
      'points.csv': pointsCsv(rows, ranked, plan),
      'heatmap.svg': heatmapSvg(
        plan.dimensions,
        rows.map((row) => ({ point: row.task.point, figure: figureOfRow(row, ranked, objective) })),
        `${objectiveText(objective)}${split.kind === 'holdout' ? ' on the days that choose' : ''}`,
      ),
      ...(facts.front === undefined
        ? {}
        : { 'front.svg': frontSvg([objective, ...others].map(objectiveText), facts.plotted) }),
    },
    table: tableOf(shown),
    lines: linesOf(shown),
  };
}

/** The judged points, with the figure of the first objective on the days that choose. */
const judgedRows = (candidates: readonly Candidate[], ranked: ByPoint, objective: Objective): readonly JudgedRow[] =>
  candidates.map(({ point, outcome }) => {
    const rankedPoint = ranked.get(point.number);
    return { point, outcome, figure: rankedPoint === undefined ? figureIn(outcome, objective) : rankedPoint.figure };
  });

/** Points that are judged: those with a sound run over all judged games and without two different results. */
export function candidatesOf(
  { dimensions, search }: Plan,
  searched: SearchResult,
  log: ResultsLog,
): readonly Candidate[] {
  const isLeftOut = differingIn(log);
  const judgedKeys = new Set(searched.judged.map(({ key }) => key));
  return lastRounds(searched, log).flatMap(({ task, outcome }) =>
    judgedKeys.has(task.key) && isSound(outcome) && !isLeftOut(task.key)
      ? [{ point: task.point, outcome, places: placesOf(dimensions, task.point, search.kind === 'grid') }]
      : [],
  );
}

function differingIn(log: ResultsLog): (key: string) => boolean {
  const keys = new Set(log.differences.map(({ task }) => task.key));
  return (key) => keys.has(key);
}

function lastRounds({ tasks, present }: SearchResult, log: ResultsLog): readonly Row[] {
  const last = new Map<number, Task>();
  for (const task of tasks) if (task.key !== present.key) last.set(task.point.number, task);
  return [...last.values()]
    .sort((a, b) => a.point.number - b.point.number)
    .map((task) => ({ task, outcome: log.outcomeOf(task.key) }));
}

/** Rounds of the search: how many points played how many games; null: all games. */
function roundsOf({
  tasks,
  present,
}: SearchResult): readonly { readonly games: number | null; readonly points: number }[] {
  const rounds = new Map<number | null, number>();
  for (const { games, key } of tasks) {
    if (key === present.key) continue;
    const count = games?.length ?? null;
    rounds.set(count, (rounds.get(count) ?? 0) + 1);
  }
  return [...rounds].map(([games, points]) => ({ games, points }));
}

const differenceJson = ({ task, outcomes }: Difference): unknown => ({
  point: task.point.number,
  settings: valuesIn(task.point),
  outcomes,
});

/** Ranked points by their numbers. */
type ByPoint = ReadonlyMap<number, Ranked>;

/**
 * The figure of a row: for a judged point the figure on the days that choose, else that of the games it
 * played, which are all of such days.
 */
function figureOfRow({ task, outcome }: Row, ranked: ByPoint, objective: Objective): number | undefined {
  const rankedPoint = ranked.get(task.point.number);
  return rankedPoint === undefined ? figureIn(outcome, objective) : rankedPoint.figure;
}

function pointsCsv(rows: readonly Row[], ranked: ByPoint, plan: Plan): string {
  const { dimensions, objective, split, constraints } = plan;
  const goals = goalFigures(plan);
  return csvOf(
    [
      ...['point', ...dimensions.map(({ name }) => name), 'games', 'objective'],
      ...(split.kind === 'holdout' ? ['holdout'] : []),
      ...['fills', 'risk_filled', 'marked', 'settled', 'spread', 'clv', 'markout_60s', 'max_drawdown'],
      ...['places', 'cancels', 'quoted', 'problem'],
      ...['edge', 'edge_prematch', 'edge_inplay', 'inplay_markout_60s', 'inplay_markout_300s'],
      ...goals,
      ...(constraints.length === 0 ? [] : ['meets']),
    ],
    rows.map((row) => {
      const { task, outcome } = row;
      const { point, games } = task;
      const rankedPoint = ranked.get(point.number);
      const figure = figureOfRow(row, ranked, objective);
      const figureAt = (path: string): number | undefined =>
        (outcome?.status === 'played' ? outcome.figures[path] : undefined) ?? undefined;
      return [
        ...[point.number, ...point.settings.map(({ text }) => text), games?.length ?? 'all', shown(figure)],
        ...(split.kind === 'holdout' ? [shown(rankedPoint?.judgedOn?.figure)] : []),
        ...[
          figureAt('fills'),
          figureAt('riskFilled'),
          figureAt('pnl.marked'),
          figureAt('pnl.settled'),
          figureAt('identity.spread'),
        ],
        ...[figureAt('clv.dollars'), figureAt('markouts.60s'), figureAt('pnl.maxDrawdown'), figureAt('permits.place')],
        ...[figureAt('permits.cancel'), figureAt('quotedShare'), outcome === undefined ? '' : problemOf(outcome)],
        ...[figureAt('edge.dollars'), figureAt('phases.prematch.edge.dollars'), figureAt('phases.inplay.edge.dollars')],
        ...[figureAt('phases.inplay.markouts.60s'), figureAt('phases.inplay.markouts.300s')],
        ...goals.map(figureAt),
        ...(constraints.length === 0 ? [] : [meetsText(plan, outcome)]),
      ];
    }),
  );
}

const DIGITS = 6;
const shown = (figure: number | undefined): number | undefined =>
  figure === undefined ? undefined : Number(figure.toPrecision(DIGITS));
