// Child games, props and futures on an exchange over real sockets, one of each settled and one void: the bot
// finds them, quotes them, is filled, shows their worst case beside that of their game, and settles them by
// the exchange's results.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bot } from '../../src/live/bot.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { NO_FORMER_RUNS } from '../../src/setup/former-runs.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { GameId } from '../../src/domain/index.ts';
import type { Log } from '../../src/ops/index.ts';
import { runFiles, SafetyNet } from '../../src/ops/index.ts';
import { startPaperExchange } from '../../src/paper/server/server.ts';
import { comesTrue } from '../fault/live.ts';
import { command, exchangeSection, SHORT_WINDOWS, TWO_SIDED } from '../support/children.ts';

type Body = Readonly<Record<string, unknown>>;
const ACCOUNTS = ['bot', 'maker', 'taker'].map((username) => ({
  username,
  password: 'secret',
  mode: 'coins' as const,
}));

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'oddsmaker-parts-'));
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

async function post(url: string, body: Body, token?: string): Promise<Body> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token === undefined ? {} : { Authorization: token }) },
    body: JSON.stringify(body),
  });
  expect(answer.status, url).toBeLessThan(300);
  return (await answer.json()) as Body;
}

it('a bot finds, quotes and settles parts of games and futures on the paper exchange', async () => {
  const exchange = await startPaperExchange({ traders: 'none' as const, games: 1, league: 'NBA', accounts: ACCOUNTS });
  const { restUrl, socketUrl, adminUrl } = exchange;
  const tokenOf = async (username: string): Promise<string> => {
    const { data } = await post(`${restUrl}/user/login`, { username, password: 'secret' });
    return (data as { user: { auth: string } }).user.auth;
  };
  const [maker, taker] = [await tokenOf('maker'), await tokenOf('taker')];
  const publish = async (fields: Body): Promise<GameId> => {
    const teams = { home: { name: 'Home' }, away: { name: 'Away' } };
    const { id } = await post(`${adminUrl}/games`, { league: 'NBA', mainTotal: 24.5, ...teams, ...fields });
    return id as GameId;
  };
  const game = await publish({});
  const child = { kind: 'child', parentGameID: game };
  const prop = { kind: 'prop', parentGameID: game };
  const future = { kind: 'futures', market: 'Champion' };
  const parts: Readonly<Record<string, GameId>> = {
    h1: await publish({ ...child, periodName: '1st Half' }),
    h2: await publish({ ...child, periodName: '2nd Half' }),
    points: await publish({ ...prop, eventName: 'Alder (POINTS)' }),
    rebounds: await publish({ ...prop, league: 'NBA-PROPS', eventName: 'Alder (REBOUNDS)' }),
    champion: await publish(future),
    runnerUp: await publish(future),
  };
  // a game of a period that is not selected
  const quarter = await publish({ ...child, periodName: 'Q1' });
  const all: Readonly<Record<string, GameId>> = { game, ...parts, quarter };
  const isTotal = (name: string): boolean => name === 'points' || name === 'rebounds';
  const order = (name: string, first: boolean, fields: Body): Body => {
    const id = all[name] ?? '';
    const side = isTotal(name) ? (first ? 'over' : 'under') : `${id}-${first ? 'home' : 'away'}`;
    const place = isTotal(name) ? { type: 'total', number: 24.5 } : { type: 'moneyline' };
    return { gameID: id, ...place, side, ...fields };
  };
  const place = (token: string, orders: readonly Body[]) => post(`${restUrl}/session/v2/place`, { orders }, token);
  for (const name of Object.keys(all))
    await place(
      maker,
      [true, false].map((first) => order(name, first, { odds: 105, risk: 200, orderType: 'post' })),
    );

  mkdirSync(join(home, 'run'), { recursive: true });
  const file = join(home, 'bot.yaml');
  writeFileSync(
    file,
    `${exchangeSection(restUrl, socketUrl, { username: 'bot', password: 'secret' })}${SHORT_WINDOWS}
markets: { leagues: [NBA], periods: [full, h1, h2], props: true, futures: true }
journal: { dir: ./run }
strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.005, risk: 50 } }\n`,
  );
  const loaded = loadConfig(file, process.env);
  const lines: Body[] = [];
  const take = (message: string, fields: Body = {}): void => void lines.push({ message, ...fields });
  const log: Log = { debug: take, info: take, warn: take, error: take };
  const net = new SafetyNet(runFiles(join(home, 'run'), 'bot'), loaded.config.guard.deadline, log);
  const target = { restUrl, socketUrl, username: 'bot', password: 'secret', former: NO_FORMER_RUNS };
  const bot = new Bot(loaded, await loadCoreSettings(loaded), target, { log, net });
  const running = bot.run(exchange.failed);
  const account = exchange.venue.accounts.get('bot');
  const rests = (id: GameId): boolean =>
    [...(account?.open.values() ?? [])].filter(({ book }) => book.market.gameId === id).length === 2;
  const wanted = [game, ...Object.values(parts)];
  try {
    expect(await comesTrue(() => wanted.every(rests), 30_000), JSON.stringify(lines.slice(-5))).toBe(true);
    expect(rests(quarter)).toBe(false);
    expect(Object.fromEntries(bot.markets.map(({ gameId, part }) => [gameId, part]))).toEqual({
      [game]: undefined,
      [parts['h1'] ?? '']: 'h1',
      [parts['h2'] ?? '']: 'h2',
      [parts['points'] ?? '']: 'prop',
      [parts['rebounds'] ?? '']: 'prop',
      [parts['champion'] ?? '']: 'future',
      [parts['runnerUp'] ?? '']: 'future',
    });
    // 50 in the game, 100 in a half, which may end level, and 50 in the points of a player, which cannot
    // equal a half line
    const worst = new Map(
      bot.markets.map(({ gameId, worstOfGame, worstWithParts }) => [gameId, [worstOfGame, worstWithParts]]),
    );
    expect(worst.get(game)).toEqual([-50, -350]);
    expect(worst.get(parts['h1'] ?? '')).toEqual([-100, -350]);
    expect(worst.get(parts['champion'] ?? '')).toEqual([-100, -100]);

    // the taker matches the bot's offers on the first side of each part
    for (const name of Object.keys(parts))
      await place(taker, [order(name, false, { odds: -103, risk: 51.5, orderType: 'fillAndKill' })]);
    expect(await comesTrue(() => bot.status.fills === 6, 10_000), String(bot.status.fills)).toBe(true);

    const grade = (name: string, result: Body) => post(`${adminUrl}/games/${parts[name] ?? ''}/grade`, result);
    await grade('h1', { home: 51, away: 48 });
    await grade('h2', { void: true });
    await grade('points', { home: 20, away: 0 });
    await grade('rebounds', { void: true });
    await grade('champion', { home: 1, away: 0 });
    await grade('runnerUp', { void: true });
    const held = (): number => bot.markets.filter(({ position }) => position.staked > 0).length;
    expect(
      await comesTrue(() => held() === 0, 150_000),
      JSON.stringify(bot.markets.map(({ gameId, position }) => [gameId, position.staked])),
    ).toBe(true);
    // two bets won at +103, one lost, three are void; the bot still quotes the game
    expect(bot.status.pnl.marked).toBeCloseTo(51.5 + 51.5 - 50, 6);
    expect(rests(game)).toBe(true);
  } finally {
    bot.stop('stop');
    await running;
    net.close();
    await exchange.close();
  }
}, 240_000);

it('a recorded tape has the books of the selected parts of games', async () => {
  const exchange = await startPaperExchange({ traders: 'none' as const, games: 1, league: 'NBA', accounts: ACCOUNTS });
  const { restUrl, socketUrl, adminUrl } = exchange;
  const teams = { league: 'NBA', home: { name: 'Home' }, away: { name: 'Away' } };
  const { id: game } = await post(`${adminUrl}/games`, teams);
  const { id: half } = await post(`${adminUrl}/games`, {
    ...teams,
    kind: 'child',
    parentGameID: game,
    periodName: '1H',
  });
  const recorded = async (periods: string): Promise<readonly string[]> => {
    const into = join(home, `record-${periods.length}`);
    mkdirSync(into);
    const file = join(into, 'bot.yaml');
    writeFileSync(
      file,
      `${exchangeSection(restUrl, socketUrl, { username: 'bot', password: 'secret' })}
markets: { leagues: [NBA], periods: ${periods} }\nrecord: { dir: ./tapes }
strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.005, risk: 50 } }\n`,
    );
    expect(await command(['record', file, '--for', '4s'])).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await command(['tape', 'info', join(into, 'tapes'), '--json']);
    expect(code, stderr).toBe(0);
    return [game, half].filter((id) => stdout.includes(String(id))).map(String);
  };
  try {
    expect(await recorded('[full, h1]')).toEqual([game, half]);
    expect(await recorded('[full]')).toEqual([game]);
  } finally {
    await exchange.close();
  }
}, 60_000);
