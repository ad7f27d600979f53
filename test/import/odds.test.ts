// `oddsmaker import odds`: documents of the past become what the odds feed of a bot would have sent, at the times at
// which they were fetched, and a backtest trades on them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RecordedGames } from '../../src/import/index.ts';
import { readTape } from '../../src/tape/index.ts';
import { command, folder, ROOT } from '../support/children.ts';

const SAMPLE = join(ROOT, 'examples/sample.ndjson.zst');
const NFL = join(ROOT, '../shared/data/odds/nfl-2025-11-09.odds.ndjson.gz');
const AT = Date.parse('2030-11-16T17:00:00Z');
const MINUTE = 60_000;

type Line = {
  readonly ts: number;
  readonly ns: string;
  readonly data: { readonly values: Readonly<Record<string, number | null>>; readonly ttl: number };
};

type Result = { readonly scenarios: { readonly pessimistic: { readonly orders: { readonly placed: number } } } };

async function linesOf(out: string): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const name of readdirSync(out).sort())
    for await (const { ts, ns, data } of readTape(join(out, name)))
      lines.push({ ts, ns, data: JSON.parse(data) as Line['data'] });
  return lines;
}

const book = (key: string, home: string, away: string, p: number, last_update?: string) => ({
  key,
  ...(last_update !== undefined && { last_update }),
  markets: [
    {
      key: 'h2h',
      outcomes: [
        { name: home, price: 1 / p },
        { name: away, price: 1 / (1 - p) },
      ],
    },
    {
      key: 'totals',
      outcomes: [
        { name: 'Over', price: 2, point: 220.5 },
        { name: 'Under', price: 2, point: 220.5 },
      ],
    },
    {
      key: 'spreads',
      outcomes: [
        { name: home, price: 2, point: -3.5 },
        { name: away, price: 2, point: 3.5 },
      ],
    },
  ],
});

/** Documents of the sample's games, and of one that is not there. */
async function sampleOdds(...prices: readonly (readonly [minutes: number, p: number])[]): Promise<string> {
  const games = (await RecordedGames.read([SAMPLE], () => undefined)).at(AT);
  expect(games.length).toBe(6);
  const documents = prices.map(([minutes, p]) => ({
    ts: AT + minutes * MINUTE,
    data: [
      ...games.map(({ home, away, start, id }) => ({ home: home.name, away: away.name, start, id })),
      { home: 'Nowhere', away: 'Nothing', start: AT + 90 * MINUTE, id: 'x' },
    ].map(({ home, away, start, id }) => ({
      ...{
        id: `e-${id}`,
        sport_key: 'basketball_nba',
        commence_time: new Date(start).toISOString(),
        home_team: home,
        away_team: away,
      },
      bookmakers: [book('a', home, away, p), book('b', home, away, p)],
    })),
  }));
  const file = join(folder(), 'odds.ndjson');
  writeFileSync(file, documents.map((document) => JSON.stringify(document)).join('\n'));
  return file;
}

const imported = async (...args: readonly string[]) => {
  const out = folder();
  const ended = await command(['import', 'odds', ...args, '--out', out]);
  return { out, ...ended };
};

describe('odds that are matched with the games of a tape', () => {
  it('have the ids of these games, at the time of each document, and what no longer has a price is withdrawn', async () => {
    const odds = await sampleOdds([0, 0.5], [10, 0.55]);
    const { out, code, stdout, stderr } = await imported(odds, '--games', SAMPLE, '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      documents: 2,
      events: 7,
      priced: 6,
      unmatched: [{ event: 'Nothing @ Nowhere', why: 'no game has these teams' }],
    });
    expect(readdirSync(out)).toEqual(['odds-2030-11-16.ndjson.zst']);
    const lines = await linesOf(out);
    expect(lines.map(({ ts, ns }) => [ts - AT, ns])).toEqual([
      [0, 'signals'],
      [10 * MINUTE, 'signals'],
    ]);
    const moneylines = lines.map(({ data }) =>
      Object.entries(data.values)
        .filter(([name]) => /^odds:[^|]+\/moneyline$/.test(name))
        .map(([, p]) => p?.toFixed(3)),
    );
    expect(moneylines).toEqual([Array(6).fill('0.500'), Array(6).fill('0.550')]);
    expect(Object.keys(lines[0]?.data.values ?? {}).some((name) => /^model:.*\/spread\/.*:error$/.test(name))).toBe(
      true,
    );
  });

  it('are what a backtest trades on, with the latency of signals', async () => {
    const odds = await sampleOdds([0, 0.5], [30, 0.55], [60, 0.52]);
    const { out, code } = await imported(odds, '--games', SAMPLE, '--ttl', '2h');
    expect(code).toBe(0);
    const config = join(folder(), 'bot.yaml');
    writeFileSync(
      config,
      `exchange: { embedded: { traders: tape }, playerMode: coins }
markets: { leagues: [NBA], types: [moneyline], lines: main }
strategies:
  - { use: ${join(ROOT, 'strategies/own-price.ts')}, id: own, params: { edge: 0.01, risk: 20, prefix: 'odds:' } }
journal: { dir: null }
ledger: { file: null }
`,
    );
    const result = folder();
    const played = await command([
      'backtest',
      config,
      '--tape',
      SAMPLE,
      '--tape',
      out,
      '--out',
      result,
      '--fills',
      'pessimistic',
      '--signal-latency',
      '250ms',
    ]);
    expect(played.code, played.stderr).toBe(0);
    const { scenarios } = JSON.parse(readFileSync(join(result, 'result.json'), 'utf8')) as Result;
    expect(scenarios.pessimistic.orders.placed).toBeGreaterThan(0);
    // without the tape of signals the strategy has no price
    const alone = folder();
    await command(['backtest', config, '--tape', SAMPLE, '--out', alone, '--fills', 'pessimistic']);
    const without = JSON.parse(readFileSync(join(alone, 'result.json'), 'utf8')) as Result;
    expect(without.scenarios.pessimistic.orders.placed).toBe(0);
  });
});

describe('odds without games', () => {
  it('name a game by its teams and its start', async () => {
    const { out } = await imported(await sampleOdds([0, 0.5]));
    const [line] = await linesOf(out);
    expect(line?.data.values['odds:Nowhere|Nothing|2030-11-16T18:30:00Z/moneyline']).toBeCloseTo(0.5, 9);
    expect(line?.data.values['model:Nowhere|Nothing|2030-11-16T18:30:00Z/spread/-3.5']).toBeCloseTo(0.5, 1);
  });

  it('of two documents that each show one event: neither loses its prices by the other', async () => {
    const file = join(folder(), 'odds.ndjson');
    const documentOf = (ts: number, home: string, isList: boolean): string => {
      const event = {
        ...{ id: home, sport_key: 'basketball_nba', commence_time: '2030-11-16T18:00:00Z' },
        ...{ home_team: home, away_team: 'Bulls', bookmakers: [book('a', home, 'Bulls', 0.5)] },
      };
      return JSON.stringify({ ts, data: isList ? [event] : event });
    };
    const withdrawnIn = async (isList: boolean): Promise<readonly string[]> => {
      writeFileSync(
        file,
        [
          documentOf(AT, 'Lakers', isList),
          documentOf(AT + MINUTE, 'Kings', isList),
          documentOf(AT + 2 * MINUTE, 'Kings', isList),
        ].join('\n'),
      );
      const { out, code, stderr } = await imported(file);
      expect(code, stderr).toBe(0);
      return (await linesOf(out)).flatMap(({ data }) =>
        Object.entries(data.values).flatMap(([name, value]) => (value === null ? [name] : [])),
      );
    };
    expect(await withdrawnIn(false)).toEqual([]);
    // a list shows all events of its sport: one that is missing has no price any more
    expect(await withdrawnIn(true)).toContain('odds:Lakers|Bulls|2030-11-16T18:00:00Z/moneyline');
  });

  it.skipIf(!existsSync(NFL))('are read from a recorded Sunday, with the time of each document', async () => {
    const { out, stdout, code } = await imported(NFL, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ documents: 45, events: 12, priced: 12, unmatched: [] });
    const lines = await linesOf(out);
    expect(lines.length).toBeGreaterThan(40);
    expect(lines[0]?.ts).toBe(1_762_692_039_000);
    const all = lines
      .flatMap(({ data }) => Object.entries(data.values))
      .filter(([name, p]) => name.startsWith('odds:') && p !== null);
    expect(all.length).toBeGreaterThan(1000);
    expect(all.every(([, p]) => p !== null && p > 0 && p < 1)).toBe(true);
  });
});

describe('what cannot be imported', () => {
  const dated = (home: string) => ({
    ...{
      id: home,
      sport_key: 'basketball_nba',
      commence_time: '2030-11-16T18:00:00Z',
      home_team: home,
      away_team: 'Bulls',
    },
    bookmakers: [book('a', home, 'Bulls', 0.5, '2030-11-16T16:00:00Z')],
  });

  it('is a document without a time, unless a delay is assumed: the price counts from then on', async () => {
    const file = join(folder(), 'odds.json');
    writeFileSync(file, JSON.stringify([dated('Lakers')]));
    const refused = await imported(file);
    expect(refused.code).toBe(65);
    expect(refused.stderr).toContain('it does not show when it was fetched');
    expect(readdirSync(refused.out)).toEqual([]);
    const assumed = await imported(file, '--assume-delay', '30s', '--book', 'a=1');
    expect(assumed.code, assumed.stderr).toBe(0);
    expect((await linesOf(assumed.out))[0]?.ts).toBe(Date.parse('2030-11-16T16:00:30Z'));
  });

  it('is one of two events that are alike: neither gets the price of the game', async () => {
    const odds = await sampleOdds([0, 0.5]);
    const document = JSON.parse(readFileSync(odds, 'utf8')) as { readonly data: readonly { readonly id: string }[] };
    const [first] = document.data;
    writeFileSync(odds, JSON.stringify({ ...document, data: [...document.data, { ...first, id: 'twin' }] }));
    const { stdout } = await imported(odds, '--games', SAMPLE, '--json');
    const { unmatched } = JSON.parse(stdout) as { readonly unmatched: readonly { readonly why: string }[] };
    expect(unmatched.filter(({ why }) => why.startsWith('another event fits'))).toHaveLength(2);
  });

  it.each([
    [['nothing.json'], 65, 'there is no such file'],
    [[SAMPLE], 65, 'no odds document'],
    [[NFL, '--games', 'nothing.ndjson'], 65, 'nothing.ndjson'],
    [[NFL, '--book', 'a=0'], 2, 'expected NAME=WEIGHT'],
  ])('%j ends with %i', async (args, code, text) => {
    const ended = await imported(...args);
    expect(ended.stderr).toContain(text);
    expect(ended.code).toBe(code);
    expect(readdirSync(ended.out)).toEqual([]);
  });
});
