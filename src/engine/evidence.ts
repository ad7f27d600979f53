// What sources said of own orders in the step in work, for the events of that step: which of it led to an event, and what is worth one
// of its own.
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

  /** Where what was learned last of an order in this step is from. */
  sourceOf(order: OwnOrder): { readonly from?: EvidenceSource } {
    const last = this.#facts.get(order)?.at(-1);
    return last === undefined ? {} : { from: last.from };
  }

  /** The step ends: what no other event says. */
  raise(raise: (event: EventOf<'Evidence'>) => void): void {
    if (this.#facts.size === 0) return;
    for (const [order, facts] of this.#facts) {
      const hasTurned = this.#account.news.turns.has(order);
      for (const { from, says, orderId } of facts)
        if (UNEXPLAINED.has(says.type) || (!hasTurned && isTelling(says, order)))
          raise({
            type: 'Evidence',
            ref: order.ref,
            orderId: orderId ?? idOf(order),
            from,
            says: textOf(says),
            status: order.status,
            filled: order.filled,
            mayFill: order.bound,
          });
    }
    this.#facts.clear();
  }
}

/** They leave open what became of an order, or of its stake. */
const UNEXPLAINED: ReadonlySet<Fact['says']['type']> = new Set(['gone-unexplained', 'absent', 'fills-unread']);

/** Of an order whose fate is open whatever is said; of one that is over, that it rests. */
const isTelling = ({ type }: Fact['says'], { status }: OwnOrder): boolean =>
  status === 'unknown' ? type !== 'fill' : type === 'resting' && !isActive(status);

function textOf(says: Fact['says']): string {
  const dollars = (micros: Parameters<typeof dollarsOfMicros>[0]): string => `$${dollarsOfMicros(micros).toFixed(2)}`;
  switch (says.type) {
    case 'fill':
      return `fill ${says.fill.txId} of ${dollars(says.fill.risk)}`;
    case 'total':
      return `${dollars(says.filled)} filled in all`;
    case 'gone':
      return says.total === undefined ? 'gone' : `gone, ${dollars(says.total)} filled in all`;
    default:
      return says.type;
  }
}
