// Every state of an own order against every possible event: the status that the account believes afterwards.
import { describe, expect, it } from 'vitest';
import type { GameId, StrategyId } from '../../src/domain/index.ts';
import { isActive, market, slotId } from '../../src/domain/index.ts';
import { after, HAPPENINGS, orderIn, STATES } from './order-states.ts';

/** The next state for each of HAPPENINGS, in their order; '·' keeps the state. */
const NEXT_STATES: Readonly<Record<string, string>> = {
  sending: 'open refused unknown · · · · · cancelled filled filled ·',
  open: '· · · moving cancelling · · cancelled cancelled filled filled ·',
  moving: '· · unknown · cancelling open · cancelled cancelled filled filled ·',
  cancelling: '· · open moving · open · cancelled cancelled filled filled ·',
  unknown: 'open refused · · · · · · cancelled filled filled never-landed',
  doubted: '· · · moving cancelling-unknown · open cancelled cancelled filled filled ·',
  'cancelling-unknown': '· · unknown moving · unknown cancelling cancelled cancelled filled filled ·',
  filled: '· · · · · · · · · · · ·',
  cancelled: '· · · · · · open · · filled filled ·',
  refused: 'open · · · · · · · cancelled filled filled ·',
  'never-landed': 'open refused · · · · · · cancelled filled filled ·',
};
const names = Object.keys(STATES);
const happenings = Object.keys(HAPPENINGS);
const statusOf = (state: string): string => STATES[state]?.status ?? '';
const pairs = names.flatMap((state) =>
  (NEXT_STATES[state] ?? '')
    .split(' ')
    .map((to, i) => ({ state, happening: happenings[i] ?? '', to: to === '·' ? statusOf(state) : to })),
);
/** The exchange's reports, without answers to requests in flight. */
const REPORTS = ['reported as resting', 'reported as gone', 'filled whole', 'nothing is left of it'];

describe('the states of an order', () => {
  it('have a row for every state and a column for every event', () => {
    expect(Object.keys(NEXT_STATES)).toEqual(names);
    expect(pairs).toHaveLength(names.length * happenings.length);
    for (const state of names) expect(after(state)).toBe(statusOf(state));
  });

  it.each(pairs)('go from $state, $happening, to $to', ({ state, happening, to }) => {
    expect(after(state, happening)).toBe(to);
  });

  it('include four final ones, and all others may rest', () => {
    expect(names.filter((state) => !isActive(STATES[state]?.status ?? 'filled'))).toEqual([
      'filled',
      'cancelled',
      'refused',
      'never-landed',
    ]);
  });

  it('leave a final one only on late evidence', () => {
    const late = [...REPORTS, 'look-up shows it', 'refused'];
    for (const { state, happening, to } of pairs)
      if (!isActive(STATES[state]?.status ?? 'open') && to !== statusOf(state)) expect(late).toContain(happening);
  });

  it.each(happenings)('never leave filled: %s', (happening) => {
    expect(after('filled', happening)).toBe('filled');
  });

  it.each(names)('accept a fill from %s, and an end while the order may rest', (state) => {
    expect(after(state, 'filled whole')).toBe('filled');
    if (isActive(STATES[state]?.status ?? 'filled')) expect(after(state, 'reported as gone')).toBe('cancelled');
  });

  it('stay active without an answer: no fate is invented', () => {
    const silent = ['request unanswered', 'edit or cancel refused', 'cancel sent', 'edit sent'];
    for (const state of names.filter((name) => isActive(STATES[name]?.status ?? 'filled')))
      for (const happening of silent)
        expect([state, happening, isActive(after(state, happening))]).toEqual([state, happening, true]);
  });

  it('keep the full bound while the order may rest, and none once it is refused or never landed', () => {
    for (const state of names) {
      const { status, bound } = orderIn(state).order;
      expect([state, bound]).toEqual([state, isActive(status) ? 100_000_000 : 0]);
    }
  });

  it('count a report that arrives twice once', () => {
    for (const state of names)
      for (const report of REPORTS)
        expect([state, report, after(state, report, report)]).toEqual([state, report, after(state, report)]);
  });

  it('become the same whether the reply or the event comes first', () => {
    for (const [first, other] of [
      ['reported as resting', 'filled whole'],
      ['reported as resting', 'reported as gone'],
      ['filled whole', 'reported as gone'],
    ] as const)
      expect(after('sending', first, other)).toBe(after('sending', other, first));
    expect(after('sending', 'filled whole', 'reported as resting')).toBe('filled');
    expect(after('sending', 'reported as gone', 'reported as resting')).toBe('cancelled');
  });
});

describe('a slot', () => {
  it('is identified by strategy, market, side and key', () => {
    const a = 'a' as StrategyId;
    const b = 'b' as StrategyId;
    const moneyline = market('g1' as GameId, 'moneyline');
    const spread = market('g1' as GameId, 'spread', -3.5);
    const slots = [
      slotId(a, moneyline, 'home', '0'),
      slotId(b, moneyline, 'home', '0'),
      slotId(a, spread, 'home', '0'),
      slotId(a, moneyline, 'away', '0'),
      slotId(a, moneyline, 'home', '1'),
    ];
    expect(new Set(slots).size).toBe(slots.length);
  });
});
