// The admin port: what a bot tells over HTTP, to whoever watches it. It only tells: commands go over the control socket
// (control-socket.ts). A port that cannot be opened keeps no bot from running.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import type { BotFigures, BotState } from './metrics.ts';
import { isLoopback } from './loopback.ts';
import { Metrics } from './metrics.ts';

export type AdminSettings = {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** What `Authorization: Bearer …` must say; null or empty: nobody is asked. */
  readonly token: string | null;
};

export type AdminPorts = {
  readonly figures: () => BotFigures;
  /** For `/status`: whatever can be told as JSON. */
  readonly status: () => Readonly<Record<string, unknown>>;
};

const PAGES = '/live, /ready, /status or /metrics';
const REQUEST_TIMEOUT_MS = 5000;
const HEADERS_TIMEOUT_MS = 2000;
const MOST_CONNECTIONS = 256;

export class AdminServer {
  readonly url: string;
  readonly #app: FastifyInstance;

  private constructor(app: FastifyInstance, url: string) {
    this.#app = app;
    this.url = url;
  }

  /** Rejects when the port cannot be opened, or must not be. */
  static async open({ host, port, token }: AdminSettings, ports: AdminPorts): Promise<AdminServer> {
    const wanted = token === '' ? null : token;
    if (wanted === null && !isLoopback(host)) throw new Error('others can reach ops.host: set ops.token');
    const app = fastify({
      bodyLimit: 1024,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // whoever never ends a request makes room for others soon
      http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 500 },
      forceCloseConnections: true,
      exposeHeadRoutes: false,
    });
    app.server.maxConnections = MOST_CONNECTIONS;
    // watching must not keep a bot alive that is done
    app.server.unref();
    serve(app, wanted, ports);
    const url = await app.listen({ host, port });
    return new AdminServer(app, url);
  }

  async close(): Promise<void> {
    await this.#app.close();
  }
}

function serve(app: FastifyInstance, token: string | null, { figures, status }: AdminPorts): void {
  const metrics = new Metrics(figures);
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/live' || token === null || isToken(request.headers.authorization, token)) return;
    await reply
      .code(401)
      .header('www-authenticate', 'Bearer')
      .send({ error: 'expected "Authorization: Bearer <ops.token>"' });
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: `expected GET ${PAGES}` }));
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
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
}

/** Of states that nothing else explains. */
const REASONS: Partial<Record<BotState, string>> = {
  starting: 'the login, or the first books and the orders of the account, are waited for',
  'reduce-only': 'only quotes that make a position smaller: `oddsmaker ctl <config> resume` ends it',
};

/** Takes as long whatever is wrong with it. */
function isToken(header: string | undefined, token: string): boolean {
  const [told, wanted] = [header ?? '', `Bearer ${token}`].map((text) =>
    createHash('sha256').update(text).digest(),
  );
  return told !== undefined && wanted !== undefined && timingSafeEqual(told, wanted);
}
