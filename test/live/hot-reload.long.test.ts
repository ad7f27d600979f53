// A bot whose configuration changes while it trades: valid changes take effect, invalid changes have none,
// and the journal replays across them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Running } from '../support/children.ts';
import { command, folder, start, TWO_SIDED, writeConfig } from '../support/children.ts';

type Status = Readonly<Record<string, unknown>> & {
  readonly markets: number;
  readonly wanted: number;
  readonly openOrders: number;
  readonly placed: number;
  readonly feeds: unknown;
};
type Bot = {
  readonly config: string;
  readonly running: Running;
  readonly edit: (change: (text: string) => string) => void;
  readonly status: () => Promise<Status>;
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
};

async function startBot(): Promise<Bot> {
  const workspace = folder();
  writeFileSync(join(workspace, 'quotes.ts'), readFileSync(TWO_SIDED, 'utf8'));
  const config = writeConfig(
    [
      'exchange: { embedded: { traders: synthetic, games: 4 } }',
      'markets: { leagues: [NBA], types: [moneyline, spread, total], lines: main }',
      'strategies:',
      '  - { use: ./quotes.ts, id: main, params: { edge: 0.012, risk: 100 } }',
      'risk: { maxOrderRisk: 500, maxTotalLoss: 20000 }',
      'journal: { dir: ./run }',
      'ledger: { file: ./run/ledger.db }',
      'ops: { port: 0, token: sesame }',
      'log: { level: info }',
      '',
    ].join('\n'),
    workspace,
  );
  return begin(config);
}

async function begin(config: string): Promise<Bot> {
  const running = start(['run', config, '--json']);
  await running.prints('stderr', /"quoting"/);
  const status = async (): Promise<Status> =>
    JSON.parse((await command(['ctl', config, 'status', '--json'])).stdout) as Status;
  await vi.waitFor(async () => expect((await status()).openOrders).toBeGreaterThan(0), { timeout: 20_000 });
  return {
    config,
    running,
    status,
    edit: (change) => writeFileSync(config, change(readFileSync(config, 'utf8'))),
    log: () =>
      running.output.stderr
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
  };
}

const journalOf = ({ config }: Bot): string => {
  const run = join(dirname(config), 'run');
  const names = readdirSync(run).filter((name) => name.includes('.ndjson'));
  return join(run, names.sort().at(-1) ?? '');
};

async function stop(bot: Bot): Promise<void> {
  bot.running.child.kill('SIGINT');
  expect((await bot.running.ended).code).toBe(0);
}

describe('a configuration that is read again', () => {
  it('changes limits, markets, parameters and strategy files, drops no feed and no order, and leaves a journal that replays', async () => {
    const bot = await startBot();
    const { config, running, edit, status, log } = bot;
    const before = await status();
    expect(before.markets).toBe(12);
    // by SIGHUP, as services do
    edit((text) =>
      text.replace('types: [moneyline, spread, total]', 'types: [moneyline]').replace('edge: 0.012', 'edge: 0.02'),
    );
    running.child.kill('SIGHUP');
    await vi.waitFor(async () => expect((await status()).markets).toBe(4), { timeout: 10_000 });
    expect(log().find(({ code }) => code === 'CONFIGURED')).toBeDefined();
    const taken = log().find(({ msg }) => msg === 'the configuration is in force');
    expect(taken).toMatchObject({ by: 'SIGHUP', replaced: ['main'] });
    expect(taken?.['changed']).toEqual(expect.arrayContaining(['strategies.0.params.edge']));
    await vi.waitFor(async () => expect((await status()).openOrders).toBeLessThanOrEqual(8), {
      timeout: 10_000,
    });
    // more markets again, and a changed strategy file, by ctl
    edit((text) =>
      text
        .replace('types: [moneyline]', 'types: [moneyline, total]')
        .replace('level: info', 'level: warn')
        .replace('0.02', '0.01'),
    );
    writeFileSync(
      join(dirname(config), 'quotes.ts'),
      `${readFileSync(join(dirname(config), 'quotes.ts'), 'utf8')}\n// another version\n`,
    );
    const checked = await command(['check', config, '--diff']);
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringMatching(/markets\.types.*\n[^]*main/)]);
    expect((await status()).markets).toBe(4);
    const reloaded = await command(['ctl', config, 'reload']);
    expect([reloaded.code, reloaded.stderr]).toEqual([0, '']);
    await vi.waitFor(async () => expect((await status()).markets).toBe(8), { timeout: 10_000 });
    expect((await status()).feeds).toEqual({ prices: true, user: true });
    // a limit that keeps all quotes away
    edit((text) =>
      text
        .replace('maxTotalLoss: 20000', 'maxTotalLoss: 1')
        .replace('maxOrderRisk: 500', 'maxOrderRisk: 5')
        .replace('port: 0', 'port: 1'),
    );
    const limited = await command(['ctl', config, 'reload']);
    expect(limited.stdout).toContain('ops.port');
    await vi.waitFor(async () => expect((await status()).openOrders).toBe(0), { timeout: 10_000 });
    expect((await status()).held).toMatchObject({ 'order-size': expect.any(Number) as number });
    await stop(bot);
    const replay = await command(['replay', '--verify', journalOf(bot)]);
    expect([replay.code, replay.stdout]).toEqual([0, expect.stringMatching(/the same/)]);
  });

  it('changes nothing when it is wrong, and says why', async () => {
    const bot = await startBot();
    const { config, running, edit, status, log } = bot;
    const good = readFileSync(config, 'utf8');
    const strategy = join(dirname(config), 'quotes.ts');
    const source = readFileSync(strategy, 'utf8');
    for (const [text, file, why] of [
      ['nonsense: [', source, /bot\.yaml:\d+:\d+/],
      [good.replace('edge: 0.012', 'edge: much'), source, /edge/],
      [good.replace('maxOrderRisk: 500', 'maxOrderRisk: -1'), source, /maxOrderRisk/],
      // as it is while an editor writes it
      [good, '', /quotes\.ts/],
      [good, `${source}\nthrow new Error('broken on purpose');\n`, /broken on purpose/],
      [good, source.replace('quoteBothSides', 'quoteNoSides'), /quoteNoSides/],
    ] as const) {
      writeFileSync(config, text);
      writeFileSync(strategy, file);
      const { code, stderr } = await command(['ctl', config, 'reload']);
      // ctl cannot read a file that is no YAML
      if (code !== 78) expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
      running.child.kill('SIGHUP');
      await vi.waitFor(
        () =>
          expect(String(log().findLast(({ code: errorCode }) => errorCode === 'RELOAD_FAILED')?.['problem'])).toMatch(
            why,
          ),
        { timeout: 10_000 },
      );
    }
    writeFileSync(config, good);
    writeFileSync(strategy, source);
    edit((text) => text);
    expect(await status()).toMatchObject({ state: 'quoting', markets: 12 });
    await stop(bot);
  });
});

describe('a parameter that an operator changes', () => {
  it('survives a restart, and lasts until the file is read again', async () => {
    const bot = await startBot();
    const { config, running } = bot;
    const wrong = await command(['ctl', config, 'params', 'main', 'edge=much']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('edge')]);
    expect((await command(['ctl', config, 'params', 'main', 'unknown=1'])).code).toBe(2);
    bot.edit((text) => text.replace('risk: 100 } }', 'risk: 100 }, by: { league: { NBA: { edge: 0.02 } } } }'));
    expect((await command(['ctl', config, 'reload'])).code).toBe(0);
    const set = await command(['ctl', config, 'params', 'main', 'edge=0.05']);
    expect([set.code, set.stdout]).toEqual([
      0,
      expect.stringContaining('edge of main does not change in games of NBA: they have their own (by.league)'),
    ]);
    running.child.kill('SIGKILL');
    await running.ended;
    const again = await begin(config);
    expect(again.log()).toEqual(
      expect.arrayContaining([expect.objectContaining({ edited: { main: { edge: 0.05 } } })]),
    );
    const reload = await command(['ctl', config, 'reload']);
    expect(reload.stdout).toContain('strategies.0.params.edge');
    await stop(again);
    const last = await begin(config);
    expect(last.log().some((line) => 'edited' in line)).toBe(false);
    await stop(last);
  });
});

it('strategies that were paused one after another stay paused after a crash, also behind a halt', async () => {
  const bot = await startBot();
  const { config, edit } = bot;
  await stop(bot);
  edit((text) =>
    text.replace(
      '  - { use: ./quotes.ts, id: main, params: { edge: 0.012, risk: 100 } }',
      ['one', 'two', 'three']
        .map((id) => `  - { use: ./quotes.ts, id: ${id}, params: { edge: 0.012, risk: 20 } }`)
        .join('\n'),
    ),
  );
  const three = await begin(config);
  for (const args of [['pause', 'one'], ['pause', 'two'], ['halt'], ['pause', 'three'], ['resume', 'one']])
    expect((await command(['ctl', config, ...args])).code).toBe(0);
  three.running.child.kill('SIGKILL');
  await three.running.ended;
  const again = start(['run', config, '--json']);
  await again.prints('stderr', /admin port is open/);
  await vi.waitFor(async () => expect((await command(['ctl', config, 'resume'])).code).toBe(0), {
    timeout: 10_000,
  });
  const paused = async (): Promise<readonly string[]> => {
    const { stdout } = await command(['ctl', config, 'markets', '--json']);
    const markets = JSON.parse(stdout) as readonly {
      readonly slots: readonly { readonly strategy: string; readonly control?: string }[];
    }[];
    const slots = markets.flatMap(({ slots: all }) => all);
    return [...new Set(slots.filter(({ control }) => control === 'paused').map(({ strategy }) => strategy))].sort();
  };
  await vi.waitFor(async () => expect(await paused()).toEqual(['three', 'two']), { timeout: 20_000 });
  again.child.kill('SIGINT');
  expect((await again.ended).code).toBe(0);
});
