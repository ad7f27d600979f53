// What requests a run sent, folded from its events: how many when, what their permits were used for, and how long slots had waited.
import type { EventOf, Phase, RequestId, RunEvent } from '../domain/index.ts';
import { RequestTimeline } from './request-timeline.ts';
import type { PermitFacts, RequestCount } from './run-facts.ts';
import type { Asked } from './waits.ts';
import { PhasePermits, Waits } from './waits.ts';

export class RequestUse {
  readonly #timeline = new RequestTimeline();
  readonly #permits = new PhasePermits();
  /** Of both phases. */
  readonly waits = new Waits();

  apply(t: number, events: readonly RunEvent[]): void {
    for (let at = 0; at < events.length; at++) {
      const event = events[at];
      if (event?.type === 'CancelSubmitted') {
        if (event.scope === undefined) this.#add('cancel', event.orders, event.isShort === true, t);
      } else if (event?.type === 'OrderSubmitted' && beginsRequest(events, at))
        this.#add('place', batchAt(events, at, event), event.isShort === true, t);
    }
  }

  #add(kind: 'place' | 'cancel', orders: readonly Asked[], isShort: boolean, t: number): void {
    this.#timeline.add(kind, t);
    this.#permits.add(kind, orders, isShort);
    for (const { why } of orders) if (why !== undefined) this.waits.add(why, isShort);
  }

  factsIn(phase: Phase): PermitFacts {
    return this.#permits.factsIn(phase);
  }

  get timeline(): readonly RequestCount[] {
    return this.#timeline.list;
  }
}

/** A batch is one request: the first of its orders, which follow each other, stands for it. */
export function beginsRequest(events: readonly RunEvent[], at: number): boolean {
  const event = events[at];
  return event?.type === 'OrderSubmitted' && !isOfRequest(events[at - 1], event.request);
}

function batchAt(events: readonly RunEvent[], at: number, first: EventOf<'OrderSubmitted'>): readonly Asked[] {
  const batch = [first];
  for (let next = events[at + 1]; isOfRequest(next, first.request); next = events[at + batch.length]) batch.push(next);
  return batch;
}

const isOfRequest = (event: RunEvent | undefined, request: RequestId): event is EventOf<'OrderSubmitted'> =>
  event?.type === 'OrderSubmitted' && event.request === request;
