// Pauses strategies that are picked off. A fill is losing when, `markoutMs` later, the consensus values its
// side below the price paid. Too many losing fills pause the strategy: better informed takers should not get
// its quotes.
import type { Fill, GameId, StrategyId } from '../domain/index.ts';
import { probabilityOfRung, sideIndex, swappedPlace } from '../domain/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import type { Prices } from './prices.ts';
import type { LosingFillsRule, SafetySettings } from './settings.ts';

type Waiting = { readonly fill: Fill; readonly strategy: StrategyId; readonly dueAt: number };

export class LosingFills {
  readonly #buffer: CommandBuffer;
  readonly #safety: Pick<SafetySettings, 'losingFills'>;
  readonly #prices: Prices;
  readonly #waiting: Waiting[] = [];
  readonly #losses = new Map<StrategyId, number[]>();
  readonly #pausedUntil = new Map<StrategyId, number>();

  constructor(buffer: CommandBuffer, safety: Pick<SafetySettings, 'losingFills'>, prices: Prices) {
    this.#buffer = buffer;
    this.#safety = safety;
    this.#prices = prices;
  }

  /** The current rule. Undefined when there is none. */
  get #rule(): LosingFillsRule | undefined {
    return this.#safety.losingFills;
  }

  applyFill(fill: Fill): void {
    if (this.#rule === undefined || fill.strategy === undefined) return;
    this.#waiting.push({ fill, strategy: fill.strategy, dueAt: this.#buffer.now + this.#rule.markoutMs });
  }

  /** Home and away of a game changed places: each fill stays on its team. */
  swapTeams(gameId: GameId): void {
    for (const [index, entry] of this.#waiting.entries())
      if (entry.fill.market.gameId === gameId) this.#waiting[index] = { ...entry, fill: swappedPlace(entry.fill) };
  }

  isPaused(strategy: StrategyId): boolean {
    return (this.#pausedUntil.get(strategy) ?? Number.NEGATIVE_INFINITY) > this.#buffer.now;
  }

  /** When the next fill is marked or the next pause ends, monotonic ms. */
  get nextDue(): number {
    let due = this.#waiting[0]?.dueAt ?? Number.POSITIVE_INFINITY;
    if (this.#pausedUntil.size > 0) for (const until of this.#pausedUntil.values()) due = Math.min(due, until);
    return due;
  }

  /**
   * Marks the fills that are due. True when a strategy's pause began or ended, so its quotes must be decided
   * again.
   */
  housekeep(): boolean {
    let changed = false;
    for (const [strategy, until] of this.#pausedUntil) {
      if (until > this.#buffer.now) continue;
      this.#pausedUntil.delete(strategy);
      changed = true;
    }
    for (let next = this.#waiting[0]; next !== undefined && next.dueAt <= this.#buffer.now; next = this.#waiting[0]) {
      this.#waiting.shift();
      if (this.#isLosing(next.fill) && this.#applyLoss(next.strategy)) changed = true;
    }
    return changed;
  }

  #isLosing({ market, side, rung }: Fill): boolean {
    const p = this.#prices.get(market.id);
    if (p === undefined) return false;
    return (sideIndex(side) === 0 ? p : 1 - p) < probabilityOfRung(rung);
  }

  #applyLoss(strategy: StrategyId): boolean {
    const { now } = this.#buffer;
    if (this.#rule === undefined || this.isPaused(strategy)) return false;
    const { count, withinMs, pauseMs } = this.#rule;
    const losses = (this.#losses.get(strategy) ?? []).filter((lostAt) => now - lostAt <= withinMs);
    losses.push(now);
    this.#losses.set(strategy, losses);
    if (losses.length < count) return false;
    this.#losses.delete(strategy);
    this.#pausedUntil.set(strategy, now + pauseMs);
    this.#buffer.alert('warn', 'LOSING_FILLS', 'a strategy is picked off and pauses', {
      strategy,
      losingFills: losses.length,
      withinMs,
      pauseMs,
    });
    return true;
  }
}
