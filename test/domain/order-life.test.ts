import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GameId, OrderEvent, OrderStatus, StrategyId } from '../../src/domain/index.ts';
import { isActive, market, nextStatus, ORDER_TRANSITIONS, slotId } from '../../src/domain/index.ts';

const EVENTS = [
  'accepted',
  'refused',
  'unanswered',
  'edit-sent',
  'edit-refused',
  'found',
  'cancel-sent',
  'cancel-failed',
  'cancelled',
  'filled',
  'never-landed',
  'mistaken',
] as const satisfies readonly OrderEvent[];

/** Every pair, in the order of EVENTS; '·' stays. */
const LIFE: Readonly<Record<OrderStatus, string>> = {
  sending: 'open refused unknown · · · · · cancelled filled never-landed ·',
  open: '· · unknown moving · · cancelling · cancelled filled cancelled ·',
  moving: '· · unknown · open open · · cancelled filled · ·',
  cancelling: '· · · · · open · open cancelled filled · ·',
  'cancelling-unknown': '· · · · · open · unknown cancelled filled · ·',
  unknown: 'open refused · · open open cancelling-unknown · cancelled filled never-landed ·',
  filled: '· · · · · · · · · · · unknown',
  cancelled: '· · · · · · · · · filled · unknown',
  refused: 'open · · · · · · · · filled · ·',
  'never-landed': 'open · · · · · · · cancelled filled · ·',
};
const STATUSES = Object.keys(LIFE) as OrderStatus[];
const pairs = STATUSES.flatMap((status) =>
  LIFE[status].split(' ').map((to, i) => ({
    status,
    event: EVENTS[i] as OrderEvent,
    to: to === '·' ? status : (to as OrderStatus),
  })),
);

describe('the life of an order', () => {
  it('has a row for every state and knows no other event', () => {
    expect(Object.keys(ORDER_TRANSITIONS).sort()).toEqual([...STATUSES].sort());
    expect(pairs).toHaveLength(STATUSES.length * EVENTS.length);
    for (const row of Object.values(ORDER_TRANSITIONS)) {
      for (const event of Object.keys(row)) expect(EVENTS).toContain(event);
    }
  });

  it.each(pairs)('takes $status and $event to $to', ({ status, event, to }) => {
    expect(nextStatus(status, event)).toBe(to);
  });

  it('ends in four states, and all others may rest', () => {
    expect(STATUSES.filter((status) => !isActive(status))).toEqual([
      'filled',
      'cancelled',
      'refused',
      'never-landed',
    ]);
  });

  it('leaves an ended state only on late evidence', () => {
    const late: readonly OrderEvent[] = ['accepted', 'cancelled', 'filled', 'mistaken'];
    for (const { status, event, to } of pairs) {
      if (!isActive(status) && to !== status) expect(late).toContain(event);
    }
  });

  it('leaves filled only when another order was meant', () => {
    for (const event of EVENTS)
      expect(nextStatus('filled', event)).toBe(event === 'mistaken' ? 'unknown' : 'filled');
  });

  it.each(STATUSES)('believes a fill of everything and, while it may rest, a cancel, from %s', (status) => {
    expect(nextStatus(status, 'filled')).toBe('filled');
    if (isActive(status)) expect(nextStatus(status, 'cancelled')).toBe('cancelled');
  });

  it('never invents a fate: without an answer an order stays active', () => {
    for (const status of STATUSES) {
      if (!isActive(status)) continue;
      for (const event of [
        'unanswered',
        'cancel-failed',
        'edit-refused',
        'cancel-sent',
        'edit-sent',
      ] as const) {
        expect(isActive(nextStatus(status, event))).toBe(true);
      }
    }
  });

  it('counts an event that comes twice once', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STATUSES), fc.constantFrom(...EVENTS), (status, event) => {
        const once = nextStatus(status, event);
        expect(nextStatus(once, event)).toBe(once);
      }),
    );
  });

  it('settles the same whether the reply or the event comes first', () => {
    const orders: readonly (readonly OrderEvent[])[] = [
      ['accepted', 'filled'],
      ['filled', 'accepted'],
    ];
    expect(orders.map((events) => events.reduce<OrderStatus>(nextStatus, 'sending'))).toEqual([
      'filled',
      'filled',
    ]);
    expect((['cancelled', 'accepted'] as const).reduce<OrderStatus>(nextStatus, 'sending')).toBe('cancelled');
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
