// Strategies that a live run disabled permanently, with the faulty line where it is known. Such a run reports
// them at its end and exits with 78, since it quoted less than configured.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redacted } from '../domain/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';

/** A fault as `run --json` shows it. */
export type Fault = {
  readonly strategy: string;
  readonly code: string;
  readonly text: string;
  readonly file?: string;
  readonly line?: number;
};

/** Maximum number of faults kept: there may be an instance, and a fault, for each of many markets. */
const MOST = 100;

export class StrategyFaults {
  readonly #faults = new Map<string, Fault>();

  /** Adds a fault, once for each line of a strategy, since every market reports the same one. */
  addFault(fault: Fault): void {
    const { strategy, code, file, line, text } = fault;
    const key = [strategy, code, file, line ?? text].join(' ');
    if (this.#faults.size < MOST && !this.#faults.has(key)) this.#faults.set(key, { ...fault, text: redacted(text) });
  }

  /** Removes the faults of a strategy, because another version of it runs. */
  forget(strategy: string): void {
    for (const [key, fault] of this.#faults) if (fault.strategy === strategy) this.#faults.delete(key);
  }

  /** Removes all faults, because the strategies may have been replaced. */
  forgetAll(): void {
    this.#faults.clear();
  }

  get all(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  /** The first fault as one sentence. Undefined when no strategy was disabled. */
  get summary(): string | undefined {
    const [first] = this.all;
    if (first === undefined) return undefined;
    const { strategy, code, text } = first;
    return `strategy ${strategy} was disabled: ${code}, ${text}`;
  }
}

/** Finds ` (own.ts:12)` at the end of an alert's text. The file may have folders. */
const PLACE = / \(([^()]+):(\d+)\)$/;

/**
 * Splits off the place that a fault names. Faults name files without folders, because these differ between
 * machines: a file with the name of `own` is taken as the strategy's own.
 */
export function placeIn(
  text: string,
  own: string | undefined,
): { readonly before: string; readonly place: string | undefined; readonly line: number | undefined } {
  const match = PLACE.exec(text);
  const [, place, line] = match ?? [];
  const isOwn = place === undefined || basename(place) === basename(own ?? '');
  return {
    before: match === null ? text : text.slice(0, match.index),
    place: isOwn ? own : place,
    line: line === undefined ? undefined : Number(line),
  };
}

/** The fault that an alert's fields describe, with file and line where known. */
export function faultOf(
  modules: readonly StrategyModule[],
  code: string,
  { strategy, detail }: Readonly<Record<string, unknown>>,
): Fault {
  const text = String(detail);
  const url = modules.find((module) => module.id === strategy)?.url;
  const own = url?.startsWith('file:') === true ? fileURLToPath(url) : url;
  const { place: file, line } = placeIn(text, own);
  return {
    strategy: String(strategy),
    code,
    text,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
  };
}
