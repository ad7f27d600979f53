// The documentation site as the package ships it, in a browser: served by HTTP, and from disk without
// scripts.
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSiteServer, readPageFiles } from '../../src/page/server/index.ts';
import { openBrowser, sideways } from '../support/browser.ts';
import { ROOT } from '../support/children.ts';
import { DOCS } from './pages.ts';

const BUILD_MS = 600_000;
let site: string;
let browser: Browser;
let server: Awaited<ReturnType<typeof openSiteServer>>;

beforeAll(async () => {
  site = mkdtempSync(join(tmpdir(), 'site-'));
  const build = ['--conditions=oddsmaker-source', join(ROOT, 'site/build.ts'), site];
  await promisify(execFile)(process.execPath, build, { cwd: ROOT });
  server = await openSiteServer(0, readPageFiles(site));
  browser = await openBrowser();
}, BUILD_MS);
afterAll(async () => {
  await browser.close();
  await server.app.close();
  rmSync(site, { recursive: true, force: true });
});

const pages = (): readonly string[] => globSync('**/*.html', { cwd: site }).sort();
const textOf = (page: string): string => readFileSync(join(site, page), 'utf8');

/** Calls back with a page in its own browser context, and expects no refused request and no error in it. */
async function inPage(url: string, options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 844 }, ...options });
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`);
    });
    await page.goto(url);
    await use(page);
  } finally {
    await context.close();
  }
  expect(problems).toEqual([]);
}

const background = (page: Page): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
const until = (fn: () => Promise<unknown>, what: string) =>
  expect.poll(fn, { timeout: 30_000, interval: 50, message: what });

describe('the built site', () => {
  it('has all pages of the documentation, and the API reference', () => {
    const built = new Set(pages());
    const expected = DOCS.map((page) => page.slice('docs/'.length).replace(/\.md$/, '.html'));
    expect(expected.filter((page) => !built.has(page === 'README.html' ? 'index.html' : page))).toEqual([]);
    expect([...built].filter((page) => page.startsWith('api/')).length).toBeGreaterThan(3);
    expect(textOf('api/strategy.html')).toContain('defineStrategy');
  });

  it('has no dead link: each leads to an existing file and heading', () => {
    const ids = new Map<string, ReadonlySet<string>>();
    const idsOf = (page: string): ReadonlySet<string> => {
      const known = ids.get(page) ?? new Set([...textOf(page).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
      ids.set(page, known);
      return known;
    };
    const files = new Set(globSync('**/*.*', { cwd: site }));
    let count = 0;
    const dead = pages().flatMap((page) =>
      [...textOf(page).matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link = '']) => {
        if (/^https?:/.test(link)) return [];
        count += 1;
        const [path = '', anchor = ''] = link.split('#');
        const target = path === '' ? page : relative(site, resolve(site, dirname(page), path));
        const leads = !link.startsWith('/') && files.has(target) && (anchor === '' || has(target, anchor));
        return leads ? [] : [`${page}: ${link}`];
      }),
    );
    function has(target: string, anchor: string): boolean {
      return idsOf(target).has(decodeURIComponent(anchor));
    }
    expect(count).toBeGreaterThan(5000);
    expect(dead).toEqual([]);
  });

  it('has no inline script, and names no folder of the machine that built it', () => {
    for (const page of pages()) {
      expect(textOf(page), page).not.toMatch(/<script(?![^>]* src=)[^>]*>/);
      expect(textOf(page), page).not.toContain(ROOT);
    }
  });
});

describe('the served site', () => {
  it('finds lateArrival by its search, and opens the page of a result', async () => {
    await inPage(`${server.url}/run/configure.html`, {}, async (page) => {
      await page.locator('.VPNavBarSearch button').click();
      await page.locator('input[type=search]').fill('lateArrival');
      const results = page.locator('.VPLocalSearchBox .result');
      await until(() => results.count(), 'pages are found').toBeGreaterThan(2);
      await results.first().click();
      await until(() => page.locator('main').innerText(), 'the page is shown').toContain('lateArrival');
      expect(new URL(page.url()).pathname).not.toBe('/run/configure.html');
      // links in the list of pages still lead to the right page
      await page.locator('.VPSidebar a', { hasText: 'Configure' }).first().click();
      await until(async () => new URL(page.url()).pathname, 'a link leads on').toBe('/run/configure.html');
      expect((await page.reload())?.status()).toBe(200);
    });
  });

  it('has a light and a dark theme: that of the system by default, and a switch', async () => {
    const seen: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const)
      await inPage(`${server.url}/run/configure.html`, { colorScheme }, async (page) => {
        const before = await background(page);
        seen.push(before);
        await page.locator('.VPNavBarAppearance button').click();
        await until(() => background(page), 'the switch changes it').not.toBe(before);
      });
    expect(new Set(seen).size).toBe(2);
  });

  it(
    'is readable at 390 px: no page is wider than the window',
    async () => {
      await inPage(server.url, { viewport: { width: 390, height: 844 } }, async (page) => {
        // the page for unknown addresses is not a page of the site
        for (const name of pages().filter((page) => page !== '404.html')) {
          await page.goto(`${server.url}/${name.split('\\').join('/')}`);
          await until(() => sideways(page), name).toBeLessThanOrEqual(0);
        }
        await page.goto(`${server.url}/run/configure.html`);
        await page.locator('.VPLocalNav .menu').click();
        await until(() => page.locator('.VPSidebar a', { hasText: 'Get started' }).first().isVisible(), 'pages').toBe(
          true,
        );
      });
    },
    BUILD_MS,
  );
});

describe.each([1280, 390])('the site from disk without scripts, %d px wide', (width) => {
  it('shows text and styles, has working links, and hides everything that needs a script', async () => {
    const options = { javaScriptEnabled: false, viewport: { width, height: 844 } };
    await inPage(pathToFileURL(join(site, 'index.html')).href, options, async (page) => {
      const heading = page.locator('main h1');
      expect(await heading.innerText()).toContain('Documentation');
      expect(
        await page.locator('.VPNavBarSearch, .VPNavBarHamburger, .VPLocalNav').filter({ visible: true }).count(),
      ).toBe(0);
      // a narrow screen shows the list of pages, too
      const link = page.locator('.VPSidebar a', { hasText: 'Configure' }).first();
      expect(await link.isVisible()).toBe(true);
      await link.click();
      await page.waitForURL(/configure\.html$/);
      expect(await heading.innerText()).toContain('Configure');
      const code = page.locator('main pre').first();
      expect(await code.isVisible()).toBe(true);
      await page.locator('main a[href*="reference/configuration.html"]').first().click();
      await page.waitForURL(/reference\/configuration/);
      expect(fileURLToPath(page.url().split('#')[0] ?? '')).toBe(join(site, 'reference/configuration.html'));
      await page.locator('.VPNavBarTitle a').click();
      await page.waitForURL(/index\.html$/);
    });
  });
});
