// Feeds over socket.io-client: one connection for each namespace. Reconnection is the feed's own (feed-life.ts), since the
// library retries neither a refused namespace nor a server's disconnect.
import { io } from 'socket.io-client';
import type { WireProfile } from '../../wire/index.ts';
import type { SocketsPort } from '../ports.ts';

export const socketsTo =
  (socketUrl: string, username: string, profile: WireProfile): SocketsPort =>
  (feed, events) => {
    const namespace = feed === 'prices' ? profile.priceNamespace : `${profile.userNamespace}${username}`;
    const socket = io(`${socketUrl}${namespace}`, {
      transports: ['websocket'],
      path: profile.socketPath,
      // two namespaces of one host would share a connection and fall together
      forceNew: true,
      autoConnect: false,
      reconnection: false,
    });
    socket.on('connect', () => {
      events.connected();
      socket.io.engine.on('packet', events.packet);
    });
    socket.on('disconnect', (reason) => events.closed(reason));
    socket.on('connect_error', ({ message }) => events.refused(message, message === 'not authorized'));
    socket.onAny((event: string, payload: unknown) => {
      // the spec says text; anything else is left to be refused by the parser, and journalled
      events.frame(event, typeof payload === 'string' ? payload : '');
    });
    return {
      connect: (token = '') => {
        const version = profile.apiVersionHeader === '' ? {} : { 'X-API-Version': profile.apiVersionHeader };
        socket.io.opts.extraHeaders =
          profile.socketTokenIn === 'header' ? { Authorization: token, ...version } : version;
        if (profile.socketTokenIn === 'query') socket.io.opts.query = { token };
        socket.connect();
      },
      close: () => {
        socket.removeAllListeners();
        socket.offAny();
        socket.disconnect();
      },
    };
  };
