// A server that shows the page: its files, headers and errors, who may reach it by which name, and room for others when too many
// connect. What is told and what may be commanded is its caller's.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { Access, askingOf } from './access.ts';
import { ApiError, bad, tooMany } from './api-error.ts';
import type { PageFile } from './files.ts';
import { takesGzip } from './files.ts';
import { WRONG_TOKENS_A_SECOND } from './wrong-tokens.ts';

export type PageServerSettings = {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Further names it is reached by, such as that of a container. */
  readonly hosts: readonly string[];
  readonly tokens: Readonly<Record<'control' | 'view', string | undefined>>;
  /** Whatever is not under /api is for everybody who reaches the port. */
  readonly isOpen: boolean;
  /** Told to nobody in particular: answers under any name. */
  readonly live?: string;
  /** What there is to ask for, for whoever asks for something else. */
  readonly pages: string;
};

/** What the routes of a server need. */
export type PageServerParts = {
  readonly app: FastifyInstance;
  readonly access: Access;
  readonly port: () => number;
  /** Told of the socket of a stream: it stays, however many others come. */
  readonly keepOpen: (socket: Socket) => void;
};

/** Whoever never ends a request makes room for others soon. */
const REQUEST_TIMEOUT_MS = 5000;
const HEADERS_TIMEOUT_MS = 2000;
const IDLE_MS = 10_000;
const MOST_CONNECTIONS = 256;
const MOST_BYTES = 65_536;
const POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Listens once `serve` has added its routes. Rejects when the port cannot be opened. */
export async function openPageServer(
  { host, port, hosts, tokens, ...settings }: PageServerSettings,
  files: ReadonlyMap<string, PageFile>,
  serve: (parts: PageServerParts) => void,
): Promise<{ readonly app: FastifyInstance; readonly url: string }> {
  const app = fastify({
    bodyLimit: MOST_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: IDLE_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 500 },
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  const keepOpen = makeRoom(app);
  const access = new Access({ host, hosts, tokens });
  guardDoor(app, access, settings, files);
  serveFiles(app, files);
  serve({ app, access, keepOpen, port: () => (app.server.address() as AddressInfo).port });
  return { app, url: await app.listen({ host, port }) };
}

/**
 * Of too many connections the oldest goes that is no stream: whoever holds them open must not lock out a health check.
 * @returns what takes the socket of a stream out of them
 */
function makeRoom({ server }: FastifyInstance): (socket: Socket) => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const [oldest] = open;
    if (open.size >= MOST_CONNECTIONS && oldest !== undefined) oldest.destroy();
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // one that says nothing at all has no request that could take too long
    socket.setTimeout(IDLE_MS, () => socket.destroy());
  });
  // an answer may take its time
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    socket.setTimeout(0);
    response.on('finish', () => socket.setTimeout(IDLE_MS));
  });
  return (socket) => open.delete(socket);
}

function guardDoor(
  app: FastifyInstance,
  access: Access,
  { isOpen, live, pages }: Pick<PageServerSettings, 'isOpen' | 'live' | 'pages'>,
  files: ReadonlyMap<string, PageFile>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const path = pathOf(request.url);
    // a proxy before it may go by the other one
    if (namesOf(request.raw.rawHeaders) > 1) throw bad('expected one Host header');
    if (path === live) return;
    if (!access.isKnownHost(request.headers.host))
      throw new ApiError(
        403,
        'FOREIGN_HOST',
        `${request.headers.host ?? 'no name'} is no name of this bot: see ops.hosts`,
      );
    // the page has no secret in it, and asks for the token: all that it shows is under /api, which asks by itself
    if (isOpen || path.startsWith('/api/') || path === '/' || files.has(path)) return;
    const role = access.roleOf(askingOf(request), '');
    if (role === 'too-many') throw tooMany(`${WRONG_TOKENS_A_SECOND} wrong tokens`);
    if (role !== undefined) return;
    await reply
      .code(401)
      .header('www-authenticate', 'Bearer')
      .send({ error: 'expected "Authorization: Bearer <ops.token>"' });
  });
  app.setNotFoundHandler((request, reply) => {
    const message = `expected GET ${pages}`;
    return reply.code(404).send({ error: request.url.startsWith('/api/') ? { code: 'NOT_FOUND', message } : message });
  });
  app.setErrorHandler((error: Error & { readonly statusCode?: number; readonly code?: string }, request, reply) => {
    const { statusCode = 500, code = 'BUG', message } = error;
    const isApi = error instanceof ApiError || request.url.startsWith('/api/');
    return reply.code(statusCode).send({ error: isApi ? { code, message } : message });
  });
}

function serveFiles(app: FastifyInstance, files: ReadonlyMap<string, PageFile>): void {
  for (const [path, file] of files)
    app.get(path === '/index.html' ? '/' : path, (request, reply) => {
      const zips = takesGzip(request.headers);
      if (file.isImmutable) void reply.header('cache-control', 'public, max-age=31536000, immutable');
      if (zips) void reply.header('content-encoding', 'gzip');
      return reply.type(file.type).send(zips ? file.gzip : file.body);
    });
  if (!files.has('/index.html'))
    app.get('/', (_request, reply) =>
      reply.code(404).send({ error: 'the page was not built: `npm run build:page` does it' }),
    );
}

const namesOf = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;

const pathOf = (url: string): string => url.replace(/\?.*/s, '');
