// Sends a request with a deadline, and with a last check before its bytes are written. A request may wait for
// a connection, and the process may be stopped meanwhile: when it continues, the connection opens and the
// request would leave long after its decision. Nothing is written before the socket is connected, so a
// request that is held here was certainly not sent.
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The error code of a held request. */
export const HELD = 'EHELD';
const LATE = 'ETIMEDOUT';

type Transport = {
  readonly request: (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => ClientRequest;
};

/**
 * An axios transport.
 *
 * @param deadlineMs the request and its connection end after this time, whatever has arrived
 * @param held returns the reason why the request must not be sent any more; undefined when it may
 */
export function transport(deadlineMs: number, held?: () => string | undefined): Transport {
  return {
    request: (options, onResponse) => {
      const secure = options.protocol === 'https:';
      const request = (secure ? httpsRequest : httpRequest)(options, onResponse);
      const end = (code: string, why: string): void => {
        request.destroy(Object.assign(new Error(why), { code }));
      };
      // cheaper than an AbortSignal for every request
      const deadline = setTimeout(() => end(LATE, `no answer within ${deadlineMs} ms`), Math.ceil(deadlineMs));
      request.once('close', () => {
        clearTimeout(deadline);
      });
      if (held === undefined) return request;
      const check = (): void => {
        const reason = held();
        if (reason !== undefined) end(HELD, reason);
      };
      // emitted before the request is written to the socket, or queued on it until it is connected
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', check);
        check();
      });
      return request;
    },
  };
}
