// Keeps what each game could lose when that was most, from the events `GameRisk`.
import type { EventOf, GameId } from '../domain/index.ts';
import { forgetOldest } from '../domain/index.ts';

/** What a game, or a part of one, could bring when its shortfall was largest. Micro-dollars. */
export type RiskPeak = Omit<EventOf<'GameRisk'>, 'type'> & {
  /** Unix ms. */
  readonly t: number;
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
