// Debian's Chromium, driven by playwright-core (`.ci/run` installs it): a fresh profile for each test,
// loopback only.
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGS });

export type Watched = { readonly page: Page; readonly problems: readonly string[] };

/** Opens a page and collects its problems: errors, and requests that its content policy refuses. */
export async function openPage(browser: Browser, url: string, width: number): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width, height: 844 } });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // the page itself shows that the bot is gone or refuses
    const isNetwork = /Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/.test(message.text());
    if (message.type() === 'error' && !isNetwork) problems.push(message.text());
  });
  await page.goto(url);
  return { page, problems };
}

/** How much wider the page is than its window, in pixels. */
export const sideways = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
