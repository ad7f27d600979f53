// Signals of a Redis stream, read from a real server that goes away, comes back, is full, or holds another
// type.
import { describe, expect, it, vi } from 'vitest';
import { RedisStream } from '../../src/signals/redis/redis-stream.ts';
import { HAS_REDIS, TestRedis } from '../support/redis.ts';

const STREAM = 'signals';

function reading(url: string, stream = STREAM) {
  const messages: { values: Record<string, number>; ts: number }[] = [];
  const logged: string[] = [];
  const source = new RedisStream(
    { url, stream },
    {
      take: (batch) => messages.push(...(batch as typeof messages)),
      log: {
        info: (message, fields) => logged.push(`info ${message}: ${JSON.stringify(fields)}`),
        warn: (message, fields) => logged.push(`warn ${message}: ${JSON.stringify(fields)}`),
      },
      now: () => performance.now(),
      wall: Date.now,
    },
  );
  return { source, messages, logged, [Symbol.asyncDispose]: () => source.close() };
}

const until = (wanted: () => void): Promise<void> => vi.waitFor(wanted, { timeout: 20_000, interval: 20 });
const message = (p: number): string => JSON.stringify({ values: { p } });
const connected = ({ source }: ReturnType<typeof reading>): Promise<void> =>
  until(() => expect(source.details).toMatchObject({ connections: 1 }));

describe.skipIf(!HAS_REDIS)('a Redis stream', () => {
  it('is read from the time of connection, entry by entry, each as old as its id says', async () => {
    await using redis = await TestRedis.start();
    const { client } = redis;
    await client.xadd(STREAM, '*', 'signal', message(0));
    await using read = reading(redis.url);
    await connected(read);
    const before = Date.now();
    await client.xadd(STREAM, 'MAXLEN', '~', 1000, '*', 'signal', message(1));
    await client.xadd(STREAM, '*', 'other', 'x', 'signal', `[${message(2)},${message(3)}]`);
    await client.xadd(STREAM, '*', 'price', '1');
    await client.xadd(STREAM, '*', 'signal', 'no JSON');
    await client.xadd(STREAM, '*', 'signal', JSON.stringify({ values: { p: 4 }, ts: 7 }));
    await until(() => expect(read.messages.at(-1)).toMatchObject({ values: { p: 4 }, ts: 7 }));
    expect(read.messages.map(({ values }) => values['p'])).toEqual([1, 2, 3, 4]);
    for (const { ts } of read.messages.slice(0, 3)) {
      expect(ts).toBeGreaterThanOrEqual(before - 1);
      expect(ts).toBeLessThanOrEqual(Date.now());
    }
    expect(read.source.details).toMatchObject({ 'no field "signal"': 1, 'no JSON': 1 });
    expect(read.logged).toHaveLength(2);
  });

  it('reports a lost server once and its return once, and reads the entries added meanwhile', async () => {
    await using redis = await TestRedis.start();
    await using read = reading(redis.url);
    await connected(read);
    await redis.end();
    await until(() => expect(read.source.problem).toMatch(/redis:\/\/127\.0\.0\.1:\d+ does not answer/));
    await until(() => expect(read.logged.length).toBeGreaterThan(0));
    await redis.begin();
    await redis.client.xadd(STREAM, '*', 'signal', message(1));
    await until(() => expect(read.messages.map(({ values }) => values['p'])).toEqual([1]));
    expect(read.source.problem).toBeUndefined();
    expect(read.logged.at(-1)).toMatch(/^info a source of signals works again/);
  });

  it('reports a full server, to which no signal can be added, and reports when it has room again', async () => {
    await using redis = await TestRedis.start();
    const { client } = redis;
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    await client.config('SET', 'maxmemory', '1');
    await using read = reading(redis.url);
    await until(() => expect(read.source.problem).toMatch(/the server is full: \d+ of 1 bytes \(maxmemory\)/));
    await expect(client.xadd(STREAM, '*', 'signal', message(1))).rejects.toThrow('OOM');
    await client.config('SET', 'maxmemory', '0');
    await client.xadd(STREAM, '*', 'signal', message(2));
    await until(() => expect(read.messages.map(({ values }) => values['p'])).toEqual([2]));
    await until(() => expect(read.source.problem).toBeUndefined());
    expect(read.logged).toHaveLength(2);
  });

  it('says what to fix when the key has another type, the password is missing, or the server takes no more clients', async () => {
    await using redis = await TestRedis.start();
    await redis.client.set('text', 'x');
    await redis.client.config('SET', 'requirepass', 'sesame');
    const known = redis.url.replace('//', '//:sesame@');
    {
      await using closed = reading(redis.url);
      await until(() => expect(closed.source.problem).toMatch(/refuses the password: see signals.redis.url/));
      await using other = reading(known, 'text');
      await until(() => expect(other.source.problem).toMatch(/something else than a stream/));
      expect(other.source.problem).not.toContain('sesame');
    }
    await redis.client.config('SET', 'maxclients', '1');
    await using crowded = reading(known);
    // the server answers so and hangs up: its answer may be lost with the connection
    await until(() => expect(crowded.source.problem).toMatch(/no room for one more client|does not answer/));
    await redis.client.config('SET', 'maxclients', '100');
    await until(() => expect(crowded.source.problem).toBeUndefined());
    expect(crowded.logged[0]).toMatch(/^warn a source of signals fails/);
    expect(crowded.logged.at(-1)).toMatch(/^info a source of signals works again/);
  });
});
