// What the journals of an account tell of its request windows when the next run starts.
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

/** One step: seconds before now, its input and its commands. */
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
const ago = (...seconds: number[]): number[] => seconds.map((one) => NOW - one * 1000);

describe('the windows at a start', () => {
  it('hold nothing when the last run ended in order long ago', async () => {
    const at = folder();
    await journal(at, 'old', [
      [3600, TICK, place(1)],
      [3599, reply(1)],
    ]);
    expect(await read(at)).toEqual({ complete: true, ends: { place: [], cancel: [] }, unanswered: [] });
  });

  it('hold what was answered within the window, and what was never answered until it can no longer arrive', async () => {
    const at = folder();
    await journal(at, 'last', [
      [20, TICK, place(1), place(2)],
      [19, reply(1)],
      [18, failure(2, 'timeout')],
      [4, TICK, place(3), cancel(4)],
      [3, reply(3)],
      [2.5, failure(4, 'no-answer')],
      [2, TICK, place(5)],
      [2, failure(5, 'not-sent')],
    ]);
    const { complete, ends } = await read(at);
    expect(complete).toBe(true);
    expect([...ends.place].sort()).toEqual([...ago(3), NOW - 20_000 + 30_000]);
    expect(ends.cancel).toEqual([NOW - 4000 + 30_000]);
  });

  it('are not all known when the journal was torn, but what it tells still counts', async () => {
    const at = folder();
    const file = await journal(at, 'torn', [
      [2, TICK, place(1)],
      [1, reply(1)],
    ]);
    writeFileSync(join(at, 'foreign.ndjson'), 'something else\n');
    truncateSync(file, 300);
    appendFileSync(file, '');
    const { complete, ends } = await read(at);
    expect(complete).toBe(false);
    expect(ends.place.length).toBeLessThanOrEqual(1);
  });

  it('are read over several short runs, and never from another account', async () => {
    const at = folder();
    await journal(at, 'first', [
      [4, TICK, place(1)],
      [3.5, reply(1)],
    ]);
    await journal(at, 'second', [
      [2, TICK, place(1)],
      [1.5, reply(1)],
    ]);
    await journal(
      at,
      'other',
      [
        [1, TICK, place(1)],
        [0.5, reply(1)],
      ],
      'bob',
    );
    const { complete, ends } = await read(at);
    expect(complete).toBe(true);
    expect([...ends.place].sort()).toEqual(ago(3.5, 1.5));
  });

  it('are not known without a journal of the account, with a clock that went back, or without a folder', async () => {
    const at = folder();
    await journal(at, 'other', [[1, TICK]], 'bob');
    expect((await read(at)).complete).toBe(false);
    await journal(at, 'future', [
      [-60, TICK, place(1)],
      [-61, reply(1)],
    ]);
    expect((await read(at)).complete).toBe(false);
    expect((await read(join(at, 'nowhere'))).complete).toBe(false);
  });

  it('are read from the tail of a long journal alone', async () => {
    const at = folder();
    const frame: Arrival = { type: 'frame', feed: 'prices', epoch: 1, event: 'e', data: 'x'.repeat(20_000) };
    const long = Array.from({ length: 500 }, (_none, index): Step => [600 - index, frame]);
    await journal(at, 'long', [[700, TICK, place(1)], ...long, [3, TICK, place(2)], [2, reply(2)]]);
    expect(await read(at)).toMatchObject({ complete: true, ends: { place: ago(2), cancel: [] } });
  });

  it.each([
    ['nothing', '', false],
    ['half of its first line', '{"journal":1,"ver', false],
    ['the tape of somebody', '{"tape":1}\n', true],
    ['no journal at all', 'notes\n', true],
  ])('are all known when the newest file has %s: %s', async (_what, text, complete) => {
    const at = folder();
    await journal(at, 'before', [
      [4, TICK, place(1)],
      [3, reply(1)],
    ]);
    const newest = join(at, 'newest.ndjson');
    writeFileSync(newest, text);
    utimesSync(newest, NOW / 1000, NOW / 1000);
    expect(await read(at)).toMatchObject({ complete });
  });

  describe('of a journal that has just gone on in another part', () => {
    /** A thousand records, of which the last ones count, and some in the next part. */
    const steps = (...next: readonly Step[]): readonly Step[] => [
      ...Array.from({ length: 997 }, (): Step => [60, TICK]),
      [4, TICK, place(1), place(2)],
      [3, reply(1)],
      [3, TICK, cancel(3)],
      ...next,
    ];
    const both = async (...next: readonly Step[]): Promise<{ at: string; second: string }> => {
      const at = folder();
      const first = await journal(at, 'long', steps(...next), 'alice', 1);
      return { at, second: partFile(first, 2) };
    };

    it('are read from both, each answer with its request', async () => {
      const { at } = await both([2, reply(2)], [1, TICK, place(4)], [0.5, reply(4)]);
      const { complete, ends } = await read(at);
      expect(complete).toBe(true);
      expect([...ends.place].sort()).toEqual(ago(3, 2, 0.5));
      expect(ends.cancel).toEqual([NOW - 3000 + 30_000]);
    });

    it('are read from it although it was packed at once', async () => {
      const { at, second } = await both([2, reply(2)]);
      const first = second.replace('.part0002', '');
      writeFileSync(`${first}.zst`, zstdCompressSync(readFileSync(first)));
      rmSync(first);
      const { complete, ends } = await read(at);
      expect(complete).toBe(true);
      expect([...ends.place].sort()).toEqual(ago(3, 2));
      // half of it is as good as none
      truncateSync(`${first}.zst`, 100);
      expect(await read(at)).toMatchObject({ complete: false, ends: { place: [] } });
    });

    it('are all known when a later run has packed the last part', async () => {
      const { at, second } = await both([2, reply(2)]);
      writeFileSync(`${second}.zst`, zstdCompressSync(readFileSync(second)));
      rmSync(second);
      const { complete, ends } = await read(at);
      expect(complete).toBe(true);
      expect([...ends.place].sort()).toEqual(ago(3, 2));
    });

    it('are read from any number of records', async () => {
      const at = folder();
      const busy = Array.from({ length: 150_000 }, (): Step => [4, TICK]);
      await journal(at, 'long', [[60, TICK], ...busy, [3, TICK, place(1)]], 'alice', 5_000_000);
      expect(await read(at)).toMatchObject({ complete: true, ends: { place: [NOW - 3000 + 30_000] } });
    });

    it.each([
      ['nothing', ''],
      ['half a header', '{"journal":1,"ver'],
    ])('are not all known when a kill left %s of it', async (_what, text) => {
      const { at, second } = await both();
      writeFileSync(second, text);
      const { complete, ends } = await read(at);
      expect(complete).toBe(false);
      expect([...ends.place].sort()).toEqual([NOW - 3000, NOW - 4000 + 30_000]);
    });

    it('are not all known when a kill came behind a regular chain record', async () => {
      const { at, second } = await both();
      const first = second.replace('.part0002', '');
      rmSync(second);
      writeFileSync(first, readFileSync(first, 'utf8').replace(/,"next":2}\n$/, '}\n'));
      expect(await read(at)).toMatchObject({ complete: false });
    });

    it('are not all known with a hole before the last part, or a part that is empty', async () => {
      const at = folder();
      const busy = Array.from({ length: 2500 }, (): Step => [4, TICK]);
      const first = await journal(at, 'long', [[60, TICK, place(1)], ...busy], 'alice', 1);
      rmSync(partFile(first, 2));
      expect(await read(at)).toMatchObject({ complete: false });
      const other = await both([2, reply(2)]);
      await journal(other.at, 'older', [[3600, TICK]]);
      for (const part of [other.second.replace('.part0002', ''), other.second]) {
        writeFileSync(part, '');
        utimesSync(part, NOW / 1000, NOW / 1000);
      }
      expect(await read(other.at)).toMatchObject({ complete: false });
    });

    it('are not all known without the part before', async () => {
      const { at, second } = await both([2, reply(2)]);
      rmSync(second.replace('.part0002', ''));
      expect(await read(at)).toMatchObject({ complete: false });
      const other = await both([2, reply(2)]);
      rmSync(other.second);
      expect(await read(other.at)).toMatchObject({ complete: false });
    });
  });

  it('tell of the orders that were never answered and may still land', async () => {
    const at = folder();
    const order = (ref: string): NewOrder => ({
      ref: ref as OrderRef,
      market: market('g' as GameId, 'total', 210.5),
      side: 'over',
      rung: 30 as Rung,
      risk: cents(500),
    });
    const of = (req: number, ...refs: string[]): Command => ({ ...place(req), orders: refs.map(order) }) as Command;
    await journal(at, 'killed', [
      [60, TICK, of(1, 'long-ago')],
      [8, TICK, of(2, 'answered')],
      [7, reply(2)],
      [5, TICK, of(3, 'late-1', 'late-2')],
      [3, failure(3, 'timeout')],
      [2, TICK, of(4, 'held')],
      [2, failure(4, 'not-sent')],
    ]);
    expect((await read(at)).unanswered).toEqual(
      ['late-1', 'late-2'].map((ref) => ({ order: order(ref), sentT: NOW - 5000 })),
    );
  });

  it('tell of those of the run before the last one too, though the last one was killed', async () => {
    const at = folder();
    const order: NewOrder = {
      ref: 'first' as OrderRef,
      market: market('g' as GameId, 'total', 210.5),
      side: 'over',
      rung: 30 as Rung,
      risk: cents(500),
    };
    await journal(at, 'first', [[10, TICK, { ...place(1), orders: [order] } as Command]]);
    const second = await journal(at, 'second', [[4, TICK]]);
    const lines = readFileSync(second, 'utf8').trimEnd().split('\n');
    writeFileSync(second, `${lines.slice(0, -1).join('\n')}\n`);
    utimesSync(second, NOW / 1000 - 4, NOW / 1000 - 4);
    expect(await read(at)).toMatchObject({ complete: false, unanswered: [{ order: { ref: 'first' } }] });
  });
});
