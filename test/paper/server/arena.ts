// An exchange over loopback with resting offers, an attacker (mallory), and the views of the accounts that
// must not be affected.
import { expect } from 'vitest';
import { Feeds } from '../../../src/paper/index.ts';
import type { PaperExchange, PaperExchangeOptions } from '../../../src/paper/server/server.ts';
import { startPaperExchange } from '../../../src/paper/server/server.ts';
import { isRecord } from '../../../src/wire/index.ts';

export const NAMES = ['alice', 'bob', 'mallory'] as const;
export type Name = (typeof NAMES)[number];

export type Sent = { readonly status: number; readonly body: string };

export const json = (text: string): unknown => JSON.parse(text) as unknown;
export const field = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((exchange, name) => (isRecord(exchange) ? exchange[name] : undefined), value);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export class Arena {
  readonly exchange: PaperExchange;
  readonly gameID: string;
  readonly sides: readonly [home: string, away: string];
  readonly tokens = new Map<Name, string>();
  readonly #failures: unknown[] = [];
  #before: readonly string[] = [];

  private constructor(exchange: PaperExchange) {
    this.exchange = exchange;
    exchange.failed.catch((error: unknown) => this.#failures.push(error));
    const [game] = exchange.venue.games.values();
    if (game === undefined) throw new Error('no game');
    this.gameID = game.header.id;
    this.sides = [game.header.home.id, game.header.away.id];
  }

  /** Opens an exchange with `rows` resting offers of alice and bob. */
  static async open(rows: number, options: PaperExchangeOptions = {}): Promise<Arena> {
    const accounts = NAMES.map((username) => ({ username, password: `${username}-pw`, exempt: true }));
    const arena = new Arena(await startPaperExchange({ traders: 'none', games: 2, accounts, ...options }));
    for (const name of NAMES) {
      const { body } = await arena.send('/user/login', { username: name, password: `${name}-pw` });
      arena.tokens.set(name, text(field(json(body), 'data', 'user', 'auth')));
    }
    for (let from = 0; from < rows; from += 20) {
      const orders = Array.from({ length: Math.min(20, rows - from) }, (_, index) =>
        arena.order(0, 110 + from + index, 1),
      );
      await arena.send('/session/v2/place', { orders }, from % 40 === 0 ? 'alice' : 'bob');
    }
    arena.#before = await arena.#seen();
    return arena;
  }

  get url(): string {
    return this.exchange.restUrl;
  }

  token(name: Name): string {
    return this.tokens.get(name) ?? '';
  }

  order(side: 0 | 1, odds: number, risk: number, overrides: object = {}): object {
    return {
      gameID: this.gameID,
      type: 'moneyline',
      side: this.sides[side],
      odds,
      risk,
      orderType: 'post',
      ...overrides,
    };
  }

  /** Sends a POST request. Text and bytes are sent unchanged, other bodies as JSON. */
  async send(path: string, body: unknown, who?: Name, headers: Record<string, string> = {}): Promise<Sent> {
    const authorization = who === undefined ? {} : { authorization: this.token(who) };
    const reply = await fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization, ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    });
    return { status: reply.status, body: await reply.text() };
  }

  /** The usernames that are connected to a feed. */
  present(feed: 'prices' | 'user'): readonly string[] {
    const { sink } = this.exchange.venue;
    if (!(sink instanceof Feeds)) throw new Error('the venue has no feeds');
    return sink.present(feed).map(({ username }) => username);
  }

  /** Publishes the whole book, like the operator, by a change of the main total. */
  republish(mainTotal: number): void {
    const [game] = this.exchange.venue.games.values();
    if (game !== undefined)
      this.exchange.venue.changeGame(game, { mainTotal }, performance.timeOrigin + performance.now());
  }

  /**
   * Expects that the book and the orders and balances of alice and bob are unchanged, and that the server did
   * not fail.
   */
  async expectUnharmed(): Promise<void> {
    expect(await this.#seen()).toEqual(this.#before);
    expect(this.#failures).toEqual([]);
  }

  #seen(): Promise<string[]> {
    const paths = ['/exchange/getOrderbook', '/user/getUnmatched', '/user/getMe'];
    const views = paths.flatMap((path) => [[path, 'alice'] as const, [path, 'bob'] as const]);
    return Promise.all(views.map(async ([path, who]) => (await this.send(path, { leagueRequested: 'NBA' }, who)).body));
  }
}

/** Expects status 200, or a 4xx with the error envelope of the spec. */
export function expectAnswer({ status, body }: Sent, request: string): void {
  const code = status === 200 ? 200 : field(json(body), 'error', 'code');
  const answered = code === status && (status === 200 || (status >= 400 && status < 500));
  expect(answered ? '' : `${request.slice(0, 200)}: ${status} ${body.slice(0, 200)}`).toBe('');
}
