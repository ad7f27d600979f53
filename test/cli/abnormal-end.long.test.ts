// Runs that something outside ends: the final report still has what they sent.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { scanJournal } from '../../src/journal/journal-reader.ts';
import type { Ended } from '../support/children.ts';
import { BIN, folder, NO_JOURNAL, start, STRATEGIES, TWO_SIDED, writeConfig } from '../support/children.ts';

const finalReport = z.looseObject({
  schema: z.literal(1),
  placed: z.int(),
  requests: z.looseObject({ place: z.int() }),
  openAtExit: z.null(),
});

/** The process of the exchange that a bot embeds. */
const exchangeOf = (bot = 0): number =>
  Number(readFileSync(`/proc/${bot}/task/${bot}/children`, 'utf8').trim().split(' ')[0]);

/** Waits until the first orders are placed, by the journal next to the configuration file. */
const isAnswered = (file: string): Promise<void> =>
  expect
    .poll(
      async () => {
        const home = join(file, '..');
        const journal = readdirSync(home).find((name) => name.endsWith('.ndjson.zst'));
        if (journal === undefined) return false;
        let isPlaced = false;
        // the run continues, so the last line of its journal may be incomplete
        await scanJournal(join(home, journal), {
          step: (step) => (isPlaced ||= JSON.stringify(step).includes('createdSessions')),
          torn: () => undefined,
        }).catch(() => undefined);
        return isPlaced;
      },
      { timeout: 50_000, interval: 250 },
    )
    .toBe(true);

it('a run whose embedded exchange is killed ends with 70 and its one JSON object', { timeout: 60_000 }, async () => {
  const file = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}journal: { dir: . }\nguard: { deadline: 60s }\n`);
  const bot = start(['run', file, '--json']);
  await isAnswered(file);
  process.kill(exchangeOf(bot.child.pid), 'SIGKILL');
  const { code, stdout, stderr } = await bot.ended;
  expect(code).toBe(70);
  expect(stderr).toContain('the embedded paper exchange ended');
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const { placed, requests } = finalReport.parse(JSON.parse(stdout));
  expect(placed).toBeGreaterThan(0);
  expect(requests.place).toBeGreaterThan(0);
});

it(
  'a run whose embedded exchange hangs at the end reports what it did, with its own exit code',
  { timeout: 90_000 },
  async () => {
    const exchange = 'exchange: { embedded: {}, lateArrival: 2s, requestTimeout: 1s }\n';
    const file = writeConfig(`${exchange}${STRATEGIES}journal: { dir: . }\nguard: { deadline: 60s }\n`);
    const bot = start(['run', file, '--json']);
    await isAnswered(file);
    process.kill(exchangeOf(bot.child.pid), 'SIGSTOP');
    bot.child.kill('SIGINT');
    const { code, stdout, stderr } = await bot.ended;
    expect(code, stderr).toBe(74);
    expect(finalReport.parse(JSON.parse(stdout)).placed).toBeGreaterThan(0);
  },
);

/** The content of the only lease in a folder. Undefined when there is none. */
function leaseIn(home: string): string | undefined {
  const name = readdirSync(home).find((entry) => entry.endsWith('.lease'));
  try {
    return name === undefined ? undefined : readFileSync(join(home, name), 'utf8');
  } catch {
    return undefined;
  }
}

/** Starts a bot and stops it as soon as it holds the lease. */
async function stoppedEarly(file: string, home: string, before: string | undefined): Promise<Ended> {
  const bot = start(['run', file, '--json']);
  const isHeld = (): boolean => ![undefined, before].includes(leaseIn(home));
  while (!isHeld() && bot.child.exitCode === null) await sleep(2);
  bot.child.kill('SIGTERM');
  return bot.ended;
}

it('a run that is stopped as soon as it holds the lease ends with 74 and gives the lease back', async () => {
  const home = folder();
  const file = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}journal: { dir: . }\n`, home);
  const { code, stdout, stderr } = await stoppedEarly(file, home, undefined);
  expect(code, stderr).toBe(74);
  expect(finalReport.parse(JSON.parse(stdout))).toMatchObject({ placed: 0 });
  expect(stderr).toMatch(/ended before the bot began|could not be confirmed|not confirmed/i);
  expect(leaseIn(home)).toBeUndefined();
});

it('after a killed run and a run that is stopped early, the next run still reports the killed one', async () => {
  const home = folder();
  const file = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}journal: { dir: . }\n`, home);
  const killed = start(['run', file]);
  await killed.prints('stderr', /"msg":"quoting"/);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const { code, stderr } = await stoppedEarly(file, home, leaseIn(home));
  expect(code, stderr).toBe(74);
  const next = start(['run', file]);
  await next.prints('stderr', /the last run ended without an orderly stop/);
  next.child.kill('SIGINT');
  await next.ended;
});

/** A configuration whose strategy file begins with the given code. */
function withTop(top: string, home = folder()): string {
  writeFileSync(join(home, 'own.ts'), `${top}\nexport { default } from '${TWO_SIDED}';\n`);
  const strategies = 'strategies: [{ use: ./own.ts, id: own, impure: true, params: { edge: 0.01, risk: 100 } }]';
  return writeConfig(`exchange: { embedded: {} }\n${strategies}\njournal: { dir: . }\n`, home);
}

it('a run with a strategy file that throws shortly after it was loaded ends with 78 and gives the lease back', async () => {
  const file = withTop("setTimeout(() => { throw new Error('a moment later'); }, 150);");
  const { code, stderr } = await start(['run', file]).ended;
  expect(code, stderr).toBe(78);
  expect(stderr).toMatch(/strategy own \(\.\/own\.ts\) threw outside a dispatch.*a moment later \(.*own\.ts:1\)/);
  expect(leaseIn(join(file, '..'))).toBeUndefined();
});

// each of them mostly waits
it.concurrent.each([
  ["queueMicrotask(() => { throw new Error('loose'); });", 'check'],
  ["process.nextTick(() => { throw new Error('loose'); });", 'run'],
  ["setTimeout(() => { throw new Error('loose'); }, 0);", 'run'],
  [
    "setTimeout(() => { throw new Error('loose'); }, 10);\nawait new Promise((resolve) => setTimeout(resolve, 100));",
    'check',
  ],
  ["queueMicrotask(() => { throw new Error('loose'); });", 'backtest'],
  ["setTimeout(() => { throw new Error('loose'); }, 10);\nawait new Promise(() => undefined);", 'check'],
])(
  'a strategy file that throws outside a call while it loads is reported with its line, and ends with 78: %s in %s',
  async (top, name) => {
    const file = withTop(top);
    const flags = name === 'backtest' ? ['--tape', file, '--out', join(file, '../out')] : [];
    const { code, stderr } = await start([name, file, ...flags]).ended;
    expect(code, stderr).toBe(78);
    expect(stderr).toMatch(/loose \(.*own\.ts:1\)/);
  },
);

it('a strategy file that throws outside a call while another file loads is reported as the cause', async () => {
  const home = folder();
  writeFileSync(
    join(home, 'early.ts'),
    `setTimeout(() => { throw new Error('loose'); }, 20);\nexport { default } from '${TWO_SIDED}';\n`,
  );
  writeFileSync(
    join(home, 'slow.ts'),
    `await new Promise((resolve) => setTimeout(resolve, 150));\nexport { default } from '${TWO_SIDED}';\n`,
  );
  const params = 'params: { edge: 0.01, risk: 100 }';
  const strategies = `strategies: [{ use: ./early.ts, id: early, ${params} }, { use: ./slow.ts, id: slow, ${params} }]`;
  const file = writeConfig(`exchange: { embedded: {} }\n${strategies}\n${NO_JOURNAL}`, home);
  const { code, stderr } = await start(['check', file]).ended;
  expect(code, stderr).toBe(78);
  expect(stderr).toMatch(/strategy early \(\.\/early\.ts\) threw outside a dispatch.*loose/);
});

it.concurrent.each([
  ['setInterval(() => undefined, 1000);', 65],
  ["setInterval(() => undefined, 1000); setTimeout(() => { throw new Error('later'); }, 900);", 65],
  ['setInterval(() => { process.exitCode = 0; }, 20);', 65],
  ["process.on('exit', () => { process.exitCode = 0; });", 65],
  ["process.on('exit', () => { throw new Error('no room for its state'); });", 65],
  ["process.on('exit', () => { throw new Error('twice'); }); setInterval(() => undefined, 1000);", 65],
  [
    "setTimeout(() => process.on('exit', () => { process.exitCode = 0; throw new Error('late'); }), 900); setInterval(() => undefined, 1000);",
    65,
  ],
  [
    "process.on('uncaughtException', (error) => { throw error; }); setTimeout(() => { throw new Error('later'); }, 900);",
    65,
  ],
])(
  'a command ends with its own exit code whatever a strategy file left running or listening: %s',
  async (top, code) => {
    const file = withTop(top);
    const out = join(file, '../out');
    const ended = await start(['backtest', file, '--tape', join(out, 'none.ndjson'), '--out', out]).ended;
    expect(ended.code, ended.stderr).toBe(code);
  },
);

it('a second start ends with 77, whatever its strategy files throw later', async () => {
  const home = folder();
  const bot = start(['run', writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}journal: { dir: . }\n`, home)]);
  await bot.prints('stderr', /"msg":"quoting"/);
  const later = "setTimeout(() => { throw new Error('later'); }, 900); setInterval(() => undefined, 1000);";
  const { code, stdout, stderr } = await start(['run', withTop(later, home), '--json']).ended;
  expect(code, stderr).toBe(77);
  expect(finalReport.parse(JSON.parse(stdout))).toMatchObject({ placed: 0, mode: null });
  bot.child.kill('SIGINT');
  await bot.ended;
});

it(
  'a run whose terminal is closed stops in order, also when it gets several signals',
  { timeout: 60_000 },
  async () => {
    const home = folder();
    const file = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}journal: { dir: . }\n`, home);
    const [out, log] = [join(home, 'out.json'), join(home, 'log')];
    const command = `exec '${process.execPath}' '${BIN}' run '${file}' --json > '${out}' 2> '${log}'`;
    // `script` holds the terminal of the bot, as a terminal emulator or an SSH session does
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: 'ignore' });
    const textIn = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
    await vi.waitFor(() => expect(textIn(log)).toContain('"msg":"quoting"'), { timeout: 20_000 });
    await sleep(1000);
    const { pid } = JSON.parse(leaseIn(home) ?? '{}') as { readonly pid: number };
    terminal.kill('SIGKILL');
    process.kill(pid, 'SIGHUP');
    await vi.waitFor(() => expect(textIn(out)).not.toBe(''), { timeout: 30_000 });
    expect(JSON.parse(textIn(out)), textIn(log)).toMatchObject({ openAtExit: 0 });
    await vi.waitFor(() => expect(leaseIn(home)).toBeUndefined(), { timeout: 10_000 });
  },
);
