// Carries out the core's commands at the exchange and turns what comes of them into inputs. It decides nothing: it
// encodes, sends under the permit it was given, hands the permit back when the request can no longer be counted, and
// tells fates as they are. An answer that comes after requestTimeout, up to lateArrival, is still told.
import { merge, map, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Bucket, Command, Input, Read, RequestId } from '../domain/index.ts';
import type { Participants, WireProfile } from '../wire/index.ts';
import {
  encodeCancelMultiple,
  encodeEdit,
  encodeGameRequest,
  encodeLeagueRequest,
  encodeMode,
  encodePlace,
} from '../wire/index.ts';
import type { Call, RestClient } from './rest-client.ts';
import type { Session } from './session.ts';
import type { PermitWindow } from './windows.ts';

export type GatewaySettings = {
  readonly requestTimeoutMs: number;
  readonly lateArrivalMs: number;
  /** Minutes until an order expires by itself; undefined: never. */
  readonly expirationMinutes: number | undefined;
};

export type GatewayWindows = Readonly<Record<Bucket | 'read', PermitWindow>>;
export type RequestCounts = Readonly<Record<'place' | 'edit' | 'cancel' | 'other', number>>;

export class Gateway {
  readonly #counts = { place: 0, edit: 0, cancel: 0 };
  readonly #replies = new Subject<Input>();
  readonly #rest: RestClient;
  readonly #session: Session;
  readonly #windows: GatewayWindows;
  readonly #profile: WireProfile;
  readonly #participants: Participants;
  readonly #settings: GatewaySettings;
  readonly #now: () => number;
  #cancelAll: Promise<void> | undefined;
  readonly #readPermits: number[] = [];
  /** Books can wait: what settles an order or the end of a run goes first. */
  readonly #readQueues: Record<'first' | 'books', { readonly req: RequestId; readonly read: Read }[]> = {
    first: [],
    books: [],
  };

  constructor(
    parts: {
      readonly rest: RestClient;
      readonly session: Session;
      readonly windows: GatewayWindows;
      readonly participants: Participants;
    },
    profile: WireProfile,
    settings: GatewaySettings,
    now: () => number,
  ) {
    this.#rest = parts.rest;
    this.#session = parts.session;
    this.#windows = parts.windows;
    this.#participants = parts.participants;
    this.#profile = profile;
    this.#settings = settings;
    this.#now = now;
    this.#windows.read.permits$.subscribe((permit) => {
      this.#readPermits.push(permit);
      this.#pumpReads();
    });
  }

  /** Requests sent so far; `other` is everything else over REST, logins included. */
  get requests(): RequestCounts {
    const { place, edit, cancel } = this.#counts;
    return { place, edit, cancel, other: this.#rest.sent - place - edit - cancel };
  }

  /** Replies, failures and permits. */
  get inputs$(): Observable<Input> {
    const permits = (bucket: Bucket): Observable<Input> =>
      this.#windows[bucket].permits$.pipe(map((permit): Input => ({ type: 'permit', bucket, permit })));
    return merge(this.#replies, permits('place'), permits('cancel'));
  }

  execute(command: Command): void {
    switch (command.type) {
      case 'place': {
        const body = encodePlace(
          command.orders,
          this.#participants,
          this.#profile,
          this.#settings.expirationMinutes,
        );
        if (body === undefined) {
          this.#notSent(command.req, command.permit);
          break;
        }
        this.#counts.place += 1;
        void this.#send(
          command.req,
          { method: 'POST', path: this.#profile.placePath, body },
          this.#windows.place,
          command.permit,
        );
        break;
      }
      case 'edit':
        this.#counts.edit += 1;
        void this.#send(
          command.req,
          {
            method: 'POST',
            path: '/session/editOrder',
            body: encodeEdit(command.orderId, command.order, this.#settings.expirationMinutes),
          },
          this.#windows.place,
          command.permit,
        );
        break;
      case 'cancel':
        this.#counts.cancel += 1;
        void this.#send(
          command.req,
          {
            method: 'POST',
            path: '/session/cancelMultiple',
            body: encodeCancelMultiple(command.orderIds, this.#profile),
          },
          this.#windows.cancel,
          command.permit,
        );
        break;
      case 'cancel-all':
        this.#cancelAll = this.#send(command.req, {
          method: 'POST',
          path: '/session/cancelAllOrders',
          body: {},
        });
        break;
      case 'switch-mode':
        void this.#send(command.req, {
          method: 'POST',
          path: '/user/updateCoinsOrCash',
          body: encodeMode(command.mode),
        });
        break;
      case 'read':
        this.#readQueues[
          command.read.what === 'league' || command.read.what === 'game' ? 'books' : 'first'
        ].push({
          req: command.req,
          read: command.read,
        });
        this.#pumpReads();
        break;
      case 'hold':
        this.#windows[command.bucket].hold(command.forMs, command.widen);
        break;
      case 'wake':
      case 'alert':
      case 'exit':
        break; // the shell's
    }
  }

  /** Waits for the answer to a cancelAllOrders in flight, as long as any request may take. */
  async cancelledAll(): Promise<void> {
    if (this.#cancelAll === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>(
      (resolve) => (timer = setTimeout(resolve, this.#settings.requestTimeoutMs)),
    );
    await Promise.race([this.#cancelAll, timeout]);
    clearTimeout(timer);
  }

  close(): void {
    for (const window of Object.values(this.#windows)) window.close();
    this.#replies.complete();
    this.#rest.close();
  }

  #pumpReads(): void {
    while (this.#readPermits.length > 0) {
      const next = this.#readQueues.first.shift() ?? this.#readQueues.books.shift();
      if (next === undefined) return;
      const permit = this.#readPermits.shift();
      void this.#send(next.req, this.#readCall(next.read), this.#windows.read, permit);
    }
  }

  #readCall(read: Read): Call {
    const profile = this.#profile;
    switch (read.what) {
      case 'league':
        return {
          method: 'POST',
          path: '/exchange/getOrderbook',
          body: encodeLeagueRequest(read.league, read.page, profile.pageSize),
        };
      case 'game':
        return { method: 'POST', path: '/exchange/getSingleOrderbook', body: encodeGameRequest(read.gameId) };
      case 'open-orders':
        return { method: 'GET', path: profile.openOrdersPath };
      case 'reference':
        return {
          method: 'GET',
          path: profile.referencePath,
          query: { userReference: read.ref, gameID: read.gameId },
        };
      case 'order':
        return { method: 'GET', path: profile.lookupOrderPath, query: { orderID: read.orderId } };
      case 'user':
        return { method: 'GET', path: profile.userPath };
    }
  }

  #notSent(req: RequestId, permit: number): void {
    this.#windows.place.end(permit, this.#now());
    this.#replies.next({
      type: 'failure',
      req,
      failure: 'not-sent',
      detail: 'the participants of a game are not known',
    });
  }

  async #send(req: RequestId, call: Call, window?: PermitWindow, permit?: number): Promise<void> {
    const sentAt = this.#now();
    const timer = setTimeout(() => {
      this.#replies.next({
        type: 'failure',
        req,
        failure: 'timeout',
        detail: `no answer within ${this.#settings.requestTimeoutMs} ms`,
      });
    }, this.#settings.requestTimeoutMs);
    const answer = await this.#rest.call(
      { ...call, token: this.#session.token },
      this.#settings.lateArrivalMs,
    );
    clearTimeout(timer);
    const counted =
      answer.type === 'answer' || answer.failure === 'not-sent'
        ? this.#now()
        : sentAt + this.#settings.lateArrivalMs;
    if (window !== undefined && permit !== undefined) window.end(permit, counted);
    if (answer.type === 'failed') {
      this.#replies.next({ type: 'failure', req, failure: answer.failure, detail: answer.detail });
      return;
    }
    this.#session.rotate(answer.newToken);
    // whoever decides anew after a 401 must find the new token in place
    if (answer.status === 401) await this.#session.relogin();
    this.#replies.next({
      type: 'reply',
      req,
      status: answer.status,
      body: answer.body,
      ...(answer.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: answer.retryAfterSeconds }),
    });
  }
}
