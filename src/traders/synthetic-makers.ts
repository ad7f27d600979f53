// One maker in one made-up market: rests a few levels on both sides of the fair price, requotes when it moved, pulls first
// and thinks after when it jumped, comes back when it was filled. In play it keeps more and offers less.
import type { Rung, Side, Random } from '../domain/index.ts';
import { microsOfDollars, rungAtMost, sideIndex } from '../domain/index.ts';
import type { VenueAccount, MarketBook, Ticket, VenueOrder, Venue } from '../venue/index.ts';
import type { Tempo } from './synthetic-tempo.ts';

export const STEP_MS = 100;

/** One step of the market: its number, the venue's time, and what the market is worth. */
export type Moment = {
  readonly step: number;
  readonly atMs: number;
  /** The probability of the market's first side. */
  readonly fair: number;
  readonly live: boolean;
};

/** Nobody quotes what is as good as decided. */
const DECIDED = 0.004;

/** What it wants to rest, and what does. */
type Quoted = { readonly ticket: Ticket; order: VenueOrder | undefined };

export class Maker {
  readonly #venue: Venue;
  readonly #account: VenueAccount;
  readonly #random: Random;
  readonly #tempo: Tempo;
  readonly #distance: number;
  readonly #levels: number;
  /** The fair price that its offers were made from; undefined: nothing rests. */
  #quotedFair: number | undefined;
  #quoted: readonly Quoted[] = [];
  /** It has seen a reason to act and does so at this step. */
  #dueStep: number | undefined;

  constructor(venue: Venue, account: VenueAccount, random: Random, tempo: Tempo, rank: number) {
    this.#venue = venue;
    this.#account = account;
    this.#random = random;
    this.#tempo = tempo;
    this.#distance = random.between(0.015, 0.022) + rank * 0.004;
    this.#levels = tempo.levels[random.next() < 0.5 ? 0 : 1];
  }

  step(book: MarketBook, moment: Moment): void {
    if (this.#dueStep === undefined) this.#look(moment);
    else if (moment.step >= this.#dueStep) this.#venue.run(moment.atMs, () => this.#act(book, moment));
  }

  /** One operation: all its old offers away, all the new ones in. */
  quote(book: MarketBook, moment: Moment): void {
    this.#cancelAll(moment.atMs);
    const { fair, live } = moment;
    const nerves = live ? this.#random.between(1.4, 2) : 1;
    const gameStartExpiry = !live && this.#venue.profile.endsAtStart;
    const quoted: Quoted[] = [];
    for (const side of book.market.sides) {
      const p = probabilityFor(fair, side);
      let last: Rung | undefined;
      for (let level = 0; level < this.#levels; level++) {
        const kept = (this.#distance + level * 0.006) * widthAt(p) * nerves;
        const rung = rungAtMost(p - Math.min(kept, p * (0.4 + 0.1 * level)), 1);
        if (rung === undefined || rung === last) continue;
        last = rung;
        const dollars = (this.#random.between(40, 160) * (1 + level) * p * 2) / nerves;
        const risk = microsOfDollars(Math.max(1, Math.round(dollars)));
        const ticket = { book, side, rung, risk, orderType: 'post', gameStartExpiry } as const;
        quoted.push({ ticket, order: undefined });
      }
    }
    this.#quoted = quoted;
    this.#quotedFair = fair;
    this.#placeMissing(moment);
  }

  /** Nothing of it rests any more; it quotes again when the market is stepped again. */
  withdraw(atMs: number): void {
    if (this.#quotedFair === undefined && this.#dueStep === undefined) return;
    this.#cancelAll(atMs);
    this.#dueStep = undefined;
  }

  #look({ step, fair, live }: Moment): void {
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

  /** Where somebody's stale offer stands in the way, it is tried again when that one has gone. */
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

/** Traders keep less, in points of probability, far from even. */
export const widthAt = (p: number): number => 0.4 + 2.4 * p * (1 - p);

export const stepsUntil = (random: Random, lowSeconds: number, highSeconds: number): number =>
  Math.max(1, Math.round((random.between(lowSeconds, highSeconds) * 1000) / STEP_MS));
