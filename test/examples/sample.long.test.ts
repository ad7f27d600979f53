// The sample tape: it can be rebuilt byte for byte, and holds what it should. The paper exchange made it, so
// the end of every offer on it is known.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Sample } from '../../examples/sample-evening.ts';
import { makeSample, packed, sampleExchange, scoresText } from '../../examples/sample-evening.ts';
import { dollarsOfMicros } from '../../src/domain/index.ts';
import type { VenueGame, VenueOrder } from '../../src/venue/index.ts';
import { ROOT } from '../support/children.ts';

const TAPE = join(ROOT, 'examples/sample.ndjson.zst');
const SCORES = join(ROOT, 'examples/sample-scores.json');
const PRICES = '/priceUpdates';

type Row = {
  readonly id: string;
  readonly risk: number;
  readonly sumUntaken: number;
  readonly odds: number;
  readonly createdAt: string;
};
type Line = { readonly ts: number; readonly ns: string; readonly event: string; readonly data: string };
type Game = {
  readonly id: string;
  readonly start: string;
  readonly live: boolean;
  readonly ended: boolean;
  readonly messageType?: string;
};
type Ladder = Pick<Game, 'live'> & {
  readonly gameID: string;
  readonly type: string;
  readonly participantID: string | null;
  readonly OU?: string;
  readonly spread?: number;
  readonly total?: number;
  readonly sideOrders: readonly Row[];
};

let sample: Sample;
let lines: readonly Line[];
/** Every offer that ever rested, and every game, in their state at the end. */
const orders = new Map<string, VenueOrder>();
const games = new Map<string, VenueGame>();

beforeAll(() => {
  const exchange = sampleExchange();
  const { venue } = exchange.world;
  const feeds = venue.sink;
  venue.sink = {
    sideChanged: (side) => {
      for (const order of side.orders) orders.set(order.id, order);
      feeds.sideChanged(side);
    },
    gameChanged: (game, type) => {
      games.set(game.header.id, game);
      feeds.gameChanged(game, type);
    },
    position: (account, record) => feeds.position(account, record),
  };
  sample = makeSample(exchange);
  const [, ...records] = sample.tape.trimEnd().split('\n');
  lines = records.map((line) => JSON.parse(line) as Line);
});

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const gameUpdates = (): readonly (Game & { readonly ts: number })[] =>
  lines.flatMap(({ ts, event, data }) => (event === 'gameUpdate' ? [{ ts, ...(JSON.parse(data) as Game) }] : []));

describe('the sample tape', () => {
  it('is byte for byte what `node examples/make-sample.ts` writes today', () => {
    expect(hashOf(zstdDecompressSync(readFileSync(TAPE)))).toBe(hashOf(sample.tape));
    expect(hashOf(readFileSync(TAPE))).toBe(hashOf(packed(sample)));
    expect(readFileSync(SCORES, 'utf8')).toBe(scoresText(sample));
    expect(statSync(TAPE).size).toBeLessThan(700_000);
  });

  it('is in the package with its scores and configuration, without the files that a backtest writes next to it', () => {
    const packOutput = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
    const [packedUp] = JSON.parse(packOutput.toString()) as [{ files: readonly { path: string }[] }];
    const examples = packedUp.files.map(({ path }) => path).filter((path) => path.startsWith('examples/'));
    expect(examples).toEqual(
      expect.arrayContaining(
        ['sample.ndjson.zst', 'sample-scores.json', 'sample.yaml'].map((name) => `examples/${name}`),
      ),
    );
    expect(examples.filter((path) => path.endsWith('.compact'))).toEqual([]);
  });

  it('begins like a recording, and shows when the recorder was not connected', () => {
    const [header = ''] = sample.tape.split('\n', 1);
    expect(JSON.parse(header)).toMatchObject({ tape: 1, depth: null, perspective: 'offerer' });
    const marks = lines.filter(({ event }) => event === 'connect' || event === 'disconnect');
    expect(marks.map(({ event, data }) => `${event} ${data}`.trim())).toEqual([
      'connect',
      'disconnect transport close',
      'connect',
      'disconnect io client disconnect',
    ]);
    for (const mark of marks.filter(({ event }) => event === 'connect')) {
      const read = lines[lines.indexOf(mark) + 1];
      expect(read).toMatchObject({ ts: mark.ts, ns: 'rest', event: 'POST /exchange/getOrderbook' });
      const body = JSON.parse(read?.data ?? '') as { data: { games: readonly Game[] } };
      expect(body.data.games.filter(({ ended }) => !ended)).toHaveLength(6);
    }
    for (const [index, { ts }] of lines.entries()) expect(ts).toBeGreaterThanOrEqual(lines[index - 1]?.ts ?? 0);
    expect(new Set(lines.map(({ ns }) => ns))).toEqual(new Set([PRICES, 'rest']));
  });

  it('has six games of an evening, from long before their starts to their grades, and a score for each', () => {
    expect(sample.scores.size).toBe(6);
    for (const [id, score] of sample.scores) {
      const updates = gameUpdates().filter((game) => game.id === id);
      const last = updates.at(-1);
      const start = last?.start ?? '';
      const recorded = lines.find(({ data }) => data.includes(id))?.ts ?? Number.POSITIVE_INFINITY;
      expect(Date.parse(start) - recorded).toBeGreaterThanOrEqual(1.5 * 3_600_000);
      expect(start).toMatch(/^2030-11-16T(?:18|19|20):/);
      expect(last).toMatchObject({ live: true, ended: true });
      expect(games.get(id)?.graded).toEqual(score);
    }
    const starts = new Set(gameUpdates().map(({ id, start }) => `${id} ${start}`));
    // one of the games was moved while the recorder was connected
    expect(starts.size).toBeGreaterThan(6);
  });

  it('closes and opens its markets in play, and closes them at the end', () => {
    for (const id of sample.scores.keys()) {
      const types = gameUpdates().flatMap((game) =>
        game.id === id && game.messageType !== undefined ? [game.messageType] : [],
      );
      expect(types.filter((type) => type === 'marketOpen').length).toBeGreaterThan(3);
      expect(types.at(-1)).toBe('marketClosed');
    }
  });

  it('has takes, offers that were taken to their end, and more cancelled offers, in all three types', () => {
    const counts = story();
    for (const type of ['moneyline', 'spread', 'total'])
      for (const phase of ['ahead', 'live']) {
        const count = counts.get(`${type} ${phase}`);
        expect(count?.frames).toBeGreaterThan(400);
        expect(count?.takes).toBeGreaterThan(60);
        expect(count?.filled).toBeGreaterThan(100);
        expect(count?.cancelled).toBeGreaterThan(1.5 * (count?.filled ?? 0));
        // whole ladders
        expect((count?.rows ?? 0) / (count?.frames ?? 1)).toBeGreaterThan(4);
      }
  });

  it('shows as taken what was taken and no more, and has most offers cancelled whole', () => {
    const last = new Map<string, Row>();
    for (const { event, data } of lines)
      if (event === 'orderUpdate') for (const row of (JSON.parse(data) as Ladder).sideOrders) last.set(row.id, row);
    expect(last.size).toBeGreaterThan(10_000);
    let cancelledWhole = 0;
    for (const [id, { risk, sumUntaken }] of last) {
      const order = orders.get(id);
      if (order === undefined) throw new Error(`no such offer: ${id}`);
      const [offered, filled] = [dollarsOfMicros(order.offered), dollarsOfMicros(order.filled)];
      expect(risk).toBe(offered);
      if (order.status === 'cancelled' && order.filled === 0) cancelledWhole += 1;
      if (risk - sumUntaken > filled + 1e-6) throw new Error(`${id}: ${risk - sumUntaken} > ${filled}`);
    }
    expect(cancelledWhole).toBeGreaterThan(last.size / 2);
  });

  it('has an eighth of the risk that vanishes at the top of its books taken', () => {
    let [taken, all] = [0, 0];
    for (const { top } of story().values()) {
      taken += top.filled;
      all += top.filled + top.cancelled;
    }
    expect(taken / all).toBeGreaterThan(0.11);
    expect(taken / all).toBeLessThan(0.15);
  });
});

type Count = {
  frames: number;
  rows: number;
  takes: number;
  filled: number;
  cancelled: number;
  /** Dollars that vanished while no offer ahead of them was left, except in a market that closed. */
  readonly top: { filled: number; cancelled: number };
};

/** The changes from frame to frame, by type and phase. The exchange knows how an offer ended. */
function story(): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  const ladders = new Map<string, readonly Row[]>();
  const closes = Map.groupBy(
    gameUpdates().filter(({ messageType }) => messageType === 'marketClosed'),
    ({ id }) => id,
  );
  for (const { ts, event, data } of lines) {
    if (event === 'connect') ladders.clear();
    if (event !== 'orderUpdate') continue;
    const ladder = JSON.parse(data) as Ladder;
    const { gameID, type, sideOrders: rows } = ladder;
    const phase = `${type} ${ladder.live ? 'live' : 'ahead'}`;
    const count = counts.get(phase) ?? {
      frames: 0,
      rows: 0,
      takes: 0,
      filled: 0,
      cancelled: 0,
      top: { filled: 0, cancelled: 0 },
    };
    counts.set(phase, count);
    count.frames += 1;
    count.rows += rows.length;
    const key = [gameID, ladder.participantID ?? ladder.OU, ladder.spread ?? ladder.total ?? type].join();
    const closesNow = (closes.get(gameID) ?? []).some((close) => close.ts >= ts && close.ts - ts <= 5000);
    const now = new Map(rows.map((row) => [row.id, row]));
    for (const row of ladders.get(key) ?? []) {
      const left = now.get(row.id);
      if (left !== undefined) {
        if (left.risk === row.risk && left.sumUntaken < row.sumUntaken) count.takes += 1;
        continue;
      }
      const became = orders.get(row.id)?.status === 'filled' ? 'filled' : 'cancelled';
      count[became] += 1;
      if (!closesNow && !rows.some((other) => isServedBefore(other, row))) count.top[became] += row.sumUntaken;
    }
    ladders.set(key, rows);
  }
  return counts;
}

/** What an offerer asks to win for each dollar. Takers take the lowest first. */
const winPerDollar = (odds: number): number => (odds > 0 ? odds / 100 : 100 / -odds);

const isServedBefore = (offer: Row, other: Row): boolean =>
  winPerDollar(offer.odds) < winPerDollar(other.odds) ||
  (offer.odds === other.odds && offer.createdAt < other.createdAt);
