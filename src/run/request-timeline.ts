// Counts requests over time, in intervals that grow with the run so that memory stays bounded.
import type { RequestCount } from './run-facts.ts';

const MOST = 400;

export class RequestTimeline {
  #stepMs = 60_000;
  #counts: { t: number; place: number; cancel: number }[] = [];

  addRequest(kind: 'place' | 'cancel', nowMs: number): void {
    const t = Math.floor(nowMs / this.#stepMs) * this.#stepMs;
    const last = this.#counts.at(-1);
    if (last?.t === t) last[kind] += 1;
    else this.#counts.push({ t, place: 0, cancel: 0, [kind]: 1 });
    if (this.#counts.length > MOST) this.#merge();
  }

  get list(): readonly RequestCount[] {
    return this.#counts;
  }

  #merge(): void {
    this.#stepMs *= 2;
    const merged: { t: number; place: number; cancel: number }[] = [];
    for (const { t, place, cancel } of this.#counts) {
      const begin = Math.floor(t / this.#stepMs) * this.#stepMs;
      const last = merged.at(-1);
      if (last?.t === begin) {
        last.place += place;
        last.cancel += cancel;
      } else merged.push({ t: begin, place, cancel });
    }
    this.#counts = merged;
  }
}
