// One maker in one synthetic market. It rests a few levels on both sides of the fair price, requotes after a
// move, withdraws first and requotes later after a jump, and refills after fills. In play it keeps more edge
// and offers less.
import type { Rung, Side, Random } from '../domain/index.ts';
import { microsOfDollars, rungAtMost, sideIndex } from '../domain/index.ts';
import type { VenueAccount, MarketBook, Ticket, VenueOrder, Venue } from '../venue/index.ts';
import type { Tempo } from './synthetic-tempo.ts';

export const STEP_MS = 100;

/** One step of the market. */
export type Moment = {
  readonly step: number;
  readonly atMs: number;
  /** The probability of the market's first side. */
  readonly fair: number;
  readonly live: boolean;
};

/** Makers do not quote a probability this close to 0 or 1. */
const DECIDED = 0.004;

/** A wanted offer, and the order that rests for it. */
type Quoted = { readonly ticket: Ticket; order: VenueOrder | undefined };

export class Maker {
  readonly #venue: Venue;
  readonly #account: VenueAccount;
  readonly #random: Random;
  readonly #tempo: Tempo;
  readonly #distance: number;
  readonly #levels: number;
  /** The fair price of its current offers. Undefined when nothing rests. */
  #quotedFair: number | undefined;
  #quoted: readonly Quoted[] = [];
  /** The step at which it acts. Undefined while it sees no reason to act. */
  #dueStep: number | undefined;

  constructor(venue: Venue, account: VenueAccount, random: Random, tempo: Tempo, rank: number) {
    this.#venue = venue;
    this.#account = account;
    this.#random = random;
    this.#tempo = tempo;
    this.#distance = (random.between(0.015, 0.022) + rank * 0.004) * tempo.edge;
    this.#levels = tempo.levels[random.next() < 0.5 ? 0 : 1];
  }

  step(book: MarketBook, moment: Moment): void {
    if (this.#dueStep === undefined) this.#decide(moment);
    else if (moment.step >= this.#dueStep) this.#venue.run(moment.atMs, () => this.#act(book, moment));
  }

  /** Replaces all its offers in one operation. */
  quote(book: MarketBook, moment: Moment): void {
    this.#cancelAll(moment.atMs);
    const { fair, live } = moment;
    const caution = live ? this.#random.between(1.4, 2) : 1;
    const gameStartExpiry = !live && this.#venue.profile.endsAtStart;
    const quoted: Quoted[] = [];
    for (const side of book.market.sides) {
      const p = probabilityFor(fair, side);
      let lastRung: Rung | undefined;
      for (let level = 0; level < this.#levels; level++) {
        const edge = (this.#distance + level * 0.006) * widthAt(p) * caution;
        const rung = rungAtMost(p - Math.min(edge, p * (0.4 + 0.1 * level)), 1);
        if (rung === undefined || rung === lastRung) continue;
        lastRung = rung;
        const dollars = (this.#random.between(40, 160) * (1 + level) * p * 2) / caution;
        const risk = microsOfDollars(Math.max(1, Math.round(dollars)));
        const ticket = { book, side, rung, risk, orderType: 'post', gameStartExpiry } as const;
        quoted.push({ ticket, order: undefined });
      }
    }
    this.#quoted = quoted;
    this.#quotedFair = fair;
    this.#placeMissing(moment);
  }

  /** Cancels all its offers. It quotes again at a later step. */
  withdraw(atMs: number): void {
    if (this.#quotedFair === undefined && this.#dueStep === undefined) return;
    this.#cancelAll(atMs);
    this.#dueStep = undefined;
  }

  #decide({ step, fair, live }: Moment): void {
    if (fair < DECIDED || fair > 1 - DECIDED) {
      if (this.#quotedFair !== undefined) this.#dueStep = step + stepsUntil(this.#random, 0.1, 0.5);
      return;
    }
    const moved = this.#quotedFair === undefined ? 1 : Math.abs(fair - this.#quotedFair);
    const phase = live ? 'live' : 'ahead';
    const { requoteAt, pullAt } = this.#tempo;
    if (moved > requoteAt[phase])
      this.#dueStep = step + stepsUntil(this.#random, 0.1, moved > pullAt[phase] ? 0.6 : 0.8);
    else if (this.#quoted.some(isMissing)) this.#dueStep = step + stepsUntil(this.#random, 1, 3);
  }

  #act(book: MarketBook, moment: Moment): void {
    const { step, atMs, fair, live } = moment;
    const decided = fair < DECIDED || fair > 1 - DECIDED;
    const phase = live ? 'live' : 'ahead';
    const { requoteAt, pullAt, refill } = this.#tempo;
    const moved = this.#quotedFair === undefined ? 1 : Math.abs(fair - this.#quotedFair);
    const jumped = this.#quotedFair !== undefined && moved > pullAt[phase];
    if (!decided && !jumped) {
      if (moved > requoteAt[phase] || refill === 'all') this.quote(book, moment);
      else this.#placeMissing(moment);
      return;
    }
    this.#cancelAll(atMs);
    this.#dueStep = decided ? undefined : step + stepsUntil(this.#random, 0.3, 1);
  }

  /**
   * Places the offers that are missing. One that a stale offer of another account blocks is tried again
   * later.
   */
  #placeMissing(moment: Moment): void {
    let complete = true;
    for (const quoted of this.#quoted) {
      if (!isMissing(quoted)) continue;
      const placed = this.#venue.place(this.#account, quoted.ticket, moment.atMs);
      if (placed.ok) quoted.order = placed.order;
      else complete = false;
    }
    this.#dueStep = complete ? undefined : moment.step + stepsUntil(this.#random, 0.5, 1.5);
  }

  #cancelAll(atMs: number): void {
    for (const { order } of this.#quoted)
      if (order?.status === 'open') this.#venue.cancel(this.#account, order.id, atMs);
    this.#quoted = [];
    this.#quotedFair = undefined;
  }
}

const isMissing = ({ order }: Quoted): boolean => order?.status !== 'open';

export const probabilityFor = (fair: number, side: Side): number => (sideIndex(side) === 0 ? fair : 1 - fair);

/**
 * The relative width of edges at a probability: traders keep less, in points of probability, far from even.
 */
export const widthAt = (p: number): number => 0.4 + 2.4 * p * (1 - p);

export const stepsUntil = (random: Random, lowSeconds: number, highSeconds: number): number =>
  Math.max(1, Math.round((random.between(lowSeconds, highSeconds) * 1000) / STEP_MS));
