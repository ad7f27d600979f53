// What a sweep looks for, checked before a tape is read: its objectives, its constraints, and that the figures
// of both exist and can be known.
import type { Results } from '../backtest/index.ts';
import { firstOf } from '../backtest/index.ts';
import type { GameId } from '../domain/index.ts';
import { didYouMean, OddsmakerError } from '../domain/index.ts';
import type { Constraint } from './constraints.ts';
import { constraintText } from './constraints.ts';
import type { Objective } from './objective.ts';
import { DEFAULT_OBJECTIVE, objectiveOf, objectiveText } from './objective.ts';
import { FIGURES } from './point-figures.ts';
import type { Goals } from './standing.ts';

/** The flags that say what is looked for. */
export type GoalFlags = {
  /** Absent: the default objective. */
  readonly objective?: readonly string[];
  readonly suchThat?: readonly Constraint[];
  readonly holdout?: number;
  readonly walkForward?: number;
};

const refused = (message: string): OddsmakerError => new OddsmakerError('SWEEP_INVALID', message);

/** @throws OddsmakerError SWEEP_INVALID */
export function checkedGoals({ objective = [], suchThat = [], holdout, walkForward }: GoalFlags): Goals {
  const objectives = (objective.length === 0 ? [DEFAULT_OBJECTIVE] : objective).map(checkedObjective);
  const twice = objectives.find(({ name }, index) => objectives.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw refused(`--objective ${twice.name} is given twice`);
  for (const wanted of suchThat)
    if (!FIGURES.includes(wanted.name)) throw noFigure(`--such-that "${constraintText(wanted)}"`, wanted.name);
  if (holdout !== undefined && walkForward !== undefined)
    throw refused('--holdout and --walk-forward exclude each other: give one of them');
  return { objectives, constraints: suchThat };
}

function checkedObjective(text: string): Objective {
  const parsed = objectiveOf(text);
  const { name } = parsed;
  if (!FIGURES.includes(name)) throw noFigure(`--objective ${text}`, name);
  if (parsed.isLess && parsed.parts !== undefined)
    throw refused(`--objective ${text}: more of ${name} is better: leave out :least`);
  return parsed;
}

function noFigure(flag: string, name: string): OddsmakerError {
  const hint = didYouMean(name, FIGURES);
  const figures = `; expected one of ${LISTED_FIGURES.join(', ')}, or for one phase phases.prematch.<figure> or phases.inplay.<figure>`;
  return refused(`${flag}: there is no such figure${hint === '' ? figures : hint}`);
}

/** Figures over both phases, as the error message lists them: without those that `report --json` has in several forms. */
const LISTED_FIGURES = FIGURES.filter((name) => !/^(?:phases|known|outside|byWeight)\./.test(name));

/** Figures that need the final score of a game. */
const NEEDS_SCORES =
  /^(?:phases\.\w+\.)?(?:(?:outside\.\w+\.)?identity\.(?!captured|open)|permits\.pnlPerPlace$|pnl\.settled$|scores\.|interval\.pnl|sharpe$)/;

/**
 * Checks the scores. @throws OddsmakerError SWEEP_INVALID when a figure needs scores and no game has one
 */
export function checkScores(
  games: readonly GameId[],
  results: Results | undefined,
  { objectives, constraints }: Goals,
  file: string | undefined,
): void {
  const without = games.filter((id) => results?.has(id) !== true);
  const given = file === undefined ? 'give --results' : `${file} has none of the games on the tapes`;
  const wanted = [
    ...objectives.map((objective) => ({ name: objective.name, flag: `--objective ${objective.name}` })),
    ...constraints.map((limit) => ({ name: limit.name, flag: `--such-that "${constraintText(limit)}"` })),
  ];
  for (const { name, flag } of wanted)
    if (without.length === games.length && NEEDS_SCORES.test(name))
      throw refused(`${flag} needs games with a final score: ${given}`);
  if (file === undefined || without.length === 0) return;
  process.stderr.write(
    `oddsmaker: ${file}: no score for ${without.length} of the ${games.length} games on the tapes: ${firstOf(without)}; pnl values them at their last price, and figures that need a score leave them out\n`,
  );
}

/** The goals as settings in `sweep.json`. */
export const goalSettings = ({ objectives, constraints }: Goals) => ({
  objective: objectives.map(objectiveText)[0] ?? DEFAULT_OBJECTIVE,
  objectives: objectives.map(objectiveText),
  suchThat: constraints.map(constraintText),
});
