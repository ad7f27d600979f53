// The stream of the page: changes between two states, and clients that read slowly or not at all.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Rows } from '../../src/page/changes.ts';
import { changedFields, changedRows } from '../../src/page/changes.ts';
import type { PageSource } from '../../src/page/server/page-stream.ts';
import { PageStream } from '../../src/page/server/page-stream.ts';
import type { PageState } from '../../src/page/state.ts';

/** The rows after a change, computed as the page does. */
function applied(before: Rows, change: ReturnType<typeof changedRows>): Rows {
  const rows = new Map<string, unknown>(Object.entries(before));
  for (const id of change?.gone ?? []) rows.delete(id);
  for (const [id, row] of Object.entries(change?.set ?? {})) {
    const known = rows.get(id);
    rows.set(id, Array.isArray(row) || known === undefined ? row : { ...known, ...(row as object) });
  }
  return Object.fromEntries(rows) as Rows;
}

const value = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer({ min: 0, max: 2 })),
  fc.record({ a: fc.integer({ min: 0, max: 2 }) }),
);
// rows of one section have the same fields
const rows = fc.dictionary(
  fc.constantFrom('x', 'y', 'z', 'w'),
  fc.record({ one: value, two: value }),
) as fc.Arbitrary<Rows>;

describe('a change between two states', () => {
  it('turns any state before into the state after', () => {
    fc.assert(
      fc.property(rows, rows, (before, after) => {
        expect(applied(before, changedRows(before, after))).toEqual(after);
      }),
    );
  });

  it('is undefined for equal states, and otherwise holds only the changed fields', () => {
    const row = { a: 1, b: [1, { c: 2 }], d: null };
    expect(changedRows({ x: row }, { x: structuredClone(row) })).toBeUndefined();
    expect(changedRows({ x: row }, { x: { ...row, b: [1, { c: 3 }] } })).toEqual({
      set: { x: { b: [1, { c: 3 }] } },
    });
    expect(changedFields(row, { ...row, d: 5 })).toEqual({ d: 5 });
    expect(changedRows({ x: [1, 2] }, { x: [1, 3], y: [4] })).toEqual({ set: { x: [1, 3], y: [4] } });
    expect(changedRows({ x: row }, {})).toEqual({ gone: ['x'] });
  });
});

/** A source with a megabyte of rows that all change with each read of its state. `turns` counts the reads. */
function bigSource(): PageSource & { readonly turns: () => number } {
  let turn = 0;
  const section = {};
  return {
    *stateInParts() {
      turn += 1;
      const markets = Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [String(index), { turn, text: String(turn % 10).repeat(1000) }]),
      );
      return {
        seq: turn,
        t: turn,
        now: { turn },
        markets,
        orders: section,
        externals: section,
        fills: section,
        strategies: section,
        log: section,
        alerts: section,
        recent: section,
        curve: section,
      } as unknown as PageState;
    },
    market: () => undefined,
    turns: () => turn,
  };
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function served(): Promise<{ stream: PageStream; port: number; turns: () => number }> {
  const source = bigSource();
  const stream = new PageStream(source);
  const server = createServer((_request, response) => {
    stream.addClient(response, { role: 'view', market: undefined, zips: false });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    stream.close();
    server.close();
    server.closeAllConnections();
  });
  return { stream, port: (server.address() as AddressInfo).port, turns: source.turns };
}

const ask = (port: number) => {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  socket.on('error', () => undefined);
  ends.push(() => socket.destroy());
  return socket;
};

describe('a client of the page stream', () => {
  it('is dropped when it never reads, and holds little memory until then', async () => {
    const { stream, port } = await served();
    for (let count = 0; count < 10; count++) ask(port).pause();
    const before = process.memoryUsage().rss;
    await vi.waitFor(() => expect(stream.clients).toBe(10), { timeout: 5000 });
    await vi.waitFor(() => expect(stream.clients).toBe(0), { timeout: 15_000, interval: 100 });
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });

  it('receives a new snapshot when it reads again after a pause', async () => {
    const { port, turns } = await served();
    const socket = ask(port);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    const count = (event: string): number => text.split(`event: ${event}\n`).length - 1;
    await vi.waitFor(() => expect(count('change')).toBeGreaterThan(1), { timeout: 5000 });
    expect(count('snapshot')).toBe(1);
    socket.pause();
    // more states than the connection can buffer, on any machine
    const paused = turns();
    await vi.waitFor(() => expect(turns()).toBeGreaterThan(paused + 12), { timeout: 15_000 });
    socket.resume();
    await vi.waitFor(() => expect(count('snapshot')).toBe(2), { timeout: 10_000 });
    // changes follow the new snapshot
    const changes = count('change');
    await vi.waitFor(() => expect(count('change')).toBeGreaterThan(changes), { timeout: 5000 });
    expect(count('snapshot')).toBe(2);
  });

  it('is refused when 32 others are connected', async () => {
    const { stream, port } = await served();
    for (let count = 0; count < 40; count++) ask(port).resume();
    await vi.waitFor(() => expect(stream.clients).toBe(32), { timeout: 5000 });
  });
});
