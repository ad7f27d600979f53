// A last look before the bytes leave. A request may wait for a connection, and the process may be stopped while it does:
// when it wakes, the connection opens and the request would go out long after it was decided. Nothing is written before
// the socket is connected, so a request that is held here was certainly not sent.
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The code of the error a held request ends with. */
export const HELD = 'EHELD';

type Transport = {
  readonly request: (
    options: RequestOptions,
    onResponse: (response: IncomingMessage) => void,
  ) => ClientRequest;
};

/** An axios transport. @param held why the request must not go out any more; undefined when it may */
export function lastLook(held: () => string | undefined): Transport {
  return {
    request: (options, onResponse) => {
      const secure = options.protocol === 'https:';
      const request = (secure ? httpsRequest : httpRequest)(options, onResponse);
      const look = (): void => {
        const reason = held();
        if (reason !== undefined) request.destroy(Object.assign(new Error(reason), { code: HELD }));
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
