// Keeps the bot's resting orders by the exchange's id. The next run needs them when the exchange reports no
// references, since nothing else shows then that the orders are its own. The file is written whole, soon
// after a change; later answers are in the journal.
import { rmSync } from 'node:fs';
import type { RestingOrder, UnansweredOrder } from '../domain/index.ts';
import { isNewOrder, messageOf } from '../domain/index.ts';
import { readObject, writeWhole } from './run-files.ts';

/** Delay of a write, ms. A kill loses at most this time; the journal has it (former-runs.ts). */
const WRITE_MS = 250;

/** Time between regular writes, ms: the next run reads the journal back to the last write. */
const AGAIN_MS = 10_000;

export type RestingParts = {
  /** The orders that rest now. Undefined: the exchange reports references. */
  readonly left: () => Omit<KeptOrders, 'savedMs'> | undefined;
  /** True once the account was read. Before, only the former run's list is known, which stays as it is. */
  readonly isKnown: () => boolean;
  /** Unix ms. */
  readonly now: () => number;
  readonly problem: (text: string) => void;
};

export type KeptOrders = {
  /** Unix ms. Orders answered by then are included. */
  readonly savedMs: number;
  readonly orders: readonly RestingOrder[];
  /** Orders that may or may not rest at the exchange. */
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

  /** Called when an order rested or ended. */
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

/** Reads the file. Undefined: there is none. @throws Error when a run did not write it */
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
