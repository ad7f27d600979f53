// What a run finds at its start besides the account: what a human or a limit left tightened, and that the run before was gone
// without an orderly end (rules.md, 14).
import type { StrategyId } from './brand.ts';

/** How far the bot may trade. */
export type TradingState = 'active' | 'reduce-only' | 'halted';

/** Tightened by a human or a limit: it holds over restarts, until `resume`. */
export type Standing = {
  readonly state: TradingState;
  readonly reason: string;
  readonly paused: boolean;
  /** Strategies that an operator paused; none: left out. */
  readonly strategies?: readonly StrategyId[];
  /** Halted for another bot of the account, whose orders stay: no cancelAllOrders. */
  readonly ownOnly?: true;
};

const RANK: Readonly<Record<TradingState, number>> = { active: 0, 'reduce-only': 1, halted: 2 };

/** Of two records the tighter holds, and a pause that either of them has. */
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
 * Whose word ends a wait: the guard's, which clears the account behind its fence, an operator's after a crash, or a list without an
 * order of another bot of the instance.
 */
export type WaitsFor = 'fence' | 'crash' | 'instance';

export type AfterCrash = {
  /** Of the process that was gone. */
  readonly pid: number;
  /** How often a run was gone like that within the last ten minutes. */
  readonly crashes: number;
  /** Why an operator must say `resume` first; undefined: the run goes on where account and journals agree. */
  readonly wait?: string;
  /** The runs of which there are journals. */
  readonly runs: readonly string[];
};
