// The progress of a sweep: points played, points per second and time left.
import { printable } from '../domain/index.ts';
import { ProgressLine } from '../terminal/index.ts';

export class SweepProgress {
  readonly #line = new ProgressLine(process.stderr);
  readonly #beganAt = performance.now();
  readonly #running = new Map<string, number>();
  #name = '';
  #all = 0;
  #done = 0;
  #played = 0;
  #failed = 0;

  /** Begins a round of `all` points; `left` of them have no result yet. */
  beginSweep(name: string, all: number, left: number): void {
    this.#name = name;
    this.#all = all;
    this.#done = all - left;
  }

  /** Reports the share of a point that was played, 0 … 1. */
  share(key: string, share: number): void {
    this.#running.set(key, share);
    this.#draw();
  }

  ended(key: string, hasFailed: boolean): void {
    this.#running.delete(key);
    this.#done += 1;
    this.#played += 1;
    if (hasFailed) this.#failed += 1;
    this.#draw();
  }

  /** Prints a note on stderr. */
  note(text: string): void {
    this.#line.clearLine();
    process.stderr.write(`oddsmaker: ${printable(text)}\n`);
  }

  endSweep(): void {
    this.#line.clearLine();
  }

  /** Points that ended in this run, and the time that this took, ms. */
  get timing(): { readonly played: number; readonly ms: number } {
    return { played: this.#played, ms: Math.round(performance.now() - this.#beganAt) };
  }

  #draw(): void {
    this.#line.draw((now) => this.#textAt(now));
  }

  #textAt(now: number): string {
    const seconds = (now - this.#beganAt) / 1000;
    const running = [...this.#running.values()].reduce((sum, share) => sum + share, 0);
    const rate = (this.#played + running) / Math.max(0.001, seconds);
    const left = (this.#all - this.#done - running) / rate;
    return [
      `${this.#name}${this.#done} of ${this.#all} points`,
      ...(this.#failed > 0 ? [`${this.#failed} failed`] : []),
      ...(rate > 0 && Number.isFinite(left) ? [rateText(rate), `${Math.ceil(left)} s left`] : []),
    ].join(' · ');
  }
}

const rateText = (perSecond: number): string =>
  perSecond >= 1 ? `${perSecond.toFixed(1)} points/s` : `${(perSecond * 60).toFixed(1)} points/min`;
