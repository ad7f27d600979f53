// An echo server in its own process: the cost of a request over loopback on this machine when the server does
// nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './child.ts';

const http = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    response.writeHead(200, { 'Content-Length': body.length }).end(body);
  });
});

serve(
  (): Promise<{ url: string }> =>
    new Promise((resolve) => {
      http.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }));
    }),
);
