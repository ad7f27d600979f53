// Carries out the core's commands at the exchange and turns what comes of them into inputs. It decides nothing: it
// encodes, sends under the permit it was given, hands the permit back when the request can no longer be counted, and
// tells fates as they are. An answer that comes after requestTimeout, up to lateArrival, is still told.
import { merge, map, Subject } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Bucket, Command, Input, RequestId } from '../domain/index.ts';
import { isOfAccount } from '../domain/index.ts';
import type { Call, CallContext, Participants, WireProfile } from '../wire/index.ts';
import { callOf, isRequest, isWindowFull, readCall } from '../wire/index.ts';
import type { AuthorizedCall, RestClient } from './rest-client.ts';
import type { Session } from './session.ts';
import type { PermitWindow } from './windows.ts';

export type GatewaySettings = {
  readonly requestTimeoutMs: number;
  readonly lateArrivalMs: number;
  /** Minutes until an order expires by itself; undefined: never. */
  readonly expirationMinutes: number | undefined;
};

type Lane = Bucket | 'read';
export type GatewayWindows = Readonly<Record<Lane, PermitWindow>>;
export type RequestCounts = Readonly<Record<'place' | 'edit' | 'cancel' | 'other', number>>;

export class Gateway {
  readonly #counts = { place: 0, edit: 0, cancel: 0 };
  readonly #replies = new Subject<Input>();
  readonly #rest: RestClient;
  readonly #session: Session;
  readonly #windows: GatewayWindows;
  readonly #context: CallContext;
  readonly #userPath: string;
  readonly #mayPlace: () => string | undefined;
  readonly #settings: GatewaySettings;
  readonly #now: () => number;
  #cancelAll: Promise<void> | undefined;
  readonly #readPermits: number[] = [];
  /** Books can wait: what settles an order or the end of a run goes first. */
  readonly #readQueues: Record<
    'first' | 'books' | 'last',
    { readonly req: RequestId; readonly call: Call }[]
  > = {
    first: [],
    books: [],
    last: [],
  };

  constructor(
    parts: {
      readonly rest: RestClient;
      readonly session: Session;
      readonly windows: GatewayWindows;
      readonly participants: Participants;
      /** Asked before every place and edit: why it may not be sent now. */
      readonly mayPlace?: () => string | undefined;
    },
    profile: WireProfile,
    settings: GatewaySettings,
    now: () => number,
  ) {
    this.#rest = parts.rest;
    this.#session = parts.session;
    this.#windows = parts.windows;
    this.#mayPlace = parts.mayPlace ?? (() => undefined);
    const { participants } = parts;
    this.#context = { profile, participants, expirationMinutes: settings.expirationMinutes };
    this.#userPath = readCall({ what: 'user' }, profile).path;
    this.#settings = settings;
    this.#now = now;
    parts.session.inputs$.subscribe(({ type }) => {
      if (type === 'session-lost') this.#dropReads();
    });
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

  /** Reads that wait for a permit. */
  get readsWaiting(): number {
    return Object.values(this.#readQueues).reduce((sum, { length }) => sum + length, 0);
  }

  /** Replies, failures and permits. */
  get inputs$(): Observable<Input> {
    const permits = (bucket: Bucket): Observable<Input> =>
      this.#windows[bucket].permits$.pipe(map((permit): Input => ({ type: 'permit', bucket, permit })));
    return merge(this.#replies, permits('place'), permits('cancel'));
  }

  execute(command: Command): void {
    if (command.type === 'hold') this.#windows[command.bucket].hold(command.forMs);
    if (command.type === 'return')
      for (const permit of command.permits) this.#windows[command.bucket].giveBack(permit);
    // the rest is the shell's
    if (!isRequest(command)) return;
    const call = callOf(command, this.#context);
    switch (command.type) {
      case 'place':
      case 'edit':
      case 'cancel': {
        const lane = command.type === 'cancel' ? 'cancel' : 'place';
        const held = command.type === 'cancel' ? undefined : this.#mayPlace();
        if (call === undefined || held !== undefined) {
          const detail = held ?? 'the participants of a game are not known';
          this.#notSent(command.req, lane, command.permit, detail);
          return;
        }
        this.#counts[command.type] += 1;
        void this.#send(
          command.req,
          command.type === 'cancel' ? call : { ...call, held: this.#mayPlace },
          lane,
          command.permit,
        );
        return;
      }
      case 'read': {
        const { what } = command.read;
        const queue =
          this.#readQueues[
            what === 'play' ? 'last' : what === 'league' || what === 'game' ? 'books' : 'first'
          ];
        if (call !== undefined)
          queue[isOfAccount(command.read) ? 'unshift' : 'push']({ req: command.req, call });
        this.#pumpReads();
        return;
      }
      case 'cancel-all':
        if (call !== undefined) this.#cancelAll = this.#send(command.req, call);
        return;
      case 'switch-mode':
        if (call !== undefined) void this.#send(command.req, call);
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

  /** The account is refused (DESIGN rule 5): nothing that waits is sent any more, nor another login. */
  #refuseAccount(): void {
    this.#session.refuse();
    this.#dropReads();
  }

  #dropReads(): void {
    for (const queue of Object.values(this.#readQueues)) queue.length = 0;
  }

  #pumpReads(): void {
    while (this.#readPermits.length > 0) {
      const { first, books, last } = this.#readQueues;
      const next = first.shift() ?? books.shift() ?? last.shift();
      if (next === undefined) return;
      const permit = this.#readPermits.shift();
      void this.#send(next.req, next.call, 'read', permit);
    }
  }

  #notSent(req: RequestId, lane: Lane, permit: number, detail: string): void {
    this.#windows[lane].giveBack(permit);
    this.#replies.next({ type: 'failure', req, failure: 'not-sent', detail });
  }

  /** A 429 is believed: permits that are too many now go back. */
  #lower(lane: Lane, sentAt: number): void {
    const permits = this.#windows[lane].refused(sentAt);
    if (permits === 0) return;
    if (lane === 'read')
      for (const permit of this.#readPermits.splice(-permits, permits)) this.#windows.read.giveBack(permit);
    else this.#replies.next({ type: 'recall', bucket: lane, permits });
  }

  async #send(req: RequestId, call: AuthorizedCall, lane?: Lane, permit?: number): Promise<void> {
    const sentAt = this.#now();
    if (lane !== undefined && permit !== undefined) this.#windows[lane].spend(permit, sentAt);
    // called first: the request is on its way before its timer is set
    const answering = this.#rest.call({ ...call, token: this.#session.token }, this.#settings.lateArrivalMs);
    const timer = setTimeout(() => {
      this.#replies.next({
        type: 'failure',
        req,
        failure: 'timeout',
        detail: `no answer within ${this.#settings.requestTimeoutMs} ms`,
      });
    }, this.#settings.requestTimeoutMs);
    const answer = await answering;
    clearTimeout(timer);
    if (lane !== undefined && permit !== undefined) {
      const window = this.#windows[lane];
      if (answer.type === 'failed' && answer.failure === 'not-sent') window.giveBack(permit);
      else window.end(permit, answer.type === 'answer' ? this.#now() : sentAt + this.#settings.lateArrivalMs);
      if (isWindowFull(answer)) this.#lower(lane, sentAt);
    }
    if (answer.type === 'failed') {
      this.#replies.next({ type: 'failure', req, failure: answer.failure, detail: answer.detail });
      return;
    }
    this.#session.rotate(answer.newToken);
    if (answer.status === 403 && call.path === this.#userPath) this.#refuseAccount();
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
