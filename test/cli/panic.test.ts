import { describe, expect, it } from 'vitest';
import type { Exchange } from '../support/children.ts';
import {
  closedPort,
  exchangeSection,
  run,
  startDoor,
  startExchange,
  countsOf,
  writeConfig,
} from '../support/children.ts';

/** Every other section is invalid: panic must not read them. */
const BROKEN = 'strategies: 7\nrisk: [oops]\nriks: {}\nonExit: perhaps\njournal: { dir: 5 }\n';

async function post(exchange: Exchange, path: string, body: unknown, token = ''): Promise<unknown> {
  const headers = { 'content-type': 'application/json', authorization: token };
  const reply = await fetch(exchange.restUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(reply.status).toBe(200);
  return reply.json();
}

/** Places orders as another client of the same account would. */
async function placeOrders(exchange: Exchange, username: string, count: number): Promise<void> {
  const { data } = (await post(exchange, '/user/login', { username, password: `${username}-pw` })) as {
    readonly data: { readonly user: { readonly auth: string } };
  };
  const [game] = exchange.games;
  const orders = Array.from({ length: count }, (_, index) => ({
    gameID: game?.id,
    type: 'moneyline',
    side: game?.participants[0]?.id,
    odds: 150 + index,
    risk: 10,
    orderType: 'post',
    userReference: `by-hand-${index}`,
  }));
  await post(exchange, '/session/v2/place', { orders }, data.user.auth);
}

const exchange = (): Promise<Exchange> =>
  startExchange('--traders', 'none', '--games', '1', '--account', 'alice:alice-pw', '--account', 'bob:bob-pw');

describe('oddsmaker panic', () => {
  it('cancels every order of the account, also those of other clients, and no order of other accounts', async () => {
    const venue = await exchange();
    await placeOrders(venue, 'alice', 8);
    await placeOrders(venue, 'bob', 2);
    expect((await countsOf(venue, 'alice')).openOrders).toBe(8);
    const file = writeConfig(exchangeSection(venue.restUrl, venue.socketUrl) + BROKEN);
    const { code, stdout, stderr } = await run(['panic', file]);
    // `journal.dir`, where a running bot is found, is invalid as well: a running bot would quote again
    expect(stdout).toMatch(/^NOT CONFIRMED: cannot find out whether a bot of the account runs: .*journal\.dir.*\n$/);
    expect(code).toBe(74);
    expect(stderr).not.toContain('alice-pw');
    expect((await countsOf(venue, 'alice')).openOrders).toBe(0);
    expect((await countsOf(venue, 'bob')).openOrders).toBe(2);
  });

  it('confirms that an account has nothing open', async () => {
    const venue = await exchange();
    const { code, stdout } = await run(['panic', writeConfig(exchangeSection(venue.restUrl, venue.socketUrl))]);
    expect(stdout).toBe('nothing is open\n');
    expect(code).toBe(0);
  });

  it('works when a variable of another section is not set', async () => {
    const venue = await exchange();
    const yaml = `${exchangeSection(venue.restUrl, venue.socketUrl)}ops: { token: "\${NOT_SET_HERE}" }\n`;
    const { code, stderr } = await run(['panic', writeConfig(yaml)]);
    expect(code, stderr).toBe(0);
  });

  it('ends with 77 and the reason on a wrong password, after one request', async () => {
    const venue = await exchange();
    await placeOrders(venue, 'alice', 1);
    const door = await startDoor(venue);
    const { code, stderr } = await run([
      'panic',
      writeConfig(exchangeSection(door.url, venue.socketUrl, { password: 'wrong-pw' }) + BROKEN),
    ]);
    expect(code).toBe(77);
    expect(stderr).toContain('InvalidCredentials');
    expect(door.calls.map(({ path }) => path)).toEqual(['/user/login']);
    expect((await countsOf(venue, 'alice')).openOrders).toBe(1);
  });

  it('ends with 75 when the exchange does not answer', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { code, stderr } = await run(['panic', writeConfig(exchangeSection(url, url, { startTimeout: '1s' }))]);
    expect(code).toBe(75);
    expect(stderr).toMatch(/trying again/);
  });

  it('ends with 78 and the place when the section of the exchange is wrong', async () => {
    const file = writeConfig('exchange:\n  restUrl: there\nrisk: {}\n');
    const { code, stderr } = await run(['panic', file]);
    expect(code).toBe(78);
    expect(stderr).toContain(`${file}:2:12: exchange.restUrl: `);
  });

  it('says that an embedded exchange leaves nothing to cancel', async () => {
    const { code, stderr } = await run(['panic', writeConfig('exchange: { embedded: {} }\n')]);
    expect(code).toBe(78);
    expect(stderr).toMatch(/nothing to cancel/);
  });
});
