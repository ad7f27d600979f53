// The paper exchange, called in process. The virtual clock advances only while a test waits for a condition,
// and in small steps, so that the test sees the condition soon after it holds.
import type { Ending, WorldOptions } from '../../../src/paper/index.ts';
import { answerAdmin, InProcessExchange } from '../../../src/paper/index.ts';
import type { Call, Frame, Handshake, Link, Reply, Transport } from '../transport.ts';
import { parsed } from '../transport.ts';

const START_MS = Date.parse('2026-03-01T18:00:00.000Z');
const STEP_MS = 5;
/** The virtual time after which a wait fails. */
const PATIENCE_MS = 20_000;

export function openInProcess(world: WorldOptions): Transport {
  const exchange = new InProcessExchange({ ...world, startMs: START_MS });

  const until = async (condition: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    const endMs = exchange.nowMs + PATIENCE_MS;
    while (!(await holds())) {
      if (exchange.nowMs > endMs) throw new Error(`never happened: ${condition}`);
      exchange.advanceTo(exchange.nowMs + STEP_MS);
    }
  };

  const send = (method: string, path: string, call: Call = {}) => {
    let ended: Ending | undefined;
    exchange.request(
      {
        method,
        path,
        headers: headersOf(call),
        query: call.query ?? {},
        body: call.text ?? (call.body === undefined ? '' : JSON.stringify(call.body)),
      },
      (ending) => {
        ended = ending;
      },
    );
    return { ended: () => (typeof ended === 'object' ? replyOf(ended) : ended) };
  };

  return {
    over: 'in process',
    send,
    until,
    request: async (method, path, call) => {
      const pending = send(method, path, call);
      await until(`an answer to ${method} ${path}`, () => pending.ended() !== undefined);
      const reply = pending.ended();
      if (reply === undefined || reply === 'reset') throw new Error(`${method} ${path} was reset`);
      return reply;
    },
    connect: async (namespace, handshake = {}) => join(exchange, until, namespace, handshake),
    admin: async (method, path, body) => {
      const answer = answerAdmin(exchange.world.exchange, { method, path, body });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${answer.message}`);
      return JSON.parse(JSON.stringify(answer.body)) as unknown;
    },
    wait: async (ms) => exchange.advanceTo(exchange.nowMs + ms),
    now: () => exchange.nowMs,
    close: async () => {},
  };
}

function headersOf({ token, body, headers }: Call): Readonly<Record<string, string>> {
  const all = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: token }),
    ...headers,
  };
  return lowered(all);
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const replyOf = ({ status, headers, payload: { text } }: Exclude<Ending, 'reset'>): Reply => ({
  status,
  headers: lowered(headers),
  text,
  json: parsed(text),
});

function join(
  exchange: InProcessExchange,
  until: Transport['until'],
  namespace: string,
  { token, tokenIn = 'header', headers = {} }: Handshake,
): Link {
  const frames: Frame[] = [];
  let closed = false;
  const inHeader = token !== undefined && tokenIn === 'header';
  const connection = exchange.connect(
    namespace,
    {
      headers: lowered({ ...headers, ...(inHeader ? { authorization: token } : {}) }),
      query: token !== undefined && tokenIn === 'query' ? { token } : {},
    },
    {
      frame: (event, { text }) => frames.push({ event, payload: text }),
      closed: () => {
        closed = true;
      },
    },
  );
  return {
    error: connection === undefined ? 'not authorized' : undefined,
    frames,
    isClosed: () => closed,
    until: async (fits, from = 0) => {
      const find = (): Frame | undefined => frames.slice(from).find(fits);
      await until(`a frame on ${namespace} among ${frames.length}`, () => find() !== undefined);
      return find() as Frame;
    },
    close: () => connection?.close(),
  };
}
