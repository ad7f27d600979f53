// A recording in which home and away are swapped. The exchange of the backtest, the bot, its journal, its
// ledger and its report each read it, and agree on every fill.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { headerOf } from '../../src/journal/journals-in.ts';
import { replayInto } from '../../src/ledger/rebuild.ts';
import { recordedConfig } from '../../src/setup/index.ts';
import { queryLedger, attributionIn, attributionOf } from '../ledger/report-figures.ts';
import { command, folder, NO_JOURNAL, run, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const SWAP_AT = 240;
const FROM = Date.parse('2030-03-01T18:00:00Z');

/** The rows of a CSV file, by column. */
function rowsOf(file: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  const columns = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])));
}

/** The same market and side after home and away are swapped, by hand. */
function swappedPlace(market = '', side = ''): readonly [string, string] {
  const other: Readonly<Record<string, string>> = { home: 'away', away: 'home' };
  const spread = /^(.*\/spread\/)(.*)$/.exec(market);
  return [spread === null ? market : `${spread[1]}${0 - Number(spread[2])}`, other[side] ?? side];
}

/** The profit of a fill when the visitors lose by seven, 103 to 110. */
function broughtBy({ market = '', side = '', risk, win }: Readonly<Record<string, string>>): number {
  const [, type, line] = market.split('/');
  const first = type === 'total' ? 213 > Number(line) : type === 'spread' ? 7 + Number(line) > 0 : true;
  return first === (side === 'home' || side === 'over') ? Number(win) : 0 - Number(risk);
}

type Report = {
  readonly scenarios: {
    readonly pessimistic: {
      readonly figures: {
        readonly phases: { readonly prematch: { readonly identity: { readonly unpricedPnl: number } } };
      };
    };
  };
};

async function played(swapAt: number | undefined) {
  const home = folder();
  const tape = join(home, 'tape.ndjson.gz');
  writeGeneratedTape(tape, 480, { swapAt });
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const out = join(home, 'out');
  const results = join(home, 'results.json');
  writeFileSync(results, JSON.stringify({ 'tape-game': { home: 110, away: 103 } }));
  const flags = ['--fills', 'pessimistic', '--journal', '--results', results, '--report', 'json'];
  const { code, stderr } = await command(['backtest', config, '--tape', tape, '--out', out, ...flags]);
  expect([code, stderr]).toEqual([0, '']);
  return {
    home,
    out,
    fills: rowsOf(join(out, 'fills.csv')),
    report: JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report,
  };
}

it('a backtest whose teams swap home and away keeps each fill on its team in every output, and settles by the last header', async () => {
  const plain = await played(undefined);
  const { home, out, fills, report } = await played(SWAP_AT);
  const unpriced = report.scenarios.pessimistic.figures.phases.prematch.identity.unpricedPnl;
  const isBefore = ({ time = '' }) => Date.parse(time) < FROM + 1000 * SWAP_AT;
  const before = fills.filter(isBefore);
  expect(before.length).toBeGreaterThan(500);
  expect(fills.length).toBeGreaterThan(before.length + 500);
  // a fill before the swap is the same bet as without the swap, on the other side
  const known = ['tx', 'time', 'odds', 'risk', 'win', 'fair', 'f0', 'markout_1s', 'markout_60s', 'order'];
  const shown = (row: Readonly<Record<string, string>>) => known.map((column) => row[column]);
  const mine = ({ side = '', position_first: first, position_second: second }: Readonly<Record<string, string>>) =>
    side === 'home' || side === 'over' ? first : second;
  expect(before.map((row) => [...shown(row), row['market'], row['side'], mine(row)])).toEqual(
    plain.fills.filter(isBefore).map((row) => [...shown(row), ...swappedPlace(row['market'], row['side']), mine(row)]),
  );
  // up to the rounding of a cent a fill
  const brought = fills.reduce((sum, fill) => sum + broughtBy(fill), 0);
  expect(Math.abs(unpriced - brought)).toBeLessThan(0.01 * fills.length);

  const journal = join(out, 'pessimistic.ndjson');
  expect((await run(['replay', journal, '--verify'])).code).toBe(0);
  const ledger = join(home, 'ledger.db');
  const header = await headerOf(journal);
  await replayInto(ledger, journal, header, recordedConfig(journal, header));
  expect(attributionIn(ledger)).toEqual(await attributionOf(journal));
  const rows = queryLedger(ledger, 'SELECT tx_id, market, side FROM fills');
  const sides = new Map(rows.map((row) => [row['tx_id'], [row['market'], row['side']]]));
  expect(fills.map(({ tx }) => sides.get(tx ?? ''))).toEqual(fills.map(({ market, side }) => [market, side]));
}, 120_000);
