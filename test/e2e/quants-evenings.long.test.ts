// Two evenings of a quant, each command typed as the page shows it: from own bets to a dry run, and from a model in Python
// to a notebook. What a page says of its figures is checked as well.
import { readdirSync, readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { textOf } from '../docs/pages.ts';
import { checkoutShell, freePorts } from '../support/checkout.ts';
import type { Shell, Terminal } from '../support/typed.ts';
import { blocksOf, closeTerminals, commandsOf } from '../support/typed.ts';

const root = mkdtempSync(join(tmpdir(), 'oddsmaker-evenings-'));

afterEach(closeTerminals);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** An evening: the commands of its page, typed in their order. */
class Evening {
  readonly shell: Shell;
  readonly text: string;
  readonly #lines: string[];
  readonly #ports: (text: string) => string;

  constructor(page: string, ports: (text: string) => string) {
    this.text = textOf(page);
    this.#ports = ports;
    this.shell = checkoutShell(root, this.text, ports);
    this.#lines = commandsOf(this.text).map(({ line }) => line);
  }

  static async of(page: string): Promise<Evening> {
    return new Evening(page, await freePorts());
  }

  get left(): readonly string[] {
    return this.#lines;
  }

  #next(start: string): string {
    const line = this.#lines.shift();
    expect(line?.startsWith(start), `the next command is ${line ?? 'none'}, not ${start}`).toBe(true);
    return this.#ports(line ?? '');
  }

  /** Types the next command, which begins like this, and returns what it printed. */
  type(start: string): Promise<string> {
    return this.shell.run(this.#next(start));
  }

  /** Types the next command, which keeps running. */
  start(start: string): Terminal {
    return this.shell.start(this.#next(start));
  }

  file(name: string): string {
    return readFileSync(join(this.shell.folder, name), 'utf8');
  }
}

/** The first cell of a line, and its amounts in dollars in their order. */
const amountsIn = (text: string, name: string): readonly number[] =>
  [...(new RegExp(`^${name} .*$`, 'm').exec(text)?.[0] ?? '').matchAll(/-?\$[\d,.]+/g)].map(([amount]) =>
    Number(amount.replaceAll(/[$,]/g, '')),
  );

it('from own bets to a dry run', async () => {
  const evening = await Evening.of('docs/evening-own-bets.md');
  await evening.type('mkdir');
  await evening.type('npx oddsmaker report --fills');
  expect(evening.file('data/own.html')).toContain('<svg');
  const report = await evening.type('npx oddsmaker report --fills');
  // what the page shows, and the idea that it takes from it
  const shown = blocksOf(evening.text, 'text')[0] ?? '';
  for (const tag of ['sides', 'totals']) {
    const [risk, clv, spread, drift, luck, pnl] = amountsIn(shown, tag);
    expect(amountsIn(report, tag).slice(0, 6)).toEqual([risk, clv, spread, drift, luck, pnl]);
    expect(Math.abs((spread ?? 0) + (drift ?? 0) + (luck ?? 0) - (pnl ?? 0))).toBeLessThanOrEqual(0.02);
  }
  expect(amountsIn(report, 'totals')[1]).toBeGreaterThan(0);
  expect(amountsIn(report, 'sides')[1]).toBeLessThan(0);

  await evening.type('npx oddsmaker new strategy');
  expect(await evening.type('npx oddsmaker check')).toContain('totals: NBA · total');

  const watch = evening.start('npx oddsmaker backtest');
  await watch.prints(/watching the strategies/);
  const before = evening.file('data/totals/fills.csv').split('\n').length;
  await evening.type('sed -i');
  const [line] = await watch.prints(/^calibrated: \d+ fills .*$/m);
  expect(blocksOf(evening.text, 'text')[1]?.trimEnd().replace(/ …$/, '')).toBe(
    line.slice(0, line.indexOf(', worst')) + ',',
  );
  await watch.pressCtrlC();
  expect(evening.file('data/totals/fills.csv').split('\n').length).toBeLessThan(before);

  const swept = await evening.type('npx oddsmaker sweep');
  expect(swept).toMatch(/^best of 14: totals\.minEdge=.* better than chance\? .*too few games: 6/m);
  expect(swept).toMatch(/^\d+ of 14 points meet --such-that "inventory\.maxDrawdown <= 200"/m);
  expect(evening.file('data/totals-sweep/points.csv').trim().split('\n')).toHaveLength(15);

  const exchange = evening.start('npx oddsmaker exchange');
  await exchange.prints(/"adminUrl"/);
  expect(await evening.type('npx oddsmaker run')).toMatch(/^orders +[1-9]\d* placed/m);
  await evening.type('npx oddsmaker report data/totals-dry/dry');
  expect(evening.file('data/totals-dry.html')).toContain('total');
  await exchange.pressCtrlC();
  expect(evening.left).toEqual([]);
}, 300_000);

it('from a model in Python to a notebook', async () => {
  const evening = await Evening.of('docs/evening-own-model.md');
  await evening.type('mkdir');
  expect(await evening.type('python3 examples/book_model.py')).toMatch(/^\d+ prices of \d+ markets in /);
  // each price is made of books that were there: the first signal is no earlier than the first book
  const signals = evening.file('data/model.ndjson').trim().split('\n');
  const times = signals.map((line) => (JSON.parse(line) as { readonly ts: number }).ts);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(await evening.type('npx oddsmaker tape info')).toMatch(/signal/);

  const table = await evening.type('npx oddsmaker backtest');
  const [atFill = 0] = amountsIn(table, 'edge at fill');
  const [later = 0] = amountsIn(table, 'edge 60 s later');
  expect(later).toBeLessThan(atFill);
  const { fills } = (
    JSON.parse(evening.file('data/model-run/result.json')) as {
      readonly scenarios: Readonly<Record<string, { readonly fills: number }>>;
    }
  ).scenarios['pessimistic'] ?? { fills: Number.NaN };
  await evening.type('npx oddsmaker report');

  const notebook = await evening.type('PYTHONPATH=clients/python python3 notebook.py');
  const rows = [...notebook.matchAll(/^edge (\S+): (\d+) fills, CLV (\S+)$/gm)];
  expect(rows.map(([, edge]) => edge)).toEqual(['0.012', '0.02', '0.03']);
  expect(Number(rows[0]?.[2])).toBe(fills);
  await evening.type('python3 clients/python/examples/markouts.py');
  expect(readdirSync(join(evening.shell.folder, 'data/model-plots')).sort()).toEqual(['fill-rate.svg', 'markouts.svg']);
  expect(evening.left).toEqual([]);
}, 300_000);

it('the model sees no book of the future: a shorter tape has the same prices', async () => {
  const evening = await Evening.of('docs/evening-own-model.md');
  await evening.shell.run(
    'npx oddsmaker tape cut examples/sample.ndjson.zst --to 2030-11-16T17:00Z --out short.ndjson',
  );
  await evening.shell.run('python3 examples/book_model.py short.ndjson short-model.ndjson');
  await evening.shell.run('python3 examples/book_model.py examples/sample.ndjson.zst whole-model.ndjson');
  const short = evening.file('short-model.ndjson').trim().split('\n');
  expect(short.length).toBeGreaterThan(100);
  expect(evening.file('whole-model.ndjson').split('\n').slice(0, short.length)).toEqual(short);
}, 120_000);
