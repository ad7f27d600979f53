// Server-sent events to one client, packed where it takes that: what it has not read is counted, wherever it waits.
import type { ServerResponse } from 'node:http';
import type { Gzip } from 'node:zlib';
import { constants, createGzip } from 'node:zlib';

export class EventSink {
  readonly #raw: ServerResponse;
  readonly #gzip: Gzip | undefined;
  /** Given to the packer, and not packed yet. */
  #packing = 0;

  /** `zips`: the client unpacks gzip. `gone`: called once, when it is. */
  constructor(raw: ServerResponse, zips: boolean, gone: () => void) {
    this.#raw = raw;
    raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // proxies would hold it back
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
    // no pipe: what waits must be seen here
    this.#gzip.on('data', (chunk: Buffer) => raw.write(chunk));
  }

  /** Characters, or bytes, that it has not read. */
  get waiting(): number {
    return this.#raw.writableLength + this.#packing;
  }

  send(event: string, data: unknown): void {
    this.write(eventText(event, data));
  }

  /** As `eventText` has it, so that one text may go to many. */
  write(text: string): void {
    const gzip = this.#gzip;
    if (gzip === undefined) {
      this.#raw.write(text);
      return;
    }
    this.#packing += text.length;
    gzip.write(text, () => (this.#packing -= text.length));
  }

  /** With a last word. */
  end(text: string): void {
    if (this.#gzip === undefined) {
      this.#raw.end(text);
      return;
    }
    this.#gzip.on('end', () => this.#raw.end());
    this.#gzip.end(text);
  }

  destroy(): void {
    this.#raw.destroy();
  }
}

export const eventText = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
