// What the log says of code that is valid but probably unintended, when a strategy is loaded.
import type { RecordedStrategy } from '../journal/index.ts';
import type { Log } from '../ops/index.ts';
import { habitsOf } from '../setup/index.ts';

export function warnHabits(log: Log, strategies: readonly RecordedStrategy[]): void {
  for (const { file, line, text } of habitsOf(strategies))
    log.warn('a strategy has code that is valid but probably unintended', { file, line, warning: text });
}
