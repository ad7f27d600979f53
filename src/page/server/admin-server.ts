// The admin port of a bot: figures and the page over HTTP, and the commands of `ctl` for clients with the
// token. No client can lock out another.
import type { FastifyInstance } from 'fastify';
import { isLoopback, readyProblems } from '../../ops/index.ts';
import type { BotFigures, BotState } from '../../ops/index.ts';
import { Metrics } from './metrics.ts';
import type { ApiPorts } from './api.ts';
import { serveApi } from './api.ts';
import type { PageFile } from './files.ts';
import { openPageServer } from './page-server.ts';

export type AdminSettings = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The token for commands, sent as `Authorization: Bearer …`. Null: no commands by HTTP. */
  readonly token: string | null;
  /** The token for views. Null: none. */
  readonly viewToken: string | null;
  /** The token of this run, made when none is set. It opens the page; metrics need no token then. */
  readonly runToken?: string;
  /** Additional host names, such as that of a container. */
  readonly hosts: readonly string[];
};

export type AdminPorts = {
  readonly figures: () => BotFigures;
  /** The body of `/status`. */
  readonly status: () => Readonly<Record<string, unknown>>;
  readonly api: ApiPorts;
  /** The files of the page, by path. Empty when the page is not built. */
  readonly files: ReadonlyMap<string, PageFile>;
};

const PAGES = '/, /live, /ready, /status or /metrics';
export class AdminServer {
  readonly url: string;
  readonly #app: FastifyInstance;
  readonly #ports: AdminPorts;

  private constructor(app: FastifyInstance, url: string, ports: AdminPorts) {
    this.#app = app;
    this.#ports = ports;
    this.url = url;
  }

  /**
   * Opens the port. Rejects when it cannot be opened, or must not be.
   *
   * @param metrics reused by a caller that tries again, because each instance observes the process
   */
  static async open(
    settings: AdminSettings,
    ports: AdminPorts,
    metrics = new Metrics(ports.figures),
  ): Promise<AdminServer> {
    const { host, port, hosts } = settings;
    const [token, viewToken] = [settings.token, settings.viewToken].map((configured) => configured ?? '');
    if (token === '' && !isLoopback(host)) throw new Error('other machines can reach ops.host: set ops.token');
    const { app, url } = await openPageServer(
      {
        host,
        port,
        hosts,
        pages: PAGES,
        live: '/live',
        tokens: { control: token || settings.runToken, view: viewToken || undefined },
        // without ops.token, metrics need no token
        isOpen: token === '',
      },
      ports.files,
      (parts) => {
        serveFigures(parts.app, ports, metrics);
        serveApi(parts, ports.api);
      },
    );
    // an open page must not keep an ended bot alive
    app.server.unref();
    return new AdminServer(app, url, ports);
  }

  async close(): Promise<void> {
    this.#ports.api.stream.close();
    this.#ports.api.events.close();
    await this.#app.close();
  }
}

function serveFigures(app: FastifyInstance, { figures, status }: AdminPorts, metrics: Metrics): void {
  app.get('/live', () => ({ live: true }));
  app.get('/ready', (_request, reply) => {
    const seen = figures();
    const { state, closed, problems } = seen;
    const isReady = state === 'quoting';
    const reason = closed ?? (problems.length > 0 ? problems.join('; ') : REASONS[state]);
    return reply.code(isReady ? 200 : 503).send({
      ready: isReady,
      state,
      ...(reason !== undefined && !isReady && { reason }),
      ...(!isReady && { problems: readyProblems(seen) }),
    });
  });
  app.get('/status', () => status());
  app.get('/metrics', async (_request, reply) => {
    const text = await metrics.text();
    return reply.type(metrics.contentType).send(text);
  });
}

/** The reasons of states without another explanation. */
const REASONS: Partial<Record<BotState, string>> = {
  starting: 'waiting for the login, the first books and the orders of the account',
  'reduce-only': 'only quotes that reduce a position: `oddsmaker ctl <config> resume` ends this',
};
