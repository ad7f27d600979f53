// A bot on the virtual clock: the same core as live, the exchange in process behind the gateway port. Nothing in it depends
// on the machine or the hour: the same options give the same run, command for command.
import type { Command, Input, StampedInput, StrategyId, UnansweredOrder } from '../domain/index.ts';
import type { CoreSettings, CoreStatus } from '../engine/index.ts';
import { Core } from '../engine/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
import { TimerTrap } from './timer-trap.ts';
import type { VirtualGatewaySettings } from './virtual-gateway.ts';
import { VirtualGateway } from './virtual-gateway.ts';

export type VirtualRunOptions = {
  readonly exchange: InProcessExchange;
  readonly settings: CoreSettings;
  readonly gateway: VirtualGatewaySettings;
  /** Makes references unique across restarts. */
  readonly run: string;
  /** Orders of the run before that may still land. */
  readonly unanswered?: readonly UnansweredOrder[];
  /** Told of every step, in order: the journal. */
  readonly record?: (input: StampedInput, commands: readonly Command[]) => void;
  readonly alert?: (alert: Extract<Command, { type: 'alert' }>) => void;
};

export type VirtualEnd = { readonly code: number; readonly reason: string };

export class VirtualRun {
  readonly core: Core;
  readonly gateway: VirtualGateway;
  /** How the run ended; undefined while it goes on. */
  ended: VirtualEnd | undefined;
  readonly #options: VirtualRunOptions;
  readonly #startMs: number;
  readonly #queue: Input[] = [];
  #stepping = false;
  #seq = 0;
  #wakes = 0;
  #killed = false;

  constructor(options: VirtualRunOptions) {
    this.#options = options;
    this.#startMs = options.exchange.nowMs;
    const reportAsync = (strategy: StrategyId, what: string): void =>
      this.input({
        type: 'strategy-fault',
        strategy,
        code: 'ASYNC_EMISSION',
        detail: `${what}: give the scheduler to its time operators`,
      });
    const trap = new TimerTrap((strategy, name) => {
      reportAsync(strategy, `it set a timer of the process (${name})`);
    });
    this.core = new Core(options.settings, {
      // nothing of a replay is measured
      reportAsync: (strategy, place) => reportAsync(strategy, `it emitted outside a dispatch${place}`),
      enter: (strategy) => trap.enter(strategy),
      leave: () => trap.leave(),
    });
    this.gateway = new VirtualGateway(
      options.exchange,
      options.gateway,
      (id) => this.core.gameOf(id),
      (input) => this.input(input),
    );
  }

  start(): void {
    const { run, unanswered = [] } = this.#options;
    this.input({ type: 'boot', run, ...(unanswered.length > 0 ? { unanswered } : {}) });
    this.gateway.start();
  }

  /** One input; inputs that its commands cause at once come after it. */
  input(input: Input): void {
    if (this.#killed) return;
    this.#queue.push(input);
    if (this.#stepping) return;
    this.#stepping = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#step(next);
    } finally {
      this.#stepping = false;
    }
  }

  stop(): void {
    this.input({ type: 'operator', command: 'stop' });
  }

  /** kill -9: nothing more is sent or heard. */
  kill(): void {
    this.#killed = true;
    this.gateway.close();
  }

  status(): CoreStatus {
    return this.core.status();
  }

  #step(input: Input): void {
    const { nowMs } = this.#options.exchange;
    this.#seq += 1;
    const stamped: StampedInput = { seq: this.#seq, t: nowMs, mono: nowMs - this.#startMs, in: input };
    const commands = this.core.step(stamped);
    this.#options.record?.(stamped, commands);
    for (const command of commands) this.#execute(command);
  }

  #execute(command: Command): void {
    switch (command.type) {
      case 'wake': {
        const wake = (this.#wakes += 1);
        const { exchange } = this.#options;
        exchange.at(Math.max(exchange.nowMs, this.#startMs + command.at), () => {
          if (wake === this.#wakes) this.input({ type: 'tick' });
        });
        return;
      }
      case 'alert':
        this.#options.alert?.(command);
        return;
      case 'exit':
        this.ended ??= { code: command.code, reason: command.reason };
        return;
      default:
        this.gateway.execute(command);
    }
  }
}
