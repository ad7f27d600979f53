// A bad configuration ends with 78 before anything is started or sent, and names its place.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, run, STRATEGIES, TWO_SIDED, writeConfig } from '../support/children.ts';

const EMBEDDED = 'exchange: { embedded: {} }\n';

describe.each(['run', 'check'])('oddsmaker %s', (name) => {
  it.each<[string, string, string, RegExp]>([
    ['an unknown key', `${EMBEDDED}${STRATEGIES}riks: {}\n`, ':4:1: ', /riks: unknown key/],
    ['a wrong value', `${EMBEDDED}${STRATEGIES}onExit: now\n`, ':4:9: ', /onExit: .*"cancel"/],
    ['a text that is not YAML', `${EMBEDDED}${STRATEGIES}risk: [\n`, ':5:1: ', /not YAML/],
    ['an alias to nothing', `${EMBEDDED}${STRATEGIES}risk: *limits\n`, ':4:7: ', /limits/],
    ['a missing variable', `${EMBEDDED}${STRATEGIES}ops: { token: "\${NOT_SET_HERE}" }\n`, ':4:15: ', /NOT_SET_HERE/],
    [
      'a reserve above the window',
      `${EMBEDDED}${STRATEGIES}orders: { reserve: 25 }\n`,
      ':4:20: ',
      /orders\.reserve: expected less than .*\(25\), received 25/,
    ],
  ])('refuses a configuration with %s, with its place', async (_what, yaml, place, says) => {
    const file = writeConfig(yaml);
    const { code, stdout, stderr } = await command([name, file]);
    expect(stderr).toContain(`${file}${place}`);
    expect(stderr).toMatch(says);
    expect(stdout).toBe('');
    expect(code).toBe(78);
  });

  it('refuses a missing file', async () => {
    const file = join(folder(), 'none.yaml');
    const { code, stderr } = await run([name, file]);
    expect(code).toBe(78);
    expect(stderr).toContain(file);
  });

  it('refuses a missing strategy file, and names the place and the file', async () => {
    const home = folder();
    const file = writeConfig(`${EMBEDDED}strategies:\n  - { use: ./none.ts, id: main }\n`, home);
    const { code, stderr } = await command([name, file]);
    expect(code).toBe(78);
    expect(stderr).toContain(`${file}:3:12: strategies.0.use: `);
    expect(stderr).toContain(join(home, 'none.ts'));
  });

  it('refuses a strategy file that does not load, and names the place and the file', async () => {
    const home = folder();
    writeFileSync(join(home, 'own.ts'), "throw new Error('not today');\n");
    const file = writeConfig(`${EMBEDDED}strategies:\n  - { use: ./own.ts, id: main }\n`, home);
    const { code, stderr } = await command([name, file]);
    expect(code).toBe(78);
    expect(stderr).toContain(`${file}:3:12: strategies.0.use: `);
    expect(stderr).toContain(`${join(home, 'own.ts')} does not load: not today`);
  });

  it('refuses parameters out of range, unknown and missing, and names the place and the file', async () => {
    const yaml = `${EMBEDDED}strategies:\n  - use: ${TWO_SIDED}\n    id: main\n    params:\n      edge: 2\n      egde: 1\n`;
    const file = writeConfig(yaml);
    const { code, stderr } = await command([name, file]);
    expect(code).toBe(78);
    const [edge = '', ...rest] = stderr.replace('oddsmaker: ', '').trim().split('\n');
    expect(edge).toContain(`${file}:6:13: strategies.0.params.edge: `);
    expect(edge).toContain('0.2');
    expect(edge).toContain(TWO_SIDED);
    expect(rest.join('\n')).toMatch(/strategies\.0\.params\.risk: .*two-sided/);
    expect(rest.join('\n')).toMatch(/:7:\d+: strategies\.0\.params\.egde: unknown parameter/);
  });
});

describe('oddsmaker check and oddsmaker run', () => {
  it.each([
    ['a seed', 'exchange: { embedded: { seed: 4294967296 } }'],
    ['a username that the paper exchange reserves', 'exchange: { embedded: {}, username: tape }'],
    ['a username with a space', 'exchange: { embedded: {}, username: "a b" }'],
    ['a password with a colon', 'exchange: { embedded: {}, password: "s3cret:7" }'],
    ['a password with colons', 'exchange: { embedded: {}, password: "s3cret:x:y:z" }'],
  ])('both accept or both refuse %s for the embedded exchange', async (_what, exchange) => {
    const file = writeConfig(`${exchange}\n${STRATEGIES}${NO_JOURNAL}`);
    const checked = await command(['check', file]);
    const ran = await run(['run', file, '--for', '500ms', '--json']);
    expect(ran.stderr).not.toContain('s3cret');
    expect([0, 78]).toContain(checked.code);
    expect(ran.code, ran.stderr).toBe(checked.code);
  });
});
