// The folder of the values that strategies keep over restarts.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GameId, PersistedValue, StrategyId } from '../../src/domain/index.ts';
import { PersistedFolder } from '../../src/ops/index.ts';
import { folder } from '../support/children.ts';

const DAY_MS = 86_400_000;
const value = (strategy: string, game: string, kept: unknown): PersistedValue => ({
  strategy: strategy as StrategyId,
  game: game as GameId,
  value: kept,
});
const fresh = () => join(folder(), 'alice.persisted');
const read = (path: string, now = 1000) => {
  const problems: string[] = [];
  const { former } = new PersistedFolder(path, now, (text) => problems.push(text));
  return { former, problems };
};

describe('the folder of persisted values', () => {
  it('keeps the newest value of each strategy and game, whatever their ids are', () => {
    const path = fresh();
    const kept = new PersistedFolder(path, 0, (text) => expect.unreachable(text));
    const values = [value('main', 'a/../b', { n: 2 }), value('main', 'g2', [1]), value('other', 'g2', null)];
    kept.keep(value('main', 'a/../b', { n: 1 }), 500);
    for (const each of values) kept.keep(each, 1000);
    const { former, problems } = read(path);
    expect(former).toHaveLength(3);
    expect(former).toEqual(expect.arrayContaining(values));
    expect(problems).toEqual([]);
    expect(readdirSync(path).every((name) => /^[0-9a-f]{24}\.json$/.test(name))).toBe(true);
  });

  it('forgets a value that was not set for 30 days', () => {
    const path = fresh();
    const kept = new PersistedFolder(path, 0, (text) => expect.unreachable(text));
    kept.keep(value('main', 'old', 1), 0);
    kept.keep(value('main', 'new', 2), 1);
    expect(read(path, 30 * DAY_MS + 1).former).toEqual([value('main', 'new', 2)]);
    expect(readdirSync(path)).toHaveLength(1);
  });

  it('names a file that is no such value, leaves it, and reads the others', () => {
    const path = fresh();
    mkdirSync(path);
    const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
    const bad = ['', '[]', '{"strategy":"main"', '{"strategy":"main","game":"g1","setAt":1}'];
    const texts = [...bad, `{"strategy":"main","game":"g1","setAt":1,"value":${deep}}`];
    for (const [index, text] of texts.entries()) writeFileSync(join(path, `${index}.json`), text);
    writeFileSync(join(path, '9.json.77.tmp'), '{"strategy":"main"');
    new PersistedFolder(path, 0, () => undefined).keep(value('main', 'g2', 3), 1000);
    const { former, problems } = read(path);
    expect(former).toEqual([value('main', 'g2', 3)]);
    expect(problems).toEqual([
      ...bad.map((_text, index) => `${join(path, `${index}.json`)}: it is not a value of a strategy`),
      `${join(path, '4.json')}: it is nested more than 100 levels deep, or contains itself`,
    ]);
    expect(readdirSync(path)).toContain('0.json');
  });
});
