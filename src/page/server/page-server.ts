// The HTTP server of a page: its files, headers and errors, the check of host names and tokens, and a limit
// of connections. The caller adds the routes.
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
  /** 0: any free port. */
  readonly port: number;
  /** Additional host names, such as that of a container. */
  readonly hosts: readonly string[];
  readonly tokens: Readonly<Record<'control' | 'view', string | undefined>>;
  /** True: every path outside /api needs no token. */
  readonly isOpen: boolean;
  /** The path of the health check, which answers under any host name. */
  readonly live?: string;
  /** The paths that exist, for the answer to an unknown path. */
  readonly pages: string;
  /**
   * The Content-Security-Policy of every answer. Default: everything comes from this server, and nothing is
   * inline.
   */
  readonly policy?: string;
  /** The refusal of a request with an unknown host name, after that name. */
  readonly foreignHost?: string;
};

/** The parts of a server that its routes need. */
export type PageServerParts = {
  readonly app: FastifyInstance;
  readonly access: Access;
  readonly port: () => number;
  /** Exempts the socket of a stream from the limit of connections. */
  readonly keepOpen: (socket: Socket) => void;
};

/** Limits of slow requests: a client that never completes a request is disconnected. */
const REQUEST_TIMEOUT_MS = 5000;
const HEADERS_TIMEOUT_MS = 2000;
const IDLE_MS = 10_000;
const MOST_CONNECTIONS = 256;
const MOST_BYTES = 65_536;
const POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Opens the server after `serve` has added its routes. Rejects when the port cannot be opened. */
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
 * Limits the connections: beyond the limit, the oldest one that is no stream is closed, so that idle clients
 * cannot lock out a health check.
 *
 * @returns a function that exempts the socket of a stream
 */
function makeRoom({ server }: FastifyInstance): (socket: Socket) => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const [oldest] = open;
    if (open.size >= MOST_CONNECTIONS && oldest !== undefined) oldest.destroy();
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // a silent connection has no request whose time-out could end it
    socket.setTimeout(IDLE_MS, () => socket.destroy());
  });
  // an answer may take longer
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    socket.setTimeout(0);
    response.on('finish', () => socket.setTimeout(IDLE_MS));
  });
  return (socket) => open.delete(socket);
}

function guardDoor(
  app: FastifyInstance,
  access: Access,
  {
    isOpen,
    live,
    pages,
    policy = POLICY,
    foreignHost = 'is not a host name of this bot: see ops.hosts',
  }: Pick<PageServerSettings, 'isOpen' | 'live' | 'pages' | 'policy' | 'foreignHost'>,
  files: ReadonlyMap<string, PageFile>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const path = pathOf(request.url);
    // a proxy in front may use the other one
    if (namesOf(request.raw.rawHeaders) > 1) throw bad('expected one Host header');
    if (path === live) return;
    if (!access.isKnownHost(request.headers.host))
      throw new ApiError(403, 'FOREIGN_HOST', `${request.headers.host ?? 'no name'} ${foreignHost}`);
    // the page contains no secret and asks for the token; its data are under /api, which checks the token
    // itself
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
  const serve = (path: string, file: PageFile): void => {
    app.get(path, (request, reply) => {
      const zips = takesGzip(request.headers);
      if (file.isImmutable) void reply.header('cache-control', 'public, max-age=31536000, immutable');
      if (zips) void reply.header('content-encoding', 'gzip');
      return reply.type(file.type).send(zips ? file.gzip : file.body);
    });
  };
  for (const [path, file] of files) serve(path, file);
  const index = files.get('/index.html');
  if (index !== undefined) serve('/', index);
  else
    app.get('/', (_request, reply) =>
      reply.code(404).send({ error: 'the page is not built: run `npm run build:page`' }),
    );
}

const namesOf = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;

const pathOf = (url: string): string => url.replace(/\?.*/s, '');
