// Which starts after a crash wait for an operator, as far as the files of a run tell; and what holds over restarts.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CrashFacts } from '../../src/ops/index.ts';
import { afterCrash, StandingFile } from '../../src/ops/index.ts';
import { ownFiles } from '../guard/fixtures.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const MINUTE = 60_000;
const FENCE = { id: 'f', when: '', why: 'it is gone', by: 1, hung: false, cleared: undefined };
const facts = (more: Partial<CrashFacts> = {}): CrashFacts => ({
  onCrash: 'resume',
  dead: { pid: 1, id: '1 host 100' },
  now: NOW,
  fence: undefined,
  kept: { crashes: [] },
  runs: ['a'],
  ...more,
});
const crashed = (...minutesAgo: readonly number[]) => ({
  crashes: minutesAgo.map((ago) => ({ id: `1 host ${ago}`, at: NOW - ago * MINUTE })),
});

describe('the start after a crash', () => {
  it.each<[string, Partial<CrashFacts>, number]>([
    ['the first', {}, 1],
    ['the second in ten minutes', { kept: crashed(9) }, 2],
    ['the third, one of them longer ago', { kept: crashed(11, 9) }, 2],
    ['one behind the fence of a dead bot', { fence: FENCE }, 1],
    [
      'one that finds a crash once more, since the start before sent nothing',
      { kept: { crashes: [{ id: '1 host 100', at: NOW - MINUTE }, ...crashed(2).crashes] } },
      2,
    ],
  ])('goes on: %s', (_what, more, crashes) => {
    const { after } = afterCrash(facts(more));
    expect(after).toEqual({ pid: 1, crashes, runs: ['a'] });
  });

  it.each<[string, Partial<CrashFacts>, RegExp]>([
    ['the third in ten minutes, all with the pid of a container', { kept: crashed(9, 1) }, /3 runs in ten minutes/],
    ['the third, though the clock stepped back', { kept: crashed(-5, 1) }, /3 runs/],
    ['behind the fence of a bot that hung', { fence: { ...FENCE, hung: true, cleared: NOW } }, /hung: it is gone/],
    ['with onCrash: wait', { onCrash: 'wait' }, /onCrash: wait/],
  ])('waits: %s', (_what, more, why) => {
    expect(afterCrash(facts(more)).after.wait).toMatch(why);
  });
});

describe('what holds over restarts', () => {
  it('is there for the next run, readable by its user alone', () => {
    const { standing: file } = ownFiles();
    const standing = { state: 'halted', reason: 'an operator asked for it', paused: true } as const;
    new StandingFile(file).keep({ standing });
    expect(new StandingFile(file).state).toMatchObject({ standing });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    new StandingFile(file).keep({ standing: undefined });
    expect(new StandingFile(file).state.standing).toBeUndefined();
  });

  it('is a halt where it cannot be read', () => {
    const { standing: file } = ownFiles();
    new StandingFile(file).keep({ crashes: [] });
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 5));
    const { standing } = new StandingFile(file).state;
    expect(standing).toMatchObject({ state: 'halted', paused: false });
    expect(standing?.reason).toContain(file);
  });
});
