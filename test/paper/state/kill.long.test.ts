// `--state FILE`: everything that the exchange answered before a kill -9 is still there after the restart.
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../support/children.ts';
import { folder, run, start } from '../../support/children.ts';

type Session = {
  readonly matched: readonly { readonly txID: string }[];
  readonly unmatched: { readonly orderID?: string };
};
type Reply = { readonly status: number; readonly body: Body };
type Body = {
  readonly data: {
    readonly user: { readonly auth: string; readonly playerMode: string };
    readonly createdSessions: readonly Session[];
    readonly unmatched: readonly { readonly id: string; readonly remaining: number }[];
    readonly matchedBets: readonly { readonly txID: string; readonly risk: number }[];
  };
};
type Story = {
  readonly balances: unknown;
  readonly worstLoss: unknown;
  readonly fills: number;
  readonly openOrders: number;
};

/** These tests start about a dozen exchanges. */
const LONG = { timeout: 90_000 };
const ACCOUNTS = ['--account', 'alice:secret', '--account', 'bob:secret'];

async function call(url: string, body: unknown, token?: string): Promise<Reply> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: token },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Body };
}

async function launch(...flags: readonly string[]) {
  const running = start(['exchange', ...ACCOUNTS, ...flags]);
  const exchange = JSON.parse(await running.prints('stdout', /\n/)) as Exchange;
  return {
    ...exchange,
    kill: async () => {
      running.child.kill('SIGKILL');
      await once(running.child, 'close');
    },
    stop: async () => {
      running.child.kill('SIGTERM');
      return running.ended;
    },
  };
}

const login = async (exchange: Exchange, username: string): Promise<string> =>
  (await call(`${exchange.restUrl}/user/login`, { username, password: 'secret' })).body.data.user.auth;

const storyOf = async (exchange: Exchange, username: string): Promise<Story> =>
  (await (await fetch(`${exchange.adminUrl}/accounts/${username}`)).json()) as Story;

/** Places and cancels until the exchange is killed, and returns all answered orders and plays. */
async function trade(exchange: Exchange, token: string, seed: number, answered: () => void) {
  const rested = new Set<string>();
  const cancelled = new Set<string>();
  const matched = new Set<string>();
  const game = exchange.games[0];
  for (let i = 0; i < 500; i++) {
    try {
      const side = game?.participants[(i + seed) % 2]?.id;
      const order = {
        gameID: game?.id,
        type: 'moneyline',
        side,
        odds: [110, -105, 100][i % 3],
        risk: 7,
        orderType: 'limit',
      };
      const placed = await call(`${exchange.restUrl}/session/v2/place`, { orders: [order] }, token);
      answered();
      if (placed.status !== 200) continue;
      for (const { matched: plays, unmatched } of placed.body.data.createdSessions) {
        for (const { txID } of plays) matched.add(txID);
        if (unmatched.orderID !== undefined) rested.add(unmatched.orderID);
      }
      const [oldest] = rested;
      if (i % 4 !== 3 || oldest === undefined) continue;
      // an exchange that is killed before it answers may or may not have cancelled the order
      rested.delete(oldest);
      const ended = await call(`${exchange.restUrl}/session/cancel`, { sessionID: oldest }, token);
      (ended.status === 200 ? cancelled : rested).add(oldest);
    } catch {
      break;
    }
  }
  return { rested, cancelled, matched };
}

describe('an exchange with a state file', () => {
  it(
    'keeps everything that it answered when it is killed with -9 during trading, five times in a row',
    LONG,
    async () => {
      const state = join(folder(), 'exchange.state');
      const flags = ['--traders', 'none', '--games', '2', '--state', state];
      let exchange = await launch(...flags);
      const tokens = [await login(exchange, 'alice'), await login(exchange, 'bob')];
      await fetch(`${exchange.adminUrl}/accounts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'carol', password: 'secret', coins: 123.45, exempt: true }),
      });
      for (let round = 0; round < 5; round++) {
        let answers = 0;
        let enough: () => void = () => {};
        const killTime = new Promise<void>((resolve) => (enough = resolve));
        const trading = tokens.map((token, index) =>
          trade(exchange, token, index, () => {
            if (++answers === 9 + 13 * round) enough();
          }),
        );
        await killTime;
        await exchange.kill();
        const answered = await Promise.all(trading);
        exchange = await launch(...flags);
        for (const [index, token] of tokens.entries()) {
          const seen = answered[index];
          // the token of the first start is still valid
          const open = await call(`${exchange.restUrl}/user/getUnmatched`, {}, token);
          const ids = new Set(open.body.data.unmatched.map(({ id }) => id));
          const plays = await call(`${exchange.restUrl}/user/getMatchedBets`, {}, token);
          const txIds = new Set(plays.body.data.matchedBets.map(({ txID }) => txID));
          for (const txId of seen?.matched ?? []) expect(txIds).toContain(txId);
          for (const id of seen?.cancelled ?? []) expect(ids).not.toContain(id);
          for (const id of seen?.rested ?? []) {
            // the order rests, or the other account took it
            if (ids.has(id)) continue;
            const order = await call(`${exchange.restUrl}/session/lookupOrder`, { orderID: id }, token);
            expect(order.body.data).toMatchObject({ order: { status: 'filled' } });
          }
          expect(txIds.size).toBe(plays.body.data.matchedBets.length);
        }
      }
      const carol = await storyOf(exchange, 'carol');
      expect(carol.balances).toMatchObject({ coins: 123.45 });
      const last = { alice: await storyOf(exchange, 'alice'), bob: await storyOf(exchange, 'bob') };
      expect(last.alice.fills).toBeGreaterThan(0);
      expect((await exchange.stop()).code).toBe(0);
      expect(existsSync(`${state}.lock`)).toBe(false);
      exchange = await launch(...flags);
      for (const name of ['alice', 'bob'] as const) {
        const { balances, worstLoss, fills, openOrders } = last[name];
        expect(await storyOf(exchange, name)).toMatchObject({ balances, worstLoss, fills, openOrders });
      }
      await exchange.stop();
    },
  );

  it('continues a cancel-all that the kill interrupted', LONG, async () => {
    const state = join(folder(), 'exchange.state');
    const flags = ['--traders', 'none', '--games', '1', '--state', state];
    let exchange = await launch(...flags);
    const token = await login(exchange, 'alice');
    const game = exchange.games[0];
    const order = {
      gameID: game?.id,
      type: 'moneyline',
      side: game?.participants[0]?.id,
      odds: 200,
      risk: 5,
      orderType: 'post',
    };
    for (let i = 0; i < 3; i++)
      await call(`${exchange.restUrl}/session/v2/place`, { orders: Array.from({ length: 20 }, () => order) }, token);
    await call(`${exchange.restUrl}/session/cancelAllOrders`, {}, token);
    await exchange.kill();
    exchange = await launch(...flags);
    const locked = await call(`${exchange.restUrl}/session/cancel`, { sessionID: 'x' }, token);
    expect(locked.status).toBe(423);
    await expect.poll(async () => (await storyOf(exchange, 'alice')).openOrders, { timeout: 10_000 }).toBe(0);
    expect((await call(`${exchange.restUrl}/session/cancel`, { sessionID: 'x' }, token)).status).toBe(404);
    await exchange.stop();
  });

  it('drops an incomplete last line of the file and refuses an incomplete line in the middle', async () => {
    const state = join(folder(), 'exchange.state');
    const flags = ['--traders', 'none', '--games', '1', '--state', state];
    await (await launch(...flags)).kill();
    appendFileSync(state, '[{"k":"order","id":"half');
    await (await launch(...flags)).stop();
    const whole = readFileSync(state, 'utf8').split('\n');
    writeFileSync(state, [whole[0], '[{"k":"acc', ...whole.slice(1)].join('\n'));
    const ended = await run(['exchange', ...ACCOUNTS, ...flags]);
    expect(ended.code).toBe(65);
    expect(ended.stderr).toContain(`${state}:2: this line cannot be read`);
    writeFileSync(state, whole.toSpliced(2, 1).join('\n'));
    const holed = await run(['exchange', ...ACCOUNTS, ...flags]);
    expect([holed.code, holed.stderr]).toEqual([
      65,
      expect.stringContaining(`${state}:3: line 2 of the operations is missing`),
    ]);
    expect(existsSync(`${state}.lock`)).toBe(false);
  });

  it('refuses a state file that is in use, was made with other flags, or is no state file', async () => {
    const state = join(folder(), 'exchange.state');
    const flags = ['--traders', 'none', '--games', '1', '--state', state];
    const exchange = await launch(...flags);
    const second = await run(['exchange', ...ACCOUNTS, ...flags]);
    expect(second.code).toBe(77);
    expect(second.stderr).toContain('writes this file');
    await exchange.stop();
    const other = await run(['exchange', ...ACCOUNTS, ...flags, '--seed', '9']);
    expect(other.code).toBe(65);
    expect(other.stderr).toContain('seed 1, not 9');
    const foreign = join(folder(), 'notes.txt');
    writeFileSync(foreign, 'shopping list\n');
    const wrong = await run(['exchange', '--traders', 'none', '--state', foreign]);
    expect(wrong.code).toBe(65);
    expect(wrong.stderr).toContain('notes.txt:1: this is not a state file');
    expect(readFileSync(foreign, 'utf8')).toBe('shopping list\n');
  });
});
