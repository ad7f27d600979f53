// Keeps what each game could lose when that was most, from the events `GameRisk`.
import type { EventOf, GameId } from '../domain/index.ts';
import { forgetOldest } from '../domain/index.ts';

/** What a game, or a part of one, could bring when its shortfall was largest. Micro-dollars. */
export type RiskPeak = Omit<EventOf<'GameRisk'>, 'type'> & {
  /** Unix ms. */
  readonly t: number;
};

/** What the distribution of a score says of a game, null where nothing is known of it. */
export type ScoreFigures = {
  /** Where the distribution is from: the odds feed, or the exchange's own book. */
  readonly source: 'odds' | 'book' | null;
  readonly expected: number | null;
  readonly deviation: number | null;
  /** What 95 % of scores bring at least. */
  readonly quantile: number | null;
  /** The mean of the worst 5 % of scores. */
  readonly shortfall: number | null;
};

const MOST_GAMES = 2000;

export class GameRiskPeaks {
  readonly #peaks = new Map<GameId, RiskPeak>();

  applyEvent({ type: _type, ...risk }: EventOf<'GameRisk'>, t: number): void {
    const known = this.#peaks.get(risk.game);
    if (known !== undefined && shortfallOf(known) <= shortfallOf(risk)) return;
    this.#peaks.set(risk.game, { ...risk, t });
    forgetOldest(this.#peaks, MOST_GAMES);
  }

  get all(): readonly RiskPeak[] {
    return [...this.#peaks.values()];
  }
}

/** The mean of the worst 5 % of scores, or the worst case where nothing is known of the score. */
export const shortfallOf = ({ score, worst }: Omit<EventOf<'GameRisk'>, 'type'>): number => score?.shortfall ?? worst;

/** @param shown the shown number of a value, such as dollars of micro-dollars */
export function scoreFigures<Value extends number>(
  score: { readonly [Name in keyof ScoreFigures]: Name extends 'source' ? 'odds' | 'book' : Value } | undefined,
  shown: (value: Value) => number,
): ScoreFigures {
  if (score === undefined) return { source: null, expected: null, deviation: null, quantile: null, shortfall: null };
  const { source, expected, deviation, quantile, shortfall } = score;
  return {
    source,
    expected: shown(expected),
    deviation: shown(deviation),
    quantile: shown(quantile),
    shortfall: shown(shortfall),
  };
}
