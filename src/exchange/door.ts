// The one door to the exchange: session, request lanes and feeds, without I/O. It executes the core's
// commands and reports their results. It decides nothing: it encodes, sends under the given permit, returns
// the permit when the request can no longer be counted, and reports every fate unchanged. An answer after
// requestTimeout, up to lateArrival, is still reported. The door is the same live and in a backtest: only its
// ports differ.
import type { Observable } from 'rxjs';
import { EMPTY, Subject } from 'rxjs';
import type {
  Arrival,
  Bucket,
  Command,
  Feed,
  FeedConnection,
  Input,
  OddsmakerError,
  RequestCommand,
  RequestId,
  Timers,
} from '../domain/index.ts';
import { isOfAccount, isRequest } from '../domain/index.ts';
import type { CallContext, Participants, WireProfile } from '../wire/index.ts';
import { callOf, isWindowFull, readCall } from '../wire/index.ts';
import type { FeedArrival } from './feed-connections.ts';
import { FeedConnections } from './feed-connections.ts';
import type { OutgoingCall, RestAnswer, RestPort, SocketsPort, WindowPort } from './ports.ts';
import type { SessionPorts, SessionSettings } from './session.ts';
import { Session } from './session.ts';

export type DoorSettings = SessionSettings & {
  readonly profile: WireProfile;
  readonly lateArrivalMs: number;
  /** Minutes until an order expires; undefined when it never does. */
  readonly expirationMinutes: number | undefined;
};

type Lane = Bucket | 'read';
export type DoorPorts = {
  readonly rest: RestPort;
  readonly sockets: SocketsPort;
  readonly windows: Readonly<Record<Lane, WindowPort>>;
  readonly timers: Timers;
  readonly participants: Participants;
  /** Called before every place and edit; returns the reason why it must not be sent now. */
  readonly mayPlace?: () => string | undefined;
  readonly warn?: SessionPorts['warn'];
  readonly wall?: SessionPorts['wall'];
};

export type SentCounts = Readonly<Record<'place' | 'edit' | 'cancel' | 'other', number>>;

type Waiting = { readonly req: RequestId; readonly call: OutgoingCall };

export class Door {
  readonly session: Session;
  /**
   * The number of answers by status; 0: no answer of the exchange within requestTimeout. A later answer
   * counts by its status too.
   */
  readonly statuses = new Map<number, number>();
  /** When the first request was sent after which no answer has arrived, monotonic ms. */
  #unansweredSince: number | undefined;
  readonly #settings: DoorSettings;
  readonly #ports: DoorPorts;
  readonly #replies = new Subject<Arrival>();
  readonly #permits = new Subject<Input>();
  readonly #sessions = new Subject<Input>();
  readonly #context: CallContext;
  readonly #feeds: ReadonlyMap<Feed, FeedConnections>;
  readonly #counts = { place: 0, edit: 0, cancel: 0, other: 0 };
  readonly #userPath: string;
  readonly #readPermits: number[] = [];
  /** Waiting reads: books come after reads that settle an order or the end of a run. */
  readonly #reads: Record<'first' | 'books' | 'last', Waiting[]> = { first: [], books: [], last: [] };
  /** Set while a cancelAllOrders is on its way; `then` runs when it is answered. */
  #cancellingAll: { then: () => void } | undefined;
  #isClosed = false;
  #endStart = (): void => undefined;

  /** `feeds`: the feeds of this door; in a backtest prices may come from elsewhere. */
  constructor(settings: DoorSettings, ports: DoorPorts, feeds: readonly Feed[] = ['prices', 'user']) {
    const { profile, expirationMinutes } = settings;
    this.#settings = settings;
    this.#ports = ports;
    this.#context = { profile, participants: ports.participants, expirationMinutes };
    this.#userPath = readCall({ what: 'user' }, profile).path;
    const { timers, sockets } = ports;
    this.session = new Session(profile, settings, {
      timers,
      rest: (call, deadlineMs, done) => this.#call(call, deadlineMs, done),
      report: (input) => {
        if (input.type === 'session-lost') this.#dropReads();
        this.#sessions.next(input);
      },
      ...(ports.warn === undefined ? {} : { warn: ports.warn }),
      ...(ports.wall === undefined ? {} : { wall: ports.wall }),
    });
    const { session } = this;
    const feedPorts = { sockets, session, timers, ...(ports.warn === undefined ? {} : { warn: ports.warn }) };
    this.#feeds = new Map(feeds.map((feed) => [feed, new FeedConnections(feed, feedPorts)]));
  }

  /**
   * Logs in, then connects the feeds and hands out permits. `done` as in `Session.start`; the returned
   * function ends the retries.
   */
  start(done: (problem: OddsmakerError | undefined) => void): () => void {
    this.#endStart = this.session.start((problem) => {
      if (problem === undefined) this.#open();
      done(problem);
    });
    return this.#endStart;
  }

  #open(): void {
    if (this.#isClosed) return;
    for (const feed of this.#feeds.values()) feed.connect();
    const { windows } = this.#ports;
    for (const bucket of ['place', 'cancel'] as const)
      windows[bucket].open((permit) => this.#permits.next({ type: 'permit', bucket, permit }));
    windows.read.open((permit) => {
      this.#readPermits.push(permit);
      this.#pumpReads();
    });
  }

  /** The price feed; empty when the door does not have it. */
  get prices$(): Observable<FeedArrival> {
    return this.#feeds.get('prices')?.arrivals$ ?? EMPTY;
  }

  /** The user feed of the account. */
  get user$(): Observable<FeedArrival> {
    return this.#feeds.get('user')?.arrivals$ ?? EMPTY;
  }

  /** Events of the user feed that arrive parsed, in process. */
  get userReads$(): Observable<Input> {
    return this.#feeds.get('user')?.reads$ ?? EMPTY;
  }

  /** Answers and failures of requests, late ones included. */
  get replies$(): Observable<Arrival> {
    return this.#replies;
  }

  /** Permits that the windows grant, and recalls of permits. */
  get permits$(): Observable<Input> {
    return this.#permits;
  }

  /** Logins and lost sessions. */
  get sessions$(): Observable<Input> {
    return this.#sessions;
  }

  /** Requests sent so far; `other` counts everything else over REST, logins included. */
  get requests(): SentCounts {
    return { ...this.#counts };
  }

  /** The connection of a feed. Undefined when the door does not have the feed. */
  connection(feed: Feed): FeedConnection | undefined {
    return this.#feeds.get(feed)?.connection;
  }

  /** Reads that wait for a permit. */
  get readsWaiting(): number {
    return Object.values(this.#reads).reduce((sum, { length }) => sum + length, 0);
  }

  execute(command: Command): void {
    const { windows } = this.#ports;
    if (command.type === 'hold') windows[command.bucket].hold(command.forMs);
    if (command.type === 'return') for (const permit of command.permits) windows[command.bucket].giveBack(permit);
    // the run handles the other commands itself
    if (isRequest(command)) this.#request(command);
  }

  /** Calls back when no cancelAllOrders is on its way, at the latest after requestTimeout. */
  afterCancelAll(then: () => void): void {
    const waiting = this.#cancellingAll;
    if (waiting === undefined) {
      then();
      return;
    }
    const callOff = this.#ports.timers.after(this.#settings.requestTimeoutMs, () => {
      waiting.then = () => undefined;
      then();
    });
    waiting.then = () => {
      callOff();
      then();
    };
  }

  /** Closes the connections and ends all reports. Requests on their way still reach the exchange. */
  close(): void {
    this.#endStart();
    this.session.close();
    this.closeFeeds();
    this.#isClosed = true;
    for (const stream of [this.#replies, this.#permits, this.#sessions]) stream.complete();
    for (const window of Object.values(this.#ports.windows)) window.close();
  }

  closeFeeds(): void {
    for (const feed of this.#feeds.values()) feed.close();
  }

  #request(command: RequestCommand): void {
    const call = callOf(command, this.#context);
    switch (command.type) {
      case 'place':
      case 'edit':
      case 'cancel': {
        const { req, permit, type } = command;
        const lane = type === 'cancel' ? 'cancel' : 'place';
        const { mayPlace } = this.#ports;
        const held = type === 'cancel' ? undefined : mayPlace;
        const reason = held?.() ?? (call === undefined ? 'the participants of a game are not known' : undefined);
        if (call === undefined || reason !== undefined) {
          this.#ports.windows[lane].giveBack(permit);
          this.#replies.next({ type: 'failure', req, failure: 'not-sent', detail: reason ?? '' });
          return;
        }
        this.#counts[type] += 1;
        this.#send(req, { ...call, held, command }, lane, permit);
        return;
      }
      case 'read': {
        const { req, read } = command;
        const { what: kind } = read;
        const queue = this.#reads[kind === 'play' ? 'last' : kind === 'league' || kind === 'game' ? 'books' : 'first'];
        if (call !== undefined) queue[isOfAccount(read) ? 'unshift' : 'push']({ req, call: { ...call, command } });
        this.#pumpReads();
        return;
      }
      case 'cancel-all': {
        if (call === undefined) return;
        const waiting = { then: (): void => undefined };
        this.#cancellingAll = waiting;
        this.#send(command.req, call, undefined, undefined, () => {
          if (this.#cancellingAll === waiting) this.#cancellingAll = undefined;
          waiting.then();
        });
        return;
      }
      case 'switch-mode':
        if (call !== undefined) this.#send(command.req, call);
    }
  }

  #pumpReads(): void {
    while (this.#readPermits.length > 0) {
      const { first, books, last } = this.#reads;
      const next = first.shift() ?? books.shift() ?? last.shift();
      if (next === undefined) return;
      this.#send(next.req, next.call, 'read', this.#readPermits.shift());
    }
  }

  #dropReads(): void {
    for (const queue of Object.values(this.#reads)) queue.length = 0;
  }

  /** Reacts to a 429: surplus permits are returned. */
  #lower(lane: Lane, sentAt: number): void {
    const window = this.#ports.windows[lane];
    const permits = window.refused(sentAt);
    if (permits === 0) return;
    if (lane === 'read') for (const permit of this.#readPermits.splice(-permits, permits)) window.giveBack(permit);
    else this.#permits.next({ type: 'recall', bucket: lane, permits });
  }

  #send(req: RequestId, call: OutgoingCall, lane?: Lane, permit?: number, ended?: () => void): void {
    const { requestTimeoutMs, lateArrivalMs } = this.#settings;
    const { timers, windows } = this.#ports;
    const sentAt = timers.now();
    const { token } = this.session;
    const window = lane === undefined || permit === undefined ? undefined : windows[lane];
    if (window !== undefined && permit !== undefined) window.spend(permit, sentAt);
    let callOff = (): void => undefined;
    let isLate = false;
    // called before the timer is set, so that the request leaves first
    this.#call(
      { ...call, token },
      lateArrivalMs,
      (answer) => {
        callOff();
        if (window !== undefined && permit !== undefined) {
          if (answer.type === 'failed' && answer.failure === 'not-sent') window.giveBack(permit);
          else window.endRequest(permit, answer.type === 'failed' ? sentAt + lateArrivalMs : timers.now());
          if (answer.type === 'answer' && isWindowFull(answer)) this.#lower(lane as Lane, sentAt);
        }
        this.#deliver(req, { ...call, token }, answer);
        ended?.();
      },
      () => isLate,
    );
    callOff = timers.after(requestTimeoutMs, () => {
      isLate = true;
      this.#count(0);
      const detail = `no answer within ${requestTimeoutMs} ms`;
      this.#replies.next({ type: 'failure', req, failure: 'timeout', detail });
    });
  }

  #deliver(req: RequestId, call: OutgoingCall, answer: RestAnswer): void {
    if (answer.type === 'failed') {
      this.#replies.next({ type: 'failure', req, failure: answer.failure, detail: answer.detail });
      return;
    }
    if (answer.type === 'read') {
      this.#replies.next({ type: 'answer', req, answer: answer.answer });
      return;
    }
    const { status, body, retryAfterSeconds, newToken } = answer;
    this.session.rotate(newToken);
    // the account is refused (rules.md, 5): no waiting request is sent any more, and no login
    if (status === 403 && call.path === this.#userPath) {
      this.session.refuse();
      this.#dropReads();
    }
    const reply = (): void =>
      this.#replies.next({
        type: 'reply',
        req,
        status,
        body,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    // a new decision after a 401 needs the new token in place
    if (status === 401) this.session.relogin(reply, call.token);
    else reply();
  }

  /** `isLate`: true when the missing answer was counted already. */
  #call(
    call: OutgoingCall,
    deadlineMs: number,
    done: (answer: RestAnswer) => void,
    isLate: () => boolean = () => false,
  ): void {
    const { type } = call.command ?? { type: 'other' };
    if (type !== 'place' && type !== 'edit' && type !== 'cancel') this.#counts.other += 1;
    this.#unansweredSince ??= this.#ports.timers.now();
    this.#ports.rest(call, deadlineMs, (answer) => {
      if (this.#isClosed) return;
      const status = statusOf(answer);
      if (status !== 0) this.#unansweredSince = undefined;
      if (status !== 0 || !isLate()) this.#count(status);
      done(answer);
    });
  }

  #count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  /** How long the exchange has answered no request, ms; 0 when no request is open. */
  get silentMs(): number {
    return this.#unansweredSince === undefined ? 0 : this.#ports.timers.now() - this.#unansweredSince;
  }
}

function statusOf(answer: RestAnswer): number {
  if (answer.type === 'answer') return answer.status;
  if (answer.type === 'failed') return 0;
  return answer.answer.type === 'error' ? answer.answer.status : 200;
}
