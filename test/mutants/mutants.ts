// `npm run mutants [-- --in src/run --seed 1 --count 50 --only 3,17]` checks that the tests notice small
// errors. It draws lines of the folders in SUITES, or of those that `--in` names, makes one small mutation in
// each, and runs the tests that should catch it, in a copy of the project, one mutant after the other. A
// mutant is caught when a test fails or hangs. Surviving mutants are listed: each needs a test, or a reason
// in survivors.ts why no test can show it. The exit code is 1 when a mutant has neither. `--only` selects
// mutants by their numbers in an earlier run with the same `--in`, `--seed` and `--count`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createRandom } from '../../src/domain/index.ts';
import type { Mutation } from './mutations.ts';
import { mutationsOf } from './mutations.ts';
import { SURVIVORS } from './survivors.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
type Suite = readonly string[];
const CORE: readonly Suite[] = [
  ['--project', 'rooms', 'test/account', 'test/orders', 'test/risk', 'test/engine'],
  ['--project', 'processes', 'test/fault/faults.seeded', 'test/fault/any-faults.seeded'],
];
/**
 * The suites that should catch the mutants of a folder, quick suites first. Later suites run on mutants that
 * survived.
 */
const SUITES: Readonly<Record<string, readonly Suite[]>> = {
  'src/account': CORE,
  'src/orders': CORE,
  'src/run': [
    ['--project', 'processes', 'test/run', 'test/backtest/fill-', 'test/sweep/search'],
    ['--project', 'processes', 'test/cli/why', 'test/cli/events', 'test/upgrade', 'test/backtest/journal'],
    ['--project', 'processes', 'test/report', 'test/ledger', 'test/page/wire'],
  ],
};
/** A run hangs when it takes this many times as long as a run without a mutant. */
const HANGS_AFTER = 5;
const NOT_COPIED = ['node_modules', '.git', 'data', 'coverage', 'dist'];

type Mutant = Mutation & { readonly file: string; readonly text: string; readonly code: string };

/** The mutants of a seed, at most one for each line. The rank of a line depends on that line only. */
function draw(folders: readonly string[], seed: number, count: number): Mutant[] {
  const files = folders.map((folder) => `${folder}/*.ts`);
  const lines = globSync(files, { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const codeOf = ({ line }: Mutation): string => text.split('\n')[line - 1]?.trim() ?? '';
    const seen = new Map<string, number>();
    return [...Map.groupBy(mutationsOf(text), ({ line }) => line).values()].flatMap((mutations) => {
      const code = mutations[0] === undefined ? '' : codeOf(mutations[0]);
      const times = seen.get(code) ?? 0;
      seen.set(code, times + 1);
      const random = createRandom(seed, `${file} ${code} ${times}`);
      const rank = random.next();
      const mutation = mutations[Math.floor(random.next() * mutations.length)];
      return mutation === undefined ? [] : { ...mutation, rank, file, text, code };
    });
  });
  return lines.sort((a, b) => a.rank - b.rank).slice(0, count);
}

/** The first test of a suite that fails, undefined when all pass. */
async function failingTest(project: string, suite: Suite, mostMs: number): Promise<string | undefined> {
  const report = join(project, 'report.json');
  rmSync(report, { force: true });
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const args = ['run', '--bail', '1', '--reporter', 'json', '--outputFile', report, ...suite];
  // its own process group, so that its workers end with it
  const child = spawn(process.execPath, [vitest, ...args], { cwd: project, detached: true, stdio: 'ignore' });
  const kill = (): unknown => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit');
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    kill();
  }, mostMs);
  const [code] = (await exited) as [number | null];
  clearTimeout(timer);
  process.off('exit', kill);
  if (hangs) return 'a test that hangs';
  return code === 0 ? undefined : failureIn(report);
}

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
};

function failureIn(path: string): string {
  if (!existsSync(path)) return 'a run that breaks off';
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const file = testResults.find(({ status }) => status === 'failed');
  const test = file?.assertionResults.find(({ status }) => status === 'failed');
  return `${basename(file?.name ?? 'an error outside of tests')}${test === undefined ? '' : `: ${test.fullName}`}`;
}

const { values } = parseArgs({
  options: {
    in: { type: 'string', multiple: true, default: Object.keys(SUITES) },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
  },
});
const folders = values.in.map((folder) => folder.replace(/\/$/, ''));
const suitesOf = (folder: string): readonly Suite[] => {
  const suites = SUITES[folder];
  if (suites === undefined) throw new Error(`--in: ${folder} is none of ${Object.keys(SUITES).join(', ')}`);
  return suites;
};
const suites = new Set(folders.flatMap(suitesOf));
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const project = mkdtempSync(join(tmpdir(), 'oddsmaker-mutants-'));
process.once('exit', () => rmSync(project, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));
cpSync(ROOT, project, {
  recursive: true,
  filter: (from) => !NOT_COPIED.includes(relative(ROOT, from)),
});
symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));

const limits = new Map<Suite, number>();
for (const suite of suites) {
  const before = performance.now();
  const failing = await failingTest(project, suite, 600_000);
  if (failing !== undefined) throw new Error(`the tests fail without any mutant: ${failing}`);
  limits.set(suite, HANGS_AFTER * (performance.now() - before));
}

const chosen = values.only === '' ? undefined : values.only.split(',').map(Number);
const sum = { caught: 0, explained: 0, survived: 0 };
for (const [index, mutant] of draw(folders, Number(values.seed), Number(values.count)).entries()) {
  if (chosen?.includes(index + 1) === false) continue;
  const { file, line, text, code, from, to, by, says } = mutant;
  writeFileSync(join(project, file), text.slice(0, from) + by + text.slice(to));
  let caughtBy: string | undefined;
  for (const suite of suitesOf(dirname(file))) caughtBy ??= await failingTest(project, suite, limits.get(suite) ?? 0);
  writeFileSync(join(project, file), text);
  const survivor = SURVIVORS.find((known) => known.file === file && known.code === code && known.says === says);
  if (caughtBy !== undefined) sum.caught += 1;
  else if (survivor !== undefined) sum.explained += 1;
  else sum.survived += 1;
  const end =
    caughtBy !== undefined
      ? `caught by ${caughtBy}`
      : survivor === undefined
        ? 'SURVIVED'
        : `survives: ${survivor.why}`;
  print(`${index + 1} ${file}:${line} ${says}\n    ${code}\n    ${end}`);
}
print(`${sum.caught} caught, ${sum.explained} survived for a reason, ${sum.survived} SURVIVED`);
process.exitCode = sum.survived > 0 ? 1 : 0;
