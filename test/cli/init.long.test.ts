import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BIN } from '../support/children.ts';

const root = mkdtempSync(join(tmpdir(), 'oddsmaker-init-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function oddsmaker(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  mkdirSync(cwd, { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { code: status, stdout, stderr };
}

describe('init', () => {
  it('makes a desk that depends on a copy of the package in it, and says what comes next', () => {
    const { code, stdout } = oddsmaker(root, ['init', 'My Desk!']);
    expect(code).toBe(0);
    expect(stdout).toContain("cd 'My Desk!'\n  npm install\n  npm start");
    const desk = join(root, 'My Desk!');
    expect(readdirSync(desk).sort()).toEqual(
      ['.env.example', '.gitignore', 'README.md', 'config', 'package.json', 'strategies', 'tsconfig.json'].concat(
        'vendor',
      ),
    );
    const manifest = JSON.parse(readFileSync(join(desk, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(manifest.name).toBe('my-desk');
    const ours = manifest.dependencies['oddsmaker'] ?? '';
    expect(ours).toMatch(/^file:vendor\/oddsmaker-.*\.tgz$/);
    expect(existsSync(join(desk, ours.slice('file:'.length)))).toBe(true);
    expect(readFileSync(join(desk, '.gitignore'), 'utf8')).toContain('.env\n');
    // the configuration for paper runs as it is; the other one says what is missing
    const paper = oddsmaker(desk, ['check', 'config/paper.yaml']);
    expect(paper.stdout).toContain('config/paper.yaml is good.');
    const live = oddsmaker(desk, ['check', 'config/live.yaml']);
    expect([live.code, live.stderr]).toEqual([
      78,
      expect.stringContaining('the environment variable ODDSMAKER_USERNAME is not set'),
    ]);
    const secrets = { ODDSMAKER_USERNAME: 'u', ODDSMAKER_PASSWORD: 'p', ODDSMAKER_OPS_TOKEN: 't' };
    const filledIn = oddsmaker(desk, ['check', 'config/live.yaml'], secrets);
    // it says no more than that nobody watches it, and nobody is told
    expect([filledIn.code, filledIn.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^oddsmaker: warning: config\/live\.yaml.*no guard.*\noddsmaker: warning: config\/live\.yaml.*no alerts are sent.*\n$/,
      ),
    ]);
    expect(filledIn.stdout).not.toContain('needs more');
  });

  it('writes nothing where something is', () => {
    const desk = join(root, 'taken');
    mkdirSync(desk);
    writeFileSync(join(desk, 'mine.txt'), 'mine');
    const { code, stderr } = oddsmaker(root, ['init', 'taken']);
    expect([code, stderr]).toEqual([2, 'oddsmaker: taken is not empty: it has mine.txt\n']);
    expect(readdirSync(desk)).toEqual(['mine.txt']);
  });

  it.each([
    ['a folder that was not there', 'gone', false],
    ['a folder that was empty', 'empty', true],
  ])('leaves nothing half-written of %s when npm is missing', (_what, name, isThere) => {
    const desk = join(root, name);
    if (isThere) mkdirSync(desk);
    const { code, stderr } = oddsmaker(root, ['init', name], { PATH: root });
    expect([code, stderr]).toEqual([75, 'oddsmaker: the package could not be packed: npm is not installed\n']);
    expect(existsSync(desk) ? readdirSync(desk) : []).toEqual([]);
    expect(existsSync(desk)).toBe(isThere);
  });
});

describe('new strategy', () => {
  const desk = join(root, 'desk');

  it('writes a strategy with its test, once', () => {
    const { code, stdout } = oddsmaker(desk, ['new', 'strategy', 'fade-2']);
    expect(code).toBe(0);
    expect(stdout).toContain('{ use: ../strategies/fade-2.ts, id: fade-2,');
    expect(readFileSync(join(desk, 'strategies/fade-2.ts'), 'utf8')).toContain("name: 'fade-2'");
    expect(readFileSync(join(desk, 'strategies/fade-2.test.ts'), 'utf8')).toContain("from './fade-2.ts'");
    const again = oddsmaker(desk, ['new', 'strategy', 'fade-2']);
    expect([again.code, again.stderr]).toEqual([2, 'oddsmaker: strategies/fade-2.ts is there already\n']);
  });

  it.each(['../up', 'Fade', '2-fade', 'a--b', '', 'a.ts'])('takes no name like %j', (name) => {
    const { code, stderr } = oddsmaker(desk, ['new', 'strategy', name]);
    expect(code).toBe(2);
    expect(stderr).toContain('is no name: small letters, digits and dashes');
  });

  it('makes strategies and nothing else', () => {
    const { code, stderr } = oddsmaker(desk, ['new', 'model', 'x']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('`new model` is not known')]);
  });
});
