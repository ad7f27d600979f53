// Tests what `check` adds to errors: types of strategies, and warnings of settings that are valid but
// probably unintended.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Lease, runFiles } from '../../src/ops/index.ts';
import { thisProcess } from '../../src/ops/owner.ts';
import { writeWhole } from '../../src/ops/run-files.ts';
import { command, folder, NO_JOURNAL, start, TWO_SIDED, writeConfig } from '../support/children.ts';

const FAIR_GAME = fileURLToPath(new URL('../../strategies/fair-game.ts', import.meta.url));
const LIVE = `exchange:
  restUrl: https://rest.example.com
  socketUrl: https://socket.example.com
  username: alice
  password: secret
`;
const REST = `risk: { maxDailyLoss: 100 }\nstrategies: [{ use: ${TWO_SIDED}, id: main, params: { edge: 0.01, risk: 10 } }]\n`;

async function warningsOf(yaml: string): Promise<readonly string[]> {
  const { code, stderr } = await command(['check', writeConfig(yaml)]);
  expect(code, stderr).toBe(0);
  return stderr.split('\n').filter((line) => line.startsWith('oddsmaker: warning: '));
}

describe('warnings of oddsmaker check', () => {
  it.each<[string, string, RegExp]>([
    ['plain http', LIVE.replace('https://rest', 'http://rest') + REST, /:2:12: exchange\.restUrl: .*use https/],
    [
      'plain http to sockets',
      LIVE.replace('https://socket', 'http://socket') + REST,
      /:3:14: exchange\.socketUrl: .*use https/,
    ],
    [
      'a namespace in the address of the sockets',
      LIVE.replace('https://socket.example.com', 'https://socket.example.com/priceUpdates') + REST,
      /:3:14: exchange\.socketUrl: .*\/priceUpdates becomes part of them: it is probably https:\/\/socket\.example\.com /,
    ],
    [
      'a query in an address',
      LIVE.replace('https://rest.example.com', 'https://rest.example.com?v=2') + REST,
      /:2:12: exchange\.restUrl: a path is appended to it, behind its query: leave that out$/,
    ],
    [
      'more requests than the exchange takes',
      `${LIVE}  limits: { place: { requests: 6, window: 1s } }\n${REST}`,
      /exchange\.limits\.place: up to 30 in 5s, where the exchange takes 25/,
    ],
    [
      'more cancels than the exchange takes',
      `${LIVE}  limits: { cancel: { requests: 31, window: 2s } }\n${REST}`,
      /exchange\.limits\.cancel: up to 31 in 2s, where the exchange takes 30/,
    ],
    [
      'a short token where others reach the port',
      `${LIVE}ops: { host: 0.0.0.0, token: open-sesame }\n${REST}`,
      /:6:\d+: ops\.token: 0\.0\.0\.0 is reached by others, and 11 characters can be guessed/,
    ],
    [
      'a short token for viewing',
      `${LIVE}ops: { host: 192.0.2.1, token: 0123456789abcdef, viewToken: look }\n${REST}`,
      /ops\.viewToken: 192\.0\.2\.1 is reached by others, and 4 characters/,
    ],
    [
      'no time for late answers',
      `${LIVE}  lateArrival: 0s\n${REST}`,
      /exchange\.lateArrival: .*would not know its order/,
    ],
    [
      'a number of markets that has no effect',
      `${LIVE}markets: { select: { most: 3 } }\n${REST}`,
      /:6:28: markets\.select\.most: it has no effect with by: all; for the best markets set by: value$/,
    ],
    [
      'a total below one game',
      LIVE + REST.replace('{ maxDaily', '{ maxTotalLoss: 100, maxDaily'),
      /risk\.maxTotalLoss: \$100 in all is less than \$2000/,
    ],
    [
      'an order above one game',
      LIVE + REST.replace('{ maxDaily', '{ maxOrderRisk: 500, maxGameLoss: 400, maxDaily'),
      /one order of \$500 may lose more than maxGameLoss \(\$400\)/,
    ],
    [
      'a price that only the strategy bounds',
      LIVE + REST.replace('{ maxDaily', '{ bandWithout: own, maxDaily'),
      /:6:22: risk\.bandWithout: .*the strategy's own fair price/,
    ],
    [
      'a price without bounds',
      LIVE + REST.replace('{ maxDaily', '{ bandWithout: off, maxDaily'),
      /:6:22: risk\.bandWithout: without a consensus nothing bounds a price/,
    ],
    ['no edge', LIVE + REST.replace('edge: 0.01', 'edge: 0'), /strategies\.0\.params\.edge: with no edge/],
    ['no loss limit', LIVE + REST.replace('{ maxDailyLoss: 100 }', '{}'), /risk: no loss stops it/],
    ['an unknown league', `${LIVE}markets: { leagues: [NAB] }\n${REST}`, /league "NAB".*did you mean NBA\?$/],
    [
      'quotes below the smallest order',
      LIVE + REST.replace('risk: 10', 'risk: 0.5'),
      /strategies\.0: it quotes \$0\.50, and the exchange takes no order below \$1\.00/,
    ],
    ['no guard', LIVE + REST, /guard: no guard watches this account/],
  ])('name %s', async (_what, yaml, warning) => {
    expect((await warningsOf(yaml)).join('\n')).toMatch(new RegExp(warning.source, 'm'));
  });

  it('do not name plain http on loopback, nor an embedded exchange without guard and loss limit', async () => {
    const local = LIVE.replace('https://rest.example.com', 'http://127.0.0.1:4000').replace(
      'https://socket.example.com',
      'http://localhost:4000',
    );
    expect((await warningsOf(local + REST)).filter((line) => !/no guard|no alerts are sent/.test(line))).toEqual([]);
    expect(await warningsOf(`exchange: { embedded: {} }\n${REST}`)).toEqual([]);
  });

  it('name a missing guard until a guard runs, and missing alerts until alerts are configured', async () => {
    const workspace = folder();
    const file = writeConfig(`${LIVE}${REST}journal: { dir: ./run }\n`, workspace);
    const files = runFiles(join(workspace, 'run'), 'alice');
    expect((await command(['check', file])).stderr).toContain('no guard');
    // the lease makes the folder’s files; what a guard writes there names a living process
    mkdirSync(files.folder);
    expect(Lease.take(files, 2000)).toBeDefined();
    writeWhole(files.guard, thisProcess());
    expect((await command(['check', file])).stderr).not.toContain('no guard');
    // no alerts are configured yet
    expect((await command(['check', file])).stderr).toContain('no alerts are sent');
    writeFileSync(file, `${readFileSync(file, 'utf8')}alerts: [{ command: /bin/cat }]\n`);
    expect((await command(['check', file])).stderr).not.toContain('no alerts are sent');
  });
});

describe('oddsmaker check, for each strategy', () => {
  it('shows its quotes on a book of the sample, with nothing held and with as much as a game may lose', async () => {
    const file = writeConfig(`exchange: { embedded: {} }\n${REST.replace('edge: 0.01', 'edge: 0.02')}`);
    const { stdout } = await command(['check', file]);
    const quotes = stdout.slice(stdout.indexOf('main, on a book of the sample tape:'));
    expect(quotes).toMatch(
      /moneyline {8}home [-+]\d+ \$10\.00, away [-+]\d+ \$10\.00: half spread 2\.\d %\n +with \$2000 on home: away [-+]\d+ \$10\.00\n/,
    );
    expect(quotes).toMatch(/spread -?[\d.]+ +home .*: half spread 2\.\d %/);
    expect(quotes).toMatch(/total [\d.]+ +over .*: half spread 2\.\d %/);
  });

  it('shows what a position does to every line of a game, to a strategy of whole games', async () => {
    const file = writeConfig(
      `exchange: { embedded: {} }\nstrategies: [{ use: ${FAIR_GAME}, id: whole, params: { risk: 50 } }]\n`,
    );
    const shown = async (...flags: readonly string[]) => {
      const { stdout } = await command(['check', file, ...flags]);
      return stdout.slice(stdout.indexOf('whole, on a game of the sample tape:'), stdout.indexOf('\nParts of games'));
    };
    const short = await shown();
    expect(short).toMatch(/moneyline +home .*\n +spread -?[\d.]+ +home .*\n +total [\d.]+ +over /);
    // what is held on one line moves the others that it decides, and no total
    const held = short.slice(short.indexOf('with $2000 on home of the moneyline:'));
    expect(held).toMatch(/spread -?[\d.]+ +(home|away) .*\n +total [\d.]+ +the same/);
    const long = await shown('--all');
    expect(long.startsWith(short.trimEnd())).toBe(true);
    expect(long).toMatch(/with \$2000 on over of the total [\d.]+:\n +moneyline +the same/);
  });

  it('shows the side for which its probability has no odds', async () => {
    const workspace = folder();
    writeFileSync(
      join(workspace, 'percent.ts'),
      "import { map } from 'rxjs';\nimport { z } from 'zod';\nimport { centsOfDollars, defineStrategy } from 'oddsmaker/strategy';\nexport default defineStrategy({ name: 'percent', params: z.object({}), create: () => (views$) => views$.pipe(map(({ market }) => ({ market: market.id, quotes: [{ side: market.sides[0], risk: centsOfDollars(10), probability: 1e-9 }] }))) });\n",
    );
    const file = writeConfig('exchange: { embedded: {} }\nstrategies: [{ use: ./percent.ts, id: p }]\n', workspace);
    expect((await command(['check', file])).stdout).toMatch(
      /moneyline {8}nothing; there are no odds for home at 1e-9\n/,
    );
  });

  it('shows why it would be disabled', async () => {
    const workspace = folder();
    writeFileSync(
      join(workspace, 'throws.ts'),
      "import { map } from 'rxjs';\nimport { z } from 'zod';\nimport { defineStrategy } from 'oddsmaker/strategy';\nexport default defineStrategy({ name: 'throws', params: z.object({}), create: () => (views$) => views$.pipe(map(() => { throw new Error('it cannot'); })) });\n",
    );
    const file = writeConfig('exchange: { embedded: {} }\nstrategies: [{ use: ./throws.ts, id: bad }]\n', workspace);
    const { code, stdout } = await command(['check', file]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/moneyline +it would be disabled: .*it cannot/)]);
  });
});

describe('the type check of oddsmaker check', () => {
  const strategyFile = (workspace: string, source: string): string => {
    writeFileSync(join(workspace, 'own.ts'), source);
    return writeConfig('exchange: { embedded: {} }\nstrategies: [{ use: ./own.ts, id: own }]\n', workspace);
  };
  const GOOD = `import { map } from 'rxjs';
import { z } from 'zod';
import { type QuoteIntent, defineStrategy } from 'oddsmaker/strategy';
import { reason } from './words.ts';
export default defineStrategy({
  name: 'own',
  params: z.object({}),
  create: () => (views$) => views$.pipe(map((view): QuoteIntent => ({ market: view.market.id, quotes: [], reason }))),
});
`;

  it('reports that it checked the strategies', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'words.ts'), "export const reason = 'none';\n");
    const { code, stdout } = await command(['check', strategyFile(workspace, GOOD)]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Types of the strategies: checked')]);
  });

  it('names file, line and column of each type error, in files that a strategy imports too', async () => {
    const workspace = folder();
    writeFileSync(
      join(workspace, 'words.ts'),
      "export const reason: string = 7 as unknown as string;\nexport const n: number = 'x';\n",
    );
    const { code, stdout, stderr } = await command([
      'check',
      strategyFile(workspace, GOOD.replace('view.market.id', 'view.markte.id')),
    ]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/own\.ts:8:\d+: Property 'markte' does not exist on type 'MarketView'/);
    expect(stderr).toMatch(/words\.ts:2:14: Type 'string' is not assignable to type 'number'/);
  });
});

it('names code that is probably unintended with file and line, as the log of a run does', async () => {
  const own = join(folder(), 'own.ts');
  const source = readFileSync(TWO_SIDED, 'utf8');
  writeFileSync(own, `let seen = 0;\nexport const count = () => (seen += 1);\n${source}`);
  const yaml = `exchange: { embedded: {} }\n${REST.replace(TWO_SIDED, own)}${NO_JOURNAL}`;
  expect(await warningsOf(yaml)).toContainEqual(expect.stringMatching(/own\.ts:1: seen is one for all markets/));
  const running = start(['run', writeConfig(yaml)]);
  const shown = await running.prints('stderr', /a strategy has code that is valid but probably unintended.*\n/);
  expect(shown).toMatch(/"line":1,"warning":"seen is one for all markets/);
});
