// Games as the exchange describes them: the header in every list and in `gameUpdate`, and the book inside it
// (wire profile, "Discovery" and "Book"). Ladders come as keyed objects or as flat arrays with the line on
// each row; both are read. A missing field stays undefined: it must not erase known values.
import type {
  BookLadder,
  BookPerspective,
  GameId,
  GameMessage,
  GameParticipant,
  LeagueBook,
  MarketType,
  ParticipantId,
  Result,
  Side,
} from '../domain/index.ts';
import { bad, isoTime, ok } from '../domain/index.ts';
import type { Json } from './json.ts';
import { dataOf, isRecord, listOf, readLine, readText, readTime, recordOf } from './json.ts';
import { encodeOffer, readLadder } from './order-update.ts';

/** The fields of a game that hold its book. */
export const LADDER_FIELDS: readonly {
  readonly field: string;
  readonly type: MarketType;
  readonly side: Side;
}[] = [
  { field: 'homeMoneylines', type: 'moneyline', side: 'home' },
  { field: 'awayMoneylines', type: 'moneyline', side: 'away' },
  { field: 'homeSpreads', type: 'spread', side: 'home' },
  { field: 'awaySpreads', type: 'spread', side: 'away' },
  { field: 'over', type: 'total', side: 'over' },
  { field: 'under', type: 'total', side: 'under' },
];

/** The order of a game's ladders, since JSON guarantees none. */
export const byPlace = (a: BookLadder, b: BookLadder): number =>
  fieldOf(a) - fieldOf(b) || (a.line ?? 0) - (b.line ?? 0);

const fieldOf = ({ type, side }: BookLadder): number =>
  LADDER_FIELDS.findIndex((field) => field.type === type && field.side === side);

export function parseGameUpdate(payload: string, perspective: BookPerspective): Result<GameMessage> {
  try {
    return readGame(JSON.parse(payload), perspective);
  } catch {
    return bad('not JSON');
  }
}

/** Parses a game. `within`: the game whose book contains it. */
export function readGame(value: unknown, perspective: BookPerspective, within?: GameId): Result<GameMessage> {
  if (!isRecord(value)) return bad('a game is not an object');
  const id = readText(value['id']);
  if (id === undefined) return bad('a game has no id');
  const ladders: BookLadder[] = [];
  const covers: { type: MarketType; side: Side }[] = [];
  for (const { field, type, side } of LADDER_FIELDS) {
    const found = value[field];
    if (found === undefined || found === null) continue;
    const read = readLadders(found, type, side, perspective);
    if (!read.ok) return bad(`${field}: ${read.problem}`);
    ladders.push(...read.value);
    covers.push({ type, side });
  }
  const messageType = value['messageType'];
  const parentGameId = (readText(value['parentGameID']) as GameId | undefined) ?? within;
  const isPart = parentGameId !== undefined;
  return ok({
    gameId: id as GameId,
    parentGameId,
    league: readText(value['league']),
    sport: readText(value['sport']),
    eventName: readText(value['eventName']),
    start: readTime(value['start']),
    live: readFlag(value['live']),
    ended: readFlag(value['ended']),
    futures: readFlag(value['isFutures']),
    periodName: isPart ? readText(value['periodName']) : undefined,
    part: isPart && value['isSpecials'] === true ? 'prop' : undefined,
    participants: listOf(value['participants'])
      ?.map(readParticipant)
      .filter((participant) => participant !== undefined),
    mainHomeSpread: readMain(value, 'mainHomeSpread', 'homeSpreads', 'awaySpreads'),
    // for a part, 0 is no total of points: it has no main line
    mainTotal: noneAt0(isPart, readMain(value, 'mainTotal', 'over', 'under')),
    messageType: messageType === 'marketOpen' || messageType === 'marketClosed' ? messageType : undefined,
    ladders,
    covers,
  });
}

/** The JSON of a game in a list, or the payload of `gameUpdate`, in the offerer's view. */
export function encodeGame(game: GameMessage): Json {
  const { gameId, parentGameId, futures, part, start, ladders, covers, ...header } = game;
  const fields = LADDER_FIELDS.flatMap(({ field, type, side }): [string, unknown][] => {
    const here = ladders.filter((ladder) => ladder.type === type && ladder.side === side);
    const isIncluded = here.length > 0 || covers.some((cover) => cover.type === type && cover.side === side);
    if (!isIncluded) return [];
    const rows = here.map(({ line, offers }) => [String(line), offers.map(encodeOffer)] as const);
    return [[field, type === 'moneyline' ? (rows[0]?.[1] ?? []) : Object.fromEntries(rows)]];
  });
  return {
    id: gameId,
    parentGameID: parentGameId,
    isFutures: futures,
    // its list in the parent's book shows the same
    isSpecials: part === 'prop' ? true : undefined,
    start: start === undefined ? undefined : isoTime(start),
    ...header,
    ...Object.fromEntries(fields),
  };
}

const readFlag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

function readParticipant(value: unknown): GameParticipant | undefined {
  const json = recordOf(value);
  const id = json === undefined ? undefined : readText(json['id']);
  if (json === undefined || id === undefined) return undefined;
  const homeAway = json['homeAway'];
  return {
    id: id as ParticipantId,
    homeAway: homeAway === 'home' || homeAway === 'away' ? homeAway : undefined,
    longName: readText(json['longName']),
    shortName: readText(json['shortName']),
  };
}

/** A main line; null for 0 with empty ladders, which means that there is none yet. */
function readMain(json: Json, field: string, ...ladderFields: readonly string[]): number | null | undefined {
  const raw = json[field];
  if (raw === undefined) return undefined;
  const line = readLine(raw);
  if (line === undefined) return null;
  return line === 0 && ladderFields.every((field) => isEmpty(json[field])) ? null : line;
}

const noneAt0 = (is: boolean, line: number | null | undefined): number | null | undefined =>
  is && line === 0 ? null : line;

const isEmpty = (ladders: unknown): boolean =>
  ladders === undefined ||
  ladders === null ||
  (Array.isArray(ladders) ? ladders.length === 0 : isRecord(ladders) && Object.keys(ladders).length === 0);

function readLadders(
  value: unknown,
  type: MarketType,
  side: Side,
  perspective: BookPerspective,
): Result<readonly BookLadder[]> {
  const byLine = new Map<number | undefined, unknown[]>();
  if (Array.isArray(value)) {
    if (type === 'moneyline') byLine.set(undefined, value as unknown[]);
    else {
      for (const row of value as readonly unknown[]) {
        const line = readLine(recordOf(row)?.[type]);
        if (line === undefined) return bad('a row has no line');
        const rows = byLine.get(line);
        if (rows === undefined) byLine.set(line, [row]);
        else rows.push(row);
      }
    }
  } else if (isRecord(value) && type !== 'moneyline') {
    for (const [key, rows] of Object.entries(value)) {
      const line = readLine(key);
      if (line === undefined) return bad(`"${key.slice(0, 32)}" is not a line`);
      byLine.set(line, Array.isArray(rows) ? (rows as unknown[]) : [rows]);
    }
  } else return bad('neither an array nor an object');
  const ladders: BookLadder[] = [];
  for (const [line, rows] of byLine) {
    const offers = readLadder(rows, perspective);
    if (!offers.ok) return offers;
    ladders.push({ type, side, line, offers: offers.value });
  }
  return ok(ladders.sort(byPlace));
}

/** `POST /exchange/getOrderbook`: all games of a league, one page. */
export const encodeLeagueRequest = (league: string, page: number, limit: number): Json => ({
  leagueRequested: league,
  page,
  limit,
});

export function parseLeagueReply(body: unknown, perspective: BookPerspective): Result<LeagueBook> {
  const data = dataOf(body);
  const games = isRecord(data) ? listOf(data['games']) : undefined;
  if (!isRecord(data) || games === undefined) return bad('data.games is not an array');
  const read = games.map((game) => readGame(game, perspective));
  return ok({
    games: read.flatMap((game) => (game.ok ? [game.value] : [])),
    unreadable: read.filter((game) => !game.ok).length,
    hasNextPage: recordOf(data['pagination'])?.['hasNextPage'] === true,
  });
}

/** The reply to a league request. */
export const encodeLeagueReply = ({ games, hasNextPage }: LeagueBook): Json => ({
  data: { games: games.map(encodeGame), pagination: { hasNextPage } },
});

/** `POST /exchange/getSingleOrderbook`: one game. */
export const encodeGameRequest = (gameId: GameId): Json => ({ gameID: gameId });

/** The reply to a game request. */
export function encodeGameReply(game: GameMessage, parts: readonly GameMessage[] = []): Json {
  const listed = (part: GameMessage['part']): readonly Json[] =>
    parts.filter((listedPart) => (listedPart.part === 'prop' ? 'prop' : 'child') === part).map(encodeGame);
  const [childGames, propGames] = [listed('child'), listed('prop')];
  return {
    data: { game: encodeGame(game), ...(parts.length === 0 ? {} : { childGames, propGames }) },
  };
}

const PART_FIELDS = [
  ['childGames', 'child'],
  ['propGames', 'prop'],
] as const;

/** The game of a reply, without its parts. */
export function parseGameReply(body: unknown, perspective: BookPerspective): Result<GameMessage> {
  const data = dataOf(body);
  return isRecord(data) ? readGame(data['game'], perspective) : bad('data.game is missing');
}

/** The game, then its child games and props. Unreadable parts are counted and do not affect the others. */
export function parseGameBook(body: unknown, perspective: BookPerspective): Result<LeagueBook> {
  const game = parseGameReply(body, perspective);
  if (!game.ok) return game;
  const data = recordOf(dataOf(body));
  const games: GameMessage[] = [game.value];
  let unreadable = 0;
  for (const [field, part] of PART_FIELDS) {
    for (const listed of listOf(data?.[field]) ?? []) {
      const read = readGame(listed, perspective, game.value.gameId);
      if (!read.ok) unreadable += 1;
      else if (read.value.gameId !== game.value.gameId) games.push({ ...read.value, part });
    }
  }
  return ok({ games, unreadable, hasNextPage: false });
}
