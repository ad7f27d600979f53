// The stream of a run in one piece. Sources are merged into one line of inputs; each input is stamped, read, and stepped through
// the core, which keeps the book mirror, the account and the strategies; the commands that come out are recorded and carried out.
// A live run, a dry run and a backtest use the same pipeline: they differ in their sources and ports.
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

/** Where inputs come from. All are hot: what is sent before the pipeline is subscribed to is lost. */
export type Sources = {
  /** The price feed: its connection comes up, brings frames, falls, and comes up again. */
  readonly prices$: Observable<Arrival>;
  /** The user feed of the account, with its connections. */
  readonly user$: Observable<Arrival>;
  /** Answers and failures of requests. */
  readonly replies$: Observable<Arrival>;
  /** Rights to send, as the request windows grant them and take them back. */
  readonly permits$: Observable<Input>;
  /** Logins, and sessions that were lost. */
  readonly sessions$: Observable<Input>;
  /** Numbers from outside for strategies. */
  readonly signals$: Observable<Input>;
  /** Operators, safety nets, and the first input of the run. */
  readonly operators$: Observable<Input>;
};

export type PipelinePorts = {
  readonly core: Pick<Core, 'step'>;
  readonly decoder: Pick<Decoder, 'inputOf' | 'applyCommands'>;
  readonly timers: Timers;
  /** Unix ms. */
  readonly wall: () => number;
  /** Leaves out price frames that a newer one replaced. Absent: every frame is read. */
  readonly conflate?: MonoTypeOperatorFunction<Arrival>;
  /** Keeps a step, as its input arrived, before its commands are carried out. */
  readonly record: (step: Step) => void;
  /** Carries out what is for the exchange. */
  readonly send: (command: Command) => void;
  readonly alert: (alert: Extract<Command, { type: 'alert' }>) => void;
  readonly exit: (exit: Extract<Command, { type: 'exit' }>) => void;
};

/** A step that is done: its commands are on their way. */
export type Step = Stepped & {
  readonly arrival: StampedArrival;
  /** What the arrival answers, or the request that has no answer. */
  readonly asked: SentRequest | undefined;
};

/**
 * The steps of a run, from the moment of subscription until it ends. Nothing re-enters the core: what a command causes at
 * once is the next input. Errors of the core, of `record` and of `send` end the stream as its error.
 */
export function pipeline(sources: Sources, ports: PipelinePorts): Observable<Step> {
  const { core, decoder, timers, wall } = ports;
  const ticks$ = new Subject<Input>();
  const alarm = alarmOf(timers, () => ticks$.next({ type: 'tick' }));
  let seq = 0;

  /** Stamped, read, and stepped through the core. */
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

/** Rings once at the time that was set last, of the monotonic clock, ms. */
function alarmOf({ now, after }: Timers, ring: () => void): { set: (at: number) => void; stop: () => void } {
  let cancel: (() => void) | undefined;
  return {
    set: (at) => {
      cancel?.();
      cancel = after(Math.max(0, at - now()), ring);
    },
    stop: () => cancel?.(),
  };
}
