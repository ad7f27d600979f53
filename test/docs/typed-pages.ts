// Tests that run every command that a page shows, as written, in a copy of a checkout. Only the ports and the folder
// differ. Two pages begin without a checkout: test/package runs their commands; test/e2e types the evenings.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { checkoutShell, freePorts } from '../support/checkout.ts';
import type { Command, Terminal } from '../support/typed.ts';
import { closeTerminals, commandsOf } from '../support/typed.ts';
import { DOCS, textOf } from './pages.ts';

const FROM_NOTHING = ['docs/get-started.md', 'docs/backtesting.md'];
const EVENINGS = ['docs/evening-own-bets.md', 'docs/evening-own-model.md'];
export const PAGES = ['README.md', ...DOCS].filter((page) => ![...FROM_NOTHING, ...EVENINGS].includes(page));

const LABELS = 'it needs recordings that label taken offers';
const DAYS = 'it needs recordings of several days: test/backtest plays made ones';
const OWN_ODDS = 'it needs a history of odds: the page goes on with that of the examples';
const MACHINE = 'it changes the machine, or asks its systemd';
/** Commands that pages show and no test runs, with the reason. */
export const NOT_TYPED: Readonly<Record<string, string>> = {
  'oddsmaker fit-fills data/tapes --out fills.json': LABELS,
  'oddsmaker backtest config/paper.yaml --tape data/tapes --out out --fill-model fills.json': LABELS,
  'npx oddsmaker backtest config/paper.yaml --tape data/season --results scores.json --out data/run': DAYS,
  'npx oddsmaker sweep my.yaml --tape data/season --out data/early --search tpe --stop-early': DAYS,
  'oddsmaker import odds odds-history/ --out data/signals --games data/tapes': OWN_ODDS,
  'oddsmaker backtest my.yaml --tape data/tapes --tape data/signals --results scores.json --out out': OWN_ODDS,
  'npm ci': 'the libraries of this checkout are there',
  'sudo useradd --system --home-dir /opt/desk --shell /usr/sbin/nologin oddsmaker': MACHINE,
  'sudo mkdir -p /opt/desk /etc/oddsmaker': MACHINE,
  'sudo cp -r desk/. /opt/desk/ && sudo rm /opt/desk/.env': MACHINE,
  'cd /opt/desk && sudo npm ci --omit=dev && sudo mkdir -p data && sudo chown -R oddsmaker: data': MACHINE,

  'sudo install -m 600 desk/.env /etc/oddsmaker/live.env': MACHINE,
  'sudo cp node_modules/oddsmaker/ops/systemd/*.service /etc/systemd/system/': MACHINE,
  'sudo cp node_modules/oddsmaker/ops/systemd/journald.conf /etc/systemd/journald@oddsmaker.conf': MACHINE,
  'sudo systemctl daemon-reload': MACHINE,
  'sudo systemctl enable --now oddsmaker-guard@live oddsmaker@live': MACHINE,
  'systemctl status oddsmaker@live': MACHINE,
  'journalctl --namespace=oddsmaker -u oddsmaker@live -f': MACHINE,
  'cp -r node_modules/oddsmaker/examples .': 'a checkout has them',
  'cp node_modules/oddsmaker/strategies/two-sided.ts strategies/': 'a checkout has it',
  'sudo chown 1000 secrets/live.env && sudo chown 65534 secrets/view-token secrets/alert-url': MACHINE,
  'sudo chmod 400 secrets/*': MACHINE,
  'oddsmaker run config/live.yaml --env-file .env --day-loss 120': 'it needs an account of the real exchange',
};

/** The output that a reader waits for before the next command, by the start of the command. */
const READY: readonly (readonly [RegExp, RegExp])[] = [
  [/^npx oddsmaker exchange/, /"adminUrl"/],
  [/^redis-server/, /Ready to accept connections/],
  [/^npx oddsmaker worker/, /waits for points/],
  [/^npx oddsmaker view/, /#token=/],
  // the program receives a fill
  [/^python3 examples\/model\.py/, /^\$\d/m],
  [/^npx oddsmaker guard/, /"msg":"waiting for a heartbeat"/],
  [/^(?:npx oddsmaker (?:run|dev)|npm start)/, /"msg":"quoting"/],
];
function readyOf(line: string): RegExp {
  const [, ready] = READY.find(([which]) => which.test(line)) ?? [];
  if (ready === undefined) throw new Error(`when is it ready: ${line}`);
  return ready;
}

const CTRL_C = 130;

export const isTyped = (line: string): boolean => !(line in NOT_TYPED);
const typedOf = (page: string): readonly Command[] =>
  commandsOf(textOf(page)).flatMap((command) => {
    const line = command.line.split(' && ').filter(isTyped).join(' && ');
    return line === '' ? [] : [{ ...command, line }];
  });

/** Registers a test for each of the pages that shows commands. */
export function typePages(pages: readonly string[]): void {
  const root = mkdtempSync(join(tmpdir(), 'oddsmaker-pages-'));
  afterEach(closeTerminals);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  describe.each(pages.filter((page) => typedOf(page).length > 0))('%s', (page) => {
    it('shows commands that end as the page says', async () => {
      const ports = await freePorts();
      const shell = checkoutShell(root, textOf(page), ports, page === 'README.md' ? 'npm' : 'quick');
      const running: { readonly command: Command; readonly terminal: Terminal }[] = [];
      for (const command of typedOf(page)) {
        const line = ports(command.line);
        if (command.keepsRunning) {
          const terminal = shell.start(line);
          running.unshift({ command, terminal });
          await terminal.prints(readyOf(line));
        } else await shell.run(line, command.exit);
      }
      for (const { command, terminal } of running) {
        const { code, stdout, stderr } = await terminal.pressCtrlC();
        expect(exitOf(code, stdout), `${command.line}\n${stderr}`).toBe(command.exit);
      }
    }, 300_000);
  });
}

/**
 * The exit code of the program. npx and shells around it die of a Ctrl-C that the program has handled, so a
 * run prints its own exit code.
 */
function exitOf(code: number, stdout: string): number {
  const [, reported] = /^ended .*\(exit (\d+)\)$/m.exec(stdout) ?? [];
  return reported !== undefined ? Number(reported) : code === CTRL_C ? 0 : code;
}
