// What a strategy file finds as `process.exit`: it throws. Else a bot would be gone with its orders open, and a backtest or
// a check without a word.
import { syncBuiltinESMExports } from 'node:module';

/** Ends the process or the thread, for us. */
export const leave = process.exit.bind(process);

const trap = (): never => {
  throw new Error('process.exit() is not for strategies: emit no quotes, or throw');
};

/** From now on, for every file of the process. */
export function trapExit(): void {
  process.exit = trap;
  syncBuiltinESMExports();
}
