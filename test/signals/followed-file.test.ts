// A file that is followed, with everything that other programs do to files.
import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { FollowedFile } from '../../src/signals/index.ts';
import { folder } from '../support/children.ts';

type Said = {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

function following(path: string) {
  const told: unknown[] = [];
  const said: Said[] = [];
  const note =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>>): void => {
      said.push({ level, message, fields });
    };
  let now = 0;
  const file = new FollowedFile(path, {
    take: (messages) => told.push(...messages),
    log: { info: note('info'), warn: note('warn') },
    now: () => now,
  });
  /** Looks again and again, as time passes. */
  const until = (wanted: () => void): Promise<void> =>
    vi.waitFor(
      () => {
        now += 100;
        wanted();
      },
      { timeout: 10_000, interval: 20 },
    );
  return { file, told, said, until };
}

const line = (p: number): string => `${JSON.stringify({ values: { p } })}\n`;
const told = (...ps: readonly number[]): unknown[] => ps.map((p) => ({ values: { p } }));

it('is followed from its end, line by line, a torn one when the rest of it is there', async () => {
  const path = join(folder(), 'signals.ndjson');
  writeFileSync(path, `${line(0)}{"values": {"old`);
  const { file, told: got, said, until } = following(path);
  await until(() => expect(file.details).toMatchObject({ open: true }));
  appendFileSync(path, `": 1}}\n${line(1)}[${line(2).trim()},${line(3).trim()}]\n\n{"values":`);
  await until(() => expect(got).toEqual(told(1, 2, 3)));
  appendFileSync(path, '{"p":4}}\nrubbish\nmore rubbish\n');
  appendFileSync(path, line(5));
  await until(() => expect(got).toEqual(told(1, 2, 3, 4, 5)));
  expect(file.details).toMatchObject({ 'no JSON': 2 });
  expect(said).toMatchObject([{ level: 'warn', fields: { kind: 'no JSON', line: 'rubbish' } }]);
  await file.close();
});

it('that is cut, or replaced by another, is read from its beginning', async () => {
  const path = join(folder(), 'signals.ndjson');
  writeFileSync(path, line(0).repeat(5));
  const { file, told: got, until } = following(path);
  await until(() => expect(file.details).toMatchObject({ open: true }));
  truncateSync(path, 0);
  appendFileSync(path, line(1));
  await until(() => expect(got).toEqual(told(1)));
  // what still comes into the former one is read too
  appendFileSync(path, line(2));
  renameSync(path, `${path}.1`);
  appendFileSync(`${path}.1`, line(3));
  writeFileSync(path, line(4));
  await until(() => expect(got).toEqual(told(1, 2, 3, 4)));
  appendFileSync(path, line(5));
  await until(() => expect(got).toEqual(told(1, 2, 3, 4, 5)));
  await file.close();
});

it('that cannot be read for a while is read on where it was, and tells nothing twice', async () => {
  const path = join(folder(), 'signals.ndjson');
  writeFileSync(path, line(0));
  const { file, told: got, until } = following(path);
  await until(() => expect(file.details).toMatchObject({ open: true }));
  appendFileSync(path, line(1));
  await until(() => expect(got).toEqual(told(1)));
  // something else stands there for a moment
  renameSync(path, `${path}.kept`);
  mkdirSync(path);
  await until(() => expect(file.problem).toMatch(/it is no file/));
  rmdirSync(path);
  appendFileSync(`${path}.kept`, line(2));
  renameSync(`${path}.kept`, path);
  await until(() => expect(got).toEqual(told(1, 2)));
  expect(file.problem).toBeUndefined();
  await file.close();
});

it('that is not there yet is told once, and read from its beginning when it comes', async () => {
  const path = join(folder(), 'later', 'signals.ndjson');
  const { file, told: got, said, until } = following(path);
  await until(() => expect(file.problem).toMatch(/not there/));
  await until(() => expect(said).toHaveLength(1));
  mkdirSync(dirname(path));
  writeFileSync(path, line(1));
  await until(() => expect(got).toEqual(told(1)));
  expect(file.problem).toBeUndefined();
  expect(said.map(({ level, message }) => [level, message.replace(/:.*/, '')])).toEqual([
    ['warn', 'a source of signals fails'],
    ['info', 'a source of signals works again'],
  ]);
  rmSync(path);
  await until(() => expect(file.problem).toMatch(/not there/));
  await file.close();
});

it('a line without an end is left out, and what follows is read; a folder is no file', async () => {
  const dir = folder();
  const path = join(dir, 'signals.ndjson');
  writeFileSync(path, '');
  const { file, told: got, said, until } = following(path);
  await until(() => expect(file.details).toMatchObject({ open: true }));
  appendFileSync(path, 'x'.repeat(3_000_000));
  appendFileSync(path, `\n${line(1)}`);
  await until(() => expect(got).toEqual(told(1)));
  expect(said).toMatchObject([{ fields: { kind: 'too long' } }]);
  await file.close();
  const other = following(dir);
  await other.until(() => expect(other.file.problem).toMatch(/it is no file/));
  await other.file.close();
});
