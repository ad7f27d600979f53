// Plays a recording into the venue. `prepare` reads up to the start, so that a tape that cannot be read ends the boot;
// `open` builds the book of that moment in one step; `play` delivers what follows when its time has come. It knows time
// only through its ports: a clock and a sleep.
import type { BookPerspective, GameMessage, OrderId, SideFrame } from '../../domain/index.ts';
import { microsOfDollars } from '../../domain/index.ts';
import {
  isRecord,
  listOf,
  parseGameReply,
  parseGameUpdate,
  parseLeagueReply,
  readNumber,
  readText,
  SideReader,
} from '../../wire/index.ts';
import { createTapeClock, startOf, tapeError } from './tape-clock.ts';
import type { TapeClock, TapeStart } from './tape-clock.ts';
import type { Exhausted } from './tape-traders.ts';
import { TapeTraders } from './tape-traders.ts';
import type { Venue } from '../venue/venue.ts';

/** One line of a tape, as the composition root reads it. */
export type RecordedFrame = {
  readonly ts: number;
  readonly ns: string;
  readonly event: string;
  readonly data: string;
  readonly line?: number;
};
export type RecordedFeed = { readonly name: string; readonly frames: AsyncIterable<RecordedFrame> };

export type FeedTimer = {
  readonly now: () => number;
  /** Resolves at that time, or soon after; at once when it has passed. */
  readonly until: (atMs: number) => Promise<void>;
};

/** Which time of the tape is which time of the venue. */
export type TapeAnchor = { readonly t0Ms: number; readonly fromMs: number };

type Parsed =
  | {
      readonly ts: number;
      readonly what: 'side';
      readonly frame: SideFrame;
      readonly exhausted: readonly Exhausted[];
    }
  | { readonly ts: number; readonly what: 'game'; readonly game: GameMessage };

/** What is recorded is told from the offerer's side, whatever the venue itself shows. */
const PERSPECTIVE: BookPerspective = { odds: 'offerer', side: 'offerer', line: 'offerer' };
/** Frames beyond the start that are read before the venue says that it is ready. */
const LOOK_AHEAD = 200;

export class TapeFeed {
  readonly #feed: RecordedFeed;
  readonly #lines: AsyncIterator<RecordedFrame>;
  readonly #sides = new SideReader(PERSPECTIVE);
  readonly #past: Parsed[] = [];
  readonly #ahead: Parsed[] = [];
  /** Games of one recorded REST read, still to be delivered. */
  readonly #games: Parsed[] = [];
  #fromMs = 0;
  #traders: TapeTraders | undefined;
  #clock: TapeClock | undefined;
  #closed = false;
  #thinAt = 4096;

  constructor(feed: RecordedFeed) {
    this.#feed = feed;
    this.#lines = feed.frames[Symbol.asyncIterator]();
  }

  async prepare(start: TapeStart | undefined): Promise<void> {
    let first: number | undefined;
    while (this.#ahead.length < LOOK_AHEAD) {
      const parsed = await this.#next();
      if (parsed === undefined) break;
      if (first === undefined) this.#fromMs = startOf(start, (first = parsed.ts));
      if (parsed.ts <= this.#fromMs) this.#past.push(parsed);
      else this.#ahead.push(parsed);
      if (this.#past.length > this.#thinAt) this.#thin();
    }
    if (first === undefined) throw tapeError(this.#feed.name, 1, 'no frame of a price feed in this file');
  }

  get fromMs(): number {
    return this.#fromMs;
  }

  /** Builds the book at the start. `anchor`: which tape time is which venue time; otherwise the start is now. */
  open(
    venue: Venue,
    speed: number,
    asLeague: string | undefined,
    nowMs: number,
    anchor: TapeAnchor = { t0Ms: nowMs, fromMs: this.#fromMs },
  ): void {
    const clock = createTapeClock(anchor.t0Ms, anchor.fromMs, speed);
    this.#clock = clock;
    this.#traders = new TapeTraders({ venue, clock, asLeague });
    this.#thin();
    venue.run(nowMs, () => {
      for (const parsed of this.#past.splice(0)) this.#apply(parsed, nowMs, true);
    });
  }

  /** Delivers until the end of the tape; the last book stays. Rejects at a line that cannot be read. */
  async play(timer: FeedTimer): Promise<void> {
    for (let busySince = timer.now(); !this.#closed;) {
      const parsed = this.#ahead.shift() ?? (await this.#next());
      if (parsed === undefined) return;
      const due = this.#clock?.venueTime(parsed.ts) ?? 0;
      const now = timer.now();
      // behind its time it still lets others run now and then
      if (due > now || now - busySince > 10) {
        await timer.until(due);
        busySince = timer.now();
        if (this.#closed) return;
      }
      this.#apply(parsed, Math.max(due, timer.now()), false);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lines.return?.();
  }

  #apply(parsed: Parsed, nowMs: number, building: boolean): void {
    if (parsed.what === 'side')
      this.#traders?.applySide(parsed.frame, parsed.ts, nowMs, parsed.exhausted, building);
    else this.#traders?.applyGame(parsed.game, parsed.ts, nowMs, building);
  }

  /** Of what came before the start only the newest frame of each side matters; games keep their order. */
  #thin(): void {
    const newest = new Map<string, Parsed>();
    let games = 0;
    for (const parsed of this.#past) {
      const key =
        parsed.what === 'game'
          ? `game ${games++}`
          : `${parsed.frame.gameId}|${parsed.frame.type}|${parsed.frame.participantId ?? parsed.frame.side}|${parsed.frame.line}`;
      newest.delete(key);
      newest.set(key, parsed);
    }
    this.#past.length = 0;
    for (const parsed of newest.values()) this.#past.push(parsed);
    this.#thinAt = Math.max(4096, 2 * this.#past.length);
  }

  /** A recorded REST read of a book: the games in it, as they stood. Other reads say nothing of the market. */
  #readRest({ ts, event, data, line }: RecordedFrame): void {
    if (GAME_READ.test(event)) {
      const game = parseGameReply(jsonOf(data), PERSPECTIVE);
      if (!game.ok)
        throw tapeError(this.#feed.name, line, `this getSingleOrderbook cannot be read: ${game.problem}`);
      this.#games.push({ ts, what: 'game', game: game.value });
    } else if (LEAGUE_READ.test(event)) {
      const book = parseLeagueReply(jsonOf(data), PERSPECTIVE);
      if (!book.ok || book.value.unreadable > 0)
        throw tapeError(
          this.#feed.name,
          line,
          `this getOrderbook cannot be read: ${book.ok ? 'a game in it' : book.problem}`,
        );
      for (const game of book.value.games) this.#games.push({ ts, what: 'game', game });
    }
  }

  async #next(): Promise<Parsed | undefined> {
    for (;;) {
      const waiting = this.#games.shift();
      if (waiting !== undefined) return waiting;
      const next: IteratorResult<RecordedFrame, unknown> = await this.#lines.next();
      if (next.done === true) return undefined;
      const { value } = next;
      if (value.ns === 'rest') this.#readRest(value);
      if (value.ns !== '/priceUpdates') continue;
      if (value.event === 'orderUpdate') {
        const frame = this.#sides.read(value.data);
        if (!frame.ok)
          throw tapeError(this.#feed.name, value.line, `this orderUpdate cannot be read: ${frame.problem}`);
        return { ts: value.ts, what: 'side', frame: frame.value, exhausted: exhaustedIn(value.data) };
      }
      if (value.event === 'gameUpdate') {
        const game = parseGameUpdate(value.data, PERSPECTIVE);
        if (!game.ok)
          throw tapeError(this.#feed.name, value.line, `this gameUpdate cannot be read: ${game.problem}`);
        return { ts: value.ts, what: 'game', game: game.value };
      }
    }
  }
}

const LEAGUE_READ = /\/getOrderbook$/i;
const GAME_READ = /\/getSingleOrderbook$/i;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NO_ROWS: readonly Exhausted[] = [];
const SPENT_ROW = /"sumUntaken":\s*-?0(?:\.0*)?\s*[,}]/;

/** Rows shown with nothing left: a ladder drops them, but they tell of a take to the end. */
function exhaustedIn(payload: string): readonly Exhausted[] {
  if (!SPENT_ROW.test(payload)) return NO_ROWS;
  const json: unknown = JSON.parse(payload);
  const rows = isRecord(json) ? (listOf(json['sideOrders']) ?? []) : [];
  return rows.filter(isRecord).flatMap((row) => {
    const id = readText(row['id']);
    const risk = readNumber(row['risk'] ?? row['bet']);
    return id !== undefined && risk !== undefined && readNumber(row['sumUntaken']) === 0
      ? [{ id: id as OrderId, risk: microsOfDollars(risk) }]
      : [];
  });
}
