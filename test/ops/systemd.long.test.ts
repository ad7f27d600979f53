// The systemd units that ship, as systemd itself reads them; what a bot reports to a supervisor that waits
// for it; and what follows the end of a bot.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import {
  exchangeSection,
  folder,
  SHORT_WINDOWS,
  ROOT,
  run,
  start,
  startExchange,
  countsOf,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

const UNITS = join(ROOT, 'ops/systemd');

const workspace = async () => {
  const venue = await startExchange('--games', '2', '--account', 'alice:alice-pw');
  const config = writeConfig(
    [
      exchangeSection(venue.restUrl, venue.socketUrl).replace('"alice-pw"', '${PW}').trimEnd(),
      SHORT_WINDOWS,
      'risk: { resumeAfter: 250ms, maxDailyLoss: 100000 }',
      'journal: { dir: ./run }',
      'ops: { port: 0 }',
      STRATEGIES,
      'onExit: leave',
      '',
    ].join('\n'),
    folder(),
  );
  const env = join(dirname(config), 'live.env');
  writeFileSync(env, 'PW=alice-pw\n');
  const quotes = (): Promise<unknown> =>
    eventually('quotes rest', async () => (await countsOf(venue, 'alice')).openOrders > 0);
  return { venue, config, env, quotes, open: async () => (await countsOf(venue, 'alice')).openOrders };
};

describe('the systemd units', () => {
  it('are read by systemd without a message', () => {
    const unitFolder = folder();
    const opt = join(unitFolder, 'desk');
    mkdirSync(join(opt, 'node_modules'), { recursive: true });
    mkdirSync(join(opt, 'data'));
    symlinkSync(ROOT, join(opt, 'node_modules/oddsmaker'));
    const names = readdirSync(UNITS).filter((name) => name.endsWith('.service'));
    expect(names).toEqual(['oddsmaker-guard@.service', 'oddsmaker@.service']);
    for (const name of names)
      writeFileSync(
        join(unitFolder, name),
        readFileSync(join(UNITS, name), 'utf8').replaceAll('/opt/desk', opt).replaceAll('User=oddsmaker', 'User=root'),
      );
    const { status, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', ...names.map((name) => join(unitFolder, name.replace('@', '@live')))],
      { encoding: 'utf8', env: { ...process.env, SYSTEMD_UNIT_PATH: `${unitFolder}:` } },
    );
    const ownLines = stderr.split('\n').filter((line) => line.includes('oddsmaker'));
    expect({ status, ownLines }).toEqual({ status: 0, ownLines: [] });
  });

  it('give a bot access to little of the machine', () => {
    for (const name of readdirSync(UNITS).filter((file) => file.endsWith('.service'))) {
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=yes', join(UNITS, name)], {
        encoding: 'utf8',
      });
      const [, exposure = '10'] = /Overall exposure level for .*: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number(exposure), name).toBeLessThanOrEqual(3);
    }
  });

  it('restart a bot forever when that may help, and never when it does not', () => {
    const text = readFileSync(join(UNITS, 'oddsmaker@.service'), 'utf8');
    expect(text).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(text).toMatch(/^Restart=on-failure$/m);
    expect(text).toMatch(/^RestartPreventExitStatus=2 9 65 77 78$/m);
  });

  it('are notified that a bot has begun, what it does, and that its loop turns', async () => {
    const { config, env, quotes } = await workspace();
    const socket = join(folder(), 'notify');
    // the other end of the socket, which systemd has
    const receiver = spawn(
      'python3',
      [
        '-uc',
        'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("bound")\nwhile True: print(s.recv(4096).decode())',
        socket,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      let received = '';
      receiver.stdout.on('data', (chunk: Buffer) => (received += chunk.toString()));
      await eventually('it listens', () => received.includes('bound'));
      const bot = start(['run', config, '--env-file', env], {
        NOTIFY_SOCKET: socket,
        WATCHDOG_USEC: '1500000',
      });
      await eventually('it is ready', () => received.includes('READY=1'));
      // an older Node hands over to a child, whose end systemd would not see
      expect(received).not.toContain('MAINPID');
      const status = /STATUS=(?:not )?quoting: \d+ of \d+ quotes rest in \d+ markets/;
      await eventually('it says what it does', () => status.test(received));
      await quotes();
      const fed = (): number => received.split('WATCHDOG=1').length - 1;
      const before = fed();
      await eventually('it is fed again and again', () => fed() > before + 3);
      // a process that stands still sends nothing
      bot.child.kill('SIGSTOP');
      await sleep(500);
      const stopped = fed();
      await sleep(2000);
      expect(fed()).toBe(stopped);
      bot.child.kill('SIGCONT');
      await eventually('it is fed again', () => fed() > stopped);
      bot.child.kill('SIGINT');
      expect((await bot.ended).code).toBe(0);
      expect(bot.output.stderr).not.toContain('the supervisor cannot be notified');
    } finally {
      receiver.kill();
      await once(receiver, 'close');
    }
  }, 60_000);
});

describe('the script that runs after the end of a bot', () => {
  const after = (config: string, env: string, code: string, status: string) =>
    spawnSync(join(UNITS, 'after-end'), [config, env], {
      encoding: 'utf8',
      env: { ...process.env, EXIT_CODE: code, EXIT_STATUS: status },
    });

  it('cancels everything after an end that was not orderly, and nothing after an orderly end', async () => {
    const { config, env, quotes, open } = await workspace();
    const bot = start(['run', config, '--env-file', env]);
    await quotes();
    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(0);
    // onExit: leave
    expect(await open()).toBeGreaterThan(0);
    for (const [code, status] of [
      ['exited', '0'],
      ['exited', '2'],
      ['exited', '65'],
      ['exited', '75'],
      ['exited', '76'],
      ['exited', '77'],
      ['exited', '78'],
      // a start that was stopped
      ['killed', 'INT'],
      ['killed', 'TERM'],
      ['exited', '130'],
      ['exited', '143'],
      ['', ''],
    ] as const) {
      const { status: ended, stderr } = after(config, env, code, status);
      expect({ ended, stderr }).toEqual({ ended: 0, stderr: '' });
    }
    expect(await open()).toBeGreaterThan(0);

    const second = start(['run', config, '--env-file', env]);
    await second.prints('stderr', /"msg":"quoting"/);
    // a healthy bot is left alone, whatever ended
    const before = await open();
    const healthy = after(config, env, 'killed', 'KILL');
    expect(healthy.stdout).toContain(`a bot of the account runs (pid ${second.child.pid})`);
    expect(await open()).toBeGreaterThanOrEqual(Math.min(before, 1));
    second.child.kill('SIGKILL');
    await second.ended;
    expect(await open()).toBeGreaterThan(0);
    const { status, stderr } = after(config, env, 'killed', 'KILL');
    expect(stderr).toContain('everything on the account is to be cancelled');
    expect(status).toBe(0);
    expect(await open()).toBe(0);
    // an end that could not be confirmed, a bug, and a child that a signal ended
    for (const code of ['70', '74', '137'])
      expect(after(config, env, 'exited', code).stderr).toContain('everything on the account is to be cancelled');
    expect((await run(['panic', config, '--env-file', env])).code).toBe(0);
  }, 90_000);
});
