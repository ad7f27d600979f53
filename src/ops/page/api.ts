// What the page asks of the bot, and whoever else talks to it over HTTP (DESIGN §6, Page): a login, commands, signals, and
// the streams. Every refusal is `{error: {code, message}}`.
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Input } from '../../domain/index.ts';
import { readSignals } from '../../domain/index.ts';
import type { ControlReply } from '../control-commands.ts';
import type { Access, Role } from './access.ts';
import { Rate } from './access.ts';
import { ApiError } from './api-error.ts';
import type { EventStream } from './event-stream.ts';
import { takesGzip } from './files.ts';
import type { PageStream } from './page-stream.ts';

export type ApiPorts = {
  /** As over the control socket; `by`: who says it. */
  readonly command: (message: unknown, by: string) => ControlReply | Promise<ControlReply>;
  /** Undefined: signals are not taken over HTTP (`signals.http`). */
  readonly signals: SignalPorts | undefined;
  /** The story of an order, by its reference or id. Rejects with why it cannot be told. */
  readonly why: (order: string) => Promise<string>;
  readonly stream: PageStream;
  readonly events: EventStream;
  /** Unix ms. */
  readonly wall: () => number;
};

export type SignalPorts = {
  /** Undefined: the bot took it; else why not. */
  readonly enter: (input: Extract<Input, { type: 'signal' }>) => string | undefined;
  readonly wasAskedFor: (name: string) => boolean;
};

const COMMANDS_A_SECOND = 32;
const SIGNALS_A_SECOND = 200;
const WRONG_TOKENS_A_SECOND = 5;
/** A clock of somebody else may be ahead by this much. */
const FUTURE_MS = 2000;
const MOST_SIGNALS = 1000;
const COOKIE_DAYS = 30;
/** Ids are opaque; none begins like a flag. */
const ORDER = /^[^\s\p{C}-][^\s\p{C}]{0,199}$/u;

/** `keepOpen`: told of the socket of a stream. `port`: of the server, for the cookie's name: a browser sends cookies of one port to all others of its host. */
export function serveApi(
  app: FastifyInstance,
  access: Access,
  port: () => number,
  ports: ApiPorts,
  keepOpen: (socket: Socket) => void,
): void {
  const rates = {
    commands: new Rate(COMMANDS_A_SECOND),
    signals: new Rate(SIGNALS_A_SECOND),
    wrong: new Rate(WRONG_TOKENS_A_SECOND),
  };
  const cookie = (): string => `oddsmaker-${port()}`;

  /** @throws ApiError 401, 403, 429 */
  const demand = (request: FastifyRequest, least: Role): Role => {
    const role = access.roleOf(request.headers, cookie());
    if (role === undefined) throw refusedToken(rates.wrong);
    if (request.method !== 'GET' && !access.isOwnOrigin(request.headers))
      throw new ApiError(403, 'FOREIGN_ORIGIN', 'a page of another origin asks: only the bot’s own page may');
    if (least === 'control' && role !== 'control')
      throw new ApiError(403, 'VIEW_ONLY', 'this token may look and not command: use ops.token');
    return role;
  };

  // a form of another page could post anything else
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && request.url.startsWith('/api/') && !isJson(request))
      throw new ApiError(415, 'NOT_JSON', 'expected content-type application/json');
  });

  app.post('/api/login', (request, reply) => {
    if (!access.isOwnOrigin(request.headers) && request.headers.cookie === undefined)
      throw new ApiError(403, 'FOREIGN_ORIGIN', 'a page of another origin asks: only the bot’s own page may');
    const { token } = objectIn(request.body);
    const role = typeof token === 'string' ? access.roleOfToken(token) : undefined;
    if (role === undefined) throw refusedToken(rates.wrong);
    void reply.header(
      'set-cookie',
      `${cookie()}=${access.ticketOf(role)}; HttpOnly; SameSite=Strict; Path=/api; Max-Age=${COOKIE_DAYS * 86_400}`,
    );
    return { ok: true, role };
  });

  app.post('/api/logout', (_request, reply) => {
    void reply.header('set-cookie', `${cookie()}=; HttpOnly; SameSite=Strict; Path=/api; Max-Age=0`);
    return { ok: true };
  });

  app.post('/api/commands', async (request) => {
    demand(request, 'control');
    if (!rates.commands.take(performance.now())) throw tooMany(`${COMMANDS_A_SECOND} commands`);
    const reply = await ports.command(objectIn(request.body), byOf(request));
    if (!reply.ok) throw new ApiError(409, 'REFUSED', reply.error);
    const { ok, done, status, ...more } = reply;
    const state = (status as { readonly state?: unknown } | undefined)?.state ?? null;
    return { ok, done, state, ...(done === 'status' && { status }), ...more };
  });

  app.post('/api/signals', (request) => {
    demand(request, 'control');
    const { signals } = ports;
    if (signals === undefined)
      throw new ApiError(403, 'SIGNALS_OFF', 'signals are not taken over HTTP: set signals.http');
    if (!rates.signals.take(performance.now())) throw tooMany(`${SIGNALS_A_SECOND} requests with signals`);
    const told = Array.isArray(request.body) ? (request.body as readonly unknown[]) : [request.body];
    if (told.length > MOST_SIGNALS) throw bad(`at most ${MOST_SIGNALS} at once, and this is ${told.length}`);
    const now = ports.wall();
    // nobody hears half of a request
    const inputs = told.map((one, index) => signalOf(one, told.length > 1 ? `[${index}] ` : '', now));
    const unknown = new Set<string>();
    let accepted = 0;
    for (const input of inputs) {
      const refusal = signals.enter(input);
      if (refusal !== undefined) throw new ApiError(503, 'STARTING', refusal);
      for (const name of Object.keys(input.values))
        if (signals.wasAskedFor(name)) accepted += 1;
        else unknown.add(name);
    }
    return { accepted, unknown: [...unknown] };
  });

  app.get('/api/me', (request) => ({ role: demand(request, 'view') }));

  app.get<{ Querystring: { readonly order?: string } }>('/api/why', async (request) => {
    demand(request, 'view');
    const { order = '' } = request.query;
    if (!ORDER.test(order)) throw bad('expected ?order= with a reference or an id of an order');
    return { text: await ports.why(order) };
  });

  app.get<{ Querystring: { readonly market?: string } }>('/api/stream', (request, reply) => {
    const role = demand(request, 'view');
    const { market } = request.query;
    const zips = takesGzip(request.headers);
    openStream(reply, keepOpen, (raw) => ports.stream.add(raw, { role, market, zips }));
  });

  app.get<{ Querystring: { readonly books?: string } }>('/api/events', (request, reply) => {
    demand(request, 'view');
    const books = (request.query.books ?? '').split(',').filter((id) => id !== '');
    openStream(reply, keepOpen, (raw) => ports.events.add(raw, books));
  });
}

function openStream(
  reply: FastifyReply,
  keepOpen: (socket: Socket) => void,
  add: (raw: FastifyReply['raw']) => boolean,
): void {
  void reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value);
  if (add(raw)) {
    if (raw.socket !== null) keepOpen(raw.socket);
    return;
  }
  raw.writeHead(503, { 'content-type': 'application/json', 'retry-after': '5' });
  raw.end(
    JSON.stringify({ error: { code: 'TOO_MANY_CLIENTS', message: 'as many are connected as are served' } }),
  );
}

const isJson = ({ headers }: FastifyRequest): boolean =>
  /^application\/json\b/i.test(headers['content-type'] ?? '');

const byOf = ({ socket }: FastifyRequest): string =>
  `control token, ${socket.remoteAddress ?? '?'}:${socket.remotePort ?? '?'}`;

function objectIn(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw bad('expected a JSON object');
  return body as Readonly<Record<string, unknown>>;
}

/** `ts`: when it was true, Unix ms: it holds from then on. */
function signalOf(told: unknown, where: string, now: number): Extract<Input, { type: 'signal' }> {
  const { values, ttl, ts = now } = objectIn(told);
  const update = readSignals(values, ttl);
  if (typeof update === 'string') throw bad(where + update);
  if (typeof ts !== 'number' || !Number.isFinite(ts)) throw bad(`${where}expected "ts" in Unix ms`);
  if (ts > now + FUTURE_MS) throw bad(`${where}"ts" is ${Math.round(ts - now)} ms in the future`);
  const ttlMs = Math.floor(update.ttlMs - Math.max(0, now - ts));
  if (ttlMs < 1) throw bad(`${where}its time was over before it came: "ts" and "ttl"`);
  return { type: 'signal', values: update.values, ttlMs };
}

const bad = (message: string): ApiError => new ApiError(400, 'BAD_REQUEST', message);
const tooMany = (what: string): ApiError => new ApiError(429, 'TOO_MANY', `at most ${what} a second`);
const refusedToken = (wrong: Rate): ApiError =>
  wrong.take(performance.now())
    ? new ApiError(401, 'NO_TOKEN', 'expected "Authorization: Bearer <ops.token>", or a login')
    : tooMany(`${WRONG_TOKENS_A_SECOND} wrong tokens`);
