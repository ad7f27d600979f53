// A backtest writes a journal like that of a live run, for the same commands.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { command as run, folder, NO_JOURNAL, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { MadeTape } from './made-tape.ts';

const generated = (): string => {
  const file = join(folder(), 'generated.ndjson.gz');
  writeGeneratedTape(file, 60);
  return file;
};

function takerTape(): string {
  const market = new MadeTape({ perspective: 'taker' }).game(0);
  for (let i = 0; i < 40; i++)
    market
      .side(i, 'home', [{ id: 'h', odds: 110, risk: 4000, left: 4000 - 40 * i }])
      .side(i, 'away -3.5', [{ id: 's', odds: -105, risk: 100 + i }])
      .side(i, 'away', [{ id: 'a', odds: 110, risk: 4000, left: 4000 - 40 * i }]);
  return market.write();
}

/** A tape of lines that JSON would reorder: whole ones before halves, negative ones last. */
function manyLinesTape(): string {
  const market = new MadeTape({}).game(0);
  for (let i = 0; i < 30; i++)
    for (const line of ['-2.5', '-1', '0', '0.5', '1', '2', '10.5']) {
      market.side(i, `home ${Number(line)}`, [{ id: `h${line}`, odds: 110, risk: 4000, left: 4000 - 40 * i }]);
      market.side(i, `away ${0 - Number(line)}`, [{ id: `a${line}`, odds: 110, risk: 4000, left: 4000 - 40 * i }]);
    }
  return market.write();
}

const replayed = z.object({ ok: z.literal(true), compared: z.object({ records: z.int().min(100) }) });

describe('a backtest with --journal', () => {
  it.each([
    ['of three markets', generated],
    ['in the taker’s view', takerTape],
    ['of many lines', manyLinesTape],
  ])(
    'writes a journal that can be replayed, checked and explained: a tape %s',
    { timeout: 60_000 },
    async (_what, tape) => {
      const out = folder();
      const config = writeConfig(`exchange: { embedded: {} }\nmarkets: { lines: all }\n${STRATEGIES}${NO_JOURNAL}`);
      const flags = ['backtest', config, '--tape', tape(), '--out', out, '--fills', 'optimistic'];
      const plain = await run(flags);
      expect(plain.code, plain.stderr).toBe(0);
      const result = readFileSync(join(out, 'result.json'), 'utf8');
      // a journal of an earlier run is replaced
      writeFileSync(join(out, 'optimistic.ndjson'), 'something else');
      const journaled = await run([...flags, '--journal']);
      expect(journaled.code, journaled.stderr).toBe(0);
      expect(readFileSync(join(out, 'result.json'), 'utf8')).toBe(result);
      const journal = join(out, 'optimistic.ndjson');
      expect(statSync(journal).size).toBeGreaterThan(10_000);
      const replay = await run(['replay', '--verify', journal, '--json']);
      expect(replay.code, replay.stdout).toBe(0);
      replayed.parse(JSON.parse(replay.stdout));
      const conform = await run(['conform', journal]);
      expect(conform.code, conform.stdout).toBe(0);
      const [head = '', fill = ''] = readFileSync(join(out, 'fills.csv'), 'utf8').split('\n');
      const cell = (name: string): string => fill.split(',')[head.split(',').indexOf(name)] ?? '';
      const [ref, txId] = [cell('order'), cell('tx')];
      const why = await run(['why', journal, ref]);
      expect(why.code, why.stderr).toBe(0);
      expect(why.stdout).toContain(txId);
      expect(why.stdout).toMatch(
        /IntentBrought +(orderUpdate of the price feed: (moneyline|spread|total)|the answer to a request)/,
      );
    },
  );
});
