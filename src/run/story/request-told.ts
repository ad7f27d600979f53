// What a request of ours says of one order: a pure reading for the story.
import type { NewOrder, StampedArrival } from '../../domain/index.ts';
import { dollarsOfCents, oddsOf } from '../../domain/index.ts';
import type { Sent } from './answers-told.ts';
import type { KnownOrder } from './order-index.ts';
import { nameOf, whyIn } from './order-index.ts';
import type { StoryFact } from './story.ts';

/** Where in a request the order is, and as what. */
export type Part = Pick<Sent, 'role' | 'index' | 'of'> & {
  /** What is asked for, where it is new. */
  readonly order?: NewOrder;
};

/** `heldMs`: how long its permit lay in hand. */
export function requestFact(
  command: Sent['command'],
  { role, index, of, order }: Part,
  known: KnownOrder,
  { in: input }: StampedArrival,
  heldMs: number | undefined,
): Extract<StoryFact, { type: 'request' }> {
  const batched = command.type === 'place' || command.type === 'cancel';
  const other = role === 'new' ? known.replaces : known.replacedBy;
  const reasons = command.type === 'cancel-all' ? [command.why?.[index]] : [whyIn(command, index)];
  return {
    type: 'request',
    request: command.type,
    req: command.req,
    role,
    on: input.type === 'operator' ? `operator ${input.command}` : input.type,
    permit: permitOf(command),
    heldMs,
    position: batched ? index + 1 : undefined,
    of: batched ? of : undefined,
    ref: order?.ref,
    odds: order === undefined ? undefined : oddsOf(order.rung),
    risk: order === undefined ? undefined : dollarsOfCents(order.risk),
    other: command.type === 'edit' && other !== undefined ? nameOf(other) : undefined,
    scope: command.type === 'cancel-all' ? command.scope : undefined,
    why: reasons.flatMap((one) => (one === undefined ? [] : [{ ...one, value: one.value / 1e6 }])),
  };
}

export const permitOf = (command: Sent['command']): number | undefined =>
  'permit' in command ? command.permit : undefined;
