// A generated day of many markets as a recorded feed: each frame is a ladder of twenty offers with one or two
// changes.
import type { TapeFrame } from '../src/tape/tape-reader.ts';

const FROM = Date.parse('2030-03-01T10:00:00Z');
const DEPTH = 20;
/** Odds points above even of the best offer on both sides. */
const BEST = 5;
/** Time between frames: with 200 markets a frame per second and market. */
const EVERY_MS = 5;

type Row = { id: string; odds: number; risk: number; left: number; createdAt: string };

/**
 * Frames of `markets` moneylines before their games, which end with the day. The same arguments give the same
 * frames.
 */
export function marketDay(markets: number, frames: number, day = 0): readonly TapeFrame[] {
  const from = FROM + day * 86_400_000;
  let state = 12_345 + day;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 12) % below;
  };
  const out: TapeFrame[] = [];
  const addFrame = (ts: number, event: string, data: unknown): void => {
    out.push({ ts, ns: '/priceUpdates', event, data: JSON.stringify(data), line: out.length + 1 });
  };
  const teams = (market: number, side: string): string => `team-${day}-${market}-${side}`;
  for (let market = 0; market < markets; market++)
    addFrame(from, 'gameUpdate', {
      id: `game-${day}-${market}`,
      parentGameID: null,
      league: 'NBA',
      sport: 'basketball',
      start: new Date(from + 4 * 3_600_000).toISOString(),
      live: false,
      ended: false,
      messageType: 'marketOpen',
      eventName: `Away ${market} @ Home ${market}`,
      participants: ['away', 'home'].map((homeAway) => ({
        id: teams(market, homeAway),
        longName: `${homeAway} ${market}`,
        homeAway,
      })),
    });
  let ids = day * frames * DEPTH;
  const row = (timeMs: number, odds: number): Row => {
    const risk = 50 + random(4) * 50;
    return {
      id: (ids += 1).toString(16).padStart(24, '0'),
      odds,
      risk,
      left: risk,
      createdAt: new Date(timeMs).toISOString(),
    };
  };
  const books = new Map<string, Row[]>();
  for (let frame = 0; frame < frames; frame++) {
    const timeMs = from + 1000 + frame * EVERY_MS;
    const market = random(markets);
    const side = random(2) === 0 ? 'home' : 'away';
    const key = teams(market, side);
    let book = books.get(key);
    if (book === undefined) {
      book = Array.from({ length: DEPTH }, (_none, level) => row(timeMs, priced(level * 3)));
      books.set(key, book);
    }
    const change = random(4);
    const first = book[0] as Row;
    if (change === 0) first.left = Math.max(1, first.left - 10 - random(30));
    else if (change === 1) book.splice(random(DEPTH), 1, row(timeMs, priced(random(60))));
    else book.splice(0, 1, row(timeMs, priced(random(6) - 1)));
    book.sort((a, b) => rungIn(a.odds) - rungIn(b.odds) || (a.createdAt < b.createdAt ? -1 : 1));
    addFrame(timeMs, 'orderUpdate', {
      gameID: `game-${day}-${market}`,
      sport: 'basketball',
      league: 'NBA',
      live: false,
      type: 'moneyline',
      participantID: key,
      sideOrders: book.map(({ id, odds, risk, left, createdAt }) => ({
        id,
        type: 'moneyline',
        risk,
        sumUntaken: left,
        odds,
        takenRatio: (risk - left) / risk,
        gameID: `game-${day}-${market}`,
        participantID: key,
        total: null,
        spread: null,
        OU: null,
        expiry: null,
        createdAt,
        gameStartExpiry: false,
      })),
    });
  }
  for (let market = 0; market < markets; market++)
    addFrame(from + 2000 + frames * EVERY_MS, 'gameUpdate', {
      id: `game-${day}-${market}`,
      live: false,
      ended: true,
      messageType: 'marketClosed',
    });
  return out;
}

/** Odds as points above even; below 0 for a favourite. */
const rungIn = (odds: number): number => (odds > 0 ? odds - 100 : odds + 100);
const priced = (pointsBehind: number): number => {
  const rung = BEST + pointsBehind;
  return rung >= 0 ? 100 + rung : rung - 100;
};
