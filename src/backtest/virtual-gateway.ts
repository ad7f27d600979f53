// The gateway to the exchange in process: what src/exchange does over sockets, on the virtual clock. Requests take their
// time in both directions, answers may be late or never come, permits come back by the same rule.
import type {
  Bucket,
  Command,
  FailureKind,
  Input,
  LeagueBook,
  PlayerMode,
  Read,
  RequestId,
} from '../domain/index.ts';
import { isOfAccount } from '../domain/index.ts';
import type { WindowLedger } from '../orders/index.ts';
import type { Ending, Headers, InProcessExchange } from '../paper/index.ts';
import type { Call, CallContext, Participants, WireAnswer, WireProfile } from '../wire/index.ts';
import {
  answerOf,
  callOf,
  isRequest,
  isWindowFull,
  loginCall,
  parseEnvelope,
  parseUser,
  readAnswer,
} from '../wire/index.ts';
import { VirtualLink } from './virtual-link.ts';

export type VirtualGatewaySettings = {
  readonly username: string;
  readonly password: string;
  readonly playerMode: PlayerMode;
  readonly profile: WireProfile;
  readonly requestTimeoutMs: number;
  readonly lateArrivalMs: number;
  readonly expirationMinutes: number | undefined;
  readonly windows: Readonly<Record<Bucket | 'read', WindowLedger>>;
  /** One way of a request or an answer, ms: drawn anew for each. */
  readonly latency: () => number;
  /** Requests, answers and user frames pass as what their JSON would say: none is written and read. */
  readonly withoutText?: boolean;
  /** Prices and books come from elsewhere, without JSON. */
  readonly market?: {
    /** The bot is logged in: prices may come. */
    readonly begin: () => void;
    /** The books as they are now; undefined when there is no such game. */
    readonly read: (read: BookRead) => LeagueBook | undefined;
  };
};

type Answer =
  | Extract<WireAnswer, { type: 'answer' }>
  | { readonly type: 'failed'; readonly failure: FailureKind; readonly detail: string };
type Lane = Bucket | 'read';
type BookRead = Extract<Read, { what: 'league' | 'game' }>;
type BookWaiting = { readonly req: RequestId; readonly read: BookRead };
type Waiting = { readonly req: RequestId; readonly call: Call } | BookWaiting;

const isBookRead = (read: Read): read is BookRead => read.what === 'league' || read.what === 'game';

const RELOGIN_AFTER_MS = 5000;

export class VirtualGateway {
  readonly counts = { place: 0, edit: 0, cancel: 0, other: 0 };
  /** Answers by status; 0: no answer of the exchange. */
  readonly statuses = new Map<number, number>();
  readonly #exchange: InProcessExchange;
  readonly #settings: VirtualGatewaySettings;
  readonly #context: CallContext;
  readonly #input: (input: Input) => void;
  readonly #startMs: number;
  readonly #links: readonly VirtualLink[];
  readonly #planned = new Map<Lane, number>();
  readonly #readPermits: number[] = [];
  readonly #reads: Record<'first' | 'books', Waiting[]> = {
    first: [],
    books: [],
  };
  #token: string | undefined;
  #waiting: (() => void)[] | undefined;
  #reloginAtMs = 0;
  #refused = false;
  #closed = false;

  constructor(
    exchange: InProcessExchange,
    settings: VirtualGatewaySettings,
    participants: Participants,
    input: (input: Input) => void,
  ) {
    this.#exchange = exchange;
    this.#settings = settings;
    this.#startMs = exchange.nowMs;
    const { profile, expirationMinutes, username } = settings;
    this.#context = { profile, participants, expirationMinutes };
    this.#input = (one) => {
      if (!this.#closed) input(one);
    };
    const link = (feed: 'prices' | 'user', namespace: string): VirtualLink =>
      new VirtualLink(feed, {
        exchange,
        namespace,
        headers: () => this.#headers(),
        input: this.#input,
        relogin: (then) => this.#relogin(then),
        latency: settings.latency,
        withoutText: settings.withoutText === true,
      });
    this.#links = [
      ...(settings.market === undefined ? [link('prices', profile.priceNamespace)] : []),
      link('user', profile.userNamespace + username),
    ];
  }

  /** Logs in, then joins both feeds and hands out permits. */
  start(): void {
    this.#login((worked) => {
      if (!worked) {
        this.#later(250, () => this.start());
        return;
      }
      for (const link of this.#links) link.connect();
      this.#settings.market?.begin();
      for (const lane of ['place', 'cancel', 'read'] as const) this.#grant(lane);
    });
  }

  execute(command: Command): void {
    if (command.type === 'hold') {
      this.#settings.windows[command.bucket].hold(command.forMs, this.#now);
      return;
    }
    if (command.type === 'return') {
      for (const permit of command.permits) this.#giveBack(command.bucket, permit);
      return;
    }
    if (!isRequest(command)) return;
    const call = callOf(command, this.#context);
    if (command.type === 'read') {
      const { read, req } = command;
      const queue = this.#reads[isBookRead(read) ? 'books' : 'first'];
      if (isBookRead(read) && this.#settings.market !== undefined) queue.push({ req, read });
      else if (call !== undefined) queue[isOfAccount(read) ? 'unshift' : 'push']({ req, call });
      this.#pumpReads();
      return;
    }
    if (command.type === 'cancel-all' || command.type === 'switch-mode') {
      this.counts.other += 1;
      if (call !== undefined) this.#send(command.req, call);
      return;
    }
    const lane = command.type === 'cancel' ? 'cancel' : 'place';
    if (call === undefined) {
      this.#giveBack(lane, command.permit);
      const detail = 'the participants of a game are not known';
      this.#input({ type: 'failure', req: command.req, failure: 'not-sent', detail });
      return;
    }
    this.counts[command.type] += 1;
    this.#send(command.req, call, lane, command.permit);
  }

  /** The process is gone: connections end, nothing is told any more. What is on its way still arrives. */
  close(): void {
    this.#closed = true;
    for (const link of this.#links) link.close();
  }

  get #now(): number {
    return this.#exchange.nowMs - this.#startMs;
  }

  #headers(): Headers {
    const version = this.#settings.profile.apiVersionHeader;
    return {
      ...(this.#token === undefined ? {} : { authorization: this.#token }),
      ...(version === '' ? {} : { 'x-api-version': version }),
    };
  }

  #later(ms: number, action: () => void): void {
    this.#exchange.at(this.#exchange.nowMs + ms, () => {
      if (!this.#closed) action();
    });
  }

  // ——— permits

  #grant(lane: Lane): void {
    const window = this.#settings.windows[lane];
    for (const permit of window.take(this.#now)) {
      if (lane === 'read') this.#readPermits.push(permit);
      else this.#input({ type: 'permit', bucket: lane, permit });
    }
    if (lane === 'read') this.#pumpReads();
    const { nextAt } = window;
    if (nextAt === undefined || (this.#planned.get(lane) ?? Number.POSITIVE_INFINITY) <= nextAt) return;
    this.#planned.set(lane, nextAt);
    // a whole millisecond at least: the clock's own steps are coarser than the difference may be
    this.#later(Math.max(1, Math.ceil(nextAt - this.#now)), () => {
      this.#planned.delete(lane);
      this.#grant(lane);
    });
  }

  #end(lane: Lane, permit: number, endMs: number): void {
    this.#settings.windows[lane].end(permit, endMs, this.#now);
    this.#grant(lane);
  }

  #giveBack(lane: Lane, permit: number): void {
    this.#settings.windows[lane].giveBack(permit, this.#now);
    this.#grant(lane);
  }

  /** A 429 is believed: permits that are too many now go back. */
  #lower(lane: Lane, sentAt: number): void {
    const permits = this.#settings.windows[lane].refused(sentAt, this.#now);
    if (permits === 0) return;
    if (lane === 'read')
      for (const permit of this.#readPermits.splice(-permits, permits)) this.#giveBack(lane, permit);
    else this.#input({ type: 'recall', bucket: lane, permits });
  }

  #pumpReads(): void {
    while (this.#readPermits.length > 0) {
      const next = this.#reads.first.shift() ?? this.#reads.books.shift();
      if (next === undefined) return;
      this.counts.other += 1;
      const permit = this.#readPermits.shift();
      if ('call' in next) this.#send(next.req, next.call, 'read', permit);
      else this.#readBook(next, permit);
    }
  }

  #readBook({ req, read }: BookWaiting, permit: number | undefined): void {
    const { latency, market, windows } = this.#settings;
    if (permit !== undefined) windows.read.spend(permit, this.#now);
    this.#later(latency(), () => {
      const book = market?.read(read);
      this.#later(latency(), () => {
        const status = book === undefined ? 404 : 200;
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        if (permit !== undefined) this.#end('read', permit, this.#now);
        this.#input(
          book === undefined ? { type: 'reply', req, status, body: undefined } : { type: 'book', req, book },
        );
      });
    });
  }

  // ——— requests

  #send(req: RequestId, call: Call, lane?: Lane, permit?: number): void {
    const { requestTimeoutMs, lateArrivalMs } = this.#settings;
    const sentAt = this.#now;
    if (lane !== undefined && permit !== undefined) this.#settings.windows[lane].spend(permit, sentAt);
    let settled = false;
    this.#later(requestTimeoutMs, () => {
      const detail = `no answer within ${requestTimeoutMs} ms`;
      if (!settled) this.#input({ type: 'failure', req, failure: 'timeout', detail });
    });
    this.#call(call, (answer) => {
      settled = true;
      if (lane !== undefined && permit !== undefined) {
        this.#end(lane, permit, answer.type === 'answer' ? this.#now : sentAt + lateArrivalMs);
        if (isWindowFull(answer)) this.#lower(lane, sentAt);
      }
      if (answer.type === 'failed') {
        this.#input({ type: 'failure', req, failure: answer.failure, detail: answer.detail });
        return;
      }
      if (answer.newToken !== undefined) this.#token = answer.newToken;
      const { status, body, retryAfterSeconds } = answer;
      const tell = (): void =>
        this.#input({
          type: 'reply',
          req,
          status,
          body,
          ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
        });
      // whoever decides anew after a 401 must find the new token in place
      if (status === 401) this.#relogin(tell);
      else tell();
    });
  }

  /** Calls back once: with the answer, or with why there is none, at the latest after lateArrival. */
  #call(call: Call, done: (answer: Answer) => void): void {
    const { latency, lateArrivalMs, withoutText = false } = this.#settings;
    let open = true;
    const finish = (answer: Answer): void => {
      if (!open || this.#closed) return;
      open = false;
      const status = answer.type === 'answer' ? answer.status : 0;
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      done(answer);
    };
    const request = {
      method: call.method,
      path: call.path,
      headers: this.#headers(),
      query: call.query ?? {},
      body: withoutText ? { value: call.body } : call.body === undefined ? '' : JSON.stringify(call.body),
    };
    const { nowMs } = this.#exchange;
    // what has left arrives even when we are gone
    this.#exchange.at(nowMs + latency(), () => {
      this.#exchange.request(request, (ending) =>
        this.#later(latency(), () => finish(answerTo(ending, withoutText))),
      );
    });
    this.#later(lateArrivalMs, () => finish({ type: 'failed', failure: 'no-answer', detail: 'no answer' }));
  }

  // ——— the session

  #relogin(then: () => void): void {
    if (this.#refused || (this.#waiting === undefined && this.#now < this.#reloginAtMs)) {
      then();
      return;
    }
    if (this.#waiting !== undefined) {
      this.#waiting.push(then);
      return;
    }
    this.#waiting = [then];
    this.#login((worked) => {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      if (!worked) this.#reloginAtMs = this.#now + RELOGIN_AFTER_MS;
      for (const one of waiting) one();
    });
  }

  #login(done: (worked: boolean) => void): void {
    const { username, password, profile, playerMode } = this.#settings;
    this.counts.other += 1;
    this.#call(loginCall(username, password, profile), (answer) => {
      if (answer.type === 'answer' && answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
        this.#refused = true;
        const reason = `the exchange refused the login: ${parseEnvelope(answer.body)?.message ?? ''}`;
        this.#input({ type: 'session-lost', reason });
        done(true);
        return;
      }
      const user = answer.type === 'answer' && answer.status < 300 ? parseUser(answer.body) : undefined;
      if (user?.ok !== true || user.value.token === undefined) {
        done(false);
        return;
      }
      const { token, userId, mode, cash, coins } = user.value;
      this.#token = token;
      const balance = playerMode === 'cash' ? cash : coins;
      this.#input({ type: 'session', username: user.value.username ?? username, userId, mode, balance });
      done(true);
    });
  }
}

function answerTo(ending: Ending, withoutText: boolean): Answer {
  if (ending === 'reset') return { type: 'failed', failure: 'no-answer', detail: 'ECONNRESET' };
  const { status, headers, payload } = ending;
  const header = (named: string): unknown => {
    for (const name in headers) if (name.toLowerCase() === named) return headers[name];
    return undefined;
  };
  const answer =
    withoutText && payload.value !== undefined
      ? answerOf(status, payload.value, header)
      : readAnswer(status, payload.text, header);
  return answer.type === 'answer'
    ? answer
    : { type: 'failed', failure: 'foreign-body', detail: answer.detail };
}
