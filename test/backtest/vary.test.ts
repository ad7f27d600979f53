// `--vary`: each combination equals the backtest of the same configuration, written out.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { varied } from '../../src/backtest/variations.ts';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const PLAIN = `exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`;
const tape = (): string => {
  const file = join(folder(), 'generated.ndjson.gz');
  writeGeneratedTape(file, 30);
  return file;
};

async function backtest(config: string, tapeFile: string, ...flags: readonly string[]) {
  const out = folder();
  const ended = await command(['backtest', config, '--tape', tapeFile, '--out', out, ...flags]);
  return { ...ended, out };
}
const textOf = (out: string, ...path: readonly string[]): string => readFileSync(join(out, ...path), 'utf8');
type Scenario = { readonly fills: number };
type Result = {
  readonly inputs: { readonly config: unknown };
  readonly scenarios: Readonly<Record<string, Scenario>>;
};
const resultOf = (out: string, ...path: readonly string[]): Result =>
  JSON.parse(textOf(out, ...path, 'result.json')) as Result;

describe('--vary', () => {
  it('plays each combination as if it were written out', async () => {
    const file = tape();
    const flags = ['--vary', 'main.edge=0.005,0.03', '--vary', 'risk.maxOpenOrders=2,40'];
    const finished = await backtest(writeConfig(PLAIN), file, ...flags, '--threads', '1');
    expect([finished.code, finished.stderr]).toEqual([0, '']);
    expect(readdirSync(finished.out).sort()).toEqual(['1', '2', '3', '4', 'variations.csv', 'variations.svg']);
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
      expect(resultOf(finished.out, String(index + 1))).toEqual(resultOf(alone.out));
      expect(textOf(finished.out, String(index + 1), 'fills.csv')).toBe(textOf(alone.out, 'fills.csv'));
      seen.add(textOf(alone.out, 'fills.csv'));
    }
    expect(seen.size).toBe(4);
    // a row for each scenario of each combination, and the same in threads
    const csv = textOf(finished.out, 'variations.csv');
    const rows = csv.trim().split('\n');
    expect(rows[0]).toMatch(/^run,main\.edge,risk\.maxOpenOrders,scenario,fills,/);
    expect(rows.slice(1).map((row) => row.split(',').slice(0, 4).join(' '))).toEqual(
      combined.flatMap(([edge, most], index) =>
        ['pessimistic', 'calibrated'].map((name) => `${index + 1} ${edge} ${most} ${name}`),
      ),
    );
    for (const [edge, most] of combined)
      expect(finished.stdout).toMatch(new RegExp(`^\\d +${edge} +${most} +\\d+ \\(\\d+ to \\d+\\) `, 'm'));
    const picture = textOf(finished.out, 'variations.svg');
    expect(picture.match(/<circle /g)).toHaveLength(8);
    expect(picture).toContain('main.edge=0.03  risk.maxOpenOrders=40');
    const threaded = await backtest(writeConfig(PLAIN), file, ...flags, '--threads', '3');
    expect(textOf(threaded.out, 'variations.csv')).toBe(csv);
    expect(threaded.stdout.replace(threaded.out, finished.out)).toBe(finished.stdout);
  });

  it('compares strategy files', async () => {
    const strategies = folder();
    const source = readFileSync(join(import.meta.dirname, '../../strategies/two-sided.ts'), 'utf8');
    writeFileSync(join(strategies, 'a.ts'), source);
    writeFileSync(join(strategies, 'b.ts'), `${source}// another one\n`);
    const uses = ['a.ts', 'b.ts'].map((name) => join(strategies, name)).join(',');
    const finished = await backtest(
      writeConfig(PLAIN),
      tape(),
      '--fills',
      'pessimistic',
      '--vary',
      `strategies.0.use=${uses}`,
    );
    expect([finished.code, finished.stderr]).toEqual([0, '']);
    const [a, b] = ['1', '2'].map((run) => {
      const { inputs } = JSON.parse(textOf(finished.out, run, 'result.json')) as {
        readonly inputs: { readonly strategies: readonly { readonly sha256: string }[] };
      };
      return inputs.strategies[0]?.sha256;
    });
    expect(a).toMatch(/^[0-9a-f]{64}$/);
    expect(b).not.toBe(a);
    expect(textOf(finished.out, '1', 'fills.csv')).toBe(textOf(finished.out, '2', 'fills.csv'));
  });

  it('reads values as in a list of the configuration file', () => {
    const values = (text: string): unknown => varied(`a.b=${text}`)[0]?.values.map(({ value }) => value);
    expect(values(`"1",1,true,'x y',null,-.5,30s,0x1f,"a,b"`)).toEqual([
      ...['1', 1, true, 'x y', null, -0.5, '30s', 31, 'a,b'],
    ]);
    expect(values('[NBA],[NFL, NBA],{x: 1}')).toEqual([['NBA'], ['NFL', 'NBA'], { x: 1 }]);
    expect(varied('a.b="1", 1.50')[0]?.values.map(({ text }) => text)).toEqual(['"1"', '1.50']);
  });

  it('numbers folders so that they sort in order, and removes the results of an earlier sweep', async () => {
    const out = folder();
    const sweep = async (edges: readonly number[]): Promise<readonly string[]> => {
      const flags = ['--fills', 'pessimistic', '--journal', '--vary', `main.edge=${edges.join(',')}`];
      const finished = await command(['backtest', writeConfig(PLAIN), '--tape', tape(), '--out', out, ...flags]);
      expect([finished.code, finished.stderr]).toEqual([0, '']);
      return readdirSync(out).sort();
    };
    const table = ['variations.csv', 'variations.svg'];
    const ten = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10'];
    expect(await sweep(ten.map((_run, index) => 0.01 + index / 1000))).toEqual([...ten, ...table]);
    writeFileSync(join(out, '03', 'notes.txt'), 'mine');
    const others = ['0', '1001', '2024', '20240115'];
    for (const name of others) {
      mkdirSync(join(out, name));
      writeFileSync(join(out, name, 'result.json'), 'mine');
    }
    expect(await sweep([0.02, 0.03])).toEqual(['03', '1', '2', ...others, ...table].sort());
    for (const name of others) expect(readdirSync(join(out, name))).toEqual(['result.json']);
    expect(readdirSync(join(out, '03'))).toEqual(['notes.txt']);
  });

  it('leaves an earlier sweep as it is until new results exist', async () => {
    const file = tape();
    const flags = ['--fills', 'pessimistic', '--journal', '--vary', 'main.edge=0.01,0.02'];
    const { out, code } = await backtest(writeConfig(PLAIN), file, ...flags);
    expect(code).toBe(0);
    const texts = (): readonly string[] =>
      readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath}/${name} ${readFileSync(join(parentPath, name), 'utf8')}`)
        .sort();
    const before = texts();
    const late = await command([
      ...['backtest', writeConfig(PLAIN), '--tape', file, '--out', out, ...flags.slice(0, 2), ...flags.slice(3)],
      ...['--from', '9000h'],
    ]);
    expect([late.code, late.stderr]).toEqual([65, expect.stringContaining('the tapes end before --from')]);
    expect(texts()).toEqual(before);
  });

  it('names the variation that a strategy ended, and what was written', async () => {
    const own = join(folder(), 'own.ts');
    writeFileSync(
      own,
      `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
let seen = 0;
export default defineStrategy({
  name: 'own',
  params: z.object({ n: z.number() }),
  create: ({ params: { n } }) => (views$) =>
    views$.pipe(
      map(({ market }) => {
        if ((seen += 1) === 5 && n === 2) void Promise.reject(new Error('mischief'));
        if (n === 3) throw new Error('three');
        return { market: market.id, quotes: [] };
      }),
    ),
});
`,
    );
    const config = writeConfig(`exchange: { embedded: {} }\nstrategies: [{ use: ${own}, id: main }]\n`);
    const flags = ['--fills', 'pessimistic', '--threads', '1'];
    const ended = await backtest(config, tape(), ...flags, '--vary', 'main.n=1,2,4');
    expect([ended.code, ended.stdout]).toEqual([78, '']);
    expect(ended.stderr).toMatch(/with main\.n=2: strategy main .*mischief \(.*own\.ts:11\)/);
    expect(ended.stderr).toMatch(/1 of 3 variations were written to .*, each in its folder, and no table/);
    expect(readdirSync(ended.out).filter((run) => readdirSync(join(ended.out, run)).length > 0)).toEqual(['1']);
    // an error of several scenarios is reported once
    const threw = await backtest(config, tape(), '--threads', '1', '--vary', 'main.n=1,3');
    expect(threw.code).toBe(78);
    expect(threw.stderr).toMatch(/^oddsmaker: 2 pessimistic, 2 calibrated: STRATEGY_THREW: .*three/m);
    expect(threw.stdout).toMatch(/^run 2: STRATEGY_THREW: what failed quoted nothing from there on/m);
    const rows = textOf(threw.out, 'variations.csv').trim().split('\n');
    expect(rows[0]).toMatch(/,errors$/);
    expect(rows.slice(1).map((line) => Number(line.split(',').at(-1)) > 0)).toEqual([
      ...[false, false],
      ...[true, true],
    ]);
  });

  it('reports for each variation what its own backtest would report, where they differ', async () => {
    const file = tape();
    const finished = await backtest(writeConfig(PLAIN), file, '--vary', 'main.minDepth=1000000,1');
    expect(finished.code, finished.stderr).toBe(0);
    const [first, second] = ['1', '2'].map((run) => Object.values(resultOf(finished.out, run).scenarios));
    const least = (pick: (scenario: Scenario) => number): number => Math.min(...(second ?? []).map(pick));
    const most = (pick: (scenario: Scenario) => number): number => Math.max(...(second ?? []).map(pick));
    const fills = ({ fills: count }: Scenario): number => count;
    expect(first?.map(fills)).toEqual([0, 0]);
    const [, calibrated] = second ?? [];
    expect(finished.stdout).toMatch(/^1 +1000000 +0 \(0 to 0\)/m);
    expect(finished.stdout).toContain(`${calibrated?.fills ?? ''} (${least(fills)} to ${most(fills)})`);
    expect(least(fills)).toBeLessThan(most(fills));
  });

  it('reports settled results when there are scores, and names those that are missing', async () => {
    const file = tape();
    const scores = join(folder(), 'scores.json');
    const flags = ['--vary', 'main.edge=0.01,0.02', '--results', scores];
    writeFileSync(scores, '{"tape-game": {"home": 110, "away": 100}}');
    const settled = await backtest(writeConfig(PLAIN), file, ...flags);
    expect(settled.code, settled.stderr).toBe(0);
    expect(settled.stdout).toMatch(/^run .* pnl settled /);
    expect(settled.stdout).not.toContain('no score');
    expect(textOf(settled.out, 'variations.svg')).toContain('Settled result');
    writeFileSync(scores, '{}');
    const unsettled = await backtest(writeConfig(PLAIN), file, ...flags);
    expect(unsettled.stdout).toMatch(/^no result decides all fills of a game: tape-game/m);
    expect(textOf(unsettled.out, 'variations.svg')).toContain('Marked result');
  });

  it.each([
    ['a setting without values', ['main.edge'], 2, /expected <strategy>\.<parameter>=/],
    ['an unknown section', ['edge=1,2'], 78, /no strategy and no section edge/],
    ['a strategy without a parameter', ['main=1,2'], 78, /expected a parameter of the strategy, such as main\.edge/],
    ['a name with an empty part', ['main..edge=1'], 2, /expected <strategy>\.<parameter>=/],
    ['a name that is no setting', ['main.__proto__=1'], 2, /expected <strategy>\.<parameter>=/],
    ['a secret', ['exchange.password=one,two'], 2, /exchange\.password is or has a secret/],
    ['a secret of digits', ['exchange.password=1,2'], 2, /exchange\.password is or has a secret/],
    ['a secret in a mapping', ['main.of={apiKey: abc}'], 2, /main\.of is or has a secret/],
    ['a secret in a URL', ['main.of=https://me:word@host/'], 2, /main\.of is or has a secret/],
    ['a list that does not end', ['main.edge=[1'], 2, /"\[1" is not a list/],
    [
      'one setting under two names',
      ['main.edge=0.01', 'strategies.0.params.edge=0.02'],
      78,
      /--vary main\.edge: --vary strategies\.0\.params\.edge sets it as well/,
    ],
    ['a setting within another', ['main.edge=0.01', 'strategies.0.params={}'], 78, /sets it as well/],
    ['an index that is malformed', ['strategies.00.use=x'], 78, /cannot be set/],
    ['a missing value', ['main.edge=0.01,,0.02'], 2, /lacks a value/],
    ['a value twice', ['main.edge=0.01,0.010'], 2, /main\.edge has the value 0\.010 twice/],
    ['a name twice', ['main.edge=0.01', 'main.edge=0.02'], 2, /main\.edge is varied twice/],
    ['too many values', [`main.edge=${Array.from({ length: 1001 }, (_none, n) => n).join(',')}`], 2, /at most 1000/],
    ['an unknown strategy', ['other.edge=0.01'], 78, /no strategy and no section other; .* are main/],
    ['a number by the name of a secret, which no strategy has', ['main.tokens=5,10'], 78, /tokens.*unknown/],
    ['an empty text among others in quotes', ['main.edge="a,,b"'], 78, /with main\.edge="a,,b": /],
    ['an unknown parameter', ['main.edgy=0.01'], 78, /with main\.edgy=0\.01: .*edgy/],
    ['a value that is refused', ['main.edge=0.01,7'], 78, /with main\.edge=7: .*:\d+:\d+: strategies\.0\.params/],
    ['a key of the file that is unknown', ['risk.nothing=1'], 78, /with risk\.nothing=1: .*unknown key/],
    ['a key of a value that has none', ['main.edge.low=1'], 78, /with main\.edge\.low=1: .*cannot be set/],
  ])('refuses %s before anything is played', async (_case, variations, code, problem) => {
    const finished = await backtest(
      writeConfig(PLAIN),
      tape(),
      ...variations.flatMap((variation) => ['--vary', variation]),
    );
    expect([finished.code, finished.stdout]).toEqual([code, '']);
    expect(finished.stderr).toMatch(problem);
    expect(readdirSync(finished.out)).toEqual([]);
  });

  it('refuses a setting whose value is shared by a YAML alias', async () => {
    const aliased = PLAIN.replace(/params: (\{.*?\})/, 'params: &it $1').replace(
      /^( +- \{ use: )(.*?),.*$/m,
      '$&\n$1$2, id: other, params: *it }',
    );
    const finished = await backtest(writeConfig(aliased), tape(), '--vary', 'other.edge=0.01');
    expect(finished.code).toBe(78);
    expect(finished.stderr).toMatch(/cannot be set/);
    const other = await backtest(writeConfig(aliased), tape(), '--vary', 'main.edge=0.01');
    expect(other.code).toBe(78);
    expect(other.stderr).toMatch(/with main\.edge=0\.01: .*cannot be set alone: \*it uses the same value elsewhere/);
    const part = PLAIN.replace(/edge: ([\d.]+)/, 'edge: &it $1');
    const whole = await backtest(
      writeConfig(part.replace(/^( +- \{ use: )(.*?),.*$/m, '$&\n$1$2, id: other, params: { edge: *it, risk: 10 } }')),
      tape(),
      '--vary',
      'strategies.0.params={edge: 0.01, risk: 10}',
    );
    expect(whole.code).toBe(78);
    expect(whole.stderr).toMatch(/:\d+:\d+: strategies\.0\.params: it cannot be set alone: \*it uses a part of it/);
    // of two anchors of the same name the nearer one applies
    const twice = part
      .replace(/^( +- \{ use: )(.*?),(.*)$/m, '$&\n$1$2, id: other, params: { edge: &it 0.02, risk: 10 } }')
      .replace(/^( +- \{ use: .*id: other.*)$/m, (row) =>
        [row, row.replace('other', 'third').replace('&it 0.02', '*it')].join('\n'),
      );
    const nearer = await backtest(writeConfig(twice), tape(), '--vary', 'strategies.1.params={edge: 0.01, risk: 10}');
    expect([nearer.code, nearer.stderr]).toEqual([
      78,
      expect.stringMatching(/: strategies\.1\.params: it cannot be set alone: \*it uses a part of it/),
    ]);
    const farther = await backtest(writeConfig(twice), tape(), '--fills', 'pessimistic', '--vary', 'main.edge=0.01');
    expect([farther.code, farther.stderr]).toEqual([0, '']);
  });
});
