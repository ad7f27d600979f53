// Old journals are removed, except those that may still be needed.
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { JournalWriter } from '../../src/journal/journal.ts';
import { planRemoval, removeOldJournals } from '../../src/journal/journal-retention.ts';
import { stampedName } from '../../src/files/stamped-name.ts';
import { GOOD_DISK } from '../support/disk.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2030-02-01T00:00:00Z');

describe('planRemoval', () => {
  /** Journals of the given days before now, a thousand bytes each, the last one of the current run. */
  const stored = (...daysAgo: number[]) =>
    daysAgo.map((days) => ({
      name: stampedName(NOW - days * DAY_MS, `run${days}`),
      files: [`run${days}`],
      bytes: 1000,
      changedMs: NOW - (days - 1) * DAY_MS,
    }));
  const gone = (
    daysAgo: readonly number[],
    rules: { keepMs?: number; mostBytes?: number },
    runs: ReadonlySet<string> | undefined = new Set(),
  ) => {
    const journals = stored(...daysAgo);
    const current = journals.at(-1)?.name ?? '';
    const plan = planRemoval(
      journals,
      { keepMs: rules.keepMs, mostBytes: rules.mostBytes },
      { current, runs, nowMs: NOW },
    );
    return { gone: plan.journals.map(({ files }) => files[0]), beyond: plan.beyond };
  };
  const days = [40, 35, 20, 3, 1];

  it.each([
    ['no journal without a rule', {}, new Set<string>(), [], 0],
    ['journals that ended before the age limit', { keepMs: 30 * DAY_MS }, new Set<string>(), ['run40', 'run35'], 0],
    ['the oldest journals beyond the size limit', { mostBytes: 3500 }, new Set<string>(), ['run40', 'run35'], 0],
    [
      'journals by both rules',
      { keepMs: 38 * DAY_MS, mostBytes: 2000 },
      new Set<string>(),
      ['run40', 'run35', 'run20'],
      0,
    ],
    [
      'all journals but the running one by size',
      { mostBytes: 1 },
      new Set<string>(),
      ['run40', 'run35', 'run20', 'run3'],
      999,
    ],
    [
      'all journals but the running one by age',
      { keepMs: 1 },
      new Set<string>(),
      ['run40', 'run35', 'run20', 'run3'],
      0,
    ],
    ['no journal since the run of an open fill', { keepMs: 1 }, new Set(['run20']), ['run40', 'run35'], 0],
    ['no journal since the oldest run of an open fill', { mostBytes: 1 }, new Set(['run3', 'run35']), ['run40'], 3999],
    [
      'no journal when the run of an open fill is unknown',
      { keepMs: 1, mostBytes: 1 },
      new Set(['elsewhere']),
      [],
      4999,
    ],
    ['no journal when the open fills are unknown', { keepMs: 1, mostBytes: 1 }, undefined, [], 4999],
  ])('removes %s', (_name, rules, runs, names, beyond) => {
    // an undefined argument would get the default
    const plan = runs === undefined ? planOfUnknown(rules) : gone(days, rules, runs);
    expect(plan).toEqual({ gone: names, beyond });
  });
  const planOfUnknown = (rules: { keepMs?: number; mostBytes?: number }) => {
    const journals = stored(...days);
    const { keepMs, mostBytes } = rules;
    const current = journals.at(-1)?.name ?? '';
    const plan = planRemoval(journals, { keepMs, mostBytes }, { current, runs: undefined, nowMs: NOW });
    return { gone: plan.journals.map(({ files }) => files[0]), beyond: plan.beyond };
  };
});

describe('removeOldJournals', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const OWNER = { username: 'alice', mode: 'cash', restUrl: 'https://exchange.example' };
  const exchange = { username: 'alice', playerMode: 'cash', restUrl: 'https://exchange.example' };

  it('removes all files of old journals of this account, exchange and mode, and nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'retention-'));
    folders.push(folder);
    const write = async (
      daysAgo: number,
      run: string,
      section: Readonly<Record<string, unknown>> = exchange,
      partBytes?: number,
    ): Promise<string> => {
      const file = join(folder, stampedName(NOW - daysAgo * DAY_MS, `${run}.ndjson.zst`));
      const header = { version: '1', config: { exchange: section }, strategies: [], profile: {} };
      const writer = new JournalWriter(file, header, GOOD_DISK, partBytes);
      for (let seq = 1; seq <= 1500; seq++) writer.record({ seq, t: 1, mono: seq, in: { type: 'tick' } }, []);
      await writer.close();
      for (const name of readdirSync(folder).filter((entry) => entry.includes(`-${run}.`)))
        utimesSync(join(folder, name), (NOW - daysAgo * DAY_MS) / 1000, (NOW - daysAgo * DAY_MS) / 1000);
      return file;
    };
    const old = await write(50, 'old', exchange, 1);
    // a killed run leaves a tail
    writeFileSync(old.replace('.zst', '.tail1'), '{"tail":1,"at":0}\n');
    const kept = [
      await write(49, 'others', { ...exchange, username: 'bob' }),
      await write(48, 'coins', { ...exchange, playerMode: 'coins' }),
      await write(47, 'paper', { ...exchange, restUrl: 'http://127.0.0.1:9' }),
      await write(2, 'recent'),
      await write(1, 'running'),
      join(folder, 'notes.ndjson'),
      join(folder, 'alice.lease'),
      join(folder, stampedName(NOW - 60 * DAY_MS, 'broken.ndjson')),
    ];
    for (const file of kept.slice(-3)) writeFileSync(file, 'mine');
    const rules = { keepMs: 30 * DAY_MS, mostBytes: undefined };
    const { journals } = await removeOldJournals(kept[4] ?? '', OWNER, rules, new Set(), NOW);
    expect(journals.map(({ files }) => files.length)).toEqual([3]);
    expect(existsSync(old)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes('-old.'))).toEqual([]);
    expect(kept.filter((file) => !existsSync(file))).toEqual([]);
  });
});
