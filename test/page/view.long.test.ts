// `oddsmaker view` in a browser: the page of an ended run on the paper exchange, and of a backtest.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, openPage, sideways } from '../support/browser.ts';
import { ROOT, run, start, writeConfig } from '../support/children.ts';

let browser: Browser;
let folder: string;
/** The summary that the run printed at its end. */
let summary: { readonly fills: number; readonly placed: number };
const env = (): Record<string, string> => ({ XDG_CACHE_HOME: join(folder, 'cache') });

beforeAll(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), 'view-'));
  const config = writeConfig(
    [
      'exchange: { embedded: { games: 3, seed: 3, speed: 60 } }',
      'journal: { dir: ./run }',
      'ledger: { file: null }',
      'markets: { leagues: [NBA], live: true }',
      `strategies: [{ use: ${join(ROOT, 'strategies/two-sided.ts')}, id: main, params: { edge: 0.005, risk: 50 } }]`,
      '',
    ].join('\n'),
    folder,
  );
  const { code, stdout } = await run(['run', config, '--for', '20s', '--json']);
  expect(code).toBe(0);
  summary = JSON.parse(stdout) as typeof summary;
}, 60_000);
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

async function opened(journal: string): Promise<{ readonly url: string; readonly end: () => Promise<void> }> {
  const running = start(['view', journal], env());
  const url = (await running.prints('stdout', /\n/)).trim();
  return {
    url,
    end: async () => {
      running.child.kill('SIGINT');
      expect((await running.ended).code).toBe(0);
    },
  };
}

const slider = (page: Page) => page.locator('input[type=range]');
const goTo = (page: Page, share: number): Promise<unknown> =>
  slider(page).evaluate((input, fraction) => {
    const range = input as unknown as {
      min: string;
      max: string;
      value: string;
      dispatchEvent: (e: Event) => void;
    };
    range.value = String(Number(range.min) + (Number(range.max) - Number(range.min)) * fraction);
    range.dispatchEvent(new Event('input', { bubbles: true }));
  }, share);
const figure = (page: Page, name: string): Promise<string> =>
  page.locator(`.figure:has(dt:text-is("${name}")) dd >> nth=0`).innerText();
const until = (fn: () => Promise<unknown>, expected: string) =>
  expect.poll(fn, { timeout: 5000, interval: 50, message: expected });

describe('the page of a past run', () => {
  it.each([1440, 390])('shows any moment of an ended run, %d px wide', async (width) => {
    const { url, end } = await opened(join(folder, 'run'));
    const { page, problems } = await openPage(browser, url, width);
    await page.locator('.state h2').waitFor();
    expect(page.url()).not.toContain('token');
    // nothing was traded at the start of the run
    expect(await figure(page, 'fills')).toBe('0');
    await goTo(page, 1);
    await until(() => figure(page, 'fills'), 'as the run itself reported').toBe(String(summary.fills));
    expect(await figure(page, 'placed · edited')).toContain(`${summary.placed} ·`);
    await goTo(page, 0.5);
    await until(async () => Number(await figure(page, 'fills')), 'fewer by then').toBeLessThan(summary.fills);
    await until(() => page.locator('.state').innerText(), 'it quoted').toContain('rest');
    // an ended run takes no commands
    expect(await page.locator('button', { hasText: 'Cancel all' }).count()).toBe(0);
    const position = (): Promise<number> => slider(page).inputValue().then(Number);
    const before = await position();
    await page.keyboard.press('ArrowRight');
    await until(position, 'the next frame').toBeGreaterThan(before);
    await page.locator('button', { hasText: 'Play' }).click();
    await until(position, 'it plays').toBeGreaterThan(before + 3000);
    await page.locator('button', { hasText: 'Pause' }).click();
    await page.locator('nav a', { hasText: 'markets' }).click();
    await page.locator('.virtual a.row').first().click();
    await page.locator('.ladder').first().waitFor();
    expect(await sideways(page)).toBe(0);
    await page.locator('nav a', { hasText: 'orders' }).click();
    await page.locator('main button', { hasText: 'why' }).first().click();
    await until(() => page.locator('.story').innerText(), 'the story of an order is shown').toMatch(/place|edit/);
    // a seek takes less than two seconds
    const began = performance.now();
    await goTo(page, 0.9);
    const from = await position();
    expect(from).toBeGreaterThan(0);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(problems).toEqual([]);
    await end();
  });

  it('shows a backtest', async () => {
    const out = join(folder, 'bt');
    const sample = (name: string): string => join(ROOT, 'examples', name);
    const line = ['--tape', sample('sample.ndjson.zst'), '--out', out, '--journal', '--fills', 'calibrated'];
    expect((await run(['backtest', sample('sample.yaml'), ...line, '--to', '3h'])).code).toBe(0);
    const { url, end } = await opened(join(out, 'calibrated.ndjson'));
    const { page, problems } = await openPage(browser, url, 390);
    await page.locator('.state h2').waitFor();
    await goTo(page, 0.5);
    await until(() => figure(page, 'markets'), 'markets of the tape').not.toBe('0');
    expect(problems).toEqual([]);
    await end();
  });

  it('fits every figure of a report on the screen of a phone', async () => {
    const file = join(folder, 'report.html');
    expect((await run(['report', join(folder, 'bt'), '--out', file])).code).toBe(0);
    const { page } = await openPage(browser, pathToFileURL(file).href, 390);
    expect(await page.locator('#attribution td[data-name="P&L"]').count()).toBeGreaterThan(0);
    const beyond = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.scroll:has(table.sort)')]
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => one.textContent.slice(0, 60))`,
    );
    expect(beyond).toEqual([]);
    const cut = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('svg.chart text')].filter((text) => {
        const [one, all] = [text, text.closest('svg.chart')].map((of) => of.getBoundingClientRect());
        return one.width > 0 && (one.left < all.left - 1 || one.right > all.right + 1);
      }).map((text) => text.textContent)`,
    );
    expect(cut).toEqual([]);
    await page.close();
  });

  it('shows where a torn journal breaks off, and keeps its frames in the cache for the next start', async () => {
    const runFolder = join(folder, 'run');
    const [name = ''] = readdirSync(runFolder).filter((file) => file.endsWith('.ndjson.zst'));
    const torn = join(folder, 'torn.ndjson.zst');
    const whole = readFileSync(join(runFolder, name));
    writeFileSync(torn, whole.subarray(0, Math.floor(whole.length * 0.6)));
    for (let times = 0; times < 2; times++) {
      const { url, end } = await opened(torn);
      const { page } = await openPage(browser, url, 1440);
      await until(() => page.locator('.past .note').innerText(), 'it is torn').toMatch(/torn[^]*Read up to record/);
      await goTo(page, 1);
      await until(async () => Number(await figure(page, 'fills')), 'fills until then').toBeGreaterThan(0);
      await end();
    }
    const kept = readdirSync(join(folder, 'cache/oddsmaker')).filter((file) => file.startsWith('torn'));
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatch(/\.frames$/);
  });

  it('requires its token, accepts no commands, and refuses wrong times, files and ports', async () => {
    const { url, end } = await opened(join(folder, 'run'));
    const { origin, hash } = new URL(url);
    const headers = { authorization: `Bearer ${hash.slice('#token='.length)}` };
    const statusOf = async (path: string, init: RequestInit = {}): Promise<number> =>
      (await fetch(origin + path, init)).status;
    expect(await statusOf('/api/frame')).toBe(401);
    expect(await statusOf('/api/me')).toBe(401);
    expect(await statusOf('/')).toBe(200);
    expect(await statusOf('/api/frame', { headers })).toBe(200);
    for (const query of ['?at=soon', '?at=', '?step=0.5', '?at=Infinity'])
      expect(await statusOf(`/api/frame${query}`, { headers })).toBe(400);
    const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
    expect(await statusOf('/api/commands', post)).toBe(404);
    await end();
    for (const [args, code, message] of [
      [[join(folder, 'none.ndjson')], 65, /none\.ndjson/],
      [[join(folder, 'bot.yaml')], 65, /not a journal|not JSON/],
      [[join(folder, 'run'), '--port', '70000'], 2, /65535/],
    ] as const) {
      const ended = await run(['view', ...args], env());
      expect(ended.code).toBe(code);
      expect(ended.stderr).toMatch(message);
    }
  });
});
