// A request that waits for its connection is checked again before a byte of it leaves.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { RestClient } from '../../src/exchange/live/index.ts';

async function server(): Promise<{
  readonly url: string;
  readonly seen: string[];
  readonly close: () => void;
}> {
  const seen: string[] = [];
  const http = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"message":"OK","data":{}}');
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    seen,
    close: () => {
      http.closeAllConnections();
      http.close();
    },
  };
}

const place = (held: () => string | undefined) => ({ method: 'POST', path: '/place', body: {}, held }) as const;

describe('a place request', () => {
  it('is sent while nothing holds it back', async () => {
    const venue = await server();
    const rest = new RestClient(venue.url, '');
    expect(
      await rest.call(
        place(() => undefined),
        2000,
      ),
    ).toMatchObject({ type: 'answer', status: 200 });
    expect(venue.seen).toEqual(['/place']);
    rest.close();
    venue.close();
  });

  it('is not sent when it is held by the time its connection opens', async () => {
    const venue = await server();
    const rest = new RestClient(venue.url, '');
    let checks = 0;
    const answer = await rest.call(
      place(() => ((checks += 1) > 1 ? 'the loop stood still' : undefined)),
      2000,
    );
    expect(answer).toEqual({ type: 'failed', failure: 'not-sent', detail: 'the loop stood still' });
    expect(checks).toBe(2);
    // whatever was sent before this request would have arrived by now
    await rest.call({ method: 'GET', path: '/after' }, 2000);
    expect(venue.seen).toEqual(['/after']);
    rest.close();
    venue.close();
  });

  it('is not sent on an open connection while it is held', async () => {
    const venue = await server();
    const rest = new RestClient(venue.url, '');
    await rest.call({ method: 'GET', path: '/before' }, 2000);
    const answer = await rest.call(
      place(() => 'a fence stands'),
      2000,
    );
    expect(answer).toEqual({ type: 'failed', failure: 'not-sent', detail: 'a fence stands' });
    await rest.call({ method: 'GET', path: '/after' }, 2000);
    expect(venue.seen).toEqual(['/before', '/after']);
    rest.close();
    venue.close();
  });
});

describe('a request that is not answered', () => {
  it('is given up at its deadline, with or without the beginning of an answer', async () => {
    const silent = createServer((request, response) => {
      if (request.url === '/half') response.writeHead(200, { 'content-type': 'application/json' }).write('{"da');
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const rest = new RestClient(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, '');
    for (const path of ['/never', '/half']) {
      const sentAt = performance.now();
      expect(await rest.call({ method: 'GET', path }, 200)).toMatchObject({
        type: 'failed',
        failure: 'no-answer',
      });
      expect(performance.now() - sentAt).toBeGreaterThanOrEqual(195);
    }
    rest.close();
    silent.closeAllConnections();
    silent.close();
  });
});
