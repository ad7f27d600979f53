// A day of NFL and one of MLB odds through the odds feed, where the recordings are at hand.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Game } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';
import type { OddsReading } from '../../src/signals/odds-reader.ts';
import { OddsFeed } from '../../src/signals/index.ts';
import { game } from './odds.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/data/odds');

type Snapshot = { readonly ts: number; readonly data: readonly VendorEvent[] };
type VendorEvent = {
  readonly home_team: string;
  readonly away_team: string;
  readonly commence_time: string;
  readonly id: string;
};

const DAYS = [
  {
    file: 'nfl-2025-11-09.odds.ndjson.gz',
    league: 'NFL',
    sport: 'football',
    spreads: [-10.5, -7.5, -7, -6.5, -3.5, -3, -2.5, -1.5, 1.5, 2.5, 3, 3.5, 6.5, 7, 7.5, 10.5],
    totals: [37.5, 40.5, 41.5, 43.5, 44.5, 45.5, 47.5, 48.5, 50.5],
    least: { games: 12, lines: 300 },
  },
  {
    file: 'mlb-2026-08-01.odds.ndjson.gz',
    league: 'MLB',
    sport: 'baseball',
    spreads: [-2.5, -1.5, 1.5, 2.5],
    totals: [6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 10.5],
    least: { games: 30, lines: 400 },
  },
] as const;

describe.each(DAYS)('a day of $league odds', ({ file, league, sport, spreads, totals, least }) => {
  const path = join(FOLDER, file);
  it.runIf(existsSync(path))('prices every line of every game before its start', async () => {
    const snapshots = gunzipSync(readFileSync(path))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Snapshot);
    const games = gamesOf(snapshots, { league, sport });
    const marketsOf = (id: Game['id']) =>
      [
        market(id, 'moneyline'),
        ...spreads.map((line) => market(id, 'spread', line)),
        ...totals.map((line) => market(id, 'total', line)),
      ].map((found) => ({ market: found, game: games.get(id) as Game }));
    let [now, next] = [0, 0];
    const read = (): Promise<OddsReading> => {
      const snapshot = snapshots[next++];
      if (snapshot === undefined) return Promise.resolve({ type: 'same', isCurrent: false });
      now = snapshot.ts;
      return Promise.resolve({ type: 'new', text: JSON.stringify(snapshot.data) });
    };
    const standing = new Map<string, number>();
    const most = { lines: 0, odds: 0, matched: 0 };
    const gaps = new Set<string>();
    const feed: OddsFeed = new OddsFeed(
      {
        ...{ method: 'shin', weights: {}, ttlMs: 1_800_000, everyMs: 1, table: {} },
        model: { exchangeWeight: 0, deviations: {} },
      },
      {
        read,
        take: (messages) => {
          for (const { values } of messages as readonly { readonly values: Readonly<Record<string, number | null>> }[])
            for (const [name, value] of Object.entries(values))
              if (value === null) standing.delete(name);
              else standing.set(name, value);
          return true;
        },
        games: () => games.values(),
        drawOf: () => (sport === 'football' ? 'push' : 'impossible'),
        sportOf: () => sport,
        marketsOf,
        consensusIn: () => [],
        scoreOf: () => undefined,
        log: { info: () => undefined, warn: () => undefined },
        now: () => performance.now(),
        wall: () => {
          const names = [...standing.keys()];
          most.lines = Math.max(most.lines, names.filter((name) => /^model:.*\/[^:]*$/.test(name)).length);
          most.odds = Math.max(most.odds, names.filter((name) => name.startsWith('odds:')).length);
          return now;
        },
      },
    );
    while (next <= snapshots.length) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      most.matched = Math.max(most.matched, Number(feed.details['matched']));
      for (const { key } of feed.gaps) gaps.add(key);
    }
    await feed.close();
    expect(feed.details['unmatchedCount']).toBe(0);
    expect(games.size).toBe(least.games);
    expect(most.lines).toBeGreaterThan(least.lines);
    expect(most.lines).toBeGreaterThan(3 * most.odds);
    expect(gaps.size).toBeLessThan(20);
  });
});

/** The games of a recording as the exchange would list them. */
function gamesOf(snapshots: readonly Snapshot[], fields: Partial<Game>): ReadonlyMap<Game['id'], Game> {
  const games = new Map<Game['id'], Game>();
  for (const { data } of snapshots)
    for (const { home_team: home, away_team: away, commence_time: start, id } of data) {
      const listed = game(home, away, { ...fields, id: id as Game['id'], start: Date.parse(start) });
      games.set(listed.id, listed);
    }
  return games;
}
