// The RxJS wiring around the core: one stream of inputs in, one stream of commands out. Inputs are stamped at the door,
// in one FIFO: an input that a command causes at once is handled after the step that sent the command.
import type { Observable } from 'rxjs';
import { map, mergeMap, observeOn, queueScheduler, share } from 'rxjs';
import type { Command, Input, StampedInput } from '../domain/index.ts';
import type { Core } from './core.ts';

/** Wall clock (Unix ms) and monotonic clock (ms). */
export type Clock = { readonly wall: () => number; readonly mono: () => number };

/** Told of every step, in order: the journal. */
export type Recorder = (input: StampedInput, commands: readonly Command[]) => void;

export function runCore(
  core: Core,
  inputs$: Observable<Input>,
  clock: Clock,
  record: Recorder,
): Observable<Command> {
  let seq = 0;
  return inputs$.pipe(
    observeOn(queueScheduler),
    map((input): StampedInput => ({ seq: (seq += 1), t: clock.wall(), mono: clock.mono(), in: input })),
    mergeMap((stamped) => {
      const commands = core.step(stamped);
      record(stamped, commands);
      return commands;
    }),
    share(),
  );
}
