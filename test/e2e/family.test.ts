// The bot against a paper exchange over sockets, both with the preset `family`, the protocol that existing
// clients use: the bot reads the taker's view, its orders end at the start of their game, in play it sends
// minutes, and it ends with nothing open. Its journal replays.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyJournal } from '../../src/replay/verify.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { loadConfig } from '../../src/config/index.ts';
import { Core } from '../../src/engine/index.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import type { Exchange } from '../support/children.ts';
import {
  DAY_LIMIT,
  exchangeSection,
  folder,
  NO_JOURNAL,
  SHORT_WINDOWS,
  start,
  startExchange,
  TWO_SIDED,
  writeConfig,
} from '../support/children.ts';

type OpenOrder = {
  readonly gameID: string;
  readonly expiry: string | null;
  readonly gameStartExpiry: boolean;
  readonly game: { readonly start: string };
};
type Story = {
  readonly openOrders: number;
  readonly fills: number;
  readonly riskFilled: number;
  readonly open: readonly OpenOrder[];
  readonly requests: { readonly place: number; readonly edit: number; readonly cancel: number };
};
type Summary = {
  readonly placed: number;
  readonly edited: number;
  readonly cancelled: number;
  readonly fills: number;
  readonly riskFilled: number;
  readonly openAtExit: number | null;
  readonly unknown: { readonly atExit: number };
  readonly http: Readonly<Record<string, number>>;
};

const ACCOUNT = ['--account', 'alice:alice-pw'];
const storyOf = async ({ adminUrl }: Exchange): Promise<Story> =>
  (await (await fetch(`${adminUrl}/accounts/alice`)).json()) as Story;

/** The configuration of the bot with the given profile of the exchange. */
const configOf = ({ restUrl, socketUrl }: Exchange, profile: string, journal: string): string =>
  writeConfig(
    [
      exchangeSection(restUrl, socketUrl) + `  profile: ${profile}`,
      SHORT_WINDOWS,
      'markets: { leagues: [NBA], live: true, stopBefore: 0s }',
      `strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.012, risk: 60 } }`,
      DAY_LIMIT + journal,
    ].join('\n'),
  );

describe('a bot at an exchange of preset family', () => {
  it('quotes, is filled, continues in play and ends with nothing open, and its journal replays', async () => {
    const exchange = await startExchange('--profile', 'preset=family', '--games', '2', ...ACCOUNT);
    const journals = folder();
    const file = configOf(exchange, '{ preset: family }', `journal: { dir: ${journals} }\n`);
    const bot = start(['run', file, '--json']);
    const until = async (goal: string, holds: (story: Story) => boolean): Promise<Story> => {
      let story = await storyOf(exchange);
      await expect
        .poll(async () => holds((story = await storyOf(exchange))), {
          timeout: 60_000,
          interval: 50,
          message: goal,
        })
        .toBe(true);
      return story;
    };
    const quoting = await until('the bot quotes and is filled', ({ open, fills }) => open.length >= 6 && fills > 0);
    for (const { expiry, gameStartExpiry, game } of quoting.open)
      expect({ expiry, gameStartExpiry }).toEqual({ expiry: game.start, gameStartExpiry: true });

    const live = exchange.games[0]?.id ?? '';
    const body = JSON.stringify({ live: true });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${exchange.adminUrl}/games/${live}`, { method: 'POST', headers, body });
    const inPlay = await until('the bot quotes in play', ({ open }) => open.some(({ gameID }) => gameID === live));
    for (const { gameID, expiry, gameStartExpiry } of inPlay.open) {
      expect(gameStartExpiry).toBe(gameID !== live);
      if (gameID === live) expect(Date.parse(expiry ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    }
    const before = inPlay.fills;
    await until('the bot is filled again', ({ fills }) => fills > before);

    bot.child.kill('SIGINT');
    const { code, stdout, stderr } = await bot.ended;
    expect(code, stderr).toBe(0);
    const summary = JSON.parse(stdout) as Summary;
    const story = await storyOf(exchange);
    expect(summary).toMatchObject({ openAtExit: 0, unknown: { atExit: 0 }, fills: story.fills });
    expect(summary.riskFilled).toBeCloseTo(story.riskFilled, 6);
    expect(story.openOrders).toBe(0);
    expect(summary.placed).toBeGreaterThan(6);
    expect(summary.cancelled).toBeGreaterThan(0);
    expect(summary.http).not.toHaveProperty('400');
    expect(summary.http).not.toHaveProperty('429');

    const journal = await readJournal(join(journals, readdirSync(journals).find((name) => /ndjson/.test(name)) ?? ''));
    const { settings } = await loadCoreSettings(loadConfig(file, process.env));
    expect(
      verifyJournal(new Core(settings, { reportAsync: () => undefined }), settings.profile, journal),
    ).toBeUndefined();
  });

  it('places nothing with preset spec, since it reads crossed books', async () => {
    const exchange = await startExchange('--profile', 'preset=family', '--games', '2', ...ACCOUNT);
    const file = configOf(exchange, '{ preset: spec }', NO_JOURNAL);
    const bot = start(['run', file, '--json']);
    await bot.prints('stderr', /bookPerspective/);
    bot.child.kill('SIGINT');
    const { stdout } = await bot.ended;
    expect(JSON.parse(stdout)).toMatchObject({ placed: 0, fills: 0 });
  });
});
