// Sweep and workers as separate processes that do not fit each other: another version, or a TLS port of
// Redis.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_OPENSSL, makeCertificates } from '../support/certificates.ts';
import type { Certificate } from '../support/certificates.ts';
import { closedPort, command, folder, ROOT, run, start, startBin, writeConfig } from '../support/children.ts';
import { writeGameDays } from '../support/game-days.ts';
import { HAS_REDIS, TestRedis } from '../support/redis.ts';
import { BOT, bytesOf } from './fixtures.ts';

let tapes = '';
let config = '';
let keyFile = '';
/** The output files of the same sweep in threads of one process. */
let local: Readonly<Record<string, string>>;

const sweepArgs = (out: string, ...flags: readonly string[]): readonly string[] => [
  ...['sweep', config, '--tape', tapes, '--out', out, '--param', 'main.edge=0.01,0.02,0.03'],
  // played in two rounds: first the runs that choose, then those that judge
  ...['--objective', 'quoting.atBest', '--holdout', '0.5', '--gap', '0', '--signal-latency', '250ms'],
  ...flags,
];
const workerArgs = (url: string): readonly string[] => ['worker', '--redis', url, '--key', keyFile];

beforeAll(async () => {
  if (!HAS_REDIS) return;
  const made = folder();
  tapes = writeGameDays(made, 2, 1, 14);
  config = writeConfig(BOT, made);
  keyFile = join(made, 'sweep.key');
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  const out = join(made, 'local');
  const ended = await command(sweepArgs(out));
  expect(ended.code, ended.stderr).toBe(0);
  local = bytesOf(out);
});

/** A copy of this code with another version, as on a machine that was not updated. */
function checkoutOf(version: string): string {
  const root = folder();
  for (const name of ['bin', 'src']) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object;
  writeFileSync(join(root, 'package.json'), JSON.stringify({ ...manifest, version }));
  return join(root, 'bin/oddsmaker.js');
}

describe.skipIf(!HAS_REDIS)('a sweep worker of another version', () => {
  it('takes no points: worker and sweep name both versions, and a worker of the right version plays the sweep', async () => {
    await using redis = await TestRedis.start();
    const other = startBin(checkoutOf('9.9.9'), workerArgs(redis.url));
    await other.prints('stderr', /worker \S+ of version 9\.9\.9\+[0-9a-f]{12} waits for points/);
    const out = join(folder(), 'far');
    const sweep = start(sweepArgs(out, '--redis', redis.url, '--key', keyFile));
    const both = String.raw`the sweep is of version \d+\.\d+\.\d+\+[0-9a-f]{12}, the worker of 9\.9\.9\+[0-9a-f]{12}: both must be the same`;
    await other.prints('stderr', new RegExp(`sweep [0-9a-f]{12} \\(bot\\.yaml\\) is refused: ${both}\\n`));
    await sweep.prints('stderr', new RegExp(`worker \\S+:${other.child.pid} takes no point of this sweep: ${both}\\n`));
    const shown = await command(['sweep', '--status', '--redis', redis.url]);
    expect(shown.stdout).toMatch(new RegExp(`takes no point of sweep [0-9a-f]{12}: ${both}`));
    const matching = start([...workerArgs(redis.url), '--threads', '1'], { XDG_CACHE_HOME: folder() });
    const ended = await sweep.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(bytesOf(out)).toEqual(local);
    for (const { child } of [other, matching]) child.kill('SIGTERM');
    expect([(await other.ended).code, (await matching.ended).code]).toEqual([0, 0]);
    // reported once, however often the worker polled
    expect(other.output.stderr.match(/is refused/g)).toHaveLength(1);
  });
});

describe.skipIf(!HAS_REDIS || !HAS_OPENSSL)('a Redis over TLS', () => {
  let ca = '';
  let certificates: Readonly<Record<'here' | 'elsewhere', Certificate>>;
  beforeAll(() => {
    const made = join(folder(), 'certificates');
    mkdirSync(made);
    ({ ca, of: certificates } = makeCertificates(made, {
      here: 'IP:127.0.0.1,DNS:localhost',
      elsewhere: 'DNS:redis.example',
    }));
  });

  async function serverOf(name: 'here' | 'elsewhere', ...flags: readonly string[]) {
    const { cert, key } = certificates[name];
    const port = await closedPort();
    const redis = await TestRedis.start([
      ...['--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key],
      ...['--tls-ca-cert-file', ca, '--tls-auth-clients', 'no', ...flags],
    ]);
    return { redis, port, [Symbol.asyncDispose]: () => redis.end() };
  }
  const status = (url: string, env: Readonly<Record<string, string>> = { NODE_EXTRA_CA_CERTS: ca }) =>
    run(['sweep', '--status', '--redis', url, '--wait', '2s'], env);

  it('gives the same bytes as a local sweep when its certificate authority is known', async () => {
    await using here = await serverOf('here', '--requirepass', 'right');
    const { port } = here;
    const url = `rediss://:right@localhost:${port}`;
    const env = { NODE_EXTRA_CA_CERTS: ca };
    const worker = start([...workerArgs(url), '--threads', '1'], { ...env, XDG_CACHE_HOME: folder() });
    const out = join(folder(), 'far');
    const ended = await run(sweepArgs(out, '--redis', url, '--key', keyFile), env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(bytesOf(out)).toEqual(local);
    worker.child.kill('SIGTERM');
    const { code, stderr } = await worker.ended;
    expect(code).toBe(0);
    expect(stderr).toContain(`waits for points at rediss://localhost:${port}\n`);
    expect(stderr + ended.stderr).not.toContain('right@');
  });

  it('is refused at once when its certificate is not trusted or is of another host', async () => {
    await using here = await serverOf('here');
    await using elsewhere = await serverOf('elsewhere');
    const began = performance.now();
    const untrusted = await status(`rediss://127.0.0.1:${here.port}`, {});
    expect(untrusted.stderr).toMatch(
      /^oddsmaker: Redis at rediss:\/\/127\.0\.0\.1:\d+ presents a certificate that is not trusted \(self-signed certificate in certificate chain\): set NODE_EXTRA_CA_CERTS to the file of its CA\n$/,
    );
    const other = await status(`rediss://127.0.0.1:${elsewhere.port}`);
    expect(other.stderr).toMatch(
      /^oddsmaker: Redis at \S+ presents the certificate of another host \(.*IP: 127\.0\.0\.1 is not in the cert's list.*\): use the host name of the certificate in --redis\n$/,
    );
    expect([untrusted.code, other.code]).toEqual([77, 77]);
    // waiting would not help
    const worker = await run([...workerArgs(`rediss://127.0.0.1:${here.port}`), '--wait', '60s'], {});
    expect([worker.code, worker.stderr]).toEqual([77, untrusted.stderr]);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('refuses a wrong password; a hint names the right URL scheme when TLS and plain ports are mixed up', async () => {
    await using here = await serverOf('here', '--requirepass', 'right');
    const { redis, port } = here;
    const denied = await status(`rediss://:wrong@127.0.0.1:${port}`);
    expect(denied.stderr).toMatch(/^oddsmaker: Redis at rediss:\/\/127\.0\.0\.1:\d+ refuses: WRONGPASS /);
    const toPlain = await status(`rediss://:right@127.0.0.1:${redis.port}`);
    expect(toPlain.stderr).toMatch(
      /^oddsmaker: Redis at rediss:\S+ has not answered for 2 s \(.*; use redis:\/\/ for a port without TLS/,
    );
    const toTls = await status(`redis://:right@127.0.0.1:${port}`);
    expect(toTls.stderr).toMatch(
      /^oddsmaker: Redis at redis:\S+ has not answered for 2 s \(.*; use rediss:\/\/ for a TLS port\)\n$/,
    );
    expect([denied.code, toPlain.code, toTls.code]).toEqual([77, 75, 75]);
  });
});
