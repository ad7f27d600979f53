// `--vary`: every combination is the backtest that the same configuration, written out, would be.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { varied } from '../../src/cli/variations.ts';
import { folder, NO_JOURNAL, run, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const PLAIN = `exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`;
const tape = (): string => {
  const file = join(folder(), 'generated.ndjson.gz');
  writeGeneratedTape(file, 30);
  return file;
};

async function backtest(config: string, tapeFile: string, ...flags: readonly string[]) {
  const out = folder();
  const ended = await run(['backtest', config, '--tape', tapeFile, '--out', out, ...flags]);
  return { ...ended, out };
}
const textOf = (out: string, ...path: readonly string[]): string => readFileSync(join(out, ...path), 'utf8');
type Result = { readonly inputs: { readonly config: unknown }; readonly scenarios: unknown };
const resultOf = (out: string, ...path: readonly string[]): Result =>
  JSON.parse(textOf(out, ...path, 'result.json')) as Result;

describe('--vary', () => {
  it('plays what each combination would be if it were written out', { timeout: 60_000 }, async () => {
    const file = tape();
    const flags = ['--vary', 'main.edge=0.005,0.03', '--vary', 'risk.maxOpenOrders=2,40'];
    const told = await backtest(writeConfig(PLAIN), file, ...flags, '--threads', '1');
    expect([told.code, told.stderr]).toEqual([0, '']);
    expect(readdirSync(told.out).sort()).toEqual(['1', '2', '3', '4', 'variations.csv', 'variations.svg']);
    const combined = [
      ['0.005', '2'],
      ['0.005', '40'],
      ['0.03', '2'],
      ['0.03', '40'],
    ] as const;
    const seen = new Set<string>();
    for (const [index, [edge, most]] of combined.entries()) {
      const written = PLAIN.replace(/edge: [\d.]+/, `edge: ${edge}`) + `risk: { maxOpenOrders: ${most} }\n`;
      const alone = await backtest(writeConfig(written), file);
      expect(alone.code, alone.stderr).toBe(0);
      expect(resultOf(told.out, String(index + 1))).toEqual(resultOf(alone.out));
      expect(textOf(told.out, String(index + 1), 'fills.csv')).toBe(textOf(alone.out, 'fills.csv'));
      seen.add(textOf(alone.out, 'fills.csv'));
    }
    expect(seen.size).toBe(4);
    // a row for each scenario of each, and the same in threads
    const csv = textOf(told.out, 'variations.csv');
    const rows = csv.trim().split('\n');
    expect(rows[0]).toMatch(/^run,main\.edge,risk\.maxOpenOrders,scenario,fills,/);
    expect(rows.slice(1).map((row) => row.split(',').slice(0, 4).join(' '))).toEqual(
      combined.flatMap(([edge, most], index) =>
        ['pessimistic', 'calibrated', 'optimistic'].map((name) => `${index + 1} ${edge} ${most} ${name}`),
      ),
    );
    for (const [edge, most] of combined)
      expect(told.stdout).toMatch(new RegExp(`^\\d +${edge} +${most} +\\d+ \\(\\d+ to \\d+\\) `, 'm'));
    const picture = textOf(told.out, 'variations.svg');
    expect(picture.match(/<circle /g)).toHaveLength(12);
    expect(picture).toContain('main.edge=0.03  risk.maxOpenOrders=40');
    const threaded = await backtest(writeConfig(PLAIN), file, ...flags, '--threads', '3');
    expect(textOf(threaded.out, 'variations.csv')).toBe(csv);
    expect(threaded.stdout.replace(threaded.out, told.out)).toBe(told.stdout);
  });

  it('compares files of strategies', async () => {
    const strategies = folder();
    const source = readFileSync(join(import.meta.dirname, '../../strategies/two-sided.ts'), 'utf8');
    writeFileSync(join(strategies, 'a.ts'), source);
    writeFileSync(join(strategies, 'b.ts'), `${source}// another one\n`);
    const uses = ['a.ts', 'b.ts'].map((name) => join(strategies, name)).join(',');
    const told = await backtest(
      writeConfig(PLAIN),
      tape(),
      '--fills',
      'pessimistic',
      '--vary',
      `strategies.0.use=${uses}`,
    );
    expect([told.code, told.stderr]).toEqual([0, '']);
    const [a, b] = ['1', '2'].map((run) => {
      const { inputs } = JSON.parse(textOf(told.out, run, 'result.json')) as {
        readonly inputs: { readonly strategies: readonly { readonly sha256: string }[] };
      };
      return inputs.strategies[0]?.sha256;
    });
    expect(a).toMatch(/^[0-9a-f]{64}$/);
    expect(b).not.toBe(a);
    expect(textOf(told.out, '1', 'fills.csv')).toBe(textOf(told.out, '2', 'fills.csv'));
  });

  it('reads values as the file would: in quotes they are text', () => {
    expect(varied(`a.b="1",1,true,'x y',null,-0.5,30s`)[0]?.values).toEqual([
      '1',
      1,
      true,
      'x y',
      null,
      -0.5,
      '30s',
    ]);
  });

  it.each([
    ['no values', ['main.edge'], 2, /expected <strategy>\.<parameter>=/],
    ['no parameter', ['edge=1,2'], 2, /expected <strategy>\.<parameter>=/],
    ['a missing value', ['main.edge=0.01,,0.02'], 2, /lacks a value/],
    ['a value twice', ['main.edge=0.01,0.010'], 2, /main\.edge has the value 0\.01 twice/],
    ['a name twice', ['main.edge=0.01', 'main.edge=0.02'], 2, /main\.edge is varied twice/],
    ['too many', [`main.edge=${Array.from({ length: 1001 }, (_none, n) => n).join(',')}`], 2, /at most 1000/],
    ['an unknown strategy', ['other.edge=0.01'], 78, /no strategy and no section other; .* are main/],
    ['an unknown parameter', ['main.edgy=0.01'], 78, /with main\.edgy=0\.01: .*edgy/],
    [
      'a value that is refused',
      ['main.edge=0.01,7'],
      78,
      /with main\.edge=7: .*:\d+:\d+: strategies\.0\.params/,
    ],
    ['a key of the file that is unknown', ['risk.nothing=1'], 78, /with risk\.nothing=1: .*unknown key/],
    ['what holds no keys', ['main.edge.low=1'], 78, /with main\.edge\.low=1: .*cannot be set/],
  ])('refuses %s before anything is played', async (_what, all, code, says) => {
    const told = await backtest(writeConfig(PLAIN), tape(), ...all.flatMap((one) => ['--vary', one]));
    expect([told.code, told.stdout]).toEqual([code, '']);
    expect(told.stderr).toMatch(says);
    expect(readdirSync(told.out)).toEqual([]);
  });

  it('sees what stands behind an alias, and does not go beside it', async () => {
    const aliased = PLAIN.replace(/params: (\{.*?\})/, 'params: &it $1').replace(
      /^( +- \{ use: )(.*?),.*$/m,
      '$&\n$1$2, id: other, params: *it }',
    );
    const told = await backtest(writeConfig(aliased), tape(), '--vary', 'other.edge=0.01');
    expect(told.code).toBe(78);
    expect(told.stderr).toMatch(/cannot be set/);
  });
});
