// The ledger has the same figures of a run as `report` takes from its journal, to the micro-dollar.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headerOf } from '../../src/journal/journals-in.ts';
import { replayInto } from '../../src/ledger/rebuild.ts';
import { recordedConfig } from '../../src/setup/index.ts';
import { command, folder, NO_JOURNAL, run, STRATEGIES, TWO_SIDED, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import type { Row } from './fixtures.ts';
import { queryLedger, attributionIn, attributionOf, expectRow, reportOf } from './report-figures.ts';

describe('the ledger', () => {
  it('has the attribution groups of the report of its run, and the other figures in its last row', async () => {
    const home = folder();
    const config = writeConfig(
      [
        'exchange: { embedded: { games: 6, seed: 3, speed: 60 } }',
        'journal: { dir: ./journal }',
        'ledger: { file: ./ledger.db }',
        'markets: { live: true }',
        'ops: { port: 0 }',
        `strategies: [{ use: ${TWO_SIDED}, id: main, params: { edge: 0.004, risk: 50 } }]`,
        '',
      ].join('\n'),
      home,
    );
    expect((await run(['run', config, '--for', '7s'])).code).toBe(0);
    const ledger = join(home, 'ledger.db');
    const [name = ''] = readdirSync(join(home, 'journal')).filter((entry) => entry.endsWith('.ndjson.zst'));
    const journal = join(home, 'journal', name);
    const wanted = await attributionOf(journal);
    expect(Object.keys(wanted).length).toBeGreaterThan(10);
    expect(attributionIn(ledger)).toEqual(wanted);
    const report = await reportOf(journal);
    const rows = queryLedger(ledger, 'SELECT * FROM run_figures');
    expect(rows).toHaveLength(1);
    expectRow(rows[0], report);
    // `pnl` prints them in dollars, in the order of the report
    for (const by of ['hour', 'age', 'inventory'] as const) {
      const { stdout } = await command(['pnl', config, '--attribution', by, '--json']);
      expect(JSON.parse(stdout)).toEqual({ rows: report.attribution[by] });
    }
    const printed = JSON.parse((await command(['pnl', config, '--fills', '--json'])).stdout) as {
      rows: readonly Row[];
    };
    expect(printed.rows).toHaveLength(Number(queryLedger(ledger, 'SELECT count(*) AS n FROM fills')[0]?.['n']));
    for (const row of printed.rows) {
      expect(row).toMatchObject({ role: 'maker', strategy: 'main', queue_filled: null });
      const isFirst = row['side'] === 'home' || row['side'] === 'over';
      const [mine, other] = isFirst ? (['first', 'second'] as const) : (['second', 'first'] as const);
      const grew = (side: string): number => Number(row[`position_${side}`]) - Number(row[`before_${side}`]);
      // takers fill parts of a cent, and each figure is printed in whole cents
      expect(Math.abs(grew(other) + Number(row['risk']))).toBeLessThan(0.0151);
      expect(grew(mine)).toBeGreaterThan(0);
    }
  });

  it('made from the journal of a backtest equals its report, and has a row every five minutes', async () => {
    const home = folder();
    const tape = join(home, 'tape.ndjson.gz');
    writeGeneratedTape(tape, 650, { startsAfter: 300_000 });
    const config = writeConfig(
      `exchange: { embedded: {} }\nmarkets: { live: true, stopBefore: 0s }\n${STRATEGIES}${NO_JOURNAL}`,
    );
    const out = join(home, 'out');
    const flags = ['--fills', 'pessimistic', '--journal'];
    const { code, stderr } = await command(['backtest', config, '--tape', tape, '--out', out, ...flags]);
    expect([code, stderr]).toEqual([0, '']);
    const journal = join(out, 'pessimistic.ndjson');
    const ledger = join(home, 'ledger.db');
    const header = await headerOf(journal);
    await replayInto(ledger, journal, header, recordedConfig(journal, header));
    const wanted = await attributionOf(journal);
    expect(attributionIn(ledger)).toEqual(wanted);
    const rows = queryLedger(ledger, 'SELECT * FROM run_figures ORDER BY turn');
    expect(
      rows.map(({ turn, at: time }, index) => [turn, Number(time) - Number(rows[index - 1]?.['at'] ?? time)]),
    ).toEqual([
      [1, 0],
      [2, expect.closeTo(300_000, -3)],
      [3, expect.any(Number)],
    ]);
    const report = await reportOf(journal);
    expect(report.clv.dollars).not.toBeNull();
    expectRow(rows.at(-1), report);
  });
});
