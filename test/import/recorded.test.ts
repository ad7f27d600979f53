// Betfair's own files, imported, against what another program once made of them. That program gave odds in
// whole points and a level up to half of the trades across runners. Ladders of both are cut at 20 rows, which
// are orders, not prices.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importBetfair } from '../../src/import/betfair.ts';
import { folder } from '../support/children.ts';

const DATA = '../shared/data';
const DEPTH = 20;

type Row = { readonly odds: number; readonly risk: number; readonly sumUntaken: number; readonly id: string };
type Side = {
  readonly gameID: string;
  readonly participantID: string;
  readonly spread?: number;
  readonly sideOrders: readonly Row[];
};
type Game = {
  readonly id: string;
  readonly eventName: string;
  readonly live: boolean;
  readonly ended: boolean;
  readonly messageType?: string;
  readonly start: string;
  readonly participants: readonly { readonly id: string; readonly longName: string }[];
};
type SideFrame = { readonly ts: number; readonly key: string; readonly rows: readonly Row[] };
type Read = { readonly sides: SideFrame[]; readonly games: string[] };

function read(text: string): Read {
  const names = new Map<string, string>();
  const games: string[] = [];
  const sides: SideFrame[] = [];
  for (const line of text.trim().split('\n')) {
    const { ts, event, data } = JSON.parse(line) as { ts: number; event?: string; data: string };
    if (event === 'gameUpdate') {
      const game = JSON.parse(data) as Game;
      names.set(game.id, game.eventName);
      for (const { id, longName } of game.participants) names.set(id, longName);
      games.push([ts, game.eventName, game.start, game.live, game.ended, game.messageType].join(' '));
    }
    if (event !== 'orderUpdate') continue;
    const { gameID, participantID, spread, sideOrders } = JSON.parse(data) as Side;
    const key = `${names.get(gameID)} ${names.get(participantID)} ${spread ?? ''}`;
    sides.push({ ts, key, rows: sideOrders.filter(({ sumUntaken }) => sumUntaken > 0) });
  }
  return { sides, games };
}

const rungOf = (odds: number): number => (odds > 0 ? odds - 100 : odds + 100);
const sumTo = (rows: readonly Row[], rung: number): number =>
  rows.reduce((sum, { odds, sumUntaken }) => sum + (rungOf(odds) <= rung ? sumUntaken : 0), 0);
/** The rung up to which a ladder is complete. What lies behind the last row of a full ladder is unknown. */
const horizonOf = (rows: readonly Row[]): number =>
  rows.length < DEPTH ? Number.POSITIVE_INFINITY : rungOf(rows.at(-1)?.odds ?? 0) - 1;

/**
 * Counts the prices that both ladders show: how many have as much offered up to them, to the cents that
 * rounding each row costs.
 */
function compare(theirs: readonly Row[], ours: readonly Row[]): { same: number; differs: number } {
  const horizon = Math.min(horizonOf(theirs), horizonOf(ours));
  const counts = { same: 0, differs: 0 };
  for (const rung of new Set(theirs.map(({ odds }) => rungOf(odds)))) {
    if (rung >= horizon) continue;
    const wanted = sumTo(theirs, rung + 0.01);
    // half a point rounds to either of two whole ones
    const near = [0.49, 0.51].map((half) => Math.abs(sumTo(ours, rung + half) - wanted));
    counts[Math.min(...near) <= 0.02 + 0.005 * theirs.length ? 'same' : 'differs'] += 1;
  }
  return counts;
}

async function importOf(name: string, showsTaken: boolean) {
  const imported = await importBetfair([join(DATA, 'betfair', name)], {
    out: folder(),
    league: undefined,
    depth: DEPTH,
    showsTaken,
    bad: () => undefined,
  });
  const file = imported.tapes[0]?.file ?? '';
  return { imported, ours: read(zstdDecompressSync(readFileSync(file)).toString()) };
}

/** Compares the last frame of each side and moment with the newest imported one. */
function held(ours: Read, theirs: Read): { same: number; differs: number } {
  const all = { same: 0, differs: 0 };
  const newest = new Map<string, readonly Row[]>();
  const last = new Map(theirs.sides.map((frame) => [`${frame.ts} ${frame.key}`, frame]));
  let next = 0;
  for (const frame of theirs.sides) {
    for (let mine = ours.sides[next]; mine !== undefined && mine.ts <= frame.ts; mine = ours.sides[next]) {
      newest.set(mine.key, mine.rows);
      next += 1;
    }
    if (last.get(`${frame.ts} ${frame.key}`) !== frame) continue;
    const { same, differs } = compare(frame.rows, newest.get(frame.key) ?? []);
    all.same += same;
    all.differs += differs;
  }
  return all;
}

/** Dollars by which rows that stay show more as taken than before. */
function takenIn({ sides }: Read): number {
  let taken = 0;
  const before = new Map<string, number>();
  for (const { rows } of sides)
    for (const { id, risk, sumUntaken } of rows) {
      const now = risk - sumUntaken;
      taken += Math.max(0, now - (before.get(id) ?? 0));
      before.set(id, Math.max(now, before.get(id) ?? 0));
    }
  return taken;
}

describe.skipIf(!existsSync(join(DATA, 'betfair')))(`files of Betfair (need ${DATA}/betfair)`, () => {
  it('become the books of the recorded NBA game, at the same times', async () => {
    const theirs = read(gunzipSync(readFileSync(join(DATA, 'nba-cle-min-inplay.ndjson.gz'))).toString());
    const { imported, ours } = await importOf('1.166811431.bz2', false);
    expect(ours.games).toEqual(theirs.games);
    const { same, differs } = held(ours, theirs);
    expect(same).toBeGreaterThan(170_000);
    expect(differs / same).toBeLessThan(0.003);
    // The other program found fewer takes: trades across runners count one stake, and it takes one for half.
    const [game] = imported.tapes[0]?.games ?? [];
    const trades = game?.trades ?? { traded: 0, found: 0 };
    expect(trades.found / trades.traded).toBeGreaterThan(0.95);
    expect(takenIn(ours)).toBeGreaterThan(takenIn(theirs));
  }, 60_000);

  it('become the books of the recorded handicaps, without the markets that have a draw', async () => {
    const theirs = read(gunzipSync(readFileSync(join(DATA, 'soccer-handicap-prematch.ndjson.gz'))).toString());
    const { imported, ours } = await importOf('1.242971311.bz2', true);
    expect(ours.games).toEqual(theirs.games);
    expect(imported.leftOut).toHaveLength(140);
    expect(new Set(imported.leftOut.map(({ reason }) => reason)).size).toBe(1);
    const { same, differs } = held(ours, theirs);
    expect(same).toBeGreaterThan(6000);
    expect(differs / same).toBeLessThan(0.003);
  }, 60_000);
});
