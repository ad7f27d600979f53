// The admin port: what a bot tells over HTTP to whoever watches it, its page, and the commands of `ctl` for whoever has the
// token. A port that cannot be opened keeps no bot from running, and nothing that comes in keeps others out.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { isLoopback } from './loopback.ts';
import type { BotFigures, BotState } from './metrics.ts';
import { Metrics } from './metrics.ts';
import { Access } from './page/access.ts';
import type { ApiPorts } from './page/api.ts';
import { serveApi } from './page/api.ts';
import { ApiError } from './page/api-error.ts';
import type { PageFile } from './page/files.ts';
import { takesGzip } from './page/files.ts';

export type AdminSettings = {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** What `Authorization: Bearer …` must say to command, and to see. Without one nobody may command by HTTP. */
  readonly token: string | null;
  readonly viewToken: string | null;
  /** Made for this run, where none was set: it opens the page, and nobody else needs it to see what Prometheus sees. */
  readonly runToken?: string;
  /** Further names it is reached by, such as that of a container. */
  readonly hosts: readonly string[];
};

export type AdminPorts = {
  readonly figures: () => BotFigures;
  /** For `/status`: whatever can be told as JSON. */
  readonly status: () => Readonly<Record<string, unknown>>;
  readonly api: ApiPorts;
  /** Of the page, by path; empty: it was not built. */
  readonly files: ReadonlyMap<string, PageFile>;
};

const PAGES = '/, /live, /ready, /status or /metrics';
/** Whoever never ends a request makes room for others soon. */
const REQUEST_TIMEOUT_MS = 5000;
const HEADERS_TIMEOUT_MS = 2000;
const IDLE_MS = 10_000;
const MOST_CONNECTIONS = 256;
const MOST_BYTES = 65_536;
const POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";

export class AdminServer {
  readonly url: string;
  readonly #app: FastifyInstance;
  readonly #ports: AdminPorts;
  readonly #metrics: Metrics;

  private constructor(app: FastifyInstance, url: string, ports: AdminPorts, metrics: Metrics) {
    this.#app = app;
    this.#metrics = metrics;
    this.#ports = ports;
    this.url = url;
  }

  /** Rejects when the port cannot be opened, or must not be. */
  static async open(settings: AdminSettings, ports: AdminPorts): Promise<AdminServer> {
    const { host, port } = settings;
    const [token, viewToken] = [settings.token, settings.viewToken].map((one) => one ?? '');
    if (token === '' && !isLoopback(host)) throw new Error('others can reach ops.host: set ops.token');
    const app = fastify({
      bodyLimit: MOST_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: IDLE_MS,
      http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 500 },
      forceCloseConnections: true,
      exposeHeadRoutes: false,
    });
    const keepOpen = makeRoom(app);
    // watching must not keep a bot alive that is done
    app.server.unref();
    const access = new Access({
      ...{ host, hosts: settings.hosts },
      tokens: { control: token || settings.runToken, view: viewToken || undefined },
    });
    const metrics = new Metrics(ports.figures);
    serve(app, access, token === '', ports, metrics);
    serveApi(app, access, () => (app.server.address() as AddressInfo).port, ports.api, keepOpen);
    const url = await app.listen({ host, port });
    return new AdminServer(app, url, ports, metrics);
  }

  /** A request to the exchange was answered after so long. */
  observe(kind: string, ms: number): void {
    this.#metrics.observe(kind, ms);
  }

  async close(): Promise<void> {
    this.#ports.api.stream.close();
    this.#ports.api.events.close();
    await this.#app.close();
  }
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

/** `isOpen`: what Prometheus reads is for everybody who reaches the port. */
function serve(
  app: FastifyInstance,
  access: Access,
  isOpen: boolean,
  ports: AdminPorts,
  metrics: Metrics,
): void {
  const { figures, status, files } = ports;
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const path = pathOf(request.url);
    if (path === '/live') return;
    if (!access.isKnownHost(request.headers.host))
      throw new ApiError(
        403,
        'FOREIGN_HOST',
        `${request.headers.host ?? 'no name'} is no name of this bot: see ops.hosts`,
      );
    // the page has no secret in it, and asks for the token: all that it shows is under /api, which asks by itself
    if (isOpen || path.startsWith('/api/') || path === '/' || files.has(path)) return;
    if (access.roleOf(request.headers, '') !== undefined) return;
    await reply
      .code(401)
      .header('www-authenticate', 'Bearer')
      .send({ error: 'expected "Authorization: Bearer <ops.token>"' });
  });
  app.setNotFoundHandler((request, reply) => {
    const message = `expected GET ${PAGES}`;
    return reply
      .code(404)
      .send({ error: request.url.startsWith('/api/') ? { code: 'NOT_FOUND', message } : message });
  });
  app.setErrorHandler(
    (error: Error & { readonly statusCode?: number; readonly code?: string }, request, reply) => {
      const { statusCode = 500, code = 'BUG', message } = error;
      const isApi = error instanceof ApiError || request.url.startsWith('/api/');
      return reply.code(statusCode).send({ error: isApi ? { code, message } : message });
    },
  );
  app.get('/live', () => ({ live: true }));
  app.get('/ready', (_request, reply) => {
    const { state, closed, problems } = figures();
    const isReady = state === 'quoting';
    const reason = closed ?? (problems.length > 0 ? problems.join('; ') : REASONS[state]);
    return reply
      .code(isReady ? 200 : 503)
      .send({ ready: isReady, state, ...(reason !== undefined && !isReady && { reason }) });
  });
  app.get('/status', () => status());
  app.get('/metrics', async (_request, reply) => {
    const text = await metrics.text();
    return reply.type(metrics.contentType).send(text);
  });
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

const pathOf = (url: string): string => url.replace(/\?.*/s, '');

/** Of states that nothing else explains. */
const REASONS: Partial<Record<BotState, string>> = {
  starting: 'the login, or the first books and the orders of the account, are waited for',
  'reduce-only': 'only quotes that make a position smaller: `oddsmaker ctl <config> resume` ends it',
};
