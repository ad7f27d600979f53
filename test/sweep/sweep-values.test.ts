// Values of --param that are equal or invalid: they are refused before a tape is read.
import { describe, expect, it } from 'vitest';
import { command, folder, writeConfig } from '../support/children.ts';
import { BOT } from './fixtures.ts';

describe('the flag --param of a sweep', () => {
  it.each([
    ['main.edge=0.01:1e999', 'a number of the range is too large'],
    ['main.edge=-1e308:1e308', 'the range from -1e+308 to 1e+308 is too wide'],
    ['main.edge=.inf,0.01', '.inf is not a finite number'],
    ['main.edge=0.01,.nan', '.nan is not a finite number'],
    ['main.edge=-0,0', '-0 and 0 are the same value'],
    ['main.edge=1:1.0000000000000002', '1 is given twice'],
  ])('refuses %s as a wrong command line', async (param, problem) => {
    const config = writeConfig(BOT, folder());
    const out = ['--out', `${folder()}/out`, '--tape', '/nowhere'];
    const ended = await command(['sweep', config, ...out, `--param=${param}`]);
    expect(ended.stderr).toContain(problem);
    expect(ended.code).toBe(2);
  });
});
