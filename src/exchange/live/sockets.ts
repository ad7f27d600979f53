// Feeds over socket.io-client: one connection for each namespace. The feed reconnects by itself
// (feed-connections.ts), since the library retries neither a refused namespace nor a server's disconnect.
import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import type { Feed } from '../../domain/index.ts';
import type { WireProfile } from '../../wire/index.ts';
import type { SocketsPort } from '../ports.ts';
import { MAX_FRAME_BYTES } from '../ports.ts';
import { boundedSocket } from './bounded-socket.ts';

/** The exchange's message for a missing or expired token. */
const UNAUTHORIZED = 'not authorized';
/** The server's message for an unknown namespace. */
const NO_NAMESPACE = 'Invalid namespace';
const LONGEST_CAUSE = 200;

/**
 * The feeds of an exchange as a port of the door.
 * @param username the account's name by the exchange's login reply; called at each connection
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
        // two namespaces of one host would share a connection and fail together
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
        // the spec demands text; the parser refuses anything else, and the journal keeps it
        events.frame(event, typeof payload === 'string' ? payload : '');
      });
      return opened;
    };
    return {
      get address() {
        return `${origin}${profile.socketPath} namespace ${path}${namespaceNow()}`;
      },
      connect: (token = '') => {
        // a name that changed since the last login is another namespace
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

/**
 * The cause of a connection error. The library reports "websocket error" for every refusal by the network or
 * a proxy, with the reason below it.
 */
function causeOf(error: Error & { readonly description?: unknown }): string {
  const { description } = error;
  const below =
    typeof description === 'object' && description !== null && 'message' in description
      ? description.message
      : undefined;
  const text = typeof below === 'string' && below !== '' ? below : error.message;
  return (text.split('\n')[0] ?? '').slice(0, LONGEST_CAUSE);
}

/** The setting to check first. */
function settingOf(cause: string, feed: Feed, hasPath: boolean): string {
  if (cause === NO_NAMESPACE && !hasPath)
    return `exchange.profile.${feed === 'prices' ? 'priceNamespace' : 'userNamespace'}`;
  if (cause === UNAUTHORIZED || /response: 40[13]/.test(cause)) return 'exchange.profile.socketTokenIn';
  // the server speaks HTTP, but not on this path
  return /response: 4\d\d|socket hang up/.test(cause) ? 'exchange.profile.socketPath' : 'exchange.socketUrl';
}
