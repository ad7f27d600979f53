// Compact forms of tapes are kept in the cache folder of the user, and nowhere else.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, NO_JOURNAL, run, STRATEGIES, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const DAY_S = 86_400;

function scene() {
  const home = folder();
  const [tapes, cache] = [join(home, 'tapes'), join(home, 'cache')];
  mkdirSync(tapes);
  const tape = join(tapes, 'theirs.ndjson.gz');
  writeGeneratedTape(tape, 20);
  const hash = createHash('sha256').update(readFileSync(tape)).digest('hex');
  const compact = join(cache, 'oddsmaker', `theirs.ndjson.gz.${hash.slice(0, 16)}.compact`);
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const backtest = async () => {
    const flags = ['--fills', 'pessimistic', '--out', join(home, 'out')];
    const { code, stderr } = await run(['backtest', config, '--tape', tape, ...flags], {
      XDG_CACHE_HOME: cache,
    });
    expect(code, stderr).toBe(0);
    return readFileSync(join(home, 'out/result.json'), 'utf8');
  };
  return { tapes, cache, compact, backtest };
}

describe('the compact form of a tape', () => {
  it('is kept in the cache folder, and nothing is written beside the tape', async () => {
    const { tapes, compact, backtest } = scene();
    const first = await backtest();
    expect(existsSync(compact)).toBe(true);
    expect(readdirSync(tapes)).toEqual(['theirs.ndjson.gz']);
    const made = statSync(compact).ino;
    // it is used, not made again, and its time of use is kept
    utimesSync(compact, 0, 0);
    expect(await backtest()).toBe(first);
    expect(statSync(compact).ino).toBe(made);
    expect(statSync(compact).mtimeMs).toBeGreaterThan(0);
  });

  it('is optional: a backtest also runs with a read-only folder of tapes and without a cache folder', async () => {
    const { tapes, cache, backtest } = scene();
    chmodSync(tapes, 0o500);
    writeFileSync(cache, 'no folder');
    const first = await backtest();
    expect(readdirSync(tapes)).toEqual(['theirs.ndjson.gz']);
    expect(await backtest()).toBe(first);
  });

  it('is deleted after a month without use, when another one is made', async () => {
    const { cache, compact, backtest } = scene();
    const kept = join(cache, 'oddsmaker');
    mkdirSync(kept, { recursive: true });
    const others = { 'old.compact': 31, 'half.compact.77': 31, 'new.compact': 29, 'old.frames': 90 };
    for (const [name, days] of Object.entries(others)) {
      writeFileSync(join(kept, name), '');
      const then = Date.now() / 1000 - days * DAY_S;
      utimesSync(join(kept, name), then, then);
    }
    await backtest();
    expect(readdirSync(kept)).toEqual(
      expect.arrayContaining(['new.compact', 'old.frames', compact.slice(kept.length + 1)]),
    );
    expect(readdirSync(kept).filter((name) => /^(?:old|half)\.compact/.test(name))).toEqual([]);
  });
});
