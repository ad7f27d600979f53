// Runs the README's backtest of the sample as written, and compares the curve that the README links to.
// `npx vitest run --project long test/docs/readme.long.test.ts -u` draws the curve again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { resultSchema } from '../../src/backtest/result.ts';
import type { Ended } from '../support/children.ts';
import { command, folder, ROOT } from '../support/children.ts';
import { blocksOf, commandsOf } from '../support/typed.ts';
import { textOf as pageOf } from './pages.ts';

const README = pageOf('README.md');
const PICTURE = 'docs/sample-pnl.svg';

type Score = { readonly home: number; readonly away: number };

let ended: Ended;
const PLAYED = ['pessimistic', 'calibrated'] as const;

let out: string;
let result: BacktestResult;
const textOf = (name: string): string => readFileSync(join(out, name), 'utf8');

beforeAll(async () => {
  const [line = ''] = commandsOf(README).flatMap((command) =>
    command.line.startsWith('npx oddsmaker backtest ') ? [command.line] : [],
  );
  const args = line.split(/\s+/).slice(2);
  out = folder();
  args[args.indexOf('--out') + 1] = out;
  ended = await command(args);
  result = resultSchema.parse(JSON.parse(textOf('result.json')));
});

describe('the second command of the README', () => {
  it('uses a configuration that `oddsmaker check` accepts', async () => {
    const { code, stdout, stderr } = await command(['check', 'examples/sample.yaml']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^examples\/sample\.yaml is good\./);
  });

  it('backtests the sample in two scenarios, settles every fill and exits with 0', () => {
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(Object.keys(result.scenarios)).toEqual(PLAYED);
    for (const scenario of PLAYED) {
      const outcome = result.scenarios[scenario];
      expect(outcome?.fills).toBeGreaterThan(100);
      expect(outcome?.pnl.unsettled).toEqual([]);
      expect(outcome?.pnl.settled).toBe(outcome?.pnl.marked);
      expect(outcome?.quotedShare).toBeGreaterThan(0.9);
    }
  });

  it('settles each fill by the score of its game', () => {
    const scores = JSON.parse(readFileSync(join(ROOT, 'examples/sample-scores.json'), 'utf8')) as Record<string, Score>;
    const [head = '', ...rows] = textOf('fills.csv').trimEnd().split('\n');
    const names = head.split(',');
    const fills = rows.map((row) => {
      const cells = row.split(',');
      return (name: string): string => cells[names.indexOf(name)] ?? '';
    });
    for (const scenario of PLAYED) {
      let settled = 0;
      for (const fill of fills) {
        if (fill('scenario') !== scenario) continue;
        const won = wins(fill('market'), fill('side'), scores[fill('game')]);
        settled += won ? Number(fill('win')) : -Number(fill('risk'));
      }
      // hundreds of fills, each rounded to cents
      expect(Math.abs(settled - (result.scenarios[scenario]?.pnl.settled ?? Number.NaN))).toBeLessThan(2);
    }
  });

  it('shows how much the filled risk depends on the fill scenario', () => {
    const [least, most] = PLAYED.map((scenario) => result.scenarios[scenario]?.riskFilled ?? 0);
    expect(least).toBeLessThan(most ?? 0);
  });

  it('draws the curve that the README links to', async () => {
    expect(README).toContain(`](${PICTURE})`);
    await expect(textOf('pnl.svg')).toMatchFileSnapshot(join('../..', PICTURE));
  });
});

it('the README shows the strategy that docs/strategies.md runs', () => {
  const [strategy] = blocksOf(README, 'ts');
  expect(blocksOf(pageOf('docs/strategies.md'), 'ts')).toContain(strategy);
});

/** Whether a bet wins. Lines of the sample are half points and no game ends level, so no bet is a push. */
function wins(market: string, side: string, score: Score | undefined): boolean {
  if (score === undefined) throw new Error(`no score for ${market}`);
  const [, type, line = '0'] = market.split('/');
  const over = type === 'total' ? score.home + score.away - Number(line) : score.home - score.away + Number(line);
  return over > 0 === (side === 'home' || side === 'over');
}
