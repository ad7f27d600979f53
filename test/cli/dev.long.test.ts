// `oddsmaker dev`: a strategy that is saved while its bot trades.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  command,
  errorLinesOf,
  exchangeSection,
  folder,
  ROOT,
  start,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

const FIRST = readFileSync(join(ROOT, 'templates/workspace/strategies/first.ts'), 'utf8');
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
    const took = /first: .*first\.ts replaced it after [\d.]+ s: wants quotes on [1-9]\d* of \d+ markets\n/;
    await dev.says('stderr', took);
    await dev.says('stderr', /"code":"RELOADED"/);

    save('fair.p - edge }', 'fair.q - edge }');
    await dev.says(
      'stderr',
      /first\.ts has type errors:\n {2}\/.*first\.ts:32:\d+: Property 'q' does not exist on type 'Consensus'\.\n.*31 \|.*\n.*> +32 \|.*fair\.q/,
    );
    save('const fair =', 'const cost fair =');
    await dev.says('stderr', /does not load: .*first\.ts:26\)\n.*25 \|.*\n.*> +26 \| +const cost fair/);
    save('return {\n    market', "if (view.time > 0) throw new Error('at the books');\n  return {\n    market");
    await dev.says(
      'stderr',
      /STRATEGY_THREW: .*at the books \(\/.*first\.ts:\d+\), and in 5 more\n.*\n.*> +\d+ \|.*at the books/,
    );
    save("name: 'first',", "name: 'first', scope: 'game',");
    const said = await dev.says('stderr', /replaced it after[^]*replaced it after/);
    expect(errorLinesOf(said)).toEqual([]);

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
    expect([code, stderr]).toEqual([78, expect.stringContaining('exchange: dev works on the paper exchange')]);
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

describe('a strategy that is saved', () => {
  /** `dev` on a strategy behind a link, in a folder with a space in its name. */
  async function scene(source: string, more: Readonly<Record<string, string>> = {}) {
    const at = folder();
    const real = join(at, 'my strategies');
    mkdirSync(real);
    const save = (text: string, name = 'own.ts'): void => writeFileSync(join(real, name), text);
    for (const [name, text] of Object.entries(more)) save(text, name);
    save(source);
    symlinkSync(join(real, 'own.ts'), join(at, 'link.ts'));
    const config = writeConfig(
      `${QUICK}strategies: [{ use: ./link.ts, id: own, params: { edge: 0.012, risk: 20 } }]\n`,
      at,
    );
    const dev = start(['dev', config]);
    await dev.says('stderr', /"msg":"quoting"/);
    /** What it says from here on, once it matches. */
    const saysNext = (what: RegExp, said: string): Promise<string> =>
      dev.says('stderr', new RegExp(`^[^]{${said.length},}?${what.source}`));
    return { real, save, dev, saysNext };
  }
  /** Throws so long after it was loaded: the first types to be checked take a second. */
  const withTimer = (text: string, afterMs: number): string =>
    FIRST.replace(
      /^export default/m,
      `setTimeout(() => setInterval(() => { throw new Error('${text}'); }, 5), ${afterMs});\nexport default`,
    );

  it('is seen behind a link, in a folder that was replaced, and by what it newly imports', async () => {
    const { real, save, dev, saysNext } = await scene(FIRST);
    save(FIRST.replace('fair.p - edge }', 'fair.p - edge - 0.01 }'));
    let said = await dev.says('stderr', /own: .*link\.ts replaced it/);
    // a helper that cannot be read as it is: mended, the strategy is taken without being saved again
    save('export const more = 0.02 +;\n', 'helper.ts');
    const helped = `import { more } from './helper.ts';\n${FIRST.replace('fair.p - edge }', 'fair.p - edge - more }')}`;
    save(helped);
    said = await saysNext(/is not taken[^]*?\(\/.*\/my strategies\/helper\.ts:1\)\n.*> +1 \| export const more/, said);
    save('export const more = 0.02;\n', 'helper.ts');
    said = await saysNext(/replaced it/, said);
    rmSync(real, { recursive: true });
    mkdirSync(real);
    save('export const more = 0.03;\n', 'helper.ts');
    save(helped);
    said = await saysNext(/replaced it/, said);
    save('exports.more = 0.04;\n', 'old.cjs');
    save(helped.replace('./helper.ts', './old.cjs').replace('{ more }', 'old').replace('- more', '- old.more'));
    await saysNext(/is not taken[^]*old\.cjs is CommonJS, which lives once in a process/, said);
    dev.child.kill('SIGINT');
    const { code, stderr } = await dev.ended;
    expect([code, errorLinesOf(stderr)]).toEqual([0, []]);
  }, 60_000);

  it('is not blamed for what its former version throws, and is for its own', async () => {
    const { save, dev, saysNext } = await scene(FIRST);
    save(withTimer('of the second', 8000));
    let said = await dev.says('stderr', /RELOADED[^]*took over/);
    save(FIRST.replace('fair.p - edge }', 'fair.p - edge - 0.01 }'));
    said = await saysNext(/RELOADED[^]*took over[^]*that does not run threw[^\n]*/, said);
    save(withTimer('before it ran', 0));
    said = await saysNext(/is not taken, [^]*before it ran \(\/.*own\.ts:15\)/, said);
    save(withTimer('of its own', 8000));
    said = await saysNext(/took over[^]*THROWN_OUTSIDE[^\n]*of its own[^\n]*"strategies":\["own"\]/, said);
    save(FIRST);
    await saysNext(/RELOADED[^]*took over/, said);
    dev.child.kill('SIGINT');
    expect((await dev.ended).code).toBe(0);
  }, 90_000);

  it('and takes too long for one view is not taken', async () => {
    const { save, dev } = await scene(FIRST);
    save(
      FIRST.replace(
        'const fair =',
        'const from = process.threadCpuUsage().user;\n  while (burns && process.threadCpuUsage().user - from < 400_000);\n  burns = false;\n  const fair =',
      ).replace(/^export default/m, 'let burns = true;\nexport default'),
    );
    await dev.says(
      'stderr',
      /is not taken, [^]*STRATEGY_OVERRUN: own: it took \d+ ms of CPU and \d+ ms by the clock for one input/,
    );
    dev.child.kill('SIGINT');
    expect((await dev.ended).code).toBe(0);
  }, 60_000);

  it.each([
    ['as it is loaded', FIRST.replace(/^export default/m, 'for (;;);\nexport default')],
    ['on trial', FIRST.replace('const fair =', 'while (view.time > 0);\n  const fair =')],
  ])(
    'and never returns %s ends the run in order, with its line',
    async (_when, source) => {
      const { save, dev } = await scene(FIRST);
      save(source);
      const { code, stdout, stderr } = await dev.ended;
      expect([code, stdout]).toEqual([78, expect.stringMatching(/strategy own never returned/)]);
      expect(stderr).toMatch(/own\.ts:\d+/);
    },
    60_000,
  );
});
