// `oddsmaker dev`: a strategy that is saved while its bot trades.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  command,
  exchangeSection,
  folder,
  ROOT,
  start,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

const FIRST = readFileSync(join(ROOT, 'templates/desk/strategies/first.ts'), 'utf8');
const QUICK = `exchange: { embedded: { games: 2 }, limits: { place: { requests: 5, window: 1s }, cancel: { requests: 15, window: 1s } } }
orders: { reserve: 1 }
ops: { port: 0 }
journal: { dir: ./journal }
ledger: { file: null }
`;

describe('dev', () => {
  it('takes over what is saved, tells what is wrong with file, line and excerpt, and its journal replays', async () => {
    const at = folder();
    const strategy = join(at, 'first.ts');
    const save = (from: string, to: string): void => writeFileSync(strategy, FIRST.replace(from, to));
    save('', '');
    const config = writeConfig(
      `${QUICK}strategies: [{ use: ./first.ts, id: first, params: { edge: 0.012, risk: 20 } }]\n`,
      at,
    );
    const dev = start(['dev', config]);
    await dev.says('stderr', /"msg":"quoting"/);

    save('fair.p - edge }', 'fair.p - edge - 0.01 }');
    const took = /first: .*first\.ts took over after [\d.]+ s: wants quotes on [1-9]\d* of \d+ markets\n/;
    await dev.says('stderr', took);
    await dev.says('stderr', /"code":"RELOADED"/);

    save('fair.p - edge }', 'fair.q - edge }');
    await dev.says(
      'stderr',
      /first\.ts is not taken, the former version goes on:\n {2}\/.*first\.ts:32:\d+: Property 'q' does not exist on type 'Consensus'\.\n.*31 \|.*\n.*> +32 \|.*fair\.q/,
    );
    save('const fair =', 'const cost fair =');
    await dev.says('stderr', /does not load: .*first\.ts:26\)\n.*25 \|.*\n.*> +26 \| +const cost fair/);
    save(
      'return {\n    market',
      "if (view.time > 0) throw new Error('at the books');\n  return {\n    market",
    );
    await dev.says(
      'stderr',
      /STRATEGY_THREW: .*at the books \(\/.*first\.ts:\d+\), and in 5 more\n.*\n.*> +\d+ \|.*at the books/,
    );
    save("name: 'first',", "name: 'first', scope: 'game',");
    const said = await dev.says('stderr', /took over after[^]*took over after/);
    expect(said).not.toContain('"level":"error"');

    dev.child.kill('SIGINT');
    const { code, stdout } = await dev.ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/open +0/)]);
    const [journal = ''] = readdirSync(join(at, 'journal')).filter((name) => name.endsWith('.zst'));
    const replay = await command(['replay', '--verify', join(at, 'journal', journal)]);
    expect(replay.code, replay.stdout + replay.stderr).toBe(0);
    expect(replay.stdout).toContain('Every command is the same');
  }, 60_000);

  it('never works on an exchange that is not embedded', async () => {
    const file = writeConfig(`${exchangeSection('http://127.0.0.1:9', 'http://127.0.0.1:9')}${STRATEGIES}`);
    const { code, stderr } = await command(['dev', file]);
    expect([code, stderr]).toEqual([
      78,
      expect.stringContaining('exchange: dev works on the paper exchange'),
    ]);
  });

  it('says so when the port of its exchange is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const file = writeConfig(`${QUICK.replace('games: 2', `games: 2, port: ${port}`)}${STRATEGIES}`);
      const { code, stdout, stderr } = await start(['dev', file]).ended;
      expect([code, stdout]).not.toEqual([0, '']);
      expect(stderr).toMatch(new RegExp(`port ${port} is in use`));
    } finally {
      server.close();
    }
  });
});
