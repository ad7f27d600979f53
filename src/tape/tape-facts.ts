// Summarizes a tape: games, times, books, takes, silences. It counts only takes that the tape proves: an
// offer with more taken than before, or a row with nothing left.
import type { GameId, GameMessage, Ladder, OrderId } from '../domain/index.ts';
import { newRows } from '../domain/index.ts';
import type { GameEvent, MarketEvent, SideEvent } from './tape-decoder.ts';
import { sideKeyOf } from './tape-decoder.ts';

export type GameFacts = {
  readonly gameId: GameId;
  readonly league: string | undefined;
  readonly sport: string | undefined;
  readonly eventName: string | undefined;
  /** Unix ms, from the last header that has it. */
  readonly start: number | undefined;
  readonly live: boolean;
  readonly ended: boolean;
  /** The number of lines by market type (`moneyline`, `spread`, `total`). */
  readonly types: Readonly<Record<string, number>>;
  readonly frames: number;
  readonly takes: number;
  /** The offers' stake that was taken, in dollars. */
  readonly taken: number;
};
/** A period without lines or connection, Unix ms. */
export type Silence = { readonly from: number; readonly to: number };
export type TapeFacts = {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly frames: number;
  readonly gameUpdates: number;
  readonly reads: number;
  readonly signals: number;
  readonly ownEvents: number;
  readonly games: readonly GameFacts[];
  /** The number of rows of the longest ladder. */
  readonly deepest: number;
  /** Lost connections. One that is still lost at the end lasts to the end. */
  readonly disconnects: readonly Silence[];
  /** The longest periods without a line, each a minute or more, longest first. */
  readonly silences: readonly Silence[];
  /** Total time in silences of 10 s or more, ms. */
  readonly silentMs: number;
};

const SILENCE_MS = 10_000;
const LONG_SILENCE_MS = 60_000;
const SILENCES_KEPT = 5;
const DISCONNECTS_KEPT = 1000;

type Side = { ladder: Ladder; readonly most: Map<OrderId, number> };
type Game = {
  message: Partial<GameMessage>;
  readonly lines: Map<string, Set<number | undefined>>;
  readonly sides: Map<string, Side>;
  frames: number;
  takes: number;
  /** The offers' stake that was taken, in micro-dollars. */
  taken: number;
};

export class TapeCounter {
  #from: number | undefined;
  #to: number | undefined;
  #downAt: number | undefined;
  #deepest = 0;
  #silentMs = 0;
  readonly #counts = { frames: 0, gameUpdates: 0, reads: 0, signals: 0, ownEvents: 0 };
  readonly #games = new Map<GameId, Game>();
  readonly #disconnects: Silence[] = [];
  readonly #silences: Silence[] = [];

  applyEvent(event: MarketEvent): void {
    this.#noteTime(event.ts);
    switch (event.what) {
      case 'side':
        this.#counts.frames += 1;
        this.#applySide(event);
        break;
      case 'game':
        this.#counts[event.since === undefined ? 'gameUpdates' : 'reads'] += 1;
        this.#applyGame(event);
        break;
      case 'signal':
        this.#counts.signals += 1;
        break;
      case 'own':
        this.#counts.ownEvents += 1;
        break;
      case 'down':
        this.#downAt ??= event.ts;
        break;
      case 'up':
        this.#noteUp(event.ts);
        // rows that vanish across a break were not necessarily taken
        for (const { sides } of this.#games.values()) sides.clear();
    }
  }

  get facts(): TapeFacts {
    const last: Silence[] =
      this.#downAt === undefined || this.#to === undefined ? [] : [{ from: this.#downAt, to: this.#to }];
    return {
      from: this.#from,
      to: this.#to,
      ...this.#counts,
      deepest: this.#deepest,
      games: [...this.#games].map(([gameId, { message, lines, frames, takes, taken }]) => ({
        gameId,
        league: message.league,
        sport: message.sport,
        eventName: message.eventName,
        start: message.start,
        live: message.live === true,
        ended: message.ended === true,
        types: Object.fromEntries([...lines].map(([type, typeLines]) => [type, typeLines.size])),
        frames,
        takes,
        taken: taken / 1e6,
      })),
      disconnects: [...this.#disconnects, ...last],
      silences: this.#silences,
      silentMs: this.#silentMs,
    };
  }

  #noteTime(ts: number): void {
    const before = this.#to;
    this.#from ??= ts;
    this.#to = Math.max(ts, before ?? ts);
    const ms = before === undefined ? 0 : ts - before;
    if (before === undefined || ms < SILENCE_MS) return;
    this.#silentMs += ms;
    if (ms < LONG_SILENCE_MS) return;
    this.#silences.push({ from: before, to: ts });
    this.#silences.sort((left, right) => right.to - right.from - (left.to - left.from));
    this.#silences.length = Math.min(this.#silences.length, SILENCES_KEPT);
  }

  #noteUp(ts: number): void {
    if (this.#downAt !== undefined && this.#disconnects.length < DISCONNECTS_KEPT)
      this.#disconnects.push({ from: this.#downAt, to: ts });
    this.#downAt = undefined;
  }

  #gameOf(id: GameId): Game {
    let game = this.#games.get(id);
    if (game === undefined) {
      game = { message: {}, lines: new Map(), sides: new Map(), frames: 0, takes: 0, taken: 0 };
      this.#games.set(id, game);
    }
    return game;
  }

  #applyGame({ game: message }: GameEvent): void {
    const game = this.#gameOf(message.gameId);
    const known = Object.entries(message).filter(([, value]) => value !== undefined);
    game.message = { ...game.message, ...Object.fromEntries(known) };
    for (const { type, side, line, offers } of message.ladders) {
      this.#noteLine(game, type, side === 'away' && line !== undefined ? 0 - line : line);
      this.#deepest = Math.max(this.#deepest, offers.length);
    }
    // the ladders no longer continue those of the frames: what happened between is unknown
    if (message.covers.length > 0 || message.messageType !== undefined) game.sides.clear();
  }

  #noteLine(game: Game, type: string, line: number | undefined): void {
    // the home spread and the away spread are one line, shown from two sides
    const shown = type === 'spread' && line !== undefined ? Math.abs(line) : line;
    const lines = game.lines.get(type);
    if (lines === undefined) game.lines.set(type, new Set([shown]));
    else lines.add(shown);
  }

  #applySide(event: SideEvent): void {
    const { frame, exhausted } = event;
    const game = this.#gameOf(frame.gameId);
    game.frames += 1;
    this.#noteLine(game, frame.type, frame.line);
    this.#deepest = Math.max(this.#deepest, frame.offers.length);
    const key = sideKeyOf(event);
    const before = game.sides.get(key);
    const take = (id: OrderId, micros: number): void => {
      const most = before?.most.get(id);
      if (most === undefined || micros <= most) return;
      game.takes += 1;
      game.taken += micros - most;
      before?.most.set(id, micros);
    };
    for (const { id, risk } of exhausted) take(id, risk);
    const fresh = newRows(frame.offers, before?.ladder ?? []);
    for (const { id, risk, untaken } of fresh) take(id, risk - untaken);
    const most = before?.most ?? new Map<OrderId, number>();
    for (const { id, risk, untaken } of fresh) if (!most.has(id)) most.set(id, risk - untaken);
    if (most.size > 4 * frame.offers.length + 64) {
      const shown = new Set(frame.offers.map(({ id }) => id));
      for (const id of most.keys()) if (!shown.has(id)) most.delete(id);
    }
    game.sides.set(key, { ladder: frame.offers, most });
  }
}
