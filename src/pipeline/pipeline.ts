// The whole stream of a run. It merges the sources into one sequence of inputs, stamps and decodes each
// input, steps it through the core (book mirror, account, strategies), records the step and carries its
// commands out. Live runs, dry runs and backtests use this pipeline; they differ in their sources and ports
// alone.
import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import { finalize, identity, map, merge, Subject, tap } from 'rxjs';
import type {
  Arrival,
  Command,
  Input,
  SentRequest,
  StampedArrival,
  StampedInput,
  Stepped,
  Timers,
} from '../domain/index.ts';
import type { Core } from '../engine/index.ts';
import type { Decoder } from '../wire/index.ts';
import { oneByOne } from './one-by-one.ts';

/** The sources of inputs. All are hot: a value sent before the pipeline is subscribed to is lost. */
export type Sources = {
  /** The price feed: frames, and each time its connection comes up or goes down. */
  readonly prices$: Observable<Arrival>;
  /** The user feed of the account: frames, and each time its connection comes up or goes down. */
  readonly user$: Observable<Arrival>;
  /** Answers and failures of requests. */
  readonly replies$: Observable<Arrival>;
  /** Permits to send, as the request windows grant and recall them. */
  readonly permits$: Observable<Input>;
  /** Logins and lost sessions. */
  readonly sessions$: Observable<Input>;
  /** Numbers from outside sources, for strategies. */
  readonly signals$: Observable<Input>;
  /** Commands of operators and safety nets, and the first input of the run. */
  readonly operators$: Observable<Input>;
};

export type PipelinePorts = {
  readonly core: Pick<Core, 'step'>;
  readonly decoder: Pick<Decoder, 'inputOf' | 'applyCommands'>;
  readonly timers: Timers;
  /** Unix ms. */
  readonly wall: () => number;
  /** Drops price frames that a newer one replaced. When absent, every frame is decoded. */
  readonly conflate?: MonoTypeOperatorFunction<Arrival>;
  /** Records a step, with its input as it arrived, before its commands are carried out. */
  readonly record: (step: Step) => void;
  /** Sends a command to the exchange. */
  readonly send: (command: Command) => void;
  readonly alert: (alert: Extract<Command, { type: 'alert' }>) => void;
  readonly exit: (exit: Extract<Command, { type: 'exit' }>) => void;
};

/** A finished step, whose commands have been carried out. */
export type Step = Stepped & {
  readonly arrival: StampedArrival;
  /** The request that the arrival answers, or that failed. Undefined for other inputs. */
  readonly asked: SentRequest | undefined;
};

/**
 * Emits the steps of a run, from subscription until the run ends. Nothing re-enters the core: if a command
 * causes an input at once, that input is the next step. An error of the core, of `record` or of `send` ends
 * the stream with that error.
 */
export function pipeline(sources: Sources, ports: PipelinePorts): Observable<Step> {
  const { core, decoder, timers, wall } = ports;
  const ticks$ = new Subject<Input>();
  const alarm = alarmOf(timers, () => ticks$.next({ type: 'tick' }));
  let seq = 0;

  /** Decodes and stamps one arrival, and steps it through the core. */
  const step = (arrival: Arrival): Step => {
    const input = decoder.inputOf(arrival);
    const stamped: StampedInput = { seq: (seq += 1), t: wall(), mono: timers.now(), in: input };
    const { commands, events } = core.step(stamped);
    if (commands.length > 0) decoder.applyCommands(commands, stamped.mono);
    const asked = input.type === 'answer' || input.type === 'failure' ? input.asked : undefined;
    return { arrival: arrival === input ? stamped : { ...stamped, in: arrival }, asked, commands, events };
  };
  const carryOut = (command: Command): void => {
    if (command.type === 'wake') alarm.set(command.at);
    else if (command.type === 'alert') ports.alert(command);
    else if (command.type === 'exit') ports.exit(command);
    else ports.send(command);
  };
  const finish = (done: Step): void => {
    ports.record(done);
    done.commands.forEach(carryOut);
  };

  return merge(
    sources.prices$.pipe(ports.conflate ?? identity),
    sources.user$,
    sources.replies$,
    sources.permits$,
    sources.sessions$,
    sources.signals$,
    sources.operators$,
    ticks$,
  ).pipe(oneByOne<Arrival>(), map(step), tap(finish), finalize(alarm.stop));
}

/** Makes a timer that rings once, at the time set last (monotonic clock, ms). */
function alarmOf({ now, after }: Timers, ring: () => void): { set: (dueAt: number) => void; stop: () => void } {
  let dueAt = Number.POSITIVE_INFINITY;
  let timer: { readonly endsAt: number; readonly cancel: () => void } | undefined;
  const start = (): void => {
    timer = { endsAt: dueAt, cancel: after(Math.max(0, dueAt - now()), expire) };
  };
  const expire = (): void => {
    timer = undefined;
    // it was set again, to a later time
    if (dueAt > now()) start();
    else ring();
  };
  return {
    set: (time) => {
      dueAt = time;
      // most times are later than the one before: the timer that runs is not replaced
      if (timer !== undefined && timer.endsAt <= time) return;
      timer?.cancel();
      start();
    },
    stop: () => timer?.cancel(),
  };
}
