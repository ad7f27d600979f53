import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, start, STRATEGIES, writeConfig } from '../support/children.ts';
import { BASIC, defined, line, MARKET, runner, sizes, textOf } from '../import/made-stream.ts';
import { MARKET_BZ2 } from '../import/packed-market.ts';

const TENNIS = fileURLToPath(new URL('../import/tennis', import.meta.url));
const FIXED = fileURLToPath(new URL('../upgrade/fixed.ts', import.meta.url));

const fileOf = (name: string, content: string | Buffer): string => {
  const file = join(folder(), name);
  writeFileSync(file, content);
  return file;
};
const draw = line(0, {
  id: '1.300',
  marketDefinition: {
    eventId: '3',
    marketTime: '2026-03-01T18:00:00Z',
    bettingType: 'ODDS',
    marketType: 'MATCH_ODDS',
    runners: [runner(1), runner(2), runner(58805)],
  },
});

describe('oddsmaker import betfair', () => {
  it('writes tapes that a backtest plays, and says what it left out', async () => {
    const out = join(folder(), 'tapes');
    const paths = [fileOf('market.bz2', MARKET_BZ2), fileOf('draw.json', textOf([draw]))];
    const { code, stdout, stderr } = await command(['import', 'betfair', ...paths, '--out', out, '--league', 'NBA']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Ash Foxes @ Birch Owls\s+basketball\s+NBA\s+2026-03-01T18:00\s+1\s+4\s+\$10\s+100 %/);
    expect(stdout).toContain('left out: 3 runners');
    const config = writeConfig(`exchange: { embedded: { traders: tape } }\n${STRATEGIES}${NO_JOURNAL}`);
    const played = await command(['backtest', config, '--tape', out, '--out', folder()]);
    expect(played.code).toBe(0);
  });

  it('leaves out games of a sport that the league of --league does not play', async () => {
    const out = join(folder(), 'tapes');
    const soccer = fileOf('soccer.json', textOf(MARKET).replaceAll('"7522"', '"1"').replaceAll('30000001', '30000002'));
    const basketball = fileOf('basketball.json', textOf(MARKET).replaceAll('1.100', '1.101'));
    const both = await command(['import', 'betfair', soccer, basketball, '--out', out, '--league', 'NBA', '--json']);
    expect(both.code).toBe(0);
    expect(JSON.parse(both.stdout)).toMatchObject({
      tapes: [{ games: [{ gameId: 'bf-30000001', sport: 'basketball', league: 'NBA' }] }],
    });
    const alone = await command(['import', 'betfair', soccer, '--out', join(folder(), 'none'), '--league', 'NBA']);
    expect([alone.code, alone.stdout]).toEqual([65, expect.stringContaining('soccer, and NBA is basketball')]);
  });

  it('ends with 65 when a file cannot be read, and imports the others', async () => {
    const out = folder();
    const paths = [fileOf('cut.bz2', MARKET_BZ2.subarray(0, 200)), fileOf('basic.json', textOf(BASIC))];
    const good = fileOf('good.json', textOf(MARKET).replaceAll('1.100', '1.101'));
    const { code, stdout, stderr } = await command(['import', 'betfair', ...paths, good, '--out', out, '--json']);
    expect(code).toBe(65);
    expect(stderr).toContain(`${paths[0]}: the packed file is cut short`);
    expect(stderr).toMatch(/basic.json: BASIC data: .* get ADVANCED or PRO/);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      files: 3,
      bad: [{ name: paths[0] }, { name: paths[1] }],
      tapes: [{ games: [{ gameId: 'bf-30000001', traded: 10, tradedInOffers: 10, score: null }] }],
    });
  });

  it('ends with 65 when there was nothing to import', async () => {
    const { code, stdout } = await command([
      'import',
      'betfair',
      fileOf('draw.json', textOf([draw])),
      '--out',
      folder(),
    ]);
    expect([code, stdout]).toEqual([65, expect.stringContaining('1 file: no tape')]);
  });

  it('removes incomplete tapes when it is interrupted', async () => {
    const [out, source] = [folder(), folder()];
    const many = MARKET.slice(1, 2).concat(
      Array.from({ length: 400_000 }, (_one, index) =>
        sizes(2000 + index, [{ id: 1, atl: [[2.6, 10 + (index % 50)]] }]),
      ),
    );
    writeFileSync(join(source, 'long.json'), textOf([MARKET[0] ?? '', ...many]));
    const importing = start(['import', 'betfair', join(source, 'long.json'), '--out', out]);
    while (!readdirSync(out).some((name) => name.endsWith('.draft'))) await setTimeout(20);
    importing.child.kill('SIGINT');
    const { code, stderr } = await importing.ended;
    expect([code, stderr]).toEqual([130, `\noddsmaker: interrupted; 0 whole tapes in ${out}\n`]);
    expect(readdirSync(out)).toEqual([]);
  });

  it('writes the scores of a file, next to those of earlier imports', async () => {
    const out = folder();
    writeFileSync(join(out, 'results.json'), '{"other": {"home": 1, "away": 0}}');
    const exact = {
      eventTypeId: '1',
      eventName: 'Ash v Birch',
      marketType: 'CORRECT_SCORE',
      status: 'CLOSED',
      runners: [runner(7, '2 - 1', { status: 'WINNER' }), runner(8, '0 - 0', { status: 'LOSER' })],
    };
    const lines = [...MARKET.slice(0, 2), defined(3000, '1.500', exact)];
    const { code } = await command(['import', 'betfair', fileOf('game.json', textOf(lines)), '--out', out]);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))).toEqual({
      other: { home: 1, away: 0 },
      'bf-30000001': { home: 2, away: 1 },
    });
  });

  it.each([
    ['is torn', '{"other": {"home": 1, '],
    ['is a list', '[]'],
  ])('leaves scores of earlier imports alone that it cannot read: the file %s', async (_what, text) => {
    const out = folder();
    const results = join(out, 'results.json');
    writeFileSync(results, text);
    const { code, stderr } = await command(['import', 'betfair', TENNIS, '--out', out]);
    expect([code, readFileSync(results, 'utf8')]).toEqual([65, text]);
    expect(stderr).toContain(`${results}: `);
    expect(stderr).toContain('is not written over: repair it, move it, or give another --out');
    expect(readdirSync(out)).toEqual(['results.json']);
  });

  it('settles by the winner a tennis match that was won with fewer games', async () => {
    const [out, played] = [join(folder(), 'tapes'), folder()];
    const { stdout } = await command(['import', 'betfair', TENNIS, '--out', out, '--league', 'ATP', '--json']);
    const [tape] = (JSON.parse(stdout) as { tapes: { games: { result: object; score: object }[] }[] }).tapes;
    expect(tape?.games).toMatchObject([
      { result: { home: 14, away: 18, winner: 'home' }, score: { home: 14, away: 18 } },
    ]);
    const config = writeConfig(
      `exchange: { embedded: { traders: tape } }
markets: { leagues: [ATP], lines: all }
strategies:
  - { use: ${FIXED}, id: fixed, params: { risk: 20, odds: -101 } }
risk: { maxGameLoss: 1000 }
${NO_JOURNAL}`,
    );
    const results = join(out, 'results.json');
    const run = await command([
      'backtest',
      config,
      '--tape',
      out,
      '--results',
      results,
      '--fills',
      'optimistic',
      '--out',
      played,
      '--strict',
    ]);
    expect(run.code).toBe(0);
    const rows = readFileSync(join(played, 'markets.csv'), 'utf8').split('\n');
    expect(rows.find((row) => row.includes('/moneyline'))).toMatch(/,39\.60,won$/);
  });

  it.each([
    ['another exchange', ['import', 'matchbook', 'x', '--out', 'y'], 2],
    ['no folder', ['import', 'betfair', 'x'], 2],
    ['an invalid depth', ['import', 'betfair', 'x', '--out', 'y', '--depth', '0'], 2],
  ])('refuses %s', async (_what, args, exit) => {
    expect((await command(args)).code).toBe(exit);
  });

  it('ends with 78 when the folder is not writable', async () => {
    const file = fileOf('market.bz2', MARKET_BZ2);
    const { code, stderr } = await command(['import', 'betfair', file, '--out', join(file, 'tapes')]);
    expect(stderr).toContain('--out');
    expect(code).toBe(78);
  });
});
