import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { folder, NO_JOURNAL, writeConfig } from '../support/children.ts';
import { command, eventually, scene } from './fixtures.ts';

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
    expect(settled.stderr).toContain('no play waits for a final score of game no-such-game');

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

  it.each([
    ['an unknown command', ['stop'], /there is no command "stop"/],
    ['a score that is none', ['settle', 'g1', '101'], /final score/],
    ['a score without --yes', ['settle', 'g1', '101-99'], /g1 101-99: say it again with --yes/],
    ['--yes for what needs none', ['pause', '--yes'], /pause does not take --yes/],
    ['too many words', ['pause', 'now'], /pause does not take "now"/],
    ['two games', ['markets', 'a', 'b'], /markets does not take "b"/],
  ])('ends with 2 on %s, bot or no bot', async (_name, args, message) => {
    const { code, said } = await command('ctl', 'nowhere.yaml', ...args);
    expect(code).toBe(2);
    expect(said).toMatch(message);
  });

  it('needs of the file only the username and the folder', async () => {
    const config = writeConfig(
      'exchange: { username: alice, password: "${NOT_SET_HERE}", riks: 1 }\nstrategies: 7\n' + NO_JOURNAL,
      folder(),
    );
    const { code, said } = await command('ctl', config, 'halt');
    expect(code).toBe(75);
    expect(said).toMatch(/no bot of account alice answers on .*alice\.sock/);
  });
});
