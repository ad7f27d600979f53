// What a request itself must look like, and when none may be sent any more.
import type { Cents, Arrival } from '../domain/index.ts';
import { dollarsOfCents } from '../domain/index.ts';
import type { Request, Watcher } from './requests.ts';
import { ordersOf } from './requests.ts';
import type { Findings, Moment } from './rules.ts';

/** The specification names no limit; the paper exchange takes this many characters. */
const LONGEST_REFERENCE = 256;
/** What the core says when account or mode end a run. */
const THE_RUN_ENDS = 'the run ends';

export type ShapeSettings = {
  readonly instance: string;
  readonly maxOrdersPerPlace: number;
  readonly maxIdsPerCancel: number;
  readonly minOrderRisk: Cents;
  readonly maxOrderRisk: Cents;
};

export class ShapeRule implements Watcher {
  readonly #findings: Findings;
  readonly #settings: ShapeSettings;
  /** Grows with the orders of the journal: a reference must be unique among all of them. */
  readonly #references = new Set<string>();

  constructor(findings: Findings, settings: ShapeSettings) {
    this.#findings = findings;
    this.#settings = settings;
  }

  heard(input: Arrival): void {
    if (input.type === 'boot')
      for (const { order } of [...(input.unanswered ?? []), ...(input.resting ?? [])]) this.#references.add(order.ref);
  }

  sent({ command, req }: Request, now: Moment): void {
    const { maxOrdersPerPlace, maxIdsPerCancel } = this.#settings;
    const batch = (holds: number, most: number, what: string): void => {
      this.#findings.checked('batch-size');
      if (holds > most)
        this.#findings.found('batch-size', now, `${holds} ${what} in one request, at most ${most} are taken`, [req]);
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
    const text = `${ref} is for ${money(risk)}, from ${money(minOrderRisk)} to ${money(maxOrderRisk)} are taken`;
    this.#findings.found('order-size', now, text, [req]);
  }
}

/** The end of a run, and the words of an operator that nothing may be quoted. */
export class StopRule implements Watcher {
  readonly #findings: Findings;
  /** Why nothing may be sent: for good, or until `resume`. */
  #ended: string | undefined;
  #held: string | undefined;
  #blind: string | undefined;

  /** @param halted the kill switch is set from the start */
  constructor(findings: Findings, halted: boolean) {
    this.#findings = findings;
    this.#held = halted ? 'risk.state is halted' : undefined;
  }

  heard(input: Arrival, { seq }: Moment): void {
    if (input.type !== 'operator') return;
    const said = `operator ${input.command} at #${seq}`;
    switch (input.command) {
      case 'stop':
      case 'abort':
        this.#ended ??= said;
        return;
      case 'pause':
      case 'halt':
        this.#held = said;
        return;
      case 'resume':
        this.#held = undefined;
        return;
      case 'hold':
        this.#blind = said;
        return;
      case 'release':
        this.#blind = undefined;
        return;
      case 'reduce-only':
      case 'cancel-all':
    }
  }

  told(command: Parameters<NonNullable<Watcher['told']>>[0], { seq }: Moment): void {
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
