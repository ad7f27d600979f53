// The HTTP API of the bot for its page and other programs (docs/run/page.md): login, commands, signals and
// streams. Every refusal is `{error: {code, message}}`.
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignalRefusal } from '../../domain/index.ts';
import { EVENT_TYPES, readJson } from '../../domain/index.ts';
import type { ControlReply } from '../../ops/index.ts';
import type { PageServerParts } from './page-server.ts';
import { Rate } from './access.ts';
import { ApiError, bad, tooMany } from './api-error.ts';
import type { EventStream, Wanted } from './event-stream.ts';
import { takesGzip } from './files.ts';
import { objectIn, serveLogin } from './login.ts';
import type { PageStream } from './page-stream.ts';
import type { ReadPorts } from './reads.ts';
import { serveReads } from './reads.ts';

export type ApiPorts = Pick<ReadPorts, 'why'> & {
  /** Executes a command, as over the control socket. `by`: the client. */
  readonly command: (message: unknown, by: string) => ControlReply | Promise<ControlReply>;
  /** Undefined when signals are not accepted over HTTP (`signals.http`). */
  readonly signals: TakeSignals | undefined;
  readonly stream: PageStream;
  readonly events: EventStream;
};

/**
 * Takes messages with signals, and returns what became of them. Takes none when one of them cannot be read.
 */
export type TakeSignals = (messages: readonly unknown[]) => {
  readonly accepted: number;
  readonly unknown: readonly string[];
  readonly refused: readonly (SignalRefusal & { readonly index: number })[];
  /** Why the bot takes no signals now. */
  readonly closed?: string;
};

const COMMANDS_A_SECOND = 32;
const SIGNALS_A_SECOND = 200;
const MOST_SIGNALS = 1000;

export function serveApi(parts: PageServerParts, ports: ApiPorts): void {
  const { app, keepOpen } = parts;
  const demand = serveLogin(parts);
  const rates = { commands: new Rate(COMMANDS_A_SECOND), signals: new Rate(SIGNALS_A_SECOND) };

  app.post('/api/commands', async (request) => {
    demand(request, 'control');
    if (!rates.commands.take(performance.now())) throw tooMany(`${COMMANDS_A_SECOND} commands`);
    const reply = await ports.command(objectIn(request.body), byOf(request));
    if (!reply.ok) throw new ApiError(409, 'REFUSED', reply.error);
    const { ok, done, status, ...rest } = reply;
    const state = (status as { readonly state?: unknown } | undefined)?.state ?? null;
    return { ok, done, state, ...(done === 'status' && { status }), ...rest };
  });

  const takeSignals = (request: FastifyRequest): object => {
    demand(request, 'control');
    const { signals } = ports;
    if (signals === undefined)
      throw new ApiError(403, 'SIGNALS_OFF', 'signals are not accepted over HTTP: set signals.http');
    if (!rates.signals.take(performance.now())) throw tooMany(`${SIGNALS_A_SECOND} requests with signals`);
    const messages = Array.isArray(request.body) ? (request.body as readonly unknown[]) : [request.body];
    if (messages.length > MOST_SIGNALS)
      throw bad(`expected at most ${MOST_SIGNALS} messages at once, not ${messages.length}`);
    const { closed, accepted, unknown, refused } = signals(messages);
    if (closed !== undefined) throw new ApiError(503, 'STARTING', closed);
    // a malformed message is the sender's mistake; an outdated one may be one of many
    const isNothing = accepted + unknown.length === 0;
    const wrong = refused.find(({ why }) => why === 'malformed') ?? (isNothing ? refused.at(-1) : undefined);
    if (wrong !== undefined) throw bad(`${messages.length > 1 ? `[${wrong.index}] ` : ''}${wrong.problem}`);
    return { accepted, unknown, ...(refused.length > 0 && { refused }) };
  };
  void app.register((scope, _options, done) => {
    // one NaN of a model must not void the other values
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, parsed) => {
      const read = readJson(String(body));
      if (read.ok) parsed(null, read.value);
      else parsed(bad(read.problem), undefined);
    });
    scope.post('/api/signals', (request) => takeSignals(request));
    done();
  });

  serveReads(app, demand, ports);

  app.get<{ Querystring: { readonly market?: string } }>('/api/stream', (request, reply) => {
    const role = demand(request, 'view');
    const { market } = request.query;
    const zips = takesGzip(request.headers);
    openStream(reply, keepOpen, (raw) => ports.stream.addClient(raw, { role, market, zips }));
  });

  type Query = Readonly<Partial<Record<'books' | 'format' | 'types' | 'after', string>>>;
  type Asked = { readonly Querystring: Query };
  app.get<Asked>('/api/events', (request, reply) => {
    demand(request, 'view');
    const { format = wantsLines(request) ? 'ndjson' : 'sse', books = '', types } = request.query;
    if (format !== 'sse' && format !== 'ndjson') throw bad('expected ?format=sse or ?format=ndjson');
    const { after = lastEventOf(request) } = request.query;
    if (after !== undefined && !/^\d+(?:\.\d+)?$/.test(after)) throw bad('expected ?after=SEQ, the number of a step');
    const wanted: Wanted = {
      format,
      books: listOf(books),
      types: types === undefined ? undefined : typesOf(types),
      after,
    };
    openStream(reply, keepOpen, (raw) => ports.events.addClient(raw, wanted));
  });
}

const listOf = (text: string): readonly string[] => text.split(',').filter((name) => name !== '');

/** The event types of a query. @throws ApiError 400 for an unknown type */
function typesOf(text: string): readonly string[] | 'all' {
  if (text === 'all') return 'all';
  const types = listOf(text);
  const unknown = types.find((type) => !EVENT_TYPES.some((known) => known === type));
  if (unknown !== undefined)
    throw bad(`there is no event ${unknown}: expected all, or some of ${EVENT_TYPES.join(', ')}`);
  return types;
}

/** The id of the last event that a reconnecting browser received. */
function lastEventOf({ headers }: FastifyRequest): string | undefined {
  const last = headers['last-event-id'];
  return typeof last === 'string' ? last : undefined;
}

function openStream(
  reply: FastifyReply,
  keepOpen: (socket: Socket) => void,
  add: (raw: FastifyReply['raw']) => boolean,
): void {
  void reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  if (add(raw)) {
    if (raw.socket !== null) keepOpen(raw.socket);
    return;
  }
  raw.writeHead(503, { 'content-type': 'application/json', 'retry-after': '5' });
  raw.end(
    JSON.stringify({ error: { code: 'TOO_MANY_CLIENTS', message: 'the stream has its largest number of clients' } }),
  );
}

const wantsLines = ({ headers }: FastifyRequest): boolean =>
  /\bapplication\/(?:x-)?ndjson\b/.test(headers.accept ?? '');

const byOf = ({ socket }: FastifyRequest): string =>
  `control token, ${socket.remoteAddress ?? '?'}:${socket.remotePort ?? '?'}`;
