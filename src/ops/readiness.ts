// Checks whether a bot that may quote really does (rules.md, 15), by the share of its wanted quotes that
// rest, the permits that come back, and the answers of the exchange. It reads the bot's counts about once a
// second and reports what is wrong.
import type { BotFigures } from './bot-figures.ts';
import { offText } from './bot-figures.ts';

export type ReadinessFigures = Pick<
  BotFigures,
  'wanted' | 'resting' | 'held' | 'withoutReference' | 'closed' | 'permits' | 'requests' | 'http' | 'off' | 'silentMs'
>;
export type ReadinessSettings = {
  /** ops.readyShare */
  readonly leastShare: number;
  /** exchange.requestTimeout */
  readonly answersWithinMs: number;
  /** exchange.limits: used permits come back after this time at the earliest. */
  readonly windowMs: { readonly place: number; readonly cancel: number };
};

/** A problem counts when it lasts this long, ms. */
const FOR_MS = 10_000;
/** With fewer answers in the last 10 s, those of the last minute are judged. */
const FEW_ANSWERS = 4;
const LONGEST_MS = 60_000;
/** Ordinary error statuses: the order ended or moved meanwhile. */
const ORDINARY = new Set(['404', '409']);

type Answers = { readonly at: number; readonly http: Readonly<Record<string, number>> };
type Bucket = 'place' | 'cancel';

export class Readiness {
  /**
   * What is wrong, one sentence each. Empty: the bot is ready unless something else stops it from quoting.
   */
  problems: readonly string[] = [];
  readonly #settings: ReadinessSettings;
  readonly #now: () => number;
  /** When enough quotes last rested, or none could be expected, monotonic ms. */
  #enoughAt: number;
  /** When a permit was last available or spent, monotonic ms. */
  readonly #permitAt: Record<Bucket, number>;
  #sent: Readonly<Record<Bucket, number>> = { place: 0, cancel: 0 };
  /** Counts of answers over time, oldest first. The first entry is from before the judged period. */
  #answers: Answers[] = [];

  constructor(settings: ReadinessSettings, now: () => number = () => performance.now()) {
    this.#settings = settings;
    this.#now = now;
    this.#enoughAt = now();
    this.#permitAt = { place: now(), cancel: now() };
  }

  update(figures: ReadinessFigures): void {
    const now = this.#now();
    this.problems = [
      // a disabled strategy quotes less than the configuration demands
      ...figures.off.map(offText),
      this.#silence(figures),
      this.#share(figures, now),
      this.#permits('place', figures, now),
      this.#permits('cancel', figures, now),
      this.#errors(figures, now),
    ].filter((problem) => problem !== undefined);
    this.#sent = sentOf(figures);
  }

  /** Silence: no answer at all has come since a request was sent. One late answer is no silence. */
  #silence({ silentMs }: ReadinessFigures): string | undefined {
    return silentMs <= this.#settings.answersWithinMs
      ? undefined
      : `the exchange has answered nothing for ${seconds(silentMs)}`;
  }

  #share(figures: ReadinessFigures, now: number): string | undefined {
    const { wanted, resting, held, withoutReference, closed } = figures;
    const { leastShare } = this.#settings;
    if (closed !== undefined || resting >= wanted * leastShare) this.#enoughAt = now;
    const ms = now - this.#enoughAt;
    if (ms < FOR_MS) return undefined;
    const controls = Object.entries(held).filter(([, count]) => count > 0);
    const kept = controls.map(([control, count]) => `${control} ${count}`).join(', ');
    return (
      `${resting} of ${wanted} wanted quotes rest, for ${seconds(ms)} less than ops.readyShare (${leastShare})` +
      (kept === '' ? '' : `; held back by controls: ${kept}`) +
      (withoutReference === 0 ? '' : ` (price-band: no reference for ${withoutReference})`)
    );
  }

  #permits(bucket: Bucket, figures: ReadinessFigures, now: number): string | undefined {
    const isSpent = sentOf(figures)[bucket] !== this.#sent[bucket];
    if (figures.permits[bucket] > 0 || isSpent) this.#permitAt[bucket] = now;
    const ms = now - this.#permitAt[bucket];
    return ms < FOR_MS + this.#settings.windowMs[bucket]
      ? undefined
      : `no ${bucket} permit has come back for ${seconds(ms)}`;
  }

  #errors({ http }: ReadinessFigures, now: number): string | undefined {
    this.#answers.push({ at: now, http });
    while ((this.#answers[1]?.at ?? now) <= now - LONGEST_MS) this.#answers.shift();
    const recent = this.#since(now - FOR_MS, http);
    const { all, errors, from } = recent.all < FEW_ANSWERS ? this.#since(now - LONGEST_MS, http) : recent;
    const bad = errors.reduce((sum, [, count]) => sum + count, 0);
    if (all < FEW_ANSWERS || bad * 2 <= all) return undefined;
    const kinds = errors.map(([status, count]) => `${status === '0' ? 'none came' : status} × ${count}`);
    return `${bad} of ${all} answers of the last ${seconds(now - from)} are errors: ${kinds.join(', ')}`;
  }

  /** The answers since a time. */
  #since(then: number, http: Answers['http']) {
    const first = this.#answers.findLast(({ at: countedAt }) => countedAt <= then) ?? this.#answers[0];
    const kinds = Object.entries(http)
      .map(([status, count]) => [status, count - (first?.http[status] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    return {
      from: first?.at ?? then,
      all: kinds.reduce((sum, [, count]) => sum + count, 0),
      errors: kinds.filter(([status]) => (status === '0' || Number(status) >= 400) && !ORDINARY.has(status)),
    };
  }
}

const sentOf = ({ requests }: ReadinessFigures): Readonly<Record<Bucket, number>> => ({
  place: (requests['place'] ?? 0) + (requests['edit'] ?? 0),
  cancel: requests['cancel'] ?? 0,
});

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
