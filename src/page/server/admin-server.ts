// The admin port: what a bot tells over HTTP to whoever watches it, its page, and the commands of `ctl` for whoever has the
// token. Nothing that comes in keeps others out.
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
   * Rejects when the port cannot be opened, or must not be.
   *
   * @param metrics kept by a caller that tries again: each of them observes the process
   */
  static async open(
    settings: AdminSettings,
    ports: AdminPorts,
    metrics = new Metrics(ports.figures),
  ): Promise<AdminServer> {
    const { host, port, hosts } = settings;
    const [token, viewToken] = [settings.token, settings.viewToken].map((one) => one ?? '');
    if (token === '' && !isLoopback(host)) throw new Error('others can reach ops.host: set ops.token');
    const { app, url } = await openPageServer(
      {
        host,
        port,
        hosts,
        pages: PAGES,
        live: '/live',
        tokens: { control: token || settings.runToken, view: viewToken || undefined },
        // what Prometheus reads is for everybody who reaches the port
        isOpen: token === '',
      },
      ports.files,
      (parts) => {
        serveFigures(parts.app, ports, metrics);
        serveApi(parts, ports.api);
      },
    );
    // watching must not keep a bot alive that is done
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

/** Of states that nothing else explains. */
const REASONS: Partial<Record<BotState, string>> = {
  starting: 'the login, or the first books and the orders of the account, are waited for',
  'reduce-only': 'only quotes that make a position smaller: `oddsmaker ctl <config> resume` ends it',
};
