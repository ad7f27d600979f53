// What a reload prints: each key with its old and new value, and whether types were checked.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { livePartOf } from '../../src/setup/live-config.ts';
import { reloadText } from '../../src/guard/running-bot.ts';
import { attemptStrategy } from '../../src/live/strategy-attempt.ts';
import { loadConfig } from '../../src/config/index.ts';
import { forgetSecrets } from '../../src/domain/index.ts';
import { folder, TWO_SIDED } from '../support/children.ts';

afterEach(() => forgetSecrets());

const yaml = (params: string, rest: string): string =>
  `exchange: { embedded: {} }\nstrategies:\n  - { use: ./own.ts, id: main, params: ${params} }\n${rest}`;

function load(text: string, env: Readonly<Record<string, string>> = {}) {
  const file = join(folder(), 'bot.yaml');
  writeFileSync(file, text);
  return loadConfig(file, env);
}

describe('the text of a reload', () => {
  it('shows each key with both values, and no secret', () => {
    const before = load(
      yaml('{ edge: 0.01, apiKey: one, pwd: "${X}" }', 'risk: { staleAfter: 10s, maxGameLoss: 100 }\n'),
      { X: 'abc' },
    );
    const after = load(
      yaml('{ edge: 0.02, apiKey: two, pwd: "${Y}" }', 'risk: { staleAfter: 12s, maxGameLoss: 50 }\n'),
      { Y: 'def' },
    );
    const { live, later, changes } = livePartOf(before.config, after.config);
    const text = reloadText({ ok: true, done: 'reload', changed: live, later, changes }, true);
    expect(text.split('\n').sort()).toEqual(
      [
        'would change live:',
        '  strategies.0.params.edge: 0.01 → 0.02',
        '  strategies.0.params.apiKey: "[hidden]" → "[hidden]"',
        '  strategies.0.params.pwd: "${X}" → "${Y}"',
        '  risk.maxGameLoss: 100 → 50',
        'waits for the next start:',
        '  risk.staleAfter: 10000 → 12000',
      ].sort(),
    );
  });

  it('says that types were not checked when typescript is not installed', async () => {
    const loaded = load(yaml('{ edge: 0.01, risk: 50 }', ''));
    copyFileSync(TWO_SIDED, loaded.resolve('./own.ts'));
    const why = 'typescript is not installed';
    const bot = {
      loading: () => undefined,
      thrownIn: () => undefined,
      tryOut: () => ({ shown: 0, quoted: 0, faults: [] }),
    };
    const attempt = async () =>
      attemptStrategy(loaded, 0, {
        bot,
        types: () => Promise.resolve({ problems: undefined, why }),
        running: undefined,
      });
    let found = await attempt();
    while ('torn' in found) found = await attempt();
    expect(found).toMatchObject({ took: { untyped: why } });
    const text = reloadText({ ok: true, done: 'reload', replaced: ['main'], untyped: why }, false);
    expect(text).toContain('types are not checked: typescript is not installed');
  });
});
