// Makes the pictures of the README from a real `npm start` in a terminal of its own: docs/page.png is the
// page of the bot in Chromium, docs/run.svg what the terminal shows. Games and traders are generated. Run by
// hand, with `script` of util-linux: npm run pictures
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { ROOT } from '../support/children.ts';
import { shellEnv, Terminal } from '../support/typed.ts';

const COMMAND = 'npm start';
const CONFIG = 'config/paper.yaml';
const COPIED = ['config', 'strategies'];
/** Long enough for curves with visible movement. */
const FILLS = 150;
const WAIT_MS = 240_000;
const SIZE = { width: 1280, height: 880 };
const ERASE_LINE = '\r\u001b[2K';
const CTRL_C = '\u0003';

const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-pictures-'));
try {
  checkout(folder);
  await pictureOfPage();
  await pictureOfTerminal();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function pictureOfPage(): Promise<void> {
  const { terminal, pressCtrlC } = start();
  const [, url = ''] = await terminal.prints(/^page: (\S+)\r\n/m);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: SIZE });
    page.setDefaultTimeout(WAIT_MS);
    await page.goto(url);
    await showMarket(page);
    await page.screenshot({ path: join(ROOT, 'docs/page.png') });
  } finally {
    await browser.close();
    await pressCtrlC();
  }
}

/** Pictures the second run, since the first one still compiles the code. */
async function pictureOfTerminal(): Promise<void> {
  const { terminal, pressCtrlC } = start();
  await terminal.prints(/ fills [5-9]\d /);
  writeFileSync(join(ROOT, 'docs/run.svg'), pictureOf(linesOf(await pressCtrlC())));
}

/** The command in a pseudo terminal, as wide as the picture. `pressCtrlC` returns all that it printed. */
function start(): { readonly terminal: Terminal; readonly pressCtrlC: () => Promise<string> } {
  const child = spawn('script', ['-qec', `stty cols 100; ${COMMAND}`, '/dev/null'], {
    cwd: folder,
    env: { ...shellEnv(join(folder, 'cache')), npm_config_update_notifier: 'false' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const terminal = new Terminal(COMMAND, child);
  const pressCtrlC = async (): Promise<string> => {
    child.stdin.write(CTRL_C);
    return (await terminal.ended).stdout;
  };
  return { terminal, pressCtrlC };
}

/** What a checkout has, with a free admin port instead of 9464. */
function checkout(into: string): void {
  for (const name of readdirSync(ROOT)) {
    if (COPIED.includes(name)) cpSync(join(ROOT, name), join(into, name), { recursive: true });
    else if (!name.startsWith('.') && name !== 'data') symlinkSync(join(ROOT, name), join(into, name));
  }
  writeFileSync(join(into, CONFIG), 'ops: { port: 0 }\n', { flag: 'a' });
}

/**
 * Opens the market with the most fills, once there are enough, and waits until own offers are marked on its
 * ladder.
 */
async function showMarket(page: Page): Promise<void> {
  await page.locator('nav a', { hasText: 'fills' }).click();
  const links = page.locator('main table tbody tr td a');
  await links.nth(FILLS - 1).waitFor();
  const counts = new Map<string, number>();
  for (const link of await links.all()) {
    const href = (await link.getAttribute('href')) ?? '';
    counts.set(href, (counts.get(href) ?? 0) + 1);
  }
  const [[most] = ['']] = [...counts].sort(([, a], [, b]) => b - a);
  await page.locator(`main a[href="${most}"]`).first().click();
  await page.locator('.ladder').first().waitFor();
  await page.locator('tr.mine').first().waitFor();
  await page.locator('canvas').first().waitFor();
  await page.evaluate('scrollTo(0, 0)');
}

/**
 * The lines on the terminal at the end. The status line overwrites itself: the last one before Ctrl-C counts.
 */
function linesOf(text: string): readonly string[] {
  const [before = '', after = ''] = text.split('^C');
  const [started = ''] = before.split(ERASE_LINE);
  const status = before.split(ERASE_LINE).at(-1) ?? '';
  const summary = after.split(ERASE_LINE).at(-1) ?? '';
  const lines = (part: string): readonly string[] => part.trimEnd().split(/\r?\n/);
  return [`$ ${COMMAND}`, ...lines(started), '', status, '^C', ...lines(summary)].map((line) =>
    line.replace(/:\d+\/#token=.*/, ':9464/#token=…').trimEnd(),
  );
}

function pictureOf(lines: readonly string[]): string {
  const [left, top, step, width] = [16, 52, 20, 684];
  const height = top + step * lines.length;
  const rows = lines.map((line, index) => {
    const fill = line.startsWith('$ ') ? ' fill="#8ab4f8"' : '';
    return `<text x="${left}" y="${top + step * index}"${fill}>${shaded(line)}</text>\n`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" `,
    'aria-label="npm start in a terminal: what is started, the status line, Ctrl-C, and the summary">\n',
    `<rect width="${width}" height="${height}" rx="8" fill="#16181d"/>\n`,
    ...['#e0645c', '#e0b05c', '#6fbf73'].map(
      (color, index) => `<circle cx="${20 + 18 * index}" cy="18" r="5" fill="${color}"/>`,
    ),
    '\n<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5" ',
    'fill="#d6d9e0">\n',
    ...rows,
    '</g></svg>\n',
  ].join('');
}

/**
 * Colours the state green and the name of a row grey. Spaces become no-break spaces, since an SVG merges
 * spaces.
 */
function shaded(line: string): string {
  const text = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return text
    .replaceAll(' ', '\u00a0')
    .replace(/^quoting/, '<tspan fill="#7fd18b">$&</tspan>')
    .replace(/^(\s*)(?!quoting|oddsmaker)([a-z]+:?\s+)(?=.)(?!.*mkts)/, '$1<tspan fill="#9aa3b2">$2</tspan>');
}
