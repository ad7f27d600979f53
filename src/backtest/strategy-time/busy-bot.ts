// A bot that is busy while its strategies compute. Until they are done, in virtual time, what arrives waits,
// and nothing is sent. So it is live: strategies run in the thread that reads and sends. As live, a newer
// frame of a side replaces one that waits.
import { Observable } from 'rxjs';
import type { Arrival, StrategyId, Timers } from '../../domain/index.ts';
import { frameKeyOf } from '../../domain/index.ts';
import type { StrategyTimes } from './strategy-times.ts';

/** The virtual clock. */
type Clock = {
  readonly nowMs: number;
  /** Calls back when the clock reaches this time. */
  readonly at: (atMs: number, action: () => void) => void;
};

export class BusyBot {
  readonly #clock: Clock;
  readonly #times: StrategyTimes;
  /** What arrived meanwhile, in order. */
  readonly #waiting = new Map<string | number, () => void>();
  /** Commands of steps whose time is not over. */
  #unsent: (() => void)[] = [];
  #untilMs = 0;
  #isBusy = false;
  #isServing = false;
  #count = 0;
  /** Calls of strategies that have begun and not ended. */
  #calls = 0;

  constructor(clock: Clock, times: StrategyTimes) {
    this.#clock = clock;
    this.#times = times;
  }

  /** A strategy is called. A call within a call belongs to it. */
  enter(strategy: StrategyId): void {
    this.#calls += 1;
    if (this.#calls === 1) this.#times.enter(strategy);
  }

  leave(): void {
    this.#calls -= 1;
    if (this.#calls === 0) this.#times.leave();
  }

  /** Passes on what arrives when the bot is free. */
  readonly held = <T extends Arrival>(source: Observable<T>): Observable<T> =>
    new Observable<T>((subscriber) =>
      source.subscribe({
        next: (arrival) => {
          const key = arrival.type === 'side' ? frameKeyOf(arrival.frame) : undefined;
          this.#whenFree(key, () => subscriber.next(arrival));
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );

  /** Timers whose actions wait while the bot is busy. */
  timersOf({ now, after }: Timers): Timers {
    return {
      now,
      after: (ms, action) => {
        let isOn = true;
        const cancel = after(ms, () =>
          this.#whenFree(undefined, () => {
            if (isOn) action();
          }),
        );
        return () => {
          isOn = false;
          cancel();
        };
      },
    };
  }

  /** Ends a step, before its commands are sent: the bot is busy for as long as its strategies took. */
  endStep(seq: number): void {
    const ms = this.#times.endStep(seq);
    if (ms <= 0) return;
    const { nowMs } = this.#clock;
    this.#untilMs = (this.#isBusy ? Math.max(nowMs, this.#untilMs) : nowMs) + ms;
    this.#isBusy = true;
    this.#clock.at(this.#untilMs, () => this.#endTime());
  }

  /** Sends a command of a step when its time is over. */
  send(command: () => void): void {
    if (this.#isBusy) this.#unsent.push(command);
    else command();
  }

  #whenFree(key: string | undefined, pass: () => void): void {
    if (!this.#isBusy && !this.#isServing) {
      pass();
      return;
    }
    const place = key ?? (this.#count += 1);
    // deleted first, so that the newest frame takes the newest place in the order
    this.#waiting.delete(place);
    this.#waiting.set(place, pass);
  }

  #endTime(): void {
    // a later step took time as well
    if (!this.#isBusy || this.#clock.nowMs < this.#untilMs) return;
    const commands = this.#unsent;
    this.#unsent = [];
    for (const command of commands) command();
    this.#isBusy = false;
    this.#isServing = true;
    try {
      for (const [place, pass] of this.#waiting) {
        if (this.#isBusy) break;
        this.#waiting.delete(place);
        pass();
      }
    } finally {
      this.#isServing = false;
    }
  }
}
