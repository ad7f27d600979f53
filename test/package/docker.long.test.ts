// The Dockerfile: linted, and its steps run in clean folders, which needs no container engine. What an image
// adds to them (its base, its user) is not tested.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../guard/fixtures.ts';
import { closedPort, ROOT, writeConfig } from '../support/children.ts';
import { shellEnv } from '../support/typed.ts';

const FILE = join(ROOT, 'ops/docker/Dockerfile');
const text = readFileSync(FILE, 'utf8');
const lines = text
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .map((line) => line.trim().replace(/\s+/g, ' '))
  .filter((line) => line !== '');

let root: string;
/** The local path of a path in the image. */
const here = (path: string): string => join(root, path);
const moved = (command: string): string => command.replace(/(?<= )\/tmp(?=\/| |$)/g, here('tmp'));

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'oddsmaker-image-'));
  mkdirSync(here('tmp'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The files that the ignore file lets through. */
function sent(): readonly string[] {
  const rules = readFileSync(join(ROOT, 'ops/docker/Dockerfile.dockerignore'), 'utf8').trim().split('\n');
  expect(rules[0]).toBe('*');
  return rules.slice(1).map((rule) => rule.replace(/^!/, ''));
}

describe('ops/docker', () => {
  it('has a Dockerfile without linter problems, of two stages, an unprivileged user and a health check', () => {
    expect(validate(text)).toEqual([]);
    expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(last).toContain('USER node');
    expect(last.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
  });

  it('has a compose file with the expected services, whose mounted files exist', () => {
    const compose = parse(readFileSync(join(ROOT, 'ops/docker/compose.yaml'), 'utf8'), { merge: true }) as {
      readonly services: Readonly<
        Record<
          string,
          {
            readonly volumes?: readonly string[];
            readonly pid?: string;
            readonly hostname?: string;
            readonly restart?: string;
          }
        >
      >;
    };
    expect(Object.keys(compose.services)).toEqual(['bot', 'guard', 'prometheus', 'alertmanager', 'grafana']);
    for (const { volumes = [] } of Object.values(compose.services))
      for (const [source = ''] of volumes.map((volume) => volume.split(':')))
        if (source.startsWith('.') && !['./config', './strategies'].includes(source))
          expect(existsSync(join(ROOT, 'ops/docker', source)), source).toBe(true);
    for (const [name, { restart }] of Object.entries(compose.services))
      expect([name, restart]).toEqual([name, 'unless-stopped']);
    const { bot, guard } = compose.services;
    expect([bot?.pid, bot?.hostname]).toEqual([guard?.pid, guard?.hostname]);
  });

  it('has Dockerfile steps that build, install and run the package, with a health check that works', async () => {
    let workdir = root;
    for (const line of lines) {
      const [instruction, rest] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
      if (instruction === 'WORKDIR') {
        workdir = here(rest);
        mkdirSync(workdir, { recursive: true });
      } else if (instruction === 'COPY' && rest.startsWith('--from=build')) {
        expect(globSync(here('tmp/oddsmaker-*.tgz'))).toHaveLength(1);
      } else if (instruction === 'COPY') {
        const names = rest === '. .' ? sent() : rest.split(' ').slice(0, -1);
        for (const name of names) cpSync(join(ROOT, name), join(workdir, name), { recursive: true });
      } else if (instruction === 'RUN') {
        // this machine has no such user
        const command = moved(rest).replace('chown node:node data', 'true');
        execFileSync('sh', ['-ec', command], {
          cwd: workdir,
          env: shellEnv(here('cache')),
          stdio: 'pipe',
        });
      }
    }
    const workspace = here('desk');
    const bin = join(workspace, 'node_modules/oddsmaker/bin/oddsmaker.js');
    expect(existsSync(join(workspace, 'node_modules/oddsmaker/dist/web/index.html'))).toBe(true);
    expect(existsSync(join(workspace, 'node_modules/oddsmaker/ops/systemd/after-end'))).toBe(true);
    const entry = lines.find((line) => line.startsWith('ENTRYPOINT ')) ?? '';
    const [, script = ''] = JSON.parse(entry.slice('ENTRYPOINT '.length)) as string[];
    expect(existsSync(join(workspace, script))).toBe(true);
    expect(globSync(join(workspace, 'node_modules/node-{bin,linux,darwin,win}-*'))).toEqual([]);
    const version = execFileSync(process.execPath, [bin, '--version'], { encoding: 'utf8' });
    expect(version).toMatch(/^\d+\.\d+\.\d+/);

    // the health check passes only while the bot runs
    const port = await closedPort();
    // an image has the strategies mounted
    cpSync(join(ROOT, 'strategies'), join(workspace, 'strategies'), { recursive: true });
    const config = writeConfig(
      [
        'exchange: { embedded: { games: 2 } }',
        `ops: { port: ${port} }`,
        `strategies: [{ use: ./strategies/two-sided.ts, id: main, params: { edge: 0.02, risk: 50 } }]`,
        '',
      ].join('\n'),
      workspace,
    );
    const [, check = ''] =
      /^HEALTHCHECK .*? CMD (\[.*\])$/.exec(lines.find((line) => line.startsWith('HEALTHCHECK')) ?? '') ?? [];
    const [, ...args] = (JSON.parse(check) as string[]).map((arg) => arg.replace('9464', String(port)));
    const isHealthy = (): boolean => {
      try {
        execFileSync(process.execPath, args, { stdio: 'pipe' });
        return true;
      } catch {
        return false;
      }
    };
    expect(isHealthy()).toBe(false);
    const bot = spawn(process.execPath, [bin, 'run', config], { cwd: workspace, stdio: 'ignore' });
    const ended = once(bot, 'exit');
    await eventually('the bot is healthy', isHealthy, 30_000);
    // a bot that is stopped before its login could not know what is open
    const isQuoting = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/ready`)).ok;
    await eventually('the bot quotes', isQuoting, 30_000);
    bot.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(isHealthy()).toBe(false);
  }, 300_000);
});
