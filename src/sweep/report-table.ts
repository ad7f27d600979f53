// What a sweep prints: the table of its best points, the tables of the front and of the importance of
// parameters, notices and the verdict; or the same rows as lines of JSON.
import type { GameId } from '../domain/index.ts';
import { moneyText, printable } from '../domain/index.ts';
import { aligned } from '../terminal/index.ts';
import { violationOf } from './constraints.ts';
import type { Held, Judgement, Ranked } from './judge.ts';
import type { Objective } from './objective.ts';
import { objectiveText, scoreOf } from './objective.ts';
import type { GameOutcome, Outcome, Played } from './outcome.ts';
import { isSound, problemOf } from './outcome.ts';
import type { Plan } from './plan.ts';
import type { Task } from './point.ts';
import { settingsText, valuesIn } from './point.ts';
import type { GoalFacts } from './report-goals.ts';
import {
  figureText,
  frontJson,
  frontTable,
  goalFigures,
  goalNotices,
  importanceJson,
  importanceTable,
  meetsText,
  suchThat,
} from './report-goals.ts';
import { heldJson, orNull } from './report-json.ts';
import type { SearchResult } from './searched.ts';
import { figureIn } from './searched.ts';
import type { Verdict } from './verdict.ts';
import { heldSum } from './verdict.ts';

/** The last round of a point, and its outcome there. */
export type Row = { readonly task: Task; readonly outcome: Outcome | undefined };

/** Most points of the table. */
const SHOWN = 10;

export type Shown = {
  readonly plan: Plan;
  readonly rows: readonly Row[];
  readonly judgement: Judgement | undefined;
  readonly facts: GoalFacts;
  readonly verdict: Verdict;
  readonly counts: { readonly started: number; readonly judged: number; readonly failed: number };
  readonly searched: SearchResult;
  readonly present: Outcome | undefined;
};

/** The points of the table: the best first, or those that miss the constraints least. */
const shownPoints = ({ judgement, facts }: Shown): readonly Ranked[] =>
  (judgement?.ranked ?? facts.nearest.map(({ point, figure }) => ({ point, figure, judgedOn: undefined }))).slice(
    0,
    SHOWN,
  );

export function tableOf(shown: Shown): string {
  const { plan, rows, judgement, verdict, counts, present, facts } = shown;
  const { dimensions, objective, split, days, constraints } = plan;
  const choosing = split.kind === 'holdout' ? split.fold.train.flatMap((day) => days[day]?.games ?? []) : undefined;
  const outcomes = new Map(rows.map(({ task, outcome }) => [task.point.number, outcome]));
  const goals = goalFigures(plan);
  const row = (
    name: string,
    texts: readonly string[],
    figure: number | undefined,
    outcome: Outcome | undefined,
    held: Held | undefined,
  ): readonly string[] => {
    return [
      ...[name, ...texts, figureText(figure)],
      ...goals.map((goal) =>
        figureText(outcome?.status === 'played' ? (outcome.figures[goal] ?? undefined) : undefined),
      ),
      ...(split.kind === 'holdout' ? [held === undefined ? '' : heldSum(held, objective)] : []),
      ...(outcome?.status === 'played' ? sumsText(outcome, choosing) : ['', '', '', '', '']),
    ];
  };
  const head = [
    ...['point', ...dimensions.map(({ name }) => name), objectiveText(objective), ...goals],
    ...(split.kind === 'holdout' ? ['hold-out'] : []),
    ...['fills', 'pnl', 'clv, pre-match', '300 s, in play', 'places'],
  ];
  const table = [
    head,
    ...shownPoints(shown).map(({ point, figure, judgedOn }) =>
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
      judgement === undefined ? figureIn(present, objective) : judgement.present,
      present,
      undefined,
    ),
  ];
  const problems = Map.groupBy(
    rows.filter(({ outcome }) => outcome !== undefined && problemOf(outcome) !== ''),
    ({ outcome }) => (outcome === undefined ? '' : problemOf(outcome)),
  );
  const ranked = constraints.length === 0 ? counts.judged : (judgement?.ranked.length ?? facts.nearest.length);
  const daysNote = choosing === undefined ? [] : ['fills, pnl, clv, 300 s and places cover only the days that choose'];
  const moreNote = ranked > SHOWN ? [`and ${ranked - SHOWN} more in points.csv`] : [];
  const tables = [frontTable(facts, plan), importanceTable(facts)].filter(({ length }) => length > 0);
  const notices = noticesOf(shown);
  return [
    ...aligned(table),
    ...moreNote,
    ...daysNote,
    ...tables.flatMap((own) => ['', ...aligned(own)]),
    ...(tables.length === 0 || notices.length === 0 ? [] : ['']),
    ...notices,
    '',
    ...[...problems].slice(0, SHOWN).map(([problem, failedRows]) => `${pointsText(failedRows)}: ${problem}`),
    ...(problems.size > SHOWN ? [`and ${problems.size - SHOWN} other problems; points.csv has them all`] : []),
    verdict.text,
    '',
  ]
    .map(printable)
    .join('\n');
}

/** The rows of the tables, the notices and the verdict, each as a line of JSON. */
export function linesOf(shown: Shown): string {
  const { plan, rows, judgement, facts, verdict } = shown;
  const outcomes = new Map(rows.map(({ task, outcome }) => [task.point.number, outcome]));
  const goals = goalFigures(plan);
  return [
    ...shownPoints(shown).map(({ point, figure, judgedOn }) => {
      const outcome = outcomes.get(point.number);
      const figures = outcome?.status === 'played' ? outcome.figures : {};
      return {
        row: 'point',
        point: point.number,
        settings: valuesIn(point),
        objective: orNull(figure),
        ...(goals.length === 0
          ? {}
          : { figures: Object.fromEntries(goals.map((name) => [name, figures[name] ?? null])) }),
        ...(plan.constraints.length === 0 ? {} : { meets: meetsText(plan, outcome) }),
        ...(judgedOn === undefined ? {} : { holdout: heldJson(judgedOn) }),
      };
    }),
    ...(judgement === undefined ? [] : [{ row: 'present', objective: orNull(judgement.present) }]),
    ...(facts.front ?? []).map((front) => ({ row: 'front', ...frontJson(front, plan) })),
    ...facts.importance.flatMap(({ objective, parameters }) =>
      parameters.map((parameter) => ({ row: 'importance', objective, ...importanceJson(parameter) })),
    ),
    ...noticesOf(shown).map((text) => ({ row: 'notice', text })),
    { row: 'verdict', ...verdict },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** Notices beside the verdict, which only says whether the best point is better than chance. */
function noticesOf({ judgement, facts, plan, searched, present }: Shown): readonly string[] {
  const violation = violationOf(plan.constraints, isSound(present) ? present : undefined);
  const isPresentOk = plan.constraints.length === 0 || violation === 0;
  return [
    ...(judgement === undefined ? [] : judgementNotices(judgement, plan.objective, isPresentOk)),
    ...(!isPresentOk && isSound(present)
      ? [`the present setting ${violation === undefined ? 'may not' : 'does not'} meet ${suchThat(plan.constraints)}`]
      : []),
    ...goalNotices(facts, plan, searched),
  ];
}

function judgementNotices(
  { ranked, present, atEndOf, partly, unknownDays }: Judgement,
  objective: Objective,
  isPresentOk: boolean,
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
    ...(isPresentOk && best !== undefined && now !== undefined && now >= best
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
