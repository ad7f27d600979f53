// The parts of a sweep's results that objectives and constraints add: the front, which points meet the
// constraints, which are unknown, what stopping early saved, and which parameters matter.
import { constraintText, violationOf } from './constraints.ts';
import type { FrontPoint } from './front-svg.ts';
import type { Importance } from './importance.ts';
import { importanceOf, LEAST_POINTS } from './importance.ts';
import type { Objective } from './objective.ts';
import { objectiveText } from './objective.ts';
import type { Outcome, Played } from './outcome.ts';
import { isSound } from './outcome.ts';
import type { Plan } from './plan.ts';
import type { Point } from './point.ts';
import { valuesIn } from './point.ts';
import { orNull } from './report-json.ts';
import type { SearchResult, Stopped } from './searched.ts';
import { frontOf, standingOf } from './standing.ts';

/** A point that is judged, with the figure of the first objective on the days that choose. */
export type JudgedRow = { readonly point: Point; readonly figure: number | undefined; readonly outcome: Played };

export type GoalFacts = {
  readonly counts: {
    /** Judged points that meet the constraints, that miss one, and whose figure for one is not known. */
    readonly meet: number;
    readonly miss: number;
    readonly unknown: number;
  };
  /** Figures that are not known for some points, and for how many. */
  readonly unknownFigures: readonly { readonly name: string; readonly points: number }[];
  /** The front, the best by the first objective first. Undefined with one objective. */
  readonly front: readonly FrontRow[] | undefined;
  readonly plotted: readonly FrontPoint[];
  /** The points that miss the constraints least, when no point meets them. */
  readonly nearest: readonly JudgedRow[];
  readonly importance: readonly ImportanceOf[];
};

export type FrontRow = { readonly point: Point; readonly figures: readonly number[] };
type ImportanceOf = {
  readonly objective: string;
  /** Points whose figure is known. */
  readonly points: number;
  readonly parameters: readonly Importance[];
};

export function goalFacts(plan: Plan, rows: readonly JudgedRow[]): GoalFacts {
  const { objective, others, constraints, dimensions, search } = plan;
  const goals = { objectives: [objective, ...others], constraints };
  const violations = rows.map(({ outcome }) => violationOf(constraints, outcome));
  const meeting = rows.filter((_, index) => violations[index] === 0);
  const standings = meeting.flatMap((row) => standingOf(row.point.number, row.figure, row.outcome, goals) ?? []);
  const byNumber = new Map(rows.map((row) => [row.point.number, row]));
  const front = others.length === 0 ? undefined : frontOf(standings);
  const inFront = new Set(front?.map(({ number }) => number));
  const figuresOf = (row: JudgedRow): readonly (number | undefined)[] =>
    goals.objectives.map((goal) => figureFor(goal, row, objective));
  const known = (row: JudgedRow): readonly number[] => figuresOf(row).filter((figure) => figure !== undefined);
  return {
    counts: {
      meet: meeting.length,
      miss: violations.filter((violation) => violation !== undefined && violation > 0).length,
      unknown: violations.filter((violation) => violation === undefined).length,
    },
    unknownFigures: unknownFigures(
      rows,
      goals.objectives,
      constraints.map(({ name }) => name),
      objective,
    ),
    front: front?.flatMap(({ number }) => {
      const row = byNumber.get(number);
      return row === undefined ? [] : [{ point: row.point, figures: known(row) }];
    }),
    plotted: standings.flatMap(({ number }) => {
      const row = byNumber.get(number);
      return row === undefined ? [] : [{ number, figures: known(row), isFront: inFront.has(number) }];
    }),
    nearest: meeting.length > 0 ? [] : nearestOf(rows, violations),
    importance: goals.objectives.map((goal) => {
      const points = rows.flatMap((row) => {
        const figure = figureFor(goal, row, objective);
        return figure === undefined ? [] : [{ point: row.point, figure }];
      });
      return {
        objective: objectiveText(goal),
        points: points.length,
        parameters: importanceOf(dimensions, points, search.seed),
      };
    }),
  };
}

const figureFor = (goal: Objective, { figure, outcome }: JudgedRow, first: Objective): number | undefined =>
  goal === first ? figure : (outcome.figures[goal.name] ?? undefined);

function unknownFigures(
  rows: readonly JudgedRow[],
  objectives: readonly Objective[],
  constraints: readonly string[],
  first: Objective,
): GoalFacts['unknownFigures'] {
  const counts = [
    ...objectives.map((goal) => ({
      name: goal.name,
      points: rows.filter((row) => figureFor(goal, row, first) === undefined).length,
    })),
    ...constraints.map((name) => ({
      name,
      points: rows.filter(({ outcome }) => (outcome.figures[name] ?? undefined) === undefined).length,
    })),
  ].filter(({ points }) => points > 0);
  return [...new Map(counts.map((count) => [count.name, count])).values()];
}

const nearestOf = (rows: readonly JudgedRow[], violations: readonly (number | undefined)[]): readonly JudgedRow[] =>
  rows
    .flatMap((row, index) => {
      const violation = violations[index];
      return violation === undefined ? [] : [{ row, violation }];
    })
    .sort((a, b) => a.violation - b.violation || a.row.point.number - b.row.point.number)
    .map(({ row }) => row);

/** The facts as they stand in `sweep.json`. */
export const goalsJson = ({ counts, front, importance, unknownFigures }: GoalFacts, plan: Plan) => ({
  ...(plan.constraints.length === 0 ? {} : { suchThat: counts }),
  unknown: unknownFigures,
  ...(front === undefined ? {} : { front: front.map((row) => frontJson(row, plan)) }),
  importance: importance.map(({ objective, points, parameters }) => ({
    objective,
    points,
    parameters: parameters.map(importanceJson),
  })),
});

export const frontJson = ({ point, figures }: FrontRow, { objective, others }: Plan) => ({
  point: point.number,
  settings: valuesIn(point),
  objectives: Object.fromEntries([objective, ...others].map(({ name }, index) => [name, orNull(figures[index])])),
});

export const importanceJson = ({ name, share, p, groups }: Importance) => ({
  name,
  share: orNull(share),
  p: orNull(p),
  groups,
});

const DIGITS = 4;
export const figureText = (figure: number | undefined): string =>
  figure === undefined ? 'not known' : String(Number(figure.toPrecision(DIGITS)));

/** Most rows of a table on the terminal. */
const SHOWN = 10;

/** The rows of the front's table; empty with one objective. */
export function frontTable(
  { front }: GoalFacts,
  { objective, others, dimensions }: Plan,
): readonly (readonly string[])[] {
  if (front === undefined) return [];
  return [
    ['front', ...dimensions.map(({ name }) => name), ...[objective, ...others].map(objectiveText)],
    ...front
      .slice(0, SHOWN)
      .map(({ point, figures }) => [
        String(point.number),
        ...point.settings.map(({ text }) => text),
        ...figures.map(figureText),
      ]),
  ];
}

/** The rows of the table of importance; empty when there are too few points. */
export function importanceTable({ importance }: GoalFacts): readonly (readonly string[])[] {
  const known = importance.filter(({ parameters }) => parameters.some(({ share }) => share !== undefined));
  if (known.length === 0) return [];
  const percent = (share: number | undefined): string =>
    share === undefined ? 'not known' : `${(100 * share).toFixed(0)} %`;
  const chance = (p: number | undefined): string => (p === undefined ? '' : p.toFixed(3));
  return [
    ['parameter', 'explains', 'p', 'objective'],
    ...known.flatMap(({ objective, parameters }) =>
      parameters.slice(0, SHOWN).map(({ name, share, p }) => [name, percent(share), chance(p), objective]),
    ),
  ];
}

const pointsText = (count: number): string => (count === 1 ? '1 point' : `${count} points`);

/** Notices about constraints, unknown figures and points that were stopped. */
export function goalNotices(
  facts: GoalFacts,
  { constraints }: Plan,
  { stopped, unknownDropped = 0 }: SearchResult,
): readonly string[] {
  const { counts, unknownFigures: unknown, importance, front } = facts;
  const judged = counts.meet + counts.miss + counts.unknown;
  const fewest = Math.min(...importance.map(({ points }) => points));
  return [
    ...(constraints.length === 0
      ? []
      : [
          `${counts.meet} of ${pointsText(judged)} meet ${suchThat(constraints)} (${counts.miss} miss it, ${counts.unknown} unknown)`,
        ]),
    ...(constraints.length > 0 && counts.meet === 0 && counts.miss > 0
      ? ['the table shows the points that miss it least']
      : []),
    ...unknown
      .filter(({ points }) => points < judged || constraints.length > 0)
      .map(
        ({ name, points }) => `${name} is not known for ${pointsText(points)}: unknown points are compared with none`,
      ),
    ...(unknownDropped === 0
      ? []
      : [`${pointsText(unknownDropped)}: a figure is not known on the games of a round, so halving dropped them`]),
    ...(front !== undefined && front.length > SHOWN
      ? [`the front has ${front.length - SHOWN} more points, in sweep.json`]
      : []),
    ...(stopped === undefined ? [] : [stoppedText(stopped)]),
    ...(judged > 0 && fewest < LEAST_POINTS
      ? [`too few points for the importance of parameters: ${fewest} (${LEAST_POINTS} are needed)`]
      : []),
  ];
}

export const suchThat = (constraints: Plan['constraints']): string =>
  `--such-that ${constraints.map((limit) => `"${constraintText(limit)}"`).join(' and ')}`;

function stoppedText({ points, after, savedGames }: Stopped): string {
  const saved =
    savedGames >= 0
      ? `${savedGames} games were saved`
      : `nothing was saved: ${-savedGames} games more were played than without --stop-early`;
  const were = points.length === 1 ? 'was' : 'were';
  return `${pointsText(points.length)} ${were} clearly worse than the best after ${after} games, and stopped: ${saved}`;
}

/** Figures of further objectives and of constraints, each once. */
export const goalFigures = ({ others, constraints }: Plan): readonly string[] => [
  ...new Set([...others, ...constraints].map(({ name }) => name)),
];

/** Whether a point meets the constraints, as text. Empty when it is not judged. */
export function meetsText({ constraints }: Plan, outcome: Outcome | undefined): string {
  if (!isSound(outcome)) return '';
  const violation = violationOf(constraints, outcome);
  return violation === undefined ? 'unknown' : violation === 0 ? 'yes' : 'no';
}
