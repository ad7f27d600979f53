// `fit-fills`, and the file that it writes as a backtest reads it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import type { Row } from '../backtest/made-tape.ts';
import { MadeTape } from '../backtest/made-tape.ts';

/** Offers come and go at the top of a side, one a second; every third was taken, and is shown with nothing left. */
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

describe('fit-fills', () => {
  it('fits on what is shown as taken, scores it on held-out blocks, and a backtest goes by it', async () => {
    const out = join(folder(), 'fills.json');
    const told = await command(['fit-fills', labelled(240), '--out', out, '--explained', '0.8']);
    expect([told.code, told.stderr]).toEqual([0, '']);
    expect(told.stdout).toMatch(/^240 vanished offers are known, 33\.3 % of them taken; 0 are not known$/m);
    expect(told.stdout).toMatch(/^stakes taken: \$4\d{3}\.00, at most \$5\d{3}\.00 if 80\.0 % are explained$/m);
    expect(told.stdout).toMatch(/^best constant +0\.2222 /m);
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

  it('of too few that are known says how many there are', async () => {
    const told = await command(['fit-fills', labelled(60), '--out', join(folder(), 'fills.json')]);
    expect(told.code).toBe(65);
    expect(told.stderr).toContain(
      'of 60 offers that vanished, 20 are known to be taken and 40 to be cancelled: a model takes 50 of each',
    );
  });

  it('that cannot write its file says so', async () => {
    const told = await command(['fit-fills', labelled(240), '--out', join(folder(), 'none', 'fills.json')]);
    expect(told.code).toBe(78);
    expect(told.stderr).toContain('fills.json');
  });
});

it.each([
  ['rubbish', 'no fill model', /fill\.json: no fill model as fit-fills writes it: Unexpected token/],
  ['another', '{"fillModel": 2}', /fill\.json: no fill model.*fillModel/],
  [
    'an unknown figure',
    '{"fillModel":1,"name":"x","horizonMs":100,"bias":0,"lean":0.5,"features":[{"name":"moon","mean":0,"deviation":1,"weight":1}]}',
    /features\.0\.name/,
  ],
])('--fill-model of %s is refused', async (_what, text, problem) => {
  const file = join(folder(), 'fill.json');
  writeFileSync(file, text);
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const told = await command(['backtest', config, '--tape', 'x.ndjson', '--out', folder(), '--fill-model', file]);
  expect(told.code).toBe(65);
  expect(told.stderr).toMatch(problem);
});
