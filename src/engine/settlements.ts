// What operators settled (DESIGN rule 11): one score a game. A second, different one is refused until the first is taken
// back; then what it settled is held again, and what it brought is not.
import type { Account, HeldFill } from '../account/index.ts';
import type { DrawRule, FinalScore, FormerPlay, GameId, Micros, SettledByHand } from '../domain/index.ts';
import type { DayLoss } from './day-loss.ts';

type Settled = {
  readonly score: FinalScore;
  /** By this run, and what each brought. */
  readonly fills: { readonly fill: HeldFill; readonly brought: Micros }[];
  readonly plays: { readonly play: FormerPlay; readonly brought: Micros }[];
  /** By former runs, as the ledger tells. */
  readonly former: readonly SettledByHand[];
};

export class Settlements {
  readonly #account: Account;
  readonly #day: DayLoss;
  readonly #games = new Map<GameId, Settled>();

  constructor(account: Account, day: DayLoss) {
    this.#account = account;
    this.#day = day;
  }

  applyBoot(settled: readonly SettledByHand[]): void {
    for (const one of settled) {
      if (one.settled === undefined) continue;
      const { play, score } = one.settled;
      const { gameId } = play.market;
      const { former = [] } = this.#games.get(gameId) ?? {};
      this.#games.set(gameId, { score, fills: [], plays: [], former: [...former, one] });
    }
  }

  /** The score that an operator gave for a game; undefined: none. */
  scoreOf(gameId: GameId): FinalScore | undefined {
    return this.#games.get(gameId)?.score;
  }

  /** Returns how many fills the score settled. */
  settle(gameId: GameId, score: FinalScore, draw: DrawRule): number {
    const fills = this.#account.fills.settleGame(gameId, score, draw);
    const plays = this.#day.former.settleGame(gameId, score, draw);
    const before = this.#games.get(gameId);
    this.#games.set(gameId, {
      score,
      fills: [...(before?.fills ?? []), ...fills],
      plays: [...(before?.plays ?? []), ...plays],
      former: before?.former ?? [],
    });
    return fills.length + plays.length;
  }

  /** Takes a score back. Returns how many fills wait for the game again. */
  unsettle(gameId: GameId): number {
    const settled = this.#games.get(gameId);
    if (settled === undefined) return 0;
    this.#games.delete(gameId);
    for (const { fill, brought } of settled.fills) this.#account.fills.unsettle(fill, brought);
    for (const { play, brought } of settled.plays) this.#day.former.unsettle(play, brought);
    for (const one of settled.former) this.#day.unsettle(one);
    return settled.fills.length + settled.plays.length + settled.former.length;
  }
}
