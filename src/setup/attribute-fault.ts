// Attributes errors thrown outside of a step to the strategy that threw them.
import { OddsmakerError } from '../domain/index.ts';
import { placeOf, asError, isOnInAnyGeneration } from '../strategy/host/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';

/** Process events for such errors: thrown in a callback, or rejected in an unhandled promise. */
export const THROWN = ['uncaughtException', 'unhandledRejection'] as const;

/** Whether an error code blames a strategy. */
export const isOfStrategy = (code: string): boolean => code.startsWith('STRATEGY_') || code === 'ASYNC_EMISSION';

/**
 * Whether an error code means that the strategy was disabled. STRATEGY_COMPLETED may be intended, and after a
 * STRATEGY_STRIKE the strategy continues.
 */
export const takesStrategyOff = (code: string): boolean =>
  isOfStrategy(code) && code !== 'STRATEGY_COMPLETED' && code !== 'STRATEGY_STRIKE';

/** Wraps the error as STRATEGY_INVALID with the strategy's id. Unchanged when no strategy is on its stack. */
export function attributeFault(modules: readonly StrategyModule[], thrown: unknown): Error {
  const error = asError(thrown);
  const { stack = '' } = error;
  const guilty = modules.find(({ url }) => isOnInAnyGeneration(stack, url));
  return guilty === undefined
    ? error
    : new OddsmakerError(
        'STRATEGY_INVALID',
        `strategy ${guilty.id} (${guilty.file}) threw outside a dispatch, in a promise or a callback: ${error.message}${placeOf(error)}`,
      );
}
