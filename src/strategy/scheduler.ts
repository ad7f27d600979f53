// The core's virtual scheduler. It knows no clock: time is what the last input said. Due actions run in
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

/** Who registered an action; told when it throws, so that one owner's fault does not stop another's timers. */
export type SchedulerOwner = {
  /** Wraps the run of a due action. */
  readonly run: (action: () => void) => void;
};

export class VirtualScheduler {
  #now = 0;
  // few actions are pending at a time, so a sorted array beats a heap
  readonly #pending: VirtualAction<unknown>[] = [];

  /** The scheduler that one owner's operators use. */
  forOwner(owner: SchedulerOwner): SchedulerLike {
    return {
      now: () => this.#now,
      schedule: <T>(work: (this: SchedulerAction<T>, state: T) => void, delay = 0, state?: T): Subscription =>
        new VirtualAction<T>(this, owner, work as Work<T>).schedule(state, delay),
    };
  }

  get nextDue(): number | undefined {
    return this.#pending[0]?.due;
  }

  /** Advances to `now`, running what became due. An action may register new ones, which run too when due by then. */
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

  enqueue(action: VirtualAction<unknown>, delay: number): void {
    this.forget(action);
    // at least 1 ms, so that a loop of empty delays lets time pass; written so that NaN cannot break the order
    action.due = this.#now + (delay >= 1 ? delay : 1);
    let at = this.#pending.length;
    while (at > 0 && (this.#pending[at - 1]?.due ?? 0) > action.due) at -= 1;
    this.#pending.splice(at, 0, action);
  }

  forget(action: VirtualAction<unknown>): void {
    const at = this.#pending.indexOf(action);
    if (at >= 0) this.#pending.splice(at, 1);
  }
}
