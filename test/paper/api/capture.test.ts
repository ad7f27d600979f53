// Real answers of the exchange family, when ../shared/data/captures exists. The parser reads them completely,
// and the paper exchange serves the same fields with the same types. This file keeps only field names and
// types.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { BookPerspective, GameMessage } from '../../../src/domain/index.ts';
import { microsOfDollars, probabilityOfRung } from '../../../src/domain/index.ts';
import { startPaperExchange } from '../../../src/paper/server/server.ts';
import { bookPerspectiveOf, isRecord, parseGameReply, profileOf, readGame } from '../../../src/wire/index.ts';

type Json = Readonly<Record<string, unknown>>;
type Types = Readonly<Record<string, string>>;

const HEADER: Types = {
  id: 'string',
  parentGameID: 'null',
  league: 'string',
  sport: 'string',
  start: 'string',
  dateGame: 'string',
  ended: 'boolean',
  live: 'boolean',
  eventName: 'string',
  periodName: 'string',
  isSpecials: 'boolean',
  isYesNo: 'boolean',
  userCreated: 'boolean',
  featured: 'boolean',
  source: 'string',
  cheapDataUID: 'string',
  participants: 'array',
  mainHomeSpread: 'string',
  mainAwaySpread: 'number',
  mainTotal: 'string',
  matchedVolume: 'number',
  openInterest: 'number',
  awayMoneylines: 'array',
  homeMoneylines: 'array',
  awaySpreads: 'object',
  homeSpreads: 'object',
  over: 'object',
  under: 'object',
};
const PARTICIPANT: Types = {
  id: 'string',
  longName: 'string',
  shortName: 'string',
  homeAway: 'string',
  rotationNumber: 'string',
  futuresSide: 'string',
};
const ROW: Types = {
  id: 'string',
  type: 'string',
  gameID: 'string',
  odds: 'number',
  bet: 'number',
  sumUntaken: 'number',
  takenRatio: 'number',
  expiry: 'string',
  createdAt: 'string',
  gameStartExpiry: 'boolean',
};
const ROWS: Readonly<Record<string, Types>> = {
  moneyline: { ...ROW, participantID: 'string', spread: 'null', total: 'null' },
  spread: { ...ROW, participantID: 'string', spread: 'number', total: 'null' },
  total: { ...ROW, participantID: 'null', spread: 'null', total: 'number', OU: 'string' },
};
const LADDERS = ['awayMoneylines', 'homeMoneylines', 'awaySpreads', 'homeSpreads', 'over', 'under'];

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const typesOf = (json: Json): Types =>
  Object.fromEntries(Object.entries(json).map(([name, value]) => [name, typeOf(value)]));
const recordsIn = (value: unknown): readonly Json[] =>
  (Array.isArray(value) ? (value as unknown[]) : []).filter(isRecord);
const rowsOf = (game: Json): readonly Json[] =>
  LADDERS.flatMap((field) => {
    const ladder = game[field];
    return isRecord(ladder) ? Object.values(ladder).flatMap(recordsIn) : recordsIn(ladder);
  });

// ——— the capture

const FOLDER = fileURLToPath(new URL('../../../../shared/data/captures/', import.meta.url));
const CAPTURES = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : [];
const itReads = it.skipIf(CAPTURES.length === 0);

type Answer = { readonly game: Json; readonly others: readonly Json[]; readonly body: unknown };

const answers = (): readonly Answer[] => CAPTURES.map(answerIn);

function answerIn(name: string): Answer {
  const body = JSON.parse(readFileSync(FOLDER + name, 'utf8')) as { readonly data: Json };
  const { game, childGames, propGames } = body.data;
  return { game: game as Json, others: [...recordsIn(childGames), ...recordsIn(propGames)], body };
}

/**
 * Counts the lines with offers on both sides (`both`), and those whose best offers would match (`crossed`).
 */
function crossedIn({ ladders }: GameMessage): { readonly both: number; readonly crossed: number } {
  const best = new Map<string, number[]>();
  for (const {
    type,
    side: ladderSide,
    line = 0,
    offers: [offer],
  } of ladders) {
    if (offer === undefined) continue;
    // the key of a spread is the home team's line
    const isAway = type === 'spread' && ladderSide === 'away';
    const key = `${type} ${isAway ? 0 - line : line}`;
    best.set(key, [...(best.get(key) ?? []), probabilityOfRung(offer.rung)]);
  }
  const sums = [...best.values()].flatMap(([a, b]) => (a === undefined || b === undefined ? [] : a + b));
  return { both: sums.length, crossed: sums.filter((sum) => sum >= 1).length };
}

describe('a captured answer (needs ../shared/data/captures)', () => {
  const FAMILY = bookPerspectiveOf(profileOf('family'));
  const SPEC = bookPerspectiveOf(profileOf('spec'));
  const read = (json: unknown, perspective: BookPerspective): GameMessage => {
    const result = readGame(json, perspective);
    if (!result.ok) expect.fail(result.problem);
    return result.value;
  };

  itReads('is parsed completely: every game, row and main line', () => {
    for (const answer of answers()) expectReadWhole(answer);
  });

  const expectReadWhole = ({ game, others, body }: Answer): void => {
    const whole = parseGameReply(body, FAMILY);
    expect(whole).toEqual({ ok: true, value: read(game, FAMILY) });
    let rows = 0;
    for (const entry of [game, ...others]) {
      const { gameId, participants, start, mainTotal, ladders } = read(entry, FAMILY);
      expect({ gameId, teams: participants?.length }).toEqual({ gameId: entry['id'], teams: 2 });
      expect(start).toBe(Date.parse(String(entry['start'])));
      expect(String(mainTotal)).toBe(entry['mainTotal']);
      const offers = ladders.flatMap((ladder) => ladder.offers);
      const served = rowsOf(entry);
      expect(offers.map(({ id }) => id).sort()).toEqual(served.map(({ id }) => id).sort());
      for (const { id, risk, untaken, expiry } of offers) {
        const row = served.find((each) => each['id'] === id);
        expect({ risk, expiry }).toEqual({
          risk: microsOfDollars(Number(row?.['bet'])),
          expiry: row?.['expiry'],
        });
        // nearly nothing of these offers was taken, and rounding adds at most one cent
        expect(untaken).toBeLessThanOrEqual(risk + 10_000);
        expect(untaken).toBeGreaterThan(0);
      }
      rows += served.length;
    }
    expect(rows).toBeGreaterThan(0);
  };

  itReads('has uncrossed lines in the taker’s perspective and only crossed lines in the offerer’s', () => {
    for (const answer of answers()) expectTakersView(answer);
  });

  const expectTakersView = ({ game }: Answer): void => {
    const taker = crossedIn(read(game, FAMILY));
    const offerer = crossedIn(read(game, SPEC));
    expect(taker.both).toBeGreaterThan(10);
    expect(taker.crossed).toBe(0);
    expect(offerer.crossed).toBe(offerer.both);
  };

  itReads('has exactly the fields and types that this file lists', () => {
    for (const { game, others } of answers()) {
      expect(typesOf(game)).toEqual(HEADER);
      for (const entry of [game, ...others]) {
        for (const participant of recordsIn(entry['participants'])) expect(typesOf(participant)).toEqual(PARTICIPANT);
        for (const row of rowsOf(entry)) expect(typesOf(row)).toEqual(ROWS[String(row['type'])]);
      }
    }
  });
});

describe('a book of the paper exchange in preset family', () => {
  it('has every field of a captured game and its rows with the same type, in own and other rows', async () => {
    const exchange = await startPaperExchange({ games: 2, seed: 3, profile: profileOf('family') });
    try {
      const ask = async (path: string, body: unknown, token = ''): Promise<Json> => {
        const headers = { authorization: token, 'content-type': 'application/json' };
        const reply = await fetch(exchange.restUrl + path, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        const json = (await reply.json()) as Json;
        expect(reply.status, JSON.stringify(json)).toBe(200);
        return json['data'] as Json;
      };
      const { user } = await ask('/user/login', { username: 'demo', password: 'demo' });
      const token = String((user as Json)['auth']);
      const [first] = exchange.games;
      const gameID = first?.id;
      const [away] = recordsIn(first?.participants);
      const order = { gameID, odds: 900, bet: 10, orderType: 'post', side: away?.['id'] };
      const orders = [
        { ...order, type: 'moneyline' },
        { ...order, type: 'spread', number: 7.5 },
        { ...order, type: 'total', number: 200.5, side: 'under' },
      ];
      await ask('/session/v2/place', { orders }, token);
      const { game } = await ask('/exchange/getSingleOrderbook', { gameID }, token);
      const served = game as Json;
      expect(typesOf(served)).toMatchObject(HEADER);
      for (const participant of recordsIn(served['participants']))
        expect(typesOf(participant)).toMatchObject(PARTICIPANT);
      const rows = rowsOf(served);
      for (const row of rows) expect(typesOf(row)).toMatchObject(ROWS[String(row['type'])] ?? {});
      const own = rows.filter((row) => 'createdBy' in row);
      expect(own.map((row) => row['type'])).toEqual(['moneyline', 'spread', 'total']);
      // the rows of other accounts are in all three markets, too
      const others = rows.filter((row) => !own.includes(row)).map((row) => row['type']);
      expect([...new Set(others)].sort()).toEqual(['moneyline', 'spread', 'total']);
    } finally {
      await exchange.close();
    }
  });
});
