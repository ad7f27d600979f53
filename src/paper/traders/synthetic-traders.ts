// Traders that need no recording: makers who rest a few levels around the fair price and requote when it moved, noise
// takers who pay the edge, informed takers who come after a move and take whatever is mispriced, whoever owns it. Stepped
// every 100 ms of venue time; every trader draws from its own seeded stream, so one seed makes one market.
import type { Micros, OrderId, Rung, Side } from '../../domain/index.ts';
import { microsOfDollars, probabilityOfRung, rungAtMost, sideIndex } from '../../domain/index.ts';
import type { Account } from '../venue/account.ts';
import type { MarketBook } from '../venue/market-book.ts';
import { bestOf, sideOf } from '../venue/market-book.ts';
import type { Random } from '../venue/random.ts';
import { createRandom } from '../venue/random.ts';
import { SyntheticGame } from './synthetic-games.ts';
import type { SyntheticMarket } from './synthetic-games.ts';
import type { Venue } from '../venue/venue.ts';

export type SyntheticOptions = { readonly seed: number; readonly games: number; readonly league: string };

export const STEP_MS = 100;
/** After a pause of the process the past is not made up in full. */
const MOST_STEPS_AT_ONCE = 50;
const MAKERS = 3;
const REQUOTE_AT = 0.005;
const MISPRICED_BY = 0.01;
const HOUR_MS = 3_600_000;

type Maker = {
  readonly account: Account;
  readonly random: Random;
  readonly distance: number;
  readonly levels: number;
  /** The fair price that its offers were made from; undefined: nothing rests. */
  quotedFair: number | undefined;
  quoted: readonly { readonly id: OrderId }[];
  /** It has seen a reason to requote and acts at this step. */
  dueStep: number | undefined;
};

type Trading = {
  readonly game: SyntheticGame;
  readonly market: SyntheticMarket;
  readonly book: MarketBook;
  readonly makers: readonly Maker[];
  readonly noise: Random;
  readonly informed: Random;
  fair: number;
  nextNoiseStep: number;
  /** When the informed taker that saw a wrong price will act. */
  informedStep: number | undefined;
};

export class SyntheticTraders {
  readonly #venue: Venue;
  readonly #games: readonly SyntheticGame[];
  readonly #tradings: readonly Trading[];
  readonly #noiseTaker: Account;
  readonly #informedTaker: Account;
  readonly #startMs: number;
  #step = 0;

  constructor(venue: Venue, options: SyntheticOptions, nowMs: number) {
    const { seed } = options;
    this.#venue = venue;
    this.#startMs = nowMs;
    const internal = (username: string): Account =>
      venue.addAccount({ username, internal: true, cash: 1e8, coins: 1e8 });
    const makers = Array.from({ length: MAKERS }, (_, index) => internal(`maker-${index + 1}`));
    this.#noiseTaker = internal('taker-1');
    this.#informedTaker = internal('taker-2');
    // starts on whole minutes, two hours and more ahead
    const first = Math.ceil((nowMs + 2 * HOUR_MS) / 60_000) * 60_000;
    this.#games = Array.from(
      { length: options.games },
      (_, index) => new SyntheticGame(seed, index, options.league, first + index * 20 * 60_000),
    );
    this.#tradings = venue.run(nowMs, () =>
      this.#games.flatMap((game) => {
        const opened = venue.openGame(game.header, nowMs);
        return game.markets.map((market, index) =>
          this.#trading(
            seed,
            game,
            market,
            venue.book(opened, market.type, market.line),
            `${game.header.id} ${index}`,
            makers,
          ),
        );
      }),
    );
    venue.run(nowMs, () => {
      for (const trading of this.#tradings)
        for (const maker of trading.makers) this.#requote(trading, maker, nowMs);
    });
  }

  #trading(
    seed: number,
    game: SyntheticGame,
    market: SyntheticMarket,
    book: MarketBook,
    name: string,
    makers: readonly Account[],
  ): Trading {
    const noise = createRandom(seed, `noise ${name}`);
    return {
      game,
      market,
      book,
      makers: makers.map((account, index) => {
        const random = createRandom(seed, `maker ${index} ${name}`);
        return {
          account,
          random,
          distance: random.between(0.015, 0.022) + index * 0.004,
          levels: random.next() < 0.5 ? 2 : 3,
          quotedFair: undefined,
          quoted: [],
          dueStep: undefined,
        };
      }),
      noise,
      informed: createRandom(seed, `informed ${name}`),
      fair: game.fair(market),
      nextNoiseStep: stepsUntil(noise, 1, 6),
      informedStep: undefined,
    };
  }

  /** Brings the market up to this time; returns how many steps were made. */
  step(nowMs: number): number {
    const due = Math.floor((nowMs - this.#startMs) / STEP_MS);
    if (due - this.#step > MOST_STEPS_AT_ONCE) this.#step = due - MOST_STEPS_AT_ONCE;
    let made = 0;
    for (; this.#step < due; made++) {
      this.#step++;
      this.#once(this.#startMs + this.#step * STEP_MS);
    }
    return made;
  }

  #once(atMs: number): void {
    for (const game of this.#games) game.drift(STEP_MS / 1000);
    for (const trading of this.#tradings) {
      const { header } = trading.book.game;
      if (!header.open || header.ended) continue;
      if (header.start <= atMs) {
        this.#venue.changeGame(trading.book.game, { open: false, ended: true }, atMs);
        continue;
      }
      trading.fair = trading.game.fair(trading.market);
      for (const maker of trading.makers) this.#make(trading, maker, atMs);
      this.#takeNoise(trading, atMs);
      this.#takeInformed(trading, atMs);
    }
  }

  // ——— makers

  #make(trading: Trading, maker: Maker, atMs: number): void {
    if (maker.dueStep !== undefined) {
      if (this.#step >= maker.dueStep) this.#venue.run(atMs, () => this.#requote(trading, maker, atMs));
      return;
    }
    const moved = maker.quotedFair === undefined || Math.abs(trading.fair - maker.quotedFair) > REQUOTE_AT;
    if (moved) maker.dueStep = this.#step + stepsUntil(maker.random, 0.1, 0.8);
    else if (maker.quoted.some(({ id }) => this.#venue.orderById(id) === undefined))
      maker.dueStep = this.#step + stepsUntil(maker.random, 1, 3);
  }

  /** One operation: all its old offers away, all the new ones in. */
  #requote(trading: Trading, maker: Maker, atMs: number): void {
    const { book, fair } = trading;
    for (const { id } of maker.quoted) this.#venue.cancel(maker.account, id, atMs);
    const quoted: { id: OrderId }[] = [];
    let complete = true;
    for (const side of book.market.sides) {
      const p = probabilityFor(fair, side);
      let last: Rung | undefined;
      for (let level = 0; level < maker.levels; level++) {
        const rung = rungAtMost(p - (maker.distance + level * 0.006) * widthAt(p), 1);
        if (rung === undefined || rung === last) continue;
        last = rung;
        const risk = microsOfDollars(Math.round(maker.random.between(40, 160) * (1 + level) * p * 2));
        const placed = this.#venue.place(maker.account, { book, side, rung, risk, orderType: 'post' }, atMs);
        if (placed.ok) quoted.push({ id: placed.order.id });
        else complete = false;
      }
    }
    maker.quoted = quoted;
    maker.quotedFair = fair;
    // somebody's stale offer stood in the way: it is tried again when that one has gone
    maker.dueStep = complete ? undefined : this.#step + stepsUntil(maker.random, 0.5, 1.5);
  }

  // ——— takers

  #takeNoise(trading: Trading, atMs: number): void {
    if (this.#step < trading.nextNoiseStep) return;
    const { noise, book } = trading;
    trading.nextNoiseStep = this.#step + stepsUntil(noise, 3, 6);
    const side = noise.next() < 0.5 ? book.market.sides[0] : book.market.sides[1];
    const dollars = 5 + Math.floor(145 * noise.next() ** 2);
    // noise pays the edge, but not any price
    this.#take(this.#noiseTaker, trading, side, probabilityFor(trading.fair, side) + 0.06, dollars, atMs);
  }

  #takeInformed(trading: Trading, atMs: number): void {
    const { informed, book } = trading;
    if (trading.informedStep === undefined) {
      if (book.market.sides.some((side) => mispricing(trading, side) > MISPRICED_BY))
        trading.informedStep = this.#step + stepsUntil(informed, 0.4, 1.6);
      return;
    }
    if (this.#step < trading.informedStep) return;
    trading.informedStep = undefined;
    for (const side of book.market.sides) {
      if (mispricing(trading, side) <= MISPRICED_BY) continue;
      const backed = book.market.sides[1 - sideIndex(side)] as Side;
      this.#take(
        this.#informedTaker,
        trading,
        backed,
        probabilityFor(trading.fair, backed) - MISPRICED_BY,
        informed.between(80, 400),
        atMs,
      );
    }
  }

  /** Backs a side at probability `most` or better with what is there. */
  #take(account: Account, { book }: Trading, side: Side, most: number, dollars: number, atMs: number): void {
    const rung = rungAtMost(most, 0.1);
    if (rung === undefined) return;
    const risk = Math.round(dollars * 100) * 10_000;
    this.#venue.place(account, { book, side, rung, risk: risk as Micros, orderType: 'fillAndKill' }, atMs);
  }
}

const probabilityFor = (fair: number, side: Side): number => (sideIndex(side) === 0 ? fair : 1 - fair);

/** Makers keep less, in points of probability, far from even. */
const widthAt = (p: number): number => 0.4 + 2.4 * p * (1 - p);

/** How much the owner of the best offer on this side pays above what it is worth. */
function mispricing(trading: Trading, side: Side): number {
  const best = bestOf(sideOf(trading.book, side));
  return best === undefined ? 0 : probabilityOfRung(best.rung) - probabilityFor(trading.fair, side);
}

const stepsUntil = (random: Random, lowSeconds: number, highSeconds: number): number =>
  Math.max(1, Math.round((random.between(lowSeconds, highSeconds) * 1000) / STEP_MS));
