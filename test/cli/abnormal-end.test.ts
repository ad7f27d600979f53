// A run that something else ends: what it sent is told all the same.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { folder, NO_JOURNAL, start, STRATEGIES, writeConfig } from '../support/children.ts';

const told = z.looseObject({
  schema: z.literal(1),
  placed: z.int().min(1),
  requests: z.looseObject({ place: z.int().min(1) }),
  openAtExit: z.null(),
});

it(
  'a run whose embedded exchange is killed ends with 70 and its one object',
  { timeout: 60_000 },
  async () => {
    const file = writeConfig(
      `exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}guard: { deadline: 60s }\n`,
    );
    const bot = start(['run', file, '--json']);
    await bot.says('stderr', /"msg":"quoting"/);
    const { pid = 0 } = bot.child;
    const [exchange] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .map(Number);
    // its first orders are answered by then
    await new Promise((resolve) => setTimeout(resolve, 2000));
    process.kill(exchange ?? Number.NaN, 'SIGKILL');
    const { code, stdout, stderr } = await bot.ended;
    expect(code).toBe(70);
    expect(stderr).toContain('the embedded paper exchange ended');
    expect(stdout.trim().split('\n')).toHaveLength(1);
    told.parse(JSON.parse(stdout));
  },
);

it('a run that is stopped as soon as it holds the lease ends with 74 and gives the lease back', async () => {
  const home = folder();
  const file = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}journal: { dir: . }\n`, home);
  const bot = start(['run', file]);
  const isHeld = (): boolean => readdirSync(home).some((name) => name.endsWith('.lease'));
  while (!isHeld() && bot.child.exitCode === null) await sleep(2);
  // its handlers stand right behind
  await sleep(5);
  bot.child.kill('SIGTERM');
  const { code, stderr } = await bot.ended;
  expect(code, stderr).toBe(74);
  expect(stderr).toMatch(/stopped before the bot began|could not be confirmed|not confirmed/i);
  expect(isHeld()).toBe(false);
});
