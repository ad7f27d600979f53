// The fault plan on the virtual clock: the faults are those of the plan, and the same seed gives the same
// faults.
import { describe, expect, it } from 'vitest';
import { faultPlanSchema, InProcessExchange } from '../../../src/paper/index.ts';
import type { Ending, FaultPlan } from '../../../src/paper/index.ts';

const START = Date.parse('2030-01-01T00:00:00Z');
type Json = Readonly<Record<string, unknown>>;
type Rules = readonly Json[];

const planOf = (rules: Rules, seed = 1): FaultPlan => faultPlanSchema.parse({ seed, rules });

/**
 * An exchange with one account that is logged in and connected to both feeds, and the frames that it
 * received.
 */
function exchangeWith(rules: Rules, seed = 1) {
  const exchange = new InProcessExchange({
    startMs: START,
    traders: 'none',
    games: 2,
    accounts: [{ username: 'alice', password: 'x' }],
  });
  const ask = (path: string, body: Json, token?: string): { ending: Ending | undefined; atMs: number } => {
    const seen: { ending: Ending | undefined; atMs: number } = { ending: undefined, atMs: 0 };
    exchange.request(
      {
        method: 'POST',
        path,
        headers: token === undefined ? {} : { authorization: token },
        query: {},
        body: JSON.stringify(body),
      },
      (ending) => {
        expect(seen.ending).toBeUndefined();
        seen.ending = ending;
        seen.atMs = exchange.nowMs - START;
      },
    );
    return seen;
  };
  const login = (): string => tokenIn(ask('/user/login', { username: 'alice', password: 'x' }).ending);
  const token = login();
  const [game] = exchange.world.readyGames();
  const side = (game?.participants[0] as { readonly id: string }).id;
  const received: { readonly event: string; readonly json: Json; readonly atMs: number }[] = [];
  const connect = (namespace: string) => {
    const state = { closed: false };
    const link = exchange.connect(
      namespace,
      { headers: { authorization: token } },
      {
        frame: (event, { text }) =>
          received.push({ event, json: JSON.parse(text) as Json, atMs: exchange.nowMs - START }),
        closed: () => (state.closed = true),
      },
    );
    return { link, state };
  };
  const prices = connect('/priceUpdates');
  const user = connect('/v2/user/alice');
  exchange.world.exchange.setFaults(planOf(rules, seed));
  const place = (odds = 110, overrides: Json = {}) =>
    ask(
      '/session/v2/place',
      { orders: [{ gameID: game?.id, type: 'moneyline', side, odds, risk: 10, orderType: 'post', ...overrides }] },
      token,
    );
  const account = exchange.world.venue.accounts.get('alice');
  const openOrders = (): number => account?.open.size ?? -1;
  return { exchange, ask, login, token, place, received, prices, user, openOrders, account };
}

const replyOf = (ending: Ending | undefined): { readonly status: number; readonly json: Json } => {
  if (ending === undefined || ending === 'reset') throw new Error(`no reply: ${ending}`);
  return { status: ending.status, json: JSON.parse(ending.payload.text) as Json };
};
const tokenIn = (ending: Ending | undefined): string =>
  (replyOf(ending).json['data'] as { readonly user: { readonly auth: string } }).user.auth;

describe('request faults', () => {
  it('deliver a delayed request to the venue when its delay ends', () => {
    const { exchange, place, openOrders } = exchangeWith([{ fault: 'delay', on: ['place'], by: '300ms' }]);
    const placed = place();
    exchange.advanceTo(START + 299);
    expect(openOrders()).toBe(0);
    exchange.advanceTo(START + 300);
    expect(openOrders()).toBe(1);
    expect(placed.atMs).toBe(300);
  });

  it('apply to all requests when the rule names none', () => {
    const { place, ask, token } = exchangeWith([{ fault: 'status', status: 503 }]);
    expect(replyOf(place().ending).status).toBe(503);
    expect(replyOf(ask('/session/cancelAllOrders', {}, token).ending).status).toBe(503);
  });

  it('send a delayed answer after the order rests', () => {
    const { exchange, place, openOrders } = exchangeWith([
      { fault: 'delay', on: ['place'], by: { min: 1000, max: 2000 }, side: 'after' },
    ]);
    const placed = place();
    expect(openOrders()).toBe(1);
    exchange.advanceTo(START + 2000);
    expect(placed.atMs).toBeGreaterThanOrEqual(1000);
    expect(replyOf(placed.ending).status).toBe(200);
  });

  it('suppress an answer after the order was placed, or reset the connection without placing it', () => {
    const acted = exchangeWith([{ fault: 'no-answer', on: ['place'] }]);
    const lost = acted.place();
    acted.exchange.advanceTo(START + 60_000);
    expect(lost.ending).toBeUndefined();
    expect(acted.openOrders()).toBe(1);
    const refused = exchangeWith([{ fault: 'no-answer', on: ['place'], acted: false, close: 'reset' }]);
    expect(refused.place().ending).toBe('reset');
    expect(refused.openOrders()).toBe(0);
  });

  it.each<[number, string | undefined]>([
    [423, 'CANCEL_ALL_IN_PROGRESS'],
    [429, 'RATE_LIMITED'],
    [500, undefined],
    [502, undefined],
  ])('answer %i in the error envelope, with or without executing the request', (status, code) => {
    for (const acted of [false, true]) {
      const { place, openOrders } = exchangeWith([{ fault: 'status', on: ['place'], status, acted }]);
      const { status: answered, json } = replyOf(place().ending);
      expect(answered).toBe(status);
      const error = json['error'] as { readonly code: number; readonly details?: { readonly code: string } };
      expect(error.code).toBe(status);
      expect(error.details?.code).toBe(code);
      expect(openOrders()).toBe(acted ? 1 : 0);
    }
  });

  it('end the token with a 401, so that requests fail until the next login', () => {
    const { place, ask, login, token } = exchangeWith([{ fault: 'status', on: ['place'], status: 401, nth: [2] }]);
    expect(replyOf(place().ending).status).toBe(200);
    expect(replyOf(place().ending).status).toBe(401);
    expect(replyOf(ask('/user/getMe', {}, token).ending).status).toBe(401);
    expect(replyOf(ask('/user/getMe', {}, login()).ending).status).toBe(200);
  });

  it('answer with text that is no JSON after the order was placed (nonsense)', () => {
    const { place, openOrders } = exchangeWith([{ fault: 'nonsense', on: ['place'] }]);
    const { ending } = place();
    if (ending === undefined || ending === 'reset') throw new Error(`no reply: ${ending}`);
    expect([ending.status, ending.payload.text]).toEqual([200, '<html>?</html>']);
    expect(openOrders()).toBe(1);
  });

  it('send a new token in X-Auth-Token and accept the old one for one more minute', () => {
    const { exchange, ask, token } = exchangeWith([{ fault: 'rotate-token', on: ['read'], nth: [1] }]);
    const { ending } = ask('/user/getMe', {}, token);
    const fresh = typeof ending === 'object' ? ending.headers['X-Auth-Token'] : undefined;
    expect(fresh).toMatch(/\w{16}/);
    expect(replyOf(ask('/user/getMe', {}, fresh).ending).status).toBe(200);
    expect(replyOf(ask('/user/getMe', {}, token).ending).status).toBe(200);
    exchange.advanceTo(START + 60_001);
    expect(replyOf(ask('/user/getMe', {}, token).ending).status).toBe(401);
    expect(replyOf(ask('/user/getMe', {}, fresh).ending).status).toBe(200);
  });

  it('hit a random part of the requests, the same for the same seed, and only those of the named account', () => {
    const struck = (seed: number, rule: Json = {}): string => {
      const { place } = exchangeWith([{ fault: 'status', on: ['place'], status: 500, rate: 0.3, ...rule }], seed);
      return Array.from({ length: 20 }, () => replyOf(place().ending).status).join();
    };
    expect(struck(7)).toBe(struck(7));
    expect(struck(7)).not.toBe(struck(8));
    expect(struck(7)).toContain('500');
    expect(struck(7, { account: 'bob' })).not.toContain('500');
    expect(struck(7, { rate: 1, times: 3 }).match(/500/g)).toHaveLength(3);
    expect(struck(7, { rate: 1, from: '1s' })).not.toContain('500');
  });
});

describe('feed faults', () => {
  const positions = (received: readonly { readonly event: string }[]): number =>
    received.filter(({ event }) => event === 'positionUpdate').length;

  it('drop, duplicate and delay the frames of the named feed', () => {
    const dropped = exchangeWith([{ fault: 'drop', feeds: ['user'] }]);
    dropped.place();
    expect(dropped.received.map(({ event }) => event)).toEqual(['orderUpdate']);
    const doubled = exchangeWith([{ fault: 'duplicate', feeds: ['user'] }]);
    doubled.place();
    expect(positions(doubled.received)).toBe(2);
    const late = exchangeWith([{ fault: 'late-frame', feeds: ['prices'], by: '2s' }]);
    late.place();
    late.exchange.advanceTo(START + 3000);
    expect(late.received.map(({ event, atMs }) => [event, atMs])).toEqual([
      ['positionUpdate', 0],
      ['orderUpdate', 2000],
    ]);
  });

  it('delay all later frames behind a late frame, but let later frames pass a reordered frame', () => {
    const orderOf = (fault: string): readonly unknown[] => {
      const { exchange, place, received } = exchangeWith([{ fault, feeds: ['user'], by: '1s', nth: [1] }]);
      place(110);
      place(120);
      exchange.advanceTo(START + 5000);
      return received
        .filter(({ event }) => event === 'positionUpdate')
        .map(({ json }) => (json['unmatched'] as Json)['odds']);
    };
    expect(orderOf('late-frame')).toEqual([110, 120]);
    expect(orderOf('reorder')).toEqual([120, 110]);
  });

  it('disconnect a connection, or freeze it while it stays open', () => {
    const cut = exchangeWith([{ fault: 'disconnect', feeds: ['prices'], at: '1s' }]);
    cut.exchange.advanceTo(START + 1100);
    expect([cut.prices.state.closed, cut.user.state.closed]).toEqual([true, false]);
    const frozen = exchangeWith([{ fault: 'half-open', at: '1s' }]);
    frozen.exchange.advanceTo(START + 1100);
    frozen.place();
    expect(frozen.openOrders()).toBe(1);
    expect(frozen.received).toEqual([]);
    expect([frozen.prices.state.closed, frozen.user.state.closed]).toEqual([false, false]);
  });
});

describe('venue faults', () => {
  it('cancel orders without a cause', () => {
    const { exchange, place, received, openOrders } = exchangeWith([
      { fault: 'cancel-order', orders: 2, every: '10s', times: 2 },
    ]);
    for (let i = 0; i < 6; i++) place();
    exchange.advanceTo(START + 60_000);
    expect(openOrders()).toBe(2);
    const ended = received.filter(({ json }) => (json['unmatched'] as Json | null | undefined)?.['offered'] === 0);
    expect(ended.map(({ atMs }) => Math.round(atMs / 1000))).toEqual([10, 10, 20, 20]);
  });

  it('run a cancel-all, switch the player mode, close a game for a while and end all tokens', () => {
    const { exchange, place, account, ask, token, received } = exchangeWith([
      { fault: 'cancel-all', at: '1s' },
      { fault: 'switch-mode', at: '2s' },
      { fault: 'close-game', at: '3s', for: '4s' },
      { fault: 'expire-tokens', at: '20s' },
    ]);
    for (let i = 0; i < 20; i++) place();
    exchange.advanceTo(START + 1100);
    expect(replyOf(ask('/session/cancel', { sessionID: 'x' }, token).ending).status).toBe(423);
    exchange.advanceTo(START + 2100);
    expect(account?.mode).toBe('cash');
    exchange.advanceTo(START + 10_000);
    const types = received.map(({ json }) => json['messageType']).filter((type) => type !== undefined);
    expect(types).toEqual(['marketClosed', 'marketOpen']);
    exchange.advanceTo(START + 20_100);
    expect(replyOf(ask('/user/getMe', {}, token).ending).status).toBe(401);
  });
});

describe('a fault plan', () => {
  it.each<[string, unknown, RegExp]>([
    ['an unknown fault', { rules: [{ fault: 'gremlin' }] }, /fault/],
    ['an unknown key', { rules: [{ fault: 'drop', feed: 'user' }] }, /feed/],
    ['a rate above 1', { rules: [{ fault: 'drop', rate: 2 }] }, /1/],
    ['a duration without a unit', { rules: [{ fault: 'delay', by: 'soon' }] }, /250ms/],
    ['no duration', { rules: [{ fault: 'delay' }] }, /expected a duration such as 250ms.*min, max/],
    ['half a span', { rules: [{ fault: 'delay', by: { min: 5 } }] }, /"expected a duration.*min, max/],
    ['a list without times', { rules: [{ fault: 'cancel-all', at: ['x'] }] }, /"expected a duration.*a list/],
    ['a timed fault without a time', { rules: [{ fault: 'disconnect' }] }, /at.*or.*every/],
  ])('refuses %s and names the expected value', (_name, plan, expected) => {
    const read = faultPlanSchema.safeParse(plan);
    expect(read.success).toBe(false);
    expect(JSON.stringify(read.error?.issues)).toMatch(expected);
  });
});
