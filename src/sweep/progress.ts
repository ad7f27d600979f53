// How far a sweep is: points, how fast they come, and how long it takes still. A line that refreshes on a terminal; elsewhere one
// now and then.
import { printable } from '../domain/index.ts';
import { LiveLine } from '../terminal/index.ts';

const TOLD_EVERY_MS = 30_000;

export class SweepProgress {
  readonly #line = new LiveLine(process.stderr);
  readonly #beganAt = performance.now();
  readonly #running = new Map<string, number>();
  #toldAt = performance.now();
  #name = '';
  #all = 0;
  #done = 0;
  #played = 0;
  #failed = 0;

  /** So many points, of which some are known from before. */
  begin(name: string, all: number, left: number): void {
    this.#name = name;
    this.#all = all;
    this.#done = all - left;
  }

  /** So much of a point was played. */
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

  /** What others play: so many points in all. */
  note(text: string): void {
    this.#line.end();
    process.stderr.write(`oddsmaker: ${printable(text)}\n`);
  }

  end(): void {
    this.#line.end();
  }

  /** Points that were played here and now, and how long that took, ms. */
  get timing(): { readonly played: number; readonly ms: number } {
    return { played: this.#played, ms: Math.round(performance.now() - this.#beganAt) };
  }

  #draw(): void {
    this.#line.draw(() => this.#text());
    const now = performance.now();
    if (process.stderr.isTTY || now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    process.stderr.write(`oddsmaker: ${this.#text()}\n`);
  }

  #text(): string {
    const seconds = (performance.now() - this.#beganAt) / 1000;
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
