// Server-sent events to one client, compressed if it accepts gzip. Unread bytes are counted wherever they
// wait.
import type { ServerResponse } from 'node:http';
import type { Gzip } from 'node:zlib';
import { constants, createGzip } from 'node:zlib';

export class EventSink {
  readonly #raw: ServerResponse;
  readonly #gzip: Gzip | undefined;
  /** Bytes that wait for compression. */
  #packing = 0;

  /** `zips`: the client accepts gzip. `gone` is called once, when the client has disconnected. */
  constructor(raw: ServerResponse, zips: boolean, gone: () => void) {
    this.#raw = raw;
    raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // proxies would buffer the stream
      'x-accel-buffering': 'no',
      ...(zips && { 'content-encoding': 'gzip' }),
    });
    raw.on('error', () => undefined);
    raw.on('close', () => {
      this.#gzip?.destroy();
      gone();
    });
    if (!zips) return;
    this.#gzip = createGzip({ level: 1, flush: constants.Z_SYNC_FLUSH });
    this.#gzip.on('error', () => raw.destroy());
    // no pipe, because waiting bytes are counted here
    this.#gzip.on('data', (chunk: Buffer) => raw.write(chunk));
  }

  /** Bytes that the client has not read. */
  get waiting(): number {
    return this.#raw.writableLength + this.#packing;
  }

  send(event: string, data: unknown): void {
    this.write(eventBytes(event, data));
  }

  /** Writes the bytes of `eventBytes`, which may go to several clients, or a short text. */
  write(bytes: Buffer | string): void {
    const gzip = this.#gzip;
    if (gzip === undefined) {
      this.#raw.write(bytes);
      return;
    }
    this.#packing += bytes.length;
    gzip.write(bytes, () => (this.#packing -= bytes.length));
  }

  /** Ends the stream with a last event. */
  endStream(bytes: Buffer): void {
    if (this.#gzip === undefined) {
      this.#raw.end(bytes);
      return;
    }
    this.#gzip.on('end', () => this.#raw.end());
    this.#gzip.end(bytes);
  }

  destroy(): void {
    this.#raw.destroy();
  }
}

export const eventBytes = (event: string, data: unknown): Buffer =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
