// A recording of a game, two parts of it, two props and two futures: what a backtest finds, quotes, fills,
// settles and voids of them, each by its own result.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, TWO_SIDED, writeConfig } from '../support/children.ts';

const NOON = Date.parse('2030-01-01T12:00:00Z');
const iso = (seconds: number): string => new Date(NOON + seconds * 1000).toISOString();
type Json = Readonly<Record<string, unknown>>;

const GAME: Json = {};
const IDS: Readonly<Record<string, Json>> = {
  game: GAME,
  h1: { parentGameID: 'game', periodName: '1st Half' },
  q1: { parentGameID: 'game', periodName: 'Q1' },
  // the first is marked as a prop, the second has a league of props
  points: { parentGameID: 'game', isSpecials: true, eventName: 'Alder (POINTS)' },
  rebounds: { parentGameID: 'game', league: 'NBA-PROPS', eventName: 'Alder (REBOUNDS)' },
  champion: { isFutures: true },
  runnerUp: { isFutures: true },
};
const PROPS = ['points', 'rebounds'];

const row = (id: string, left: number): Json => ({
  id,
  odds: 105,
  risk: 200,
  sumUntaken: left,
  takenRatio: 1 - left / 200,
  expiry: null,
  createdAt: iso(-3600),
});

/**
 * A tape with both sides of each market at +105, shown again at second 30, and 60 of the first side taken at
 * second 60.
 */
function tape(): string {
  const lines: Json[] = [{ tape: 1, from: NOON, depth: null, perspective: 'offerer', profile: {} }];
  const frame = (seconds: number, event: string, data: Json): void =>
    void lines.push({ ts: NOON + seconds * 1000, ns: '/priceUpdates', event, data: JSON.stringify(data) });
  for (const [id, fields] of Object.entries(IDS))
    frame(0, 'gameUpdate', {
      id,
      league: 'NBA',
      sport: 'basketball',
      start: iso(3600),
      live: false,
      ended: false,
      eventName: `Ravens @ Otters ${id}`,
      mainTotal: 24.5,
      participants: [
        { id: `${id}-away`, longName: 'Ravens', shortName: 'RAV', homeAway: 'away' },
        { id: `${id}-home`, longName: 'Otters', shortName: 'OTT', homeAway: 'home' },
      ],
      ...fields,
    });
  const side = (seconds: number, id: string, first: boolean, left: number): void => {
    const { league = 'NBA' } = IDS[id] ?? {};
    const place = PROPS.includes(id)
      ? { type: 'total', participantID: null, OU: first ? 'over' : 'under', total: 24.5 }
      : { type: 'moneyline', participantID: `${id}-${first ? 'home' : 'away'}` };
    frame(seconds, 'orderUpdate', {
      gameID: id,
      sport: 'basketball',
      league,
      live: false,
      ...place,
      sideOrders: [row(`${id}-${first ? 'first' : 'second'}`, left)],
    });
  };
  for (const seconds of [1, 30])
    for (const id of Object.keys(IDS)) for (const first of [true, false]) side(seconds, id, first, 200);
  for (const id of Object.keys(IDS)) side(60, id, true, 140);
  for (const id of Object.keys(IDS)) side(90, id, false, 200);
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

const RESULTS = {
  h1: { home: 51, away: 48 },
  q1: { void: true },
  points: { home: 20, away: 0 },
  rebounds: { void: true },
  champion: { winner: 'away' },
  runnerUp: { void: true },
};

type Market = Readonly<Record<string, string>>;

async function played(markets: string, flags: readonly string[] = [], results: Json = RESULTS) {
  const home = folder();
  writeFileSync(join(home, 'tape.ndjson'), tape());
  writeFileSync(join(home, 'results.json'), JSON.stringify(results));
  const config = writeConfig(
    `exchange: { embedded: {} }\nmarkets: { leagues: [NBA]${markets} }\n${NO_JOURNAL}` +
      `strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.005, risk: 50 } }\n`,
  );
  const out = join(home, 'out');
  const { code, stderr } = await command([
    ...['backtest', config, '--tape', join(home, 'tape.ndjson'), '--out', out, '--fills', 'pessimistic'],
    ...['--results', join(home, 'results.json'), ...flags],
  ]);
  expect(code, stderr).toBe(0);
  const warnings = stderr;
  const [head = '', ...rows] = readFileSync(join(out, 'markets.csv'), 'utf8').trim().split(/\r?\n/);
  const columns = head.split(',');
  const all = rows.map((line): Market =>
    Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])),
  );
  return { out, markets: all, warnings };
}

const ALL = ', periods: [full, h1, q1], props: true, futures: true';

describe('a backtest of a game with parts, props and futures', () => {
  it('finds, quotes, fills, settles and voids a child game, a prop and a future, each by its own result', async () => {
    const { out, markets } = await played(ALL, ['--journal']);
    const outcomes = Object.fromEntries(
      markets.map(({ game = '', fills, risk_filled: risk, settled, outcome }) => [
        game,
        [fills, risk, settled, outcome],
      ]),
    );
    expect(outcomes).toEqual({
      game: ['1', '50.00', '', 'open'],
      // the order is at +103
      h1: ['1', '50.00', '51.50', 'won'],
      q1: ['1', '50.00', '0.00', 'void'],
      points: ['1', '50.00', '-50.00', 'lost'],
      rebounds: ['1', '50.00', '0.00', 'void'],
      champion: ['1', '50.00', '-50.00', 'lost'],
      runnerUp: ['1', '50.00', '0.00', 'void'],
    });
    const [journal = ''] = readdirSync(out, { recursive: true })
      .map(String)
      .filter((name) => name.includes('.ndjson'));
    const { code, stdout, stderr } = await command(['replay', '--verify', join(out, journal)]);
    expect([code, stderr], stdout).toEqual([0, '']);
  });

  it('leaves a half open that ends level when no draw rule is set, and returns the stakes when one is', async () => {
    const level = { h1: { home: 50, away: 50 } };
    const half = (markets: readonly Market[]) => markets.find(({ game }) => game === 'h1');
    const open = await played(ALL, [], level);
    expect(half(open.markets)).toMatchObject({ settled: '', outcome: 'open' });
    expect(open.warnings).toContain('is level, and it is not known how that settles a moneyline');
    const known = await played(`${ALL} }\nsports: { NBA: { draw: push }`, [], level);
    expect(half(known.markets)).toMatchObject({ settled: '0.00', outcome: 'push' });
  });

  it('quotes whole games only, by default', async () => {
    const { markets } = await played('');
    expect(markets.map(({ game }) => game)).toEqual(['game']);
  });

  it('limits the loss of a game and its parts together to maxGameLoss', async () => {
    // 50 in the game, 100 in a part that may end level: one part fits, a second one does not
    const { markets } = await played(`${ALL} }\nrisk: { maxGameLoss: 200`);
    const parts = markets.filter(({ game = '' }) => ['h1', 'q1', 'points', 'rebounds'].includes(game));
    expect(parts.length).toBeLessThan(4);
    expect(markets.map(({ game }) => game)).toContain('champion');
  });
});

describe('a recorded book of a game', () => {
  const header = (id: string, fields: Json = {}): Json => ({
    id,
    league: 'NBA',
    sport: 'basketball',
    start: iso(3600),
    live: false,
    ended: false,
    eventName: 'Ravens @ Otters',
    participants: [
      { id: 'away', longName: 'Ravens', shortName: 'RAV', homeAway: 'away' },
      { id: 'home', longName: 'Otters', shortName: 'OTT', homeAway: 'home' },
    ],
    homeMoneylines: [row(`${id}-first`, 200)],
    awayMoneylines: [row(`${id}-second`, 200)],
    ...fields,
  });
  const recorded = (): string => {
    const file = join(folder(), 'tape.ndjson');
    const data = {
      game: header('game'),
      childGames: [header('h1', { periodName: '1H' })],
      propGames: [header('points')],
    };
    const lines = [
      { tape: 1, from: NOON, depth: null, perspective: 'offerer', profile: {} },
      { ts: NOON, ns: 'rest', event: 'POST /exchange/getSingleOrderbook', sent: NOON, data: { data } },
      ...[60, 90].map((seconds) => ({
        ts: NOON + seconds * 1000,
        ns: '/priceUpdates',
        event: 'orderUpdate',
        data: JSON.stringify({
          gameID: 'h1',
          league: 'NBA',
          live: false,
          type: 'moneyline',
          participantID: 'home',
          sideOrders: [row('h1-first', 140)],
        }),
      })),
    ];
    writeFileSync(
      file,
      lines
        .map((line) =>
          JSON.stringify('ns' in line && line.ns === 'rest' ? { ...line, data: JSON.stringify(line.data) } : line),
        )
        .join('\n'),
    );
    return file;
  };
  const gamesIn = async (file: string): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await command(['tape', 'info', file, '--json']);
    expect(code, stderr).toBe(0);
    return ['game', 'h1', 'points'].filter((id) => stdout.includes(`"${id}"`));
  };

  it('holds the parts of the game, and a cut of one part holds that part only', async () => {
    const file = recorded();
    expect(await gamesIn(file)).toEqual(['game', 'h1', 'points']);
    const out = join(folder(), 'cut.ndjson');
    expect(await command(['tape', 'cut', file, '--game', 'h1', '--out', out])).toMatchObject({ code: 0 });
    expect(await gamesIn(out)).toEqual(['h1']);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain('\\"parentGameID\\":\\"game\\"');
    expect(text).toContain('\\"periodName\\":\\"1H\\"');
  });
});
