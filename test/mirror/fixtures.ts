// A mirror fed with the exchange's JSON through the parsers of src/wire, so that the tests use games, sides
// and prices.
import type { BookPerspective, GameId, MarketType, Rung } from '../../src/domain/index.ts';
import {
  dollarsOfMicros,
  marketId,
  oddsOf,
  oppositeRung,
  rungOf,
  toOdds,
  winOf,
  microsOfDollars,
} from '../../src/domain/index.ts';
import type { GameBook, MarketBook, SideBook, SideOutcome } from '../../src/mirror/index.ts';
import { Mirror } from '../../src/mirror/index.ts';
import { parseGameReply, parseGameUpdate, parseOrderUpdate } from '../../src/wire/index.ts';

export const GAME = 'g1' as GameId;
export const START = '2030-01-01T12:00:00.000Z';
export const OFFERER: BookPerspective = { odds: 'offerer', side: 'offerer', line: 'offerer' };
export const TAKER: BookPerspective = { odds: 'taker', side: 'taker', line: 'taker' };
export const teams = [
  { id: 'p-away', longName: 'Away Town', shortName: 'AWY', homeAway: 'away' },
  { id: 'p-home', longName: 'Home City', shortName: 'HOM', homeAway: 'home' },
];

/** An offer as its owner sees it: id, American odds, dollars, own or not. */
export type Row = readonly [id: string, odds: number, dollars: number, own?: boolean];
export type Json = Readonly<Record<string, unknown>>;

/** The offer as the exchange shows it under a perspective. */
export function shownRow([id, odds, dollars, own]: Row, perspective: BookPerspective = OFFERER): Json {
  const price = toOdds(odds);
  if (price === undefined) throw new Error(`no price: ${odds}`);
  const taker = perspective.odds === 'taker';
  return {
    id,
    risk: dollars,
    odds: taker ? oddsOf(oppositeRung(rungOf(price))) : odds,
    sumUntaken: taker ? dollarsOfMicros(winOf(microsOfDollars(dollars), price)) : dollars,
    createdAt: '2030-01-01T00:00:00.000Z',
    ...(own === true ? { createdBy: 'me' } : {}),
  };
}
export const rows = (all: readonly Row[], perspective?: BookPerspective): Json[] =>
  all.map((row) => shownRow(row, perspective));

export const header = (fields: Json = {}): Json => ({
  id: 'g1',
  league: 'NBA',
  sport: 'basketball',
  eventName: 'Away Town @ Home City',
  start: START,
  live: false,
  ended: false,
  participants: teams,
  ...fields,
});

export class MirrorFixture {
  readonly mirror: Mirror;
  readonly perspective: BookPerspective;
  epoch = 0;

  constructor(perspective: BookPerspective = OFFERER) {
    this.perspective = perspective;
    this.mirror = new Mirror(perspective);
  }

  up(epoch = this.epoch + 1): this {
    this.epoch = epoch;
    this.mirror.applyFeed('up', epoch);
    return this;
  }

  down(): this {
    this.mirror.applyFeed('down', this.epoch);
    return this;
  }

  /** A REST read of the game, sent at `sentAt` and read at `now`. */
  read(fields: Json, now: number, sentAt = now, epoch = this.epoch): GameBook | undefined {
    const message = parseGameReply({ data: { game: header(fields) } }, this.perspective);
    if (!message.ok) throw new Error(message.problem);
    return this.mirror.applyGame(message.value, epoch, now, { sentAt });
  }

  /** A gameUpdate with only the given fields and the game's id. */
  update(fields: Json, now: number, epoch = this.epoch): GameBook | undefined {
    const message = parseGameUpdate(JSON.stringify({ id: 'g1', ...fields }), this.perspective);
    if (!message.ok) throw new Error(message.problem);
    return this.mirror.applyGame(message.value, epoch, now);
  }

  /** An orderUpdate as the exchange shows it. */
  frame(fields: Json, now: number, epoch = this.epoch): 'applied' | Exclude<SideOutcome, object> {
    const frame = parseOrderUpdate(
      JSON.stringify({ gameID: 'g1', type: 'moneyline', sideOrders: [], ...fields }),
      this.perspective,
    );
    if (!frame.ok) throw new Error(frame.problem);
    const outcome = this.mirror.applySide(frame.value, epoch, now);
    return typeof outcome === 'object' ? 'applied' : outcome;
  }

  home(all: readonly Row[], now: number, epoch = this.epoch): ReturnType<MirrorFixture['frame']> {
    return this.frame({ participantID: 'p-home', sideOrders: rows(all, this.perspective) }, now, epoch);
  }

  away(all: readonly Row[], now: number, epoch = this.epoch): ReturnType<MirrorFixture['frame']> {
    return this.frame({ participantID: 'p-away', sideOrders: rows(all, this.perspective) }, now, epoch);
  }

  book(type: MarketType = 'moneyline', line?: number): MarketBook {
    const book = this.mirror.bookOf(marketId(GAME, type, line), GAME);
    if (book === undefined) throw new Error('no such market');
    return book;
  }

  side(index: 0 | 1, type: MarketType = 'moneyline', line?: number): SideBook {
    return this.book(type, line).sides[index];
  }

  /** Ids of both ladders of a market. */
  ids(type: MarketType = 'moneyline', line?: number): string[][] {
    return this.book(type, line).sides.map((side) => side.ladder.map((offer) => offer.id));
  }

  freshness(now: number, staleAfterMs = 10_000, type: MarketType = 'moneyline', line?: number): string[] {
    return this.book(type, line).sides.map((side) => this.mirror.freshness(side, now, staleAfterMs));
  }

  get game() {
    const book = this.mirror.games.get(GAME);
    if (book === undefined) throw new Error('no such game');
    return book.game;
  }

  drain(): number {
    const { size } = this.mirror.touched;
    this.mirror.touched.clear();
    return size;
  }
}

/** Every ladder of a mirror as plain values, without lines that are empty on both sides. */
export function plainBook(mirror: Mirror): Record<string, (readonly [string, Rung, number])[][]> {
  const plain: Record<string, (readonly [string, Rung, number])[][]> = {};
  for (const game of mirror.games.values()) {
    for (const [id, book] of game.markets) {
      if (book.sides.every((side) => side.ladder.length === 0)) continue;
      plain[id] = book.sides.map((side) => side.ladder.map((offer) => [offer.id, offer.rung, offer.untaken] as const));
    }
  }
  return plain;
}
