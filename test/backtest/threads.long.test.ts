// Scenarios in threads or one after the other: the same bytes and the same exit codes.
import { SCENARIOS } from '../../src/report/index.ts';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheFolder } from '../../src/files/cache-folder.ts';
import { command, folder, NO_JOURNAL, run, start, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { MadeTape } from './made-tape.ts';

/** A strategy that quotes only in the first three views that its file, or the file it imports, ever saw. */
const KEEPS_COUNT = `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
import { more } from './count.ts';
let seen = 0;
export default defineStrategy({
  name: 'keeps-count',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map(({ market }) => ({
        market: market.id,
        quotes: (seen += 1) + more() <= 6 ? [{ side: market.sides[0], risk: 10_00, odds: 150 }] : [],
      })),
    ),
});
`;

/**
 * A strategy that prices by what a promise of an earlier view left. With SLOW it delays every seventh view.
 */
const PROMISES = `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
export default defineStrategy({
  name: 'promises',
  params: z.object({}),
  create: () => {
    let seen = 0;
    let odds = 150;
    return (views$) =>
      views$.pipe(
        map(({ market }) => {
          seen += 1;
          const next = 150 + (seen % 40);
          void Promise.resolve().then(() => undefined).then(() => { odds = next; });
          if (process.env.SLOW !== undefined && seen % 7 === 0)
            for (const until = performance.now() + 3; performance.now() < until;);
          return { market: market.id, quotes: [{ side: market.sides[0], risk: 10_00, odds }] };
        }),
      );
  },
});
`;

const COUNTS = 'let count = 0;\nexport const more = (): number => (count += 1);\n';

const WRITTEN = ['result.json', 'fills.csv', 'markets.csv', 'pnl.csv'];
const sha256In = (out: string, name: string): string =>
  createHash('sha256')
    .update(readFileSync(join(out, name)))
    .digest('hex');
const configOf = (strategies: string): string => writeConfig(`exchange: { embedded: {} }\n${strategies}${NO_JOURNAL}`);

function generated(seconds = 30): string {
  const file = join(folder(), 'generated.ndjson.gz');
  writeGeneratedTape(file, seconds);
  return file;
}

async function backtest(config: string, tape: string, ...flags: readonly string[]) {
  const out = folder();
  const ended = await command(['backtest', config, '--tape', tape, '--out', out, ...flags]);
  return { ...ended, out };
}

it('a promise that a strategy leaves resolves at the same place of the tape, however fast the machine is', async () => {
  const strategies = folder();
  writeFileSync(join(strategies, 'promises.ts'), PROMISES);
  const config = configOf(`strategies: [{ use: ${join(strategies, 'promises.ts')}, id: mine, impure: true }]\n`);
  const tape = generated(60);
  const hashes = [];
  // from the lines of the tape, then from its compact form
  for (const env of [{}, { SLOW: '1' }, {}]) {
    const out = folder();
    const flags = ['--tape', tape, '--out', out, '--fills', 'pessimistic'];
    const { code, stderr } = await run(['backtest', config, ...flags], env);
    expect([code, stderr]).toEqual([0, '']);
    hashes.push(WRITTEN.map((name) => [name, sha256In(out, name)]));
  }
  expect(hashes[2]).toEqual(hashes[0]);
  expect(hashes[1]).toEqual(hashes[0]);
});

describe('--threads', () => {
  it('changes no byte of what a backtest writes, journals included', async () => {
    const tape = generated();
    const journals = SCENARIOS.map((name) => `${name}.ndjson`);
    const config = configOf(STRATEGIES);
    const hashes = [];
    for (const threads of ['1', '2', '3']) {
      const finished = await backtest(config, tape, '--fills', 'all', '--threads', threads, '--journal');
      expect([finished.code, finished.stderr]).toEqual([0, '']);
      hashes.push([...WRITTEN, ...journals].map((name) => [name, sha256In(finished.out, name)]));
      const timing = JSON.parse(readFileSync(join(finished.out, 'timing.json'), 'utf8')) as { threads: number };
      expect(timing.threads).toBe(Number(threads));
    }
    expect(hashes[1]).toEqual(hashes[0]);
    expect(hashes[2]).toEqual(hashes[0]);
    // decoded once, and no temporary file is left
    const name = `generated.ndjson.gz.${sha256In(dirname(tape), 'generated.ndjson.gz').slice(0, 16)}`;
    expect(readdirSync(cacheFolder()).filter((file) => file.startsWith(name))).toEqual([`${name}.compact`]);
    expect(readdirSync(dirname(tape))).toEqual(['generated.ndjson.gz']);
  });

  it('passes nothing that a strategy file keeps on to the next scenario', async () => {
    const strategies = folder();
    writeFileSync(join(strategies, 'keeps-count.ts'), KEEPS_COUNT);
    writeFileSync(join(strategies, 'count.ts'), COUNTS);
    const config = configOf(`strategies: [{ use: ${join(strategies, 'keeps-count.ts')}, id: mine }]\n`);
    const tape = generated();
    const scenarios = [];
    for (const flags of [
      ['--fills', 'all', '--threads', '1'],
      ['--fills', 'all', '--threads', '3'],
      ['--fills', 'optimistic'],
    ]) {
      const finished = await backtest(config, tape, ...flags);
      expect([finished.code, finished.stderr]).toEqual([0, '']);
      const result = JSON.parse(readFileSync(join(finished.out, 'result.json'), 'utf8')) as {
        readonly scenarios: Readonly<Record<string, { readonly orders: { readonly placed: number } }>>;
      };
      scenarios.push(result.scenarios);
    }
    const [inTurn, atOnce, alone] = scenarios;
    expect(inTurn).toEqual(atOnce);
    expect(alone?.['optimistic']).toEqual(inTurn?.['optimistic']);
    expect(inTurn?.['optimistic']?.orders.placed).toBeGreaterThan(0);
  });

  it('lets the strategies of one scenario share what a file keeps, as a live run does', async () => {
    const strategies = folder();
    const quoting = KEEPS_COUNT.replace('let seen = 0;', 'const isFirst = more() === 1;').replace(
      '(seen += 1) + more() <= 6',
      'isFirst',
    );
    for (const name of ['one.ts', 'two.ts']) writeFileSync(join(strategies, name), quoting);
    writeFileSync(join(strategies, 'count.ts'), COUNTS);
    const config = configOf(
      `strategies: [{ use: ${join(strategies, 'one.ts')}, id: one }, { use: ${join(strategies, 'two.ts')}, id: two }]\n`,
    );
    for (const threads of ['1', '2']) {
      const finished = await backtest(config, generated(), '--threads', threads, '--journal');
      expect([finished.code, finished.stderr]).toEqual([0, '']);
      const journal = readFileSync(join(finished.out, 'pessimistic.ndjson'), 'utf8');
      expect([journal.includes('"ref":"a.one.'), journal.includes('"ref":"a.two.')]).toEqual([true, false]);
      const replay = await command(['replay', '--verify', join(finished.out, 'pessimistic.ndjson')]);
      expect(replay.code, replay.stdout).toBe(0);
    }
  });

  it('reports what is wrong with a tape, by file and line, as a single thread does', async () => {
    const tape = new MadeTape({})
      .game(0)
      .side(1, 'home', [{ id: 'h', odds: 110, risk: 100 }])
      .write();
    writeFileSync(tape, `${readFileSync(tape, 'utf8')}{"ts":"nonsense"}\n`);
    const [single, three] = [
      await backtest(configOf(STRATEGIES), tape, '--threads', '1'),
      await backtest(configOf(STRATEGIES), tape, '--threads', '3'),
    ];
    expect(three.code).toBe(65);
    expect(three.stderr).toMatch(/made.*:4: /);
    expect([three.code, three.stderr, three.stdout]).toEqual([single.code, single.stderr, single.stdout]);
  });

  it('reports the strategies that failed, for every scenario', async () => {
    const file = join(folder(), 'broken.ts');
    writeFileSync(file, KEEPS_COUNT.replace("import { more } from './count.ts';\n", '').replace('more()', 'nothing()'));
    const finished = await backtest(
      configOf(`strategies: [{ use: ${file}, id: mine }]\n`),
      generated(),
      '--fills',
      'all',
      '--threads',
      '3',
    );
    expect(finished.code).toBe(78);
    for (const name of SCENARIOS)
      expect(finished.stderr).toMatch(new RegExp(`${name}: STRATEGY_THREW: .*nothing is not defined \\(broken\\.ts:`));
  });

  it.each(['1', '3'])(
    '%s: a rejected promise of a strategy ends the backtest with exit code 78 and its line',
    async (threads) => {
      const file = join(folder(), 'loose.ts');
      const promise = "if ((seen += 1) === 5) void Promise.reject(new Error('mischief'));\nreturn {";
      writeFileSync(
        file,
        KEEPS_COUNT.replace("import { more } from './count.ts';\n", '')
          .replace('({ market }) => ({', `({ market }) => { ${promise}`)
          .replace(/quotes: .*/, 'quotes: [],')
          .replace('      })),', '      }; }),'),
      );
      const config = configOf(`strategies: [{ use: ${file}, id: mine }]\n`);
      const out = folder();
      const finished = await run(['backtest', config, '--tape', generated(), '--out', out, '--threads', threads]);
      expect([finished.code, finished.stdout]).toEqual([78, '']);
      expect(finished.stderr).toMatch(/strategy mine .* threw outside a dispatch.*mischief \(.*loose\.ts:\d+\)/);
      expect(readdirSync(out)).not.toContain('result.json');
    },
  );

  it.each(['1', '3'])('%s: Ctrl-C ends a backtest whose strategy never returns', async (threads) => {
    const file = join(folder(), 'endless.ts');
    writeFileSync(
      file,
      KEEPS_COUNT.replace("import { more } from './count.ts';\n", 'const more = (): number => 0;\n')
        .replace('let seen', 'const spin = (): void => {\n  for (;;) seen += 1;\n};\nlet seen')
        .replace('({ market }) => ({', '({ market }) => { spin(); return {')
        .replace('      })),', '      }; }),'),
    );
    const config = configOf(`strategies: [{ use: ${file}, id: mine }]\n`);
    const out = folder();
    const { child, ended, prints } = start([
      ...['backtest', config, '--tape', generated(), '--out', out, '--threads', threads, '--journal'],
    ]);
    // with more threads the main thread is free to handle the signal
    if (threads === '1')
      expect(await prints('stderr', /\?/)).toMatch(/endless\.ts:6 \(spin\) has been running for 5 s/);
    else await expect.poll(() => existsSync(join(out, 'pessimistic.ndjson')), { timeout: 50_000 }).toBe(true);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect([code ?? child.signalCode, stdout]).toEqual([threads === '1' ? 'SIGINT' : 130, '']);
  });

  it.each(['0', 'many', '65'])('%s is a wrong command line', async (threads) => {
    const finished = await backtest(configOf(STRATEGIES), generated(), '--threads', threads);
    expect([finished.code, finished.stdout]).toEqual([2, '']);
  });
});
