// A bad configuration ends with 78, before anything is started or sent, and says where to look.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, folder, NO_JOURNAL, run, STRATEGIES, TWO_SIDED, writeConfig } from '../support/children.ts';

const EMBEDDED = 'exchange: { embedded: {} }\n';

describe.each(['run', 'check'])('%s', (name) => {
  it.each<[string, string, string, RegExp]>([
    ['an unknown key', `${EMBEDDED}${STRATEGIES}riks: {}\n`, ':4:1: ', /riks: unknown key/],
    ['a wrong value', `${EMBEDDED}${STRATEGIES}onExit: now\n`, ':4:9: ', /onExit: .*"cancel"/],
    ['what is not YAML', `${EMBEDDED}${STRATEGIES}risk: [\n`, ':5:1: ', /not YAML/],
    ['an alias to nothing', `${EMBEDDED}${STRATEGIES}risk: *limits\n`, ':4:7: ', /limits/],
    ['a missing variable', `${EMBEDDED}${STRATEGIES}ops: { token: "\${NOT_SET_HERE}" }\n`, ':4:15: ', /NOT_SET_HERE/],
    [
      'a reserve above the window',
      `${EMBEDDED}${STRATEGIES}orders: { reserve: 25 }\n`,
      ':4:20: ',
      /orders\.reserve: expected less than .*\(25\), received 25/,
    ],
  ])('refuses %s with its place', async (_what, yaml, place, says) => {
    const file = writeConfig(yaml);
    const { code, stdout, stderr } = await command([name, file]);
    expect(stderr).toContain(`${file}${place}`);
    expect(stderr).toMatch(says);
    expect(stdout).toBe('');
    expect(code).toBe(78);
  });

  it('refuses a file that is not there', async () => {
    const file = join(folder(), 'none.yaml');
    const { code, stderr } = await run([name, file]);
    expect(code).toBe(78);
    expect(stderr).toContain(file);
  });

  it('refuses a strategy that is not there, naming the place and the file', async () => {
    const home = folder();
    const file = writeConfig(`${EMBEDDED}strategies:\n  - { use: ./none.ts, id: main }\n`, home);
    const { code, stderr } = await command([name, file]);
    expect(code).toBe(78);
    expect(stderr).toContain(`${file}:3:12: strategies.0.use: `);
    expect(stderr).toContain(join(home, 'none.ts'));
  });

  it('refuses a strategy that does not load, naming the place and the file', async () => {
    const home = folder();
    writeFileSync(join(home, 'own.ts'), "throw new Error('not today');\n");
    const file = writeConfig(`${EMBEDDED}strategies:\n  - { use: ./own.ts, id: main }\n`, home);
    const { code, stderr } = await command([name, file]);
    expect(code).toBe(78);
    expect(stderr).toContain(`${file}:3:12: strategies.0.use: `);
    expect(stderr).toContain(`${join(home, 'own.ts')} does not load: not today`);
  });

  it('refuses parameters out of range, unknown and missing, naming the place and the file', async () => {
    const yaml = `${EMBEDDED}strategies:\n  - use: ${TWO_SIDED}\n    id: main\n    params:\n      edge: 2\n      egde: 1\n`;
    const file = writeConfig(yaml);
    const { code, stderr } = await command([name, file]);
    expect(code).toBe(78);
    const [edge = '', ...more] = stderr.replace('oddsmaker: ', '').trim().split('\n');
    expect(edge).toContain(`${file}:6:13: strategies.0.params.edge: `);
    expect(edge).toContain('0.2');
    expect(edge).toContain(TWO_SIDED);
    expect(more.join('\n')).toMatch(/strategies\.0\.params\.risk: .*two-sided/);
    expect(more.join('\n')).toMatch(/:7:\d+: strategies\.0\.params\.egde: unknown parameter/);
  });
});

describe('what check accepts for the embedded exchange, run accepts', () => {
  it.each([
    ['a seed', 'exchange: { embedded: { seed: 4294967296 } }'],
    ['a username that the paper exchange keeps for itself', 'exchange: { embedded: {}, username: tape }'],
    ['a username with a space', 'exchange: { embedded: {}, username: "a b" }'],
    ['a password with a colon', 'exchange: { embedded: {}, password: "s3cret:7" }'],
    ['a password with colons', 'exchange: { embedded: {}, password: "s3cret:x:y:z" }'],
  ])('or both refuse it: %s', async (_what, exchange) => {
    const file = writeConfig(`${exchange}\n${STRATEGIES}${NO_JOURNAL}`);
    const checked = await command(['check', file]);
    const ran = await run(['run', file, '--for', '500ms', '--json']);
    expect(ran.stderr).not.toContain('s3cret');
    expect([0, 78]).toContain(checked.code);
    expect(ran.code, ran.stderr).toBe(checked.code);
  });
});
