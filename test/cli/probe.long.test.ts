// What `check --probe` asks an exchange, and what it reports of an exchange that differs from its settings.
import { describe, expect, it } from 'vitest';
import {
  exchangeSection,
  folder,
  run,
  startDoor,
  startExchange,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

const probed = async (
  venue: { readonly restUrl: string; readonly socketUrl: string },
  profile = '',
): Promise<{ readonly code: number | null; readonly lines: readonly string[]; readonly stderr: string }> => {
  const section = exchangeSection(venue.restUrl, venue.socketUrl).trimEnd();
  const config = writeConfig(`${section}${profile}\n${STRATEGIES}`, folder());
  const { code, stdout, stderr } = await run(['check', config, '--probe']);
  return { code, lines: stdout.split('\n'), stderr };
};
const lineOf = (lines: readonly string[], setting: string): string =>
  lines.find((line) => line.slice(9).startsWith(setting)) ?? `none of ${setting}`;

describe('oddsmaker check --probe', () => {
  it('sends reads alone, and finds an exchange as it is set', async () => {
    const venue = await startExchange('--games', '3', '--account', 'alice:alice-pw');
    const door = await startDoor(venue);
    const { code, lines } = await probed({ ...venue, restUrl: door.url });
    expect(code).toBe(0);
    for (const setting of ['loginPath', 'userPath', 'bookPerspective', 'endsAtStart', 'openOrdersPath'])
      expect(lineOf(lines, setting)).toMatch(/^holds /);
    expect(lineOf(lines, 'socketPath, socketTokenIn, priceNamespace')).toMatch(/^holds .*connected/);
    expect(lineOf(lines, 'editKeepsId')).toMatch(/^open .*only a request that changes something/);
    expect(lines.at(-2)).toMatch(/^\d+ hold, 0 differ, \d+ are open$/);
    expect(door.calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)).toEqual([
      'POST /user/login',
      'GET /user/getMe',
      'POST /exchange/getOrderbook',
      'GET /user/getUnmatched',
      'GET /user/getMatchedBets',
      'GET /session/lookupOrder',
      'GET /user/getBetByID',
      'GET /user/getBetByUserReference',
    ]);
  }, 60_000);

  it('names the settings that differ: the view of the book, when orders end, a namespace, a path', async () => {
    const venue = await startExchange('--games', '3', '--account', 'alice:alice-pw', '--profile', 'preset=family');
    const wrong = '\n  profile: { userNamespace: /v3/users/, openOrdersPath: /user/getOpen, preset: spec }';
    const { code, lines } = await probed(venue, wrong);
    expect(code).toBe(1);
    for (const setting of [
      'bookPerspective',
      'endsAtStart',
      'openOrdersPath',
      'socketPath, socketTokenIn, userNamespace',
    ])
      expect(lineOf(lines, setting)).toMatch(/^DIFFERS /);
    expect(lineOf(lines, 'socketPath, socketTokenIn, priceNamespace')).toMatch(/^holds /);
  }, 60_000);

  it('ends with 77 when the login is refused, and with 75 when no exchange answers', async () => {
    const venue = await startExchange('--games', '1', '--account', 'alice:other');
    const refused = await probed(venue);
    expect(refused.code).toBe(77);
    const gone = await probed({ restUrl: 'http://127.0.0.1:9', socketUrl: 'http://127.0.0.1:9' });
    expect(gone.code).toBe(75);
  }, 60_000);
});
