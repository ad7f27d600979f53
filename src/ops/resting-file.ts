// The orders of a bot that rest at the exchange, by the exchange's id: what the next run needs where the exchange reports no
// references, since nothing else shows then that they are ours. Written whole, soon after they change; what was answered later
// stands in the journal.
import { rmSync } from 'node:fs';
import type { RestingOrder, UnansweredOrder } from '../domain/index.ts';
import { isNewOrder, messageOf } from '../domain/index.ts';
import { readObject, writeWhole } from './run-files.ts';

/** A kill loses this much; the journal fills it (former-runs.ts). */
const WRITE_MS = 250;

/** The next run reads the journal back to the last write. */
const AGAIN_MS = 10_000;

export type RestingParts = {
  /** Those that rest now; undefined where the exchange reports references. */
  readonly left: () => Omit<KeptOrders, 'savedMs'> | undefined;
  /** The account was read: before, what rests is known by the list of the run before alone, which stays as it is. */
  readonly isKnown: () => boolean;
  /** Unix ms. */
  readonly now: () => number;
  readonly problem: (text: string) => void;
};

export type KeptOrders = {
  /** Unix ms; orders that were answered by then are in here. */
  readonly savedMs: number;
  readonly orders: readonly RestingOrder[];
  /** Those of which it is not known whether they rest. */
  readonly unanswered: readonly UnansweredOrder[];
};

export class RestingFile {
  readonly #file: string;
  readonly #parts: RestingParts;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isRefused = false;

  constructor(file: string, parts: RestingParts) {
    this.#file = file;
    this.#parts = parts;
  }

  /** An order came to rest, or ended. */
  changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#later(WRITE_MS);
  }

  close(): void {
    this.#write();
    clearTimeout(this.#timer);
  }

  #write(): void {
    this.#isDue = false;
    if (!this.#parts.isKnown()) return;
    const left = this.#parts.left();
    try {
      if (left === undefined) {
        rmSync(this.#file, { force: true });
        return;
      }
      const kept: KeptOrders = { savedMs: this.#parts.now(), ...left };
      writeWhole(this.#file, kept);
      this.#isRefused = false;
    } catch (error) {
      if (!this.#isRefused) this.#parts.problem(messageOf(error));
      this.#isRefused = true;
    }
    this.#later(AGAIN_MS);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), ms).unref();
  }
}

/** Undefined: there are none. @throws Error when the file is not what a run writes */
export function readResting(file: string): KeptOrders | undefined {
  const kept = readObject(file);
  if (kept === undefined) return undefined;
  const { savedMs, orders, unanswered } = kept ?? {};
  if (typeof savedMs !== 'number' || !areAll(orders, isResting) || !areAll(unanswered, isUnanswered))
    throw new Error('it is not a list of resting orders');
  return { savedMs, orders, unanswered };
}

const areAll = <T>(values: unknown, is: (value: unknown) => value is T): values is readonly T[] =>
  Array.isArray(values) && values.every(is);

function isUnanswered(value: unknown): value is UnansweredOrder {
  const { sentT, order } = (value ?? {}) as Partial<Record<keyof UnansweredOrder, unknown>>;
  return typeof sentT === 'number' && isNewOrder(order);
}

function isResting(value: unknown): value is RestingOrder {
  const { orderId } = (value ?? {}) as Partial<Record<keyof RestingOrder, unknown>>;
  return typeof orderId === 'string' && isUnanswered(value);
}
