// A followed file, and everything that other programs do to files.
import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { FollowedFile } from '../../src/signals/index.ts';
import { folder } from '../support/children.ts';

type LogLine = {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

function following(path: string) {
  const messages: unknown[] = [];
  const logged: LogLine[] = [];
  const note =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>>): void => {
      logged.push({ level, message, fields });
    };
  let now = 0;
  const file = new FollowedFile(path, {
    take: (batch) => messages.push(...batch),
    log: { info: note('info'), warn: note('warn') },
    now: () => now,
  });
  /** Checks again and again while time passes. */
  const until = (wanted: () => void): Promise<void> =>
    vi.waitFor(
      () => {
        now += 100;
        wanted();
      },
      { timeout: 10_000, interval: 20 },
    );
  return { file, messages, logged, until };
}

const line = (p: number): string => `${JSON.stringify({ values: { p } })}\n`;
const signals = (...ps: readonly number[]): unknown[] => ps.map((p) => ({ values: { p } }));

it('a followed file is read from its end, line by line, and a torn line once the rest of it is written', async () => {
  const path = join(folder(), 'signals.ndjson');
  writeFileSync(path, `${line(0)}{"values": {"old`);
  const { file, messages, logged, until } = following(path);
  await until(() => expect(file.details).toMatchObject({ open: true }));
  appendFileSync(path, `": 1}}\n${line(1)}[${line(2).trim()},${line(3).trim()}]\n\n{"values":`);
  await until(() => expect(messages).toEqual(signals(1, 2, 3)));
  appendFileSync(path, '{"p":4}}\nrubbish\nmore rubbish\n');
  appendFileSync(path, line(5));
  await until(() => expect(messages).toEqual(signals(1, 2, 3, 4, 5)));
  expect(file.details).toMatchObject({ 'no JSON': 2 });
  expect(logged).toMatchObject([{ level: 'warn', fields: { kind: 'no JSON', line: 'rubbish' } }]);
  await file.close();
});

it('a followed file that is truncated, or replaced by another file, is read from its beginning', async () => {
  const path = join(folder(), 'signals.ndjson');
  writeFileSync(path, line(0).repeat(5));
  const { file, messages, until } = following(path);
  await until(() => expect(file.details).toMatchObject({ open: true }));
  truncateSync(path, 0);
  appendFileSync(path, line(1));
  await until(() => expect(messages).toEqual(signals(1)));
  // lines that are still appended to the replaced file are read too
  appendFileSync(path, line(2));
  renameSync(path, `${path}.1`);
  appendFileSync(`${path}.1`, line(3));
  writeFileSync(path, line(4));
  await until(() => expect(messages).toEqual(signals(1, 2, 3, 4)));
  appendFileSync(path, line(5));
  await until(() => expect(messages).toEqual(signals(1, 2, 3, 4, 5)));
  await file.close();
});

it('a followed file that cannot be read for a while is read on from its last position, and no message is sent twice', async () => {
  const path = join(folder(), 'signals.ndjson');
  writeFileSync(path, line(0));
  const { file, messages, until } = following(path);
  await until(() => expect(file.details).toMatchObject({ open: true }));
  appendFileSync(path, line(1));
  await until(() => expect(messages).toEqual(signals(1)));
  // a folder stands at the path for a moment
  renameSync(path, `${path}.kept`);
  mkdirSync(path);
  await until(() => expect(file.problem).toMatch(/it is no file/));
  rmdirSync(path);
  appendFileSync(`${path}.kept`, line(2));
  renameSync(`${path}.kept`, path);
  await until(() => expect(messages).toEqual(signals(1, 2)));
  expect(file.problem).toBeUndefined();
  await file.close();
});

it('a followed file that does not exist yet is reported once, and read from its beginning when it appears', async () => {
  const path = join(folder(), 'later', 'signals.ndjson');
  const { file, messages, logged, until } = following(path);
  await until(() => expect(file.problem).toMatch(/not there/));
  await until(() => expect(logged).toHaveLength(1));
  mkdirSync(dirname(path));
  writeFileSync(path, line(1));
  await until(() => expect(messages).toEqual(signals(1)));
  expect(file.problem).toBeUndefined();
  expect(logged.map(({ level, message }) => [level, message.replace(/:.*/, '')])).toEqual([
    ['warn', 'a source of signals fails'],
    ['info', 'a source of signals works again'],
  ]);
  rmSync(path);
  await until(() => expect(file.problem).toMatch(/not there/));
  await file.close();
});

it('a followed file skips a line that never ends and reads the next one; a folder is refused as no file', async () => {
  const dir = folder();
  const path = join(dir, 'signals.ndjson');
  writeFileSync(path, '');
  const { file, messages, logged, until } = following(path);
  await until(() => expect(file.details).toMatchObject({ open: true }));
  appendFileSync(path, 'x'.repeat(3_000_000));
  appendFileSync(path, `\n${line(1)}`);
  await until(() => expect(messages).toEqual(signals(1)));
  expect(logged).toMatchObject([{ fields: { kind: 'too long' } }]);
  await file.close();
  const other = following(dir);
  await other.until(() => expect(other.file.problem).toMatch(/it is no file/));
  await other.file.close();
});
