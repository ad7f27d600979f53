// The one loop around the core, live and in a backtest: what arrives is stamped in one FIFO, read, taken in by the core, and
// recorded; then its commands are carried out. What they cause at once is handled after them. Nothing re-enters the core.
import type { Arrival, Command, StampedArrival, StampedInput, Timers } from '../domain/index.ts';
import type { Decoder } from '../wire/index.ts';
import type { Core } from './core.ts';

type Alert = Extract<Command, { type: 'alert' }>;
type Exit = Extract<Command, { type: 'exit' }>;

export type RunPorts = {
  readonly timers: Timers;
  /** Unix ms. */
  readonly wall: () => number;
  /** Told of every step, in order. */
  readonly record: (arrival: StampedArrival, commands: readonly Command[]) => void;
  /** A step is over, its commands are on their way: whoever looks at the core may. */
  readonly stepped?: (step: Pick<StampedInput, 'seq' | 't'>, commands: readonly Command[]) => void;
  /** Carries out what is for the exchange. */
  readonly send: (command: Command) => void;
  readonly alert: (alert: Alert) => void;
  readonly exit: (exit: Exit) => void;
  /** The core failed: nothing of the run can be trusted, and nothing more is taken in. */
  readonly failed: (error: unknown) => void;
};

export class RunLoop {
  readonly #core: Core;
  readonly #decoder: Decoder;
  readonly #ports: RunPorts;
  readonly #queue: Arrival[] = [];
  #isStepping = false;
  #isOver = false;
  #seq = 0;
  #callOffWake = (): void => undefined;

  constructor(core: Core, decoder: Decoder, ports: RunPorts) {
    this.#core = core;
    this.#decoder = decoder;
    this.#ports = ports;
  }

  /** Taken in when this returns, unless it was called by what a step did: then right after it. */
  input(arrival: Arrival): void {
    if (this.#isOver) return;
    if (this.#isStepping) {
      this.#queue.push(arrival);
      return;
    }
    this.#isStepping = true;
    try {
      for (let next: Arrival | undefined = arrival; next !== undefined; next = this.#queue.shift())
        this.#step(next);
    } catch (error) {
      this.close();
      this.#ports.failed(error);
    } finally {
      this.#isStepping = false;
    }
  }

  /** Nothing more is taken in. */
  close(): void {
    this.#isOver = true;
    this.#queue.length = 0;
    this.#callOffWake();
  }

  #step(arrival: Arrival): void {
    const { timers, wall, record } = this.#ports;
    const input = this.#decoder.inputOf(arrival);
    const seq = (this.#seq += 1);
    const t = wall();
    const mono = timers.now();
    const stamped: StampedInput = { seq, t, mono, in: input };
    const commands = this.#core.step(stamped);
    if (commands.length > 0) this.#decoder.applyCommands(commands);
    // what came read is both
    record(input === arrival ? stamped : { seq, t, mono, in: arrival }, commands);
    for (let at = 0; at < commands.length; at++) this.#execute(commands[at] as Command);
    this.#ports.stepped?.({ seq, t }, commands);
  }

  #execute(command: Command): void {
    switch (command.type) {
      case 'wake': {
        const { now, after } = this.#ports.timers;
        this.#callOffWake();
        this.#callOffWake = after(Math.max(0, command.at - now()), () => this.input({ type: 'tick' }));
        return;
      }
      case 'alert':
        this.#ports.alert(command);
        return;
      case 'exit':
        this.#ports.exit(command);
        return;
      default:
        this.#ports.send(command);
    }
  }
}
