// The output of the account: requests and reports that its parts note as they arise. The core takes the
// requests twice per step (`takeRequests`); the changes of a step stay here until the next step begins.
import type { Fill, GameId, Market, OrderId, Read } from '../domain/index.ts';
import type { AccountAlert } from './account-settings.ts';
import type { FillNews } from './fill.ts';
import type { OwnOrder } from './records.ts';

/**
 * The topic of a read. Reads of single orders are sent first, then lists of the account, then look-ups of
 * grades.
 */
type Topic = 'order' | 'account' | 'grade';

/** The reads, cancels and alerts that the core sends now. */
export type AccountRequests = {
  readonly reads: readonly Read[];
  /** External orders to cancel. */
  readonly cancels: readonly OrderId[];
  readonly alerts: readonly AccountAlert[];
};

export class AccountOutput {
  /** Markets and games whose orders or position changed. The reader clears each set. */
  readonly markets = new Set<Market>();
  readonly games = new Set<GameId>();
  /** What became of fills in the current step, in order. */
  readonly fills: FillNews[] = [];
  /** Orders that came to rest, ended, or rest again in the current step. */
  readonly turns = new Set<OwnOrder>();
  /** Orders whose market side changed in the current step because home and away changed places. */
  readonly moved = new Set<OwnOrder>();
  /** Orders of unknown fate whose fate became known in the current step. */
  readonly resolved = new Set<OwnOrder>();
  #reads: Record<Topic, Read[]> = noReads();
  #cancels: readonly OrderId[] = [];
  #alerts: AccountAlert[] = [];
  #ownFills: Fill[] = [];

  /** Begins a step. */
  beginStep(): void {
    // clearing a set makes garbage even when it is empty
    if (this.fills.length > 0) this.fills.length = 0;
    if (this.turns.size > 0) this.turns.clear();
    if (this.moved.size > 0) this.moved.clear();
    if (this.resolved.size > 0) this.resolved.clear();
  }

  touch(market: Market): void {
    this.markets.add(market);
    this.games.add(market.gameId);
  }

  ask(topic: Topic, read: Read): void {
    this.#reads[topic].push(read);
  }

  alert(alert: AccountAlert): void {
    this.#alerts.push(alert);
  }

  /** Replaces the external orders to cancel. */
  cancel(orders: readonly OrderId[]): void {
    this.#cancels = orders;
  }

  /** Adds a fill of this run, as its strategy sees it. */
  addOwnFill(fill: Fill): void {
    this.#ownFills.push(fill);
  }

  /** The requests since the last call. */
  takeRequests(): AccountRequests {
    const { order, account, grade } = this.#reads;
    const cancels = this.#cancels;
    const alerts = this.#alerts;
    if (order.length + account.length + grade.length + cancels.length + alerts.length === 0) return NO_REQUESTS;
    this.#reads = noReads();
    this.#cancels = [];
    this.#alerts = [];
    return { reads: [...order, ...account, ...grade], cancels, alerts };
  }

  get hasOwnFills(): boolean {
    return this.#ownFills.length > 0;
  }

  /** The fills of this run since the last call. */
  takeOwnFills(): readonly Fill[] {
    const fills = this.#ownFills;
    if (fills.length > 0) this.#ownFills = [];
    return fills;
  }
}

const noReads = (): Record<Topic, Read[]> => ({ order: [], account: [], grade: [] });

const NO_REQUESTS: AccountRequests = Object.freeze({ reads: [], cancels: [], alerts: [] });
