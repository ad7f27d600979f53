// Signals on their way from an outside model to the strategies of a running bot.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { signalsIn, streamSignals } from '../../src/cli/ctl-signals.ts';
import type { ControlReply } from '../../src/ops/index.ts';
import { askBot, ControlServer } from '../../src/ops/control-socket.ts';
import { folder, NO_JOURNAL, ROOT, writeConfig } from '../support/children.ts';
import { command, eventually, scene } from '../guard/fixtures.ts';

const OWN_PRICE = `strategies:\n  - { use: ${join(ROOT, 'strategies/own-price.ts')}, id: own, params: { edge: 0.02, risk: 50 } }\n`;

describe('oddsmaker ctl signal', () => {
  it('makes a strategy quote as long as the signal lasts', async () => {
    const { startBot, ctl, quotes, story, status, venue } = await scene(OWN_PRICE);
    const bot = startBot();
    await eventually('markets are quoted', async () => {
      const report = await status().catch(() => undefined);
      return report?.['markets'] === 2;
    });
    const name = `fair:${venue.games[0]?.id}/moneyline`;
    const set = await ctl('signal', `${name}=0.5`, 'unused=7', '--ttl', '60s');
    expect([set.code, set.stdout, set.stderr]).toEqual([0, 'the bot accepted: signal\n', '']);
    await quotes(2);
    expect(await status()).toMatchObject({
      signals: { [name]: { value: 0.5, asked: true }, unused: { value: 7, asked: false } },
    });
    const { stdout: markets } = await ctl('markets', name.slice('fair:'.length));
    expect(markets).toMatch(
      /^market .* pays +worst of game\n\S+\/moneyline .* home \+109 \$[\d.]+.* +away \+109 \$[\d.]+.* +\S.*\n$/,
    );
    expect((await ctl('markets', 'no such game')).stdout).toBe('no market\n');
    const listed = JSON.parse((await ctl('markets', '--json')).stdout) as readonly object[];
    expect(listed).toHaveLength(2);
    expect(listed).toContainEqual(
      expect.objectContaining({ quoted: true, orders: [], said: { own: 'no price of our own' } }),
    );
    expect((await ctl('status')).stdout).toMatch(/^signals +fair:.* 0\.5 for \d+ s; unused 7 for \d+ s \(no/m);
    await ctl('signal', `${name}=0.5`, 'unused=7', '--ttl', '1s');
    await eventually('nothing rests', async () => (await story()).openOrders === 0);
    expect(await status()).toMatchObject({ signals: {}, state: 'quoting' });
    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(0);
  }, 60_000);

  it.each([
    ['no number', ['a=x'], /signal a: "x" is not a number/],
    ['no name', ['=1'], /expected <name>=<number>, not "=1"/],
    ['no value', ['fair'], /expected <name>=<number>, not "fair"/],
    ['nothing', [], /at least one signal/],
    ['an invalid time', ['a=1', '--ttl', 'soon'], /"ttl" to be a duration/],
    ['an invalid time for a stream', ['-', '--ttl', 'soon'], /"ttl" to be a duration/],
  ])('exits with 2 on %s', async (_name, args, message) => {
    const { code, said } = await command('ctl', 'nowhere.yaml', 'signal', ...args);
    expect([code, said]).toEqual([2, expect.stringMatching(message)]);
  });

  it('is the only command that takes a time', async () => {
    const { code, said } = await command('ctl', 'nowhere.yaml', 'pause', '--ttl', '1s');
    expect([code, said]).toEqual([2, expect.stringContaining('pause does not take --ttl')]);
  });

  it('exits with 75 when no bot answers', async () => {
    const config = writeConfig(`exchange: { username: alice }\n${NO_JOURNAL}`);
    const { code, said } = await command('ctl', config, 'signal', 'a=1');
    expect([code, said]).toEqual([75, expect.stringContaining('no bot of account alice answers')]);
  });

  it('withdraws a signal without a number', () => {
    expect(signalsIn(['a=', 'b=-0.5', 'c=1e3'], '5s')).toEqual({
      command: 'signal',
      values: { a: null, b: -0.5, c: 1000 },
      ttl: '5s',
    });
  });
});

describe('oddsmaker ctl signal, with a stream of signals', () => {
  const open: (ControlServer | undefined)[] = [];
  afterEach(() => {
    for (const server of open.splice(0)) server?.close();
  });

  /** A control socket that accepts every message, and a stream that sends lines to it. */
  async function stream(ttl?: string) {
    const path = join(folder(), 'bot.sock');
    const taken: unknown[] = [];
    const handle = (message: unknown): ControlReply => {
      taken.push(message);
      return { ok: true, done: 'signal' };
    };
    const listen = async (): Promise<ControlServer> => {
      const server = await ControlServer.open(path, handle);
      open.push(server);
      return server;
    };
    const server = await listen();
    const input = new PassThrough();
    const printed: string[] = [];
    const ended = streamSignals(
      createInterface({ input }),
      ttl,
      async (message) => (await askBot(path, message, 15_000)) as ControlReply,
      (text) => printed.push(text),
    );
    return { taken, printed, input, server, listen, ended };
  }

  const valuesIn = (taken: readonly unknown[]): Readonly<Record<string, unknown>> =>
    Object.assign({}, ...taken.map((message) => (message as { values: object }).values)) as Record<string, unknown>;

  it('sends line by line, all signals of a line at once', async () => {
    const { taken, printed, input, ended } = await stream('2s');
    for (const line of ['a=1 b=2', '', '  c=  ']) {
      input.write(`${line}\n`);
      await sleep(50);
    }
    input.end('a=3');
    expect(await ended).toBe(0);
    expect(taken).toEqual([
      { command: 'signal', values: { a: 1, b: 2 }, ttl: '2s' },
      { command: 'signal', values: { c: null }, ttl: '2s' },
      { command: 'signal', values: { a: 3 }, ttl: '2s' },
    ]);
    expect(printed).toEqual([]);
  });

  it('drops nothing but outdated values when the stream is faster than the bot', async () => {
    const { taken, input, ended } = await stream();
    const names = 2000;
    for (let i = 0; i < 50_000; i++) input.write(`s${i % names}=${i}\n`);
    input.end();
    expect(await ended).toBe(0);
    const values = valuesIn(taken);
    expect(Object.keys(values)).toHaveLength(names);
    expect(values).toMatchObject({ s0: 48_000, s1999: 49_999 });
    expect(taken.length).toBeLessThan(25_000);
  });

  it('names a line that it cannot read, continues, and exits with 2', async () => {
    const { taken, printed, input, ended } = await stream();
    input.end('a=1\nrubbish\nb=2 c=x\nd=4\n');
    expect(await ended).toBe(2);
    expect(valuesIn(taken)).toEqual({ a: 1, d: 4 });
    expect(printed).toEqual([
      'line 2: expected <name>=<number>, not "rubbish"',
      'line 3: signal c: "x" is not a number',
    ]);
  });

  it('survives the end of its bot, reports the loss once, and continues with the next bot', async () => {
    const { taken, printed, input, server, listen, ended } = await stream();
    input.write('a=1\n');
    await eventually('it is taken', () => taken.length === 1);
    server.close();
    for (let i = 0; i < 5; i++) {
      input.write(`a=${i}\n`);
      await sleep(20);
    }
    await eventually('the loss is reported', () => printed.length === 1);
    await listen();
    await eventually('the next bot gets a signal', () => {
      input.write('a=9\n');
      return taken.length > 1;
    });
    input.end();
    expect(await ended).toBe(0);
    expect(taken.at(-1)).toEqual({ command: 'signal', values: { a: 9 } });
    expect(printed).toEqual([
      expect.stringContaining('Signals are lost until it takes them'),
      expect.stringMatching(/^the bot takes signals again; lost meanwhile: \d+$/),
    ]);
  });

  it('exits with 75 when the bot did not take the last signal', async () => {
    const { input, server, ended } = await stream();
    server.close();
    input.end('a=1\n');
    expect(await ended).toBe(75);
  });
});
