// The WebSocket of a feed, with a bound: a longer message is dropped before it is parsed, and the connection
// stays; only the beginning of its text is read. (`maxPayload` of ws would end the connection, and the same
// frame would come again.) Beyond 100 MiB ws itself ends the connection, before it has received the whole
// message.
import { Buffer } from 'node:buffer';
import { NodeWebSocket } from 'socket.io-client';
import type { SocketEvents } from '../ports.ts';

/** Characters of a long message that are read. */
const HEAD = 4096;
/** The most bytes of UTF-8 for one character of a string. */
const MOST_BYTES = 3;
/** An Engine.IO message: Socket.IO event, namespace, name, and a payload that is a string. */
const EVENT = /^42(?:\/[^,]*,)?\d*\["((?:[^"\\]|\\.)*)",?("?)/;

/** A transport for socket.io-client that drops messages over `maxBytes`. */
export function boundedSocket(
  maxBytes: number,
  events: Pick<SocketEvents, 'packet' | 'longFrame'>,
): typeof NodeWebSocket {
  return class BoundedSocket extends NodeWebSocket {
    protected override onData(data: Parameters<NodeWebSocket['onData']>[0]): void {
      const bytes = bytesOf(data, maxBytes);
      if (bytes <= maxBytes) {
        super.onData(data);
        return;
      }
      events.packet();
      const head = typeof data === 'string' ? data.slice(0, HEAD) : '';
      const { event, payload } = readHead(head);
      events.longFrame(event, bytes, payload);
    }
  };
}

function bytesOf(data: unknown, maxBytes: number): number {
  if (typeof data === 'string') return data.length * MOST_BYTES <= maxBytes ? data.length : Buffer.byteLength(data);
  return data instanceof ArrayBuffer || ArrayBuffer.isView(data) ? data.byteLength : 0;
}

/** The event of a message, and the beginning of its payload, read from the beginning of the message. */
export function readHead(head: string): { readonly event: string; readonly payload: string } {
  const found = EVENT.exec(head);
  if (found === null) return { event: '', payload: '' };
  const [begin, event = '', quote] = found;
  const rest = head.slice(begin.length);
  return { event, payload: quote === '' ? '' : unescaped(rest) };
}

/** The text of a JSON string that is cut off, perhaps in the middle of an escape. */
function unescaped(text: string): string {
  for (let end = text.length; end >= Math.max(0, text.length - 6); end--)
    try {
      return String(JSON.parse(`"${text.slice(0, end)}"`));
    } catch {
      // try one character less
    }
  return '';
}
