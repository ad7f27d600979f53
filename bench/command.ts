// Commands as a user types them: whole processes, from the packed tape, with the compiled code of an earlier
// run and without the compact form of the tape, which every counted run makes again. Times are divided by
// those of a warm JSON.parse of the NBA payloads in the same round.
import { execFile, spawn } from 'node:child_process';
import { on, once } from 'node:events';
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
import { promisify } from 'node:util';
import { writeGeneratedTape } from '../test/support/generated-tape.ts';
import { makePackage } from '../test/support/package-folder.ts';
import type { Parsed } from './parse-tape.ts';
import type { Cost } from './measured-process.ts';
import { measured } from './measured-process.ts';
import type { Row } from './run.ts';
import { median, ratiosOf } from './statistics.ts';

const ROUNDS = 5;
const QUICK_ROUNDS = 3;
const WATCH_WARM_UP = 5;
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PARSE = fileURLToPath(new URL('./parse-tape.ts', import.meta.url));

/**
 * Walls of flumine for the same quoting strategy, in warm parses of the NBA payloads. Both were measured side
 * by side on 2026-11-27: flumine's wall ÷ ours at commit f9221c9 was .94, .75 and 1.24 with the scenarios of
 * then, 2.6, 1.5 and 3.1 with one. These are those ratios times our walls at that commit, in parses, in one
 * run of this bench (22.0, 6.4 and 4.9; with one scenario 12.4, 3.7 and 4.0).
 */
const FLUMINE: Readonly<Record<Market, { readonly all: number; readonly one: number }>> = {
  nba: { all: 20.7, one: 32.2 },
  basketball: { all: 4.8, one: 5.6 },
  soccer: { all: 6.1, one: 12.6 },
};

/**
 * The wall of hftbacktest 1.8 for the NBA payloads, in their warm parses. On 2026-11-27 flumine's wall was 5.3
 * times that of a warm run of a sweep, and this 17 to 32 times that of hftbacktest: so 32.2 / 5.3 / 23.
 */
const HFTBACKTEST = 0.26;
/** Points of the shorter and of the longer sweep, which report on equally many: their difference is warm. */
const POINTS = [3, 11] as const;

const MARKETS = {
  nba: { file: 'nba-cle-min-inplay.ndjson.gz', name: 'NBA in play' },
  basketball: { file: 'basketball-prematch.ndjson.gz', name: 'basketball before the start' },
  soccer: { file: 'soccer-handicap-prematch.ndjson.gz', name: 'soccer handicaps before the start' },
} as const;
type Market = keyof typeof MARKETS;

/** All rows of commands. `quick`: fewer rounds, and only the rows that a person feels. */
export async function command({ quick = false } = {}): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  try {
    return await new CommandBench(folder, quick ? QUICK_ROUNDS : ROUNDS).rows(quick);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Most files that a command may load. */
const FEW = 60;

/** A command in turn with the others: what it cost in each round. */
type Way = { readonly run: () => Promise<Cost>; readonly costs: Cost[] };

class CommandBench {
  readonly #folder: string;
  readonly #rounds: number;
  readonly #parses: Parsed[] = [];
  readonly #tapes: ReadonlyMap<Market, string>;
  /** The package with its bundle, as npm installs it. */
  readonly #package: string;
  readonly #bin: string;

  constructor(folder: string, rounds: number) {
    this.#folder = folder;
    this.#rounds = rounds;
    const recorded = (Object.keys(MARKETS) as Market[]).map(
      (market) => [market, join(ROOT, '../shared/data', MARKETS[market].file)] as const,
    );
    const present = new Map(recorded.filter(([, file]) => existsSync(file)));
    if (!present.has('nba')) {
      const generated = join(folder, 'tape.ndjson.gz');
      writeGeneratedTape(generated, 3000);
      present.set('nba', generated);
    }
    this.#tapes = present;
    this.#package = join(folder, 'package');
    this.#bin = join(this.#package, 'bin/oddsmaker.js');
    // not in node_modules, where Node runs no TypeScript
    makePackage(this.#package, join(folder, 'node_modules'));
  }

  async rows(quick: boolean): Promise<readonly Row[]> {
    const markets = [...this.#tapes.keys()].filter((market) => market === 'nba' || !quick);
    const ways = {
      ...Object.fromEntries(
        markets.flatMap((market) => [
          [`${market} one`, this.#backtest(market, '--fills', 'pessimistic')],
          [`${market} default`, this.#backtest(market)],
        ]),
      ),
      ...(quick
        ? {}
        : { [`sweep ${POINTS[0]}`]: this.#sweep(POINTS[0]), [`sweep ${POINTS[1]}`]: this.#sweep(POINTS[1]) }),
      sample: this.#command(...this.#sampleArgs()),
      node: this.#timed('-e', '0'),
      help: this.#timed(this.#bin, '--help'),
      'check --help': this.#timed(this.#bin, 'check', '--help'),
      'run --help': this.#timed(this.#bin, 'run', '--help'),
      'backtest --help': this.#timed(this.#bin, 'backtest', '--help'),
    };
    await this.#inTurn(Object.values(ways));
    const way = (name: string): Way => {
      const found = (ways as Readonly<Record<string, Way>>)[name];
      if (found === undefined) throw new Error(`no command ${name}`);
      return found;
    };
    const watch = await this.#watch();
    const helps = quick
      ? ['help', 'run --help', 'backtest --help']
      : ['help', 'check --help', 'run --help', 'backtest --help'];
    return [
      this.#row('backtest of the NBA game, cold, one scenario, CPU ÷ warm parse', way('nba one'), 'cpuMs', '<= 7'),
      this.#row('the same, default scenarios', way('nba default'), 'cpuMs', '<= 11'),
      this.#peak('the same, peak memory, MB', way('nba default'), '<= 200'),
      ...markets.map((market) => this.#flumine(market, way(`${market} default`), 'all')),
      ...(quick ? [] : markets.map((market) => this.#flumine(market, way(`${market} one`), 'one'))),
      ...(quick ? [] : this.#warmRun(way(`sweep ${POINTS[0]}`), way(`sweep ${POINTS[1]}`))),
      this.#row(
        'backtest of the shipped sample, wall ÷ warm parse of the NBA payloads',
        way('sample'),
        'wallMs',
        '<= 43',
      ),
      this.#peak('the same, peak memory, MB', way('sample'), '<= 220'),
      ...(quick ? [] : [await this.#files()]),
      watch,
      ...helps.map((name) => this.#start(name, way(name), way('node'))),
    ];
  }

  /** Runs all commands in turn, a floor before each round, and one round before the first that counts. */
  async #inTurn(ways: readonly Way[]): Promise<void> {
    for (let round = 0; round <= this.#rounds; round++) {
      const parsed = await this.#parse();
      if (round > 0) this.#parses.push(parsed);
      for (const { run, costs } of round % 2 === 0 ? ways : ways.toReversed()) {
        this.#forgetTapes();
        const cost = await run();
        // the first round compiles
        if (round > 0) costs.push(cost);
      }
    }
  }

  async #parse(): Promise<Parsed> {
    const { stdout } = await promisify(execFile)(process.execPath, [PARSE, this.#tapes.get('nba') ?? '']);
    return JSON.parse(stdout) as Parsed;
  }

  /** A start that takes milliseconds: the meter would be a part of it. */
  #timed(...args: readonly string[]): Way {
    return { run: () => this.#run(args, { PROCESS_METER: '' }), costs: [] };
  }

  #command(...args: readonly string[]): Way {
    return { run: () => this.#run(args), costs: [] };
  }

  #backtest(market: Market, ...flags: readonly string[]): Way {
    const config = this.#config(market, join(this.#package, 'strategies/two-sided.ts'));
    const out = join(this.#folder, 'out', [market, ...flags].join(' '));
    mkdirSync(out, { recursive: true });
    return this.#command(
      this.#bin,
      'backtest',
      config,
      '--tape',
      this.#tapes.get(market) ?? '',
      '--out',
      out,
      ...flags,
    );
  }

  /** A sweep of the NBA game over this number of settings, in one thread. */
  #sweep(points: number): Way {
    const out = join(this.#folder, 'out', `sweep ${points}`);
    const edges = Array.from({ length: points }, (_none, index) => (0.015 + index / 10_000).toFixed(4));
    const run = (): Promise<Cost> => {
      rmSync(out, { recursive: true, force: true });
      return this.#run([
        ...[this.#bin, 'sweep', this.#config('nba', join(this.#package, 'strategies/two-sided.ts'))],
        ...['--tape', this.#tapes.get('nba') ?? '', '--out', out, '--param', `main.edge=${edges.join(',')}`],
        ...['--fills', 'pessimistic', '--threads', '1'],
      ]);
    };
    return { run, costs: [] };
  }

  #config(name: string, strategy: string): string {
    const config = join(this.#folder, `${name}.yaml`);
    writeFileSync(
      config,
      `exchange: { embedded: { traders: tape }, playerMode: coins }
markets: { leagues: [NBA, GB, DE, ES], types: [moneyline, spread, total], live: true }
strategies:
  - { use: ${JSON.stringify(strategy)}, id: main, params: { edge: 0.015, risk: 50 } }
`,
    );
    return config;
  }

  #sampleArgs(): readonly string[] {
    const example = (file: string): string => join(this.#package, 'examples', file);
    const out = join(this.#folder, 'out', 'sample');
    mkdirSync(out, { recursive: true });
    return [
      ...[this.#bin, 'backtest', example('sample.yaml'), '--tape', example('sample.ndjson.zst')],
      ...['--results', example('sample-scores.json'), '--out', out],
    ];
  }

  /** Files that the main thread of the sample's backtest loads. */
  async #files(): Promise<Row> {
    const { files } = await this.#run(this.#sampleArgs(), { COUNT_FILES: '1' });
    return {
      what: 'the same, files that it loads',
      ratios: [files],
      goal: `<= ${FEW}`,
      detail: 'of the package, in its main thread',
    };
  }

  /** From a save of the strategy to the line with the new result, in warm parses. */
  async #watch(): Promise<Row> {
    const home = join(this.#folder, 'watched');
    mkdirSync(home);
    const strategy = join(home, 'own.ts');
    copyFileSync(join(this.#package, 'strategies/two-sided.ts'), strategy);
    const source = readFileSync(strategy, 'utf8');
    const config = this.#config('watched', strategy);
    const args = [this.#bin, 'backtest', config, '--tape', this.#tapes.get('nba') ?? '', '--out', home, '--watch'];
    const env = { ...process.env, XDG_CACHE_HOME: join(this.#folder, 'cache') };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const lines = child.stdout.setEncoding('utf8');
    const nextRun = async (): Promise<void> => {
      for await (const [text] of on(lines, 'data') as AsyncIterable<[string]>)
        if (/ s\n$|ends it\n$/.test(text)) return;
    };
    const ratios: number[] = [];
    try {
      await nextRun();
      for (let save = 0; save < WATCH_WARM_UP + this.#rounds; save++) {
        const ran = nextRun();
        const began = performance.now();
        writeFileSync(strategy, `${source}// ${save}\n`);
        await ran;
        if (save >= WATCH_WARM_UP) ratios.push((performance.now() - began) / median(this.#parses.map((p) => p.wallMs)));
      }
    } finally {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    return {
      what: 'backtest --watch, save of a strategy → result, NBA game, wall ÷ warm parse',
      ratios,
      goal: '<= 6.5',
      detail: `after ${WATCH_WARM_UP} saves to warm up`,
    };
  }

  /** Runs a process and measures it. */
  #run(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Cost> {
    const meterFile = join(this.#folder, 'used.json');
    return measured(args, { XDG_CACHE_HOME: join(this.#folder, 'cache'), PROCESS_METER: meterFile, ...variables });
  }

  /** Deletes the compact forms of tapes in the user's cache, so that each run reads the packed file. */
  #forgetTapes(): void {
    const cache = join(this.#folder, 'cache/oddsmaker');
    if (!existsSync(cache)) return;
    for (const file of readdirSync(cache)) if (file.endsWith('.compact')) rmSync(join(cache, file));
  }

  #row(what: string, { costs }: Way, measure: 'cpuMs' | 'wallMs', goal: string): Row {
    const values = costs.map((cost) => cost[measure]);
    const floors = this.#parses.map((parsed) => parsed[measure]);
    return {
      what,
      ratios: ratiosOf(values, floors),
      goal,
      detail: `${median(values).toFixed(0)} ms against ${median(floors).toFixed(0)}, ${measure === 'cpuMs' ? 'CPU' : 'wall'}`,
    };
  }

  #peak(what: string, { costs }: Way, goal: string): Row {
    return { what, ratios: costs.map(({ peakMb }) => peakMb), goal, detail: `of ${costs.length} runs` };
  }

  #flumine(market: Market, { costs }: Way, scenarios: 'all' | 'one'): Row {
    const held = FLUMINE[market][scenarios];
    const walls = costs.map(({ wallMs }) => wallMs);
    const goals = { nba: { all: 2.5, one: 4 }, basketball: { all: 2, one: 3 }, soccer: { all: 3, one: 5 } };
    return {
      what: `flumine's held wall ÷ ours, ${scenarios === 'all' ? 'default scenarios' : 'one scenario'}, ${MARKETS[market].name}`,
      ratios: ratiosOf(
        this.#parses.map(({ wallMs }) => held * wallMs),
        walls,
      ),
      goal: `>= ${goals[market][scenarios]}`,
      detail: `${(median(walls) / 1000).toFixed(2)} s against ${held.toFixed(1)} warm parses`,
    };
  }

  /** One point more of a sweep, against the walls of both peers. */
  #warmRun(short: Way, long: Way): readonly Row[] {
    const walls = long.costs.map(
      ({ wallMs }, round) => (wallMs - (short.costs[round]?.wallMs ?? Number.NaN)) / (POINTS[1] - POINTS[0]),
    );
    const parses = this.#parses.map(({ wallMs }) => wallMs);
    const shares = ratiosOf(walls, parses);
    const detail = `${median(walls).toFixed(0)} ms, ${median(shares).toFixed(2)} warm parses, one scenario`;
    return [
      {
        what: "flumine's held wall ÷ a warm run of a sweep, NBA in play",
        ratios: shares.map((share) => FLUMINE.nba.one / share),
        goal: '>= 12',
        detail,
      },
      {
        what: "a warm run of a sweep ÷ hftbacktest's held wall, NBA in play",
        ratios: shares.map((share) => share / HFTBACKTEST),
        goal: '<= 10',
        detail,
      },
    ];
  }

  #start(name: string, { costs }: Way, { costs: floors }: Way): Row {
    const goal = { help: 3, 'check --help': 4 }[name] ?? 6;
    const walls = costs.map(({ wallMs }) => wallMs);
    const node = floors.map(({ wallMs }) => wallMs);
    return {
      what: `oddsmaker ${name === 'help' ? '--help' : name} ÷ node -e 0, wall`,
      ratios: ratiosOf(walls, node),
      goal: `<= ${goal}`,
      detail: `${median(walls).toFixed(0)} ms against ${median(node).toFixed(0)}`,
    };
  }
}
