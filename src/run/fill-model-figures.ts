// Shows how reliable the calibrated scenario is: the score of its fill model, and how much of the result
// depends on it.
import { fine } from './rounding.ts';

/** Score on offers whose take is known, each predicted by a model that was fitted without it. */
export type FillModelScore = {
  readonly offers: number;
  /** Mean of (probability − outcome)², for the model and for the best constant. */
  readonly brier: number;
  readonly brierOfConstant: number;
  /** Stakes taken by the model, and by the best constant, per dollar that was really taken. */
  readonly stakes: number;
  readonly stakesOfConstant: number;
  /** Per tenth of the probability: number of offers, takes expected, takes seen. */
  readonly reliability: readonly {
    readonly offers: number;
    readonly expected: number;
    readonly taken: number;
  }[];
};

/** Sum of a scenario, dollars. `pnl`: settled results, and marks for the rest. */
export type ScenarioSum = { readonly fills: number; readonly risk: number; readonly pnl: number };

export type FillModelFigures = {
  readonly name: string;
  /** Odds of a take are multiplied by lean / (1 − lean). */
  readonly lean: number;
  /** Null: the fitted model carries no score. */
  readonly score: FillModelScore | null;
  readonly byScenario: Readonly<Record<string, ScenarioSum>>;
  /**
   * Share of the filled stakes that the model added for vanished offers. Null: nothing filled, or no
   * pessimistic scenario.
   */
  readonly share: number | null;
  /** Result that the model added, dollars: calibrated less pessimistic. */
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
