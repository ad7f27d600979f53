// Raises the events that can be derived at the end of a step: commands sent, fills booked, orders that rest
// or ended, and the bot's state. Events that only one part can know (fates of requests) are raised by that
// part.
import type { ExternalOrder, FillNews, HeldFill, OwnOrder } from '../account/index.ts';
import { endedBy, idOf, ownerOf } from '../account/index.ts';
import type {
  Command,
  EventGame,
  EventOf,
  GameId,
  Input,
  Market,
  NewOrder,
  OrderId,
  OrderRef,
  RequestId,
  SubmittedLine,
  UnansweredOrder,
  Why,
} from '../domain/index.ts';
import { isActive, isInPlay, kindOf, marketOf, oddsOf, toMicroseconds, submittedOf } from '../domain/index.ts';
import { StepEvidence } from './evidence.ts';
import { FillWatch } from './fill-watch.ts';
import { MarkWatch } from './mark-watch.ts';
import { queueIn } from './market-status.ts';
import type { Parts } from './parts.ts';
import type { CoreSettings } from './settings.ts';
import { eventGameOf } from './quoted-share.ts';
import { RiskWatch } from './risk-watch.ts';
import { QuoteWatch } from './quote-watch.ts';

type CurrentState = Pick<EventOf<'StateChanged'>, 'state' | 'reason'>;

export class StepEvents {
  readonly #parts: Parts;
  readonly #instance: string;
  /** Measures fills. Undefined, like the three below, when nothing is measured. */
  readonly #fills: FillWatch | undefined;
  readonly #quotes: QuoteWatch | undefined;
  readonly #evidence: StepEvidence | undefined;
  readonly #marks: MarkWatch | undefined;
  readonly #risks: RiskWatch;
  /** References of orders of former runs for which `OrderInherited` was raised. */
  readonly #inherited = new Set<OrderRef>();
  /** External orders on the account, as last listed. */
  #external: ReadonlyMap<OrderId, ExternalOrder> = new Map();
  #baseVersion = 0;
  #dayStartsAt = Number.NEGATIVE_INFINITY;
  #state: CurrentState = { state: 'starting', reason: undefined };
  #mode: string | undefined;
  #listed: Parts['reconciliation']['listed'];

  constructor(parts: Parts, settings: Pick<CoreSettings, 'orders' | 'measures' | 'idleTickMs'>) {
    this.#parts = parts;
    this.#instance = settings.orders.instance;
    this.#risks = new RiskWatch(parts.buffer, parts.newRisks());
    if (settings.measures !== false) {
      this.#fills = new FillWatch(parts);
      this.#quotes = new QuoteWatch(parts, settings.idleTickMs);
      this.#marks = new MarkWatch(parts);
      this.#evidence = new StepEvidence(parts.account);
    }
  }

  /** Raises the events of the step. It runs last in the step. */
  raise(input: Input): void {
    const { account, day, buffer, mode, reconciliation } = this.#parts;
    this.#fills?.advance();
    if (input.type !== 'tick') this.#applyInput(input);
    if (buffer.commands.length > 0) for (const command of buffer.commands) this.#applyCommand(command);
    if (day.baseVersion !== this.#baseVersion || day.startsAt !== this.#dayStartsAt) this.#raiseDay();
    const { fills, moved, resolved, turns } = account.news;
    if (moved.size > 0)
      for (const { ref, market, side } of moved) buffer.raise({ type: 'OrderMoved', ref, market: market.id, side });
    if (fills.length > 0) for (const fill of fills) this.#applyNews(fill, input);
    if (resolved.size > 0)
      for (const order of resolved)
        buffer.raise({ type: 'OrderResolved', ref: order.ref, as: order.status, ...this.#evidence?.sourceOf(order) });
    if (turns.size > 0) this.#raiseTurns();
    this.#evidence?.raise(buffer.raise);
    if (mode.newest !== this.#mode) {
      this.#mode = mode.newest;
      if (mode.newest !== undefined) buffer.raise({ type: 'ModeSeen', mode: mode.newest });
    }
    if (reconciliation.listed !== this.#listed) {
      this.#listed = reconciliation.listed;
      if (this.#listed !== undefined) buffer.raise({ type: 'Reconciled', open: this.#listed.open });
      this.#raiseExternal();
    }
    this.#raiseState();
    this.#marks?.advance();
    this.#risks.advance();
    this.#quotes?.advance(input.type === 'tick');
    const last = buffer.commands.at(-1);
    if (last?.type === 'exit') this.#raiseEnd(last);
  }

  #raiseEnd({ code, reason }: Extract<Command, { type: 'exit' }>): void {
    const { closing, buffer } = this.#parts;
    this.#parts.raisePersisted();
    this.#parts.raiseSeries(Number.POSITIVE_INFINITY);
    this.#fills?.endRun();
    this.#risks.endRun();
    this.#quotes?.closeSample();
    const { openAtExit } = closing;
    buffer.raise({ type: 'RunEnded', code, reason, ...(openAtExit === undefined ? {} : { openAtExit }) });
  }

  #applyInput(input: Input): void {
    const { raise } = this.#parts.buffer;
    switch (input.type) {
      case 'boot':
        raise({ type: 'RunStarted', run: input.run });
        for (const former of input.unanswered ?? []) this.#raiseInherited(former, undefined);
        for (const former of input.resting ?? []) this.#raiseInherited(former, former.orderId);
        return;
      case 'signal':
        this.#fills?.applySignal(input);
        return;
      case 'feed': {
        const { feed, status, epoch, reason } = input;
        raise(status === 'up' ? { type: 'FeedUp', feed, epoch } : { type: 'FeedDown', feed, epoch, reason });
        return;
      }
      case 'answer': {
        const { answer, status = answer.type === 'error' ? answer.status : 200, asked } = input;
        const code = answer.type === 'error' && answer.code !== undefined ? { code: answer.code } : {};
        if (asked !== undefined) this.#raiseAnswered(input.req, asked, { status, ...code });
        return;
      }
      case 'failure':
        if (input.asked !== undefined)
          this.#raiseAnswered(input.req, input.asked, { status: undefined, failure: input.failure });
        return;
      case 'clock':
        raise({ type: 'ClockStepped', byMs: input.byMs, uncertainMs: input.uncertainMs });
        return;
      case 'operator':
      case 'strategy':
      case 'settle':
      case 'unsettle':
      case 'configure':
        raise(actedBy(input));
        return;
      default:
    }
  }

  #raiseInherited({ order, sentT }: UnansweredOrder, orderId: OrderId | undefined): void {
    const { ref, market, side, rung, risk } = order;
    if (this.#inherited.has(ref)) return;
    this.#inherited.add(ref);
    this.#parts.buffer.raise({
      type: 'OrderInherited',
      ref,
      orderId,
      market: market.id,
      side,
      odds: oddsOf(rung),
      risk,
      sentAt: sentT,
    });
  }

  #raiseExternal(): void {
    const { account, buffer } = this.#parts;
    const { orders } = account.external;
    if (orders.size === 0 && this.#external.size === 0) return;
    const raise = ({ orderId, market, side, rung, remaining }: ExternalOrder, isOpen: boolean): void =>
      buffer.raise({
        type: 'ExternalOrder',
        orderId,
        market: market.id,
        side,
        odds: oddsOf(rung),
        risk: remaining,
        isOpen,
      });
    for (const [id, order] of orders) if (this.#external.get(id)?.remaining !== order.remaining) raise(order, true);
    for (const [id, order] of this.#external) if (!orders.has(id)) raise(order, false);
    this.#external = new Map(orders);
  }

  #raiseAnswered(
    request: RequestId,
    { command, at: sentAt }: NonNullable<Extract<Input, { type: 'answer' }>['asked']>,
    how: Pick<EventOf<'RequestAnswered'>, 'status' | 'failure' | 'code'>,
  ): void {
    const { buffer } = this.#parts;
    buffer.raise({
      type: 'RequestAnswered',
      request,
      kind: kindOf(command),
      ...how,
      latencyMs: toMicroseconds(buffer.now - sentAt),
    });
  }

  #applyCommand(command: Command): void {
    const { raise } = this.#parts.buffer;
    switch (command.type) {
      case 'place':
        for (const [index, order] of command.orders.entries())
          this.#raiseSubmitted(order, command.req, command.why[index]);
        return;
      case 'edit':
        this.#raiseSubmitted(command.order, command.req, command.why, command.orderId);
        return;
      case 'cancel':
      case 'cancel-all': {
        const { req: request, orderIds = [], why = [] } = command;
        const { account } = this.#parts;
        const orders = orderIds.map((orderId, index) => ({
          orderId,
          why: why[index],
          ...this.#phaseIn(account.find(orderId, undefined)?.market),
        }));
        const scope = command.type === 'cancel' ? {} : { scope: command.scope ?? ('account' as const) };
        if (command.type === 'cancel-all') this.#quotes?.countRequest();
        raise({ type: 'CancelSubmitted', request, orders, ...this.#shortage, ...scope });
        return;
      }
      case 'hold':
        raise({ type: 'WindowHeld', bucket: command.bucket, forMs: command.forMs });
        return;
      case 'alert': {
        const { level, code, message, fields } = command;
        raise({ type: 'Alert', level, code, message, fields });
        return;
      }
      case 'read':
      case 'switch-mode':
        this.#quotes?.countRequest();
        return;
      default:
    }
  }

  #raiseSubmitted(order: NewOrder, request: RequestId, why: Why | undefined, replaces?: OrderId): void {
    const { buffer, prices } = this.#parts;
    const { ref, market } = order;
    const owner = ownerOf(ref, this.#instance);
    this.#quotes?.addOrder(order, why?.said);
    const line: SubmittedLine = {
      type: 'OrderSubmitted',
      ref,
      strategy: owner?.strategy,
      key: owner?.key,
      fair: prices.get(market.id),
      ...this.#phaseIn(market),
      ...this.#shortage,
    };
    buffer.raise(submittedOf(line, order, request, why, replaces));
  }

  #phaseIn(market: Market | undefined): { readonly isInPlay?: true } {
    const { buffer } = this.#parts;
    const isBegun = market !== undefined && isInPlay(this.#parts.gameOf(market.gameId), buffer.t);
    return isBegun ? { isInPlay: true } : {};
  }

  get #shortage(): { readonly isShort?: true } {
    return this.#parts.manager.isShort ? { isShort: true } : {};
  }

  #applyNews(news: FillNews, input: Input): void {
    const { buffer, settlements } = this.#parts;
    switch (news.type) {
      case 'held':
        buffer.raise(this.#fillOf(news.fill, input));
        this.#risks.applyFill(news.fill.gameId);
        return;
      case 'FillMoved':
        this.#fills?.move(news.txId, marketOf(news.market));
        buffer.raise(news);
        return;
      case 'Unsettled':
        buffer.raise(news);
        return;
      case 'Settled': {
        const isByHand = input.type === 'settle';
        this.#fills?.settle(news.txId);
        buffer.raise({
          ...news,
          source: isByHand ? 'operator' : 'graded',
          result: isByHand ? settlements.resultOf(input.gameId) : undefined,
        });
      }
    }
  }

  #fillOf(fill: HeldFill, input: Input): EventOf<'Fill'> {
    const { account, prices } = this.#parts;
    const { txId, gameId, market, side, odds, risk, win, name } = fill;
    const ref = name?.ref ?? name?.holder?.ref ?? fill.ref;
    const owner = ref === undefined ? undefined : ownerOf(ref, this.#instance);
    const held = market === undefined ? undefined : account.holdings.positions.get(market.id)?.position;
    const watched = (market && this.#fills?.pricesOf(market, owner?.strategy)) ?? UNPRICED;
    if (market !== undefined) this.#fills?.watchFill(txId, market, owner?.strategy);
    return {
      type: 'Fill',
      txId,
      gameId,
      market: market?.id,
      side,
      odds,
      risk,
      win,
      isOwn: name?.holder !== undefined || owner !== undefined,
      ref,
      strategy: owner?.strategy,
      source: input.type === 'position' ? 'feed' : 'answer',
      game: this.#gameOf(market?.gameId ?? gameId),
      fair: market === undefined ? undefined : prices.get(market.id),
      position: held && { first: held.first, second: held.second },
      ...watched,
      ...this.#quotes?.fill(ref, risk),
    };
  }

  #gameOf(id: GameId): EventGame | undefined {
    const game = this.#parts.gameOf(id);
    return game && eventGameOf(game);
  }

  #raiseDay(): void {
    const { day, buffer } = this.#parts;
    const { startsAt, base } = day;
    const isBaseNew = day.baseVersion !== this.#baseVersion && base !== undefined;
    this.#baseVersion = day.baseVersion;
    this.#dayStartsAt = startsAt;
    buffer.raise({ type: 'DayBegan', startsAt, ...(isBaseNew ? { base } : {}) });
  }

  #raiseTurns(): void {
    const { account, buffer } = this.#parts;
    for (const order of account.news.turns) {
      const { ref, status, placing, landed, filled, sentAt } = order;
      if (isActive(status)) {
        if (landed) this.#raiseRested(order);
        else buffer.raise({ type: 'OrderRevived', ref });
        continue;
      }
      this.#quotes?.endQuote(ref);
      const how = placing === 'not-sent' ? placing : (endedBy(order) ?? status);
      buffer.raise({
        type: 'OrderEnded',
        ref,
        how,
        filled,
        lifeMs: toMicroseconds(buffer.now - sentAt),
        ...this.#evidence?.sourceOf(order),
      });
    }
  }

  #raiseRested(order: OwnOrder): void {
    const { buffer, prices, quoting } = this.#parts;
    const { ref, market, isOfFormerRun, sentT } = order;
    // the account listed this order, and the boot input did not name it
    if (isOfFormerRun) this.#raiseInherited({ order, sentT }, idOf(order));
    const queue = queueIn(order, quoting);
    this.#quotes?.rest(ref, queue?.ahead);
    buffer.raise({
      type: 'OrderRested',
      ref,
      orderId: idOf(order),
      ahead: queue?.ahead,
      rank: queue?.rank,
      fair: prices.fairOf(market.id),
      ...this.#phaseIn(market),
      ...this.#evidence?.sourceOf(order),
    });
  }

  #raiseState(): void {
    const { closing, buffer, trading, reconciliation } = this.#parts;
    const current: CurrentState =
      closing.since === undefined ? (trading.stands ?? runs(reconciliation.complete)) : STOPPING;
    if (current.state === this.#state.state && current.reason === this.#state.reason) return;
    this.#state = current;
    buffer.raise({ type: 'StateChanged', ...current });
  }
}

/** Prices of a fill whose market is not known. */
const UNPRICED = { before: {}, past: {} };

const STOPPING: CurrentState = { state: 'stopping', reason: undefined };
const RUNNING: CurrentState = { state: 'running', reason: undefined };
const STARTING: CurrentState = { state: 'starting', reason: undefined };
const runs = (isAccountRead: boolean): CurrentState => (isAccountRead ? RUNNING : STARTING);

type Acting = Extract<Input, { type: 'operator' | 'strategy' | 'settle' | 'unsettle' | 'configure' }>;

function actedBy(input: Acting): EventOf<'OperatorActed'> {
  const { type, by, ...given } = input;
  const [command, reason, fields] =
    input.type === 'operator'
      ? [input.command, input.reason, {}]
      : input.type === 'strategy'
        ? [input.command, undefined, { strategy: input.strategy }]
        : [type, undefined, given];
  return { type: 'OperatorActed', command, reason, by, fields };
}
