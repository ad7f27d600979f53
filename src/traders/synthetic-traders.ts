// The synthetic market: a slate of games and the traders in their books. It steps every 100 ms of venue time.
// Each purpose draws from its own seeded stream, so one seed makes one market, and no action of an account
// changes a price or a score.
import type { FinalScore, GameResult, SportRule } from '../domain/index.ts';
import type { VenueGame, Venue } from '../venue/index.ts';
import type { Face, TradedItem } from './synthetic-game-parts.ts';
import { changeOf, faceOf } from './synthetic-game-parts.ts';
import type { Moment } from './synthetic-makers.ts';
import { STEP_MS } from './synthetic-makers.ts';
import type { Crowd } from './synthetic-market.ts';
import { MarketTrading } from './synthetic-market.ts';
import type { SyntheticMarket } from './synthetic-prices.ts';
import { SyntheticSlate } from './synthetic-slate.ts';
import type { SlateState } from './synthetic-snapshot.ts';
import { readSlateState } from './synthetic-snapshot.ts';
import type { Tempo } from './synthetic-tempo.ts';
import { BUSY } from './synthetic-tempo.ts';

export type SyntheticOptions = {
  readonly seed: number;
  /** The number of games that are published and have not ended, at any time. */
  readonly games: number;
  /**
   * Unix ms of the starts of all games; each is published some hours before. Undefined: `games` at a time.
   */
  readonly starts?: readonly number[] | undefined;
  /** The tempo of trading. Default: `BUSY`. */
  readonly tempo?: Tempo | undefined;
  readonly league: string;
  /** Games run this much faster than the venue's time; their traders do not. */
  readonly speed?: number;
  /** Adds one game with its halves, last quarter and a player's points, and a futures game. */
  readonly sideGames?: boolean;
  /** The number of earlier starts of the exchange from the same state. */
  readonly earlierRuns?: number;
  /** The snapshot of a former run, from which the market continues. */
  readonly restored?: unknown;
};

/** After a pause of the process only this many steps are traded; the games skip the rest in coarse steps. */
const MOST_STEPS_AT_ONCE = 50;

type Run = {
  readonly item: TradedItem;
  readonly game: VenueGame;
  /**
   * The face last sent to the venue. An operator's change stands until the game itself changes the same
   * field.
   */
  sent: Face;
  /** The lines for which `tradings` were made. */
  markets: readonly SyntheticMarket[] | undefined;
  tradings: readonly MarketTrading[];
};

export class SyntheticTraders {
  /** The reason why the snapshot of the former run could not be used. Undefined when there is none. */
  readonly problem: string | undefined;
  readonly #venue: Venue;
  readonly #crowd: Crowd;
  readonly #slate: SyntheticSlate;
  readonly #runs = new Map<TradedItem, Run>();
  readonly #startMs: number;
  readonly #stepSeconds: number;
  #step = 0;

  constructor(venue: Venue, options: SyntheticOptions, nowMs: number) {
    const {
      seed,
      games,
      league,
      starts,
      speed = 1,
      sideGames = false,
      earlierRuns: restarts = 0,
      tempo = BUSY,
    } = options;
    this.#venue = venue;
    this.#startMs = nowMs;
    this.#stepSeconds = (STEP_MS / 1000) * speed;
    const internal = (username: string) => venue.addAccount({ username, internal: true, cash: 1e8, coins: 1e8 });
    this.#crowd = {
      seed,
      earlierRuns: restarts,
      tempo,
      venue,
      makers: Array.from({ length: tempo.makers }, (_, index) => internal(`maker-${index + 1}`)),
      noise: internal('taker-1'),
      informed: internal('taker-2'),
      patient: tempo.waiting > 0 ? internal(`maker-${tempo.makers + 1}`) : undefined,
    };
    const { state, problem } = readSlateState(options.restored);
    this.problem = problem;
    const known = (id: VenueGame['header']['id']) => venue.games.get(id)?.header;
    this.#slate = new SyntheticSlate(
      {
        seed,
        games,
        league,
        starts,
        speed,
        sideGames,
        earlierRuns: restarts,
        tempo,
        known,
        secondHalfOvertime: venue.profile.secondHalfOvertime,
      },
      nowMs,
      state,
    );
    venue.run(nowMs, () => {
      for (const former of this.#slate.lives()) this.#adopt(former, nowMs);
      if (state !== undefined && state.atMs < nowMs) this.#slate.pass(state.atMs, nowMs);
      this.#slate.fill(nowMs);
      this.#updateRuns(nowMs);
      this.#trade(nowMs, (trading, moment) => trading.open(moment));
    });
  }

  /** Advances the market to this time. Returns the number of steps. */
  step(nowMs: number): number {
    const due = Math.floor((nowMs - this.#startMs) / STEP_MS);
    if (due - this.#step > MOST_STEPS_AT_ONCE) {
      const from = this.#nowMs();
      this.#step = due - MOST_STEPS_AT_ONCE;
      this.#slate.pass(from, this.#nowMs());
    }
    let steps = 0;
    for (; this.#step < due; steps++) {
      this.#step++;
      this.#stepOnce(this.#nowMs());
    }
    return steps;
  }

  /** The state of the market: small, and JSON. */
  snapshot(): SlateState {
    return this.#slate.snapshot(this.#nowMs());
  }

  #nowMs(): number {
    return this.#startMs + this.#step * STEP_MS;
  }

  #stepOnce(atMs: number): void {
    this.#slate.advance(atMs, this.#stepSeconds);
    this.#slate.fill(atMs);
    this.#updateRuns(atMs);
    this.#trade(atMs, (trading, moment) => trading.step(moment));
  }

  #trade(atMs: number, action: (trading: MarketTrading, moment: Moment) => void): void {
    const step = this.#step;
    for (const { item, game, tradings } of this.#runs.values()) {
      const { open, ended, live } = game.header;
      if (!open || ended) continue;
      for (const trading of tradings) action(trading, { step, atMs, fair: item.fair(trading.market), live });
    }
  }

  // ——— games in the venue

  #updateRuns(atMs: number): void {
    for (const item of this.#slate.lives()) {
      const run = this.#runs.get(item) ?? this.#adopt(item, atMs);
      if (run !== undefined) this.#update(run, atMs);
    }
  }

  /** Opens the game, or continues with the one that the venue has. */
  #adopt(item: TradedItem, atMs: number): Run | undefined {
    const former = this.#venue.games.get(item.header.id);
    if (former?.graded !== undefined) {
      this.#slate.drop(item, atMs);
      return undefined;
    }
    if (former !== undefined) item.heed(former.header);
    const game = former ?? this.#venue.openGame(item.header, atMs, item.details);
    const run: Run = { item, game, sent: faceOf(game.header), markets: undefined, tradings: [] };
    this.#runs.set(item, run);
    return run;
  }

  #update(run: Run, atMs: number): void {
    const { item, game, sent } = run;
    if (game.header.start !== sent.start || game.header.live !== sent.live) {
      item.heed(game.header);
      run.sent = { ...sent, start: game.header.start, live: game.header.live };
    }
    // the operator grades a game that he ended; its side games end with it
    const endedByOthers = game.header.ended && !sent.ended;
    const orphaned = item.parent !== undefined && !this.#runs.has(item.parent);
    const { finalScore } = item;
    if (endedByOthers) this.#end(run, atMs);
    else if (finalScore !== undefined) {
      this.#sendFace(run, atMs);
      this.#venue.grade(game, resultOf(finalScore, game.rule), atMs);
      this.#end(run, atMs);
    } else if (orphaned) {
      this.#venue.changeGame(game, { open: false, ended: true }, atMs);
      this.#end(run, atMs);
    } else this.#sendFace(run, atMs);
  }

  #end({ item }: Run, atMs: number): void {
    this.#runs.delete(item);
    this.#slate.drop(item, atMs);
  }

  /**
   * Sends the game's face to the venue in one operation: the header changes, and offers that no longer make
   * sense are withdrawn.
   */
  #sendFace(run: Run, atMs: number): void {
    const { item, game } = run;
    const { face } = item;
    const change = changeOf(run.sent, face);
    const { open, ended } = { ...game.header, ...change };
    const shut = !open || ended;
    if (change === undefined && !shut && run.markets === item.markets) return;
    this.#venue.run(atMs, () => {
      if (shut || change?.live === true) for (const trading of run.tradings) trading.withdraw(atMs);
      if (change !== undefined) this.#venue.changeGame(game, change, atMs);
      run.sent = face;
      if (run.markets !== item.markets) this.#setLines(run, atMs);
    });
  }

  /** Replaces the lines of a game. Lines that stay keep their trading. */
  #setLines(run: Run, atMs: number): void {
    const { item, game } = run;
    const before = new Map(run.tradings.map((trading) => [trading.book, trading]));
    run.tradings = item.markets.map((market) => {
      const book = this.#venue.book(game, market.type, market.line);
      const kept = before.get(book);
      before.delete(book);
      return kept ?? new MarketTrading(this.#crowd, market, book, item.light, this.#step);
    });
    for (const gone of before.values()) gone.withdraw(atMs);
    run.markets = item.markets;
  }
}

/** The result of a generated game, with a winner where the sport settles by winner. */
function resultOf({ home, away }: FinalScore, { moneyline, total }: SportRule): GameResult {
  if (moneyline === total) return { home, away };
  return { home, away, winner: home > away ? 'home' : home < away ? 'away' : 'draw' };
}
