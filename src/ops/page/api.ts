// What the page asks of the bot, and whoever else talks to it over HTTP (DESIGN §6, Page): a login, commands, signals, and
// the streams. Every refusal is `{error: {code, message}}`.
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Input } from '../../domain/index.ts';
import { readSignals } from '../../domain/index.ts';
import type { ControlReply } from '../control-commands.ts';
import type { PageServerParts } from '../page-server.ts';
import { Rate } from './access.ts';
import { ApiError, bad, tooMany } from './api-error.ts';
import type { EventStream } from './event-stream.ts';
import { takesGzip } from './files.ts';
import { objectIn, serveLogin } from './login.ts';
import type { PageStream } from './page-stream.ts';
import type { ReadPorts } from './reads.ts';
import { serveReads } from './reads.ts';

export type ApiPorts = Pick<ReadPorts, 'why'> & {
  /** As over the control socket; `by`: who says it. */
  readonly command: (message: unknown, by: string) => ControlReply | Promise<ControlReply>;
  /** Undefined: signals are not taken over HTTP (`signals.http`). */
  readonly signals: SignalPorts | undefined;
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
/** A clock of somebody else may be ahead by this much. */
const FUTURE_MS = 2000;
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

  serveReads(app, demand, ports);

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

const byOf = ({ socket }: FastifyRequest): string =>
  `control token, ${socket.remoteAddress ?? '?'}:${socket.remotePort ?? '?'}`;

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
