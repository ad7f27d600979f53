// The next run of an account reads the state of its request windows from the account's journals.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Command, GameId, Arrival, NewOrder, OrderRef, Rung } from '../../src/domain/index.ts';
import { cents, market } from '../../src/domain/index.ts';
import { JournalWriter } from '../../src/journal/journal.ts';
import { partFile } from '../../src/journal/journal-parts.ts';
import { readLastRequests } from '../../src/journal/last-requests.ts';
import { GOOD_DISK } from '../support/disk.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const place = (req: number): Command => ({ type: 'place', req, permit: req, orders: [], why: [] });
const cancel = (req: number): Command => ({ type: 'cancel', req, permit: req, orderIds: [], why: [] });
const reply = (req: number): Arrival => ({ type: 'reply', req, status: 200, body: {} });
const failure = (req: number, kind: 'timeout' | 'not-sent' | 'no-answer'): Arrival => ({
  type: 'failure',
  req,
  failure: kind,
  detail: '',
});
const TICK: Arrival = { type: 'tick' };

/** A step: its time in seconds before now, its input and its commands. */
type Step = readonly [secondsAgo: number, input: Arrival, ...commands: Command[]];

async function journal(
  folder: string,
  name: string,
  steps: readonly Step[],
  username = 'alice',
  partChars?: number,
): Promise<string> {
  const file = join(folder, `${name}.ndjson`);
  const header = { version: '1', config: { exchange: { username } }, strategies: [], profile: {} };
  const writer = new JournalWriter(file, header, GOOD_DISK, partChars);
  steps.forEach(([secondsAgo, input, ...commands], index) => {
    writer.record({ seq: index + 1, t: NOW - secondsAgo * 1000, mono: index, in: input }, commands);
  });
  await writer.close();
  const changed = (NOW - (steps.at(-1)?.[0] ?? 0) * 1000) / 1000;
  utimesSync(file, changed, changed);
  return file;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'last-requests-'));
  folders.push(made);
  return made;
}

const read = (from: string): ReturnType<typeof readLastRequests> =>
  readLastRequests(from, 'alice', { lateArrivalMs: 30_000, sinceMs: NOW - 5000, nowMs: NOW });
const ago = (...seconds: number[]): number[] => seconds.map((secondsAgo) => NOW - secondsAgo * 1000);

describe('the request windows that readLastRequests finds for a new run', () => {
  it('are empty when the last run ended in order long ago', async () => {
    const dir = folder();
    await journal(dir, 'old', [
      [3600, TICK, place(1)],
      [3599, reply(1)],
    ]);
    expect(await read(dir)).toEqual({ complete: true, ends: { place: [], cancel: [] }, unanswered: [] });
  });

  it('hold requests answered within the window, and unanswered requests until they can no longer arrive', async () => {
    const dir = folder();
    await journal(dir, 'last', [
      [20, TICK, place(1), place(2)],
      [19, reply(1)],
      [18, failure(2, 'timeout')],
      [4, TICK, place(3), cancel(4)],
      [3, reply(3)],
      [2.5, failure(4, 'no-answer')],
      [2, TICK, place(5)],
      [2, failure(5, 'not-sent')],
    ]);
    const { complete, ends } = await read(dir);
    expect(complete).toBe(true);
    expect([...ends.place].sort()).toEqual([...ago(3), NOW - 20_000 + 30_000]);
    expect(ends.cancel).toEqual([NOW - 4000 + 30_000]);
  });

  it('are incomplete when the journal is torn, but its readable requests count', async () => {
    const dir = folder();
    const file = await journal(dir, 'torn', [
      [2, TICK, place(1)],
      [1, reply(1)],
    ]);
    writeFileSync(join(dir, 'foreign.ndjson'), 'something else\n');
    truncateSync(file, 300);
    appendFileSync(file, '');
    const { complete, ends } = await read(dir);
    expect(complete).toBe(false);
    expect(ends.place.length).toBeLessThanOrEqual(1);
  });

  it('are read from several short runs, and never from another account', async () => {
    const dir = folder();
    await journal(dir, 'first', [
      [4, TICK, place(1)],
      [3.5, reply(1)],
    ]);
    await journal(dir, 'second', [
      [2, TICK, place(1)],
      [1.5, reply(1)],
    ]);
    await journal(
      dir,
      'other',
      [
        [1, TICK, place(1)],
        [0.5, reply(1)],
      ],
      'bob',
    );
    const { complete, ends } = await read(dir);
    expect(complete).toBe(true);
    expect([...ends.place].sort()).toEqual(ago(3.5, 1.5));
  });

  it('are incomplete without a journal of the account, without a folder, or after a clock stepped back', async () => {
    const dir = folder();
    await journal(dir, 'other', [[1, TICK]], 'bob');
    expect((await read(dir)).complete).toBe(false);
    await journal(dir, 'future', [
      [-60, TICK, place(1)],
      [-61, reply(1)],
    ]);
    expect((await read(dir)).complete).toBe(false);
    expect((await read(join(dir, 'nowhere'))).complete).toBe(false);
  });

  it('are read from the tail of a long journal only', async () => {
    const dir = folder();
    const frame: Arrival = { type: 'frame', feed: 'prices', epoch: 1, event: 'e', data: 'x'.repeat(20_000) };
    const long = Array.from({ length: 500 }, (_none, index): Step => [600 - index, frame]);
    await journal(dir, 'long', [[700, TICK, place(1)], ...long, [3, TICK, place(2)], [2, reply(2)]]);
    expect(await read(dir)).toMatchObject({ complete: true, ends: { place: ago(2), cancel: [] } });
  });

  it.each([
    ['nothing', '', false],
    ['half a header', '{"journal":1,"ver', false],
    ['a tape', '{"tape":1}\n', true],
    ['text that is no journal', 'notes\n', true],
  ])('with %s (%j) in the newest file are complete: %s', async (_name, text, complete) => {
    const dir = folder();
    await journal(dir, 'before', [
      [4, TICK, place(1)],
      [3, reply(1)],
    ]);
    const newest = join(dir, 'newest.ndjson');
    writeFileSync(newest, text);
    utimesSync(newest, NOW / 1000, NOW / 1000);
    expect(await read(dir)).toMatchObject({ complete });
  });

  describe('from a journal that has just begun another part', () => {
    /** A thousand records, then `next` in the following part. Only the last three of the thousand count. */
    const steps = (...next: readonly Step[]): readonly Step[] => [
      ...Array.from({ length: 997 }, (): Step => [60, TICK]),
      [4, TICK, place(1), place(2)],
      [3, reply(1)],
      [3, TICK, cancel(3)],
      ...next,
    ];
    const both = async (...next: readonly Step[]): Promise<{ dir: string; second: string }> => {
      const dir = folder();
      const first = await journal(dir, 'long', steps(...next), 'alice', 1);
      return { dir, second: partFile(first, 2) };
    };

    it('are read from both parts, each answer with its request', async () => {
      const { dir } = await both([2, reply(2)], [1, TICK, place(4)], [0.5, reply(4)]);
      const { complete, ends } = await read(dir);
      expect(complete).toBe(true);
      expect([...ends.place].sort()).toEqual(ago(3, 2, 0.5));
      expect(ends.cancel).toEqual([NOW - 3000 + 30_000]);
    });

    it('are read from a first part that was packed at once, and are incomplete when it is cut off', async () => {
      const { dir, second } = await both([2, reply(2)]);
      const first = second.replace('.part0002', '');
      writeFileSync(`${first}.zst`, zstdCompressSync(readFileSync(first)));
      rmSync(first);
      const { complete, ends } = await read(dir);
      expect(complete).toBe(true);
      expect([...ends.place].sort()).toEqual(ago(3, 2));
      // a first part that is cut off counts as missing
      truncateSync(`${first}.zst`, 100);
      expect(await read(dir)).toMatchObject({ complete: false, ends: { place: [] } });
    });

    it('are complete when a later run has packed the last part', async () => {
      const { dir, second } = await both([2, reply(2)]);
      writeFileSync(`${second}.zst`, zstdCompressSync(readFileSync(second)));
      rmSync(second);
      const { complete, ends } = await read(dir);
      expect(complete).toBe(true);
      expect([...ends.place].sort()).toEqual(ago(3, 2));
    });

    it('are read from a part of any number of records', async () => {
      const dir = folder();
      const busy = Array.from({ length: 150_000 }, (): Step => [4, TICK]);
      await journal(dir, 'long', [[60, TICK], ...busy, [3, TICK, place(1)]], 'alice', 5_000_000);
      expect(await read(dir)).toMatchObject({ complete: true, ends: { place: [NOW - 3000 + 30_000] } });
    });

    it.each([
      ['nothing', ''],
      ['half a header', '{"journal":1,"ver'],
    ])('are incomplete when a kill left %s in the new part', async (_name, text) => {
      const { dir, second } = await both();
      writeFileSync(second, text);
      const { complete, ends } = await read(dir);
      expect(complete).toBe(false);
      expect([...ends.place].sort()).toEqual([NOW - 3000, NOW - 4000 + 30_000]);
    });

    it('are incomplete when a kill came after a regular chain record', async () => {
      const { dir, second } = await both();
      const first = second.replace('.part0002', '');
      rmSync(second);
      writeFileSync(first, readFileSync(first, 'utf8').replace(/,"next":2}\n$/, '}\n'));
      expect(await read(dir)).toMatchObject({ complete: false });
    });

    it('are incomplete when a part before the last is missing, or all parts are empty', async () => {
      const dir = folder();
      const busy = Array.from({ length: 2500 }, (): Step => [4, TICK]);
      const first = await journal(dir, 'long', [[60, TICK, place(1)], ...busy], 'alice', 1);
      rmSync(partFile(first, 2));
      expect(await read(dir)).toMatchObject({ complete: false });
      const other = await both([2, reply(2)]);
      await journal(other.dir, 'older', [[3600, TICK]]);
      for (const part of [other.second.replace('.part0002', ''), other.second]) {
        writeFileSync(part, '');
        utimesSync(part, NOW / 1000, NOW / 1000);
      }
      expect(await read(other.dir)).toMatchObject({ complete: false });
    });

    it('are incomplete when one of the two parts is missing', async () => {
      const { dir, second } = await both([2, reply(2)]);
      rmSync(second.replace('.part0002', ''));
      expect(await read(dir)).toMatchObject({ complete: false });
      const other = await both([2, reply(2)]);
      rmSync(other.second);
      expect(await read(other.dir)).toMatchObject({ complete: false });
    });
  });

  it('come with the unanswered orders that may still arrive', async () => {
    const dir = folder();
    const order = (ref: string): NewOrder => ({
      ref: ref as OrderRef,
      market: market('g' as GameId, 'total', 210.5),
      side: 'over',
      rung: 30 as Rung,
      risk: cents(500),
    });
    const placing = (req: number, ...refs: string[]): Command =>
      ({ ...place(req), orders: refs.map(order) }) as Command;
    await journal(dir, 'killed', [
      [60, TICK, placing(1, 'long-ago')],
      [8, TICK, placing(2, 'answered')],
      [7, reply(2)],
      [5, TICK, placing(3, 'late-1', 'late-2')],
      [3, failure(3, 'timeout')],
      [2, TICK, placing(4, 'held')],
      [2, failure(4, 'not-sent')],
    ]);
    expect((await read(dir)).unanswered).toEqual(
      ['late-1', 'late-2'].map((ref) => ({ order: order(ref), sentT: NOW - 5000 })),
    );
  });

  it('come with the unanswered orders of the run before a killed last run', async () => {
    const dir = folder();
    const order: NewOrder = {
      ref: 'first' as OrderRef,
      market: market('g' as GameId, 'total', 210.5),
      side: 'over',
      rung: 30 as Rung,
      risk: cents(500),
    };
    await journal(dir, 'first', [[10, TICK, { ...place(1), orders: [order] } as Command]]);
    const second = await journal(dir, 'second', [[4, TICK]]);
    const lines = readFileSync(second, 'utf8').trimEnd().split('\n');
    writeFileSync(second, `${lines.slice(0, -1).join('\n')}\n`);
    utimesSync(second, NOW / 1000 - 4, NOW / 1000 - 4);
    expect(await read(dir)).toMatchObject({ complete: false, unanswered: [{ order: { ref: 'first' } }] });
  });
});
