// What the account has to say, noted by its parts as they learn it. Twice in a step the core takes what is to be sent
// (`takeRequests`); what happened in a step stands here until the next one begins.
import type { Fill, GameId, Market, OrderId, Read } from '../domain/index.ts';
import type { AccountAlert } from './account-settings.ts';
import type { FillNews } from './fill.ts';
import type { OwnOrder } from './records.ts';

/** What a read is about. Those of single orders are sent first, then lists of the account, then look-ups of grades. */
type About = 'order' | 'account' | 'grade';

/** What is to be asked, cancelled and reported now. */
export type AccountRequests = {
  readonly reads: readonly Read[];
  /** External orders. */
  readonly cancels: readonly OrderId[];
  readonly alerts: readonly AccountAlert[];
};

export class AccountNews {
  /** Markets whose orders or position changed, and games; their reader clears the set. */
  readonly markets = new Set<Market>();
  readonly games = new Set<GameId>();
  /** Of the step in work: what became of fills, in their order. */
  readonly fills: FillNews[] = [];
  /** Of the step in work: orders that came to rest, that ended, or that rest again. */
  readonly turns = new Set<OwnOrder>();
  /** Of the step in work: orders on whose team another side of the market stands now. */
  readonly moved = new Set<OwnOrder>();
  /** Of the step in work: orders whose fate was not known before it, and is. */
  readonly resolved = new Set<OwnOrder>();
  #reads: Record<About, Read[]> = noReads();
  #cancels: readonly OrderId[] = [];
  #alerts: AccountAlert[] = [];
  #ownFills: Fill[] = [];

  /** A step begins. */
  begin(): void {
    // even an empty set makes garbage when it is cleared
    if (this.fills.length > 0) this.fills.length = 0;
    if (this.turns.size > 0) this.turns.clear();
    if (this.moved.size > 0) this.moved.clear();
    if (this.resolved.size > 0) this.resolved.clear();
  }

  touch(market: Market): void {
    this.markets.add(market);
    this.games.add(market.gameId);
  }

  ask(about: About, read: Read): void {
    this.#reads[about].push(read);
  }

  alert(alert: AccountAlert): void {
    this.#alerts.push(alert);
  }

  /** These external orders are to be cancelled, and no others. */
  cancel(orders: readonly OrderId[]): void {
    this.#cancels = orders;
  }

  /** A fill of this run, as its strategy sees it. */
  addOwnFill(fill: Fill): void {
    this.#ownFills.push(fill);
  }

  /** What came up since it was taken last. */
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

  /** Fills of this run since they were taken last. */
  takeOwnFills(): readonly Fill[] {
    const fills = this.#ownFills;
    if (fills.length > 0) this.#ownFills = [];
    return fills;
  }
}

const noReads = (): Record<About, Read[]> => ({ order: [], account: [], grade: [] });

const NO_REQUESTS: AccountRequests = Object.freeze({ reads: [], cancels: [], alerts: [] });
