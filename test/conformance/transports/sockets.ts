// The paper exchange as a server: HTTP by fetch, frames by a Socket.IO client, real time. Every request and
// every connection is new unless the platform pools it. No code of this project's own client is used.
import { io } from 'socket.io-client';
import type { WorldOptions } from '../../../src/paper/index.ts';
import type { PaperExchange } from '../../../src/paper/server/server.ts';
import { startPaperExchange } from '../../../src/paper/server/server.ts';
import type { Call, Frame, Handshake, Link, Reply, Transport } from '../transport.ts';
import { parsed } from '../transport.ts';

const PATIENCE_MS = 8_000;
const POLL_MS = 10;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const now = (): number => performance.timeOrigin + performance.now();

export async function openSockets(world: WorldOptions): Promise<Transport> {
  const exchange = await startPaperExchange(world);
  const stop = new AbortController();
  const links: Link[] = [];

  const request = (method: string, path: string, call: Call = {}): Promise<Reply> =>
    fetched(exchange.restUrl + path, method, call, stop.signal);

  return {
    over: 'sockets',
    request,
    send: (method, path, call) => {
      let ended: Reply | 'reset' | undefined;
      request(method, path, call).then(
        (reply) => {
          ended = reply;
        },
        () => {
          ended = 'reset';
        },
      );
      return { ended: () => ended };
    },
    connect: async (namespace, handshake = {}) => {
      const link = await join(exchange, namespace, handshake);
      links.push(link);
      return link;
    },
    admin: async (method, path, body) => {
      const reply = await fetched(exchange.adminUrl + path, method, { body }, stop.signal);
      if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
      return reply.json;
    },
    until,
    wait: sleep,
    now,
    close: async () => {
      for (const link of links) link.close();
      stop.abort();
      await exchange.close();
    },
  };
}

async function until(condition: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = now() + PATIENCE_MS;
  while (!(await holds())) {
    if (now() > endMs) throw new Error(`never happened: ${condition}`);
    await sleep(POLL_MS);
  }
}

async function fetched(
  url: string,
  method: string,
  { token, body, text, headers, query }: Call,
  signal: AbortSignal,
): Promise<Reply> {
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
  const reply = await fetch(url + search, {
    method,
    signal,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: token }),
      ...headers,
    },
    ...(text !== undefined ? { body: text } : body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const replyText = await reply.text();
  return {
    status: reply.status,
    headers: Object.fromEntries(reply.headers),
    text: replyText,
    json: parsed(replyText),
  };
}

async function join(
  exchange: PaperExchange,
  namespace: string,
  { token, tokenIn = 'header', headers = {}, transports = ['websocket'] }: Handshake,
): Promise<Link> {
  const socket = io(exchange.socketUrl + namespace, {
    transports: [...transports],
    forceNew: true,
    reconnection: false,
    path: exchange.venue.profile.socketPath,
    extraHeaders: {
      ...headers,
      ...(token !== undefined && tokenIn === 'header' ? { authorization: token } : {}),
    },
    ...(token !== undefined && tokenIn === 'query' ? { query: { token } } : {}),
  });
  const frames: Frame[] = [];
  let closed = false;
  const waiting = new Set<() => void>();
  socket.onAny((event: string, payload: unknown) => {
    frames.push({ event, payload });
    for (const check of waiting) check();
  });
  socket.on('disconnect', () => {
    closed = true;
  });
  const error = await new Promise<string | undefined>((resolve) => {
    socket.on('connect', () => resolve(undefined));
    socket.on('connect_error', ({ message }) => resolve(message));
  });
  return {
    error,
    frames,
    isClosed: () => closed,
    until: (fits, from = 0) => {
      const find = (): Frame | undefined => frames.slice(from).find(fits);
      return new Promise((resolve, reject) => {
        const check = (): void => {
          const found = find();
          if (found === undefined) return;
          waiting.delete(check);
          clearTimeout(timeout);
          resolve(found);
        };
        const timeout = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`never came: a frame on ${namespace} among ${frames.length}`));
        }, PATIENCE_MS);
        waiting.add(check);
        check();
      });
    },
    close: () => void socket.close(),
  };
}
