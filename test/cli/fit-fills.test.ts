// Tests `oddsmaker fit-fills`, and that a backtest reads the file that it writes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import type { Row } from '../backtest/made-tape.ts';
import { MadeTape } from '../backtest/made-tape.ts';

/**
 * A tape with one new offer a second at the top of a side. Every third offer was taken: it is shown with
 * nothing left.
 */
function labelled(offers: number): string {
  const tape = new MadeTape().game(0).side(0, 'away', [{ id: 'away', odds: -130, risk: 100 }]);
  const deep: Row = { id: 'deep', odds: 140, risk: 500 };
  for (let n = 0; n < offers; n++) {
    const top: Row = { id: `top-${n}`, odds: 110, risk: 20 + (n % 7) * 10, made: n };
    tape.side(n + 1, 'home', [top, deep]);
    tape.side(n + 1.5, 'home', n % 3 === 0 ? [{ ...top, left: 0 }, deep] : [deep]);
  }
  return tape.write();
}

describe('oddsmaker fit-fills', () => {
  it('fits on offers shown as taken, scores the model on held-out blocks, and a backtest uses it', async () => {
    const out = join(folder(), 'fills.json');
    const fitted = await command(['fit-fills', labelled(240), '--out', out, '--explained', '0.8']);
    expect([fitted.code, fitted.stderr]).toEqual([0, '']);
    expect(fitted.stdout).toMatch(/^240 vanished offers are known, 33\.3 % of them taken; 0 are not known$/m);
    expect(fitted.stdout).toMatch(/^stakes taken: \$4\d{3}\.00, at most \$5\d{3}\.00 if 80\.0 % are explained$/m);
    expect(fitted.stdout).toMatch(/^best constant +0\.2222 /m);
    const model = JSON.parse(readFileSync(out, 'utf8')) as object;
    expect(model).toMatchObject({ fillModel: 1, horizonMs: 100, lean: 0.5 });
    const json = await command(['fit-fills', labelled(240), '--out', out, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 1, offers: { known: 240, taken: 80 }, model });

    const tape = join(folder(), 'tape.ndjson.gz');
    writeGeneratedTape(tape, 20);
    const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
    const results = folder();
    const played = await command([
      ...['backtest', config, '--tape', tape, '--out', results, '--fills', 'calibrated', '--fill-model', out],
    ]);
    expect([played.code, played.stderr]).toEqual([0, '']);
    const { inputs } = JSON.parse(readFileSync(join(results, 'result.json'), 'utf8')) as { inputs: object };
    expect(inputs).toMatchObject({
      calibratedShare: null,
      fillModel: { name: 'fitted on 240 offers', file: out, lean: 0.5, horizonMs: 100 },
    });
  });

  it('refuses too few known offers, and says how many there are', async () => {
    const ended = await command(['fit-fills', labelled(60), '--out', join(folder(), 'fills.json')]);
    expect(ended.code).toBe(65);
    expect(ended.stderr).toContain(
      'of 60 offers that vanished, 20 are known to be taken and 40 to be cancelled: a model takes 50 of each',
    );
  });

  it('reports that it cannot write its file', async () => {
    const ended = await command(['fit-fills', labelled(240), '--out', join(folder(), 'none', 'fills.json')]);
    expect(ended.code).toBe(78);
    expect(ended.stderr).toContain('fills.json');
  });
});

it.each([
  ['rubbish', 'no fill model', /fill\.json: no fill model as fit-fills writes it: Unexpected token/],
  ['another version', '{"fillModel": 2}', /fill\.json: no fill model.*fillModel/],
  [
    'an unknown figure',
    '{"fillModel":1,"name":"x","horizonMs":100,"bias":0,"lean":0.5,"features":[{"name":"moon","mean":0,"deviation":1,"weight":1}]}',
    /features\.0\.name/,
  ],
])('oddsmaker backtest refuses %s as --fill-model', async (_what, text, problem) => {
  const file = join(folder(), 'fill.json');
  writeFileSync(file, text);
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const ended = await command(['backtest', config, '--tape', 'x.ndjson', '--out', folder(), '--fill-model', file]);
  expect(ended.code).toBe(65);
  expect(ended.stderr).toMatch(problem);
});
