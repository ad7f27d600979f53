// The needs of all markets, ordered so that a plan reads only the best and a wake-up only the next. Needs
// that can be met without a place permit are kept separately and read in full; the others are ordered by
// rank, by waiting time, or by when their block ends.
import type { MarketId, SlotId } from '../domain/index.ts';
import { Heap } from './heap.ts';
import type { Cancel, Move, Need, Place } from './needs.ts';
import { cancelOf } from './needs.ts';
import type { SlotBlocks } from './slot-blocks.ts';

/** A need that only a place permit meets, and its position. */
class WaitingNeed {
  need: Move | Place;
  /** A running number: among equals, the first to come is first. */
  readonly number: number;
  /** When the need may be met, monotonic ms. */
  due = 0;
  heap: Heap<WaitingNeed> | undefined = undefined;
  heapIndex = 0;
  /** Its position among all that are ready, by waiting time. */
  readonly turn: WaitEntry = { waiting: this, heapIndex: 0 };

  constructor(need: Move | Place, number: number) {
    this.need = need;
    this.number = number;
  }
}
type WaitEntry = { readonly waiting: WaitingNeed; heapIndex: number };

const NOTHING: readonly Need[] = [];
const NONE_URGENT: readonly (Cancel | Move)[] = [];

export class NeedPool {
  readonly #blocks: SlotBlocks;
  readonly #mayEdit: boolean;
  readonly #needs = new Map<MarketId, readonly Need[]>();
  readonly #urgent = new Map<MarketId, readonly (Cancel | Move)[]>();
  readonly #waiting = new Map<SlotId, WaitingNeed>();
  readonly #ready = { generous: new Heap(byRank), shy: new Heap(byRank), place: new Heap(byRank) };
  readonly #readyHeaps = [this.#ready.generous, this.#ready.shy, this.#ready.place] as const;
  /** All ready needs, the longest wait first. */
  readonly #byWait = new Heap(bySince);
  readonly #blocked = new Heap(byDue);
  /** Blocked moves of offers that give too much away meanwhile. */
  readonly #exposed = new Set<WaitingNeed>();
  #count = 0;

  /** `mayEdit`: a move is sent as an edit, else as a cancel. */
  constructor(blocks: SlotBlocks, mayEdit: boolean) {
    this.#blocks = blocks;
    this.#mayEdit = mayEdit;
  }

  /** Replaces the needs of a market. */
  replace(market: MarketId, needs: readonly Need[], now: number): void {
    const former = this.#needs.get(market) ?? NOTHING;
    if (former.length === 0 && needs.length === 0) return;
    let urgent: (Cancel | Move)[] | undefined;
    for (const need of needs) {
      // a slot that still needs something keeps its waiting time
      need.since = waitingSince(former, need.slot) ?? now;
      if (this.#isUrgent(need)) (urgent ??= []).push(need);
      else this.#keep(need, now);
    }
    for (const { slot } of former) {
      const waiting = this.#waiting.get(slot);
      if (waiting !== undefined && !needs.includes(waiting.need)) this.#drop(waiting);
    }
    setOrDelete(this.#needs, market, needs);
    setOrDelete(this.#urgent, market, urgent ?? NONE_URGENT);
  }

  /** The needs of a market. */
  in(market: MarketId): readonly Need[] {
    return this.#needs.get(market) ?? NOTHING;
  }

  /** The needs of all markets. */
  *all(): Iterable<Need> {
    for (const needs of this.#needs.values()) yield* needs;
  }

  #isUrgent(need: Need): need is Cancel | Move {
    return need.type === 'cancel' || (need.type === 'move' && (need.dangerous || !this.#mayEdit));
  }

  /** The needs that may be met now without a place permit. */
  urgent(now: number, onlyCancels: boolean): Need[] {
    this.#refile(now);
    const ready: Need[] = [];
    for (const needs of this.#urgent.values()) {
      for (const need of needs) {
        if (need.type === 'cancel') ready.push(need);
        else if (onlyCancels) continue;
        else if (!this.#blocks.isBlocked(need.target, now)) ready.push(need);
        else if (need.generous) ready.push(cancelInstead(need));
      }
    }
    if (!onlyCancels) for (const { need } of this.#exposed) if (need.type === 'move') ready.push(cancelInstead(need));
    return ready;
  }

  /** True when no need may be met now. */
  isQuiet(now: number): boolean {
    this.#refile(now);
    return this.#urgent.size === 0 && this.#exposed.size === 0 && this.#byWait.first === undefined;
  }

  /** The best needs for a place permit, at most `most` of a kind, and the one that waits longest. */
  best(most: number, now: number): Need[] {
    this.#refile(now);
    const best: Need[] = [];
    for (const heap of this.#readyHeaps) for (const { need } of heap.best(most)) best.push(need);
    const longest = this.#byWait.first?.waiting.need;
    if (longest !== undefined && !best.includes(longest)) best.push(longest);
    return best;
  }

  /** When the next need may be met if nothing else changes, monotonic ms. */
  nextDue(now: number): number {
    this.#refile(now);
    if (this.#byWait.first !== undefined || this.#exposed.size > 0) return now;
    let due = this.#blocked.first?.due ?? Number.POSITIVE_INFINITY;
    for (const needs of this.#urgent.values())
      for (const need of needs) {
        // an offer that gives too much is cancelled rather than left to wait
        if (need.type === 'cancel' || need.generous) return now;
        due = Math.min(due, this.#blocks.nextDue(need.target));
      }
    return Math.max(now, due);
  }

  /** Sorts in again what became free, by time or by a change of its slot. */
  #refile(now: number): void {
    if (this.#blocks.changed.size > 0) {
      for (const slot of this.#blocks.changed) {
        const waiting = this.#waiting.get(slot);
        if (waiting !== undefined) this.#file(waiting, now);
      }
      this.#blocks.changed.clear();
    }
    for (let next = this.#blocked.first; next !== undefined && next.due <= now; next = this.#blocked.first)
      this.#file(next, now);
  }

  #keep(need: Move | Place, now: number): void {
    let waiting = this.#waiting.get(need.slot);
    if (waiting === undefined) {
      waiting = new WaitingNeed(need, (this.#count += 1));
      this.#waiting.set(need.slot, waiting);
    }
    waiting.need = need;
    this.#file(waiting, now);
  }

  #file(waiting: WaitingNeed, now: number): void {
    const { need } = waiting;
    waiting.due = this.#blocks.nextDue(need.target);
    const isGenerous = need.type === 'move' && need.generous;
    const kind = need.type === 'place' ? 'place' : isGenerous ? 'generous' : 'shy';
    const heap = waiting.due > now ? this.#blocked : this.#ready[kind];
    if (heap === this.#blocked && isGenerous) this.#exposed.add(waiting);
    else this.#exposed.delete(waiting);
    if (heap === waiting.heap) {
      heap.move(waiting);
      return;
    }
    this.#leave(waiting);
    heap.addItem(waiting);
    waiting.heap = heap;
    if (heap !== this.#blocked) this.#byWait.addItem(waiting.turn);
  }

  #drop(waiting: WaitingNeed): void {
    this.#leave(waiting);
    this.#exposed.delete(waiting);
    this.#waiting.delete(waiting.need.slot);
  }

  #leave(waiting: WaitingNeed): void {
    const { heap } = waiting;
    if (heap === undefined) return;
    heap.remove(waiting);
    if (heap !== this.#blocked) this.#byWait.remove(waiting.turn);
  }
}

function waitingSince(former: readonly Need[], slot: SlotId): number | undefined {
  for (const need of former) if (need.slot === slot) return need.since;
  return undefined;
}

/** The cancel of an offer that gives too much away and whose new price is refused for now. */
const cancelInstead = (need: Move): Cancel => ({
  ...cancelOf(need.order, 'generous', need.target),
  since: need.since,
});

const byRank = (a: WaitingNeed, b: WaitingNeed): number => b.need.rank - a.need.rank || a.number - b.number;

const bySince = ({ waiting: a }: WaitEntry, { waiting: b }: WaitEntry): number =>
  (a.need.since ?? 0) - (b.need.since ?? 0) || a.number - b.number;

/** Two infinite times compare as equal. */
const byDue = (a: WaitingNeed, b: WaitingNeed): number => (a.due === b.due ? a.number - b.number : a.due - b.due);

function setOrDelete<K, V>(map: Map<K, readonly V[]>, key: K, values: readonly V[]): void {
  if (values.length === 0) map.delete(key);
  else map.set(key, values);
}
