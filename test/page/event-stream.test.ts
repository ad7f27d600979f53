// The stream of events for programs: both formats carry the same events and numbers, and a client that does
// not read delays no other client.
import type { IncomingMessage } from 'node:http';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import type { EventFormat } from '../../src/page/server/event-stream.ts';
import { EventStream } from '../../src/page/server/event-stream.ts';

async function streaming() {
  const stream = new EventStream();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    stream.addClient(response, {
      format: url.pathname.slice(1) as EventFormat,
      books: url.searchParams.getAll('book'),
      types: url.searchParams.has('types') ? 'all' : undefined,
      after: url.searchParams.get('after') ?? undefined,
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const open = (path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(`http://127.0.0.1:${port}/${path}`, resolve).on('error', reject);
    });
  const close = (): Promise<void> =>
    new Promise((closed) => {
      stream.close();
      server.closeAllConnections();
      server.close(() => closed());
    });
  return { stream, open, [Symbol.asyncDispose]: close };
}

function reading(response: IncomingMessage): { text: string } {
  const read = { text: '' };
  response.on('error', () => undefined).on('data', (chunk: Buffer) => (read.text += chunk.toString()));
  return read;
}

const until = (wanted: () => void): Promise<void> => vi.waitFor(wanted, { timeout: 10_000, interval: 10 });

it('an event stream carries the same events and numbers in both formats, and books only for the markets asked for', async () => {
  await using server = await streaming();
  const [sse, lines] = [await server.open('sse?book=m1'), await server.open('ndjson?book=m1')];
  expect([sse, lines].map(({ headers }) => headers['content-type'])).toEqual([
    'text/event-stream',
    'application/x-ndjson',
  ]);
  const [events, objects] = [reading(sse), reading(lines)];
  expect([...server.stream.books]).toEqual(['m1']);
  server.stream.send({ event: 'fill', data: { t: 1, risk: 5 } });
  server.stream.send({ event: 'book', market: 'm2', data: { t: 2, market: 'm2' } });
  server.stream.send({ event: 'book', market: 'm1', data: { t: 3, market: 'm1' } });
  await until(() => expect(objects.text.trim().split('\n')).toHaveLength(2));
  const received = objects.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(received).toEqual([
    { n: 1, event: 'fill', t: 1, risk: 5 },
    { n: 2, event: 'book', t: 3, market: 'm1' },
  ]);
  await until(() => expect(events.text).toContain('id: 2'));
  expect(events.text).toBe(
    [
      'retry: 1000',
      'id: 1\nevent: fill\ndata: {"n":1,"t":1,"risk":5}',
      'id: 2\nevent: book\ndata: {"n":2,"t":3,"market":"m1"}\n\n',
    ].join('\n\n'),
  );
});

it.each(['sse', 'ndjson'] as const)(
  'an event stream drops a client of %s that does not read, and keeps the others',
  async (format) => {
    await using server = await streaming();
    const [slow, quick] = [await server.open(format), await server.open(format)];
    const gone = new Promise<void>((resolve) => slow.on('close', resolve).on('error', () => undefined));
    slow.pause();
    const read = reading(quick);
    const filler = 'x'.repeat(50_000);
    let sent = 0;
    await until(() => {
      server.stream.send({ event: 'mark', data: { t: (sent += 1), filler } });
      slow.resume();
      slow.pause();
      expect(server.stream.listening).toBe(1);
    });
    slow.resume();
    await gone;
    server.stream.send({ event: 'mark', data: { t: -1 } });
    await until(() => expect(read.text).toContain('"t":-1'));
    expect(read.text).toContain(`"n":${sent + 1},`);
  },
);

const step = (seq: number) => ({ seq, t: 1000 + seq });
const reconciled = (open: number) => ({ type: 'Reconciled', open }) as const;
const objectsIn = (text: string): readonly Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('an event stream sends events of the run to clients that ask for them, each with its position', async () => {
  await using server = await streaming();
  const [asked, silent] = [await server.open('sse?types=all'), await server.open('sse')];
  const [events, others] = [reading(asked), reading(silent)];
  server.stream.sendRunEvents(step(7), [reconciled(1), { type: 'FeedUp', feed: 'user', epoch: 2 }]);
  server.stream.send({ event: 'mark', data: { t: 5 } });
  await until(() => expect(events.text).toContain('event: mark'));
  expect(events.text).toBe(
    [
      'retry: 1000',
      'id: 7.0\nevent: Reconciled\ndata: {"n":1,"seq":7,"t":1007,"type":"Reconciled","open":1}',
      'id: 7.1\nevent: FeedUp\ndata: {"n":2,"seq":7,"t":1007,"type":"FeedUp","feed":"user","epoch":2}',
      'event: mark\ndata: {"n":3,"t":5}\n\n',
    ].join('\n\n'),
  );
  await until(() => expect(others.text).toContain('event: mark'));
  expect(others.text).not.toContain('Reconciled');
});

it('an event stream resumes after the position of the client, and reports a gap when events in between are lost', async () => {
  await using server = await streaming();
  server.stream.sendRunEvents(step(1), [reconciled(0), reconciled(1)]);
  server.stream.sendRunEvents(step(2), [reconciled(2)]);
  const behindStep = reading(await server.open('ndjson?types=all&after=1'));
  const behindEvent = reading(await server.open('ndjson?types=all&after=1.0'));
  const elsewhere = reading(await server.open('ndjson?types=all&after=900'));
  await until(() => expect(objectsIn(behindStep.text).map(({ open }) => open)).toEqual([2]));
  await until(() => expect(objectsIn(behindEvent.text).map(({ open }) => open)).toEqual([1, 2]));
  await until(() => expect(objectsIn(elsewhere.text)).toEqual([{ n: 1, event: 'Gap', after: '900', from: 2 }]));
  // enough events that the stream no longer keeps the first ones
  for (let seq = 3; seq < 30_000; seq++) server.stream.sendRunEvents(step(seq), [reconciled(seq)]);
  const late = reading(await server.open('ndjson?types=all&after=2'));
  await until(() => expect(objectsIn(late.text).at(-1)).toMatchObject({ seq: 29_999 }));
  const [gap, next] = objectsIn(late.text);
  expect(gap).toMatchObject({ event: 'Gap', after: '2' });
  expect(next?.['seq']).toBe(gap?.['from']);
});
