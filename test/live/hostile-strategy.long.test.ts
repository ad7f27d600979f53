// Rule 12 (rules.md, 12) over the whole process: whatever a strategy file does, the bot continues, or ends
// with a code of the contract and leaves nothing open.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Exchange } from '../support/children.ts';
import {
  DAY_LIMIT,
  exchangeSection,
  folder,
  NO_JOURNAL,
  SHORT_WINDOWS,
  run,
  start,
  startExchange,
  countsOf,
  writeConfig,
} from '../support/children.ts';

type Fault = { readonly text: string; readonly file?: string; readonly line?: number };

/** Parts of the titles of cases in which no line is known. */
const LINELESS = ['cannot be read', 'no text', 'odd parts'];

/** Quotes far behind the book, and runs the hostile code once orders rest. */
const strategy = (mischief: string): string => `
import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';

let done = false;
function mischief(): unknown {
  done = true;
  ${mischief}
  return undefined;
}

export default defineStrategy({
  name: 'hostile',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(
      map((view) => {
        const rests = view.sides.some(({ own }) => own.some(({ status }) => status === 'open'));
        const side = rests && !done ? mischief() : undefined;
        const quotes = view.market.sides.map((name) => ({ side: side ?? name, risk: 1000, probability: 0.42 }));
        return { market: view.market.id, quotes } as never;
      }),
    ),
});
`;

const ACCOUNTS = 13;
let exchange: Exchange;
let taken = 0;
beforeAll(async () => {
  const accounts = Array.from({ length: ACCOUNTS }, (_none, index) => ['--account', `bot${index}:bot-pw`]);
  exchange = await startExchange('--games', '2', ...accounts.flat());
});

/** The configuration of a bot with this strategy file, on an account of its own. */
function botOf(text: string, section = NO_JOURNAL): { readonly file: string; readonly username: string } {
  const home = folder();
  const username = `bot${(taken += 1) - 1}`;
  writeFileSync(join(home, 'hostile.ts'), text);
  const account = exchangeSection(exchange.restUrl, exchange.socketUrl, { username, password: 'bot-pw' });
  const file = writeConfig(
    `${account}${SHORT_WINDOWS}\nstrategies: [{ use: ./hostile.ts, id: bad }]\n${DAY_LIMIT}${section}`,
    home,
  );
  return { file, username };
}

// a bot mostly waits, so several run side by side
describe.concurrent('a run with a hostile strategy', () => {
  it.each([
    ['throws', "throw new Error('mischief');"],
    ['throws from a timer of its own', "setTimeout(() => { throw new Error('mischief'); }, 0);"],
    ['throws what has no text', 'throw Object.create(null);'],
    ['throws an error of odd parts', "throw Object.assign(new Error('mischief'), { stack: 42, message: 1n });"],
    ['leaves a promise rejected', "void Promise.reject(new Error('mischief'));"],
    ['throws from its own timer again and again', "setInterval(() => { throw new Error('mischief'); }, 5);"],
    ['prints', "console.log('mischief'); process.stderr.write('mischief');"],
    ['emits what cannot be read', 'return 1n;'],
    ['would end the process', 'process.exit(0);'],
    ['would end the process from a timer', 'setTimeout(() => process.exit(0), 0);'],
  ])(
    'continues, leaves nothing open and ends with 78 and the line (or 0 if it only prints) when the strategy %s',
    async (behaviour, mischief) => {
      const { file, username } = botOf(strategy(mischief));
      const bot = start(['run', file, '--json']);
      // the bot starts with used-up windows, so the first order rests after a second
      await bot.prints('stderr', /mischief|BigInt|STRATEGY|process\.exit/);
      bot.child.kill('SIGINT');
      const { code, stderr, stdout } = await bot.ended;
      expect(code, stderr).toBe(behaviour === 'prints' ? 0 : 78);
      const { openAtExit, faults } = JSON.parse(stdout) as { openAtExit: unknown; faults: readonly Fault[] };
      expect(openAtExit).toBe(0);
      expect(faults).toHaveLength(behaviour === 'prints' ? 0 : 1);
      for (const fault of faults) {
        expect(fault).toMatchObject({ strategy: 'bad', file: join(dirname(file), 'hostile.ts') });
        // `map` hands on what the strategy returned, so its code no longer runs
        expect(fault.line, fault.text).toBe(LINELESS.some((part) => behaviour.includes(part)) ? undefined : 9);
        expect(stderr).toContain(`"file":"${join(dirname(file), 'hostile.ts')}"`);
      }
      expect(stderr.match(/THROWN_OUTSIDE/g)?.length ?? 0).toBeLessThan(2);
      expect((await countsOf(exchange, username)).requests.place).toBeGreaterThan(0);
      expect((await countsOf(exchange, username)).openOrders).toBe(0);
    },
  );

  it.each([
    [
      'owns the timer or promise that threw',
      "for (let i = 0; i < 5; i++) setTimeout(() => { if (i > 2) throw Object.create(null); Promise.reject('mischief'); }, 10 * i);",
    ],
    ['tried to end the process', 'queueMicrotask(process.exit); setTimeout(process.exit, 20);'],
  ])('stops in order, with 70, when it is unknown which strategy %s', async (_what, mischief) => {
    const { file, username } = botOf(strategy(mischief));
    const { code, stderr, stdout } = await start(['run', file, '--json']).ended;
    expect(code, stderr).toBe(70);
    expect(stderr).toContain('THROWN_OUTSIDE');
    expect(JSON.parse(stdout)).toMatchObject({ openAtExit: 0 });
    expect((await countsOf(exchange, username)).openOrders).toBe(0);
  });

  it('continues when the strategy logs data that is no JSON, or no text', async () => {
    const text = strategy('')
      .replace('create: () => (views$) =>', 'create: ({ log }) => (views$) =>')
      .replace(
        'const quotes =',
        "const loop: Record<string, unknown> = {}; loop['self'] = loop; log('odd', { big: 1n }); log('round', loop); log(new Error('an error') as never);\n        const quotes =",
      );
    const { file, username } = botOf(text, 'journal: { dir: ./run }\n');
    const { code, stderr } = await start(['run', file, '--json', '--for', '4s']).ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/"big":"1"/);
    expect(stderr).toMatch(/"unreadable":"Converting circular/);
    expect(stderr).toMatch(/an error/);
    expect((await countsOf(exchange, username)).requests.place).toBeGreaterThan(0);
  });
});

it.each([
  ['ends the process', 'process.exit(0);', /own\.ts does not load: process\.exit\(\) is not for strategies.*own\.ts:2/],
  [
    'leaves a promise rejected',
    "void Promise.reject(new Error('later'));",
    /own\.ts does not load: later \(.*own\.ts:2/,
  ],
])('oddsmaker check refuses a file that %s while it loads', async (_what, mischief, says) => {
  const home = folder();
  writeFileSync(join(home, 'own.ts'), strategy('').replace(/^\n/, `import 'rxjs';\n${mischief}\n`));
  const file = writeConfig('exchange: { embedded: {} }\nstrategies: [{ use: ./own.ts, id: bad }]\n', home);
  const { code, stdout, stderr } = await run(['check', file]);
  expect([code, stdout]).toEqual([78, '']);
  expect(stderr).toMatch(says);
});

it('oddsmaker check ends with 78 when a file throws shortly after it was loaded', async () => {
  const home = folder();
  const late = "setTimeout(() => { throw new Error('a moment later'); }, 100);";
  writeFileSync(join(home, 'own.ts'), `${late}\n${strategy('')}`);
  const file = writeConfig('exchange: { embedded: {} }\nstrategies: [{ use: ./own.ts, id: bad }]\n', home);
  const { code, stderr } = await run(['check', file]);
  expect(code, stderr).toBe(78);
  // on a busy machine the file may still load at that moment
  expect(stderr).toMatch(/(?:is not good: strategy bad|does not load:) .*a moment later \(.*own\.ts:1/);
});

it('oddsmaker backtest refuses a file that leaves a promise rejected while it loads, as check does', async () => {
  const home = folder();
  writeFileSync(join(home, 'own.ts'), `void Promise.reject(new Error('later'));\n${strategy('')}`);
  const file = writeConfig('exchange: { embedded: {} }\nstrategies: [{ use: ./own.ts, id: bad }]\n', home);
  const tape = join(home, 'tape.ndjson');
  writeFileSync(tape, '');
  const { code, stderr } = await run(['backtest', file, '--tape', tape, '--out', join(home, 'out')]);
  expect(code, stderr).toBe(78);
  expect(stderr).toMatch(/own\.ts does not load: later \(.*own\.ts:1/);
});
