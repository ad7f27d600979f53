// examples/model.py next to a bot on a paper exchange. The model reads and prices the books, the bot offers
// around its prices and is filled, and the model receives the fills.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ROOT, start, writeConfig } from '../support/children.ts';
import { eventually } from '../guard/fixtures.ts';

const MODEL = join(ROOT, 'examples/model.py');
const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });

const CONFIG = [
  'exchange: { embedded: { traders: synthetic, games: 4, seed: 1 } }',
  'markets: { types: [moneyline] }',
  'strategies:',
  `  - { use: ${join(ROOT, 'strategies/own-price.ts')}, id: own, params: { edge: 0.01, risk: 100 } }`,
  'signals: { http: true }',
  'journal: { dir: ./run }',
  'ledger: { file: ./run/ledger.db }',
  'ops: { port: 0 }',
  '',
].join('\n');

it('examples/model.py has at most 30 lines, and imports the standard library alone', () => {
  const source = readFileSync(MODEL, 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  expect(source.match(/^\s*(?:import|from)\s.*$/gm)).toEqual(['import json, signal, sys, time, urllib.request']);
});

describe.skipIf(python.status !== 0)('a model in another process (needs python3)', () => {
  it('prices the books that it receives, and receives the fills of the bot that quotes around its prices', async () => {
    const config = writeConfig(CONFIG, folder());
    const bot = start(['run', config, '--json']);
    const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
    const run = join(dirname(config), 'run');
    const token = join(run, readdirSync(run).find((name) => name.endsWith('.page-token')) ?? '');
    const secret = readFileSync(token, 'utf8').trim();
    const status = async (): Promise<Readonly<Record<string, unknown>>> => {
      const answer = await fetch(`${url}/status`, { headers: { authorization: `Bearer ${secret}` } });
      return (await answer.json()) as Readonly<Record<string, unknown>>;
    };
    await eventually('markets are known', async () => Number((await status())['markets']) >= 4, 30_000);
    const model = spawn('python3', [MODEL, url, token], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(model, 'close');
    let output = '';
    for (const stream of [model.stdout, model.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      await eventually(
        'the model receives a fill',
        () => /^\$\d+\.\d\d on (?:home|away) of \w+\/moneyline, fair 0\.\d+$/m.test(output),
        90_000,
      );
      const { signals, fills, resting } = await status();
      expect(Number(fills)).toBeGreaterThan(0);
      expect(Number(resting)).toBeGreaterThan(0);
      expect(Object.entries(signals as object).length).toBeGreaterThan(0);
      for (const [name, signal] of Object.entries(signals as Readonly<Record<string, { readonly asked: boolean }>>))
        expect([name, signal.asked]).toEqual([expect.stringMatching(/^fair:\w+\/moneyline$/), true]);
    } finally {
      model.kill('SIGKILL');
      await ended;
    }
    expect(output).not.toContain('Traceback');
    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(0);
  }, 180_000);
});
