// The expected shortfall of a game: the mean of what is lost at the worst scores, by the distribution of its score.
import type { MarketExposure, Micros, Position, SportRule } from '../domain/index.ts';
import { microsOfDollars, worstCaseOfGame, ZERO } from '../domain/index.ts';
import type { GameModel, Holding } from '../pricing/index.ts';
import { gameRisk, holdingsOf } from '../pricing/index.ts';

/**
 * The mean over the worst 5 % of scores, never above 0. Each open order fills at the scores where it loses, so
 * the worst score loses as much as `worstCaseOfGame` says.
 * @param model the distribution of the score. Undefined, or without the total that is held: the worst case
 */
export function shortfallOfGame(
  exposures: readonly MarketExposure[],
  rule: Pick<SportRule, 'hedging' | 'draw'>,
  model: Pick<GameModel, 'grid'> | undefined,
): Micros {
  const risk =
    model &&
    gameRisk(
      model,
      exposures.flatMap((exposure) => betsOf(exposure, model.grid.draw)),
    );
  if (risk === undefined) return worstCaseOfGame(exposures, rule);
  return Math.floor(microsOfDollars(Math.min(0, risk.shortfall))) as Micros;
}

/** What is held in a market, and what each open order may lose. */
function betsOf({ market, position, openFirst, openSecond }: MarketExposure, draw: SportRule['draw']): Holding[] {
  const held: readonly Position[] = [
    position,
    { first: ZERO, second: (0 - openFirst) as Micros, staked: openFirst },
    { first: (0 - openSecond) as Micros, second: ZERO, staked: openSecond },
  ];
  return held
    .filter(({ first, second }) => first !== 0 || second !== 0)
    .flatMap((each) => holdingsOf({ market, position: each }, draw));
}
