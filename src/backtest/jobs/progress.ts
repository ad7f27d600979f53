// The progress of a backtest in jobs: days and games that were played, and the time left.
import { ProgressLine } from '../../terminal/index.ts';
import type { Job } from './jobs.ts';
import { unitOf } from './jobs.ts';

/** The least share of the work from which the remaining time is estimated. */
const LEAST_SHARE = 0.005;

export class JobsProgress {
  readonly #line: ProgressLine;
  readonly #jobs: readonly Job[];
  readonly #unit: string;
  readonly #beganAt = performance.now();
  readonly #running = new Map<Job, number>();
  readonly #frames: number;
  #played = 0;
  #kept = 0;
  #ended = 0;
  #games = 0;

  /** `jobs`: all of them, each as often as it is played. */
  constructor(out: NodeJS.WriteStream, jobs: readonly Job[]) {
    this.#line = new ProgressLine(out);
    this.#jobs = jobs;
    this.#unit = unitOf(jobs);
    this.#frames = jobs.reduce((sum, { frames }) => sum + frames, 0);
  }

  /** Notes a job that an earlier command played. */
  keep(job: Job): void {
    this.#kept += job.frames;
    this.#count(job);
  }

  /** The share of a job that was played, 0 … 1. */
  share(job: Job, share: number): void {
    this.#running.set(job, share);
    this.#draw();
  }

  end(job: Job): void {
    this.#running.delete(job);
    this.#played += job.frames;
    this.#count(job);
    this.#draw();
  }

  clear(): void {
    this.#line.clearLine();
  }

  #count({ games }: Job): void {
    this.#ended += 1;
    this.#games += games.length;
  }

  #draw(): void {
    this.#line.draw((now) => this.textAt(now));
  }

  /** `now`: performance.now(), ms. */
  textAt(now: number): string {
    const running = [...this.#running].reduce((sum, [{ frames }, share]) => sum + share * frames, 0);
    const played = this.#played + running;
    const seconds = (now - this.#beganAt) / 1000;
    const left = ((this.#frames - this.#kept - played) / played) * seconds;
    const games = this.#jobs.reduce((sum, job) => sum + job.games.length, 0);
    return [
      `${this.#ended} of ${this.#jobs.length} ${this.#unit}`,
      ...(this.#unit === 'days' ? [`${this.#games} of ${games} games`] : []),
      ...(played > LEAST_SHARE * this.#frames ? [`${durationText(left)} left`] : []),
      ...(played > 0 && seconds > 0 ? [`${Math.round(played / seconds).toLocaleString('en')} frames/s`] : []),
    ].join(' · ');
  }
}

const durationText = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
