// How points stand against each other: which meet the constraints, which are better, and which cannot be
// compared because a figure is not known. Halving, the tree-structured Parzen estimator and the front use it.
import type { Constraint } from './constraints.ts';
import { violationOf } from './constraints.ts';
import { scoreOf } from './objective.ts';
import type { Objective } from './objective.ts';
import type { Played } from './outcome.ts';

/** What a sweep looks for. */
export type Goals = {
  /** The first is the objective that the statistics judge by. */
  readonly objectives: readonly Objective[];
  readonly constraints: readonly Constraint[];
};

/**
 * True when points are judged by figures that are known only for a whole run. The figures of some days then
 * come from runs over the games of these days alone (separate-runs.ts).
 */
export const needsWholeRuns = ({ objectives, constraints }: Goals): boolean =>
  constraints.length > 0 || objectives.length > 1 || objectives.some(({ parts }) => parts === undefined);

export type Standing = {
  readonly number: number;
  /** A score for each objective, more is better. */
  readonly scores: readonly number[];
  /** 0: the point meets all constraints. */
  readonly violation: number;
};

/**
 * The standing of a point; undefined when one of its figures is not known: it is compared with no other point.
 * `first`: the figure of the first objective.
 */
export function standingOf(
  number: number,
  first: number | undefined,
  run: Played | undefined,
  { objectives, constraints }: Goals,
): Standing | undefined {
  const violation = violationOf(constraints, run);
  if (run === undefined || violation === undefined) return undefined;
  const scores = objectives.map((objective, index) =>
    scoreOf(objective, index === 0 ? first : (run.figures[objective.name] ?? undefined)),
  );
  const known = scores.filter((score) => score !== undefined);
  return known.length === scores.length ? { number, scores: known, violation } : undefined;
}

/** True when `a` is at least as good as `b` in every score, and better in one. */
export function dominates(a: Standing, b: Standing): boolean {
  let isBetter = false;
  for (const [index, score] of a.scores.entries()) {
    const other = b.scores[index] ?? Number.NEGATIVE_INFINITY;
    if (score < other) return false;
    if (score > other) isBetter = true;
  }
  return isBetter;
}

const byScores = (a: Standing, b: Standing): number => {
  for (const [index, score] of a.scores.entries()) {
    const difference = (b.scores[index] ?? 0) - score;
    if (difference !== 0) return difference;
  }
  return a.number - b.number;
};

/**
 * The Pareto front: the points that no other point dominates, the best of the first score first. All of them
 * meet the constraints, or their violations are left aside by the caller.
 */
export function frontOf(standings: readonly Standing[]): readonly Standing[] {
  const front: Standing[] = [];
  // sorted, no later point dominates an earlier one
  for (const standing of [...standings].sort(byScores))
    if (!front.some((other) => dominates(other, standing))) front.push(standing);
  return front;
}

/**
 * Points in order, the best first, up to `most`. Those that meet the constraints come before the others. With
 * several scores they are ordered front after front; in a front those come first whose neighbours are
 * far away (the crowding distance of Deb et al., "NSGA-II", 2002). The others are ordered by their violation.
 */
export function orderOf(standings: readonly Standing[], most = Number.POSITIVE_INFINITY): readonly Standing[] {
  const meeting = standings.filter(({ violation }) => violation === 0);
  const missing = standings
    .filter(({ violation }) => violation !== 0)
    .sort((a, b) => a.violation - b.violation || byScores(a, b));
  if ((standings[0]?.scores.length ?? 1) === 1) return [...meeting.sort(byScores), ...missing].slice(0, most);
  const ordered: Standing[] = [];
  let left: readonly Standing[] = meeting;
  while (left.length > 0 && ordered.length < most) {
    const front = frontOf(left);
    const ranked = new Set(front);
    ordered.push(...byCrowding(front));
    left = left.filter((standing) => !ranked.has(standing));
  }
  return [...ordered, ...missing].slice(0, most);
}

/** A front, the points first whose neighbours in the front are farthest away; its ends come first. */
function byCrowding(front: readonly Standing[]): readonly Standing[] {
  const distances = new Map(front.map((standing) => [standing, 0]));
  for (const index of front[0]?.scores.keys() ?? []) {
    const scoreIn = (standing: Standing | undefined): number => standing?.scores[index] ?? 0;
    const sorted = [...front].sort((a, b) => scoreIn(a) - scoreIn(b) || a.number - b.number);
    const span = scoreIn(sorted.at(-1)) - scoreIn(sorted[0]);
    for (const [place, standing] of sorted.entries()) {
      const isEnd = place === 0 || place === sorted.length - 1;
      const gap = span === 0 ? 0 : (scoreIn(sorted[place + 1]) - scoreIn(sorted[place - 1])) / span;
      distances.set(standing, (distances.get(standing) ?? 0) + (isEnd ? Number.POSITIVE_INFINITY : gap));
    }
  }
  const distanceOf = (standing: Standing): number => distances.get(standing) ?? 0;
  // two infinite distances have no difference
  return [...front].sort((a, b) =>
    distanceOf(a) === distanceOf(b) ? a.number - b.number : distanceOf(b) - distanceOf(a),
  );
}
