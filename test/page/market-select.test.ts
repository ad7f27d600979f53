// Rank, value and gate of each market in the page and in `ctl markets`, and a reload that changes how many are
// quoted.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { PageState } from '../../src/page/state.ts';
import { shortWhy, whyOf } from '../../web/src/why.ts';
import { command, folder, start, TWO_SIDED, writeConfig } from '../support/children.ts';

/** The first snapshot of the page's stream. */
async function snapshotOf(url: string): Promise<PageState> {
  const abort = new AbortController();
  const { body } = await fetch(`${url}/api/stream`, {
    headers: { authorization: 'Bearer open-sesame' },
    signal: abort.signal,
  });
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const data = /event: snapshot\ndata: (.*)\n\n/.exec(text)?.[1];
    if (data === undefined) continue;
    abort.abort();
    return JSON.parse(data) as PageState;
  }
  throw new Error('the stream ended without a snapshot');
}

describe('a bot that quotes the best markets', () => {
  it('shows where each market stands, and quotes fewer after a reload', async () => {
    const config = writeConfig(
      [
        'exchange: { embedded: { traders: synthetic, games: 2 } }',
        'markets: { select: { by: value, most: 2 } }',
        'strategies:',
        `  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.012, risk: 100 } }`,
        'journal: { dir: ./run }',
        'ledger: { file: ./run/ledger.db }',
        'ops: { port: 0, token: open-sesame }',
        '',
      ].join('\n'),
      folder(),
    );
    const running = start(['run', config, '--json']);
    const url = /"url":"([^"]+)"/.exec(await running.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
    const wanted = async (): Promise<unknown> => {
      const { stdout } = await command(['ctl', config, 'status', '--json']);
      return (JSON.parse(stdout) as { readonly wanted: unknown }).wanted;
    };
    await vi.waitFor(async () => expect(await wanted()).toBe(4), { timeout: 30_000, interval: 500 });

    const { markets, now } = await snapshotOf(url);
    const ranked = Object.values(markets).filter(({ select }) => select !== null);
    expect(ranked.filter(({ select }) => select?.selected === true)).toHaveLength(2);
    expect(now.markets).toBe(2);
    const out = ranked.find(({ select, slots }) => select?.selected === false && slots.length > 0);
    if (out === undefined) throw new Error('no market is left out');
    expect(out.select?.value).toBeGreaterThan(0);
    expect(out.slots[0]).toMatchObject({ control: 'select' });
    expect(shortWhy(out)).toEqual({ text: out.select?.reason, level: 'off' });
    expect(whyOf(out, 0)[0]).toMatch(/^Not selected: .+\.$/);
    const kept = ranked.find(({ select }) => select?.selected === true);
    expect(kept && whyOf(kept, 0)[0]).toMatch(/^Selected: (rank \d+|gate .+), \$[\d.]+ an hour, \$[\d.]+ a permit\.$/);
    const table = (await command(['ctl', config, 'markets'])).stdout;
    expect(table).toMatch(/rank, value/);
    expect(table).toMatch(/ {2}rank \d+, \$[\d.]+ an hour, \$[\d.]+ a permit/);
    expect(table).toMatch(/ {2}out, .*held back by select: /);

    writeFileSync(config, readFileSync(config, 'utf8').replace('most: 2', 'most: 1'));
    const reload = await command(['ctl', config, 'reload']);
    expect(reload.code, reload.stderr).toBe(0);
    await vi.waitFor(async () => expect(await wanted()).toBe(2), { timeout: 10_000, interval: 500 });
    running.child.kill('SIGINT');
    const { code } = await running.ended;
    expect(code).toBe(0);
  });
});
