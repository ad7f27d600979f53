// Feeds over socket.io-client: one connection for each namespace. Reconnection is the feed's own (feed-life.ts), since the
// library retries neither a refused namespace nor a server's disconnect.
import { io } from 'socket.io-client';
import type { Feed } from '../../domain/index.ts';
import type { WireProfile } from '../../wire/index.ts';
import type { SocketsPort } from '../ports.ts';

/** The exchange's words for a token that is missing or has run out. */
const UNAUTHORIZED = 'not authorized';
/** The server's words for a namespace that it does not have. */
const NO_NAMESPACE = 'Invalid namespace';
const LONGEST_CAUSE = 200;

export const socketsTo =
  (socketUrl: string, username: string, profile: WireProfile): SocketsPort =>
  (feed, events) => {
    const namespace = feed === 'prices' ? profile.priceNamespace : `${profile.userNamespace}${username}`;
    const { origin, pathname } = new URL(socketUrl);
    const path = pathname === '/' ? '' : pathname;
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
    socket.on('connect_error', (error) => {
      const cause = causeOf(error);
      const setting = settingOf(cause, feed, path !== '');
      events.refused({ cause, setting }, error.message === UNAUTHORIZED);
    });
    socket.onAny((event: string, payload: unknown) => {
      // the spec says text; anything else is left to be refused by the parser, and journalled
      events.frame(event, typeof payload === 'string' ? payload : '');
    });
    return {
      address: `${origin}${profile.socketPath} namespace ${path}${namespace}`,
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

/** The library reports "websocket error" for all that the network or a proxy refuses: the reason is below it. */
function causeOf(error: Error & { readonly description?: unknown }): string {
  const { description } = error;
  const below =
    typeof description === 'object' && description !== null && 'message' in description
      ? description.message
      : undefined;
  const text = typeof below === 'string' && below !== '' ? below : error.message;
  return (text.split('\n')[0] ?? '').slice(0, LONGEST_CAUSE);
}

/** Where to look first. */
function settingOf(cause: string, feed: Feed, hasPath: boolean): string {
  if (cause === NO_NAMESPACE && !hasPath)
    return `exchange.profile.${feed === 'prices' ? 'priceNamespace' : 'userNamespace'}`;
  if (cause === UNAUTHORIZED || /response: 40[13]/.test(cause)) return 'exchange.profile.socketTokenIn';
  // a server that speaks HTTP, but not at this path
  return /response: 4\d\d|socket hang up/.test(cause) ? 'exchange.profile.socketPath' : 'exchange.socketUrl';
}
