// The events of a journal record omit what its commands say, and the reader restores it.
import { expect, it } from 'vitest';
import type { Command, GameId, OrderId, RequestId, RunEvent, StrategyId } from '../../src/domain/index.ts';
import { cents, market, microsOfDollars, rungOf } from '../../src/domain/index.ts';
import { eventsOf, lineOf } from '../../src/journal/event-lines.ts';
import { refOf, submitted } from '../run/events.ts';

const why = {
  cause: 'empty',
  intent: 1,
  said: 'edge',
  value: microsOfDollars(1),
  waitedMs: 5,
  over: 'wait',
  because: 'it was due',
} as const;
const newOrder = {
  ref: refOf(1),
  market: market('g1' as GameId, 'moneyline', undefined),
  side: 'home',
  rung: rungOf(submitted(1).odds),
  risk: cents(5000),
} as const;
const place = { type: 'place', req: 1 as RequestId, permit: 3, orders: [newOrder], why: [why] } as unknown as Command;
const alert: Command = { type: 'alert', level: 'warn', code: 'GAP', message: 'a gap', fields: { n: 1 } };

const again = (events: readonly RunEvent[], commands: readonly Command[]): readonly RunEvent[] =>
  eventsOf(JSON.parse(JSON.stringify(events.map(lineOf))) as ReturnType<typeof lineOf>[], commands);

it('event lines omit what the commands of their record say', () => {
  const line = lineOf(submitted(1, { why }));
  expect(Object.keys(JSON.parse(JSON.stringify(line)) as object)).toEqual(['type', 'ref', 'strategy', 'key', 'fair']);
  expect(lineOf({ type: 'Alert', level: 'warn', code: 'GAP', message: 'a gap', fields: {} })).toEqual({
    type: 'Alert',
  });
});

it('events that are written and read are the same to the byte', () => {
  const events: readonly RunEvent[] = [
    submitted(1, { why, isInPlay: true }),
    { type: 'Alert', level: 'warn', code: 'GAP', message: 'a gap', fields: { n: 1 } },
    {
      type: 'CancelSubmitted',
      request: 7,
      orders: [
        { orderId: 'o1' as OrderId, why, isInPlay: true },
        { orderId: 'o2' as OrderId, why },
      ],
    },
    { type: 'StrategyQuarantined', strategy: 's' as StrategyId, code: 'X', detail: 'y' },
  ];
  const cancel = {
    type: 'cancel',
    req: 7 as RequestId,
    permit: 1,
    orderIds: ['o1', 'o2'],
    why: [why, why],
  } as unknown as Command;
  expect(JSON.stringify(again(events, [place, alert, cancel]))).toBe(JSON.stringify(events));
});

it('the event of an edit names the order that it replaces', () => {
  const edit = { type: 'edit', req: 1, permit: 1, orderId: 'o9', order: newOrder, why } as unknown as Command;
  const event = submitted(1, { why });
  expect(again([event], [edit])).toMatchObject([{ ...event, replaces: 'o9' }]);
});

it('an event line that no command explains is read as it is', () => {
  expect(again([submitted(1)], [])).toMatchObject([{ type: 'OrderSubmitted', ref: refOf(1) }]);
});
