// The state of the market at a moment of a tape, and the records that reproduce it there: game headers, the
// newest ladder of each side, payloads as they were recorded. It also keeps what the next frame does not
// continue: a ladder from before a lost connection, a close or the turn to live comes before the record of
// that break, because rows that disappear across it were not taken.
import { readJson, readSignals, SIGNAL_LINE } from '../domain/index.ts';
import type { Json } from '../wire/index.ts';
import { DEFAULT_PROFILE, isRecord, LADDER_FIELDS, listOf, readLine, readText, readTime } from '../wire/index.ts';
import type { TapeRecord } from './journal-tape.ts';
import { namespacesOf } from './tape-namespaces.ts';

/** Whether a game is included. */
export type GameFilter = (gameId: string, league: string | undefined) => boolean;

type Side = {
  readonly type: string;
  readonly line: number | undefined;
  /** The newest `orderUpdate` payload of this side. */
  payload: string;
  /** The payload's line number, and its time in Unix ms. */
  atLine: number;
  receivedMs: number;
};
type Game = {
  header: Record<string, unknown>;
  headerMs: number;
  isOpen: boolean;
  hasEnded: boolean;
  /** Line numbers of its last close and of its first turn to live. −1: none. */
  closed: number;
  live: number;
  readonly sides: Map<string, Side>;
};

const BOOK_FIELDS = new Set(LADDER_FIELDS.map(({ field }) => field));

export class TapeState {
  readonly #namespace: string;
  readonly #games = new Map<string, Game>();
  readonly #signals = new Map<string, { readonly value: number; readonly ts: number; readonly ttlMs: number }>();
  #line = 0;
  /** The line number of the last break of the connection. −1: none. */
  #brokenAt = -1;
  #isUp = true;

  /** @param profile the `profile` field of the tape header */
  constructor(profile: unknown) {
    this.#namespace = namespacesOf(profile).namespace ?? DEFAULT_PROFILE.priceNamespace;
  }

  /** The league of a game. Undefined when no header has named it. */
  leagueOf(gameId: string): string | undefined {
    return readText(this.#games.get(gameId)?.header['league']);
  }

  applyRecord({ ts, ns, event, data, sent }: TapeRecord): void {
    this.#line += 1;
    if (ns === SIGNAL_LINE.ns && event === SIGNAL_LINE.event) {
      this.#applySignal(ts, data);
      return;
    }
    if (ns !== this.#namespace && ns !== 'rest') return;
    if (event === 'disconnect' || event === 'connect') {
      this.#brokenAt = this.#line;
      this.#isUp = event === 'connect';
      return;
    }
    const json = jsonOf(data);
    if (!isRecord(json)) return;
    if (ns === 'rest') {
      for (const game of gamesRead(event, json)) this.#applyGame(ts, game, sent ?? ts);
      return;
    }
    // a recording may begin after the connection was made: a frame proves that it is up
    this.#isUp = true;
    if (event === 'gameUpdate') this.#applyGame(ts, json, undefined);
    else if (event === 'orderUpdate') this.#applySide(ts, json, data);
  }

  #applySignal(ts: number, data: string): void {
    const read = readJson(data);
    const json = read.ok ? read.value : undefined;
    const reported = isRecord(json) ? readSignals(json['values'], json['ttl']) : 'no signal';
    if (typeof reported === 'string') return;
    const { update } = reported;
    for (const [name, value] of Object.entries(update.values))
      if (value === null) this.#signals.delete(name);
      else this.#signals.set(name, { value, ts, ttlMs: update.ttlMs });
  }

  #gameOf(id: string): Game {
    let game = this.#games.get(id);
    if (game === undefined) {
      game = {
        header: {},
        headerMs: Number.NEGATIVE_INFINITY,
        isOpen: true,
        hasEnded: false,
        closed: -1,
        live: -1,
        sides: new Map<string, Side>(),
      };
      this.#games.set(id, game);
    }
    return game;
  }

  /**
   * @param since Unix ms at which a read was requested: messages after that are newer than its reply.
   * Undefined for a `gameUpdate`.
   */
  #applyGame(ts: number, json: Json, since: number | undefined): void {
    const id = readText(json['id']);
    if (id === undefined) return;
    const game = this.#gameOf(id);
    const isNewer = (receivedMs: number): boolean => since === undefined || receivedMs <= since;
    if (isNewer(game.headerMs)) this.#applyHeader(game, json);
    if (since === undefined) game.headerMs = ts;
    this.#applyLadders(ts, id, game, json, isNewer);
    if (!game.hasEnded) return;
    game.sides.clear();
    game.closed = game.live = -1;
  }

  #applyHeader(game: Game, json: Json): void {
    const { messageType } = json;
    const wasOpen = game.isOpen;
    const isKnown = game.header['id'] !== undefined;
    for (const [field, value] of Object.entries(json))
      if (!BOOK_FIELDS.has(field) && field !== 'messageType' && value !== undefined) game.header[field] = value;
    if (typeof json['ended'] === 'boolean') game.hasEnded = json['ended'];
    game.isOpen = messageType === 'marketOpen' || (messageType !== 'marketClosed' && wasOpen && json['ended'] !== true);
    if (wasOpen && !game.isOpen) game.closed = this.#line;
    // a game that is live in its first message has no turn to live
    if (isKnown && json['live'] === true && game.live < 0) game.live = this.#line;
  }

  /** A ladder field that is present covers all lines of its market type and side. */
  #applyLadders(ts: number, gameID: string, game: Game, json: Json, isNewer: (receivedMs: number) => boolean): void {
    for (const { field, type, side } of LADDER_FIELDS) {
      const ladders = json[field];
      if (ladders === undefined || ladders === null) continue;
      const rowsByLine = rowsOf(ladders, type);
      for (const known of game.sides.values())
        if (known.type === type && sideNamed(game, known) === side && !rowsByLine.has(known.line))
          rowsByLine.set(known.line, []);
      for (const [line, rows] of [...rowsByLine].sort(([line = 0], [otherLine = 0]) => line - otherLine)) {
        const place = placeOf(game, type, side, line);
        const key = keyOf(place);
        const before = game.sides.get(key);
        if (before !== undefined && !isNewer(before.receivedMs)) continue;
        const { sport, league, live } = game.header;
        const payload = JSON.stringify({ gameID, sport, league, live, ...place, sideOrders: rows });
        game.sides.set(key, { type, line, payload, atLine: this.#line, receivedMs: ts });
      }
    }
  }

  #applySide(ts: number, json: Json, payload: string): void {
    const { type, live, mainHomeSpread, mainTotal } = json;
    const gameId = readText(json['gameID']);
    if (gameId === undefined || typeof type !== 'string') return;
    const game = this.#gameOf(gameId);
    if (typeof live === 'boolean' && game.header['id'] !== undefined) {
      if (live && game.live < 0 && game.header['live'] !== true) game.live = this.#line;
      game.header['live'] = live;
    }
    if (type === 'spread' && typeof mainHomeSpread === 'number') game.header['mainHomeSpread'] = mainHomeSpread;
    if (type === 'total' && typeof mainTotal === 'number') game.header['mainTotal'] = mainTotal;
    const line = type === 'moneyline' ? undefined : readLine(json[type]);
    game.sides.set(keyOf(json), { type, line, payload, atLine: this.#line, receivedMs: ts });
  }

  /**
   * The records that reproduce this state at `atMs`, Unix ms. Signals keep their own time because they
   * expire.
   */
  lines(atMs: number, isIncluded: GameFilter): readonly TapeRecord[] {
    const lines: TapeRecord[] = [...this.#signalLines(atMs)];
    for (const [id, game] of this.#games) {
      if (game.hasEnded || !isIncluded(id, readText(game.header['league']))) continue;
      lines.push(...this.#gameLines(atMs, id, game));
    }
    if (!this.#isUp) lines.push({ ts: atMs, ns: this.#namespace, event: 'disconnect', data: '' });
    return lines;
  }

  #signalLines(atMs: number): readonly TapeRecord[] {
    return [...this.#signals]
      .filter(([, { ts, ttlMs }]) => ts + ttlMs > atMs)
      .sort(([, left], [, right]) => left.ts - right.ts)
      .map(([name, { value, ts, ttlMs }]) => ({
        ts,
        ...SIGNAL_LINE,
        data: JSON.stringify({ values: { [name]: value }, ttl: ttlMs }),
      }));
  }

  #gameLines(atMs: number, id: string, game: Game): readonly TapeRecord[] {
    const line = (event: string, data: string): TapeRecord => ({ ts: atMs, ns: this.#namespace, event, data });
    const header = (fields: Json): TapeRecord => line('gameUpdate', JSON.stringify({ ...game.header, ...fields }));
    // a bot takes markets in the order of their first appearance
    const known = [...game.sides.values()];
    const sides = known.toSorted((left, right) => left.atLine - right.atLine);
    // no header of this game was recorded yet: it may still come
    if (game.header['id'] === undefined) return known.map(({ payload }) => line('orderUpdate', payload));
    const isLive = game.header['live'] === true;
    const start = readTime(game.header['start']);
    const gap = Math.max(this.#brokenAt, game.closed);
    // ladders go in the order of time: first those that the next frame does not continue, or that are from
    // before the start
    const stale = sides.filter(({ atLine }) => atLine < gap).length;
    const early = sides.filter(
      ({ atLine, receivedMs }) => atLine < game.live || (start !== undefined && receivedMs < start && start <= atMs),
    ).length;
    const open = game.isOpen ? 'marketOpen' : 'marketClosed';
    const turned = early > 0 || game.live >= 0;
    if (stale === 0 && !turned)
      return [
        header({ id, live: isLive, messageType: open }),
        ...known.map(({ payload }) => line('orderUpdate', payload)),
      ];
    let isLiveNow = !turned && isLive;
    // a frame's own `live` would count as the turn to live
    const frame = ({ payload }: Side, fields: Json = {}): TapeRecord =>
      line('orderUpdate', JSON.stringify({ ...(jsonOf(payload) as Json), live: isLiveNow, ...fields }));
    const lines = [
      header({ id, live: isLiveNow, messageType: stale > 0 ? 'marketOpen' : open }),
      ...known.map((side) => frame(side, { sideOrders: [] })),
    ];
    for (let index = 0; index <= sides.length; index++) {
      if (index === stale && stale > 0) {
        lines.push(header({ id, live: isLiveNow, messageType: 'marketClosed' }));
        if (game.isOpen) lines.push(header({ id, live: isLiveNow, messageType: 'marketOpen' }));
      }
      if (index === early && turned) {
        isLiveNow = true;
        lines.push(header({ id, live: isLiveNow }));
      }
      const side = sides[index];
      if (side !== undefined) lines.push(frame(side));
    }
    return [...lines, header({ id, live: isLive })];
  }
}

/**
 * The games in the reply of a book read, including parts of a game. Empty when the request is not a book
 * read.
 */
export function gamesRead(event: string, json: Json): readonly Json[] {
  const data = isRecord(json['data']) ? json['data'] : {};
  if (isGameRead(event)) {
    const { game } = data;
    if (!isRecord(game)) return [];
    const parts = (field: string): readonly Json[] => (listOf(data[field]) ?? []).filter(isRecord);
    return [
      game,
      ...parts('childGames').map((part) => ({ ...part, parentGameID: part['parentGameID'] ?? game['id'] })),
      // nothing but the list it is in marks it as a special
      ...parts('propGames').map((part) => ({
        ...part,
        parentGameID: part['parentGameID'] ?? game['id'],
        isSpecials: true,
      })),
    ];
  }
  return /\/getOrderbook$/i.test(event) ? (listOf(data['games']) ?? []).filter(isRecord) : [];
}

/** Whether the request is a book read of one game and its parts. */
export const isGameRead = (event: string): boolean => /\/getSingleOrderbook$/i.test(event);

const keyOf = (place: Json): string =>
  [place['type'], place['participantID'] ?? place['OU'], place['spread'] ?? place['total'] ?? ''].join('|');

function placeOf(game: Game, type: string, side: string, line: number | undefined): Json {
  if (type === 'total') return { type, OU: side, total: line, participantID: null };
  const id = participantOf(game, side) ?? side;
  return { type, ...(type === 'spread' ? { spread: line } : {}), participantID: id };
}

function participantOf({ header }: Game, side: string): string | undefined {
  const participants = (listOf(header['participants']) ?? []).filter(isRecord);
  const named = participants.find(({ homeAway }) => homeAway === side);
  // the wire's order is away, home
  return readText((named ?? participants[side === 'home' ? 1 : 0])?.['id']);
}

/** The side of a known ladder: home, away, over or under. */
function sideNamed(game: Game, { payload }: Side): string | undefined {
  const json = jsonOf(payload);
  if (!isRecord(json)) return undefined;
  const id = json['participantID'] ?? json['OU'];
  for (const side of ['home', 'away']) if (id === participantOf(game, side)) return side;
  return readText(id);
}

/** Rows by line. The field is an object keyed by line, or a flat list whose rows carry their line. */
function rowsOf(ladders: unknown, type: string): Map<number | undefined, unknown[]> {
  const rows = new Map<number | undefined, unknown[]>();
  if (Array.isArray(ladders)) {
    if (type === 'moneyline') rows.set(undefined, ladders as unknown[]);
    else
      for (const row of ladders as readonly unknown[]) {
        const line = isRecord(row) ? readLine(row[type]) : undefined;
        const known = rows.get(line);
        if (known === undefined) rows.set(line, [row]);
        else known.push(row);
      }
  } else if (isRecord(ladders))
    for (const [key, value] of Object.entries(ladders))
      rows.set(readLine(key), Array.isArray(value) ? (value as unknown[]) : [value]);
  return rows;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
