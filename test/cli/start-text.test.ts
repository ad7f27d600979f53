// The text before a run, for an operator who starts one for the first time.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startText } from '../../src/cli/start-text.ts';
import { loadConfig } from '../../src/config/index.ts';
import { DAY_LIMIT, exchangeSection, ROOT, STRATEGIES, writeConfig } from '../support/children.ts';

describe('the first lines of a run', () => {
  it('say what starts on the paper exchange', () => {
    const text = startText(loadConfig(join(ROOT, 'config/paper.yaml'), {}));
    expect(text.split('\n').slice(1)).toEqual([
      '  exchange  paper, on this machine: 6 synthetic games, coins',
      '  markets   NBA: moneyline, spread, total, main lines',
      '  strategy  main (../strategies/two-sided.ts)',
      '  limits    $2000 a game, $10000 in all',
      `  journal   ${join('data', 'journal')}`,
      'Ctrl-C stops in order: everything is cancelled first.',
      '',
    ]);
  });

  it('say what starts on a real exchange, without the password', () => {
    const yaml = exchangeSection('https://rest.example', 'https://socket.example', { password: 's3cret' });
    const text = startText(loadConfig(writeConfig(`${yaml}${STRATEGIES}${DAY_LIMIT}`), {}));
    expect(text).toContain('  exchange  https://rest.example as alice, coins\n');
    expect(text).toContain('$100000 a day\n');
    expect(text).not.toContain('s3cret');
  });

  it('fit 80 columns, however long the configuration is', () => {
    const many = `markets: { leagues: [${Array.from({ length: 30 }, (_none, n) => `LEAGUE${n}`).join(', ')}] }\n`;
    const text = startText(loadConfig(writeConfig(`exchange: { embedded: {} }\n${many}${STRATEGIES}`), {}));
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(text).toContain('…\n');
  });
});
