// The exchange under test with four accounts. It checks every request and frame: the reply has a valid shape,
// a refusal or a read changes no state, no order of another account ends, and no data of other accounts
// leaks.
import type { VenueAccount, VenueGame, VenueOrder } from '../../../src/venue/index.ts';
import type { Ending, ExchangeReply, Payload } from '../../../src/paper/index.ts';
import { answerAdmin, InProcessExchange } from '../../../src/paper/index.ts';
import { wireProfileSchema } from '../../../src/wire/index.ts';
import { T0 } from '../fixtures.ts';
import type { Plan } from './request-actions.ts';
import { NAMES, READS, textOf } from './request-actions.ts';
import type { Bucket, Json } from './request-audit.ts';
import { field, FillBook, moneyOf, number, privacyProblems, replyProblems, text, Windows } from './request-audit.ts';

const BUCKETS: ReadonlyMap<string, Bucket> = new Map([
  ['/session/v2/place', 'place'],
  ['/session/editOrder', 'place'],
  ['/session/resumeOrders', 'place'],
  ['/session/cancel', 'cancel'],
  ['/session/cancelMultiple', 'cancel'],
  ['/session/cancelByReference', 'cancel'],
]);

export type Asked = {
  readonly path: string;
  readonly body?: unknown;
  readonly method?: string;
  /** The raw body, in place of `body`. */
  readonly text?: string;
  readonly query?: unknown;
  readonly type?: string;
};
export type Reply = { readonly status: number; readonly data: unknown; readonly details: unknown };

const orderState = (order: VenueOrder) => [order.id, order.offered, order.filled, order.remaining, order.expiryMs];

export class CheckedExchange {
  readonly x: InProcessExchange;
  readonly games: readonly VenueGame[];
  readonly accounts: readonly VenueAccount[];
  /** All problems found so far. */
  readonly problems: string[] = [];
  readonly #tokens: string[] = [];
  readonly #money: number;
  readonly #windows = new Windows();
  readonly #fills: readonly FillBook[];
  /**
   * Accounts that were banned for a while: their feeds ended, and their refused requests may have counted.
   */
  readonly #interrupted = new Set<string>();
  #frames = 0;
  #requests = 0;

  constructor({ profile }: Plan) {
    const accounts = NAMES.map((username, index) => ({
      username,
      password: username,
      cash: 1500,
      coins: 700.000001,
      mode: index % 2 === 0 ? ('cash' as const) : ('coins' as const),
    }));
    this.x = new InProcessExchange({
      startMs: T0,
      traders: 'none',
      games: 1,
      accounts,
      profile: wireProfileSchema.parse(profile),
    });
    const { venue } = this.x.world;
    const [parent] = venue.games.keys();
    for (const [sport, fields] of [
      ['football', {}],
      ['curling', { kind: 'child', parentGameID: parent, periodName: '1st End' }],
    ] as const)
      this.operate('games', { league: 'NBA', sport, home: { name: 'H' }, away: { name: 'A' }, ...fields });
    this.games = [...venue.games.values()];
    this.accounts = NAMES.map((name) => venue.accounts.get(name) as VenueAccount);
    this.#fills = this.accounts.map((account) => new FillBook(venue, account));
    this.#money = moneyOf(venue);
    for (const index of this.accounts.keys()) {
      this.login(index);
      this.#connect(index);
    }
  }

  accountAt(who: number): VenueAccount {
    return this.accounts[who % this.accounts.length] as VenueAccount;
  }

  /** Sends a request as an account, or without an account. */
  ask(who: number | undefined, asked: Asked): Reply {
    const { venue } = this.x.world;
    const { method = 'POST', path, type = 'application/json', query } = asked;
    venue.advance(this.x.nowMs);
    const [before, framesBefore] = [this.#snapshot(), this.#frames];
    const others = this.accounts.filter((_, index) => index !== who).flatMap(({ open }) => [...open.values()]);
    const endings: Ending[] = [];
    const headers = { ...this.#token(who), 'content-type': type };
    const body = asked.text ?? (asked.body === undefined ? '' : textOf(asked.body));
    this.x.request({ method, path, headers, query: query ?? {}, body }, (ending) => endings.push(ending));
    const [ending] = endings;
    if (endings.length !== 1 || ending === undefined || ending === 'reset')
      throw new Error(`${path} ended ${endings.length} times`);
    const reply = this.#readReply(path, ending);
    if (who !== undefined) {
      this.#checkPrivacy(who, ending.payload.text, READS.includes(path));
      this.#count(who, method === 'POST' ? BUCKETS.get(path) : undefined, reply);
    }
    const quiet = reply.status !== 200 || who === undefined || READS.includes(path);
    if (quiet && (this.#snapshot() !== before || this.#frames !== framesBefore))
      this.problems.push(`${path} answered ${reply.status} and changed something`);
    for (const order of others)
      if (order.status === 'cancelled') this.problems.push(`${path} of another cancelled ${order.id}`);
    if (who !== undefined && this.accountAt(who).status !== 'active' && reply.status === 200)
      this.problems.push(`${path} serves an account that is banned`);
    this.checkMoney(path);
    return reply;
  }

  // ——— the operator

  operate(path: string, body: unknown): void {
    const answer = answerAdmin(this.x.world.exchange, { method: 'POST', path: `/${path}`, body });
    if (!answer.ok && answer.status >= 500) this.problems.push(answer.message);
  }

  ban(who: number): void {
    const { username } = this.accountAt(who);
    this.#interrupted.add(username);
    this.operate(`accounts/${username}`, { status: 'banned' });
  }

  serve(who: number): void {
    const { username, status } = this.accountAt(who);
    if (status === 'active') return;
    this.operate(`accounts/${username}`, { status: 'active' });
    this.login(who);
    this.#connect(who);
  }

  // ——— accounts and their feeds

  login(who: number): void {
    const { username } = this.accountAt(who);
    const { data } = this.ask(who, { path: '/user/login', body: { username, password: username } });
    this.#tokens[who] = text(field(field(data, 'user'), 'auth'));
  }

  /** The headers with the account's token, in turn in each accepted form. */
  #token(who: number | undefined): Readonly<Record<string, string>> {
    const token = who === undefined ? ['', 'x', '__proto__'][this.#requests % 3] : this.#tokens[who];
    switch (this.#requests++ % 3) {
      case 0:
        return { authorization: token ?? '' };
      case 1:
        return { authorization: `Bearer ${token ?? ''}` };
      default:
        return { cookie: `other=1; auth=${token ?? ''}` };
    }
  }

  #connect(who: number): void {
    const account = this.accountAt(who);
    const handshake = { headers: { authorization: this.#tokens[who] } };
    const closed = (): void => {};
    const subscribe = (namespace: string, onFrame: (frame: Json) => unknown): void => {
      const frame = (_event: string, { text }: Payload): void => {
        this.#frames++;
        this.#checkPrivacy(who, text, true);
        onFrame(JSON.parse(text) as Json);
      };
      this.x.connect(namespace, handshake, { frame, closed });
    };
    subscribe('/priceUpdates', () => {});
    subscribe(`/v2/user/${account.username}`, (frame) => this.problems.push(...(this.#fills[who]?.add(frame) ?? [])));
  }

  /** Compares the private feeds with the state of the venue. */
  checkFeeds(): void {
    for (const [index, { username }] of this.accounts.entries())
      this.problems.push(...(this.#fills[index]?.problems(!this.#interrupted.has(username)) ?? []));
  }

  // ——— requests and frames

  #readReply(path: string, ending: ExchangeReply): Reply {
    const json = JSON.parse(ending.payload.text) as unknown;
    this.problems.push(...replyProblems(ending, json).map((problem) => `${path}: ${problem}`));
    return {
      status: ending.status,
      data: field(json, 'data'),
      details: field(field(json, 'error'), 'details'),
    };
  }

  #checkPrivacy(who: number, sent: string, references: boolean): void {
    const account = this.accountAt(who);
    this.problems.push(...privacyProblems(this.x.world.venue, account, sent));
    for (const name of NAMES)
      if (references && name !== account.username && sent.includes(`${name}-r`))
        this.problems.push(`${account.username} received a reference of ${name}: ${sent}`);
  }

  #count(who: number, bucket: Bucket | undefined, { status, details }: Reply): void {
    const { username } = this.accountAt(who);
    // during a ban it is unknown whether a request counted
    if (bucket === undefined || status === 401 || this.#interrupted.has(username)) return;
    const limited = field(details, 'code') === 'RATE_LIMITED';
    const wait = limited ? number(field(details, 'retryAfterSeconds')) : undefined;
    this.problems.push(...this.#windows.arrived(username, bucket, this.x.nowMs, wait));
  }

  checkMoney(cause: string): void {
    if (moneyOf(this.x.world.venue) !== this.#money) this.problems.push(`${cause} made or lost money`);
  }

  #snapshot(): string {
    const { venue } = this.x.world;
    const books = this.games.map(({ header, matched, graded, started, books: all }) => [
      [header, matched, graded, started],
      // a market without orders is ignored
      [...all.values()].flatMap(({ sides }) => sides.flatMap(({ orders }) => orders.map(orderState))),
    ]);
    const accounts = this.accounts.map((account) => [
      [
        account.mode,
        account.status,
        account.balances,
        account.fills,
        account.riskFilled,
        account.lock,
        account.paused,
        account.plays.size,
      ],
      [...account.open.keys()],
    ]);
    return JSON.stringify([venue.games.size, venue.accounts.size, books, accounts]);
  }
}
