// The two socket feeds as Observables. Each life of a connection is an epoch: `up` and `down` are messages in the
// stream, since frames sent while down are lost. One that comes back is up with the first Engine.IO packet on the new
// connection, a ping or a frame, not with its handshake. Price frames are conflated per side while the process is busy.
import type { MonoTypeOperatorFunction } from 'rxjs';
import { Observable } from 'rxjs';
import { io } from 'socket.io-client';
import type { Feed, Input } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { sideHeaderOf } from '../wire/index.ts';
import type { Session } from './session.ts';

export type FeedInput = Extract<Input, { type: 'feed' | 'frame' }>;

const RECONNECT_MS = { first: 250, longest: 5000 };

/** A feed that connects when subscribed, reconnects by itself, and never errors. */
export function feed$(
  name: Feed,
  socketUrl: string,
  session: Session,
  profile: WireProfile,
): Observable<FeedInput> {
  return new Observable<FeedInput>((subscriber) => {
    const namespace =
      name === 'prices' ? profile.priceNamespace : `${profile.userNamespace}${session.username}`;
    let epoch = 0;
    let up = false;
    let closed = false;
    let wait = RECONNECT_MS.first;
    let timer: NodeJS.Timeout | undefined;
    const socket = io(`${socketUrl}${namespace}`, {
      transports: ['websocket'],
      path: profile.socketPath,
      // two namespaces of one host would share a connection and fall together
      forceNew: true,
      autoConnect: false,
      // our own reconnection: the library does not retry a refused namespace or a server's disconnect
      reconnection: false,
    });
    const authorize = (): void => {
      const token = session.token ?? '';
      const version = profile.apiVersionHeader === '' ? {} : { 'X-API-Version': profile.apiVersionHeader };
      socket.io.opts.extraHeaders =
        profile.socketTokenIn === 'header' ? { Authorization: token, ...version } : version;
      if (profile.socketTokenIn === 'query') socket.io.opts.query = { token };
    };
    const down = (reason: string): void => {
      if (!up) return;
      up = false;
      subscriber.next({ type: 'feed', feed: name, status: 'down', epoch, reason });
    };
    const connect = (): void => {
      if (closed) return;
      authorize();
      socket.connect();
    };
    const again = (): void => {
      if (closed) return;
      clearTimeout(timer);
      timer = setTimeout(connect, wait);
      wait = Math.min(wait * 2, RECONNECT_MS.longest);
    };
    const begin = (): void => {
      epoch += 1;
      up = true;
      wait = RECONNECT_MS.first;
      subscriber.next({ type: 'feed', feed: name, status: 'up', epoch });
    };
    socket.on('connect', () => {
      // a connection that comes after another may be half open: the first packet on it says that it is not. Its handshake does
      // not, which also a proxy in front of a dead exchange may answer
      if (epoch === 0) begin();
      else socket.io.engine.once('packet', begin);
    });
    socket.on('disconnect', (reason) => {
      down(reason);
      if (reason !== 'io client disconnect') again();
    });
    socket.on('connect_error', (error) => {
      down(error.message);
      if (error.message === 'not authorized') void session.relogin().then(again);
      else again();
    });
    socket.onAny((event: string, payload: unknown) => {
      // the spec says text; anything else is left to be refused by the parser, and journalled
      const data = typeof payload === 'string' ? payload : '';
      subscriber.next({ type: 'frame', feed: name, epoch, event, data });
    });
    connect();
    return () => {
      closed = true;
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.offAny();
      socket.disconnect();
    };
  });
}

/**
 * Holds frames until the event loop has read everything that already arrived, and keeps only the newest of each side.
 * Everything else (games, up, down) stays in order and is never dropped. `dropped` is told of each frame that was conflated away.
 */
export function conflate(dropped: () => void = () => undefined): MonoTypeOperatorFunction<FeedInput> {
  return (source) =>
    new Observable<FeedInput>((subscriber) => {
      let waiting = new Map<string | number, FeedInput>();
      let count = 0;
      let scheduled: NodeJS.Immediate | undefined;
      const flush = (): void => {
        scheduled = undefined;
        const batch = waiting;
        waiting = new Map();
        for (const input of batch.values()) subscriber.next(input);
      };
      const subscription = source.subscribe({
        next: (input) => {
          const header =
            input.type === 'frame' && input.event === 'orderUpdate' ? sideHeaderOf(input.data) : undefined;
          const key = header ?? (count += 1);
          // deleted first, so that the newest frame takes the newest place in the order
          if (waiting.delete(key)) dropped();
          waiting.set(key, input);
          scheduled ??= setImmediate(flush);
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          flush();
          subscriber.complete();
        },
      });
      return () => {
        if (scheduled !== undefined) clearImmediate(scheduled);
        subscription.unsubscribe();
      };
    });
}
