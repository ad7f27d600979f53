// Tests the flags of `oddsmaker exchange`: accounts from a file, presets of the wire profile, windows in
// venue time.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder, startExchange } from '../support/children.ts';

type Row = { readonly odds: number; readonly participantID: string };
type Body = {
  readonly data: {
    readonly user: { readonly auth: string; readonly cashBalance: number; readonly coinsBalance: number };
    readonly game: { readonly homeMoneylines: readonly Row[]; readonly awayMoneylines: readonly Row[] };
  };
};

function fileOf(text: string): string {
  const file = join(folder(), 'accounts.txt');
  writeFileSync(file, text);
  return file;
}

async function post(url: string, path: string, body: unknown, token = ''): Promise<Body & { status: number }> {
  const reply = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, ...((await reply.json()) as Body) };
}

describe('the accounts of oddsmaker exchange', () => {
  it('come from a file, with and without balances, and from the command line', async () => {
    const file = fileOf(
      '\uFEFF# who may trade here\r\nalice:se#cret:500:2000\r\n\r\n  # eve:nothing\nbob:p4ss:7\ncarol:p4ss\n',
    );
    const flags = ['--traders', 'none', '--games', '1', '--account', 'dan:by-hand:1:2', '--account-file', file];
    const { restUrl } = await startExchange(...flags);
    for (const [username, password, cashBalance, coinsBalance] of [
      ['alice', 'se#cret', 500, 2000],
      ['bob', 'p4ss', 7, 10_000],
      ['carol', 'p4ss', 10_000, 10_000],
      ['dan', 'by-hand', 1, 2],
    ] as const) {
      const { status, data } = await post(restUrl, '/user/login', { username, password });
      expect({ status, user: data.user }).toMatchObject({ status: 200, user: { cashBalance, coinsBalance } });
    }
    expect((await post(restUrl, '/user/login', { username: 'eve', password: 'nothing' })).status).toBe(401);
    expect((await post(restUrl, '/user/login', { username: 'demo', password: 'demo' })).status).toBe(401);
  });

  it.each<[string, string, RegExp]>([
    ['no password', '# one\nalice\n', /accounts\.txt:2: It must be user:password/],
    ['an invalid amount', 'alice:s3cret:much\n', /accounts\.txt:1: It must be user:password/],
    ['a missing amount', 'alice:s3cret:\n', /accounts\.txt:1: It must be user:password/],
    ['too much money', 'alice:s3cret:1e10\n', /accounts\.txt:1: It must be user:password/],
    ['too many parts', 'alice:s3cret:1:2:3\n', /accounts\.txt:1: It must be user:password/],
    ['a reserved name', 'alice:s3cret\nmaker-1:s3cret\n', /accounts\.txt:2: "maker-1" cannot be a username/],
    ['an account twice', 'alice:s3cret\n\nalice:s3cret2\n', /accounts\.txt:3: alice is given twice/],
    ['no account', '# none yet\n', /accounts\.txt: it names no account/],
  ])('are refused for a file with %s, with 78, file and line, and without a password', async (_what, text, says) => {
    const { code, stdout, stderr } = await command(['exchange', '--account-file', fileOf(text)]);
    expect(stderr).toMatch(says);
    expect(stdout + stderr).not.toContain('s3cret');
    expect(code).toBe(78);
  });

  it('are refused for a missing file, with 78 and its name', async () => {
    const { code, stderr } = await command(['exchange', '--account-file', '/nowhere/accounts.txt']);
    expect(stderr).toMatch(/\/nowhere\/accounts\.txt: the file cannot be read/);
    expect(code).toBe(78);
  });

  it('are refused when a file and the command line name the same account', async () => {
    const file = fileOf('alice:s3cret\n');
    const { code, stderr } = await command(['exchange', '--account', 'alice:other', '--account-file', file]);
    expect(stderr).toMatch(/the account alice is given twice/);
    expect(code).toBe(2);
  });
});

describe('the wire profile of oddsmaker exchange', () => {
  it.each<[readonly string[], 'home' | 'away', number]>([
    [[], 'home', 110],
    [['preset=spec'], 'home', 110],
    [['preset=family'], 'away', -110],
    // a single setting wins, before and after the preset
    [['bookPerspective=offerer', 'preset=family'], 'home', 110],
    [['bookPerspective.odds=offerer', 'preset=family'], 'away', 110],
    [['bookPerspective.odds=taker'], 'home', -110],
  ])('with --profile %j shows an offer on home at +110 in the %s ladder at %i', async (settings, ladder, odds) => {
    const flags = settings.flatMap((setting) => ['--profile', setting]);
    const { restUrl, games } = await startExchange('--traders', 'none', '--games', '1', ...flags);
    const { data } = await post(restUrl, '/user/login', { username: 'demo', password: 'demo' });
    const [game] = games;
    const gameID = game?.id;
    const [away, home] = game?.participants.map(({ id }) => id) ?? [];
    const order = { gameID, type: 'moneyline', side: home, odds: 110, risk: 10, orderType: 'post' };
    expect((await post(restUrl, '/session/v2/place', { orders: [order] }, data.user.auth)).status).toBe(200);
    const book = (await post(restUrl, '/exchange/getSingleOrderbook', { gameID }, data.user.auth)).data.game;
    const { homeMoneylines, awayMoneylines } = book;
    const participantID = ladder === 'home' ? home : away;
    expect(ladder === 'home' ? homeMoneylines : awayMoneylines).toMatchObject([{ odds, participantID }]);
    expect(ladder === 'home' ? awayMoneylines : homeMoneylines).toEqual([]);
  });

  it('is refused with 2 when its preset is unknown, and so are unknown windows', async () => {
    const preset = await command(['exchange', '--profile', 'preset=wild']);
    expect(preset.stderr).toMatch(/--profile: preset .*"spec"\|"family"/);
    const windows = await command(['exchange', '--windows', 'lunar']);
    expect(windows.stderr).toMatch(/--windows.*wall, venue/);
    expect([preset.code, windows.code]).toEqual([2, 2]);
  });
});

it('oddsmaker exchange at ten times the speed takes 40 places a second with windows in venue time', async () => {
  const flags = ['--traders', 'synthetic', '--games', '1', '--speed', '10'];
  const taken = async (windows: string): Promise<number> => {
    const { restUrl } = await startExchange(...flags, '--windows', windows);
    const { data } = await post(restUrl, '/user/login', { username: 'demo', password: 'demo' });
    let count = 0;
    for (let place = 0; place < 40; place++) {
      // at most 20 in half a second, which is as long as a window of the venue at this speed
      const [{ status }] = await Promise.all([
        post(restUrl, '/session/v2/place', { orders: [{}] }, data.user.auth),
        new Promise((resolve) => setTimeout(resolve, 25)),
      ]);
      if (status === 400) count += 1;
    }
    return count;
  };
  expect(await taken('venue')).toBe(40);
  expect(await taken('wall')).toBeLessThan(40);
});
