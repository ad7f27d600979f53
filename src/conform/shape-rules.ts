// Checks the shape of requests, and that none is sent after the end of trading.
import type { Cents, Arrival } from '../domain/index.ts';
import { dollarsOfCents } from '../domain/index.ts';
import type { Request, Watcher } from './requests.ts';
import { ordersOf } from './requests.ts';
import type { Findings, Moment } from './rules.ts';

/** The longest reference that the paper exchange accepts, characters. The specification names no limit. */
const LONGEST_REFERENCE = 256;
/** The alert text of the core when the account or the player mode ends a run. */
const THE_RUN_ENDS = 'the run ends';

export type ShapeSettings = {
  readonly instance: string;
  readonly maxOrdersPerPlace: number;
  readonly maxIdsPerCancel: number;
  readonly minOrderRisk: Cents;
  readonly maxOrderRisk: Cents;
};

/** Checks references, batch sizes and order sizes. */
export class ShapeRule implements Watcher {
  readonly #findings: Findings;
  readonly #settings: ShapeSettings;
  /** All references of the journal: each must be unique. The set grows with the journal. */
  readonly #references = new Set<string>();

  constructor(findings: Findings, settings: ShapeSettings) {
    this.#findings = findings;
    this.#settings = settings;
  }

  received(input: Arrival): void {
    if (input.type === 'boot')
      for (const { order } of [...(input.unanswered ?? []), ...(input.resting ?? [])]) this.#references.add(order.ref);
  }

  sent({ command, req }: Request, now: Moment): void {
    const { maxOrdersPerPlace, maxIdsPerCancel } = this.#settings;
    const batch = (holds: number, most: number, what: string): void => {
      this.#findings.checked('batch-size');
      if (holds > most)
        this.#findings.found('batch-size', now, `${holds} ${what} in one request: at most ${most} are accepted`, [req]);
    };
    if (command.type === 'place') {
      batch(command.orders.length, maxOrdersPerPlace, 'orders');
      if (command.orders.length === 0) this.#findings.found('batch-size', now, 'a place without an order', [req]);
    }
    if (command.type === 'cancel') {
      batch(command.orderIds.length, maxIdsPerCancel, 'ids');
      this.#findings.checked('empty-cancel');
      if (command.orderIds.length === 0) this.#findings.found('empty-cancel', now, 'a cancel without an id', [req]);
    }
    for (const { ref, risk } of ordersOf(command)) {
      this.#checkReference(ref, req, now);
      this.#checkSize(ref, risk, req, now);
    }
  }

  #checkReference(ref: string, req: number, now: Moment): void {
    this.#findings.checked('reference');
    const { instance } = this.#settings;
    const problem =
      ref === undefined || ref === ''
        ? 'an order without a reference'
        : !ref.startsWith(`${instance}.`)
          ? `${ref} does not begin with the instance, ${instance}.`
          : ref.length > LONGEST_REFERENCE
            ? `${ref} is longer than ${LONGEST_REFERENCE} characters`
            : this.#references.has(ref)
              ? `${ref} was used before`
              : undefined;
    if (problem !== undefined) this.#findings.found('reference', now, problem, [req]);
    this.#references.add(ref);
  }

  #checkSize(ref: string, risk: Cents, req: number, now: Moment): void {
    this.#findings.checked('order-size');
    const { minOrderRisk, maxOrderRisk } = this.#settings;
    if (risk >= minOrderRisk && risk <= maxOrderRisk) return;
    const money = (cents: Cents): string => `$${dollarsOfCents(cents).toFixed(2)}`;
    const text = `${ref} is for ${money(risk)}, accepted are ${money(minOrderRisk)} to ${money(maxOrderRisk)}`;
    this.#findings.found('order-size', now, text, [req]);
  }
}

/** Checks that nothing is placed after the end of a run, or while an operator has stopped quoting. */
export class StopRule implements Watcher {
  readonly #findings: Findings;
  /** Why nothing may be sent: for good (`#ended`), until `resume` (`#held`), until `release` (`#blind`). */
  #ended: string | undefined;
  #held: string | undefined;
  #blind: string | undefined;

  /** @param halted the kill switch is set from the start */
  constructor(findings: Findings, halted: boolean) {
    this.#findings = findings;
    this.#held = halted ? 'risk.state is halted' : undefined;
  }

  received(input: Arrival, { seq }: Moment): void {
    if (input.type !== 'operator') return;
    const cause = `operator ${input.command} at #${seq}`;
    switch (input.command) {
      case 'stop':
      case 'abort':
        this.#ended ??= cause;
        return;
      case 'pause':
      case 'halt':
        this.#held = cause;
        return;
      case 'resume':
        this.#held = undefined;
        return;
      case 'hold':
        this.#blind = cause;
        return;
      case 'release':
        this.#blind = undefined;
        return;
      case 'reduce-only':
      case 'cancel-all':
    }
  }

  commanded(command: Parameters<NonNullable<Watcher['commanded']>>[0], { seq }: Moment): void {
    if (command.type === 'exit') this.#ended ??= `the exit at #${seq}`;
    if (command.type !== 'alert') return;
    const { code, message, fields } = command;
    if (code === 'KILL_SWITCH' && fields['state'] === 'halted') this.#held = `the kill switch at #${seq}`;
    if (message === THE_RUN_ENDS) this.#ended ??= `${code} at #${seq}`;
  }

  sent({ command: { type }, req }: Request, now: Moment): void {
    if (type !== 'place' && type !== 'edit') return;
    this.#findings.checked('after-stop');
    const since = this.#ended ?? this.#held ?? this.#blind;
    if (since !== undefined) this.#findings.found('after-stop', now, `a ${type} was sent after ${since}`, [req]);
  }
}
