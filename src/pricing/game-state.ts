// The state of a game in play, as signals give it, in the terms of its model.
import type { GameState } from './game-model.ts';
import type { ModelSport } from './sport-models.ts';
import { FIRST_HALF_GOALS } from './sport-models.ts';

/** The score of a game in play. */
export type GameScore = {
  /** Home's score minus away's. */
  readonly lead: number;
  /** The share of the playing time that is left, 1 … 0. */
  readonly clock: number;
  /** The sum of both scores, where it is known: totals need it. */
  readonly scored?: number | undefined;
};

/**
 * The state of a game for `modelFor` and `fitGame`. In soccer more goals fall in the second half, so that the
 * share of the goals that is left is more than that of the time.
 * @param sport the sport
 * @param score lead, clock and, where it is known, the sum of both scores
 * @returns the state
 * @example gameState('soccer', { lead: 0, clock: 0.5 })   // { lead: 0, clock: 0.558 }
 */
export function gameState(sport: ModelSport, { lead, clock, scored }: GameScore): GameState {
  return {
    lead,
    clock: sport === 'soccer' ? goalsLeft(clock) : clock,
    ...(scored === undefined ? {} : { scored }),
  };
}

const goalsLeft = (clock: number): number => {
  const second = 1 - FIRST_HALF_GOALS;
  return clock > 0.5 ? second + FIRST_HALF_GOALS * (2 * clock - 1) : second * 2 * clock;
};

/** Parameters of one team and of the other, by their names. */
const OTHER_SIDE: Readonly<Record<string, string>> = { home: 'away', away: 'home' };

/**
 * The parameters of a game with home and away swapped.
 * @param parameters parameters of any sport, by name
 * @returns the same game seen from the other side
 */
export function swappedParameters(parameters: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const { serve, return: back } = parameters;
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      if (name === 'margin') return [name, 0 - value];
      if (name === 'serve') return [name, 1 - (back ?? 0)];
      if (name === 'return') return [name, 1 - (serve ?? 0)];
      return [OTHER_SIDE[name] ?? name, value];
    }),
  );
}
