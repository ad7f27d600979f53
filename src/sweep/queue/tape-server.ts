// Serves the tapes of a sweep to workers that do not have them: GET /tapes/<sha256>, with a token that needs
// the shared key. Every other request is refused. It listens on loopback by default.
import { timingSafeEqual } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, OddsmakerError } from '../../domain/index.ts';
import type { SharedKey } from './key-file.ts';

export const tapePath = (sha256: string): string => `/tapes/${sha256}`;
export const tapeToken = (key: SharedKey, sha256: string): string => key.sign('tape', sha256);

export type TapeServer = { readonly url: string; readonly close: () => void };

/**
 * Serves `tapes`, files by their hashes. @throws OddsmakerError SWEEP_INVALID when it cannot listen on the
 * address
 */
export async function serveTapes(
  { host, port }: { readonly host: string; readonly port: number },
  tapes: ReadonlyMap<string, string>,
  key: SharedKey,
): Promise<TapeServer> {
  const server = createServer((request, response) => answer(request, response, tapes, key));
  server.headersTimeout = 10_000;
  try {
    await listen(server, host, port);
  } catch (error) {
    throw new OddsmakerError('SWEEP_INVALID', `--serve ${host}:${port}: it cannot listen there (${messageOf(error)})`);
  }
  const { port: own } = server.address() as AddressInfo;
  // workers need no tapes once all points are played
  server.unref();
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${own}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

function answer(
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
  tapes: ReadonlyMap<string, string>,
  key: SharedKey,
): void {
  const sha256 = /^\/tapes\/([0-9a-f]{64})$/.exec(url)?.[1];
  const file = sha256 === undefined ? undefined : tapes.get(sha256);
  const bytes = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.size;
  if (method !== 'GET' || sha256 === undefined) refuse(response, 404);
  else if (!isAllowed(headers.authorization ?? '', `Bearer ${tapeToken(key, sha256)}`)) refuse(response, 401);
  else if (file === undefined) refuse(response, 404);
  else if (bytes === undefined) refuse(response, 410);
  else {
    response.writeHead(200, { 'content-length': bytes, 'content-type': 'application/octet-stream' });
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response);
  }
}

function isAllowed(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
