// Market making over real sockets, with the bot and the paper exchange in separate processes. The venue's own
// counts are the reference, and the journal of the run is replayed through the core.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../src/replay/verify.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { loadConfig } from '../../src/config/index.ts';
import { Core } from '../../src/engine/index.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const NBA = join(root, '../shared/data/nba-cle-min-inplay.ndjson.gz');

type Summary = {
  readonly schema: number;
  readonly frames: number;
  readonly placed: number;
  readonly fills: number;
  readonly riskFilled: number;
  readonly openAtExit: number | null;
  readonly quotedShare: number;
  readonly http: Readonly<Record<string, number>>;
  readonly requests: Readonly<Record<'place' | 'edit' | 'cancel' | 'other', number>>;
  readonly unknown: { readonly atExit: number };
};
type VenueCounts = {
  readonly fills: number;
  readonly riskFilled: number;
  readonly openOrders: number;
  readonly requests: Summary['requests'];
  readonly maxInWindow: { readonly place: number; readonly cancel: number };
};
type Run = {
  readonly summary: Summary;
  readonly venue: VenueCounts;
  readonly config: string;
  readonly journal: string;
};

describe('a bot on the embedded exchange', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'oddsmaker-e2e-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(name: string, yaml: string, args: readonly string[]): Promise<Run> {
    const config = join(folder, `${name}.yaml`);
    const journals = join(folder, name);
    writeFileSync(config, `${yaml}\njournal: { dir: ${journals} }\n`);
    const child = spawn(process.execPath, [join(root, 'bin/oddsmaker.js'), 'run', config, ...args, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const counts = stderr.split('\n').find((line) => line.includes("the venue's own counts"));
    const [journal] = readdirSync(journals);
    return {
      summary: JSON.parse(stdout) as Summary,
      venue: JSON.parse(counts ?? '{}') as VenueCounts,
      config,
      journal: join(journals, journal ?? ''),
    };
  }

  function expectGood({ summary, venue }: Run): void {
    expect(summary.schema).toBe(1);
    expect(summary.placed).toBeGreaterThan(0);
    expect(summary.fills).toBeGreaterThan(0);
    expect(summary.http['429']).toBeUndefined();
    expect(summary.unknown.atExit).toBe(0);
    expect(summary.openAtExit).toBe(0);
    expect(summary.quotedShare).toBeGreaterThanOrEqual(0.8);
    // the bot's figures equal the venue's counts
    expect(summary.fills).toBe(venue.fills);
    expect(summary.riskFilled).toBeCloseTo(venue.riskFilled, 6);
    expect(venue.openOrders).toBe(0);
    expect(summary.requests).toEqual(venue.requests);
    expect(venue.maxInWindow.place).toBeLessThanOrEqual(25);
    expect(venue.maxInWindow.cancel).toBeLessThanOrEqual(30);
  }

  const yaml = (traders: string, markets: string, params: string): string =>
    [
      'exchange:',
      `  embedded: { traders: ${traders} }`,
      `markets: { leagues: [NBA], ${markets} }`,
      'strategies:',
      `  - { use: ${join(root, 'strategies/two-sided.ts')}, id: main, params: ${params} }`,
    ].join('\n');

  it('makes markets in a generated game, and its journal replays to the same commands', async () => {
    const tape = join(folder, 'generated.ndjson.gz');
    writeGeneratedTape(tape, 60);
    const made = await run('generated', yaml('tape', 'lines: main', '{ edge: 0.014, risk: 60 }'), [
      '--tape',
      tape,
      '--speed',
      '2',
      '--for',
      '7s',
    ]);
    expectGood(made);

    const journal = await readJournal(made.journal);
    expect(journal.steps.length).toBeGreaterThan(100);
    const { settings } = await loadCoreSettings(loadConfig(made.config, process.env));
    expect(
      verifyJournal(new Core(settings, { reportAsync: () => undefined }), settings.profile, journal),
    ).toBeUndefined();
  }, 30_000);

  it.skipIf(!existsSync(NBA))(
    'makes markets in a recorded NBA game before its start',
    async () => {
      const from = '2019-12-28T23:30:00Z';
      expectGood(
        await run(
          'nba',
          yaml('tape', 'types: [moneyline], stopBefore: 5s', '{ edge: 0.002, risk: 50, minDepth: 20 }'),
          // at twice this speed the moves of the book use up the request window, and the resting orders vary
          ['--tape', NBA, '--from', from, '--speed', '60', '--for', '12s'],
        ),
      );
    },
    30_000,
  );
});
