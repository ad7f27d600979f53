// Each rule on journals of a few records, some that just keep the rule and some that break it; then on the
// bot under faults.
import { describe, expect, it } from 'vitest';
import { Conformance } from '../../src/conform/conformance.ts';
import { RULE_IDS } from '../../src/conform/rules.ts';
import { runFaulty } from '../fault/harness.ts';
import { BROKEN } from './broken.ts';
import { KEPT } from './kept.ts';
import { JournalBuilder, placeEvery, SETTINGS } from './journal-builder.ts';

describe('Conformance on a journal that keeps a rule', () => {
  it.each(KEPT)('accepts under %s: %s', (rule, _name, fill) => {
    const journal = new JournalBuilder();
    fill(journal);
    expect(journal.found).toEqual([]);
    expect(journal.checked(rule)).toBeGreaterThan(0);
  });
});

describe('Conformance on a journal that breaks a rule', () => {
  it.each(BROKEN)('finds a violation of %s: %s', (_rule, _name, fill, found) => {
    const journal = new JournalBuilder();
    fill(journal);
    expect(journal.found).toEqual([found]);
  });

  it('has test journals that break and that keep each rule', () => {
    expect(new Set(BROKEN.map(([rule]) => rule))).toEqual(new Set(RULE_IDS));
    expect(new Set(KEPT.map(([rule]) => rule))).toEqual(new Set(RULE_IDS));
  });

  it('finds a place after the start when the configuration sets the kill switch', () => {
    const journal = new JournalBuilder({ halted: true });
    journal.place({});
    expect(journal.found).toEqual(['after-stop #2 [1]']);
  });

  it('checks the request windows of the configuration', () => {
    const windows = { ...SETTINGS.windows, place: { requests: 5, windowMs: 1000 } };
    const journal = new JournalBuilder({ windows });
    placeEvery(journal, 6, 150, 10);
    expect(journal.found).toEqual(['window-place #13 [1 2 3 4 5 6]']);
  });

  it('lists the first hundred findings of a rule and counts all', () => {
    const journal = new JournalBuilder();
    for (let i = 0; i < 120; i++) journal.pass(1000).cancelled(journal.cancel(), '');
    const rule = journal.conformance.rules.find(({ id }) => id === 'empty-cancel');
    expect(rule).toMatchObject({ checked: 120, found: 120 });
    expect(rule?.findings).toHaveLength(100);
  });
});

describe('Conformance', () => {
  it('counts the requests, those without an answer and every 429', () => {
    const journal = new JournalBuilder();
    journal.reply(journal.place({}), 429);
    journal.pass(1000).fail(journal.edit('o1', { slot: 'main.x' }), 'timeout');
    journal.fail(journal.cancel('o2'));
    journal.reply(journal.cancelAll(), 200, {});
    expect(journal.conformance.requests).toEqual({
      place: 1,
      edit: 1,
      cancel: 1,
      cancelAll: 1,
      unanswered: 1,
      throttled: { place: 1, cancel: 0 },
    });
  });
});

describe('the bot under faults', () => {
  const SENT = ['place', 'edit', 'cancel'] as const;
  it.each([
    ['requests are lost', [{ fault: 'no-answer', on: SENT, rate: 0.1, acted: false }], 'never-landed'],
    ['requests answer 403', [{ fault: 'status', on: SENT, status: 403, rate: 0.15 }], 'refused-resent'],
    ['requests answer 409', [{ fault: 'status', on: SENT, status: 409, rate: 0.15 }], 'stale-resent'],
    ['requests answer 429', [{ fault: 'status', on: SENT, status: 429, rate: 0.15 }], 'throttled-wait'],
    ['another client runs cancel-all', [{ fault: 'cancel-all', every: '8s' }], 'lock-place'],
  ] as const)('keeps every rule when %s', (_name, rules, checkedRule) => {
    const conformance = new Conformance(SETTINGS);
    const { hits } = runFaulty({
      plan: { seed: 3, rules },
      seed: 3,
      seconds: 30,
      record: (input, commands) => conformance.applyStep({ input, commands }),
    });
    expect(hits[0]).toBeGreaterThan(0);
    expect(conformance.rules.filter(({ found }) => found > 0)).toEqual([]);
    expect(conformance.rules.find(({ id }) => id === checkedRule)?.checked).toBeGreaterThan(0);
  });
});
