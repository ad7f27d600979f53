// How busy the machine was with anything else while a benchmark ran.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Clock ticks a second of /proc, the same on every Linux that Node runs on. */
const TICKS = 100;

type Reading = { readonly atMs: number; readonly allMs: number; readonly ownMs: number };

export class Load {
  readonly #began = reading();

  /** Cores that other processes used on average since this was made; undefined where the system does not say. */
  get others(): number | undefined {
    const { atMs, allMs, ownMs } = reading();
    const ms = atMs - this.#began.atMs;
    const others = (allMs - this.#began.allMs - (ownMs - this.#began.ownMs)) / ms;
    return Number.isNaN(others) ? undefined : Math.max(0, others);
  }
}

const reading = (): Reading => ({
  atMs: performance.now(),
  allMs: cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0),
  ownMs: ownMs(),
});

/** CPU time of this process and of its children that have ended, ms. */
function ownMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /su, '')
      .split(' ');
    // utime, stime, cutime, cstime: fields 14 to 17 of proc(5), the first one left here is the third
    return (fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS) * 1000;
  } catch {
    return Number.NaN;
  }
}
