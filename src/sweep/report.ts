// The results of a sweep: `sweep.json`, `points.csv`, `heatmap.svg`, and the table with its verdict.
import type { GameId } from '../domain/index.ts';
import { moneyText, printable } from '../domain/index.ts';
import { separateRuns } from './separate-runs.ts';
import { placesOf } from './dimensions.ts';
import type { Candidate, Held, Judgement, Ranked } from './judge.ts';
import { judge } from './judge.ts';
import type { Objective } from './objective.ts';
import { objectiveText, scoreOf } from './objective.ts';
import type { GameOutcome, Outcome, Played } from './outcome.ts';
import { isSound, problemOf } from './outcome.ts';
import type { Point, Task } from './point.ts';
import { settingsText } from './point.ts';
import type { Difference, ResultsLog } from './results-log.ts';
import type { SearchResult } from './search.ts';
import { figureIn } from './search.ts';
import type { Verdict } from './verdict.ts';
import { heldSum, verdictOf } from './verdict.ts';
import { aligned } from '../terminal/index.ts';
import { csvOf } from '../backtest/index.ts';
import { heatmapSvg } from './heatmap.ts';
import { jsonText, SWEEP } from './out.ts';
import type { Plan } from './plan.ts';

export type SweepReport = {
  /** File texts by their names in --out. */
  readonly files: Readonly<Record<string, string>>;
  /** The table for stdout. */
  readonly table: string;
  readonly judgement: Judgement | undefined;
};

/** The last round of a point, and its outcome there. */
type Row = { readonly task: Task; readonly outcome: Outcome | undefined };

const SHOWN = 10;
export const BEST = 3;

export function sweepReport(plan: Plan, searched: SearchResult, log: ResultsLog): SweepReport {
  const { objective, days, split, search } = plan;
  const trials = search.points.length;
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
    trials,
    seed: search.seed,
    separateRun: separateRuns(search.inputs, days, log, differingIn(log)),
    isGrid: search.kind === 'grid',
  });
  const verdict = verdictOf(judgement, trials, objective);
  const ranked: ByPoint = new Map(judgement?.ranked.map((row) => [row.point.number, row]));
  const failed = rows.filter(({ outcome }) => outcome !== undefined && problemOf(outcome) !== '');
  const counts = { started: trials, judged: candidates.length, failed: failed.length };
  return {
    judgement,
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
        },
        ...judgementJson(judgement, plan),
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
    },
    table: tableOf({ plan, rows, judgement, verdict, counts, present: presentOutcome }),
  };
}

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
  settings: valuesOf(task.point),
  outcomes,
});

const valuesOf = ({ settings }: Point): Readonly<Record<string, unknown>> =>
  Object.fromEntries(settings.map(({ name, value }) => [name, value]));

const orNull = <T>(value: T | undefined): T | null => value ?? null;

const heldJson = (held: Held | undefined): unknown =>
  held === undefined
    ? null
    : {
        days: held.days,
        games: held.games,
        objective: orNull(held.figure),
        sum: orNull(held.sum),
        interval: orNull(held.interval),
      };

function judgementJson(judgement: Judgement | undefined, { split }: Plan): Readonly<Record<string, unknown>> {
  if (judgement === undefined) return { best: [], statistics: null, judgedOn: null };
  const { overfitting, sharpe, realityCheck, plateau, atEndOf, interval, held, days, games } = judgement;
  const { unknownDays, partly } = judgement;
  // a point without a known figure is not among the best
  const ranked = judgement.ranked.filter(({ figure }) => figure !== undefined);
  return {
    best: ranked.slice(0, BEST).map(({ point, figure, judgedOn }) => ({
      point: point.number,
      settings: valuesOf(point),
      objective: orNull(figure),
      ...(split.kind === 'holdout' ? { holdout: heldJson(judgedOn) } : {}),
    })),
    statistics: {
      days,
      unknownDays,
      games,
      overfitting: orNull(overfitting),
      sharpe: orNull(sharpe),
      known: partly === undefined ? null : knownJson(partly),
      realityCheck: { nothing: orNull(realityCheck.nothing), present: orNull(realityCheck.present) },
      plateau: orNull(plateau),
      atEndOf,
      interval: orNull(interval),
    },
    judgedOn: held === undefined ? null : { kind: held.kind, ...(heldJson(held.result) as object) },
  };
}

const knownJson = ({ knownFills, ofFills, knownPayout, ofPayout }: NonNullable<Judgement['partly']>): unknown => ({
  fills: knownFills,
  ofFills,
  payoutShare: ofPayout === 0 ? null : knownPayout / ofPayout,
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

function pointsCsv(rows: readonly Row[], ranked: ByPoint, { dimensions, objective, split }: Plan): string {
  return csvOf(
    [
      ...['point', ...dimensions.map(({ name }) => name), 'games', 'objective'],
      ...(split.kind === 'holdout' ? ['holdout'] : []),
      ...['fills', 'risk_filled', 'marked', 'settled', 'spread', 'clv', 'markout_60s', 'max_drawdown'],
      ...['places', 'cancels', 'quoted', 'problem'],
      ...['edge', 'edge_prematch', 'edge_inplay', 'inplay_markout_60s', 'inplay_markout_300s'],
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
      ];
    }),
  );
}

const DIGITS = 6;
const shown = (figure: number | undefined): number | undefined =>
  figure === undefined ? undefined : Number(figure.toPrecision(DIGITS));

type TableInput = {
  readonly plan: Plan;
  readonly rows: readonly Row[];
  readonly judgement: Judgement | undefined;
  readonly verdict: Verdict;
  readonly counts: { readonly started: number; readonly judged: number; readonly failed: number };
  readonly present: Outcome | undefined;
};

function tableOf({ plan, rows, judgement, verdict, counts, present }: TableInput): string {
  const { dimensions, objective, split, days } = plan;
  const choosing = split.kind === 'holdout' ? split.fold.train.flatMap((day) => days[day]?.games ?? []) : undefined;
  const outcomes = new Map(rows.map(({ task, outcome }) => [task.point.number, outcome]));
  const row = (
    name: string,
    texts: readonly string[],
    figure: number | undefined,
    outcome: Outcome | undefined,
    held: Held | undefined,
  ): readonly string[] => {
    return [
      ...[name, ...texts, figureText(figure)],
      ...(split.kind === 'holdout' ? [held === undefined ? '' : heldSum(held, objective)] : []),
      ...(outcome?.status === 'played' ? sumsText(outcome, choosing) : ['', '', '', '', '']),
    ];
  };
  const head = [
    ...['point', ...dimensions.map(({ name }) => name), objectiveText(objective)],
    ...(split.kind === 'holdout' ? ['hold-out'] : []),
    ...['fills', 'pnl', 'clv, pre-match', '300 s, in play', 'places'],
  ];
  const table = [
    head,
    ...(judgement?.ranked.slice(0, SHOWN) ?? []).map(({ point, figure, judgedOn }) =>
      row(
        String(point.number),
        point.settings.map(({ text }) => text),
        figure,
        outcomes.get(point.number),
        judgedOn,
      ),
    ),
    row(
      'present',
      dimensions.map(() => ''),
      judgement?.present,
      present,
      undefined,
    ),
  ];
  const problems = Map.groupBy(
    rows.filter(({ outcome }) => outcome !== undefined && problemOf(outcome) !== ''),
    ({ outcome }) => (outcome === undefined ? '' : problemOf(outcome)),
  );
  const daysNote = choosing === undefined ? [] : ['fills, pnl, clv, 300 s and places cover only the days that choose'];
  const moreNote = counts.judged > SHOWN ? [`and ${counts.judged - SHOWN} more in points.csv`] : [];
  return [
    ...aligned(table),
    ...moreNote,
    ...daysNote,
    ...(judgement === undefined ? [] : noticesOf(judgement, objective)),
    '',
    ...[...problems].slice(0, SHOWN).map(([problem, failedRows]) => `${pointsText(failedRows)}: ${problem}`),
    ...(problems.size > SHOWN ? [`and ${problems.size - SHOWN} other problems; points.csv has them all`] : []),
    verdict.text,
    '',
  ]
    .map(printable)
    .join('\n');
}

/** Notices beside the verdict, which only says whether the best point is better than chance. */
function noticesOf(
  { ranked, present, atEndOf, partly, unknownDays }: Judgement,
  objective: Objective,
): readonly string[] {
  const [best, now] = [ranked[0]?.figure, present].map((figure) => scoreOf(objective, figure));
  const isUnknown = ranked[0] !== undefined && ranked[0].figure === undefined;
  return [
    ...(isUnknown
      ? [`${objective.name} is not known for any point: no fill has the prices or scores that it needs`]
      : []),
    ...(partly === undefined
      ? []
      : [
          `${objective.name} of the best point is known for ${partly.knownFills} of ${partly.ofFills} fills, ${shareText(partly)} of their payout`,
        ]),
    ...(unknownDays === 0 || isUnknown
      ? []
      : [
          `${unknownDays} ${unknownDays === 1 ? 'day is' : 'days are'} not known for every point, and left out of the statistics`,
        ]),
    ...(atEndOf.length === 0
      ? []
      : [
          `the best point has the lowest or highest value tried of ${atEndOf.join(', ')}: better values may lie beyond`,
        ]),
    ...(best !== undefined && now !== undefined && now >= best
      ? ['the present setting does as well as the best: there is no reason to change it']
      : []),
  ];
}

const shareText = ({ knownPayout, ofPayout }: NonNullable<Judgement['partly']>): string =>
  ofPayout === 0 ? 'none' : `${((100 * knownPayout) / ofPayout).toFixed(0)} %`;

function pointsText(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  return rows.length === 1
    ? `point ${first.task.point.number} (${settingsText(first.task.point)})`
    : `${rows.length} points, the first ${first.task.point.number} (${settingsText(first.task.point)})`;
}

/**
 * Sums of a point as texts: fills, P&L (by the score, else marked), the edge of each phase, and place
 * permits. `choosing`: only these games; undefined: all.
 */
function sumsText({ games }: Played, choosing: readonly GameId[] | undefined): readonly string[] {
  const chosenGames = games.filter(({ game }) => choosing === undefined || choosing.includes(game));
  const sum = (name: NumberOf<GameOutcome>): number => chosenGames.reduce((all, game) => all + game[name], 0);
  const money = (micros: number): string => moneyText(Math.round(micros / 1e4) / 100);
  const edge = (fills: number, known: number, micros: number): string =>
    fills === 0 ? '–' : known === 0 ? 'not known' : `${money(micros)}${known < fills ? ` (${known} of ${fills})` : ''}`;
  return [
    ...[String(sum('fills')), money(sum('pnl'))],
    edge(sum('earlyFills'), sum('earlyKnown'), sum('earlyEdge')),
    edge(sum('liveFills'), sum('liveKnown'), sum('liveEdge')),
    String(Math.round(sum('permits'))),
  ];
}
type NumberOf<T> = { [K in keyof T]: T[K] extends number ? K : never }[keyof T];

const FIGURE_DIGITS = 4;
const figureText = (figure: number | undefined): string =>
  figure === undefined ? 'not known' : String(Number(figure.toPrecision(FIGURE_DIGITS)));
