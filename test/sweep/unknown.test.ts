// A parameter sweep over fills without a closing price: an unknown figure is not 0, is not compared and never
// wins.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { rowsOf, sweepJson } from './fixtures.ts';

it('a sweep without any known figure names no best point, leaves the unknown cells empty, and says so', async () => {
  const home = folder();
  const tape = join(home, 'tape.ndjson.gz');
  // the tape ends long before the game begins
  writeGeneratedTape(tape, 300, { startsAfter: 36_000_000 });
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const out = join(home, 'out');
  const { code, stdout, stderr } = await command([
    ...['sweep', config, '--tape', tape, '--out', out, '--param', 'main.edge=0.002,0.005', '--threads', '1'],
  ]);
  expect([code, stderr.replaceAll(/^reading.*\n|.*points.*\n/gm, '')]).toEqual([0, '']);
  expect(stdout).toMatch(/^best of 2: not known$/m);
  expect(stdout).toMatch(/^edge\.perPlace is not known for any point/m);
  expect(stdout).toMatch(/^point +main\.edge +edge\.perPlace +fills +pnl +clv, pre-match +300 s, in play +places$/m);
  expect(stdout).toMatch(/^1 +0\.002 +not known +[1-9]\d* +\S+ +not known +– +\d+$/m);
  const [names = '', ...rows] = rowsOf(out);
  for (const row of rows) {
    const cell = (name: string): string => row.split(',')[names.split(',').indexOf(name)] ?? '?';
    expect(Number(cell('fills'))).toBeGreaterThan(0);
    for (const name of ['objective', 'clv', 'edge', 'edge_prematch', 'inplay_markout_300s'])
      expect(cell(name)).toBe('');
    // there are no fills in play
    expect(cell('edge_inplay')).toBe('0');
  }
  expect(sweepJson(out).best).toEqual([]);
  expect(readFileSync(join(out, 'sweep.json'), 'utf8')).toContain('"text": "best of 2: not known"');
  expect(stdout).not.toContain('best-1.html');
});
