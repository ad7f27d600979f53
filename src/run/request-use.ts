// Folds the requests of a run: how many over time, what their permits were used for, and how long slots
// waited.
import type { EventOf, Phase, RequestId, RunEvent } from '../domain/index.ts';
import { RequestTimeline } from './request-timeline.ts';
import type { PermitFacts, RequestCount } from './run-facts.ts';
import type { Asked } from './waits.ts';
import { PhasePermits, Waits } from './waits.ts';

export class RequestUse {
  readonly #timeline = new RequestTimeline();
  readonly #permits = new PhasePermits();
  /** Waiting times of both phases. */
  readonly waits = new Waits();

  applyEvents(t: number, events: readonly RunEvent[]): void {
    for (let index = 0; index < events.length; index++) {
      const event = events[index];
      if (event?.type === 'CancelSubmitted') {
        if (event.scope === undefined) this.#add('cancel', event.orders, event.isShort === true, t);
      } else if (event?.type === 'OrderSubmitted' && beginsRequest(events, index))
        this.#add('place', batchAt(events, index, event), event.isShort === true, t);
    }
  }

  #add(kind: 'place' | 'cancel', orders: readonly Asked[], isShort: boolean, t: number): void {
    this.#timeline.addRequest(kind, t);
    this.#permits.addRequest(kind, orders, isShort);
    for (const { why } of orders) if (why !== undefined) this.waits.addWait(why, isShort);
  }

  factsIn(phase: Phase): PermitFacts {
    return this.#permits.factsIn(phase);
  }

  get timeline(): readonly RequestCount[] {
    return this.#timeline.list;
  }
}

/** True for the first order of a request. The orders of a batch follow each other and are one request. */
export function beginsRequest(events: readonly RunEvent[], index: number): boolean {
  const event = events[index];
  return event?.type === 'OrderSubmitted' && !isOfRequest(events[index - 1], event.request);
}

function batchAt(events: readonly RunEvent[], index: number, first: EventOf<'OrderSubmitted'>): readonly Asked[] {
  const batch = [first];
  for (let next = events[index + 1]; isOfRequest(next, first.request); next = events[index + batch.length])
    batch.push(next);
  return batch;
}

const isOfRequest = (event: RunEvent | undefined, request: RequestId): event is EventOf<'OrderSubmitted'> =>
  event?.type === 'OrderSubmitted' && event.request === request;
