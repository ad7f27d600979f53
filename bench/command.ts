// `oddsmaker backtest` as a user runs it: whole processes, from the packed file, with nothing decoded before
// and the compiled code of an earlier run. CPU of all threads against JSON.parse of the same payloads; and
// the gain of a second thread in a parameter sweep.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeGeneratedTape } from '../test/support/generated-tape.ts';
import type { Row } from './run.ts';
import { median, spread } from './statistics.ts';

const ROUNDS = 5;
const BIN = fileURLToPath(new URL('../bin/oddsmaker.js', import.meta.url));
const METER = new URL('./cpu-meter.ts', import.meta.url).href;
const PARSE = fileURLToPath(new URL('./parse-tape.ts', import.meta.url));
const POINTS = Array.from({ length: 16 }, (_none, point) => (0.008 + point * 0.001).toFixed(3));

export async function command(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  try {
    const bench = new CommandBench(folder);
    return [...(await bench.scenarios()), ...(await bench.sweep())];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Cost = { readonly cpuMs: number; readonly wallMs: number };

class CommandBench {
  readonly #folder: string;
  readonly #tape: string;
  readonly #config: string;
  readonly #name: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#tape = join(folder, 'tape.ndjson.gz');
    const recorded = fileURLToPath(new URL('../../shared/data/nba-cle-min-inplay.ndjson.gz', import.meta.url));
    this.#name = existsSync(recorded) ? 'NBA in play' : 'generated';
    if (existsSync(recorded)) copyFileSync(recorded, this.#tape);
    else writeGeneratedTape(this.#tape, 3000);
    this.#config = join(folder, 'bench.yaml');
    const strategy = fileURLToPath(new URL('../strategies/two-sided.ts', import.meta.url));
    writeFileSync(
      this.#config,
      `exchange: { embedded: { traders: tape }, playerMode: coins }
markets: { leagues: [NBA], types: [moneyline, spread, total], live: true }
strategies:
  - { use: ${JSON.stringify(strategy)}, id: main, params: { edge: 0.015, risk: 50 } }
`,
    );
  }

  /** Runs a process and measures its cost. */
  async #run(args: readonly string[]): Promise<Cost> {
    const meterFile = join(this.#folder, `cpu-${Math.random().toString(36).slice(2)}`);
    const env = { ...process.env, XDG_CACHE_HOME: join(this.#folder, 'cache'), CPU_METER: meterFile };
    const began = performance.now();
    const child = spawn(process.execPath, ['--import', METER, ...args], { env, stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    const wallMs = performance.now() - began;
    if (code !== 0) throw new Error(`exit ${code}: ${args.join(' ')}`);
    return { cpuMs: Number(readFileSync(meterFile, 'utf8')), wallMs };
  }

  #backtest(out: string, ...flags: readonly string[]): Promise<Cost> {
    const outFolder = join(this.#folder, out);
    mkdirSync(outFolder, { recursive: true });
    return this.#run([BIN, 'backtest', this.#config, '--tape', this.#tape, '--out', outFolder, ...flags]);
  }

  /** Deletes the compact tapes that an earlier run wrote. */
  #forget(): void {
    for (const file of readdirSync(this.#folder)) if (file.endsWith('.compact')) rmSync(join(this.#folder, file));
  }

  async scenarios(): Promise<readonly Row[]> {
    const ways = {
      parse: () => this.#run([PARSE, this.#tape]),
      one: () => this.#backtest('one', '--fills', 'pessimistic'),
      three: () => this.#backtest('three'),
    } as const;
    const names = Object.keys(ways) as (keyof typeof ways)[];
    const costs: Record<keyof typeof ways, number[]> = { parse: [], one: [], three: [] };
    for (let round = 0; round <= ROUNDS; round++)
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        this.#forget();
        const { cpuMs } = await ways[name]();
        // the first round compiles
        if (round > 0) costs[name].push(cpuMs);
      }
    const row = (name: 'one' | 'three', scenarioCount: string, goal: string): Row => {
      const ratios = costs[name].map((ms, round) => ms / (costs.parse[round] ?? Number.NaN));
      return {
        what: `oddsmaker backtest, cold, ${scenarioCount}, CPU ÷ JSON.parse of the payloads, ${this.#name}`,
        ratio: median(ratios),
        goal,
        detail: `${median(costs[name]).toFixed(0)} ms of CPU against ${median(costs.parse).toFixed(0)}; ${spread(ratios)}`,
      };
    };
    return [row('one', 'one scenario', '<= 5'), row('three', 'three scenarios', '<= 9')];
  }

  async sweep(): Promise<readonly Row[]> {
    const half = POINTS.length / 2;
    const vary = (points: readonly string[]): readonly string[] => [
      ...['--fills', 'pessimistic', '--vary', `main.edge=${points.join(',')}`],
    ];
    const together: number[] = [];
    const threads: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const oneThread = await this.#backtest('t1', ...vary(POINTS), '--threads', '1');
      const twoThreads = await this.#backtest('t2', ...vary(POINTS), '--threads', '2');
      const began = performance.now();
      await Promise.all([
        this.#backtest('p1', ...vary(POINTS.slice(0, half)), '--threads', '1'),
        this.#backtest('p2', ...vary(POINTS.slice(half)), '--threads', '1'),
      ]);
      together.push((performance.now() - began) / twoThreads.wallMs);
      threads.push(oneThread.wallMs / twoThreads.wallMs);
    }
    this.#compare('t1', 't2');
    return [
      {
        what: `16 points of a sweep, two threads ÷ two processes with half of them each, ${this.#name}`,
        ratio: median(together),
        goal: '>= 0.95',
        detail: `the same bytes as with one thread; ÷ one thread ${median(threads).toFixed(2)}; ${spread(together)}`,
      },
    ];
  }

  /** Checks that the number of threads does not change the results. */
  #compare(a: string, b: string): void {
    for (let point = 1; point <= POINTS.length; point++) {
      const name = join(String(point).padStart(2, '0'), 'result.json');
      const [first, second] = [a, b].map((out) => readFileSync(join(this.#folder, out, name), 'utf8'));
      if (first !== second) throw new Error(`${name} differs with two threads`);
    }
  }
}
