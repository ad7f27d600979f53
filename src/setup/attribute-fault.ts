// What was thrown outside of a step, told with the strategy whose it was.
import { OddsmakerError } from '../domain/index.ts';
import { placeOf, asError, isOnInAnyGeneration } from '../strategy/host/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';

/** How it is heard: in a callback, or in a promise that nobody looks at. */
export const THROWN = ['uncaughtException', 'unhandledRejection'] as const;

/** Code of an error that is a strategy's. */
export const isOfStrategy = (code: string): boolean => code.startsWith('STRATEGY_') || code === 'ASYNC_EMISSION';

/** The same, and the strategy was taken off for it: one whose intents end may mean it, and a slow one goes on. */
export const takesStrategyOff = (code: string): boolean =>
  isOfStrategy(code) && code !== 'STRATEGY_COMPLETED' && code !== 'STRATEGY_STRIKE';

/** By whom, where that can be told: then it is STRATEGY_INVALID. */
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
