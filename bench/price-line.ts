// One price client with as little work as possible: a WebSocket that joins the price namespace, answers
// pings, and counts events without reading them. Real clients have their own machines; these share one with
// the exchange.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

const NAMESPACE = '/priceUpdates';
/** Engine.IO and Socket.IO packets by their first characters. */
const PACKET = { open: '0', ping: '2', pong: '3', connect: '40', event: '42', refused: '44' } as const;

export class PriceLine {
  /** Settles when the namespace is joined. */
  readonly joined: Promise<void>;
  readonly #socket: Socket;
  readonly #onEvent: () => void;
  #unread: Buffer = Buffer.alloc(0);
  #upgraded = false;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(url: string, token: string, onEvent: () => void) {
    const { hostname, port, host } = new URL(url);
    this.#onEvent = onEvent;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.joined = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error) => this.#settle?.reject(error));
    this.#socket.on('close', () => this.#settle?.reject(new Error('the connection was closed')));
    const headers = [
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      `Authorization: ${token}`,
      'X-API-Version: public',
    ];
    this.#socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  }

  #read(chunk: Buffer): void {
    let unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    if (!this.#upgraded) {
      const end = unread.indexOf('\r\n\r\n');
      if (end >= 0) {
        this.#upgraded = true;
        unread = unread.subarray(end + 4);
      }
    }
    for (let frame = this.#frameOf(unread); frame !== undefined; frame = this.#frameOf(unread)) {
      this.#packet(unread.toString('latin1', frame.from, Math.min(frame.from + 2, frame.to)));
      unread = unread.subarray(frame.to);
    }
    this.#unread = unread;
  }

  /** Where the text of the first frame lies, once all of it is here. A server's frames are not masked. */
  #frameOf(unread: Buffer): { readonly from: number; readonly to: number } | undefined {
    if (!this.#upgraded || unread.length < 2) return undefined;
    const short = unread.readUInt8(1);
    const from = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (unread.length < from) return undefined;
    const length = short === 126 ? unread.readUInt16BE(2) : short === 127 ? unread.readUInt32BE(6) : short;
    return unread.length < from + length ? undefined : { from, to: from + length };
  }

  #packet(type: string): void {
    if (type === PACKET.event) this.#onEvent();
    else if (type === PACKET.connect) this.#settle?.resolve();
    else if (type === PACKET.refused) this.#settle?.reject(new Error('the namespace cannot be joined'));
    else if (type.startsWith(PACKET.open)) this.#send(`${PACKET.connect}${NAMESPACE},`);
    else if (type === PACKET.ping) this.#send(PACKET.pong);
  }

  /** A short text, masked with zeros. */
  #send(text: string): void {
    this.#socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]));
  }
}
