// The control socket: newline-delimited JSON over a Unix socket that only the bot's own user may open. Input
// is hostile until parsed: lines, connections, commands per connection and waiting time are all bounded, and
// every mistake gets an answer that names what was expected.
import { chmodSync, rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { messageOf } from '../domain/index.ts';
import type { ControlReply } from './control-commands.ts';

export const MAX_LINE_BYTES = 65_536;
const MAX_CONNECTIONS = 8;
/** Most commands of one connection per second. */
const MAX_COMMANDS = 32;
/** Most bytes of answers that a client has not read. */
const MAX_UNREAD_BYTES = 8_000_000;
const IDLE_MS = 10_000;

export type ControlHandler = (message: unknown) => ControlReply | Promise<ControlReply>;

export class ControlServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #path: string;

  private constructor(server: Server, path: string, handle: ControlHandler) {
    this.#server = server;
    this.#path = path;
    server.on('connection', (socket) => {
      // the newest connection is accepted: idle clients must not lock out an operator's halt
      const [oldest] = this.#sockets;
      if (oldest !== undefined && this.#sockets.size >= MAX_CONNECTIONS) {
        this.#sockets.delete(oldest);
        oldest.destroy();
      }
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      serve(socket, handle);
    });
    server.on('error', () => undefined);
    // the socket must not keep a finished bot alive
    server.unref();
  }

  /**
   * Opens the socket and replaces one left by a dead bot: the caller holds the lease. Rejects when the path
   * is unfit.
   */
  static async open(path: string, handle: ControlHandler): Promise<ControlServer> {
    rmSync(path, { force: true });
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('listening', () => {
        server.off('error', reject);
        resolve();
      });
      // the mode must be right from the first moment, not only after a chmod
      const mask = process.umask(0o177);
      try {
        server.listen(path);
      } finally {
        process.umask(mask);
      }
    });
    chmodSync(path, 0o600);
    return new ControlServer(server, path, handle);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    rmSync(this.#path, { force: true });
  }
}

function serve(socket: Socket, handle: ControlHandler): void {
  let waiting: Buffer = Buffer.alloc(0);
  let commands = 0;
  let second = performance.now();
  let refused = false;
  const answer = (reply: ControlReply): void => {
    socket.write(`${JSON.stringify(reply)}\n`);
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
  };
  const refuse = (error: string): void => {
    refused = true;
    waiting = Buffer.alloc(0);
    answer({ ok: false, error });
    socket.end();
    // a client that keeps sending, or does not read, is not waited for
    socket.setTimeout(1000, () => socket.destroy());
  };
  socket.setTimeout(IDLE_MS, () => {
    if (!refused) refuse(`no whole line came within ${IDLE_MS / 1000} s`);
  });
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    if (refused) return;
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    for (;;) {
      const end = waiting.indexOf(0x0a);
      if (end > MAX_LINE_BYTES || (end < 0 && waiting.length > MAX_LINE_BYTES)) {
        refuse(`a line may have at most ${MAX_LINE_BYTES} bytes`);
        return;
      }
      if (end < 0) return;
      const now = performance.now();
      if (now - second >= 1000) [second, commands] = [now, 0];
      commands += 1;
      if (commands > MAX_COMMANDS) {
        refuse(`a connection may send at most ${MAX_COMMANDS} commands in a second`);
        return;
      }
      const line = waiting.subarray(0, end).toString('utf8');
      waiting = waiting.subarray(end + 1);
      const reply = handled(line, handle);
      if (reply instanceof Promise) {
        // it may take seconds, and the connection is not idle meanwhile
        socket.setTimeout(0);
        void reply.then(answer, (error: unknown) => answer(bug(error)));
      } else answer(reply);
      if (socket.destroyed) return;
    }
  });
}

const bug = (error: unknown): ControlReply => ({ ok: false, error: `a bug: ${messageOf(error)}` });

function handled(line: string, handle: ControlHandler): ControlReply | Promise<ControlReply> {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { ok: false, error: 'expected one JSON object on a line, such as {"command":"status"}' };
  }
  try {
    return handle(message);
  } catch (error) {
    return bug(error);
  }
}

/** Sends one command and reads one answer. Rejects when no bot listens or no answer comes in time. */
export function askBot(path: string, message: unknown, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(`${JSON.stringify(message)}\n`));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end < 0) return;
      clearTimeout(timer);
      socket.destroy();
      try {
        resolve(JSON.parse(text.slice(0, end)));
      } catch {
        reject(new Error('the answer is not JSON'));
      }
    });
    socket.on('error', fail);
    socket.on('close', () => {
      fail(new Error('the connection ended without an answer'));
    });
  });
}
