// Strategies that a live run took off for good, with the line at fault where that can be told: at its end it says so and exits
// with 78, since nobody watched it quote less than was asked for.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutTaken } from '../domain/index.ts';
import type { StrategyModule } from '../strategy/host/index.ts';

/** As `run --json` tells it. */
export type Fault = {
  readonly strategy: string;
  readonly code: string;
  readonly text: string;
  readonly file?: string;
  readonly line?: number;
};

/** Markets may be many, and each has its instance. */
const MOST = 100;

export class StrategyFaults {
  readonly #faults = new Map<string, Fault>();

  /** One for each line of a strategy: every market tells the same. */
  add(fault: Fault): void {
    const { strategy, code, file, line, text } = fault;
    const key = [strategy, code, file, line ?? text].join(' ');
    if (this.#faults.size < MOST && !this.#faults.has(key))
      this.#faults.set(key, { ...fault, text: withoutTaken(text) });
  }

  /** Another version of it runs. */
  forget(strategy: string): void {
    for (const [key, fault] of this.#faults) if (fault.strategy === strategy) this.#faults.delete(key);
  }

  /** Others run, all of them maybe. */
  forgetAll(): void {
    this.#faults.clear();
  }

  get all(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  /** In one sentence; undefined: none was taken off. */
  get told(): string | undefined {
    const [first] = this.all;
    if (first === undefined) return undefined;
    const { strategy, code, text } = first;
    return `strategy ${strategy} was taken off: ${code}, ${text}`;
  }
}

/** ` (own.ts:12)`, or with folders, at the end of what an alert says. */
const PLACE = / \(([^()]+):(\d+)\)$/;

/**
 * Where a fault says that it came from. Faults name files without folders, which differ from machine to machine: one of the same
 * name is the strategy's own.
 */
export function placeIn(
  text: string,
  own: string | undefined,
): { readonly before: string; readonly place: string | undefined; readonly line: number | undefined } {
  const told = PLACE.exec(text);
  const [, place, line] = told ?? [];
  const isOwn = place === undefined || basename(place) === basename(own ?? '');
  return {
    before: told === null ? text : text.slice(0, told.index),
    place: isOwn ? own : place,
    line: line === undefined ? undefined : Number(line),
  };
}

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
