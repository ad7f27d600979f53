// One synthetic market and its traders: makers, possibly a patient maker far from the price, a noise taker
// who pays the edge, and an informed taker who acts after a move and takes every mispriced offer. Each draws
// from its own seeded stream.
import type { Micros, Side, Random } from '../domain/index.ts';
import { probabilityOfRung, rungAtMost, sideIndex, elementAt } from '../domain/index.ts';
import type { VenueAccount, MarketBook, Venue } from '../venue/index.ts';
import { bestOf, sideOf } from '../venue/index.ts';
import { streamOfRun } from './synthetic-game-parts.ts';
import type { Moment } from './synthetic-makers.ts';
import { Maker, probabilityFor, stepsUntil, widthAt } from './synthetic-makers.ts';
import { Patient } from './synthetic-patient.ts';
import type { SyntheticMarket } from './synthetic-prices.ts';
import type { Tempo } from './synthetic-tempo.ts';

/** The accounts that trade in all markets. */
export type Crowd = {
  readonly seed: number;
  readonly earlierRuns: number;
  readonly tempo: Tempo;
  readonly venue: Venue;
  readonly makers: readonly VenueAccount[];
  readonly noise: VenueAccount;
  readonly informed: VenueAccount;
  /** The maker who waits far from the price. Undefined when there is none. */
  readonly patient: VenueAccount | undefined;
};

const MISPRICED_BY = 0.01;
/** A lightly traded market has only this many makers, and fewer takers. */
const LIGHT_MAKERS = 2;

export class MarketTrading {
  readonly market: SyntheticMarket;
  readonly book: MarketBook;
  readonly #crowd: Crowd;
  readonly #makers: readonly Maker[];
  readonly #patient: Patient | undefined;
  readonly #noise: Random;
  readonly #informed: Random;
  readonly #noiseEvery: readonly [lowSeconds: number, highSeconds: number];
  #nextNoiseStep: number;
  /** The step at which the informed taker acts on a wrong price. */
  #informedStep: number | undefined;

  constructor(crowd: Crowd, market: SyntheticMarket, book: MarketBook, light: boolean, step: number) {
    const stream = (purpose: string): Random =>
      streamOfRun(crowd.seed, `${purpose} ${book.market.id}`, crowd.earlierRuns);
    this.market = market;
    this.book = book;
    this.#crowd = crowd;
    this.#makers = crowd.makers
      .slice(0, light ? LIGHT_MAKERS : crowd.tempo.makers)
      .map((account, rank) => new Maker(crowd.venue, account, stream(`maker ${rank}`), crowd.tempo, rank));
    this.#noise = stream('noise');
    this.#informed = stream('informed');
    this.#noiseEvery = light ? crowd.tempo.lightNoiseEvery : crowd.tempo.noiseEvery;
    this.#nextNoiseStep = step + stepsUntil(this.#noise, 1, 6);
    this.#patient =
      crowd.patient === undefined
        ? undefined
        : new Patient(crowd.venue, crowd.patient, stream('patient'), book, crowd.tempo.waiting);
  }

  /** Lets all makers quote at once. */
  open(moment: Moment): void {
    for (const maker of this.#makers) maker.quote(this.book, moment);
  }

  step(moment: Moment): void {
    for (const maker of this.#makers) maker.step(this.book, moment);
    this.#patient?.step(this.book, moment);
    this.#takeNoise(moment);
    this.#takeInformed(moment);
  }

  withdraw(atMs: number): void {
    for (const maker of this.#makers) maker.withdraw(atMs);
    this.#patient?.withdraw(atMs);
    this.#informedStep = undefined;
  }

  #takeNoise(moment: Moment): void {
    if (moment.step < this.#nextNoiseStep) return;
    this.#nextNoiseStep = moment.step + stepsUntil(this.#noise, ...this.#noiseEvery);
    const [first, second] = this.book.market.sides;
    const side = this.#noise.next() < 0.5 ? first : second;
    const dollars = 5 + Math.floor((this.#crowd.tempo.noiseMost - 5) * this.#noise.next() ** 2);
    const p = probabilityFor(moment.fair, side);
    // noise pays the edge, but not any price
    this.#take(this.#crowd.noise, side, p + 0.06 * widthAt(p), dollars, moment.atMs);
  }

  #takeInformed(moment: Moment): void {
    const { sides } = this.book.market;
    const least = MISPRICED_BY * widthAt(moment.fair);
    if (this.#informedStep === undefined) {
      const most = Math.max(...sides.map((side) => this.#mispricing(side, moment.fair)));
      if (most <= least) return;
      // the larger the mispricing, the sooner it is taken
      const [soonest, latest] = most > 2 * least ? [0.1, 0.7] : [0.4, 1.6];
      this.#informedStep = moment.step + stepsUntil(this.#informed, soonest, latest);
      return;
    }
    if (moment.step < this.#informedStep) return;
    this.#informedStep = undefined;
    for (const side of sides) {
      if (this.#mispricing(side, moment.fair) <= least) continue;
      const backed = elementAt(sides, 1 - sideIndex(side));
      const dollars = this.#informed.between(80, 400);
      this.#take(this.#crowd.informed, backed, probabilityFor(moment.fair, backed) - least, dollars, moment.atMs);
    }
  }

  /** How far the best offer of this side pays above its fair probability. 0 without offers. */
  #mispricing(side: Side, fair: number): number {
    const best = bestOf(sideOf(this.book, side));
    return best === undefined ? 0 : probabilityOfRung(best.rung) - probabilityFor(fair, side);
  }

  /** Takes offers: backs a side at probability `most` or better. */
  #take(account: VenueAccount, side: Side, most: number, dollars: number, atMs: number): void {
    const rung = rungAtMost(most, 0.1);
    if (rung === undefined) return;
    const risk = (Math.round(dollars * 100) * 10_000) as Micros;
    this.#crowd.venue.place(account, { book: this.book, side, rung, risk, orderType: 'fillAndKill' }, atMs);
  }
}
