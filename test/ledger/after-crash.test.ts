// Which starts after a crash wait for an operator, by the files of the runs; and which states survive a
// restart.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CrashFacts } from '../../src/ops/index.ts';
import { afterCrash, StandingFile } from '../../src/ops/index.ts';
import { ownFiles } from '../guard/fixtures.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const MINUTE = 60_000;
const FENCE = { id: 'f', when: '', why: 'it is gone', by: 1, hung: false, cleared: undefined };
const facts = (changes: Partial<CrashFacts> = {}): CrashFacts => ({
  onCrash: 'resume',
  dead: { pid: 1, id: '1 host 100' },
  now: NOW,
  fence: undefined,
  kept: { crashes: [] },
  runs: ['a'],
  ...changes,
});
const crashed = (...minutesAgo: readonly number[]) => ({
  crashes: minutesAgo.map((ago) => ({ id: `1 host ${ago}`, at: NOW - ago * MINUTE })),
});

describe('the start after a crash', () => {
  it.each<[string, Partial<CrashFacts>, number]>([
    ['the first crash', {}, 1],
    ['the second crash in ten minutes', { kept: crashed(9) }, 2],
    ['the third crash, when the first is older than ten minutes', { kept: crashed(11, 9) }, 2],
    ['a crash of a bot that the guard fenced as dead', { fence: FENCE }, 1],
    [
      'a crash that the start before counted already and sent nothing',
      { kept: { crashes: [{ id: '1 host 100', at: NOW - MINUTE }, ...crashed(2).crashes] } },
      2,
    ],
  ])('resumes trading by itself after %s', (_name, changes, crashes) => {
    const { after } = afterCrash(facts(changes));
    expect(after).toEqual({ pid: 1, crashes, runs: ['a'] });
  });

  it.each<[string, Partial<CrashFacts>, RegExp]>([
    [
      'the third crash in ten minutes, each with the pid of a container',
      { kept: crashed(9, 1) },
      /3 runs in ten minutes/,
    ],
    ['the third crash, though the clock stepped back', { kept: crashed(-5, 1) }, /3 runs/],
    [
      'a crash behind the fence of a bot that hung',
      { fence: { ...FENCE, hung: true, cleared: NOW } },
      /hung: it is gone/,
    ],
    ['a crash when onCrash is wait', { onCrash: 'wait' }, /onCrash: wait/],
  ])('waits for an operator after %s', (_name, changes, why) => {
    expect(afterCrash(facts(changes)).after.wait).toMatch(why);
  });
});

describe('the standing file', () => {
  it('keeps a halt and a pause for the next run, readable by its user alone', () => {
    const { standing: file } = ownFiles();
    const standing = { state: 'halted', reason: 'an operator asked for it', paused: true } as const;
    new StandingFile(file).keep({ standing });
    expect(new StandingFile(file).state).toMatchObject({ standing });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    new StandingFile(file).keep({ standing: undefined });
    expect(new StandingFile(file).state.standing).toBeUndefined();
  });

  it('counts as a halt when it cannot be read', () => {
    const { standing: file } = ownFiles();
    new StandingFile(file).keep({ crashes: [] });
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 5));
    const { standing } = new StandingFile(file).state;
    expect(standing).toMatchObject({ state: 'halted', paused: false });
    expect(standing?.reason).toContain(file);
  });
});
