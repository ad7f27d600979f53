// The made-up market: a slate of games and the traders in their books. Stepped every 100 ms of venue time; every purpose
// draws from its own seeded stream, so one seed makes one market, and no account's doing changes a price or a score.
import type { FinalScore, GameResult, SportRule } from '../domain/index.ts';
import type { VenueGame, Venue } from '../venue/index.ts';
import type { Face, TradedItem } from './synthetic-life.ts';
import { changeOf, faceOf } from './synthetic-life.ts';
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
  /** How many games are published and not over, at any time. */
  readonly games: number;
  /** These games and no others, by the Unix ms of their starts, each published some hours before it. */
  readonly starts?: readonly number[] | undefined;
  /** Busy unless told. */
  readonly tempo?: Tempo | undefined;
  readonly league: string;
  /** The games' lives run this much faster than the venue's time; their traders do not. */
  readonly speed?: number;
  /** One game with its halves, its last quarter and a player's points, and a futures game. */
  readonly sideGames?: boolean;
  /** How often the exchange was started before from the same state. */
  readonly life?: number;
  /** The snapshot of a former life, to go on from. */
  readonly restored?: unknown;
};

/** After a pause of the process the past is not made up in full. */
const MOST_STEPS_AT_ONCE = 50;

type Run = {
  readonly life: TradedItem;
  readonly game: VenueGame;
  /** What the venue was told of it: an operator's change stands until the game itself changes the same. */
  told: Face;
  /** The lines that `tradings` were made for. */
  markets: readonly SyntheticMarket[] | undefined;
  tradings: readonly MarketTrading[];
};

export class SyntheticTraders {
  /** Why the snapshot of the former life could not be used. */
  readonly problem: string | undefined;
  readonly #venue: Venue;
  readonly #crowd: Crowd;
  readonly #slate: SyntheticSlate;
  readonly #runs = new Map<TradedItem, Run>();
  readonly #startMs: number;
  readonly #stepSeconds: number;
  #step = 0;

  constructor(venue: Venue, options: SyntheticOptions, nowMs: number) {
    const { seed, games, league, starts, speed = 1, sideGames = false, life = 0, tempo = BUSY } = options;
    this.#venue = venue;
    this.#startMs = nowMs;
    this.#stepSeconds = (STEP_MS / 1000) * speed;
    const internal = (username: string) => venue.addAccount({ username, internal: true, cash: 1e8, coins: 1e8 });
    this.#crowd = {
      seed,
      life,
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
        life,
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
      this.#follow(nowMs);
      this.#trade(nowMs, (trading, moment) => trading.open(moment));
    });
  }

  /** Brings the market up to this time; returns how many steps were made. */
  step(nowMs: number): number {
    const due = Math.floor((nowMs - this.#startMs) / STEP_MS);
    if (due - this.#step > MOST_STEPS_AT_ONCE) {
      const from = this.#nowMs();
      this.#step = due - MOST_STEPS_AT_ONCE;
      this.#slate.pass(from, this.#nowMs());
    }
    let made = 0;
    for (; this.#step < due; made++) {
      this.#step++;
      this.#once(this.#nowMs());
    }
    return made;
  }

  /** Where the market stands: small, and JSON. */
  snapshot(): SlateState {
    return this.#slate.snapshot(this.#nowMs());
  }

  #nowMs(): number {
    return this.#startMs + this.#step * STEP_MS;
  }

  #once(atMs: number): void {
    this.#slate.advance(atMs, this.#stepSeconds);
    this.#slate.fill(atMs);
    this.#follow(atMs);
    this.#trade(atMs, (trading, moment) => trading.step(moment));
  }

  #trade(atMs: number, act: (trading: MarketTrading, moment: Moment) => void): void {
    const step = this.#step;
    for (const { life, game, tradings } of this.#runs.values()) {
      const { open, ended, live } = game.header;
      if (!open || ended) continue;
      for (const trading of tradings) act(trading, { step, atMs, fair: life.fair(trading.market), live });
    }
  }

  // ——— games in the venue

  #follow(atMs: number): void {
    for (const life of this.#slate.lives()) {
      const run = this.#runs.get(life) ?? this.#adopt(life, atMs);
      if (run !== undefined) this.#bringUp(run, atMs);
    }
  }

  /** Opens the game, or goes on with the one that the venue has. */
  #adopt(life: TradedItem, atMs: number): Run | undefined {
    const former = this.#venue.games.get(life.header.id);
    if (former?.graded !== undefined) {
      this.#slate.drop(life, atMs);
      return undefined;
    }
    if (former !== undefined) life.heed(former.header);
    const game = former ?? this.#venue.openGame(life.header, atMs, life.details);
    const run: Run = { life, game, told: faceOf(game.header), markets: undefined, tradings: [] };
    this.#runs.set(life, run);
    return run;
  }

  #bringUp(run: Run, atMs: number): void {
    const { life, game, told } = run;
    if (game.header.start !== told.start || game.header.live !== told.live) {
      life.heed(game.header);
      run.told = { ...told, start: game.header.start, live: game.header.live };
    }
    // a game that the operator has ended is his to grade; what hangs on it ends with it
    const endedByOthers = game.header.ended && !told.ended;
    const orphaned = life.parent !== undefined && !this.#runs.has(life.parent);
    const { finalScore } = life;
    if (endedByOthers) this.#end(run, atMs);
    else if (finalScore !== undefined) {
      this.#tell(run, atMs);
      this.#venue.grade(game, resultOf(finalScore, game.rule), atMs);
      this.#end(run, atMs);
    } else if (orphaned) {
      this.#venue.changeGame(game, { open: false, ended: true }, atMs);
      this.#end(run, atMs);
    } else this.#tell(run, atMs);
  }

  #end({ life }: Run, atMs: number): void {
    this.#runs.delete(life);
    this.#slate.drop(life, atMs);
  }

  /** One operation: the header changes, and offers that no longer make sense go. */
  #tell(run: Run, atMs: number): void {
    const { life, game } = run;
    const { face } = life;
    const change = changeOf(run.told, face);
    const { open, ended } = { ...game.header, ...change };
    const shut = !open || ended;
    if (change === undefined && !shut && run.markets === life.markets) return;
    this.#venue.run(atMs, () => {
      if (shut || change?.live === true) for (const trading of run.tradings) trading.withdraw(atMs);
      if (change !== undefined) this.#venue.changeGame(game, change, atMs);
      run.told = face;
      if (run.markets !== life.markets) this.#setLines(run, atMs);
    });
  }

  /** Lines that are still wanted go on as they are. */
  #setLines(run: Run, atMs: number): void {
    const { life, game } = run;
    const before = new Map(run.tradings.map((trading) => [trading.book, trading]));
    run.tradings = life.markets.map((market) => {
      const book = this.#venue.book(game, market.type, market.line);
      const kept = before.get(book);
      before.delete(book);
      return kept ?? new MarketTrading(this.#crowd, market, book, life.light, this.#step);
    });
    for (const gone of before.values()) gone.withdraw(atMs);
    run.markets = life.markets;
  }
}

/** The result of a generated game, with its winner where the sport goes by one. */
function resultOf({ home, away }: FinalScore, { moneyline, total }: SportRule): GameResult {
  if (moneyline === total) return { home, away };
  return { home, away, winner: home > away ? 'home' : home < away ? 'away' : 'draw' };
}
