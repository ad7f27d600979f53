// One kept-alive HTTP connection with one request at a time and as little work as possible, so that the load
// generator itself is cheap. Answers must have a Content-Length and status 200.
import { connect } from 'node:net';
import type { Socket } from 'node:net';

export class HttpLine {
  readonly #socket: Socket;
  readonly #headers: string;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { readonly resolve: (body: string) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    const { hostname, port, host } = new URL(url);
    this.#headers = Object.entries({ Host: host, 'Content-Type': 'application/json', ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error) => this.#waiting?.reject(error));
    this.#socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')));
  }

  /** The bytes of a request. */
  encode(path: string, body: unknown): Buffer {
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    return Buffer.from(`POST ${path} HTTP/1.1\r\n${this.#headers}Content-Length: ${length}\r\n\r\n${text}`);
  }

  send(request: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return JSON.parse(await this.send(this.encode(path, body))) as T;
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length !== undefined && received.length < end + 4 + Number(length)) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#received = Buffer.alloc(0);
    const body = received.toString('utf8', end + 4);
    if (length !== undefined && head.startsWith('HTTP/1.1 200')) waiting?.resolve(body);
    else waiting?.reject(new Error(`${head}\n${body}`));
  }
}
