// The states of one order: an account is brought into each state by reports and requests, and then gets one
// more event.
import type { OrderRef, OrderStatus, RequestId } from '../../src/domain/index.ts';
import type { Account, Fact, OwnOrder } from '../../src/account/index.ts';
import { fillOf, id, LATE_ARRIVAL_MS, MONEYLINE, orderOf, OWNER, ref, send, withAccount } from './scene.ts';

const REF = ref('1');
const ID = id('o1');

/** One order and its account. Time advances with every event. */
export class TrackedOrder {
  readonly account: Account = withAccount();
  readonly order: OwnOrder = send(this.account, REF);
  #now = 0;
  #req: RequestId = 1000;

  #later(ms = 1000): number {
    this.#now += ms;
    this.account.beginStep(this.#now);
    return this.#now;
  }

  #record(kind: Fact['kind'], from: Fact['from'], name: Pick<Fact, 'ref' | 'orderId'> = { orderId: ID }): void {
    const seenAt = this.#later();
    const requested = from === 'event' ? {} : { askedAt: seenAt - 1 };
    const fact: Fact = { ...name, from, seenAt, ...requested, kind };
    this.account.record(fact, kind.type === 'fill' ? { market: MONEYLINE, side: 'home' } : undefined);
  }

  rests(): void {
    this.#record({ type: 'resting' }, 'event', { ref: REF, orderId: ID });
  }

  accepted(): void {
    this.#record({ type: 'resting' }, 'reply', { ref: REF, orderId: ID });
    this.account.applyPlacing(this.order, 'answered');
  }

  refused(): void {
    this.#record({ type: 'refused' }, 'reply', { ref: REF });
    this.account.applyPlacing(this.order, 'answered');
  }

  unanswered(): void {
    this.#later();
    this.account.applyPlacing(this.order, 'silent');
    this.account.applyEnding(this.order.id, this.#req, 'silent');
  }

  edit(): void {
    this.#later();
    this.#req += 1;
    const sent = { req: this.#req, t: 0, replaces: this.order };
    this.account.applySent(orderOf(`${REF}-new` as OrderRef), OWNER, sent);
  }

  cancel(): void {
    this.#later();
    this.#req += 1;
    this.account.applyCancelSent([ID], this.#req);
  }

  /** The exchange refused the edit or cancel. */
  keepsResting(): void {
    this.#later();
    this.account.applyEnding(this.order.id, this.#req, 'rests');
  }

  lookUpShowsIt(): void {
    this.#record({ type: 'resting' }, 'look-up', { orderId: ID });
  }

  lookUpFindsNothing(): void {
    this.#record({ type: 'gone-unexplained' }, 'look-up', { orderId: ID });
  }

  gone(): void {
    this.#record({ type: 'gone', total: undefined }, 'event', { ref: REF, orderId: ID });
  }

  filled(): void {
    const fill = fillOf('t1', 100);
    this.#record({ type: 'fill', fill }, 'event', { ref: REF, orderId: ID });
  }

  nothingLeft(): void {
    this.#record({ type: 'taken' }, 'event', { ref: REF, orderId: ID });
  }

  /** Two look-ups by its reference show nothing, long after nothing can land any more. */
  absent(): void {
    for (const wait of [LATE_ARRIVAL_MS + 1000, 3000]) {
      this.#later(wait);
      this.#record({ type: 'absent', feedsUpSince: 0 }, 'trail', { ref: REF });
    }
  }
}

type Step = 'accepted' | 'refused' | 'unanswered' | 'edit' | 'cancel' | 'gone' | 'filled' | 'absent';

/** The steps to each state. `unknown`: never answered; `doubted`: an edit of it was never answered. */
export const STATES: Readonly<Record<string, { readonly status: OrderStatus; readonly by: readonly Step[] }>> = {
  sending: { status: 'sending', by: [] },
  open: { status: 'open', by: ['accepted'] },
  moving: { status: 'moving', by: ['accepted', 'edit'] },
  cancelling: { status: 'cancelling', by: ['accepted', 'cancel'] },
  unknown: { status: 'unknown', by: ['unanswered'] },
  doubted: { status: 'unknown', by: ['accepted', 'edit', 'unanswered'] },
  'cancelling-unknown': { status: 'cancelling-unknown', by: ['accepted', 'edit', 'unanswered', 'cancel'] },
  filled: { status: 'filled', by: ['accepted', 'filled'] },
  cancelled: { status: 'cancelled', by: ['accepted', 'gone'] },
  refused: { status: 'refused', by: ['refused'] },
  'never-landed': { status: 'never-landed', by: ['unanswered', 'absent'] },
};

/** An order in this state. */
export function orderIn(state: string): TrackedOrder {
  const tracked = new TrackedOrder();
  for (const step of STATES[state]?.by ?? []) tracked[step]();
  return tracked;
}

export const HAPPENINGS: Readonly<Record<string, (tracked: TrackedOrder) => void>> = {
  'reported as resting': (tracked) => tracked.rests(),
  refused: (tracked) => tracked.refused(),
  'request unanswered': (tracked) => tracked.unanswered(),
  'edit sent': (tracked) => tracked.edit(),
  'cancel sent': (tracked) => tracked.cancel(),
  'edit or cancel refused': (tracked) => tracked.keepsResting(),
  'look-up shows it': (tracked) => tracked.lookUpShowsIt(),
  'look-up finds nothing': (tracked) => tracked.lookUpFindsNothing(),
  'reported as gone': (tracked) => tracked.gone(),
  'filled whole': (tracked) => tracked.filled(),
  'nothing is left of it': (tracked) => tracked.nothingLeft(),
  'absence proven': (tracked) => tracked.absent(),
};

/** The status of the order after these events. */
export function after(state: string, ...happenings: readonly string[]): OrderStatus {
  const tracked = orderIn(state);
  for (const happening of happenings) HAPPENINGS[happening]?.(tracked);
  return tracked.order.status;
}
