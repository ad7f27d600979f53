// What a strategy persists, over a kill and a restart: it is there again, and both journals replay.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { folder, run, start, writeConfig } from '../support/children.ts';

const STRATEGY = `
import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';

export default defineStrategy({
  name: 'counting',
  params: z.object({ key: z.string() }),
  create: ({ params, persist, log }) => (views$) => {
    const former = persist.get();
    log('former', { former });
    let views = former?.views ?? 0;
    return views$.pipe(
      map(({ market }) => {
        persist.set({ views: (views += 1), key: params.key });
        return { market: market.id, quotes: [] };
      }),
    );
  },
});
`;
const SECRET = 'open-sesame-4711';

describe('a persisted value', () => {
  it('survives a kill: at most its last half second is lost, no secret is written, and the journals replay', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'counting.ts'), STRATEGY);
    const config = writeConfig(
      [
        'exchange: { embedded: { traders: synthetic, games: 2 } }',
        'markets: { leagues: [NBA], types: [moneyline], lines: main }',
        'strategies:',
        '  - { use: ./counting.ts, id: main, params: { key: "${KEY}" } }',
        'journal: { dir: ./run }',
        'ledger: { file: ./run/ledger.db }',
        'onCrash: resume',
        'ops: { port: 0, token: sesame }',
        '',
      ].join('\n'),
      workspace,
    );
    const env = { KEY: SECRET };
    const kept = join(workspace, 'run', 'demo.persisted');
    const viewsIn = (): readonly number[] =>
      readdirSync(kept)
        .filter((name) => name.endsWith('.json'))
        .map(
          (name) => (JSON.parse(readFileSync(join(kept, name), 'utf8')) as { value: { views: number } }).value.views,
        );

    const first = start(['run', config, '--json'], env);
    await vi.waitFor(() => expect(Math.min(...viewsIn(), viewsIn().length)).toBeGreaterThan(1), { timeout: 30_000 });
    first.child.kill('SIGKILL');
    await first.ended;
    const left = viewsIn();
    expect(
      readdirSync(kept)
        .map((name) => readFileSync(join(kept, name), 'utf8'))
        .join(''),
    ).not.toContain(SECRET);

    const second = start(['run', config, '--json'], env);
    await vi.waitFor(() => expect(Math.max(...viewsIn())).toBeGreaterThan(Math.max(...left)), { timeout: 30_000 });
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(0);
    const formers = second.output.stderr
      .split('\n')
      .filter((line) => line.includes('"former"'))
      .map((line) => (JSON.parse(line) as { former?: { views: number; key: string } }).former);
    expect(formers).toEqual(left.map((views) => ({ views, key: '${KEY}' })));

    const journals = readdirSync(join(workspace, 'run'))
      .filter((name) => name.endsWith('.ndjson.zst'))
      .sort();
    expect(journals).toHaveLength(2);
    for (const name of journals) {
      const journal = join(dirname(config), 'run', name);
      const replay = await run(['replay', journal, '--verify', '--config', config], env);
      expect(replay.stdout).toContain('Every command is the same');
      // a kill leaves a torn journal
      expect(replay.code).toBe(name === journals[0] ? 65 : 0);
      const { stdout } = await run(['events', journal, '--json']);
      expect(stdout).toContain('"ValuePersisted"');
      expect(stdout).not.toContain(SECRET);
    }
  });
});
