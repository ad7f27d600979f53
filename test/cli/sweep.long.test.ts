// Tests `oddsmaker sweep` in threads, on generated game days.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, ROOT, start, TWO_SIDED, writeConfig } from '../support/children.ts';
import { writeGameDays } from '../support/game-days.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { BOT, bytesOf, rowsOf, sweepJson } from '../sweep/fixtures.ts';

let tapes = '';
let config = '';
beforeAll(() => {
  const made = folder();
  tapes = writeGameDays(made, 3, 3, 24);
  config = writeConfig(BOT, made);
});

const args = (out: string, ...flags: readonly string[]): readonly string[] => [
  ...['sweep', config, '--tape', tapes, '--out', out],
  ...flags,
];
const sweep = async (...flags: readonly string[]) => {
  const out = join(folder(), 'out');
  return { out, ...(await command(args(out, ...flags))) };
};
const EDGES = ['--param', 'main.edge=0.01:0.03:0.01', '--param', 'main.skew=0.1,0.4'];

describe('oddsmaker sweep', () => {
  it('writes the same bytes with one thread and with three, and each point equals a backtest of its settings', async () => {
    const single = await sweep(...EDGES, '--threads', '1', '--holdout', '0.3', '--gap', '0');
    expect(single.code, single.stderr).toBe(0);
    const three = await sweep(...EDGES, '--threads', '3', '--holdout', '0.3', '--gap', '0');
    expect(bytesOf(three.out)).toEqual(bytesOf(single.out));
    expect(readdirSync(single.out).sort()).toEqual([
      ...['best-1.html', 'best-2.html', 'best-3.html'],
      ...['heatmap.svg', 'points.csv', 'points.ndjson', 'sweep.json', 'timing.json'],
    ]);
    expect(three.stdout.replace(three.out, single.out)).toBe(single.stdout);
    // the days that judge choose nothing, in pictures and columns either
    expect(readFileSync(join(single.out, 'heatmap.svg'), 'utf8')).toContain(' on the days that choose, mean of');
    expect(single.stdout).toContain('fills, pnl, clv, 300 s and places cover only the days that choose');
    const { statistics, present, best } = JSON.parse(readFileSync(join(single.out, 'sweep.json'), 'utf8')) as {
      readonly statistics: { readonly atEndOf: readonly string[] };
      readonly present: { readonly objective: number };
      readonly best: readonly [{ readonly objective: number }];
    };
    expect(single.stdout.includes('the best point has the lowest or highest value tried of')).toBe(
      statistics.atEndOf.length > 0,
    );
    expect(single.stdout.includes('the present setting does as well')).toBe(present.objective >= best[0].objective);
    expect(single.stdout).toMatch(/^best of 6: main\.edge=\S+ main\.skew=\S+ · better than chance\? too few days: 2 /m);
    const rows = rowsOf(single.out);
    expect(rows[0]).toMatch(/^point,main\.edge,main\.skew,games,objective,holdout,fills,risk_filled,marked,/);
    expect(rows.slice(1).map((row) => row.split(',').slice(0, 4).join(' '))).toEqual([
      ...['1 0.01 0.1 all', '2 0.01 0.4 all', '3 0.02 0.1 all', '4 0.02 0.4 all', '5 0.03 0.1 all', '6 0.03 0.4 all'],
    ]);
    const out = folder();
    const flags = ['--vary', 'main.edge=0.02', '--vary', 'main.skew=0.4', '--fills', 'calibrated'];
    const alone = await command(['backtest', config, '--tape', tapes, '--out', out, ...flags]);
    expect(alone.code, alone.stderr).toBe(0);
    const { scenarios } = JSON.parse(readFileSync(join(out, '1/result.json'), 'utf8')) as {
      readonly scenarios: {
        readonly calibrated: {
          readonly fills: number;
          readonly riskFilled: number;
          readonly pnl: { readonly marked: number };
          readonly permits: { readonly place: number; readonly cancel: number };
        };
      };
    };
    const { fills, riskFilled, pnl, permits } = scenarios.calibrated;
    expect(fills).toBeGreaterThan(0);
    const cells = rows[4]?.split(',') ?? [];
    expect(cells.slice(6, 9).map(Number)).toEqual([fills, riskFilled, pnl.marked]);
    expect(cells.slice(14, 16).map(Number)).toEqual([permits.place, permits.cancel]);
    // the games of a point add up to its totals
    const lines = readFileSync(join(single.out, 'points.ndjson'), 'utf8').trim().split('\n');
    const { games } = (
      JSON.parse(lines[4] ?? '') as {
        readonly outcome: { readonly games: readonly { readonly fills: number; readonly permits: number }[] };
      }
    ).outcome;
    expect(games).toHaveLength(9);
    expect(games.reduce((sum, game) => sum + game.fills, 0)).toBe(fills);
    expect(games.reduce((sum, game) => sum + game.permits, 0)).toBeCloseTo(permits.place, 3);
  });

  it('names results that settle nothing, and exits with 1 under --strict', async () => {
    const results = join(folder(), 'scores.json');
    writeFileSync(results, JSON.stringify({ d00g0: { home: 4, away: 4 }, d99g9: { home: 1, away: 0 } }));
    const flags = ['--param', 'main.edge=0.01,0.02', '--results', results];
    const named = await sweep(...flags);
    expect(named.code, named.stderr).toBe(0);
    expect(named.stderr).toContain(`${results}: 4-4 of game d00g0 cannot be the final score: a game of NBA`);
    expect(named.stderr).toMatch(/do not have the game d99g9/);
    const strict = await sweep(...flags, '--strict');
    expect(strict.code).toBe(1);
    expect(readdirSync(strict.out)).toContain('sweep.json');
  });

  it('computes a figure that is no sum over games from runs over the choosing games and over the judging games', async () => {
    const played = async (objective: string, ...flags: readonly string[]) => {
      const edges = ['--param', 'main.edge=0.01,0.02', '--gap', '0', '--objective', objective];
      const done = await sweep(...edges, ...flags);
      expect(done.code, done.stderr).toBe(0);
      return done;
    };
    const reportOf = async (days: readonly number[], edge: string) => {
      const out = folder();
      const games = days.flatMap((day) => [0, 1, 2].map((game) => join(tapes, `d0${day}g${game}.ndjson.gz`)));
      const flags = ['--fills', 'calibrated', '--report', 'json', '--vary', `main.edge=${edge}`];
      const ended = await command(['backtest', config, '--tape', ...games, '--out', out, ...flags]);
      expect(ended.code, ended.stderr).toBe(0);
      return JSON.parse(readFileSync(join(out, '1/report.json'), 'utf8')) as {
        readonly scenarios: {
          readonly calibrated: {
            readonly figures: {
              readonly quoting: { readonly atBest: number };
              readonly inventory: { readonly worst: number };
            };
          };
        };
      };
    };
    const held = await played('quoting.atBest', '--holdout', '0.3');
    const { best, judgedOn } = sweepJson(held.out);
    const edgeOf = (point: number): string => ['0.01', '0.02'][point - 1] ?? '';
    const chosen = best[0]?.point ?? 0;
    const atBest = async (days: readonly number[]): Promise<number> =>
      (await reportOf(days, edgeOf(chosen))).scenarios.calibrated.figures.quoting.atBest;
    expect(best[0]?.objective).toBe(await atBest([0, 1]));
    expect(judgedOn).toMatchObject({ kind: 'holdout', days: 1, games: 3, objective: await atBest([2]) });
    expect(held.stdout).toMatch(/ · hold-out \S+, edge [+-]\$\S+ \(too few games: 3\)$/m);
    // six games of the two days that choose, and three of the day that judges
    const lines = readFileSync(join(held.out, 'points.ndjson'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { games: number | null }).games)).toEqual([6, 6, 6, 3, 3]);

    const forward = await played('inventory.worst', '--walk-forward', '1');
    const worst = async (day: number, chose: readonly number[]): Promise<number> => {
      const figures = await Promise.all(
        ['0.01', '0.02'].map(async (edge) => [
          (await reportOf(chose, edge)).scenarios.calibrated.figures.inventory.worst,
          (await reportOf([day], edge)).scenarios.calibrated.figures.inventory.worst,
        ]),
      );
      return figures.sort(([a = 0], [b = 0]) => b - a)[0]?.[1] ?? 0;
    };
    const mean = ((await worst(1, [0])) + (await worst(2, [0, 1]))) / 2;
    expect(sweepJson(forward.out).judgedOn).toMatchObject({ kind: 'walk-forward', days: 2, games: 6 });
    expect(sweepJson(forward.out).judgedOn?.objective).toBeCloseTo(mean, 6);
    const resumed = await command(
      args(
        forward.out,
        ...['--param', 'main.edge=0.01,0.02', '--gap', '0', '--objective', 'inventory.worst'],
        ...['--walk-forward', '1', '--resume'],
      ),
    );
    expect([resumed.code, resumed.stdout]).toEqual([0, forward.stdout]);
  });

  it('plays all points on a ninth of the games and the best on all games when it halves', async () => {
    const flags = ['--search', 'halving', '--points', '9', '--param', 'main.edge=0.002:0.04'];
    const { out, code, stderr } = await sweep(...flags);
    expect(code, stderr).toBe(0);
    expect(sweepJson(out).search).toMatchObject({
      started: 9,
      judged: 1,
      failed: 0,
      rounds: [
        { games: 1, points: 9 },
        { games: 3, points: 3 },
        { games: null, points: 1 },
      ],
    });
    expect(sweepJson(out).verdict.text).toMatch(/^best of 9: /);
    expect(
      rowsOf(out)
        .map((row) => row.split(',')[2])
        .slice(1)
        .sort(),
    ).toEqual(['1', '1', '1', '1', '1', '1', '3', '3', 'all']);
  });

  it('resumes after kill -9, and ends with the bytes of an uninterrupted sweep', async () => {
    const whole = await sweep(...EDGES);
    const out = join(folder(), 'killed');
    const killed = start(args(out, ...EDGES, '--threads', '1'));
    const log = join(out, '.points.running.ndjson');
    while (linesOf(log) < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(sweepJson(out).state).toBe('running');
    const refused = await command(args(out, ...EDGES));
    expect([refused.code, refused.stderr]).toEqual([
      78,
      `oddsmaker: --out ${out}: it already holds a sweep: continue it with --resume, or name another folder\n`,
    ]);
    const resumed = await command(args(out, ...EDGES, '--resume'));
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toMatch(/^oddsmaker: [2-6] of 7 points are already known\n$/);
    expect(bytesOf(out)).toEqual(bytesOf(whole.out));
  });

  it('refuses to resume with other inputs, and names what changed', async () => {
    const made = folder();
    const own = writeConfig(BOT, made);
    const ownTapes = join(made, 'tapes');
    mkdirSync(ownTapes);
    const tape = join(tapes, 'd00g0.ndjson.gz');
    writeFileSync(join(ownTapes, 'a.ndjson.gz'), readFileSync(tape));
    const out = join(made, 'out');
    const again = async (...flags: readonly string[]) =>
      command(['sweep', own, '--tape', ownTapes, '--out', out, '--param', 'main.edge=0.01,0.02', ...flags]);
    expect((await again()).code).toBe(0);
    expect((await again('--resume')).code).toBe(0);
    const seeded = await again('--resume', '--seed', '7');
    expect([seeded.code, seeded.stderr]).toEqual([
      2,
      `oddsmaker: --resume ${out}: the sweep began with other inputs, and its points cannot be compared with new ones: seed was 1, and is 7\n`,
    ]);
    writeFileSync(own, BOT.replace('stopBefore: 0s', 'stopBefore: 1s'));
    expect((await again('--resume')).stderr).toMatch(/: config was changed\n$/);
    writeFileSync(own, BOT);
    writeFileSync(join(ownTapes, 'a.ndjson.gz'), readFileSync(join(tapes, 'd00g1.ndjson.gz')));
    expect((await again('--resume')).stderr).toMatch(/: tapes: a\.ndjson\.gz was changed, added or removed\n$/);
  });

  it('ends a point that loops for ever, names it and other points that fail, and finishes the rest', async () => {
    const made = folder();
    writeFileSync(join(made, 'moody.ts'), MOODY);
    const own = writeConfig(
      `exchange: { embedded: {} }\nmarkets: { leagues: [NBA], stopBefore: 0s }\nstrategies: [{ use: ./moody.ts, id: main, params: { mood: calm } }]\n${NO_JOURNAL}`,
      made,
    );
    const out = join(made, 'out');
    const tape = join(tapes, 'd00g0.ndjson.gz');
    const flags = ['--param', 'main.mood=calm,loops,throws,loose,other', '--budget', '8s', '--threads', '2'];
    const { code, stdout, stderr } = await command(['sweep', own, '--tape', tape, '--out', out, ...flags]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('point 2 (main.mood=loops): POINT_OVERRAN: it ran longer than 8 s, and was ended\n');
    expect(stdout).toMatch(/^point 3 \(main\.mood=throws\): STRATEGY_THREW: .*a bad mood \(moody\.ts:12\)$/m);
    expect(stdout).toContain('point 4 (main.mood=loose): STRATEGY_INVALID: its thread ended: not caught\n');
    expect(stdout).toMatch(/^point 5 \(main\.mood=other\): STRATEGY_PARAMS: bot\.yaml: strategies\.0\.params\.mood: /m);
    expect(sweepJson(out).search).toMatchObject({ started: 5, judged: 1, failed: 4 });
  });

  it('delays signals by --signal-latency as a backtest does, and is another sweep with another latency', async () => {
    const made = folder();
    const tape = join(made, 'market.ndjson.gz');
    writeGeneratedTape(tape, 60);
    const signalTape = join(made, 'signals.ndjson');
    const tapeTime = (seconds: number): number => Date.parse('2030-03-01T18:00:00Z') + seconds * 1000;
    const values = { 'fair:tape-game/moneyline': 0.5 };
    const signal = { ts: tapeTime(20), ns: 'signals', event: 'signal', data: { values, ttl: '10s' } };
    writeFileSync(signalTape, `${JSON.stringify(signal)}\n`);
    const own = writeConfig(
      `exchange: { embedded: {} }\nmarkets: { types: [moneyline] }\nstrategies: [{ use: ${join(ROOT, 'strategies/own-price.ts')}, id: own, params: { edge: 0.02, risk: 50 } }]\n${NO_JOURNAL}`,
      made,
    );
    const inputs = [own, '--tape', tape, '--tape', signalTape, '--latency', '80ms'];
    const played = async (name: string, ...flags: readonly string[]) => {
      const out = join(made, name);
      // the tape ends before the game starts, so the closing price of its fills is unknown
      const known = ['--objective', 'permits.spreadPerPlace'];
      const words = ['sweep', ...inputs, '--out', out, '--param', 'own.edge=0.02', ...known, ...flags];
      const ended = await command(words);
      expect(ended.code, ended.stderr).toBe(0);
      const line = readFileSync(join(out, 'points.ndjson'), 'utf8').split('\n')[1] ?? '';
      const point = JSON.parse(line) as PointLine;
      return {
        out,
        key: point.key,
        shown: sweepJson(out).settings,
        quoted: point.outcome.figures['quotedShare'],
      };
    };
    const usual = await played('usual');
    const same = await played('same', '--signal-latency', '80ms');
    const late = await played('late', '--signal-latency', '5s');
    expect([usual.shown, late.shown]).toMatchObject([
      { latency: '80ms', signalLatency: '80ms' },
      { latency: '80ms', signalLatency: '5s' },
    ]);
    // the key depends on the latency itself: given or by default, it is the same
    expect(same).toEqual({ ...usual, out: same.out });
    expect(late.key).not.toBe(usual.key);
    const backtested = async (...flags: readonly string[]): Promise<number> => {
      const out = folder();
      const fills = ['--fills', 'calibrated', ...flags];
      const ended = await command(['backtest', ...inputs, '--out', out, ...fills]);
      expect(ended.code, ended.stderr).toBe(0);
      const { scenarios } = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as {
        readonly scenarios: { readonly calibrated: { readonly quotedShare: number } };
      };
      return scenarios.calibrated.quotedShare;
    };
    expect(usual.quoted).toBe(await backtested());
    expect(late.quoted).toBe(await backtested('--signal-latency', '5s'));
    expect(late.quoted).toBeLessThan(Number(usual.quoted));
    expect(readFileSync(join(late.out, 'best-1.html'), 'utf8')).toContain('latency of signals');
    const other = ['--objective', 'permits.spreadPerPlace', '--resume', '--signal-latency', '1s'];
    const resumed = await command(['sweep', ...inputs, '--out', usual.out, '--param', 'own.edge=0.02', ...other]);
    expect(resumed.stderr).toMatch(/: signalLatency was "80ms", and is "1s"\n$/);
    expect(resumed.code).toBe(2);
  });

  it('takes ranges from the schema of the strategy when none is given', async () => {
    const made = folder();
    writeFileSync(join(made, 'moody.ts'), MOODY);
    const own = writeConfig(
      `exchange: { embedded: {} }\nmarkets: { leagues: [NBA] }\nstrategies: [{ use: ./moody.ts, id: main, params: { mood: calm } }]\n${NO_JOURNAL}`,
      made,
    );
    const out = join(made, 'out');
    const { code, stderr } = await command(['sweep', own, '--tape', join(tapes, 'd00g0.ndjson.gz'), '--out', out]);
    expect(code, stderr).toBe(0);
    expect(rowsOf(out).map((row) => row.split(',')[1])).toEqual(['main.deep.level', '1', '2', '3']);
    // the schema of this strategy has no range
    const silent = BOT.replace(TWO_SIDED, join(ROOT, 'strategies/own-price.ts'));
    const none = await command(['sweep', writeConfig(silent), '--tape', tapes, '--out', join(made, 'none')]);
    expect(none.stderr).toMatch(
      /^oddsmaker: there are no parameters to sweep: give --param, such as --param main\.\w+=FROM:TO, /,
    );
    expect(none.code).toBe(2);
  });
});

const MOODY = `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
const mood = z.enum(['calm', 'loops', 'throws', 'loose']);
const deep = z.object({ level: z.int().meta({ sweep: [1, 3] }) }).default({ level: 1 });
export default defineStrategy({
  name: 'moody',
  params: z.object({ mood, deep }),
  create: ({ params }) => (views$) => views$.pipe(map((view) => {
    while (params.mood === 'loops');
    if (params.mood === 'loose') void Promise.reject(new Error('not caught'));
    if (params.mood === 'throws') throw new Error('a bad mood');
    return { market: view.market.id, quotes: [] };
  })),
});
`;

type PointLine = {
  readonly key: string;
  readonly outcome: { readonly figures: Readonly<Record<string, number | null>> };
};

function linesOf(file: string): number {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

describe('oddsmaker sweep with impossible arguments', () => {
  const refusals: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    [
      'an unknown parameter',
      ['--param', 'main.edg=1,2'],
      2,
      /main\.edg: strategy main has no such parameter; did you mean main\.edge\?; it has main\.edge, main\.risk, /,
    ],
    [
      'an unknown strategy',
      ['--param', 'mine.edge=1,2'],
      78,
      /no strategy and no section mine; its strategies are main/,
    ],
    [
      'an unknown key',
      ['--param', 'risk.maxGameLos=1,2'],
      78,
      /risk\.maxGameLos: unknown key; did you mean maxGameLoss\?/,
    ],
    [
      'no range',
      ['--param', 'main.minDepth'],
      2,
      /the schema has no range: give one, such as --param main\.minDepth=FROM:TO/,
    ],
    ['a range that falls', ['--param', 'main.edge=2:1'], 2, /main\.edge: 1 is not above 2/],
    ['a secret', ['--param', 'exchange.password=a,b'], 2, /exchange\.password is or has a secret/],
    ['a parameter within another', ['--param', 'main.edge=1,2', '--param', 'main.edge.x=1,2'], 2, /sets it as well/],
    [
      'ten million points of a grid',
      ['--param', 'main.edge=0:0.1:0.00001', '--param', 'main.skew=0:1:0.001'],
      2,
      /these are 10,011,001 points; at most 100,000: give fewer values or larger steps, or --search random --points N/,
    ],
    [
      'ten million points of a sample',
      ['--param', 'main.edge=0:0.1', '--search', 'random', '--points', '10000000'],
      2,
      /--points asks for 10,000,000 points; at most 100,000/,
    ],
    ['an unknown figure', ['--param', 'main.edge=1,2', '--objective', 'clv.dolars'], 2, /did you mean clv\.dollars\?/],
    [
      'a figure that needs more days',
      ['--param', 'main.edge=1,2', '--objective', 'sharpe', '--holdout', '0.5', '--gap', '0'],
      2,
      /--objective sharpe is not known under 30 days, and a part of the days is [12] long: record more days, /,
    ],
    [
      'a figure that needs scores, without any',
      ['--param', 'main.edge=0.01,0.02', '--objective', 'identity.pnl'],
      2,
      /--objective identity\.pnl needs games with a final score: give --results/,
    ],
    [
      'the least of earnings',
      ['--param', 'main.edge=1,2', '--objective', 'clv.dollars:least'],
      2,
      /more of clv\.dollars is better: leave out :least/,
    ],
    ['too few days', ['--param', 'main.edge=1,2', '--walk-forward', '5'], 2, /the tapes have 3 days with games/],
    [
      'a tape that is not there',
      ['--param', 'main.edge=1,2', '--tape', '/nowhere'],
      65,
      /there is no such file or folder/,
    ],
    ['a queue without a key', ['--param', 'main.edge=1,2', '--redis', 'redis://127.0.0.1:1'], 2, /give --key FILE/],
  ];
  it.each(refusals)('refuses %s before anything is played', async (_name, flags, code, text) => {
    const ended = await sweep(...flags);
    expect(ended.stderr).toMatch(text);
    expect(ended.code).toBe(code);
    expect(ended.stdout).toBe('');
    expect(() => readdirSync(ended.out)).toThrow();
  });
});
