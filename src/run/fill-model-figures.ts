// How far the calibrated scenario is to be believed: how good the model is that it went by, and what hangs on it.
import { fine } from './rounding.ts';

/** On offers of which it is known whether they were taken, each judged by a model that had not seen it. */
export type FillModelScore = {
  readonly offers: number;
  /** Mean of (probability − outcome)², of the model and of the best constant. */
  readonly brier: number;
  readonly brierOfConstant: number;
  /** Stakes taken by the model, and by the best constant, for each dollar that was taken in truth. */
  readonly stakes: number;
  readonly stakesOfConstant: number;
  /** By tenths of the probability: how many offers, how many were expected to be taken, and were. */
  readonly reliability: readonly {
    readonly offers: number;
    readonly expected: number;
    readonly taken: number;
  }[];
};

/** What a scenario came to, dollars; `pnl`: of what was settled, else marked. */
export type ScenarioSum = { readonly fills: number; readonly risk: number; readonly pnl: number };

export type FillModelFigures = {
  readonly name: string;
  /** Odds of a take are multiplied by lean / (1 − lean). */
  readonly lean: number;
  /** Null: whoever fitted it did not tell. */
  readonly score: FillModelScore | null;
  readonly byScenario: Readonly<Record<string, ScenarioSum>>;
  /** Share of the filled stakes that is there by what the model says of vanished offers; null: nothing filled, or no pessimistic scenario. */
  readonly share: number | null;
  /** The same of the result, dollars: calibrated less pessimistic. */
  readonly pnl: number | null;
};

export function fillModelFigures(
  { name, lean, score }: Pick<FillModelFigures, 'name' | 'lean' | 'score'>,
  byScenario: FillModelFigures['byScenario'],
): FillModelFigures {
  const { calibrated, pessimistic } = byScenario;
  const [share, pnl] =
    calibrated === undefined || pessimistic === undefined
      ? [null, null]
      : [
          calibrated.risk === 0 ? null : fine(1 - pessimistic.risk / calibrated.risk),
          Math.round(100 * (calibrated.pnl - pessimistic.pnl)) / 100 + 0,
        ];
  return { name, lean, score, byScenario, share, pnl };
}
