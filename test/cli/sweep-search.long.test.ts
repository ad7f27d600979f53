// `oddsmaker sweep` with estimates, constraints, several objectives, points that are stopped early, and --like:
// typed as users do, on generated game days.
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { command, folder, NO_JOURNAL, start, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGameDays } from '../support/game-days.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { HAS_REDIS, TestRedis } from '../support/redis.ts';
import { BOT, bytesOf, rowsOf, sweepJson } from '../sweep/fixtures.ts';

// the tests play up to a hundred points each
vi.setConfig({ testTimeout: 300_000 });

let tapes = '';
/** Two games, for tests that play many points. */
let few = '';
let config = '';
beforeAll(() => {
  const made = folder();
  few = writeGameDays(folder(), 2, 1, 14);
  // 18 games: more than the 16 that --stop-early needs
  tapes = writeGameDays(made, 6, 3, 14);
  config = writeConfig(BOT, made);
});

const argsOn = (played: string, out: string, ...flags: readonly string[]): readonly string[] => [
  ...['sweep', config, '--tape', played, '--out', out, ...flags],
];
const args = (out: string, ...flags: readonly string[]): readonly string[] => argsOn(tapes, out, ...flags);
const sweep = async (...flags: readonly string[]) => {
  const out = join(folder(), 'out');
  return { out, ...(await command(args(out, ...flags))) };
};
const onFew = async (...flags: readonly string[]) => {
  const out = join(folder(), 'out');
  return { out, ...(await command(argsOn(few, out, ...flags))) };
};
const jsonOf = (out: string): Readonly<Record<string, unknown>> => sweepJson(out);

const TPE = [
  ...['--search', 'tpe', '--points', '18', '--batch', '4'],
  ...['--param', 'main.edge=0.002:0.04:log', '--param', 'main.risk=20:200:int', '--param', 'main.skew=0.1,0.4'],
];

describe('oddsmaker sweep --search tpe', () => {
  it('writes the same bytes with one thread, with three, over Redis and after a kill, and with --like', async () => {
    const goals = ['--such-that', 'fills >= 20', '--objective', 'edge.dollars', '--objective', 'inventory.maxDrawdown'];
    const flags = [...TPE, ...goals];
    const single = await onFew(...flags, '--threads', '1');
    expect(single.code, single.stderr).toBe(0);
    const three = await onFew(...flags, '--threads', '3');
    expect(bytesOf(three.out)).toEqual(bytesOf(single.out));

    // a kill in the third batch
    const out = join(folder(), 'killed');
    const killed = start(argsOn(few, out, ...flags, '--threads', '1'));
    const log = join(out, '.points.running.ndjson');
    while (!existsSync(log) || readFileSync(log, 'utf8').split('\n').length < 10) await sleep(20);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const resumed = await command(argsOn(few, out, ...flags, '--resume'));
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(bytesOf(out)).toEqual(bytesOf(single.out));

    // the folder of the sweep is all that a repetition needs
    const again = join(folder(), 'again');
    const repeated = await command(['sweep', '--like', single.out, '--out', again]);
    expect(repeated.code, repeated.stderr).toBe(0);
    expect(bytesOf(again)).toEqual(bytesOf(single.out));
    expect(repeated.stdout.replace(again, single.out)).toBe(single.stdout);

    if (HAS_REDIS) {
      await using redis = await TestRedis.start();
      const keyFile = join(folder(), 'sweep.key');
      writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
      const remote = ['--redis', redis.url, '--key', keyFile];
      for (const threads of ['1', '2'])
        start(['worker', ...remote, '--threads', threads], { XDG_CACHE_HOME: folder() });
      const far = await onFew(...flags, ...remote);
      expect(far.code, far.stderr).toBe(0);
      expect(bytesOf(far.out)).toEqual(bytesOf(single.out));
    }
  });

  it('prints the front, the importance of each parameter and the verdict, as tables and as JSON lines', async () => {
    const flags = [...TPE, '--objective', 'edge.dollars', '--objective', 'inventory.maxDrawdown'];
    const text = await sweep(...flags);
    expect(text.code, text.stderr).toBe(0);
    expect(text.stdout).toMatch(
      /^point +main\.edge +main\.risk +main\.skew +edge\.dollars +inventory\.maxDrawdown +fills/m,
    );
    expect(text.stdout).toMatch(
      /^front +main\.edge +main\.risk +main\.skew +edge\.dollars +inventory\.maxDrawdown:least$/m,
    );
    expect(text.stdout).toMatch(/^parameter +explains +p +objective$/m);
    expect(text.stdout).toMatch(/^main\.edge +\d+ % +[01]\.\d{3} +edge\.dollars$/m);
    expect(text.stdout).toMatch(/^front of \d+ points? · best of 18 by edge\.dollars: main\.edge=\S+ main\.risk=\d+ /m);
    const facts = jsonOf(text.out) as {
      readonly front: readonly { readonly point: number; readonly objectives: Readonly<Record<string, number>> }[];
      readonly importance: readonly { readonly objective: string; readonly points: number }[];
    };
    expect(facts.importance.map(({ objective, points }) => [objective, points])).toEqual([
      ['edge.dollars', 18],
      ['inventory.maxDrawdown:least', 18],
    ]);
    // no row of points.csv beats a point of the front in both objectives
    const [names = '', ...rows] = rowsOf(text.out);
    const cell = (row: string, name: string): number => Number(row.split(',')[names.split(',').indexOf(name)]);
    expect(facts.front.length).toBeGreaterThan(0);
    for (const { objectives } of facts.front) {
      const [edge = 0, drawdown = 0] = [objectives['edge.dollars'], objectives['inventory.maxDrawdown']];
      // points.csv has six digits
      const better = rows.filter(
        (row) => cell(row, 'objective') > edge + 0.01 && cell(row, 'inventory.maxDrawdown') < drawdown - 0.01,
      );
      expect(better).toEqual([]);
    }
    const svg = readFileSync(join(text.out, 'front.svg'), 'utf8');
    for (const { point } of facts.front) expect(svg).toContain(`>${point}</text>`);

    const lines = await command(args(text.out, ...flags, '--resume', '--json'));
    expect(lines.code, lines.stderr).toBe(0);
    const printed = lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const rowsNamed = (row: string) => printed.filter((line) => line['row'] === row);
    expect(rowsNamed('point')).toHaveLength(10);
    expect(rowsNamed('front').map(({ point }) => point)).toEqual(facts.front.map(({ point }) => point));
    expect(rowsNamed('importance')).toHaveLength(6);
    expect(rowsNamed('verdict')).toEqual([{ row: 'verdict', ...sweepJson(text.out).verdict }]);
  });
});

describe('oddsmaker sweep --such-that', () => {
  it('ends with the verdict none and exit 0 when no point meets it, and shows the nearest points', async () => {
    const { out, code, stdout, stderr } = await sweep(
      '--param',
      'main.edge=0.01:0.03:0.01',
      '--such-that',
      'fills >= 1e6',
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^0 of 3 points meet --such-that "fills >= 1000000" \(3 miss it, 0 unknown\)$/m);
    expect(stdout).toMatch(
      /^best of 3: none · no point meets --such-that "fills >= 1000000" \(3 miss it, 0 unknown\)$/m,
    );
    expect(jsonOf(out)).toMatchObject({ best: [], suchThat: { meet: 0, miss: 3, unknown: 0 } });
    expect(existsSync(join(out, 'best-1.html'))).toBe(false);
    const [names = '', ...rows] = rowsOf(out);
    expect(names).toMatch(/,fills,meets$/);
    for (const row of rows) expect(row).toMatch(/,\d+,no$/);
  });

  it('ranks no point whose figure is not known, and counts it', async () => {
    const made = folder();
    const tape = join(made, 'tape.ndjson.gz');
    // the tape ends long before the game begins, so there is no closing price
    writeGeneratedTape(tape, 120, { startsAfter: 36_000_000 });
    const own = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`, made);
    const out = join(made, 'out');
    const flags = ['--objective', 'permits.spreadPerPlace', '--such-that', 'clv.points >= -1'];
    const ended = await command([
      ...['sweep', own, '--tape', tape, '--out', out],
      '--param',
      'main.edge=0.002,0.005',
      ...flags,
    ]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(/^0 of 2 points meet --such-that "clv\.points >= -1" \(0 miss it, 2 unknown\)$/m);
    expect(ended.stdout).toMatch(/^clv\.points is not known for 2 points: unknown points are compared with none$/m);
    expect(ended.stdout).toMatch(/^best of 2: none · no point meets .* \(0 miss it, 2 unknown\)$/m);
    expect(jsonOf(out)).toMatchObject({ suchThat: { unknown: 2 }, unknown: [{ name: 'clv.points', points: 2 }] });
    for (const row of rowsOf(out).slice(1)) expect(row).toMatch(/,unknown$/);
  });

  it('holds the constraint on the days that choose, and plays the best again on the others', async () => {
    const flags = [
      '--param',
      'main.edge=0.01:0.03:0.01',
      '--holdout',
      '0.3',
      '--gap',
      '0',
      '--such-that',
      'fills >= 1',
    ];
    const { out, code, stderr } = await sweep(...flags);
    expect(code, stderr).toBe(0);
    // 12 games choose, 6 judge: the present setting and three points, then three points
    const games = readFileSync(join(out, 'points.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { games: number }).games);
    expect(games).toEqual([12, 12, 12, 12, 6, 6, 6]);
    expect(jsonOf(out)['judgedOn']).toMatchObject({ kind: 'holdout', games: 6, meets: true });
  });
});

describe('oddsmaker sweep --stop-early', () => {
  it('stops points that are clearly worse, says how many games it saved, and keeps the best', async () => {
    const edges = ['--param', 'main.edge=0.004,0.006,0.008,0.02,0.1,0.2', '--objective', 'permits.spreadPerPlace'];
    const whole = await sweep(...edges);
    const early = await sweep(...edges, '--stop-early', '--batch', '2', '--threads', '1');
    expect([whole.code, early.code], early.stderr).toEqual([0, 0]);
    const { stoppedEarly } = (jsonOf(early.out) as { readonly search: { readonly stoppedEarly: unknown } }).search as {
      readonly stoppedEarly: {
        readonly points: readonly number[];
        readonly after: number;
        readonly savedGames: number;
      };
    };
    expect(stoppedEarly.after).toBe(8);
    // edges at which hardly anything fills
    expect(stoppedEarly.points.length).toBeGreaterThan(0);
    const stopped = rowsOf(early.out).filter((row) => row.split(',')[2] === '8');
    expect(stopped.map((row) => Number(row.split(',')[0]))).toEqual(stoppedEarly.points);
    expect(early.stdout).toMatch(/clearly worse than the best after 8 games, and stopped: /);
    expect(sweepJson(early.out).best[0]).toEqual(sweepJson(whole.out).best[0]);
    const again = await sweep(...edges, '--stop-early', '--batch', '2', '--threads', '3');
    expect(bytesOf(again.out)).toEqual(bytesOf(early.out));
    // --like takes it over, and --no-stop-early turns it off
    const out = join(folder(), 'off');
    const off = await command(['sweep', '--like', join(early.out, 'sweep.json'), '--out', out, '--no-stop-early']);
    expect(off.code, off.stderr).toBe(0);
    expect(bytesOf(out)).toEqual(bytesOf(whole.out));
  });
});

describe('oddsmaker sweep --like', () => {
  it('takes flags of the command line first, and refuses a file that has changed unless it is named', async () => {
    const made = folder();
    const own = writeConfig(BOT, made);
    const first = join(made, 'first');
    const tape = join(tapes, 'd00g0.ndjson.gz');
    const slow = ['--strategy-latency', '2ms', '--strategy-latency', 'main=5ms'];
    const begun = await command([
      'sweep',
      own,
      '--tape',
      tape,
      '--out',
      first,
      '--param',
      'main.edge=0.01,0.02',
      ...slow,
    ]);
    expect(begun.code, begun.stderr).toBe(0);
    const like = (out: string, ...flags: readonly string[]) =>
      command(['sweep', ...flags, '--like', first, '--out', join(made, out)]);
    const other = await like('other', '--param', 'main.edge=0.03', '--seed', '5', '--objective', 'fills');
    expect(other.code, other.stderr).toBe(0);
    expect(sweepJson(join(made, 'other')).settings).toMatchObject({
      ...{ search: 'grid', points: 1, seed: 5, objective: 'fills', param: ['main.edge=0.03'] },
      strategyLatency: '2ms, main=5ms',
    });
    appendFileSync(own, 'log: { level: warn }\n');
    const changed = await like('changed');
    expect(changed.code).toBe(2);
    expect(changed.stderr).toMatch(
      /^oddsmaker: --like \S+: this would be another sweep: config was changed\. To sweep the files as they are now, name them on the command line\n$/,
    );
    expect(existsSync(join(made, 'changed'))).toBe(false);
    const named = await command(['sweep', own, '--like', first, '--out', join(made, 'named')]);
    expect(named.code, named.stderr).toBe(0);
    expect(named.stderr).toMatch(/--like \S+: config was changed\n/);
    // without timing.json the files must be named
    rmSync(join(first, 'timing.json'));
    const lost = await like('lost');
    expect([lost.code, lost.stderr]).toEqual([
      2,
      `error: missing required argument 'config': no timing.json beside ${join(first, 'sweep.json')} says where it was\n(add --help for flags and examples)\n`,
    ]);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', 'x', /this is no result of a sweep of this version \(/],
    ['another object', '{}', /\(settings is missing\): name the folder of a sweep, or its sweep\.json/],
    ['a setting of another kind', '{"settings": {"search": "best", "calibrated": {}}}', /\(search is not as a sweep/],
  ])('refuses %s', async (_what, text, problem) => {
    const made = folder();
    writeFileSync(join(made, 'sweep.json'), text);
    const ended = await command(['sweep', '--like', made, '--out', join(made, 'out')]);
    expect(ended.stderr).toMatch(problem);
    expect(ended.code).toBe(2);
    expect(existsSync(join(made, 'out'))).toBe(false);
  });
});

describe('oddsmaker sweep with impossible goals', () => {
  const edges = ['--param', 'main.edge=0.01,0.02'];
  it.each<[string, readonly string[], RegExp]>([
    [
      'a constraint on a figure that no result has',
      ['--such-that', 'inventory.maxDrawdwn <= 200'],
      /--such-that "inventory\.maxDrawdwn <= 200": there is no such figure; did you mean inventory\.maxDrawdown\?/,
    ],
    [
      'a constraint that needs scores, without any',
      ['--such-that', 'identity.pnl >= 0'],
      /--such-that "identity\.pnl >= 0" needs games with a final score: give --results/,
    ],
    [
      'a constraint on a figure that the held-out days cannot know',
      ['--such-that', 'interval.clvLow >= 0', '--holdout', '0.3', '--gap', '0'],
      /--such-that interval\.clvLow is not known under 30 games, and a part of the days has 12: record more days/,
    ],
    [
      'a constraint without a number',
      ['--such-that', 'fills >= many'],
      /expected a figure, <=, >=, < or >, and a number/,
    ],
    [
      'the same objective twice',
      ['--objective', 'fills', '--objective', 'fills:least'],
      /--objective fills is given twice/,
    ],
    [
      'an unknown second objective',
      ['--objective', 'fills', '--objective', 'fils'],
      /no such figure; did you mean fills\?/,
    ],
    ['a log scale from 0', ['--param', 'main.skew=0:1:log'], /main\.skew: a log scale needs ends above 0/],
    [
      'estimates from days that judge',
      ['--search', 'tpe', '--walk-forward', '2'],
      /--search tpe with --walk-forward would choose points by the days that judge them: use --holdout/,
    ],
    ['batches of a grid', ['--batch', '4'], /--batch is for --search tpe and --stop-early/],
    ['stopping early when halving', ['--stop-early', '--search', 'halving'], /halving already stops points early/],
    [
      'stopping early with two objectives',
      ['--stop-early', '--objective', 'edge.dollars', '--objective', 'fills'],
      /--stop-early compares points by one objective/,
    ],
    [
      'stopping early by a figure that is no sum',
      ['--stop-early', '--objective', 'inventory.worst'],
      /--stop-early compares points game by game, and inventory\.worst is no sum over games/,
    ],
    [
      'stopping early with few games',
      ['--stop-early', '--holdout', '0.5', '--gap', '0'],
      /--stop-early compares points after a quarter of the games, at least eight, and only 9 games can choose/,
    ],
    ['a sweep to repeat that is not there', ['--like', '/nowhere'], /--like \/nowhere: this is no result of a sweep/],
  ])('refuses %s before anything is played', async (_name, flags, problem) => {
    const ended = await sweep(...edges, ...flags);
    expect(ended.stderr).toMatch(problem);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(existsSync(ended.out)).toBe(false);
  });
});
