// Sends requests with the permits in hand and enters each in the account before it leaves. Invariant: no
// order is sent that a control denies or that would cross an own order (rules.md, 7).
import type {
  Bucket,
  Command,
  Game,
  GameId,
  HeldIntent,
  MarketId,
  NewOrder,
  OrderId,
  PlayerMode,
  RequestId,
  StrategyId,
  Why,
} from '../domain/index.ts';
import { oppositeSide, ZERO } from '../domain/index.ts';
import type { Account, Owner, OwnOrder } from '../account/index.ts';
import { idOf, ownerOf, referenceOf, shownRun } from '../account/index.ts';
import type { AccountState, Denial, Exposure, OrderLimits, RiskLimits, StrategyExposures } from '../risk/index.ts';
import { checkOrder, crossesOwn } from '../risk/index.ts';
import type { Bulk } from './cancel-plan.ts';
import { chunks } from './chunks.ts';
import type { Attempt } from './answers.ts';
import type { Cancel, Move, Need, Place } from './needs.ts';
import { decided } from './planner.ts';
import type { SlotBlocks } from './slot-blocks.ts';
import type { Target } from './targets.ts';

export type SenderPorts = {
  readonly intentOf?: (market: MarketId, strategy: StrategyId) => HeldIntent | undefined;
  readonly nextRequest: () => RequestId;
  readonly send: (command: Command) => void;
  /** The wall clock, Unix ms. */
  readonly wall: () => number;
  readonly gameOf: (id: GameId) => Game | undefined;
  readonly balance: () => AccountState['balance'];
  /** The limits of a strategy's own. Undefined: it has none. */
  readonly limitsOf?: (strategy: StrategyId) => OrderLimits | undefined;
};

export type SenderSettings = {
  /** The instance name. It marks the bot's references on an account that several bots share. */
  readonly instance: string;
  readonly playerMode: PlayerMode;
  readonly maxIdsPerCancel: number;
  readonly risk: RiskLimits;
};

/** Orders per second that a bulk cancel of the exchange ends (spec, Limits 2 and 4). */
const CANCELLED_PER_SECOND = 15;
const BULK_SLACK_MS = 1000;
const bulkCancelMs = (orders: number): number => (orders * 1000) / CANCELLED_PER_SECOND + BULK_SLACK_MS;

/** The weight of the newest edit in the average worth of edits. */
const WORTH_WEIGHT = 0.05;

export class Sender {
  readonly requests = new Map<RequestId, Attempt>();
  /** Permits in hand, oldest first. */
  readonly permits: Readonly<Record<Bucket, number[]>> = { place: [], cancel: [] };
  /** Place permits spent so far. `worth`: the recent average worth of an edit, micro-dollars. */
  spent = 0;
  worth = 0;
  readonly #settings: SenderSettings;
  readonly #ports: SenderPorts;
  readonly #account: Account;
  readonly #exposure: Exposure;
  readonly #strategies: StrategyExposures;
  readonly #blocks: SlotBlocks;
  #run = '';
  #references = 0;
  /** External orders that a cancel named, longest wait first, with the batch size of their next cancel. */
  #externalRetries = new Map<OrderId, number>();

  constructor(
    settings: SenderSettings,
    ports: SenderPorts,
    state: {
      readonly account: Account;
      readonly exposure: Exposure;
      readonly strategies: StrategyExposures;
      readonly blocks: SlotBlocks;
    },
  ) {
    this.#settings = settings;
    this.#ports = ports;
    this.#account = state.account;
    this.#exposure = state.exposure;
    this.#strategies = state.strategies;
    this.#blocks = state.blocks;
  }

  /** `run`: makes references unique across restarts. */
  applyBoot(run: string): void {
    this.#run = shownRun(run, this.#settings.playerMode);
  }

  /** Returns unspent permits. */
  giveBack(bucket: Bucket, count: number): void {
    const permits = this.permits[bucket].splice(-count, count);
    if (permits.length > 0) this.#ports.send({ type: 'return', bucket, permits });
  }

  cancel(unwanted: readonly (Cancel | Move)[], now: number): void {
    const known = unwanted.filter(({ order }) => order.id !== undefined);
    this.#cancel(
      known.flatMap(({ order }) => idOf(order) ?? []),
      known.map((need) => this.#whyOf(need, now)),
      now,
    );
  }

  /** Cancels open orders that the last lists show and the account does not know, as far as permits go. */
  cancelStragglers(ids: readonly OrderId[], now: number): void {
    for (const batch of chunks(ids, this.#settings.maxIdsPerCancel))
      if (!this.#cancelListed(batch, 'stopping', now)) return;
  }

  /**
   * Cancels the external orders that a list showed, with half of the permits in hand, since own orders need
   * some too. An order that is listed again after its cancel is retried behind the others, in a batch of half
   * the size: one order of the batch may keep all from being cancelled.
   */
  cancelExternal(ids: readonly OrderId[], now: number): void {
    const listed = new Set(ids);
    const tried = new Map([...this.#externalRetries].filter(([id]) => listed.has(id)));
    this.#externalRetries = tried;
    const untried = ids.filter((id) => !tried.has(id));
    const bySize = [...Map.groupBy(tried.keys(), (id) => tried.get(id) ?? 1)].sort(([a], [b]) => b - a);
    const requests = [
      ...chunks(untried, this.#settings.maxIdsPerCancel),
      ...bySize.flatMap(([size, group]) => chunks(group, size)),
    ];
    const most = Math.ceil(this.permits.cancel.length / 2);
    for (const batch of requests.slice(0, most)) {
      this.#cancelListed(batch, 'foreign', now);
      for (const id of batch) {
        // moves the order behind the ones that wait longer
        tried.delete(id);
        tried.set(id, Math.ceil(batch.length / 2));
      }
    }
  }

  #cancelListed(ids: readonly OrderId[], cause: 'foreign' | 'stopping', now: number): boolean {
    const because = cause === 'foreign' ? 'orders.foreign: cancel' : 'a list shows it';
    const why: Why = { cause, intent: null, value: 0, waitedMs: 0, over: 'leave', because };
    return this.#cancel(
      ids,
      ids.map(() => why),
      now,
    );
  }

  #cancel(orderIds: readonly OrderId[], why: readonly Why[], now: number): boolean {
    const permit = orderIds.length === 0 ? undefined : this.permits.cancel.shift();
    if (permit === undefined) return false;
    const req = this.#ports.nextRequest();
    this.#enterCancel(req, orderIds, now);
    this.#ports.send({ type: 'cancel', req, permit, orderIds, why });
    return true;
  }

  /** Cancels everything in a game or a league. This needs no permit. */
  cancelBulk({ scope, unwanted }: Bulk, now: number): void {
    const orders = unwanted.map(({ order }) => order);
    const orderIds = orders.flatMap((order) => idOf(order) ?? []);
    this.#account.applyBulkSent(orderIds, now + bulkCancelMs(orderIds.length));
    // if an order is not reported gone, a look-up by its id shows more than a second bulk cancel
    for (const order of orders) order.lockedOut = Number.NEGATIVE_INFINITY;
    const why = unwanted.map((need) => this.#whyOf(need, now));
    this.#ports.send({ type: 'cancel-all', req: this.#ports.nextRequest(), scope, orderIds, why });
  }

  /** Cancels everything on the account, under its lock. Returns how long that takes, ms. */
  cancelAll(now: number): number {
    const ids = this.#openIds;
    this.#account.applyBulkSent(ids, now + bulkCancelMs(ids.length));
    this.#ports.send({ type: 'cancel-all', req: this.#ports.nextRequest() });
    return bulkCancelMs(this.#account.active.size);
  }

  /**
   * Edits an order. Returns the move, to be sent as a cancel first, when a control denies the new size beside
   * the old one.
   */
  edit(move: Move, now: number): Move | undefined {
    const { order: old, target } = move;
    const orderId = idOf(old);
    if (orderId === undefined) return undefined;
    const denial = this.#denialOf(target);
    if (denial === 'wait') return undefined;
    if (denial !== undefined) return decided(move, 'edit', denial.reason);
    const permit = this.#spend();
    if (permit === undefined) return undefined;
    this.worth += (move.value - this.worth) * WORTH_WEIGHT;
    const req = this.#ports.nextRequest();
    const order = this.#newOrder(target);
    this.#enterEdit(req, { orderId, order, owner: target, replaces: old }, now);
    this.#ports.send({ type: 'edit', req, permit, orderId, order, why: this.#whyOf(move, now) });
    return undefined;
  }

  /** Places a batch. Returns how many of its orders a control denied. */
  place(batch: readonly Place[], now: number): number {
    let denied = 0;
    const orders: NewOrder[] = [];
    const why: Why[] = [];
    const sent: OwnOrder[] = [];
    let req: RequestId | undefined;
    for (const need of batch) {
      const { target } = need;
      const denial = this.#denialOf(target);
      if (denial === 'wait') continue;
      if (denial !== undefined) {
        this.#blocks.applyDenied(target, now, denial);
        denied += 1;
        continue;
      }
      req ??= this.#ports.nextRequest();
      const order = this.#newOrder(target);
      orders.push(order);
      why.push(this.#whyOf(need, now));
      sent.push(this.#account.applySent(order, target, { req, t: this.#ports.wall() }));
    }
    if (req === undefined) return denied;
    const permit = this.#spend();
    if (permit === undefined) throw new Error('a batch was planned without a permit');
    this.requests.set(req, { req, type: 'place', sentAt: now, orders: sent });
    this.#ports.send({ type: 'place', req, permit, orders, why });
    return denied;
  }

  /** Enters a request of a recorded run in the account, as if it were sent now. */
  enter(command: Command, now: number): void {
    const owner = (order: NewOrder): Owner =>
      ownerOf(order.ref, this.#settings.instance) ?? { strategy: '' as StrategyId, key: '' };
    switch (command.type) {
      case 'place': {
        const { req } = command;
        const orders = command.orders.map((order) =>
          this.#account.applySent(order, owner(order), { req, t: this.#ports.wall() }),
        );
        this.requests.set(req, { req, type: 'place', sentAt: now, orders });
        return;
      }
      case 'edit': {
        const { req, orderId } = command;
        const replaces = this.#account.find(orderId, undefined);
        const { order } = command;
        this.#enterEdit(req, { orderId, order, owner: owner(order), replaces }, now);
        return;
      }
      case 'cancel':
        this.#enterCancel(command.req, command.orderIds, now);
        return;
      case 'cancel-all': {
        const ids = command.orderIds ?? this.#openIds;
        this.#account.applyBulkSent(ids, now + bulkCancelMs(ids.length));
        return;
      }
      default:
    }
  }

  /** The ids of open orders. An open order always has an id. */
  get #openIds(): readonly OrderId[] {
    return [...this.#account.active].flatMap((order) => (order.status === 'open' ? (idOf(order) ?? []) : []));
  }

  #enterCancel(req: RequestId, orderIds: readonly OrderId[], now: number): void {
    const names = this.#account.applyCancelSent(orderIds, req);
    this.requests.set(req, { req, type: 'cancel', sentAt: now, orderIds, names });
  }

  #enterEdit(
    req: RequestId,
    edit: {
      readonly orderId: OrderId;
      readonly order: NewOrder;
      readonly owner: Owner;
      readonly replaces: OwnOrder | undefined;
    },
    now: number,
  ): void {
    const { orderId, replaces } = edit;
    const order = this.#account.applySent(edit.order, edit.owner, {
      req,
      t: this.#ports.wall(),
      ...(replaces === undefined ? {} : { replaces }),
    });
    this.requests.set(req, { req, type: 'edit', sentAt: now, orderId, name: replaces?.id, order });
  }

  #spend(): number | undefined {
    const permit = this.permits.place.shift();
    if (permit !== undefined) this.spent += 1;
    return permit;
  }

  #newOrder({ strategy, key, market, side, rung, risk }: Target): NewOrder {
    this.#references += 1;
    const ref = referenceOf(this.#settings.instance, { strategy, key }, this.#run, this.#references);
    return { ref, market, side, rung, risk };
  }

  /** The denial of an order. `wait`: an own order on the other side must move away first. */
  #denialOf(target: Target): Denial | 'wait' | undefined {
    const across = oppositeSide(target.side);
    const others = this.#account.activeIn(target.market.id).filter((order) => order.side === across);
    if (crossesOwn(target.rung, others)) return 'wait';
    // the account must not trade with its external orders either
    for (const { market, side, rung } of this.#account.external.orders.values())
      if (market.id === target.market.id && side === across && crossesOwn(target.rung, [{ rung }]))
        return {
          control: 'own-cross',
          reason: 'it would cross an order of another client on the account',
        };
    const game = this.#ports.gameOf(target.market.gameId);
    if (game === undefined) return { control: 'gate', reason: 'the game is not known' };
    const account: AccountState = {
      exposure: this.#exposure,
      openOrders: this.#account.active.size,
      creditInUse: this.#account.creditInUse,
      balance: this.#ports.balance(),
      leagueOf: (id) => this.#ports.gameOf(id)?.league ?? '',
    };
    return checkOrder(target, game, account, this.#settings.risk) ?? this.#denialOfStrategy(target, game);
  }

  /** The denial by the strategy's own limits, which count its own fills and orders alone. */
  #denialOfStrategy(target: Target, game: Game): Denial | undefined {
    const { strategy } = target;
    const limits = this.#ports.limitsOf?.(strategy);
    if (limits === undefined) return undefined;
    let openOrders = 0;
    for (const order of this.#account.active) if (order.strategy === strategy) openOrders += 1;
    const own: AccountState = {
      exposure: this.#strategies.of(strategy),
      openOrders,
      creditInUse: ZERO,
      balance: undefined,
      leagueOf: () => '',
    };
    const denial = checkOrder(target, game, own, limits);
    return denial && { ...denial, reason: `limit of the strategy: ${denial.reason}` };
  }

  #whyOf(need: Need, now: number): Why {
    const { over, because } = need;
    const intent = this.#intentBehind(need);
    return {
      cause: need.cause,
      intent: intent?.seq ?? null,
      ...(intent?.said === undefined ? {} : { said: intent.said }),
      value: Math.round(need.value),
      waitedMs: Math.round(now - (need.since ?? now)),
      over,
      because: need.cause === 'denied' ? (need.target?.denial?.reason ?? because) : because,
      ...(need.target?.rank === undefined ? {} : { rank: need.target.rank }),
    };
  }

  /** The intent that wants the order or, for a cancel, the strategy's newest. Undefined without one. */
  #intentBehind(need: Need): { readonly seq: number; readonly said: string | undefined } | undefined {
    if (need.target !== undefined) return { seq: need.target.intent, said: need.target.said };
    if (need.type !== 'cancel') return undefined;
    const { market, strategy } = need.order;
    const held = this.#ports.intentOf?.(market.id, strategy);
    return held && { seq: held.seq, said: held.intent.reason };
  }
}
