import { Command, Help } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { command, run, writeConfig, STRATEGIES } from '../support/children.ts';

describe('the text of --help', () => {
  it.each<[string, readonly string[], readonly number[]]>([
    ['run', ['<config>', '--tape', '--from', '--speed', '--for', '--json', '--day-loss'], [0, 65, 74, 75, 77, 78]],
    [
      'exchange',
      [
        '--port',
        '--league',
        '--games',
        '--traders',
        '--tape',
        '--from',
        '--speed',
        '--as-league',
        '--seed',
        '--account',
        '--account-file',
        '--min-order-size',
        '--profile',
        '--windows',
      ],
      [0, 2, 65],
    ],
    ['check', ['<config>'], [0, 78]],
    ['record', ['<config>', '--for'], [0, 2, 75, 77, 78]],
    ['panic', ['<config>'], [0, 74, 75, 77]],
    ['replay', ['<journal>', '--verify', '--config', '--json'], [0, 2, 65, 70, 78]],
    ['conform', ['<journal>', '--json'], [0, 2, 65]],
    ['why', ['<journal>', '<order>', '--json'], [0, 2, 65]],
  ])('for %s has its flags, exit codes and examples', async (name, flags, codes) => {
    const { code, stdout, stderr } = await command([name, '--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    for (const flag of flags) expect(stdout).toContain(flag);
    const exits = /^Exit:[^]*?\n\n|^Exit:[^]*$/m.exec(stdout)?.[0] ?? '';
    for (const exit of codes) expect(exits).toMatch(new RegExp(`\\b${exit}\\b`));
    expect(stdout).toContain(`oddsmaker ${name}`);
    expect(stdout).toContain('Examples:');
  });

  it('without a command lists every command and a first example', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const name of ['run', 'exchange', 'check', 'record', 'panic', 'replay', 'conform', 'why'])
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b.*\\w`, 'm'));
    expect(stdout).toContain('oddsmaker run config/paper.yaml');
  });

  it.each(COMMANDS)('without a command lists the arguments that $name takes', async ({ name, usage, load }) => {
    const command = new Command(name);
    (await load())(command, () => undefined);
    expect(new Help().subcommandTerm(command)).toBe(`${name} ${usage}`);
  });
});

describe('a wrong command line', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['an unknown command', ['rum', 'x.yaml'], /unknown command 'rum'/],
    ['no command', [], /Usage: oddsmaker/],
    ['an unknown flag', ['run', 'x.yaml', '--jason'], /unknown option '--jason'/],
    ['an unknown flag of the exchange', ['exchange', '--prot', '4000'], /unknown option '--prot'/],
    ['nothing to replay a journal for', ['replay', 'x.ndjson'], /required option '--verify'/],
    ['no configuration', ['check'], /missing required argument 'config'/],
    ['too many arguments', ['panic', 'a.yaml', 'b.yaml'], /too many arguments/],
    ['a flag without its value', ['run', 'x.yaml', '--for'], /argument missing/],
    ['no duration', ['run', 'x.yaml', '--for', 'soon'], /--for.*'soon'.*250ms, 5s, 10m or 2h/],
    ['no speed', ['run', 'x.yaml', '--speed', '0'], /--speed.*'0'.*above 0/],
    ['no time', ['run', 'x.yaml', '--from', 'nonsense'], /--from.*'nonsense'/],
    ['no port', ['exchange', '--port', '70000'], /--port.*0 to 65535/],
    ['no kind of traders', ['exchange', '--traders', 'many'], /none, synthetic, tape/],
    ['no account', ['exchange', '--account', 'alice'], /user:password/],
    ['an account twice', ['exchange', '--account', 'a:b', '--account', 'a:c'], /given twice/],
    ['an unknown setting', ['exchange', '--profile', 'colour=red'], /--profile.*colour/],
    ['a tape that has no traders', ['exchange', '--traders', 'tape'], /needs at least one --tape/],
  ])('with %s ends with 2 and says what is wrong', async (_what, args, says) => {
    const { code, stdout, stderr } = await command(args);
    expect(stderr).toMatch(says);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('is refused before the configuration is read', async () => {
    const { code } = await run(['run', writeConfig('not: good'), '--bogus']);
    expect(code).toBe(2);
  });

  it('with a tape for an exchange elsewhere says which setting names that exchange', async () => {
    const yaml = `exchange:\n  restUrl: http://127.0.0.1:9\n  socketUrl: http://127.0.0.1:9\n  username: a\n  password: b\n${STRATEGIES}`;
    const file = writeConfig(yaml);
    const { code, stderr } = await command(['run', file, '--tape', 'x.ndjson']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `--tape, --from and --speed are for an embedded exchange: ${file} connects to another one (exchange.restUrl)`,
    );
  });
});
