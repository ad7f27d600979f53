// The scores of games in play, from the signals `lead:`, `clock:` and `scored:`. A score that jumps back is not
// believed until it has held for as long as a score may be old: nothing is priced by guess.
import type { GameId } from '../domain/index.ts';
import { forgetOldest, SCORE_PREFIXES } from '../domain/index.ts';
import type { GameScore } from '../pricing/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

/** What was received last of a game. */
type Seen = {
  clock: number;
  scored: number;
  /** Until when it is not believed, monotonic ms. */
  doubtUntil: number;
};

/** Games that are remembered. */
const MOST_GAMES = 10_000;
/** A clock may run up by this much, as senders round differently. */
const ROUNDING = 0.002;

export class Scores {
  readonly #signal: (name: string) => number | undefined;
  readonly #buffer: Pick<CommandBuffer, 'alert' | 'now'>;
  readonly #mostAgeMs: number;
  readonly #seen = new Map<GameId, Seen>();

  /** `mostAgeMs`: signals.scoreAge; older signals are not on the board. */
  constructor(
    signal: (name: string) => number | undefined,
    buffer: Pick<CommandBuffer, 'alert' | 'now'>,
    mostAgeMs: number,
  ) {
    this.#signal = signal;
    this.#buffer = buffer;
    this.#mostAgeMs = mostAgeMs;
  }

  /** The score of a game. Undefined when it is not known, too old, or contradicts itself. */
  scoreOf(id: GameId): GameScore | undefined {
    const lead = this.#signal(SCORE_PREFIXES.lead + id);
    const clock = this.#signal(SCORE_PREFIXES.clock + id);
    const scored = this.#signal(SCORE_PREFIXES.scored + id);
    if (lead === undefined || clock === undefined) return undefined;
    if ((this.#seen.get(id)?.doubtUntil ?? 0) > this.#buffer.now) return undefined;
    const isWhole = scored === undefined || (scored >= Math.abs(lead) && (scored - lead) % 2 === 0);
    return { lead, clock, ...(scored !== undefined && isWhole ? { scored } : {}) };
  }

  /** Applies changed signals. */
  applySignals(names: readonly string[]): void {
    for (const name of names) {
      const kind = name.startsWith(SCORE_PREFIXES.clock)
        ? 'clock'
        : name.startsWith(SCORE_PREFIXES.scored)
          ? 'scored'
          : undefined;
      if (kind === undefined) continue;
      const value = this.#signal(name);
      if (value !== undefined) this.#note(name.slice(SCORE_PREFIXES[kind].length) as GameId, kind, value);
    }
  }

  #note(id: GameId, kind: 'clock' | 'scored', value: number): void {
    const seen = this.#seen.get(id) ?? { clock: 1, scored: 0, doubtUntil: 0 };
    const before = seen[kind];
    const isBack = kind === 'clock' ? value > before + ROUNDING : value < before;
    seen[kind] = value;
    this.#seen.set(id, seen);
    forgetOldest(this.#seen, MOST_GAMES);
    if (!isBack) return;
    seen.doubtUntil = this.#buffer.now + this.#mostAgeMs;
    const message =
      kind === 'clock'
        ? 'the clock of a game runs up: the game has no price in play for a while'
        : 'the score of a game falls: the game has no price in play for a while';
    this.#buffer.alert('warn', 'SCORE_BACK', message, {
      gameId: id,
      before,
      now: value,
      seconds: this.#mostAgeMs / 1000,
    });
  }
}
