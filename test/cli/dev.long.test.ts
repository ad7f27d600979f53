// Tests `oddsmaker dev`: a strategy that is saved while its bot trades.
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

describe('oddsmaker dev', () => {
  it('replaces a saved strategy, shows errors with file, line and excerpt, and writes a journal that replays', async () => {
    const workspace = folder();
    const strategy = join(workspace, 'first.ts');
    const save = (from: string, to: string): void => writeFileSync(strategy, FIRST.replace(from, to));
    save('', '');
    const config = writeConfig(
      `${QUICK}strategies: [{ use: ./first.ts, id: first, params: { edge: 0.012, risk: 20 } }]\n`,
      workspace,
    );
    const dev = start(['dev', config]);
    await dev.prints('stderr', /"msg":"quoting"/);

    save('fair.p - edge }', 'fair.p - edge - 0.01 }');
    const took = /first: .*first\.ts replaced it after [\d.]+ s: wants quotes on [1-9]\d* of \d+ markets\n/;
    await dev.prints('stderr', took);
    await dev.prints('stderr', /"code":"RELOADED"/);

    save('fair.p - edge }', 'fair.q - edge }');
    await dev.prints(
      'stderr',
      /first\.ts has type errors:\n {2}\/.*first\.ts:32:\d+: Property 'q' does not exist on type 'Consensus'\.\n.*31 \|.*\n.*> +32 \|.*fair\.q/,
    );
    save('const fair =', 'const cost fair =');
    await dev.prints('stderr', /does not load: .*first\.ts:26\)\n.*25 \|.*\n.*> +26 \| +const cost fair/);
    save('return {\n    market', "if (view.time > 0) throw new Error('at the books');\n  return {\n    market");
    await dev.prints(
      'stderr',
      /STRATEGY_THREW: .*at the books \(\/.*first\.ts:\d+\), and in 5 more\n.*\n.*> +\d+ \|.*at the books/,
    );
    save("name: 'first',", "name: 'first', scope: 'game',");
    const output = await dev.prints('stderr', /replaced it after[^]*replaced it after/);
    expect(errorLinesOf(output)).toEqual([]);

    dev.child.kill('SIGINT');
    const { code, stdout } = await dev.ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/open +0/)]);
    const [journal = ''] = readdirSync(join(workspace, 'journal')).filter((name) => name.endsWith('.zst'));
    const replay = await command(['replay', '--verify', join(workspace, 'journal', journal)]);
    expect(replay.code, replay.stdout + replay.stderr).toBe(0);
    expect(replay.stdout).toContain('Every command is the same');
  }, 60_000);

  it('refuses an exchange that is not embedded', async () => {
    const file = writeConfig(`${exchangeSection('http://127.0.0.1:9', 'http://127.0.0.1:9')}${STRATEGIES}`);
    const { code, stderr } = await command(['dev', file]);
    expect([code, stderr]).toEqual([78, expect.stringContaining('exchange: dev works on the paper exchange')]);
  });

  it('names the port of its exchange when it is in use', async () => {
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

describe('a strategy saved under oddsmaker dev', () => {
  /** Starts `dev` on a strategy behind a link, in a folder with a space in its name. */
  async function scene(source: string, helpers: Readonly<Record<string, string>> = {}) {
    const workspace = folder();
    const real = join(workspace, 'my strategies');
    mkdirSync(real);
    const save = (text: string, name = 'own.ts'): void => writeFileSync(join(real, name), text);
    for (const [name, text] of Object.entries(helpers)) save(text, name);
    save(source);
    symlinkSync(join(real, 'own.ts'), join(workspace, 'link.ts'));
    const config = writeConfig(
      `${QUICK}strategies: [{ use: ./link.ts, id: own, params: { edge: 0.012, risk: 20 } }]\n`,
      workspace,
    );
    const dev = start(['dev', config]);
    await dev.prints('stderr', /"msg":"quoting"/);
    /** Resolves with the output once it matches the pattern after the output so far. */
    const saysNext = (pattern: RegExp, soFar: string): Promise<string> =>
      dev.prints('stderr', new RegExp(`^[^]{${soFar.length},}?${pattern.source}`));
    return { real, save, dev, saysNext };
  }
  /**
   * A strategy that throws outside its calls from `afterMs` after its load. The first type check takes a
   * second.
   */
  const withTimer = (text: string, afterMs: number): string =>
    FIRST.replace(
      /^export default/m,
      `setTimeout(() => setInterval(() => { throw new Error('${text}'); }, 5), ${afterMs});\nexport default`,
    );

  it('is reloaded behind a link, after its folder was replaced, and when a new import of it is saved', async () => {
    const { real, save, dev, saysNext } = await scene(FIRST);
    save(FIRST.replace('fair.p - edge }', 'fair.p - edge - 0.01 }'));
    let output = await dev.prints('stderr', /own: .*link\.ts replaced it/);
    // a helper with a syntax error: once it is corrected, the strategy is replaced without another save
    save('export const more = 0.02 +;\n', 'helper.ts');
    const helped = `import { more } from './helper.ts';\n${FIRST.replace('fair.p - edge }', 'fair.p - edge - more }')}`;
    save(helped);
    output = await saysNext(
      /is not taken[^]*?\(\/.*\/my strategies\/helper\.ts:1\)\n.*> +1 \| export const more/,
      output,
    );
    save('export const more = 0.02;\n', 'helper.ts');
    output = await saysNext(/replaced it/, output);
    rmSync(real, { recursive: true });
    mkdirSync(real);
    save('export const more = 0.03;\n', 'helper.ts');
    save(helped);
    output = await saysNext(/replaced it/, output);
    save('exports.more = 0.04;\n', 'old.cjs');
    save(helped.replace('./helper.ts', './old.cjs').replace('{ more }', 'old').replace('- more', '- old.more'));
    await saysNext(/is not taken[^]*old\.cjs is CommonJS, which lives once in a process/, output);
    dev.child.kill('SIGINT');
    const { code, stderr } = await dev.ended;
    expect([code, errorLinesOf(stderr)]).toEqual([0, []]);
  }, 60_000);

  it('is charged with its own late errors and not with those of its former version', async () => {
    const { save, dev, saysNext } = await scene(FIRST);
    save(withTimer('of the second', 8000));
    let output = await dev.prints('stderr', /RELOADED[^]*replaced its former version/);
    save(FIRST.replace('fair.p - edge }', 'fair.p - edge - 0.01 }'));
    output = await saysNext(/RELOADED[^]*replaced its former version[^]*that does not run threw[^\n]*/, output);
    save(withTimer('before it ran', 0));
    output = await saysNext(/is not taken, [^]*before it ran \(\/.*own\.ts:15\)/, output);
    save(withTimer('of its own', 8000));
    output = await saysNext(
      /replaced its former version[^]*THROWN_OUTSIDE[^\n]*of its own[^\n]*"strategies":\["own"\]/,
      output,
    );
    save(FIRST);
    await saysNext(/RELOADED[^]*replaced its former version/, output);
    dev.child.kill('SIGINT');
    expect((await dev.ended).code).toBe(0);
  }, 90_000);

  it('is refused when it takes too long for one view', async () => {
    const { save, dev } = await scene(FIRST);
    save(
      FIRST.replace(
        'const fair =',
        'const from = process.threadCpuUsage().user;\n  while (burns && process.threadCpuUsage().user - from < 400_000);\n  burns = false;\n  const fair =',
      ).replace(/^export default/m, 'let burns = true;\nexport default'),
    );
    await dev.prints(
      'stderr',
      /is not taken, [^]*STRATEGY_OVERRUN: own: it took \d+ ms of CPU and \d+ ms by the clock for one input/,
    );
    dev.child.kill('SIGINT');
    expect((await dev.ended).code).toBe(0);
  }, 60_000);

  it.each([
    ['while it loads', FIRST.replace(/^export default/m, 'for (;;);\nexport default')],
    ['on trial', FIRST.replace('const fair =', 'while (view.time > 0);\n  const fair =')],
  ])(
    'ends the run in order, with its line, when it never returns %s',
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
