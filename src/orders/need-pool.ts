// What all markets need, kept so that a plan looks at the best of it and a wake-up at the next of it, however many markets
// there are. What can go without a place permit is kept apart and looked at whole; the rest stands in order of rank, of who
// has waited longest, or of the time at which what blocks it is over.
import type { MarketId, SlotId } from '../domain/index.ts';
import { Heap } from './heap.ts';
import type { Cancel, Move, Need, Place } from './needs.ts';
import { cancelOf } from './needs.ts';
import type { SlotBlocks } from './slot-blocks.ts';

/** A need that only a place permit meets, and where it stands. */
class Patient {
  need: Move | Place;
  /** Counted over all: who came first goes first among equals. */
  readonly number: number;
  /** When it may be met, monotonic ms. */
  due = 0;
  heap: Heap<Patient> | undefined = undefined;
  seat = 0;
  /** Its seat among all that are ready. */
  readonly turn: Turn = { patient: this, seat: 0 };

  constructor(need: Move | Place, number: number) {
    this.need = need;
    this.number = number;
  }
}
type Turn = { readonly patient: Patient; seat: number };

const NOTHING: readonly Need[] = [];
const NONE_URGENT: readonly (Cancel | Move)[] = [];

export class NeedPool {
  readonly #blocks: SlotBlocks;
  readonly #mayEdit: boolean;
  readonly #needs = new Map<MarketId, readonly Need[]>();
  readonly #urgent = new Map<MarketId, readonly (Cancel | Move)[]>();
  readonly #patients = new Map<SlotId, Patient>();
  readonly #ready = { generous: new Heap(byRank), shy: new Heap(byRank), place: new Heap(byRank) };
  readonly #readyHeaps = [this.#ready.generous, this.#ready.shy, this.#ready.place] as const;
  /** The same, whoever has waited longest first. */
  readonly #turns = new Heap(bySince);
  readonly #blocked = new Heap(byDue);
  /** Of these, the offers that give too much away meanwhile. */
  readonly #exposed = new Set<Patient>();
  #count = 0;

  /** `mayEdit`: a move goes as an edit, else as a cancel. */
  constructor(blocks: SlotBlocks, mayEdit: boolean) {
    this.#blocks = blocks;
    this.#mayEdit = mayEdit;
  }

  /** What a market needs now, in the place of what it needed. */
  replace(market: MarketId, needs: readonly Need[], now: number): void {
    const former = this.#needs.get(market) ?? NOTHING;
    if (former.length === 0 && needs.length === 0) return;
    let urgent: (Cancel | Move)[] | undefined;
    for (const need of needs) {
      // a slot that goes on needing something goes on waiting
      need.since = sinceIn(former, need.slot) ?? now;
      if (this.#isUrgent(need)) (urgent ??= []).push(need);
      else this.#keep(need, now);
    }
    for (const { slot } of former) {
      const patient = this.#patients.get(slot);
      if (patient !== undefined && !needs.includes(patient.need)) this.#drop(patient);
    }
    setOrDelete(this.#needs, market, needs);
    setOrDelete(this.#urgent, market, urgent ?? NONE_URGENT);
  }

  /** What a market needs. */
  in(market: MarketId): readonly Need[] {
    return this.#needs.get(market) ?? NOTHING;
  }

  /** What all markets need. */
  *all(): Iterable<Need> {
    for (const needs of this.#needs.values()) yield* needs;
  }

  #isUrgent(need: Need): need is Cancel | Move {
    return need.type === 'cancel' || (need.type === 'move' && (need.dangerous || !this.#mayEdit));
  }

  /** What may be asked for now without a place permit. */
  urgent(now: number, onlyCancels: boolean): Need[] {
    this.#settle(now);
    const ready: Need[] = [];
    for (const needs of this.#urgent.values()) {
      for (const need of needs) {
        if (need.type === 'cancel') ready.push(need);
        else if (onlyCancels) continue;
        else if (!this.#blocks.isBlocked(need.target, now)) ready.push(need);
        else if (need.generous) ready.push(withdrawn(need));
      }
    }
    if (!onlyCancels) for (const { need } of this.#exposed) if (need.type === 'move') ready.push(withdrawn(need));
    return ready;
  }

  /** Nobody asks for anything now. */
  isQuiet(now: number): boolean {
    this.#settle(now);
    return this.#urgent.size === 0 && this.#exposed.size === 0 && this.#turns.first === undefined;
  }

  /** Of the rest the best, at most so many of a kind, and who has waited longest. */
  best(most: number, now: number): Need[] {
    this.#settle(now);
    const best: Need[] = [];
    for (const heap of this.#readyHeaps) for (const { need } of heap.best(most)) best.push(need);
    const longest = this.#turns.first?.patient.need;
    if (longest !== undefined && !best.includes(longest)) best.push(longest);
    return best;
  }

  /** When something may be asked for, as far as nothing else becomes known before. */
  nextDue(now: number): number {
    this.#settle(now);
    if (this.#turns.first !== undefined || this.#exposed.size > 0) return now;
    let due = this.#blocked.first?.due ?? Number.POSITIVE_INFINITY;
    for (const needs of this.#urgent.values())
      for (const need of needs) {
        // what gives too much is taken away rather than left to wait
        if (need.type === 'cancel' || need.generous) return now;
        due = Math.min(due, this.#blocks.nextDue(need.target));
      }
    return Math.max(now, due);
  }

  /** Files anew what became free, by time or by what was said of its slot. */
  #settle(now: number): void {
    if (this.#blocks.changed.size > 0) {
      for (const slot of this.#blocks.changed) {
        const patient = this.#patients.get(slot);
        if (patient !== undefined) this.#file(patient, now);
      }
      this.#blocks.changed.clear();
    }
    for (let next = this.#blocked.first; next !== undefined && next.due <= now; next = this.#blocked.first)
      this.#file(next, now);
  }

  #keep(need: Move | Place, now: number): void {
    let patient = this.#patients.get(need.slot);
    if (patient === undefined) {
      patient = new Patient(need, (this.#count += 1));
      this.#patients.set(need.slot, patient);
    }
    patient.need = need;
    this.#file(patient, now);
  }

  #file(patient: Patient, now: number): void {
    const { need } = patient;
    patient.due = this.#blocks.nextDue(need.target);
    const isGenerous = need.type === 'move' && need.generous;
    const kind = need.type === 'place' ? 'place' : isGenerous ? 'generous' : 'shy';
    const heap = patient.due > now ? this.#blocked : this.#ready[kind];
    if (heap === this.#blocked && isGenerous) this.#exposed.add(patient);
    else this.#exposed.delete(patient);
    if (heap === patient.heap) {
      heap.move(patient);
      return;
    }
    this.#leave(patient);
    heap.add(patient);
    patient.heap = heap;
    if (heap !== this.#blocked) this.#turns.add(patient.turn);
  }

  #drop(patient: Patient): void {
    this.#leave(patient);
    this.#exposed.delete(patient);
    this.#patients.delete(patient.need.slot);
  }

  #leave(patient: Patient): void {
    const { heap } = patient;
    if (heap === undefined) return;
    heap.remove(patient);
    if (heap !== this.#blocked) this.#turns.remove(patient.turn);
  }
}

function sinceIn(former: readonly Need[], slot: SlotId): number | undefined {
  for (const need of former) if (need.slot === slot) return need.since;
  return undefined;
}

/** The price that was wanted is refused for now: the one that gives too much must not wait for it. */
const withdrawn = (need: Move): Cancel => ({
  ...cancelOf(need.order, 'generous', need.target),
  since: need.since,
});

const byRank = (a: Patient, b: Patient): number => b.need.rank - a.need.rank || a.number - b.number;

const bySince = ({ patient: a }: Turn, { patient: b }: Turn): number =>
  (a.need.since ?? 0) - (b.need.since ?? 0) || a.number - b.number;

/** Times without end do not differ. */
const byDue = (a: Patient, b: Patient): number => (a.due === b.due ? a.number - b.number : a.due - b.due);

function setOrDelete<K, V>(map: Map<K, readonly V[]>, key: K, values: readonly V[]): void {
  if (values.length === 0) map.delete(key);
  else map.set(key, values);
}
