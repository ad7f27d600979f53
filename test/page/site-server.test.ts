// The server of the documentation, which `oddsmaker docs` starts: it serves the files of the site by GET, and
// nothing else.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSiteServer, readPageFiles } from '../../src/page/server/index.ts';
import { command, ROOT, startBin } from '../support/children.ts';

let folder: string;
let server: Awaited<ReturnType<typeof openSiteServer>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'site-'));
  mkdirSync(join(folder, 'dist/site/run'), { recursive: true });
  writeFileSync(join(folder, 'dist/site/index.html'), '<h1>Documentation</h1>');
  writeFileSync(join(folder, 'dist/site/run/configure.html'), '<h1>Configure</h1>');
  writeFileSync(join(folder, 'dist/secret.html'), 'not of the site');
  server = await openSiteServer(0, readPageFiles(join(folder, 'dist/site')));
});
afterAll(async () => {
  await server.app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The answer to a request sent as it is written: `fetch` would normalize its path. */
async function raw(request: string): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.end(`${request}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

describe('the documentation server', () => {
  it('serves pages on the loopback address only', async () => {
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    expect(await (await fetch(server.url)).text()).toContain('Documentation');
    expect(await (await fetch(`${server.url}/run/configure.html`)).text()).toContain('Configure');
  });

  it('sends a policy that allows no inline script', async () => {
    const { headers } = await fetch(server.url);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/script-src|default-src[^;]*unsafe/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('refuses a foreign Host', async () => {
    const answer = await raw('GET / HTTP/1.1\r\nHost: foreign.example');
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain('FOREIGN_HOST');
    expect(answer).not.toContain('Documentation');
    expect(await raw('GET / HTTP/1.1\r\nHost: localhost')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('refuses %s', async (method) => {
    for (const path of ['/', '/run/configure.html', '/nothing']) {
      const answer = await fetch(`${server.url}${path}`, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET');
    }
  });

  it.each(['/run', '/run/', '/run/index.html', '/assets/'])('does not list folders: %s', async (path) => {
    const answer = await fetch(`${server.url}${path}`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('configure');
  });

  it.each([
    '/../secret.html',
    '/run/../../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '/..\\secret.html',
  ])('serves no file outside the site: %s', async (path) => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: localhost`);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(answer).not.toContain('not of the site');
  });
});

describe('oddsmaker docs', () => {
  it('explains its flags, exit codes and examples in --help', async () => {
    const { code, stdout } = await command(['docs', '--help']);
    expect(code).toBe(0);
    for (const part of ['--port', 'Exit:', '65', '75', 'Examples:', 'oddsmaker docs']) expect(stdout).toContain(part);
  });

  it('serves the built site until Ctrl-C, or says how to build the site when it is missing', async () => {
    const root = join(folder, 'checkout');
    for (const part of ['bin', 'src', 'package.json']) cpSync(join(ROOT, part), join(root, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    const bin = join(root, 'bin/oddsmaker.js');
    const { code, stdout, stderr } = await startBin(bin, ['docs']).ended;
    expect([code, stdout]).toEqual([65, '']);
    expect(stderr).toBe('oddsmaker: the site is not built: run `npm run site` in the checkout\n');

    cpSync(join(folder, 'dist/site'), join(root, 'dist/site'), { recursive: true });
    const running = startBin(bin, ['docs']);
    const url = (await running.prints('stdout', /\n/)).trim();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${url}/run/configure.html`)).text()).toContain('Configure');
    const second = await startBin(bin, ['docs', '--port', new URL(url).port]).ended;
    expect(second.code).toBe(75);
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });
});
