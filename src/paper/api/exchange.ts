// The exchange as its clients see it, without a transport: requests in, answers and frames out. The server
// puts it behind HTTP and Socket.IO; a backtest calls it directly on a virtual clock. Neither adds behaviour.
// It gets time, delays and secrets only through its ports.
import type { Bucket, Game } from '../../domain/index.ts';
import type { WireProfile } from '../../wire/index.ts';
import { readText, recordOf } from '../../wire/index.ts';
import type { RequestFault } from '../faults/faults.ts';
import { Faults } from '../faults/faults.ts';
import type { FaultPlan, FaultyRequest, FeedName } from '../faults/plan.ts';
import { applyTimedFault } from '../faults/timed.ts';
import type { VenueAccount, VenueGame, Refusal, Venue } from '../../venue/index.ts';
import { refuse } from '../../venue/index.ts';
import { BookJson } from './book-json.ts';
import type { ExchangePorts } from './exchange-ports.ts';
import { Feeds } from './feeds.ts';
import { namedBy, prefersOlder, withOlderNames } from './field-names.ts';
import { Payload } from './payload.ts';
import { routesOf } from './rest-routes.ts';
import type { Answer, Held, Params, Route, RouteContext } from './route.ts';
import type { Headers } from './sessions.ts';
import { Sessions, tokenOf } from './sessions.ts';
import { TrafficBook } from './traffic.ts';
import { accountRefusal, loginRoute } from './user-routes.ts';

export type ExchangeRequest = {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Headers, with names in lower case. */
  readonly headers: Headers;
  readonly query: unknown;
  /** The body as received, or for in-process calls its value. */
  readonly body: string | { readonly value: unknown };
};

export type ExchangeReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Payload;
};

/** A connection's account and feed. `older`: with the older field names. */
export type Admitted = { readonly feed: FeedName; readonly account: VenueAccount; readonly older: boolean };

/** Receives the answer, once or never. `reset` breaks the connection. */
export type Responder = { readonly reply: (reply: ExchangeReply) => void; readonly reset: () => void };

export const FORM_TYPE = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json; charset=utf-8';

type Visit = {
  readonly request: ExchangeRequest;
  readonly fault: RequestFault | undefined;
  readonly responder: Responder;
  account: VenueAccount | undefined;
  token: string | undefined;
};

export class Exchange {
  readonly venue: Venue;
  readonly book: BookJson;
  readonly sessions: Sessions;
  readonly feeds: Feeds;
  readonly traffic = new TrafficBook();
  readonly ports: ExchangePorts;
  #faults: Faults | undefined;
  readonly #context: RouteContext;
  readonly #routes = new Map<string, Route>();
  readonly #loginPath: string;
  readonly #namespaces: { readonly prices: string; readonly user: string };

  constructor(venue: Venue, ports: ExchangePorts) {
    const { profile } = venue;
    this.venue = venue;
    this.ports = ports;
    this.book = new BookJson(profile);
    this.sessions = new Sessions({ newToken: ports.newToken, tokenLifetimeMs: profile.tokenMinutes * 60_000 });
    this.feeds = new Feeds(this.book, profile, ports);
    const { withoutText = false } = ports;
    this.#context = { venue, book: this.book, sessions: this.sessions, withoutText };
    this.#loginPath = keyOf(profile.loginPath);
    this.#namespaces = { prices: profile.priceNamespace, user: profile.userNamespace };
    for (const route of routesOf(this.#context)) {
      for (const method of route.methods)
        for (const path of route.paths) this.#routes.set(`${method} ${keyOf(path)}`, route);
    }
    venue.sink = this.feeds;
  }

  get profile(): WireProfile {
    return this.venue.profile;
  }

  get faults(): Faults | undefined {
    return this.#faults;
  }

  /** Replaces the fault plan; its times count from now. */
  setFaults(plan: FaultPlan | undefined): void {
    this.#faults = plan === undefined ? undefined : new Faults(plan, this.ports.now());
    this.feeds.faults = this.#faults;
  }

  /** Handles what is due: at the venue, and timed faults of the fault plan. */
  tick(): void {
    const nowMs = this.ports.now();
    this.venue.advance(nowMs);
    for (const { rule, random } of this.#faults?.due(nowMs) ?? []) applyTimedFault(this, rule, random, nowMs);
  }

  /**
   * Changes a game. When it opens, `reopened` is called: offers recorded while it was closed may cross
   * resting orders.
   */
  changeGame(game: VenueGame, change: Partial<Game>): void {
    const nowMs = this.ports.now();
    const wasOpen = game.header.open;
    this.venue.run(nowMs, () => {
      this.venue.changeGame(game, change, nowMs);
      if (!wasOpen && game.header.open) this.venue.reopened(game, nowMs);
    });
  }

  // ——— REST

  request(request: ExchangeRequest, responder: Responder): void {
    const path = keyOf(request.path);
    const route = this.#routes.get(`${request.method} ${path}`);
    const login = path === this.#loginPath && request.method === 'POST';
    if (route === undefined && !login) {
      const endpoint = `${request.method} ${request.path.slice(0, 200)}`;
      responder.reply(replyOf(refuse(404, `No such endpoint: ${endpoint}`)));
      return;
    }
    const token = tokenOf(request.headers, request.query);
    const nowMs = this.ports.now();
    const account = login ? undefined : this.sessions.find(token, nowMs);
    const kind: FaultyRequest = route?.kind ?? 'login';
    const fault = this.#faults?.request(kind, account?.username, nowMs);
    const visit: Visit = { request, fault, responder, account: undefined, token };
    this.#after((fault?.delayMs ?? 0) + (account?.delayMs ?? 0), () => this.#arrive(visit, route));
  }

  /** Handles a request on arrival. It counts from here on, whatever its outcome. */
  #arrive(visit: Visit, route: Route | undefined): void {
    const { fault } = visit;
    const nowMs = this.ports.now();
    if (fault?.acts === false) {
      visit.account = this.sessions.find(visit.token, nowMs);
      if (visit.account !== undefined && route !== undefined) this.#count(visit.account, route, nowMs);
      this.#answer(visit, refuse(500, 'Something went wrong'));
      return;
    }
    let answer: Answer | Held;
    try {
      answer = route === undefined ? this.#login(visit, nowMs) : this.#handle(visit, route, nowMs);
    } catch (error) {
      // a defect of the exchange; the client receives the spec's generic error
      this.#answer(visit, refuse(500, 'Something went wrong'));
      throw error;
    }
    if (!('holdMs' in answer)) this.#answer(visit, answer);
    else {
      // an account that was banned or closed meanwhile is refused
      this.#after(answer.holdMs, () => {
        const { account } = visit;
        const refusal = account === undefined ? undefined : accountRefusal(account);
        this.#answer(visit, refusal ?? answer.resume(this.ports.now()));
      });
    }
  }

  #login(visit: Visit, nowMs: number): Answer {
    const body = bodyOf(visit.request);
    if (body === undefined) return NOT_JSON;
    const { answer, account } = loginRoute(this.#context, paramsOf(visit.request, body), nowMs);
    visit.account = account;
    if (account !== undefined) this.traffic.asked(account, 'login');
    return answer;
  }

  #handle(visit: Visit, route: Route, nowMs: number): Answer | Held {
    const body = bodyOf(visit.request);
    // clients in the wild also put the token into the body
    const token = (visit.token ??= readText(recordOf(body)?.['token']));
    const account = this.sessions.find(token, nowMs);
    if (account === undefined || token === undefined) return refuse(401, 'InvalidCredentials');
    visit.account = account;
    const limited = this.#count(account, route, nowMs);
    const refusal = accountRefusal(account) ?? limited ?? (body === undefined ? NOT_JSON : undefined);
    return refusal ?? route.handle({ account, token, params: paramsOf(visit.request, body), body, nowMs });
  }

  #count(account: VenueAccount, route: Route, nowMs: number): Refusal | undefined {
    this.traffic.asked(account, route.kind);
    const bucket = BUCKETS[route.kind];
    return bucket === undefined ? undefined : this.venue.arrive(account, bucket, nowMs);
  }

  #answer({ request, fault, account, token, responder }: Visit, answer: Answer): void {
    const sent = fault === undefined || typeof fault.answer === 'string' ? answer : fault.answer;
    if (sent !== answer && 'ok' in sent && sent.status === 401 && account !== undefined) this.sessions.revoke(account);
    const reply = replyOf(sent);
    this.#after(fault?.answerDelayMs ?? 0, () => {
      if (fault?.answer === 'never') return;
      if (fault?.answer === 'reset') {
        responder.reset();
        return;
      }
      if (account !== undefined) this.traffic.answered(account, reply.status);
      const rotated =
        fault?.rotatesToken === true && token !== undefined ? this.sessions.rotate(token, this.ports.now()) : undefined;
      const headers = rotated === undefined ? reply.headers : { ...reply.headers, 'X-Auth-Token': rotated };
      const { headers: requestHeaders, query } = request;
      const isOlder = prefersOlder(requestHeaders, query, this.profile.apiVersionHeader);
      const payload =
        fault?.answer === 'nonsense'
          ? Payload.ofText('<html>?</html>')
          : reply.payload.with(namedBy(this.profile)).with(isOlder ? withOlderNames : undefined);
      responder.reply({ ...reply, headers, payload });
    });
  }

  #after(ms: number, action: () => void): void {
    if (ms <= 0) action();
    else this.ports.at(this.ports.now() + ms, action);
  }

  // ——— sockets

  /** Admits a handshake to a namespace. Undefined means the spec's `not authorized`. */
  admit(namespace: string, headers: Headers, query: unknown): Admitted | undefined {
    const older = prefersOlder(headers, query, this.profile.apiVersionHeader);
    const account = this.sessions.find(tokenOf(headers, query), this.ports.now());
    if (account === undefined || account.status !== 'active') return undefined;
    if (namespace === this.#namespaces.prices) return { feed: 'prices', account, older };
    return namespace === this.#namespaces.user + account.username ? { feed: 'user', account, older } : undefined;
  }
}

const BUCKETS: Readonly<Partial<Record<FaultyRequest, Bucket>>> = {
  place: 'place',
  edit: 'place',
  cancel: 'cancel',
};
/** No endpoint has a longer path. */
const LONGEST_PATH = 1000;
const NOT_JSON: Refusal = refuse(400, 'The body is not valid JSON');

/** Paths are case-insensitive, with or without a slash at the end. */
function keyOf(path: string): string {
  let end = Math.min(path.length, LONGEST_PATH);
  while (end > 0 && path[end - 1] === '/') end--;
  return path.slice(0, end).toLowerCase();
}

/** JSON whatever the content type says; an empty body is an empty object; logins may come as a form. */
function bodyOf({ headers, body }: ExchangeRequest): unknown {
  if (typeof body !== 'string') return body.value ?? {};
  const type = headers['content-type'];
  if (typeof type === 'string' && type.startsWith(FORM_TYPE)) return Object.fromEntries(new URLSearchParams(body));
  if (body.trim() === '') return {};
  try {
    // `null` is valid JSON; the routes refuse it because it is not an object
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

const paramsOf = (request: ExchangeRequest, body: unknown): Params => ({
  ...recordOf(request.query),
  ...recordOf(body),
});

export function replyOf(answer: Answer): ExchangeReply {
  if ('ok' in answer) return refusalReply(answer);
  const payload =
    'read' in answer
      ? Payload.ofRead(answer.read)
      : 'json' in answer
        ? Payload.ofText(answer.json)
        : Payload.ofValue('data' in answer ? { data: answer.data } : answer.body);
  const extra = 'headers' in answer ? answer.headers : undefined;
  return { status: 200, headers: { 'Content-Type': JSON_TYPE, ...extra }, payload };
}

/** The spec's one error envelope. */
function refusalReply({ status, message, details }: Refusal): ExchangeReply {
  const error = { message, code: status, ...(details === undefined ? {} : { details }) };
  const headers: Record<string, string> = { 'Content-Type': JSON_TYPE };
  if (details !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(details.retryAfterSeconds)));
  return { status, headers, payload: Payload.ofValue({ error }) };
}
