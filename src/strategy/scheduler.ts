// The core's virtual scheduler. It reads no clock: its time is that of the last input. Due actions run in
// (due, registration) order before the input that made them due, live and in replay alike.
import type { SchedulerAction, SchedulerLike } from 'rxjs';
import { Subscription } from 'rxjs';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

class VirtualAction<T> extends Subscription implements SchedulerAction<T> {
  due = 0;
  state: T | undefined;
  readonly #scheduler: VirtualScheduler;
  readonly #work: Work<T>;
  readonly owner: SchedulerOwner;

  constructor(scheduler: VirtualScheduler, owner: SchedulerOwner, work: Work<T>) {
    super();
    this.#scheduler = scheduler;
    this.owner = owner;
    this.#work = work;
  }

  schedule(state?: T, delay = 0): Subscription {
    if (this.closed) return this;
    this.state = state;
    this.#scheduler.enqueue(this as VirtualAction<unknown>, delay);
    return this;
  }

  run(): void {
    this.#work.call(this, this.state);
  }

  override unsubscribe(): void {
    this.#scheduler.forget(this as VirtualAction<unknown>);
    super.unsubscribe();
  }
}

/**
 * The instance that registered an action. It handles what the action throws, so one owner's fault stops no
 * other's timers.
 */
export type SchedulerOwner = {
  /** Runs a due action and handles its errors. */
  readonly run: (action: () => void) => void;
};

export class VirtualScheduler {
  #now = 0;
  // few actions are pending at a time, so a sorted array beats a heap
  readonly #pending: VirtualAction<unknown>[] = [];

  /** The RxJS scheduler for one owner's operators. */
  forOwner(owner: SchedulerOwner): SchedulerLike {
    return {
      now: () => this.#now,
      schedule: <T>(work: (this: SchedulerAction<T>, state: T) => void, delay = 0, state?: T): Subscription =>
        new VirtualAction<T>(this, owner, work as Work<T>).schedule(state, delay),
    };
  }

  /** Time of the earliest pending action, monotonic ms. Undefined when none is pending. */
  get nextDue(): number | undefined {
    return this.#pending[0]?.due;
  }

  /**
   * Advances to `now` and runs the actions that are due. Actions that these register run as well when they
   * are due by `now`.
   * @param now monotonic ms
   */
  runUntil(now: number): void {
    for (;;) {
      const next = this.#pending[0];
      if (next === undefined || next.due > now) break;
      this.#pending.shift();
      if (next.due > this.#now) this.#now = next.due;
      if (!next.closed)
        next.owner.run(() => {
          next.run();
        });
    }
    if (now > this.#now) this.#now = now;
  }

  /** Schedules an action `delay` ms from now, at least 1 ms. An action that is already pending moves. */
  enqueue(action: VirtualAction<unknown>, delay: number): void {
    this.forget(action);
    // at least 1 ms, so that a loop of zero delays lets time pass; this comparison also turns NaN into 1
    action.due = this.#now + (delay >= 1 ? delay : 1);
    let index = this.#pending.length;
    while (index > 0 && (this.#pending[index - 1]?.due ?? 0) > action.due) index -= 1;
    this.#pending.splice(index, 0, action);
  }

  /** Removes an action if it is pending. */
  forget(action: VirtualAction<unknown>): void {
    const index = this.#pending.indexOf(action);
    if (index >= 0) this.#pending.splice(index, 1);
  }
}
