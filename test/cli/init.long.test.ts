import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BIN } from '../support/children.ts';
import { building } from '../support/own-build.ts';

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

describe('oddsmaker init', () => {
  it('creates a workspace that depends on a copy of the package in it, and says what comes next', async () => {
    const { code, stdout } = await building(() => oddsmaker(root, ['init', 'My Workspace!']));
    expect(code).toBe(0);
    expect(stdout).toContain("cd 'My Workspace!'\n  npm install\n  npm start");
    const workspace = join(root, 'My Workspace!');
    expect(readdirSync(workspace).sort()).toEqual(
      ['.env.example', '.gitignore', 'README.md', 'config', 'package.json', 'strategies', 'tsconfig.json'].concat(
        'vendor',
      ),
    );
    const manifest = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(manifest.name).toBe('my-workspace');
    const packed = manifest.dependencies['oddsmaker'] ?? '';
    expect(packed).toMatch(/^file:vendor\/oddsmaker-.*\.tgz$/);
    expect(existsSync(join(workspace, packed.slice('file:'.length)))).toBe(true);
    expect(readFileSync(join(workspace, '.gitignore'), 'utf8')).toContain('.env\n');
    // the configuration for paper trading runs as it is; the live one names what is missing
    const paper = oddsmaker(workspace, ['check', 'config/paper.yaml']);
    expect(paper.stdout).toContain('config/paper.yaml is good.');
    const live = oddsmaker(workspace, ['check', 'config/live.yaml']);
    expect([live.code, live.stderr]).toEqual([
      78,
      expect.stringContaining('the environment variable ODDSMAKER_USERNAME is not set'),
    ]);
    const secrets = { ODDSMAKER_USERNAME: 'u', ODDSMAKER_PASSWORD: 'p', ODDSMAKER_OPS_TOKEN: 't' };
    const filledIn = oddsmaker(workspace, ['check', 'config/live.yaml'], secrets);
    // it warns only that no guard watches the account and that no alerts are configured
    expect([filledIn.code, filledIn.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^oddsmaker: warning: config\/live\.yaml.*no guard.*\noddsmaker: warning: config\/live\.yaml.*no alerts are sent.*\n$/,
      ),
    ]);
    expect(filledIn.stdout).not.toContain('needs more');
  });

  it('writes nothing into a folder that is not empty', () => {
    const workspace = join(root, 'taken');
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'mine.txt'), 'mine');
    const { code, stderr } = oddsmaker(root, ['init', 'taken']);
    expect([code, stderr]).toEqual([2, 'oddsmaker: taken is not empty: it has mine.txt\n']);
    expect(readdirSync(workspace)).toEqual(['mine.txt']);
  });

  it.each([
    ['a folder that did not exist', 'gone', false],
    ['a folder that was empty', 'empty', true],
  ])('leaves nothing half-written in %s when npm is missing', (_what, name, isThere) => {
    const workspace = join(root, name);
    if (isThere) mkdirSync(workspace);
    const { code, stderr } = oddsmaker(root, ['init', name], { PATH: root });
    expect([code, stderr]).toEqual([75, 'oddsmaker: the package could not be packed: npm is not installed\n']);
    expect(existsSync(workspace) ? readdirSync(workspace) : []).toEqual([]);
    expect(existsSync(workspace)).toBe(isThere);
  });
});

describe('oddsmaker new strategy', () => {
  const workspace = join(root, 'workspace');

  it('writes a strategy with its test, and does not overwrite them', () => {
    const { code, stdout } = oddsmaker(workspace, ['new', 'strategy', 'fade-2']);
    expect(code).toBe(0);
    expect(stdout).toContain('{ use: ../strategies/fade-2.ts, id: fade-2,');
    expect(readFileSync(join(workspace, 'strategies/fade-2.ts'), 'utf8')).toContain("name: 'fade-2'");
    expect(readFileSync(join(workspace, 'strategies/fade-2.test.ts'), 'utf8')).toContain("from './fade-2.ts'");
    const again = oddsmaker(workspace, ['new', 'strategy', 'fade-2']);
    expect([again.code, again.stderr]).toEqual([2, 'oddsmaker: strategies/fade-2.ts is there already\n']);
  });

  it.each(['../up', 'Fade', '2-fade', 'a--b', '', 'a.ts'])('refuses the name %j', (name) => {
    const { code, stderr } = oddsmaker(workspace, ['new', 'strategy', name]);
    expect(code).toBe(2);
    expect(stderr).toContain('is no name: small letters, digits and dashes');
  });

  it('is the only kind of oddsmaker new', () => {
    const { code, stderr } = oddsmaker(workspace, ['new', 'model', 'x']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('`new model` is not known')]);
  });
});
