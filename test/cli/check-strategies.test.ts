// Strategies with markets, limits and parameters of their own: what `check` shows, and what is refused with its line.
import { describe, expect, it } from 'vitest';
import { command, NO_JOURNAL, TWO_SIDED, writeConfig } from '../support/children.ts';

const strategy = (id: string, more = ''): string =>
  `  - { use: ${TWO_SIDED}, id: ${id}, params: { edge: 0.02, risk: 100 }${more === '' ? '' : `, ${more}`} }\n`;
const config = (...strategies: readonly string[]): string =>
  writeConfig(
    `exchange: { embedded: {} }\nmarkets: { leagues: [NBA, EPL], types: [moneyline, spread] }\nstrategies:\n${strategies.join('')}${NO_JOURNAL}`,
  );

describe('check', () => {
  it('shows who quotes what, and reports two strategies on one market', async () => {
    const { code, stdout, stderr } = await command([
      'check',
      config(
        strategy('main', 'markets: { leagues: [nba] }, by: { league: { NBA: { edge: 0.03 } } }'),
        strategy('soccer', 'markets: { leagues: [EPL], types: [spread] }'),
        strategy('all', 'markets: { types: [spread] }'),
      ),
    ]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('main: nba · moneyline, spread · full · parameters of its own for NBA');
    expect(stdout).toContain('soccer: EPL · spread · full');
    expect(stderr).toContain('main and all both quote spread of nba: where their quotes would cross, main wins');
    expect(stderr).toContain('soccer and all both quote spread of EPL');
    expect(stderr).not.toContain('main and soccer');
  });

  it('warns of a limit above that of the account, which holds in any case', async () => {
    const { code, stderr } = await command(['check', config(strategy('main', 'risk: { maxGameLoss: 3000 }'))]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/:4:\d+: strategies\.0\.risk\.maxGameLoss: 3000 has no effect: risk\.maxGameLoss of the/);
  });

  it.each([
    [
      'by: { league: { NBA: { egde: 0.03 } } }',
      'strategies.0.by.league.NBA.egde: unknown parameter; did you mean edge?',
    ],
    ['by: { league: { NBA: { edge: 3 } } }', 'strategies.0.by.league.NBA.edge: '],
    ['by: { league: { MLB: { edge: 0.03 } } }', 'strategies.0.by.league.MLB: MLB is not in markets.leagues (NBA, EPL)'],
    ['markets: { leagues: [MLB] }', 'strategies.0.markets.leagues: MLB is not in markets.leagues'],
    ['markets: { types: [total] }', 'strategies.0.markets.types: total is not in markets.types'],
    ['risk: { maxOrdrRisk: 30 }', 'maxOrdrRisk'],
    ['warmUp: soon', 'strategies.0.warmUp'],
  ])('refuses %s with its line', async (more, text) => {
    const file = config(strategy('main', more));
    const { code, stderr } = await command(['check', file]);
    expect(code).toBe(78);
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/bot\.yaml:4:\d+|\.yaml:4:\d+/);
  });
});
