// The account as a journal tells it: the inputs of a run, and the requests that it sent, taken in by the very code that took them
// in then. It decides nothing, so it needs no strategies: for `oddsmaker why`, which prints facts and the belief over them.
import type { Account, Fact, FillNews, OwnOrder } from '../account/index.ts';
import type { Command, Market, OrderId, OrderRef, StampedArrival } from '../domain/index.ts';
import { consensusOf } from '../domain/index.ts';
import { Decoder } from '../wire/index.ts';
import { ownersOf } from './own-rows.ts';
import { Parts } from './parts.ts';
import type { ReplyParts } from './replies.ts';
import { applyAnswer, applyFailure } from './replies.ts';
import { applyReport, applyRun, replyPartsOf } from './reports.ts';
import type { CoreSettings } from './settings.ts';

const SWEEP_MS = 500;

type Recorded = { readonly fact: Fact; readonly order: OwnOrder | undefined };

export class AccountFollower {
  readonly #parts: Parts;
  readonly #replies: ReplyParts;
  readonly #decoder: Decoder;
  readonly #settings: CoreSettings;
  /** Facts of the step in work. */
  #recorded: Recorded[] = [];
  #nextSweep = Number.NEGATIVE_INFINITY;
  #markets: readonly Market[] = [];

  constructor(settings: CoreSettings) {
    const parts = new Parts({ ...settings, strategies: [] }, { reportAsync: () => undefined });
    this.#parts = parts;
    this.#settings = settings;
    this.#decoder = new Decoder(settings.profile);
    this.#replies = replyPartsOf(parts, settings.playerMode);
    parts.account.observe((fact, order) => this.#recorded.push({ fact, order }));
    // what is sent is what the run sent
    parts.desk.shut();
  }

  applyInput(arrival: StampedArrival): void {
    const { account, desk, market, mirror, reconciliation } = this.#parts;
    this.#recorded = [];
    desk.begin(arrival);
    account.begin(arrival.mono);
    reconciliation.begin(arrival.mono);
    this.#apply(arrival);
    if (arrival.mono >= this.#nextSweep) {
      this.#nextSweep = arrival.mono + SWEEP_MS;
      account.sweep();
      // games that are over are forgotten
      market.sweep([]);
      market.forgotten = [];
      this.#reconcile();
    } else if (!reconciliation.complete || account.instance.isSuspicious) this.#reconcile();
    reconciliation.placeWaiting();
    this.#parts.serveAccount();
    this.#markets = [...mirror.touched].map(({ market: one }) => one);
    mirror.touched.clear();
    account.touched.clear();
    account.fills.news = [];
  }

  #apply({ in: arrival, t }: StampedArrival): void {
    const { closing, desk, settlements } = this.#parts;
    const input = this.#decoder.inputOf(arrival);
    switch (input.type) {
      case 'boot':
        applyRun(input, t, this.#parts, this.#settings.playerMode);
        return;
      case 'session':
      case 'feed':
      case 'side':
      case 'game':
      case 'position':
      case 'malformed':
      case 'oversize':
        applyReport(input, this.#parts);
        return;
      case 'answer':
        applyAnswer(input, desk, this.#replies);
        return;
      case 'failure':
        applyFailure(input, desk, this.#replies);
        return;
      case 'operator':
        if (input.command === 'stop' || input.command === 'abort') closing.since ??= desk.now;
        if (input.command === 'resume') this.#parts.account.instance.take();
        return;
      case 'settle':
        settlements.settle(input, this.#parts.sportOf(input.gameId), this.#parts.gameOf(input.gameId));
        return;
      case 'unsettle':
        settlements.unsettle(input.gameId, input.types);
        return;
      default:
    }
  }

  #reconcile(): void {
    const { closing, manager, market, mode, reconciliation } = this.#parts;
    if (closing.since === undefined && mode.isLoggedIn)
      reconciliation.sweep(market.gateOpen || market.complete, manager.spent);
  }

  /** What the run sent in this step. */
  applyCommands(commands: readonly Command[]): void {
    const { desk, manager, mirror } = this.#parts;
    this.#recorded = [];
    this.#decoder.applyCommands(commands, desk.now);
    for (const command of commands)
      if (command.type === 'read')
        desk.reads.set(command.req, { read: command.read, sentAt: desk.now, epoch: mirror.epoch });
      else manager.enter(command, desk.now);
  }

  /** What the orders came to so far. */
  get counts(): Account['counts'] {
    return this.#parts.account.counts;
  }

  /** What became of fills with the last input. */
  get news(): readonly FillNews[] {
    return this.#parts.account.holdings.news;
  }

  /** Orders of which the last input told something, as they are believed to be behind it. */
  get told(): ReadonlySet<OwnOrder> {
    return new Set(this.#recorded.flatMap(({ order }) => order ?? []));
  }

  /** The newest good consensus of the others in a market, as probability of its first side. */
  fairOf({ id, gameId }: Market): number | undefined {
    const book = this.#parts.mirror.bookOf(id, gameId);
    if (book === undefined) return undefined;
    const [first, second] = book.sides;
    const { account } = this.#parts;
    return consensusOf(ownersOf(first, account).others, ownersOf(second, account).others)?.p;
  }

  /** Markets whose books the last input told of. */
  get toldMarkets(): readonly Market[] {
    return this.#markets;
  }

  /** An order of ours by its names, as it is believed to be now; undefined: none is known, or it was dropped since. */
  find(ref: OrderRef | undefined, orderId: OrderId | undefined): OwnOrder | undefined {
    const order = this.#parts.account.find(orderId, ref);
    return order === undefined || (ref !== undefined && order.ref !== ref) ? undefined : order;
  }

  /** The facts that were recorded of these names since the last input, or commands, were taken in. */
  factsOf(ref: OrderRef | undefined, orderIds: ReadonlySet<OrderId>, order: OwnOrder | undefined): readonly Fact[] {
    const isNamed = (fact: Fact): boolean =>
      (fact.ref !== undefined && fact.ref === ref) || (fact.orderId !== undefined && orderIds.has(fact.orderId));
    return this.#recorded
      .filter((one) => (one.order === undefined ? isNamed(one.fact) : one.order === order))
      .map(({ fact }) => fact);
  }
}
