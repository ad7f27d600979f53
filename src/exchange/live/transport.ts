// How a request leaves: with a deadline, and with a last look before its bytes do. A request may wait for a connection, and
// the process may be stopped while it does: when it wakes, the connection opens and the request would go out long after it
// was decided. Nothing is written before the socket is connected, so a request that is held here was certainly not sent.
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The code of the error a held request ends with. */
export const HELD = 'EHELD';
const LATE = 'ETIMEDOUT';

type Transport = {
  readonly request: (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => ClientRequest;
};

/**
 * An axios transport.
 *
 * @param deadlineMs after this the request and its connection are given up, whatever has arrived
 * @param held why the request must not go out any more; undefined when it may
 */
export function transport(deadlineMs: number, held?: () => string | undefined): Transport {
  return {
    request: (options, onResponse) => {
      const secure = options.protocol === 'https:';
      const request = (secure ? httpsRequest : httpRequest)(options, onResponse);
      const end = (code: string, why: string): void => {
        request.destroy(Object.assign(new Error(why), { code }));
      };
      // cheaper than an AbortSignal, which every request would pay for
      const deadline = setTimeout(() => end(LATE, `no answer within ${deadlineMs} ms`), Math.ceil(deadlineMs));
      request.once('close', () => {
        clearTimeout(deadline);
      });
      if (held === undefined) return request;
      const look = (): void => {
        const reason = held();
        if (reason !== undefined) end(HELD, reason);
      };
      // told before the request is written to the socket, or queued on it until it is connected
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', look);
        look();
      });
      return request;
    },
  };
}
