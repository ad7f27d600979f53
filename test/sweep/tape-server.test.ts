// Which clients get a tape from a sweep, and that it is the tape they asked for.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SharedKey } from '../../src/sweep/queue/key-file.ts';
import type { TapeServer } from '../../src/sweep/queue/tape-server.ts';
import { serveTapes, tapePath, tapeToken } from '../../src/sweep/queue/tape-server.ts';
import { TapeStore } from '../../src/sweep/queue/tape-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-tapes-'));
const key = new SharedKey(randomBytes(32));
const bytes = randomBytes(300_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');
const other = createHash('sha256').update('another').digest('hex');
const file = join(folder, 'a tape.ndjson');
const tape = { name: 'a tape.ndjson', sha256, bytes: bytes.length, isSegment: false };
const home = process.env['XDG_CACHE_HOME'];
let server: TapeServer;

beforeAll(async () => {
  process.env['XDG_CACHE_HOME'] = join(folder, 'cache');
  writeFileSync(file, bytes);
  server = await serveTapes(
    { host: '127.0.0.1', port: 0 },
    new Map([
      [sha256, file],
      // a file whose content does not have this hash
      [other, file],
    ]),
    key,
  );
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
  if (home === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = home;
});

const ask = async (path: string, token?: string, method = 'GET'): Promise<number> =>
  (
    await fetch(server.url + path, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
  ).status;

describe('tapes of a parameter sweep', () => {
  it('are served to clients with the key, and nothing else is served', async () => {
    const token = tapeToken(key, sha256);
    expect(await ask(tapePath(sha256), token)).toBe(200);
    expect(await ask(tapePath(sha256))).toBe(401);
    expect(await ask(tapePath(sha256), tapeToken(new SharedKey(randomBytes(32)), sha256))).toBe(401);
    // a token is valid for one tape
    expect(await ask(tapePath(other), token)).toBe(401);
    expect(await ask(tapePath('0'.repeat(64)), tapeToken(key, '0'.repeat(64)))).toBe(404);
    for (const path of ['/', '/tapes/', `/tapes/${sha256}/..`, '/tapes/..%2f..%2fetc%2fpasswd', `/tapes/${sha256}?x`])
      expect(await ask(path, token)).toBe(404);
    expect(await ask(tapePath(sha256), token, 'POST')).toBe(404);
  });

  it('are fetched into the cache once, and are recognized there by their content', async () => {
    const [got] = await new TapeStore(undefined, key).find([tape], server.url);
    expect(got).toMatchObject({ sha256, bytes: bytes.length, isSegment: false });
    const first = statSync(got?.file ?? '').mtimeMs;
    // the cached tape needs no server
    const [again] = await new TapeStore(undefined, key).find([tape], null);
    expect([again?.file, statSync(again?.file ?? '').mtimeMs]).toEqual([got?.file, first]);
    // a tape that was cut off is another tape
    writeFileSync(got?.file ?? '', bytes.subarray(1));
    await expect(new TapeStore(undefined, key).find([tape], null)).rejects.toThrow(
      /this worker has no --tapes, and the sweep serves no tapes/,
    );
    await new TapeStore(undefined, key).find([tape], server.url);
  });

  it('are found in --tapes under any name', async () => {
    const [got] = await new TapeStore(folder, key).find([{ ...tape, name: 'elsewhere.ndjson' }], null);
    expect(got?.file).toBe(file);
    expect(() => new TapeStore(join(folder, 'nowhere'), key)).toThrow(/there is no such folder/);
  });

  it('are refused when the server sends other bytes', async () => {
    const wrong = { ...tape, sha256: other };
    await expect(new TapeStore(undefined, key).find([wrong], server.url)).rejects.toThrow(
      /tape a tape\.ndjson \(sha256 [0-9a-f]{12}…, 300,000 bytes\): this worker has no --tapes, and http:\S+ does not serve it \(it serves another tape\)/,
    );
  });

  it('cannot be served on an address of another machine', async () => {
    await expect(serveTapes({ host: '203.0.113.7', port: 7070 }, new Map(), key)).rejects.toThrow(
      /--serve 203\.0\.113\.7:7070: it cannot listen there/,
    );
  });
});
