// Feeds over socket.io-client: one connection for each namespace. Reconnection is the feed's own (feed-connections.ts), since the
// library retries neither a refused namespace nor a server's disconnect.
import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import type { Feed } from '../../domain/index.ts';
import type { WireProfile } from '../../wire/index.ts';
import type { SocketsPort } from '../ports.ts';
import { MAX_FRAME_BYTES } from '../ports.ts';
import { boundedSocket } from './bounded-socket.ts';

/** The exchange's words for a token that is missing or has run out. */
const UNAUTHORIZED = 'not authorized';
/** The server's words for a namespace that it does not have. */
const NO_NAMESPACE = 'Invalid namespace';
const LONGEST_CAUSE = 200;

/**
 * @param username as the exchange names the account, which its login reply says. Asked at each connection
 * @param maxFrame bytes; longer frames are dropped unread
 */
export const socketsTo =
  (socketUrl: string, username: () => string, profile: WireProfile, maxFrame = MAX_FRAME_BYTES): SocketsPort =>
  (feed, events) => {
    const { origin, pathname } = new URL(socketUrl);
    const path = pathname === '/' ? '' : pathname;
    const namespaceNow = (): string =>
      feed === 'prices' ? profile.priceNamespace : `${profile.userNamespace}${username()}`;
    let namespace = '';
    let socket: Socket | undefined;
    const close = (): void => {
      socket?.removeAllListeners();
      socket?.offAny();
      socket?.disconnect();
    };
    const open = (): Socket => {
      namespace = namespaceNow();
      const opened = io(`${socketUrl}${namespace}`, {
        transports: [boundedSocket(maxFrame, events)],
        path: profile.socketPath,
        // two namespaces of one host would share a connection and fall together
        forceNew: true,
        autoConnect: false,
        reconnection: false,
      });
      opened.on('connect', () => {
        events.connected();
        opened.io.engine.on('packet', events.packet);
        const { subscribe } = profile;
        if (subscribe !== null)
          opened.emit(subscribe.event, ...(subscribe.payload === undefined ? [] : [subscribe.payload]));
      });
      opened.on('disconnect', (reason) => events.closed(reason));
      opened.on('connect_error', (error) => {
        const cause = causeOf(error);
        const setting = settingOf(cause, feed, path !== '');
        events.refused({ cause, setting }, error.message === UNAUTHORIZED);
      });
      opened.onAny((event: string, payload: unknown) => {
        // the spec says text; anything else is left to be refused by the parser, and journalled
        events.frame(event, typeof payload === 'string' ? payload : '');
      });
      return opened;
    };
    return {
      get address() {
        return `${origin}${profile.socketPath} namespace ${path}${namespaceNow()}`;
      },
      connect: (token = '') => {
        // a name that is another one than at the last login is another namespace
        if (socket === undefined || namespace !== namespaceNow()) {
          close();
          socket = open();
        }
        const version = profile.apiVersionHeader === '' ? {} : { 'X-API-Version': profile.apiVersionHeader };
        socket.io.opts.extraHeaders =
          profile.socketTokenIn === 'header' ? { Authorization: token, ...version } : version;
        if (profile.socketTokenIn === 'query') socket.io.opts.query = { token };
        socket.connect();
      },
      close,
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
