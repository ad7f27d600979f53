// Every state of an own order against everything that may happen to it: what the fold believes then.
import { describe, expect, it } from 'vitest';
import type { GameId, StrategyId } from '../../src/domain/index.ts';
import { isActive, market, slotId } from '../../src/domain/index.ts';
import { after, HAPPENINGS, lifeIn, STATES } from './order-life.ts';

/** In the order of HAPPENINGS; '·' stays. */
const LIFE: Readonly<Record<string, string>> = {
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
  (LIFE[state] ?? '')
    .split(' ')
    .map((to, i) => ({ state, happening: happenings[i] ?? '', to: to === '·' ? statusOf(state) : to })),
);
/** What the exchange says, but for answers to requests that are under way. */
const REPORTS = ['reported as resting', 'reported as gone', 'filled whole', 'nothing is left of it'];

describe('the life of an order', () => {
  it('has a row for every state, and a word for everything that happens', () => {
    expect(Object.keys(LIFE)).toEqual(names);
    expect(pairs).toHaveLength(names.length * happenings.length);
    for (const state of names) expect(after(state)).toBe(statusOf(state));
  });

  it.each(pairs)('takes $state, $happening, to $to', ({ state, happening, to }) => {
    expect(after(state, happening)).toBe(to);
  });

  it('ends in four states, and all others may rest', () => {
    expect(names.filter((state) => !isActive(STATES[state]?.status ?? 'filled'))).toEqual([
      'filled',
      'cancelled',
      'refused',
      'never-landed',
    ]);
  });

  it('leaves an ended state only on late evidence', () => {
    const late = [...REPORTS, 'look-up shows it', 'refused'];
    for (const { state, happening, to } of pairs)
      if (!isActive(STATES[state]?.status ?? 'open') && to !== statusOf(state)) expect(late).toContain(happening);
  });

  it.each(happenings)('leaves filled by nothing: %s', (happening) => {
    expect(after('filled', happening)).toBe('filled');
  });

  it.each(names)('believes a fill of everything and, while it may rest, an end, from %s', (state) => {
    expect(after(state, 'filled whole')).toBe('filled');
    if (isActive(STATES[state]?.status ?? 'filled')) expect(after(state, 'reported as gone')).toBe('cancelled');
  });

  it('never invents a fate: without an answer an order stays active', () => {
    const silent = ['request unanswered', 'edit or cancel refused', 'cancel sent', 'edit sent'];
    for (const state of names.filter((name) => isActive(STATES[name]?.status ?? 'filled')))
      for (const happening of silent)
        expect([state, happening, isActive(after(state, happening))]).toEqual([state, happening, true]);
  });

  it('keeps the full bound while it may rest, and none once it is refused or never landed', () => {
    for (const state of names) {
      const { status, bound } = lifeIn(state).order;
      expect([state, bound]).toEqual([state, isActive(status) ? 100_000_000 : 0]);
    }
  });

  it('counts a report that comes twice once', () => {
    for (const state of names)
      for (const report of REPORTS)
        expect([state, report, after(state, report, report)]).toEqual([state, report, after(state, report)]);
  });

  it('settles the same whether the reply or the event comes first', () => {
    for (const [one, other] of [
      ['reported as resting', 'filled whole'],
      ['reported as resting', 'reported as gone'],
      ['filled whole', 'reported as gone'],
    ] as const)
      expect(after('sending', one, other)).toBe(after('sending', other, one));
    expect(after('sending', 'filled whole', 'reported as resting')).toBe('filled');
    expect(after('sending', 'reported as gone', 'reported as resting')).toBe('cancelled');
  });
});

describe('a slot', () => {
  it('is told apart by strategy, market, side and key', () => {
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
