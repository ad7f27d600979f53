// A server that records when place requests arrive, and answers them and a login as the exchange would.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './child.ts';

export type ArrivalQuestion = { readonly reset?: boolean };
export type ArrivalAnswer = { readonly url: string; readonly arrivals: readonly number[] };

if (process.argv[1] === import.meta.filename) {
  let arrivals: number[] = [];
  const server = createServer((request, response) => {
    const arrivedAt = performance.now();
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (request.url === '/user/login') {
      response.end('{"data":{"user":{"auth":"token"}}}');
      return;
    }
    arrivals.push(arrivedAt);
    response.end('{"data":{"createdSessions":[{"matched":[],"unmatched":{}}]}}');
  });
  const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  serve(async (_question: ArrivalQuestion): Promise<ArrivalAnswer> => {
    await listening;
    const answer = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals };
    arrivals = [];
    return answer;
  });
}
