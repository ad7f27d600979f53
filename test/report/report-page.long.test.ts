// The page of a report in a browser: the switch of the scenario, the lists of markets and series, print, no script.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GameId, Market, StrategyId, TxId } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';
import type { ReportData, ReportScenario } from '../../src/report/index.ts';
import { NO_EVENTS, reportHtml, reportScenario } from '../../src/report/index.ts';
import type { MarketPath, SeriesPath } from '../../src/run/index.ts';
import { fill, facts, M, START } from '../run/facts.ts';
import { openBrowser, openPage, sideways } from '../support/browser.ts';

const MARKETS: readonly Market[] = [
  market('g1' as GameId, 'moneyline', undefined),
  market('g1' as GameId, 'spread', -3.5),
  market('g2' as GameId, 'total', 210.5),
];
const NAMES = { g1: 'Ravens @ <Otters>', g2: 'Hawks @ Bulls' } as const;
const nameOf = ({ gameId }: Market): string => NAMES[gameId as keyof typeof NAMES];
const MINUTE = 60_000;

/** A scenario whose first market has `fills` fills, and each further one a fill less. */
function scenarioOf(fills: number): ReportScenario {
  const filled = MARKETS.flatMap((quoted, index) =>
    Array.from({ length: fills - index }, (_, number) =>
      fill({
        txId: `${quoted.id} ${number}` as TxId,
        game: quoted.gameId,
        market: quoted,
        side: quoted.sides[number % 2] ?? 'home',
        eventName: nameOf(quoted),
        t: START - (60 - number) * MINUTE,
        isInPlay: number === 0,
        profit: (number % 2 === 0 ? 105 : -100) * M,
      }),
    ),
  );
  const paths = MARKETS.map((quoted, index): MarketPath => ({
    market: quoted,
    eventName: nameOf(quoted),
    fills: fills - index,
    points: Array.from({ length: 60 }, (_, minute) => ({
      t: START - (60 - minute) * MINUTE,
      fair: minute === 30 ? null : 0.5 + 0.01 * index + 0.001 * minute,
      others: [0.49, 0.53],
      own: [0.48, null],
    })),
  }));
  const series = ['width', 'skew'].flatMap((name) =>
    MARKETS.map(({ id, gameId }, index): SeriesPath => ({
      ...{ strategy: 'main' as StrategyId, game: gameId, market: id, name },
      times: [START - 50 * MINUTE, START - 40 * MINUTE],
      values: [index, index + 0.25],
    })),
  );
  const [busiest] = paths;
  const curve = [0, 1].map((hour) => ({
    t: START + hour * 60 * MINUTE,
    marked: fills,
    worst: 0,
    inventory: 0,
    inPlay: 0,
  }));
  return reportScenario({ ...facts({ fills: filled }), curve }, busiest, NO_EVENTS, 1, {
    paths: { paths, leftOut: 4 },
    series: { series, leftOut: 0 },
  });
}

let browser: Browser;
let directory = '';
let url = '';

beforeAll(async () => {
  browser = await openBrowser();
  directory = mkdtempSync(join(tmpdir(), 'report-page-'));
  const data: ReportData = {
    report: 2,
    title: 'Backtest',
    from: null,
    to: null,
    inputs: [],
    scenarios: {
      calibrated: { ...scenarioOf(6), limits: ['A limit of calibrated.'] },
      pessimistic: { ...scenarioOf(4), limits: ['A limit of pessimistic.'] },
      optimistic: scenarioOf(9),
    },
    limitations: ['A limit of the report.'],
  };
  const file = join(directory, 'report.html');
  writeFileSync(file, reportHtml(data));
  url = pathToFileURL(file).href;
});
afterAll(async () => {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Text of the cells of a row of the first table: pre-match, in play, both. */
const figures = (page: Page, name: string): Promise<readonly string[]> =>
  page
    .locator('#phases tr', { has: page.locator('th', { hasText: new RegExp(`^${name}$`) }) })
    .locator('td')
    .allTextContents();
const heading = (page: Page, id: string) => page.locator(`#${id} h2`);
const settled = (page: Page) => page.locator('#quotes .choose:not([hidden])').waitFor();

describe.each([400, 1280])('the page of a report, %i pixels wide', (width) => {
  it('switches all figures and plots to another scenario, by keyboard', async () => {
    const { page, problems } = await openPage(browser, url, width);
    await settled(page);
    expect(await figures(page, 'fills')).toEqual(['12', '3', '15']);
    expect(await page.locator('#quotes circle').count()).toBe(6);
    await page.locator('input[value=calibrated]').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('main[data-scenario=pessimistic]').waitFor();
    expect(await figures(page, 'fills')).toEqual(['6', '3', '9']);
    expect(await page.locator('#quotes circle').count()).toBe(4);
    expect(await page.locator('#identity .verdict').textContent()).toMatch(/^pessimistic: /);
    expect(await page.locator('#limits').textContent()).toContain('A limit of pessimistic.');
    await page.keyboard.press('ArrowRight');
    await page.locator('main[data-scenario=optimistic]').waitFor();
    expect(await page.locator('#limits').textContent()).toContain('A limit of the report.');
    expect(await figures(page, 'fills')).toEqual(['21', '3', '24']);
    await page.locator('input[value=calibrated]').check();
    await page.locator('main[data-scenario=calibrated]').waitFor();
    expect(await figures(page, 'fills')).toEqual(['12', '3', '15']);
    expect([problems, await sideways(page)]).toEqual([[], 0]);
    await page.close();
  });

  it('draws the market that is chosen in a list with a search', async () => {
    const { page, problems } = await openPage(browser, url, width);
    await settled(page);
    const options = page.locator('#quotes option');
    expect(await options.allTextContents()).toEqual([
      'moneyline, Ravens @ <Otters>: 6 fills',
      'spread -3.5, Ravens @ <Otters>: 5 fills',
      'total 210.5, Hawks @ Bulls: 4 fills',
    ]);
    expect(await page.locator('#quotes').textContent()).toContain('4 more quoted markets');
    await page.locator('#quotes input[type=search]').fill('bulls 210');
    expect(await options.allTextContents()).toEqual(['total 210.5, Hawks @ Bulls: 4 fills']);
    expect(await page.locator('#quotes [role=status]').textContent()).toBe('1 of 3 in the list');
    await page.keyboard.press('Enter');
    expect(await heading(page, 'quotes').textContent()).toBe('Quotes over the book: Hawks @ Bulls, total 210.5');
    expect(await page.locator('#quotes circle').count()).toBe(4);
    const links = await page.locator('#quotes a.csv').all();
    const [quotes = '', fills = ''] = await Promise.all(
      links.map(async (link) => decodeURIComponent(((await link.getAttribute('href')) ?? '').replace(/^[^,]*,/, ''))),
    );
    expect(quotes.split('\n').slice(0, 2)).toEqual([
      'time,fair,others_first,others_second,own_first,own_second',
      '2030-01-02T19:00:00.000Z,0.52,0.49,0.53,0.48,',
    ]);
    expect(quotes.split('\n')[31]).toBe('2030-01-02T19:30:00.000Z,,0.49,0.53,0.48,');
    expect(fills.split('\n').slice(0, 2)).toEqual([
      'time,price,first,risk',
      '2030-01-02T19:00:00.000Z,0.487805,true,100',
    ]);
    // a chart of the list is drawn as the page itself draws it
    const before = await page.locator('#quotes svg.chart').first().getAttribute('viewBox');
    await page.locator('#quotes input[type=search]').fill('');
    await page.locator('#quotes select').selectOption({ index: 0 });
    expect(await heading(page, 'quotes').textContent()).toBe('Quotes over the book: Ravens @ <Otters>, moneyline');
    expect(await page.locator('#quotes svg.chart').first().getAttribute('viewBox')).toBe(before);
    const paths = async () =>
      Promise.all(
        (await page.locator('#quotes path.line').all()).map(async (line) => (await line.getAttribute('d')) ?? ''),
      );
    const drawn = await paths();
    await page.reload();
    await settled(page);
    const own = await paths();
    const numbers = (text: string): readonly number[] => (text.match(/[\d.]+/g) ?? []).map(Number);
    expect(drawn.map((path) => path.replaceAll(/[\d.]+/g, ''))).toEqual(
      own.map((path) => path.replaceAll(/[\d.]+/g, '')),
    );
    for (const [index, path] of drawn.entries()) {
      const others = numbers(own[index] ?? '');
      // a tenth of a pixel
      for (const [number, value] of numbers(path).entries())
        expect(Math.abs(value - (others[number] ?? 0))).toBeLessThan(0.11);
    }
    expect([problems, await sideways(page)]).toEqual([[], 0]);
    await page.close();
  });

  it('draws the series of a strategy in the market that is chosen', async () => {
    const { page, problems } = await openPage(browser, url, width);
    await page.locator('#series .choose:not([hidden])').waitFor();
    expect(await heading(page, 'series').textContent()).toBe('Series of main: moneyline, Ravens @ <Otters>');
    await page.locator('#series select').focus();
    await page.keyboard.press('ArrowDown');
    expect(await heading(page, 'series').textContent()).toBe('Series of main: spread -3.5, Ravens @ <Otters>');
    expect(await page.locator('#series h3').allTextContents()).toEqual(['width', 'skew']);
    const link = await page.locator('#series a.csv').first().getAttribute('href');
    expect(decodeURIComponent(link ?? '')).toContain(
      'time,value\n2030-01-02T19:10:00.000Z,1\n2030-01-02T19:20:00.000Z,1.25\n',
    );
    expect(problems).toEqual([]);
    await page.close();
  });

  it('prints the chosen scenario and market without the controls', async () => {
    const { page } = await openPage(browser, url, width);
    await settled(page);
    await page.locator('input[value=pessimistic]').check();
    await page.locator('main[data-scenario=pessimistic]').waitFor();
    await settled(page);
    await page.locator('#quotes select').selectOption({ index: 2 });
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.switch, .choose').filter({ visible: true }).count()).toBe(0);
    expect(await page.locator('#quotes svg.chart').isVisible()).toBe(true);
    expect(await page.locator('#quotes circle').count()).toBe(2);
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
    await page.close();
  });
});

it('the page of a report shows its first scenario and market without a script, and asks no network', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(url);
  expect(await figures(page, 'fills')).toEqual(['12', '3', '15']);
  expect(await page.locator('#quotes circle').count()).toBe(6);
  expect(await page.locator('.switch, .choose').filter({ visible: true }).count()).toBe(0);
  expect(asked).toEqual([url]);
  await context.close();
});
