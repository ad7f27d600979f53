// The state that a run finds at its start besides the account: restrictions left by an operator or a limit,
// and a previous run without an orderly end (rules.md, 14).
import type { StrategyId } from './brand.ts';

/** How far the bot may trade. */
export type TradingState = 'active' | 'reduce-only' | 'halted';

/** A restriction by an operator or a limit: it survives restarts, until `resume`. */
export type Standing = {
  readonly state: TradingState;
  readonly reason: string;
  readonly paused: boolean;
  /** The strategies that an operator paused; absent when there are none. */
  readonly strategies?: readonly StrategyId[];
  /** Set when the bot halted because of another bot of the account, whose orders stay: no cancelAllOrders. */
  readonly ownOnly?: true;
};

const RANK: Readonly<Record<TradingState, number>> = { active: 0, 'reduce-only': 1, halted: 2 };

/** The tighter of two records, with the pauses of both. */
export function tighterOf(a: Standing | undefined, b: Standing | undefined): Standing | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const tighter = RANK[b.state] > RANK[a.state] || (RANK[b.state] === RANK[a.state] && b.paused) ? b : a;
  const strategies = [...new Set([...(a.strategies ?? []), ...(b.strategies ?? [])])];
  return {
    ...tighter,
    paused: a.paused || b.paused,
    ...(strategies.length === 0 ? {} : { strategies }),
  };
}

/**
 * The party that ends a wait: the guard, which clears the account behind its fence; an operator after a
 * crash; or a list without an order of another bot of the instance.
 */
export type WaitsFor = 'fence' | 'crash' | 'instance';

export type AfterCrash = {
  /** The id of the process that ended without an orderly stop. */
  readonly pid: number;
  /** The number of such ends within the last ten minutes. */
  readonly crashes: number;
  /**
   * Why an operator must send `resume` first. Undefined when the run continues once account and journals
   * agree.
   */
  readonly wait?: string;
  /** The runs with journals. */
  readonly runs: readonly string[];
};
