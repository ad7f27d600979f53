// Collects the facts about own orders that sources reported in the current step. It names the source of an
// order's event, and raises `Evidence` events for facts that no other event covers.
import type { Account, Fact, OwnOrder } from '../account/index.ts';
import { idOf } from '../account/index.ts';
import type { EventOf, EvidenceSource } from '../domain/index.ts';
import { dollarsOfMicros, isActive } from '../domain/index.ts';

export class StepEvidence {
  readonly #account: Account;
  readonly #facts = new Map<OwnOrder, Fact[]>();

  constructor(account: Account) {
    this.#account = account;
    account.observe((fact, order) => {
      if (order === undefined) return;
      const facts = this.#facts.get(order);
      if (facts === undefined) this.#facts.set(order, [fact]);
      else facts.push(fact);
    });
  }

  /** The source of the last fact about an order in this step. Empty when there was none. */
  sourceOf(order: OwnOrder): { readonly from?: EvidenceSource } {
    const last = this.#facts.get(order)?.at(-1);
    return last === undefined ? {} : { from: last.from };
  }

  /** Raises the facts of the step that no other event covers, and clears them. */
  raise(raise: (event: EventOf<'Evidence'>) => void): void {
    if (this.#facts.size === 0) return;
    for (const [order, facts] of this.#facts) {
      const hasTurned = this.#account.news.turns.has(order);
      for (const { from, kind, orderId } of facts)
        if (UNEXPLAINED.has(kind.type) || (!hasTurned && isSurprising(kind, order)))
          raise({
            type: 'Evidence',
            ref: order.ref,
            orderId: orderId ?? idOf(order),
            from,
            says: textOf(kind),
            status: order.status,
            filled: order.filled,
            mayFill: order.bound,
          });
    }
    this.#facts.clear();
  }
}

/** Facts that do not explain the fate of an order or of its stake. */
const UNEXPLAINED: ReadonlySet<Fact['kind']['type']> = new Set(['gone-unexplained', 'absent', 'fills-unread']);

/**
 * True when the order has an unknown fate and the fact is not a fill, or when the order has ended and the
 * fact is that it rests.
 */
const isSurprising = ({ type }: Fact['kind'], { status }: OwnOrder): boolean =>
  status === 'unknown' ? type !== 'fill' : type === 'resting' && !isActive(status);

function textOf(kind: Fact['kind']): string {
  const dollars = (micros: Parameters<typeof dollarsOfMicros>[0]): string => `$${dollarsOfMicros(micros).toFixed(2)}`;
  switch (kind.type) {
    case 'fill':
      return `fill ${kind.fill.txId} of ${dollars(kind.fill.risk)}`;
    case 'total':
      return `${dollars(kind.filled)} filled in all`;
    case 'gone':
      return kind.total === undefined ? 'gone' : `gone, ${dollars(kind.total)} filled in all`;
    default:
      return kind.type;
  }
}
