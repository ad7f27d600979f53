// The hidden form of a synthetic game: a random walk that reverts to its origin, with occasional news and
// rare bursts of news that move everything within a second or two.
import type { Random } from '../domain/index.ts';
import type { Form } from './synthetic-play.ts';

/** Points of margin per unit of log-odds before the start. */
export const POINTS = 8.5;
const LIMITS = { margin: 18, paceLow: 180, paceHigh: 264 } as const;
/** Seconds of the reversion. It takes hours, so games that wait for days stay worth trading. */
const RETURN_S = 1.5 * 3600;
const NEWS_PER_S = { ahead: 1 / 90, live: 1 / 360 } as const;
const BURSTS_PER_S = { ahead: 1 / 600, live: 1 / 1800 } as const;
/** The share of a burst in its first step, before any trader can react. */
const AT_ONCE = 0.7;

export class FormPath {
  now: Form;
  readonly #anchor: Form;
  readonly #random: Random;
  /** Standard deviation of the walk, points per square root of a second. */
  readonly #sd: number;
  /** A multiple of the usual frequency of news. */
  readonly #news: number;
  /** The speed of the game: a burst lasts a second or two of the traders' time, whatever the speed. */
  readonly #speed: number;
  #burst: { leftS: number; margin: number; pace: number } | undefined;

  constructor(
    random: Random,
    anchor: Form,
    now: Form,
    { sd, news, speed }: { readonly sd: number; readonly news: number; readonly speed: number },
  ) {
    this.#random = random;
    this.#anchor = anchor;
    this.now = now;
    this.#sd = sd;
    this.#news = news;
    this.#speed = speed;
  }

  advance(seconds: number, phase: 'ahead' | 'live'): void {
    const random = this.#random;
    let { margin, pace } = this.now;
    const back = Math.min(1, seconds / RETURN_S);
    margin += (this.#anchor.margin - margin) * back;
    pace += (this.#anchor.pace - pace) * back;
    if (random.next() < NEWS_PER_S[phase] * this.#news * seconds)
      margin += POINTS * random.between(0.05, 0.15) * signOf(random);
    const begins = random.next() < BURSTS_PER_S[phase] * this.#news * seconds;
    if (begins) this.#startBurst();
    const burst = this.#burst;
    if (burst !== undefined) {
      const share = Math.min(1, (begins ? AT_ONCE : 0) + seconds / burst.leftS);
      margin += burst.margin * share;
      pace += burst.pace * share;
      burst.margin *= 1 - share;
      burst.pace *= 1 - share;
      burst.leftS -= seconds;
      if (burst.leftS <= 0) this.#burst = undefined;
    }
    const step = this.#sd * Math.sqrt(seconds);
    margin += step * random.normal();
    pace += step * random.normal();
    this.now = {
      margin: Math.max(-LIMITS.margin, Math.min(LIMITS.margin, margin)),
      pace: Math.max(LIMITS.paceLow, Math.min(LIMITS.paceHigh, pace)),
    };
  }

  #startBurst(): void {
    const random = this.#random;
    this.#burst = {
      leftS: random.between(0.9, 2) * this.#speed,
      margin: random.between(1.5, 3) * signOf(random),
      pace: random.between(1.5, 3) * signOf(random),
    };
  }
}

const signOf = (random: Random): 1 | -1 => (random.next() < 0.5 ? -1 : 1);
