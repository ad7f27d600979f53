// The exchange that a benchmark's core talks to: it answers reads and requests at once, accepts every order
// and reports it on the user feed, and returns permits when the windows of the spec allow. It matches
// nothing.
import type { Arrival, Bucket, Command, NewOrder } from '../src/domain/index.ts';
import { dollarsOfCents, oddsOf } from '../src/domain/index.ts';
import { WindowLedger } from '../src/exchange/index.ts';
import { WINDOWS } from '../test/support/windows.ts';

type Step = (arrival: Arrival) => readonly Command[];

export class Answering {
  /** Orders placed, moved and cancelled. */
  readonly counts = { placed: 0, edited: 0, cancelled: 0 };
  readonly #step: Step;
  readonly #windows = {
    place: new WindowLedger(WINDOWS.place),
    cancel: new WindowLedger(WINDOWS.cancel),
  };
  readonly #open = new Map<string, NewOrder>();
  #ids = 0;
  #now = 0;

  constructor(step: Step) {
    this.#step = step;
  }

  /** Gives the core the permits that are free at `now`, monotonic ms. */
  grant(now: number): void {
    this.#now = now;
    for (const bucket of ['place', 'cancel'] as const)
      for (const permit of this.#windows[bucket].take(now)) this.apply(this.#step({ type: 'permit', bucket, permit }));
  }

  /** Executes commands, and the commands that follow from the answers. */
  apply(commands: readonly Command[]): void {
    for (const command of commands) {
      switch (command.type) {
        case 'read':
          this.#reply(command.req, BODIES[command.read.what] ?? {});
          break;
        case 'place':
          this.#spend('place', command.permit);
          this.counts.placed += command.orders.length;
          this.#reply(command.req, {
            data: { createdSessions: command.orders.map((order) => ({ matched: [], ...this.#rest(order) })) },
          });
          break;
        case 'edit': {
          this.#spend('place', command.permit);
          this.counts.edited += 1;
          const cancelled = this.#cancel(command.orderId);
          this.#reply(command.req, { data: { cancelled, matched: [], ...this.#rest(command.order) } });
          break;
        }
        case 'cancel':
          this.#spend('cancel', command.permit);
          this.counts.cancelled += command.orderIds.length;
          this.#reply(command.req, { data: command.orderIds.map((id) => this.#cancel(id)) });
          break;
        default:
        // an exchange never receives other commands
      }
    }
  }

  #reply(req: number, body: unknown): void {
    this.apply(this.#step({ type: 'reply', req, status: 200, body }));
  }

  #spend(bucket: Bucket, permit: number): void {
    this.#windows[bucket].spend(permit, this.#now);
    this.#windows[bucket].endRequest(permit, this.#now, this.#now);
  }

  #rest(order: NewOrder): { readonly unmatched: unknown } {
    this.#ids += 1;
    const orderID = `order-${this.#ids}`;
    this.#open.set(orderID, order);
    this.#report(orderID, order, dollarsOfCents(order.risk));
    return { unmatched: { orderID, userReference: order.ref } };
  }

  #cancel(orderID: string): unknown {
    const order = this.#open.get(orderID);
    if (order === undefined) return { success: false, sessionID: orderID, reason: 'not open' };
    this.#open.delete(orderID);
    this.#report(orderID, order, 0);
    return { success: true, sessionID: orderID, filled: 0 };
  }

  #report(orderID: string, { ref, rung, market }: NewOrder, offered: number): void {
    const unmatched = {
      orderID,
      userReference: ref,
      odds: oddsOf(rung),
      offered,
      filled: 0,
      remaining: offered,
    };
    const data = JSON.stringify({ gameID: market.gameId, unmatched, matched: null, origin: 'offer' });
    this.apply(this.#step({ type: 'frame', feed: 'user', epoch: 1, event: 'positionUpdate', data }));
  }
}

const BODIES: Readonly<Partial<Record<string, unknown>>> = {
  league: { data: { market: null, games: [], pagination: { hasNextPage: false } } },
  user: { data: { user: { username: 'u', playerMode: 'coins', coinsBalance: 10_000 } } },
  'open-orders': { data: { unmatched: [] } },
  plays: { data: { matchedBets: [] } },
};
