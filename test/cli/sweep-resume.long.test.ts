// How --resume treats files in --out that something else wrote: it refuses them with a clear message and exit
// code, or plays the point again.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { command, folder, run, writeConfig } from '../support/children.ts';
import { writeGameDays } from '../support/game-days.ts';
import { BOT } from '../sweep/fixtures.ts';

let args: readonly string[];
let out = '';
let points = '';
let begun = '';
beforeAll(async () => {
  const made = folder();
  out = join(made, 'out');
  const tapes = writeGameDays(made, 2, 1, 14);
  args = ['sweep', writeConfig(BOT, made), '--tape', tapes, '--out', out, '--param', 'main.edge=0.01,0.02'];
  const ended = await command(args);
  expect(ended.code, ended.stderr).toBe(0);
  points = readFileSync(join(out, 'points.ndjson'), 'utf8');
  begun = readFileSync(join(out, 'sweep.json'), 'utf8');
});
const resumed = () => command([...args, '--resume']);

describe('oddsmaker sweep --resume', () => {
  it.each<[string, (line: { outcome: unknown }) => void]>([
    ['no outcome', (line) => (line.outcome = null)],
    ['invalid games', (line) => (line.outcome = { ...(line.outcome as object), games: 7 })],
    ['an outcome of another kind', (line) => (line.outcome = { status: 'played' })],
  ])('plays a point again when its line has %s', async (_what, change) => {
    const [first = '', ...rest] = points.split('\n');
    const line = JSON.parse(first) as { outcome: unknown };
    change(line);
    writeFileSync(join(out, 'points.ndjson'), [JSON.stringify(line), ...rest].join('\n'));
    const ended = await resumed();
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('2 of 3 points are already known');
    expect(readFileSync(join(out, 'points.ndjson'), 'utf8')).toBe(points);
  });

  it.each(['{"settings":null}', '{"settings":[]}', 'null', '7'])('refuses a sweep.json that is %s', async (text) => {
    writeFileSync(join(out, 'sweep.json'), text);
    const ended = await resumed();
    writeFileSync(join(out, 'sweep.json'), begun);
    expect(ended.stderr).toContain('sweep.json: this is not a file of a sweep: name another --out');
    expect(ended.code).toBe(2);
  });

  it.each(['.lock', '.points.running.ndjson'])('reports a folder in place of %s', async (name) => {
    mkdirSync(join(out, name));
    const ended = await resumed();
    rmSync(join(out, name), { recursive: true });
    expect(ended.stderr).toMatch(/oddsmaker: --out \S+: \S+ cannot be (written|read) \(EISDIR.*\)\n$/);
    expect(ended.code).toBe(78);
  });

  it('leaves the lock of another machine alone, and takes the lock of an ended process of this machine', async () => {
    const lock = join(out, '.lock');
    writeFileSync(lock, '1 elsewhere pid:[1]');
    const ended = await resumed();
    expect(ended.stderr).toContain(
      `another sweep (process 1 of elsewhere pid:[1]) uses this folder; if none does, remove ${lock}`,
    );
    expect([ended.code, readFileSync(lock, 'utf8')]).toEqual([78, '1 elsewhere pid:[1]']);
    // the same machine, and another process namespace
    writeFileSync(lock, `999999999 ${hostname()} pid:[1]`);
    expect((await resumed()).code).toBe(78);
    writeFileSync(lock, '999999999');
    expect((await resumed()).code).toBe(0);
  });

  it('reports that the folder for temporary files is missing', async () => {
    writeFileSync(join(out, 'points.ndjson'), '');
    const ended = await run([...args, '--resume'], { TMPDIR: '/nowhere' });
    expect(ended.stderr).toContain(
      'oddsmaker: /nowhere, the folder for temporary files (TMPDIR), cannot be written: ENOENT',
    );
    expect(ended.code).toBe(78);
  });
});
