import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Lease, runFiles } from '../../src/ops/index.ts';
import { folder, NO_JOURNAL, start, writeConfig } from '../support/children.ts';
import { command, eventually, scene } from './fixtures.ts';

function writeSecrets(text: string): string {
  const file = join(folder(), '.env');
  writeFileSync(file, text);
  return file;
}

describe('ctl', () => {
  it('shows, pauses and resumes a running bot, which hostile bytes on its socket do not disturb', async () => {
    const { startBot, ctl, quotes, story, status, files } = await scene();
    const bot = startBot();
    await quotes();

    const table = (await ctl('status')).stdout;
    expect(table).toMatch(new RegExp(`^account +alice, pid ${bot.child.pid},`));
    expect(table).toMatch(/^state +quoting$/m);
    expect(table).toMatch(/^fence +none$/m);
    expect(table).toMatch(/^orders +\d+ open, 0 of unknown fate$/m);

    const settled = await ctl('settle', 'no-such-game', '1-0', '--yes');
    expect([settled.code, settled.stdout]).toEqual([2, '']);
    expect(settled.stderr).toContain('no play waits for a result of game no-such-game');

    const paused = await ctl('pause');
    expect(paused.code, paused.stderr).toBe(0);
    await eventually('nothing rests', async () => (await story()).openOrders === 0);
    expect(await status()).toMatchObject({ state: 'not quoting', closed: 'paused', openOrders: 0 });

    for (let i = 0; i < 20; i++) {
      const client = connect(files.socket);
      client.on('error', () => undefined);
      client.write(i % 2 === 0 ? 'x'.repeat(1 << 18) : '{"command":');
    }
    expect((await ctl('resume')).code).toBe(0);
    await quotes();

    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(0);
    const after = await ctl('status');
    expect(after.code).toBe(75);
    expect(after.stderr).toContain(files.socket);
    expect(after.stderr).toContain('oddsmaker panic');
  }, 40_000);

  it('empties the account and pauses the bot on cancel-all; with --keep-quoting the bot quotes again', async () => {
    const { startBot, ctl, quotes, story, status } = await scene();
    const bot = startBot();
    await quotes();
    const before = (await story()).requests.place;
    expect((await ctl('cancel-all', '--keep-quoting')).code).toBe(0);
    await eventually('it quotes anew', async () => {
      const { openOrders, requests } = await story();
      return openOrders >= 2 && requests.place > before;
    });
    expect((await ctl('cancel-all')).stdout).toMatch(/the bot accepted: cancel-all[^]*not quoting: paused/);
    await eventually('nothing is open', async () => (await story()).openOrders === 0);
    expect(await status()).toMatchObject({ closed: 'paused', resting: 0 });
    expect((await ctl('resume')).code).toBe(0);
    await quotes();
    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(0);
  }, 40_000);

  it.each([
    ['--keep-quoting for a command that cancels nothing', ['pause', '--keep-quoting'], /pause does not take --keep-q/],
    ['an unknown command', ['stop'], /there is no command "stop"/],
    ['an invalid score', ['settle', 'g1', '101'], /final score/],
    ['a winner that is no side', ['settle', 'g1', 'winner', 'Ash', '--yes'], /winner: expected home, away, draw/],
    ['--winner for a command without a winner', ['pause', '--winner', 'home'], /pause does not take --winner/],
    ['--type beside a score', ['settle', 'g1', '1-0', '--type', 'total', '--yes'], /--type goes with settle … void/],
    ['an unknown type', ['settle', 'g1', 'void', '--type', 'totals', '--yes'], /Allowed choices are moneyline/],
    ['void without --yes', ['settle', 'g1', 'void'], /g1 void: say it again with --yes/],
    ['a score without --yes', ['settle', 'g1', '101-99'], /g1 101-99: say it again with --yes/],
    ['--yes for a command that needs none', ['pause', '--yes'], /pause does not take --yes/],
    ['too many words', ['pause', 'main', 'now'], /pause does not take "now"/],
    ['two games', ['markets', 'a', 'b'], /markets does not take "b"/],
  ])('ends with 2 on %s, whether a bot runs or not', async (_name, args, message) => {
    const { code, said } = await command('ctl', 'nowhere.yaml', ...args);
    expect(code).toBe(2);
    expect(said).toMatch(message);
  });

  it('finds a bot by its configuration alone, with the account and the password from --env-file', async () => {
    const { config, files, quotes, ctl } = await scene();
    const secrets = writeSecrets('# of this workspace\nBOT_ACCOUNT=alice\nBOT_SECRET="alice-pw"\n');
    writeFileSync(
      config,
      readFileSync(config, 'utf8')
        .replace('username: alice', 'username: "${BOT_ACCOUNT}"')
        .replace('password: alice-pw', 'password: "${BOT_SECRET}"'),
    );
    expect((await command('ctl', config, 'status')).said).toContain(
      `no bot of ${config} has a lease in ${files.folder}`,
    );
    const bot = start(['run', config, '--env-file', secrets]);
    await quotes();
    expect((await ctl('status')).stdout).toMatch(/^account +alice, pid/);
    // a debugger would be open to every user of the machine
    bot.child.kill('SIGUSR1');
    expect((await command('ctl', config, 'pause')).code).toBe(0);
    bot.child.kill('SIGINT');
    const { stderr } = await bot.ended;
    expect(stderr).not.toContain('Debugger');
    // ctl cannot know which bot is meant, or the bot belongs to another account
    const lease = (account: string, configPath: string): Lease =>
      Lease.take(runFiles(files.folder, account, configPath), 2000);
    const other = lease('carol', '/elsewhere/live.yaml');
    const haltReply = async (): Promise<string> => (await command('ctl', config, 'halt')).said;
    expect(await haltReply()).toMatch(/no bot of .* carol \(\/elsewhere\/live\.yaml\): set the variable/);
    other.release();
    const alice = lease('alice', config);
    expect(await haltReply()).toMatch(/no bot of account alice answers/);
    lease('bob', config);
    expect(await haltReply()).toMatch(/several accounts .*\(alice, bob\)/);
    alice.release();
    writeFileSync(files.lease, 'half a l');
    expect(await haltReply()).toMatch(/alice\.lease cannot be read/);
  }, 40_000);

  it('names an --env-file that cannot be read', async () => {
    const { code, said } = await command('ctl', 'nowhere.yaml', 'pause', '--env-file', 'no-such.env');
    expect([code, said]).toEqual([78, expect.stringMatching(/no-such\.env cannot be read/)]);
    // Node may look for the file before the command does
    const { code: typed, stderr } = await start(['ctl', 'nowhere.yaml', 'pause', '--env-file', 'no-such.env']).ended;
    expect(typed).toBeGreaterThan(0);
    expect(stderr).toContain('no-such.env');
  });

  it('needs only the username and the folder of the configuration', async () => {
    const config = writeConfig(
      'exchange: { username: alice, password: "${NOT_SET_HERE}", riks: 1 }\nstrategies: 7\n' + NO_JOURNAL,
      folder(),
    );
    const { code, said } = await command('ctl', config, 'halt');
    expect(code).toBe(75);
    expect(said).toMatch(/no bot of account alice answers on .*alice\.sock/);
  });
});
