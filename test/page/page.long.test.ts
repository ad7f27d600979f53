// The page in a browser, against a bot that trades on the paper exchange.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markCleared, raiseFence } from '../../src/ops/fence.ts';
import type { Exchange, Running } from '../support/children.ts';
import {
  exchangeSection,
  folder,
  SHORT_WINDOWS,
  start,
  startExchange,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';
import type { Watched } from '../support/browser.ts';
import { openBrowser, openPage, sideways } from '../support/browser.ts';

type Bot = {
  readonly venue: Exchange;
  readonly running: Running;
  readonly url: string;
  readonly config: string;
};

async function startBot(games: number, strategies = STRATEGIES): Promise<Bot> {
  const account = ['--account', 'alice:alice-pw:0:1000000'];
  const venue = await startExchange('--games', String(games), '--side-games', ...account);
  const config = writeConfig(
    [
      exchangeSection(venue.restUrl, venue.socketUrl),
      SHORT_WINDOWS,
      'risk: { resumeAfter: 250ms, maxDailyLoss: 100000, maxTotalLoss: 500000, maxGameLoss: 50000, maxOrderRisk: 1000, maxOpenOrders: 2000 }',
      'journal: { dir: ./run }',
      'ledger: { file: ./run/ledger.db }',
      'ops: { port: 0, token: open-sesame, viewToken: only-look }',
      strategies,
      '',
    ].join('\n'),
    folder(),
  );
  const running = start(['run', config]);
  const output = await running.prints('stderr', /"url":"[^"]+"/);
  return { venue, running, config, url: /"url":"([^"]+)"/.exec(output)?.[1] ?? '' };
}

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const open = (bot: Bot, width = 1440, token = 'open-sesame'): Promise<Watched> =>
  openPage(browser, `${bot.url}/#token=${token}`, width);
/** The selector of the value of a figure, by the name of the figure. */
const figure = (name: string): string => `.figure:has(dt:text-is("${name}")) dd >> nth=0`;
/** `ms` only ends a test that hangs, except where the page must show something within seconds. */
const until = (fn: () => Promise<unknown>, expected: string, ms = 30_000) =>
  expect.poll(fn, { timeout: ms, interval: 50, message: expected });

const command = ({ url }: Bot, name: string): Promise<Response> =>
  fetch(`${url}/api/commands`, {
    method: 'POST',
    headers: { authorization: 'Bearer open-sesame', 'content-type': 'application/json' },
    body: JSON.stringify({ command: name }),
  });

async function stop({ running }: Bot): Promise<void> {
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(0);
}

describe.each([1440, 390])('the page of a bot, %d px wide', (width) => {
  it('shows moving prices and fills, and cancels all, pauses the bot or a strategy and changes a parameter on command', async () => {
    const bot = await startBot(3);
    const { page, problems } = await open(bot, width);
    await page.locator('.state h2', { hasText: 'quoting' }).waitFor();
    // the page removes the token from its address
    expect(page.url()).not.toContain('open-sesame');
    await page.locator('a', { hasText: 'markets' }).first().click();
    const rows = page.locator('.virtual a.row');
    await until(() => rows.count(), 'markets are listed').toBeGreaterThan(3);
    const prices = (): Promise<string> => rows.locator('.fair').allInnerTexts().then(String);
    const before = await prices();
    await until(prices, 'prices move').not.toBe(before);
    await until(() => rows.locator('.why.good').count(), 'quotes rest').toBeGreaterThan(0);
    await page.locator('a', { hasText: 'fills' }).first().click();
    await until(() => page.locator('main table tbody tr').count(), 'a fill appears').toBeGreaterThan(0);
    expect(await sideways(page)).toBe(0);
    // the fill names its market
    expect(await page.locator('main table tbody tr td.what').first().innerText()).toMatch(
      /^(moneyline|spread|total), /,
    );
    await page.locator('nav a', { hasText: 'games' }).click();
    await until(() => page.locator('svg.scores rect').count(), 'the game is drawn').toBeGreaterThan(20);
    expect(await page.locator('section.game').first().innerText()).toMatch(/shortfall\s+[-+]?\$/);
    expect(await sideways(page)).toBe(0);
    await page.locator('a', { hasText: 'figures' }).first().click();
    const groups = page.locator('table.attribution tbody tr');
    await until(() => groups.count(), 'its game is a row').toBeGreaterThan(0);
    await page.locator('select[name=by]').selectOption('age');
    await until(() => groups.first().innerText(), 'rows are of another kind').toMatch(/ s\b/);
    await page.locator('select[name=sort]').selectOption('spread');
    const spreads = async (): Promise<readonly number[]> =>
      (await groups.locator('td[data-name=spread]').allInnerTexts()).map((text) =>
        Number(text.replace(/[^-.\d]/g, '')),
      );
    await until(async () => {
      const shown = await spreads();
      return String(shown) === String([...shown].sort((a, b) => b - a));
    }, 'the most first').toBe(true);
    await until(() => page.locator(figure('two-sided')).innerText(), 'how it quoted').toMatch(/%/);
    expect(await sideways(page)).toBe(0);
    await page.locator('nav a', { hasText: 'fills' }).click();
    // a fill links to its market
    await page.locator('main table tbody tr a').first().click();
    await page.locator('.ladder').first().waitFor();
    await until(() => page.locator('tr.mine').count(), 'own offers are marked').toBeGreaterThan(0);
    await page.locator('.orders button', { hasText: 'why' }).first().click();
    await until(() => page.locator('.story').innerText(), 'the story of the order is shown').toMatch(/place|edit/);
    // the story stays when its order ends, and then says how it ended
    expect((await command(bot, 'pause')).status).toBe(200);
    await page.locator('h3', { hasText: 'no longer listed' }).waitFor();
    await until(() => page.locator('.story').innerText(), 'the story has the end').toMatch(
      /In the end: (?!at rest|of unknown)/,
    );
    expect((await command(bot, 'resume')).status).toBe(200);
    await page.locator('button', { hasText: 'Close' }).click();
    expect(await page.locator('.story').count()).toBe(0);
    const market = page.url();

    await page.goto(market.replace(/#.*/, '#/now'));
    await page.locator('button', { hasText: /^Cancel all$/ }).click();
    await page.locator('dialog[open] button', { hasText: 'Cancel all and pause' }).click();
    await until(() => page.locator('.state').innerText(), 'it is paused').toContain('paused');
    await until(() => page.locator(figure('resting of wanted')).innerText(), 'nothing rests').toMatch(/^0 \//);
    await page.goto(market);
    await page.locator('.ladder').first().waitFor();
    await until(() => page.locator('tr.mine').count(), 'the ladder has no own offers').toBe(0);

    await page.goto(market.replace(/#.*/, '#/now'));
    await page.locator('button', { hasText: 'Resume' }).click();
    await until(() => page.locator('.state').innerText(), 'it quotes again').toContain('Quoting');
    await page.locator('nav a', { hasText: 'strategies' }).click();
    await page.locator('button', { hasText: 'Pause main' }).click();
    await until(() => page.locator('main').innerText(), 'the strategy is paused').toContain('paused');
    await page.locator('nav a', { hasText: 'now' }).click();
    await until(() => page.locator(figure('held by controls')).innerText(), 'a control holds it').toContain('paused');
    await page.locator('nav a', { hasText: 'strategies' }).click();
    await page.locator('button', { hasText: 'Resume main' }).click();
    const edge = page.locator('input[name=edge]');
    await edge.fill('2');
    await page.locator('button', { hasText: 'Apply edge' }).click();
    await until(() => page.locator('.toast').innerText(), 'it is refused').toContain('edge');
    await edge.fill('0.031');
    await page.locator('button', { hasText: 'Apply edge' }).click();
    await until(() => page.locator('.toast').innerText(), 'it is taken').toContain('0.031');
    await page.reload();
    await until(() => page.locator('input[name=edge]').inputValue(), 'it runs with it').toBe('0.031');
    await page.locator('button', { hasText: 'What would a reload do?' }).click();
    await until(() => page.locator('main').innerText(), 'the file would take it back').toContain(
      'strategies.0.params.edge',
    );
    await page.locator('button', { hasText: 'Reload it' }).click();
    await until(() => page.locator('input[name=edge]').inputValue(), 'the file has its say').not.toBe('0.031');
    await page.locator('nav a', { hasText: 'log' }).click();
    const line = page.locator('ol.log details', { hasText: 'operator’s command cancel-all' });
    await line.locator('summary').click();
    expect(await line.locator('dl').first().innerText()).toContain('control token');
    expect(problems).toEqual([]);
    await page.close();
    await stop(bot);
  });
});

it('the page shows within seconds that a feed is cut, that the bot stops answering, and that it is back', async () => {
  const bot = await startBot(2);
  const { page } = await open(bot);
  await page.locator('.state h2', { hasText: 'quoting' }).waitFor();
  const banner = page.locator('.banner');
  const faults = (rules: readonly unknown[]) =>
    fetch(`${bot.venue.adminUrl}/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seed: 1, rules }),
    });
  expect((await faults([{ fault: 'disconnect', feeds: ['prices'], every: '100ms' }])).status).toBe(200);
  await until(() => banner.allInnerTexts().then(String), 'the feed is down', 2000).toContain('price feed DOWN');
  await faults([]);
  await until(() => page.locator('.state h2').innerText(), 'it quotes again', 15_000).toBe('quoting');
  // a stopped process hangs: nothing ends the connection
  bot.running.child.kill('SIGSTOP');
  await until(() => banner.allInnerTexts().then(String), 'it says nothing', 3000).toContain('Not live');
  expect(await page.title()).toContain('NOT LIVE');
  bot.running.child.kill('SIGCONT');
  await until(() => banner.allInnerTexts().then(String), 'it is back', 5000).not.toContain('Not live');
  bot.running.child.kill('SIGKILL');
  await until(() => banner.allInnerTexts().then(String), 'it is gone', 2000).toContain('Not live');
  // the banner says what the guard did, and which command to type
  const shownText = await banner.innerText();
  expect(shownText).toContain('No guard watched it');
  expect(shownText).toContain(`oddsmaker panic ${bot.config}`);
  expect(await page.locator('main.dead').count()).toBe(1);
  await page.close();
});

it('the page renders few rows for hundreds of markets, filters and walks them by keys, and never scrolls sideways', async () => {
  const bot = await startBot(170);
  const { page, problems } = await open(bot, 390);
  await page.locator('nav a', { hasText: 'markets' }).click();
  const count = () => page.locator('.tools .note').innerText().then(Number.parseInt);
  await until(count, 'all markets are there').toBeGreaterThanOrEqual(500);
  await until(() => page.locator('.virtual a.row').count(), 'rows in sight exist').toBeGreaterThan(4);
  expect(await page.locator('.virtual a.row').count()).toBeLessThan(60);
  for (const view of ['now', 'markets', 'games', 'orders', 'fills', 'figures', 'strategies', 'log', 'alerts']) {
    await page.locator('nav a', { hasText: view }).click();
    await page.locator(`main.${view}`).waitFor();
    await page.locator('main > *').first().waitFor();
    expect([view, await sideways(page)]).toEqual([view, 0]);
  }
  await page.locator('nav a', { hasText: 'markets' }).click();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator('.virtual').waitFor();
  const hasFocus = (): Promise<boolean> =>
    page.evaluate<boolean>(`document.activeElement === document.querySelector('.tools input')`);
  // a key pressed before the view listens is lost, so it is pressed again
  const focus = async (): Promise<boolean> => {
    if (!(await hasFocus())) await page.keyboard.press('/');
    return hasFocus();
  };
  await until(focus, 'the filter is typed into').toBe(true);
  await page.keyboard.type('total');
  await until(count, 'they are filtered').toBeLessThan(300);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.locator('h2', { hasText: 'total' }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await sideways(page)).toBe(0);
  await page.keyboard.press('Escape');
  await page.locator('.virtual').waitFor();
  expect(problems).toEqual([]);
  await page.close();
  await stop(bot);
});

const VIEWS = ['now', 'markets', 'games', 'orders', 'fills', 'figures', 'strategies', 'log', 'alerts'];
/** A script that collects all texts drawn in charts, and those whose left end is cut off. */
const WATCH_TEXTS = `
  globalThis.texts = { cut: [], all: [] };
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...more) {
    const wide = this.measureText(text).width;
    const left = this.textAlign === 'right' ? x - wide : this.textAlign === 'center' ? x - wide / 2 : x;
    globalThis.texts.all.push(text);
    if (left < 0) globalThis.texts.cut.push(text);
    return draw.call(this, text, x, ...more);
  };`;
type Texts = { readonly cut: readonly string[]; readonly all: readonly string[] };

it('every view and the title of the page show the account, state and profit of the bot, and key figures fit a phone', async () => {
  const bot = await startBot(4, STRATEGIES.replace('risk: 100', 'risk: 1000'));
  const { page, problems } = await open(bot, 390);
  await page.locator('.state h2', { hasText: /^quoting$/ }).waitFor();
  await page.locator('.identity .made', { hasText: 'today' }).waitFor();
  // the first books come from a request, and the shown age is that of the feed
  await page.locator('.identity .age', { hasText: /data \d/ }).waitFor();
  await page.evaluate(WATCH_TEXTS);
  for (const view of VIEWS) {
    await page.locator('nav a', { hasText: view }).click();
    await page.locator(`main.${view}`).waitFor();
    const shownText = await page.locator('.identity').innerText();
    expect(shownText).toMatch(/^alice\s+coins\s+a @ 127\.0\.0\.1:\d+\s+(quoting|degraded)\s+today [+-]?\$/i);
    expect(shownText).toMatch(/\d\d:\d\d:\d\d UTC\s+data \d+(\.\d)? s old$/);
    expect(await page.title()).toMatch(
      /^(quoting|degraded) · alice coins · today [+-]?\$[\d,.]+ · \d\d:\d\d:\d\d · \d+ s · a @/,
    );
  }
  const isOnScreen = async (selector: string): Promise<boolean> => {
    const box = await page.locator(selector).first().boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= 390;
  };
  await page.locator('nav a', { hasText: 'orders' }).click();
  await until(() => page.locator('.orders tbody tr').count(), 'orders rest').toBeGreaterThan(0);
  for (const cell of ['.what', '.side', '[data-name=odds]', '[data-name=risk]', '.why button'])
    expect([cell, await isOnScreen(`.orders tbody tr ${cell}`)]).toEqual([cell, true]);
  // a missing guard is an alert, and its badge is visible on a narrow screen
  await page.locator('nav a', { hasText: 'now' }).click();
  await until(() => isOnScreen('nav a[data-view=alerts] .badge'), 'the badge is in sight').toBe(true);
  // a loss keeps its sign, and the legend shows the newest value without a pointer
  const texts = (): Promise<Texts> => page.evaluate<Texts>('globalThis.texts');
  await until(
    async () => (await texts()).all.some((text) => /^-\$\d\d,\d{3}$/.test(text)),
    'a large worst case',
    30_000,
  ).toBe(true);
  expect((await texts()).cut).toEqual([]);
  expect(await page.locator('.chart .legend', { hasText: 'worst' }).innerText()).toMatch(/worst -\$\d\d,\d{3}/);
  expect(await page.locator('.chart .legend', { hasText: 'marked' }).innerText()).not.toContain('worst');
  expect(await page.locator('table.latencies thead').innerText()).toMatch(/median\s+99 %\s+count/);
  // both columns end at about the same height
  await page.setViewportSize({ width: 1440, height: 900 });
  const hole = (): Promise<number> =>
    page.evaluate<number>(`(() => {
      const ends = new Map();
      for (const one of document.querySelectorAll('main > section:not(.whole)')) {
        const { left, bottom } = one.getBoundingClientRect();
        ends.set(left, Math.max(ends.get(left) ?? 0, bottom));
      }
      return ends.size < 2 ? Infinity : Math.max(...ends.values()) - Math.min(...ends.values());
    })()`);
  await until(hole, 'both columns are full').toBeLessThan(200);
  expect(problems).toEqual([]);
  await page.close();
  await stop(bot);
});

it('the page asks before Resume lifts a halt or a fence, and shows a disabled strategy in red until it is resumed', async () => {
  const home = folder();
  const fails = join(home, 'fails.ts');
  writeFileSync(
    fails,
    `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
export default defineStrategy({
  name: 'fails',
  params: z.object({}),
  create: () => (views$) => views$.pipe(map(() => { throw new Error('no such key'); })),
});
`,
  );
  const bot = await startBot(2, `${STRATEGIES}  - { use: ${fails}, id: broken }\n`);
  const { page, problems } = await open(bot, 390);
  const banner = page.locator('.banner.bad');
  await until(() => banner.allInnerTexts().then(String), 'it is off').toContain('strategy broken is off');
  await until(() => page.locator('.state.bad h2').innerText(), 'the state is red').toBe('degraded');
  expect(await page.locator('nav a[data-view=strategies] .badge.bad').innerText()).toBe('1');
  await page.locator('nav a', { hasText: 'strategies' }).click();
  await page.locator('section.fault .badge.bad', { hasText: 'OFF' }).waitFor();
  expect(await page.locator('section.fault p.bad').innerText()).toContain('no such key');
  await page.locator('button', { hasText: /^Resume broken$/ }).click();
  await page.locator('dialog[open] button', { hasText: 'Let broken quote' }).click();
  await until(() => page.locator('.toast').innerText(), 'it was resumed').toContain('on again');

  await page.locator('nav a', { hasText: 'now' }).click();
  await page
    .locator('.state button', { hasText: /^Halt$/ })
    .first()
    .click();
  await page.locator('dialog[open] button', { hasText: 'Halt' }).click();
  await until(() => page.locator('.state h2').innerText(), 'it is halted').toBe('halted');
  await page.locator('.state button', { hasText: /^Resume$/ }).click();
  expect(await page.locator('dialog[open] p').innerText()).toMatch(/^Lift the halt, and quote again\?/);
  await page.locator('dialog[open] button', { hasText: 'No' }).click();
  expect(await page.locator('.state h2').innerText()).toBe('halted');
  await page.locator('.state button', { hasText: /^Resume$/ }).click();
  await page.locator('dialog[open] button', { hasText: 'Lift it and quote' }).click();
  await until(() => page.locator('.state h2').innerText(), 'it goes on').not.toBe('halted');
  // the banner of a raised fence says what the guard did, and which command to type
  const fence = join(dirname(bot.config), 'run', 'alice.fence');
  const { id } = raiseFence(fence, 'the loop has not turned for 10018 ms');
  await until(() => banner.allInnerTexts().then(String), 'it is fenced').toMatch(
    /The guard raised the fence at [\d:]+ UTC: the loop has not turned for 10018 ms.*has not seen it empty yet[^]*oddsmaker panic \//,
  );
  markCleared(fence, id, Date.now());
  await until(() => banner.allInnerTexts().then(String), 'it is empty').toMatch(/saw the account empty at [\d:]+ UTC/);
  await page.locator('.state button', { hasText: /^Resume$/ }).click();
  await until(() => page.locator('dialog[open] p').innerText(), 'it asks').toMatch(
    /^Lift the fence of the guard and the halt.*10018 ms$/,
  );
  await page.locator('dialog[open] button', { hasText: 'Lift it and quote' }).click();
  await until(() => page.locator('.state h2').innerText(), 'it is lifted').not.toBe('fenced');
  // the fields of a log line are folded
  await page.locator('nav a', { hasText: 'log' }).click();
  const line = page.locator('ol.log details', { hasText: 'a strategy was disabled' }).first();
  expect(await line.locator('dl').first().isVisible()).toBe(false);
  await line.locator('summary').click();
  expect(await line.locator('dl').first().innerText()).toContain('no such key');
  expect(problems).toEqual([]);
  await page.close();
  bot.running.child.kill('SIGINT');
  // 0 when the strategy is enabled again at the end, 78 while it is disabled
  expect([0, 78]).toContain((await bot.running.ended).code);
});

it('the page asks for a token, and offers no commands with the view token', async () => {
  const bot = await startBot(1);
  const { page } = await openPage(browser, `${bot.url}/`, 390);
  await page.locator('.login').waitFor();
  await page.locator('input[name=token]').fill('wrong');
  await page.locator('.login button').click();
  await page.locator('.login [role=alert]').waitFor();
  await page.locator('input[name=token]').fill('only-look');
  await page.locator('.login button').click();
  await page.locator('.state h2').waitFor();
  expect(await page.locator('button', { hasText: 'Cancel all' }).count()).toBe(0);
  await page.close();
  await stop(bot);
});
