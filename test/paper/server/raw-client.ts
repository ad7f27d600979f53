// Clients that send arbitrary bytes over TCP and hand-made WebSocket frames, so that a test can break every
// rule of HTTP, WebSockets and Socket.IO, stop reading, or vanish.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

const portOf = (url: string): number => Number(new URL(url).port);

export type RawReply = { readonly status: number; readonly head: string; readonly body: string };

/** The complete replies in the text that a server sent. */
export function repliesIn(text: string): RawReply[] {
  const replies: RawReply[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return replies;
    const head = rest.slice(0, end);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    const from = end + 4;
    // a reply without a length is chunked; here it has only one chunk
    const chunk = /^([0-9a-f]+)\r\n/i.exec(rest.slice(from));
    const bytes = length === undefined ? (chunk === null ? 0 : parseInt(chunk[1] ?? '0', 16)) : Number(length);
    const start = length === undefined && chunk !== null ? from + chunk[0].length : from;
    if (rest.length < start + bytes) return replies;
    if (status !== 100) replies.push({ status, head, body: rest.slice(start, start + bytes) });
    rest = length === undefined ? '' : rest.slice(start + bytes);
  }
}

export type RawConnection = {
  readonly socket: Socket;
  readonly replies: () => RawReply[];
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  /** Resolves when the server has sent this many replies or has closed the connection. */
  readonly answered: (times: number) => Promise<RawReply[]>;
};

export function rawConnection(url: string, bytes: string | Uint8Array): RawConnection {
  const socket = connect(portOf(url), '127.0.0.1');
  let got = '';
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  socket.setEncoding('latin1');
  socket.on('data', (data: string) => {
    got += data;
    wake();
  });
  // a server may reset a connection that it does not want to read
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let over = false;
  void closed.then(() => {
    over = true;
    wake();
  });
  socket.write(bytes);
  const answered = async (times: number): Promise<RawReply[]> => {
    while (!over && repliesIn(got).length < times)
      await new Promise<void>((resolve) => {
        waiting = [...waiting, resolve];
      });
    return repliesIn(got);
  };
  return { socket, replies: () => repliesIn(got), closed, answered };
}

export const OP = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Placeholders for a pong and a close frame among the received texts. */
const PONG = '<pong>';
const BYE = '<close>';

/** A masked client frame with a short or long length field. */
export function frameOf(payload: string | Uint8Array, opcode: number = OP.text, first = 0x80): Uint8Array {
  const data = typeof payload === 'string' ? Buffer.from(payload) : Buffer.from(payload);
  const length = data.length;
  const head =
    length < 126
      ? Buffer.from([first | opcode, 0x80 | length])
      : Buffer.from([first | opcode, 0x80 | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  if (length >= 126) head.writeUInt32BE(length, 6);
  const mask = Buffer.from([1, 2, 3, 4]);
  for (let i = 0; i < length; i++) data[i] = (data[i] ?? 0) ^ (mask[i % 4] ?? 0);
  return Buffer.concat([head, mask, data]);
}

/** The complete text frames in the received bytes, and the remaining bytes. */
function textsIn(bytes: Buffer): { readonly texts: string[]; readonly rest: Buffer } {
  const texts: string[] = [];
  let offset = 0;
  for (;;) {
    const short = (bytes[offset + 1] ?? 0) & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < offset + head) return { texts, rest: bytes.subarray(offset) };
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(offset + 2) : Number(bytes.readBigUInt64BE(offset + 2));
    if (bytes.length < offset + head + length) return { texts, rest: bytes.subarray(offset) };
    const opcode = (bytes[offset] ?? 0) & 0x0f;
    if (opcode === OP.text) texts.push(bytes.toString('utf8', offset + head, offset + head + length));
    if (opcode === OP.pong) texts.push(PONG);
    if (opcode === OP.close) texts.push(BYE);
    offset += head + length;
  }
}

export class RawSocket {
  /** All texts received so far. */
  readonly received: string[] = [];
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #over = false;
  #waiting: (() => void)[] = [];
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket, first: Buffer) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    void this.closed.then(() => {
      this.#over = true;
      this.#wake();
    });
    this.#take(first);
    socket.on('data', (data: Buffer) => this.#take(data));
  }

  /** Opens an Engine.IO WebSocket that has joined no namespace. */
  static async open(url: string, headers: readonly string[] = [], query = ''): Promise<RawSocket> {
    const socket = connect(portOf(url), '127.0.0.1');
    socket.on('error', () => {});
    socket.setNoDelay(true);
    const key = randomBytes(16).toString('base64');
    socket.write(
      [
        `GET /socket.io/?EIO=4&transport=websocket${query} HTTP/1.1`,
        'Host: x',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${key}`,
        ...headers,
        '\r\n',
      ].join('\r\n'),
    );
    let head: Buffer = Buffer.alloc(0);
    for (;;) {
      const data = await new Promise<Buffer | undefined>((resolve) => {
        socket.once('data', (bytes: Buffer) => resolve(bytes));
        socket.once('close', () => resolve(undefined));
      });
      if (data === undefined) throw new Error(`no WebSocket: ${head.toString('latin1')}`);
      head = Buffer.concat([head, data]);
      const end = head.indexOf('\r\n\r\n');
      if (end >= 0) return new RawSocket(socket, head.subarray(end + 4));
    }
  }

  /** Opens a WebSocket and joins a namespace with a token. */
  static async join(url: string, namespace: string, token: string): Promise<RawSocket> {
    const socket = await RawSocket.open(url, [`Authorization: ${token}`]);
    socket.send(`40${namespace},`);
    await socket.until((text) => text.startsWith(`40${namespace},`));
    return socket;
  }

  get over(): boolean {
    return this.#over;
  }

  send(payload: string | Uint8Array, opcode: number = OP.text): void {
    if (!this.#over) this.socket.write(frameOf(payload, opcode));
  }

  /** Resolves when the server has read all sent frames, or the connection has ended. */
  async settled(): Promise<void> {
    const before = this.#pongs();
    this.send('', OP.ping);
    while (!this.#over && this.#pongs() === before) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #pongs(): number {
    return this.received.filter((text) => text === PONG).length;
  }

  /** The first text that fits, already received or not. Undefined when the connection ends without it. */
  async until(fits: (text: string) => boolean): Promise<string | undefined> {
    for (;;) {
      const found = this.received.find(fits);
      if (found !== undefined || this.#over) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #take(data: Buffer): void {
    const { texts, rest } = textsIn(Buffer.concat([this.#rest, data]));
    this.#rest = rest;
    this.received.push(...texts);
    if (texts.includes(BYE)) this.socket.destroy();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
