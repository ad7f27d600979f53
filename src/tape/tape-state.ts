// What a tape has told up to a moment, as lines that tell it again at that moment: the headers of games, the newest ladder of
// each side, payloads as they were shown. It keeps what is not followed by what comes next, too: a ladder from before a lost
// connection, a close or the turn to live is told before a line that says so, since what is gone of it was no take.
import { readJson, readSignals, SIGNAL_LINE } from '../domain/index.ts';
import type { Json } from '../wire/index.ts';
import { DEFAULT_PROFILE, isRecord, LADDER_FIELDS, listOf, readLine, readText, readTime } from '../wire/index.ts';
import type { TapeRecord } from './journal-tape.ts';
import { namespacesOf } from './tape-namespaces.ts';

/** Which games are told; undefined: all. */
export type GameFilter = (gameId: string, league: string | undefined) => boolean;

type Side = {
  readonly type: string;
  readonly line: number | undefined;
  /** The payload that tells it. */
  payload: string;
  /** When it was told: of all lines, and Unix ms. */
  told: number;
  toldMs: number;
};
type Game = {
  header: Record<string, unknown>;
  headerMs: number;
  isOpen: boolean;
  hasEnded: boolean;
  /** Lines at which it closed last and went live first; −1: never. */
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
  /** The line of the last break of the connection; −1: none. */
  #broke = -1;
  #isUp = true;

  /** `profile`: as the header of the tape has it. */
  constructor(profile: unknown) {
    this.#namespace = namespacesOf(profile).namespace ?? DEFAULT_PROFILE.priceNamespace;
  }

  /** Of a game, as far as its header told. */
  leagueOf(gameId: string): string | undefined {
    return readText(this.#games.get(gameId)?.header['league']);
  }

  apply({ ts, ns, event, data, sent }: TapeRecord): void {
    this.#line += 1;
    if (ns === SIGNAL_LINE.ns && event === SIGNAL_LINE.event) {
      this.#applySignal(ts, data);
      return;
    }
    if (ns !== this.#namespace && ns !== 'rest') return;
    if (event === 'disconnect' || event === 'connect') {
      this.#broke = this.#line;
      this.#isUp = event === 'connect';
      return;
    }
    const json = jsonOf(data);
    if (!isRecord(json)) return;
    if (ns === 'rest') {
      for (const game of gamesRead(event, json)) this.#applyGame(ts, game, sent ?? ts);
      return;
    }
    // whoever connected before the recording began is connected
    this.#isUp = true;
    if (event === 'gameUpdate') this.#applyGame(ts, json, undefined);
    else if (event === 'orderUpdate') this.#applySide(ts, json, data);
  }

  #applySignal(ts: number, data: string): void {
    const read = readJson(data);
    const json = read.ok ? read.value : undefined;
    const told = isRecord(json) ? readSignals(json['values'], json['ttl']) : 'no signal';
    if (typeof told === 'string') return;
    const { update } = told;
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

  /** `since`: of a read, when it was asked for: what was told after that is newer. */
  #applyGame(ts: number, json: Json, since: number | undefined): void {
    const id = readText(json['id']);
    if (id === undefined) return;
    const game = this.#gameOf(id);
    const isNewer = (toldMs: number): boolean => since === undefined || toldMs <= since;
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
    // one that is live when it is told of first has no turn to live
    if (isKnown && json['live'] === true && game.live < 0) game.live = this.#line;
  }

  /** A ladder field that is there covers all its lines. */
  #applyLadders(ts: number, gameID: string, game: Game, json: Json, isNewer: (toldMs: number) => boolean): void {
    for (const { field, type, side } of LADDER_FIELDS) {
      const told = json[field];
      if (told === undefined || told === null) continue;
      const rowsByLine = rowsOf(told, type);
      for (const known of game.sides.values())
        if (known.type === type && sideNamed(game, known) === side && !rowsByLine.has(known.line))
          rowsByLine.set(known.line, []);
      for (const [line, rows] of [...rowsByLine].sort(([one = 0], [two = 0]) => one - two)) {
        const place = placeOf(game, type, side, line);
        const key = keyOf(place);
        const before = game.sides.get(key);
        if (before !== undefined && !isNewer(before.toldMs)) continue;
        const { sport, league, live } = game.header;
        const payload = JSON.stringify({ gameID, sport, league, live, ...place, sideOrders: rows });
        game.sides.set(key, { type, line, payload, told: this.#line, toldMs: ts });
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
    game.sides.set(keyOf(json), { type, line, payload, told: this.#line, toldMs: ts });
  }

  /** Lines that tell all of it at `at`, Unix ms. Signals keep their time, since they hold for a while only. */
  lines(at: number, isTold: GameFilter): readonly TapeRecord[] {
    const lines: TapeRecord[] = [...this.#signalLines(at)];
    for (const [id, game] of this.#games) {
      if (game.hasEnded || !isTold(id, readText(game.header['league']))) continue;
      lines.push(...this.#gameLines(at, id, game));
    }
    if (!this.#isUp) lines.push({ ts: at, ns: this.#namespace, event: 'disconnect', data: '' });
    return lines;
  }

  #signalLines(at: number): readonly TapeRecord[] {
    return [...this.#signals]
      .filter(([, { ts, ttlMs }]) => ts + ttlMs > at)
      .sort(([, one], [, two]) => one.ts - two.ts)
      .map(([name, { value, ts, ttlMs }]) => ({
        ts,
        ...SIGNAL_LINE,
        data: JSON.stringify({ values: { [name]: value }, ttl: ttlMs }),
      }));
  }

  #gameLines(at: number, id: string, game: Game): readonly TapeRecord[] {
    const line = (event: string, data: string): TapeRecord => ({ ts: at, ns: this.#namespace, event, data });
    const header = (more: Json): TapeRecord => line('gameUpdate', JSON.stringify({ ...game.header, ...more }));
    // a bot takes markets in the order in which they were told of first
    const known = [...game.sides.values()];
    const sides = known.toSorted((one, two) => one.told - two.told);
    // nobody told of the game itself: it may still come
    if (game.header['id'] === undefined) return known.map(({ payload }) => line('orderUpdate', payload));
    const isLive = game.header['live'] === true;
    const start = readTime(game.header['start']);
    const gap = Math.max(this.#broke, game.closed);
    // ladders are in the order of time: first those that are not followed by what comes next, or are from before the start
    const stale = sides.filter(({ told }) => told < gap).length;
    const early = sides.filter(
      ({ told, toldMs }) => told < game.live || (start !== undefined && toldMs < start && start <= at),
    ).length;
    const open = game.isOpen ? 'marketOpen' : 'marketClosed';
    const turned = early > 0 || game.live >= 0;
    if (stale === 0 && !turned)
      return [
        header({ id, live: isLive, messageType: open }),
        ...known.map(({ payload }) => line('orderUpdate', payload)),
      ];
    let live = !turned && isLive;
    // what a frame says of live would be taken for news
    const frame = ({ payload }: Side, more: Json = {}): TapeRecord =>
      line('orderUpdate', JSON.stringify({ ...(jsonOf(payload) as Json), live, ...more }));
    const lines = [
      header({ id, live, messageType: stale > 0 ? 'marketOpen' : open }),
      ...known.map((side) => frame(side, { sideOrders: [] })),
    ];
    for (let index = 0; index <= sides.length; index++) {
      if (index === stale && stale > 0) {
        lines.push(header({ id, live, messageType: 'marketClosed' }));
        if (game.isOpen) lines.push(header({ id, live, messageType: 'marketOpen' }));
      }
      if (index === early && turned) {
        live = true;
        lines.push(header({ id, live }));
      }
      const side = sides[index];
      if (side !== undefined) lines.push(frame(side));
    }
    return [...lines, header({ id, live: isLive })];
  }
}

/** Which games of a read are told, parts of a game with it; none: it is no read of books. */
export function gamesRead(event: string, json: Json): readonly Json[] {
  const data = isRecord(json['data']) ? json['data'] : {};
  if (isGameRead(event)) {
    const { game } = data;
    if (!isRecord(game)) return [];
    const parts = (field: string): readonly Json[] => (listOf(data[field]) ?? []).filter(isRecord);
    return [
      game,
      ...parts('childGames').map((part) => ({ ...part, parentGameID: part['parentGameID'] ?? game['id'] })),
      // the list that it stands in is told by no other message
      ...parts('propGames').map((part) => ({
        ...part,
        parentGameID: part['parentGameID'] ?? game['id'],
        isSpecials: true,
      })),
    ];
  }
  return /\/getOrderbook$/i.test(event) ? (listOf(data['games']) ?? []).filter(isRecord) : [];
}

/** Of one game and its parts. */
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

/** Home, away, over or under. */
function sideNamed(game: Game, { payload }: Side): string | undefined {
  const json = jsonOf(payload);
  if (!isRecord(json)) return undefined;
  const id = json['participantID'] ?? json['OU'];
  for (const side of ['home', 'away']) if (id === participantOf(game, side)) return side;
  return readText(id);
}

/** Rows by line: as an object with the line as key, or as a flat list with the line on each row. */
function rowsOf(told: unknown, type: string): Map<number | undefined, unknown[]> {
  const rows = new Map<number | undefined, unknown[]>();
  if (Array.isArray(told)) {
    if (type === 'moneyline') rows.set(undefined, told as unknown[]);
    else
      for (const row of told as readonly unknown[]) {
        const line = isRecord(row) ? readLine(row[type]) : undefined;
        const known = rows.get(line);
        if (known === undefined) rows.set(line, [row]);
        else known.push(row);
      }
  } else if (isRecord(told))
    for (const [key, value] of Object.entries(told))
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
