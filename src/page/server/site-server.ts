// The site of the documentation, built into dist/site: its files and nothing else, on this machine alone.
import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';
import type { PageFile } from './files.ts';
import { openPageServer } from './page-server.ts';

const HOST = '127.0.0.1';
/** The highlighter colours code by style attributes; scripts come from files of the site alone. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'";

/**
 * Serves the files of the site by GET. Port 0 selects any free port. Rejects when the port cannot be opened.
 */
export function openSiteServer(
  port: number,
  files: ReadonlyMap<string, PageFile>,
): Promise<{ readonly app: FastifyInstance; readonly url: string }> {
  const settings = {
    ...{ host: HOST, port, hosts: [], isOpen: true, pages: '/ or a page of the documentation', policy: POLICY },
    foreignHost: 'is not a name of this server: expected 127.0.0.1 or localhost',
    tokens: { control: undefined, view: undefined },
  };
  return openPageServer(settings, files, ({ app }) => {
    app.addHook('onRequest', async ({ method }, reply) => {
      if (method === 'GET') return;
      void reply.header('allow', 'GET');
      throw new ApiError(405, 'BAD_REQUEST', 'expected GET');
    });
  });
}
