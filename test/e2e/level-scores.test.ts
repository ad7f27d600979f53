// Level scores and games without a score, over real sockets: the bot's worst case is what the exchange
// settles, unknown sports are named, and an ended game releases money that can no longer be lost.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bot } from '../../src/live/bot.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { NO_FORMER_RUNS } from '../../src/setup/former-runs.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { GameId, SportsSettings } from '../../src/domain/index.ts';
import type { Log } from '../../src/ops/index.ts';
import { runFiles, SafetyNet } from '../../src/ops/index.ts';
import type { PaperExchange } from '../../src/paper/server/server.ts';
import { startPaperExchange } from '../../src/paper/server/server.ts';
import { exchangeSection, TWO_SIDED } from '../support/children.ts';
import { comesTrue } from '../fault/live.ts';

const [BOT, OTHER] = ['bot', 'other'].map((username) => ({
  username,
  password: 'secret',
  mode: 'coins' as const,
}));
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddsmaker-level-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Body = Readonly<Record<string, unknown>>;

async function post(url: string, body: Body, token?: string): Promise<Body> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token === undefined ? {} : { Authorization: token }) },
    body: JSON.stringify(body),
  });
  expect(answer.status, url).toBeLessThan(300);
  return (await answer.json()) as Body;
}

/** An exchange on which the bot's account has matched bets of 100 at even odds on both teams of each game. */
async function exchangeWith(sports: SportsSettings, games: readonly (readonly [league: string, sport: string])[]) {
  if (BOT === undefined || OTHER === undefined) throw new Error('no accounts');
  const exchange = await startPaperExchange({
    traders: 'none',
    games: 1,
    league: 'NBA',
    accounts: [BOT, OTHER],
    sports,
  });
  const [bot, other] = await Promise.all(
    [BOT, OTHER].map(async (account) => {
      const { data } = await post(`${exchange.restUrl}/user/login`, account);
      return (data as { user: { auth: string } }).user.auth;
    }),
  );
  const ids: GameId[] = [];
  for (const [league, sport] of games) {
    const game = {
      league,
      sport,
      home: { id: `${sport}-h`, name: 'Home' },
      away: { id: `${sport}-a`, name: 'Away' },
    };
    const { id } = await post(`${exchange.adminUrl}/games`, game);
    ids.push(id as GameId);
    for (const [own, across] of [
      ['h', 'a'],
      ['a', 'h'],
    ] as const) {
      const order = { gameID: id, type: 'moneyline', odds: 100, risk: 100 };
      await post(
        `${exchange.restUrl}/session/v2/place`,
        {
          orders: [
            {
              ...order,
              side: `${sport}-${own}`,
              orderType: 'post',
              userReference: `a.main.${own}.former-${ids.length}`,
            },
          ],
        },
        bot,
      );
      await post(
        `${exchange.restUrl}/session/v2/place`,
        { orders: [{ ...order, side: `${sport}-${across}`, orderType: 'limit' }] },
        other,
      );
    }
  }
  return { exchange, ids };
}

type Line = { readonly code?: string; readonly [field: string]: unknown };

let bots = 0;
/** Runs a bot on that account until `during` resolves. */
async function withBot(
  { restUrl, socketUrl, failed }: PaperExchange,
  sports: string,
  during: (bot: Bot, lines: readonly Line[]) => Promise<void>,
): Promise<void> {
  const home = join(folder, String((bots += 1)));
  mkdirSync(join(home, 'run'), { recursive: true });
  const file = join(home, 'bot.yaml');
  writeFileSync(
    file,
    `${exchangeSection(restUrl, socketUrl, { username: 'bot', password: 'secret' })}markets: { leagues: [ES, WIZ] }\n${sports}
journal: { dir: ./run }\nstrategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.02, risk: 50 } }\n`,
  );
  const loaded = loadConfig(file, process.env);
  const lines: Line[] = [];
  const take = (_message: string, fields: Line = {}): void => void lines.push(fields);
  const log: Log = { debug: take, info: take, warn: take, error: take };
  const net = new SafetyNet(runFiles(join(home, 'run'), 'bot'), loaded.config.guard.deadline, log);
  const target = { restUrl, socketUrl, username: 'bot', password: 'secret', former: NO_FORMER_RUNS };
  const bot = new Bot(loaded, await loadCoreSettings(loaded), target, { log, net });
  const running = bot.run(failed);
  try {
    expect(await comesTrue(() => bot.status.accountRead, 10_000)).toBe(true);
    await during(bot, lines);
  } finally {
    bot.stop('stop');
    await running;
    net.close();
  }
}

const worst = (bot: Bot): number => bot.status.pnl.worst;
const codes = (lines: readonly Line[], code: string): readonly Line[] => lines.filter((line) => line.code === code);
const coins = ({ venue }: PaperExchange): number => (venue.accounts.get('bot')?.balances.coins ?? 0) / 1e6;

describe('the worst case of a level score', () => {
  it('loses both sides by rule or for an unknown sport, which is named once, and settles the same', async () => {
    const { exchange, ids } = await exchangeWith({}, [
      ['ES', 'soccer'],
      ['WIZ', 'quidditch'],
    ]);
    const [soccer, quidditch] = ids as [GameId, GameId];
    try {
      await withBot(exchange, '', async (bot, lines) => {
        expect(await comesTrue(() => worst(bot) === -400, 5000)).toBe(true);
        expect(codes(lines, 'SPORT_UNKNOWN')).toEqual([
          expect.objectContaining({
            league: 'WIZ',
            sport: 'quidditch',
            set: 'sports: { "WIZ": { draw: push } }',
          }),
        ]);
        const settle = { type: 'settle', gameId: quidditch, result: { home: 1, away: 1 } } as const;
        expect(bot.enter(settle)).toContain('has not begun');
        expect(worst(bot)).toBe(-400);
        expect(bot.enter({ ...settle, gameId: soccer })).toContain('has not begun');
        await post(`${exchange.adminUrl}/games/${soccer}`, {
          start: new Date(Date.now() - 60_000).toISOString(),
        });
        const refused = (): string | undefined => bot.enter({ ...settle, gameId: soccer });
        expect(await comesTrue(() => refused()?.includes('is open at the exchange') === true, 5000)).toBe(true);
        expect(worst(bot)).toBe(-400);
        await post(`${exchange.adminUrl}/games/${soccer}`, { ended: true });
        expect(await comesTrue(() => refused() === undefined, 5000)).toBe(true);
        expect(worst(bot)).toBe(-200);
      });
      const before = coins(exchange);
      await post(`${exchange.adminUrl}/games/${soccer}/grade`, { home: 1, away: 1 });
      expect(coins(exchange) - before).toBe(-200);
    } finally {
      await exchange.close();
    }
  }, 40_000);

  it('returns the stakes when `sports` says so, at the bot and at the exchange', async () => {
    const { exchange, ids } = await exchangeWith({ SOCCER: { draw: 'push' } }, [
      ['ES', 'soccer'],
      ['WIZ', 'quidditch'],
    ]);
    try {
      const sports = 'sports: { soccer: { draw: push }, wiz: { draw: impossible } }';
      await withBot(exchange, sports, async (bot, lines) => {
        expect(await comesTrue(() => bot.status.inventory === 0 && bot.markets.length === 2, 5000)).toBe(true);
        expect(worst(bot)).toBe(0);
        expect(codes(lines, 'SPORT_UNKNOWN')).toEqual([]);
        const drawn = { type: 'settle', gameId: ids[1] as GameId, result: { winner: 'draw' } } as const;
        expect(bot.enter(drawn)).toContain('does not end level');
      });
      const before = coins(exchange);
      await post(`${exchange.adminUrl}/games/${ids[0]}/grade`, { home: 1, away: 1 });
      expect(coins(exchange) - before).toBe(0);
    } finally {
      await exchange.close();
    }
  }, 40_000);
});

describe('a game that ended without a score', () => {
  it('is known after a restart, so that bets on both sides can lose nothing', async () => {
    const { exchange, ids } = await exchangeWith({}, [['ES', 'soccer']]);
    try {
      await post(`${exchange.adminUrl}/games/${ids[0]}`, { ended: true });
      await withBot(exchange, 'sports: { soccer: { draw: push } }', async (bot) => {
        expect(await comesTrue(() => worst(bot) === 0, 5000), String(worst(bot))).toBe(true);
        expect(bot.markets).toEqual([
          expect.objectContaining({ gameId: ids[0], position: { first: 0, second: 0, staked: 200 } }),
        ]);
      });
    } finally {
      await exchange.close();
    }
  }, 40_000);
});

describe('a game that the operator of the exchange grades', () => {
  it('returns void stakes and pays the rest, and impossible results are refused', async () => {
    const { exchange, ids } = await exchangeWith({}, [
      ['ATP', 'tennis'],
      ['NBA', 'basketball'],
    ]);
    const [tennis, basketball] = ids as [GameId, GameId];
    const grade = async (id: GameId, result: unknown) => {
      const answer = await fetch(`${exchange.adminUrl}/games/${id}/grade`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(result),
      });
      return [answer.status, JSON.stringify(await answer.json())] as const;
    };
    const open = (): number =>
      [...(exchange.venue.accounts.get('bot')?.plays.values() ?? [])].filter(({ profit }) => profit === undefined)
        .length;
    try {
      const before = coins(exchange);
      // a score in games does not name the winner: both bets stay open
      expect(await grade(tennis, { home: 14, away: 18 })).toEqual([200, expect.stringContaining('moneyline')]);
      expect([coins(exchange), open()]).toEqual([before, 4]);
      expect(await grade(tennis, { home: 14, away: 17 })).toMatchObject([409, expect.any(String)]);
      expect(await grade(tennis, { winner: 'home' })).toEqual([200, '{"success":true,"open":[]}']);
      // one bet won 100 and the other lost 100
      expect([coins(exchange), open()]).toEqual([before, 2]);
      expect(await grade(basketball, { home: 4, away: 4 })).toEqual([
        400,
        expect.stringContaining('does not end level'),
      ]);
      expect(await grade(basketball, { home: 4 })).toEqual([400, expect.stringContaining('away')]);
      expect(await grade(basketball, { by: { moneyline: { void: true } } })).toEqual([
        200,
        '{"success":true,"open":["spread","total"]}',
      ]);
      expect([coins(exchange), open()]).toEqual([before, 0]);
      expect((await grade(basketball, { home: 99, away: 90 }))[0]).toBe(200);
      expect(coins(exchange)).toBe(before);
    } finally {
      await exchange.close();
    }
  }, 40_000);
});
