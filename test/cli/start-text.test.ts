// What is told before a run, for whoever starts one for the first time.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startText } from '../../src/cli/start-text.ts';
import { loadConfig } from '../../src/config/index.ts';
import { DAY_LIMIT, exchangeSection, ROOT, STRATEGIES, writeConfig } from '../support/children.ts';

describe('the first lines of a run', () => {
  it('tell what is started on the paper exchange', () => {
    const told = startText(loadConfig(join(ROOT, 'config/paper.yaml'), {}));
    expect(told.split('\n').slice(1)).toEqual([
      '  exchange  paper, on this machine: 6 synthetic games, coins',
      '  markets   NBA: moneyline, spread, total, main lines',
      '  strategy  main (../strategies/two-sided.ts)',
      '  limits    $2000 a game, $10000 in all',
      `  journal   ${join('data', 'journal')}`,
      'Ctrl-C stops in order: everything is cancelled first.',
      '',
    ]);
  });

  it('tell what is started on a real one, and no password', () => {
    const yaml = exchangeSection('https://rest.example', 'https://socket.example', { password: 's3cret' });
    const told = startText(loadConfig(writeConfig(`${yaml}${STRATEGIES}${DAY_LIMIT}`), {}));
    expect(told).toContain('  exchange  https://rest.example as alice, coins\n');
    expect(told).toContain('$100000 a day\n');
    expect(told).not.toContain('s3cret');
  });

  it('fit 80 columns, however much there is to tell', () => {
    const many = `markets: { leagues: [${Array.from({ length: 30 }, (_none, n) => `LEAGUE${n}`).join(', ')}] }\n`;
    const told = startText(loadConfig(writeConfig(`exchange: { embedded: {} }\n${many}${STRATEGIES}`), {}));
    for (const line of told.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(told).toContain('…\n');
  });
});
