// A backtest of several days that is killed, and continued by the same command.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { storedIn } from '../../src/backtest/jobs/job-store.ts';
import { folder, NO_JOURNAL, run, start, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const DAY_MS = 24 * 3_600_000;
const FIRST = Date.parse('2030-11-29T18:00:00Z');
const DAYS = 6;
const WRITTEN = ['result.json', 'fills.csv', 'markets.csv', 'pnl.csv', 'months.csv'];

it.each([
  ['SIGINT', '1'],
  ['SIGKILL', '2'],
] as const)('after %s, with %s threads, plays only what is missing, and writes the same', async (signal, threads) => {
  const tapes = join(folder(), 'tapes');
  mkdirSync(tapes);
  for (let day = 0; day < DAYS; day++)
    writeGeneratedTape(join(tapes, `${day}.ndjson.gz`), 300, {
      id: `game${day}`,
      from: FIRST + day * DAY_MS,
      startsAfter: 3_600_000,
      phase: day / 3,
    });
  const config = writeConfig(`exchange: { embedded: {} }\nmarkets: { leagues: [NBA] }\n${STRATEGIES}${NO_JOURNAL}`);
  const backtest = (out: string): string[] => [
    ...['backtest', config, '--tape', tapes, '--out', out, '--fills', 'pessimistic', '--threads', threads],
  ];
  const [whole, out] = [folder(), folder()];
  expect((await run(backtest(whole))).code).toBe(0);

  const { child, ended } = start(backtest(out));
  await expect.poll(() => storedIn(out), { timeout: 100_000, interval: 10 }).toBeGreaterThan(0);
  child.kill(signal);
  const interrupted = await ended;
  expect(existsSync(join(out, 'result.json'))).toBe(false);
  if (signal === 'SIGINT') {
    expect(interrupted.code).toBe(130);
    expect(interrupted.stderr).toContain('what was played is kept there, and the same command continues');
  }
  const stored = storedIn(out);
  expect(stored).toBeLessThan(DAYS);

  const continued = await run(backtest(out));
  expect(continued.code, continued.stderr).toBe(0);
  expect(continued.stderr).toContain(`${stored} of ${DAYS} days were played before, and are not played again`);
  for (const name of WRITTEN)
    expect(readFileSync(join(out, name), 'utf8'), name).toBe(readFileSync(join(whole, name), 'utf8'));
  expect(storedIn(out)).toBe(0);
});
