// `npm run soak [-- --for 10m --seed 1]` runs the whole bot over real sockets against the paper exchange in
// another process, with random faults. It prints the state every half minute and, at the end, the broken
// rules and the growth of the bot's memory. `--calm` runs without faults and without graded games, to measure
// the cost of fills. `--snapshots FOLDER` writes heap snapshots at half time and at the end. The exit code is
// 1 when a rule was broken.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeHeapSnapshot } from 'node:v8';
import { verifyJournal } from '../../src/replay/verify.ts';
import { Bot } from '../../src/live/bot.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { NO_FORMER_RUNS } from '../../src/setup/former-runs.ts';
import { loadConfig } from '../../src/config/index.ts';
import { parseDuration } from '../../src/domain/index.ts';
import { Core } from '../../src/engine/index.ts';
import { createLog, runFiles, SafetyNet } from '../../src/ops/index.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EVERY_MS = 30_000;
const SAMPLE_MS = 5_000;
const SENT = ['place', 'edit', 'cancel'];
const RULES = [
  { fault: 'no-answer', on: SENT, rate: 0.01 },
  { fault: 'no-answer', on: SENT, rate: 0.01, acted: false },
  { fault: 'delay', on: SENT, rate: 0.03, by: { min: '300ms', max: '6s' } },
  { fault: 'status', on: SENT, status: 500, rate: 0.01, acted: true },
  { fault: 'status', on: SENT, status: 500, rate: 0.01 },
  { fault: 'nonsense', on: [...SENT, 'read'], rate: 0.005 },
  { fault: 'drop', feeds: ['user'], rate: 0.02 },
  { fault: 'drop', feeds: ['prices'], rate: 0.005 },
  { fault: 'duplicate', rate: 0.03 },
  { fault: 'reorder', feeds: ['user'], rate: 0.05, by: { min: '50ms', max: '1s' } },
  { fault: 'disconnect', every: { min: '40s', max: '90s' } },
  { fault: 'expire-tokens', every: '70s' },
  { fault: 'cancel-order', every: '9s' },
  { fault: 'cancel-all', every: { min: '80s', max: '160s' } },
  { fault: 'close-game', every: '45s', for: '4s' },
];

type Sample = { readonly hours: number; readonly megabytes: number };
type Story = {
  readonly fills: number;
  readonly riskFilled: number;
  readonly openOrders: number;
  readonly maxInWindow: Readonly<Record<'place' | 'cancel', number>>;
};

const { values } = parseArgs({
  options: {
    for: { type: 'string', default: '10m' },
    seed: { type: 'string', default: '1' },
    calm: { type: 'boolean', default: false },
    snapshots: { type: 'string' },
  },
});
const lastsMs = parseDuration(values.for);
const seed = Number(values.seed);
if (lastsMs === undefined || !Number.isSafeInteger(seed)) {
  process.stderr.write('usage: npm run soak [-- --for 10m --seed 1 --calm --snapshots FOLDER]\n');
  process.exit(2);
}
process.exitCode = await soak(lastsMs, seed);

async function soak(ms: number, runSeed: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-soak-'));
  const plan = join(folder, 'faults.yaml');
  // JSON is YAML
  writeFileSync(plan, JSON.stringify({ seed: runSeed, rules: values.calm ? [] : RULES }));
  const exchange = spawn(
    process.execPath,
    [
      join(ROOT, 'bin/oddsmaker.js'),
      'exchange',
      ...['--port', '0', '--games', '6', '--seed', String(runSeed), '--speed', values.calm ? '0.05' : '5'],
      ...['--faults', plan, '--account', 'soak:soak-pw:10000000:10000000'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const gone = once(exchange, 'close');
  try {
    const [line] = (await once(exchange.stdout.setEncoding('utf8'), 'data')) as [string];
    const ready = JSON.parse(line) as { restUrl: string; socketUrl: string; adminUrl: string };
    return await trade(ms, folder, ready);
  } finally {
    exchange.kill('SIGTERM');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function trade(
  ms: number,
  folder: string,
  { restUrl, socketUrl, adminUrl }: { restUrl: string; socketUrl: string; adminUrl: string },
): Promise<number> {
  const file = join(folder, 'bot.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      exchange: { restUrl, socketUrl, username: 'soak', password: 'soak-pw', requestTimeout: '2s', lateArrival: '8s' },
      markets: { leagues: ['NBA'], lines: 'main' },
      strategies: [{ use: join(ROOT, 'strategies/two-sided.ts'), id: 'main', params: { edge: 0.01, risk: 50 } }],
      risk: { maxTotalLoss: 5_000_000, maxGameLoss: 1_000_000, resumeAfter: '1s' },
      journal: { dir: './run' },
    }),
  );
  mkdirSync(join(folder, 'run'));
  const loaded = loadConfig(file, {});
  const loadedCore = await loadCoreSettings(loaded);
  const log = createLog('error');
  const net = new SafetyNet(runFiles(join(folder, 'run'), 'soak'), loaded.config.guard.deadline, log);
  const target = { restUrl, socketUrl, username: 'soak', password: 'soak-pw', former: NO_FORMER_RUNS };
  const bot = new Bot(loaded, loadedCore, target, { log, net });
  const startedAt = performance.now();
  const samples: Sample[] = [];
  const sampling = setInterval(() => samples.push(sample(startedAt)), SAMPLE_MS);
  const printing = setInterval(() => printStatus(bot, startedAt, samples), EVERY_MS);
  const stopping = setTimeout(() => bot.stop('stop'), ms);
  const halfTime = setTimeout(() => snapshot('half'), ms / 2);
  const interrupted = (): void => bot.stop('stop');
  process.once('SIGINT', interrupted);
  try {
    const result = await bot.run(new Promise<never>(() => undefined));
    clearInterval(printing);
    clearInterval(sampling);
    samples.push(sample(startedAt));
    snapshot('end');
    printStatus(bot, startedAt, samples);
    const story = (await (await fetch(`${adminUrl}/accounts/soak`)).json()) as Story;
    const broken = await judge(bot.kept.journal?.file, story, {
      code: result.code,
      fills: result.status.fills,
      riskFilled: result.status.riskFilled,
    });
    const slope = slopeOf(samples.slice(samples.length / 2));
    process.stdout.write(
      `${JSON.stringify({ http: result.http, requests: result.requests, unknown: result.status.unknown })}\n` +
        `memory: ${samples.at(-1)?.megabytes.toFixed(1)} MB of heap and external memory at the end, ${slope >= 0 ? '+' : ''}${slope.toFixed(1)} MB an hour over the second half\n` +
        (broken.length === 0 ? 'every rule was kept\n' : `broken:\n${broken.map((rule) => `  ${rule}\n`).join('')}`),
    );
    return broken.length === 0 ? 0 : 1;
  } finally {
    clearTimeout(stopping);
    clearTimeout(halfTime);
    clearInterval(printing);
    clearInterval(sampling);
    process.off('SIGINT', interrupted);
    net.close();
  }

  async function judge(
    journal: string | undefined,
    story: Story,
    own: { readonly code: number; readonly fills: number; readonly riskFilled: number },
  ): Promise<readonly string[]> {
    const broken: string[] = [];
    const { place, cancel } = loaded.config.exchange.limits;
    if (own.code !== 0) broken.push(`the stop ended with ${own.code}`);
    if (story.openOrders > 0) broken.push(`${story.openOrders} orders are open`);
    if (story.maxInWindow.place > place.requests) broken.push(`${story.maxInWindow.place} places in a window`);
    if (story.maxInWindow.cancel > cancel.requests) broken.push(`${story.maxInWindow.cancel} cancels in a window`);
    if (story.fills !== own.fills) broken.push(`the exchange has ${story.fills} fills, the bot ${own.fills}`);
    if (Math.abs(story.riskFilled - own.riskFilled) > 1e-6)
      broken.push(`the exchange has ${story.riskFilled} filled, the bot ${own.riskFilled}`);
    if (journal !== undefined) {
      const core = new Core((await loadCoreSettings(loaded)).settings, { reportAsync: () => undefined });
      const difference = verifyJournal(core, loaded.config.exchange.profile, await readJournal(journal));
      if (difference !== undefined) broken.push(`the journal replays differently at ${difference.seq}`);
    }
    return broken;
  }
}

/** Heap and external memory after a garbage collection. */
function sample(startedAt: number): Sample {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return { hours: (performance.now() - startedAt) / 3_600_000, megabytes: (heapUsed + external) / 1e6 };
}

function snapshot(name: string): void {
  if (values.snapshots !== undefined) writeHeapSnapshot(join(values.snapshots, `${name}.heapsnapshot`));
}

/** The least-squares slope of the samples, in megabytes per hour. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (valueOf: (sample: Sample) => number): number =>
    samples.reduce((sum, each) => sum + valueOf(each), 0) / samples.length;
  const hours = mean((each) => each.hours);
  const megabytes = mean((each) => each.megabytes);
  const spread = mean((each) => (each.hours - hours) ** 2);
  return spread === 0 ? 0 : mean((each) => (each.hours - hours) * (each.megabytes - megabytes)) / spread;
}

function printStatus(bot: Bot, startedAt: number, samples: readonly Sample[]): void {
  const { frames, fills, placed, edited, cancelled, unknown, resting, wanted, pnl, closed } = bot.status;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(
    `${String(seconds).padStart(5)} s  ${frames} frames, ${placed} placed, ${edited} edited, ${cancelled} cancelled, ${fills} fills, ` +
      `${unknown.ever} unknown (${unknown.now} now), ${resting} of ${wanted} rest, worst ${pnl.worst.toFixed(0)}, ` +
      `${samples.at(-1)?.megabytes.toFixed(1) ?? '?'} MB${closed === undefined ? '' : `, not quoting: ${closed}`}\n`,
  );
}
