// The order manager: keeps what rests at the exchange equal to the targets, within the permits in hand. What to send goes
// out as commands (sender.ts), what the exchange says of it comes in (answers.ts), what never was answered is looked for
// (fates.ts). Invariants: one order per slot; nothing is sent while a slot's fate is open; no order is sent that a control
// denies; an unanswered order stays in exposure until evidence settles it.
import type {
  Bucket,
  Command,
  DrawRule,
  GameId,
  MarketId,
  OrderId,
  OrderRef,
  RequestId,
  Side,
  SlotId,
} from '../domain/index.ts';
import { isCancelling, sideIndex } from '../domain/index.ts';
import type { ControlName, SideStakes } from '../risk/index.ts';
import { Exposure } from '../risk/index.ts';
import { Answers } from './answers.ts';
import { planCancels } from './cancel-plan.ts';
import { chunks } from './chunks.ts';
import { Ledger } from './ledger.ts';
import type { OwnOrder } from './own-order.ts';
import { remainingOf } from './own-order.ts';
import { MissingFills } from './missing-fills.ts';
import { NeedPool } from './need-pool.ts';
import { needsOf } from './needs.ts';
import type { Cancel, Move } from './needs.ts';
import type { Choice, Planner, PlanLimits } from './planner.ts';
import { byValue } from './planner.ts';
import type { SenderPorts, SenderSettings } from './sender.ts';
import { Sender } from './sender.ts';
import { SlotBlocks } from './slot-blocks.ts';
import type { Target } from './targets.ts';

export type OrderSettings = PlanLimits &
  SenderSettings & {
    /** Probability a resting price may differ from the wanted one. */
    readonly tolerance: number;
    /** An edited order goes on under its id (wire profile). */
    readonly editKeepsId: boolean;
    /** Orders end by themselves after this; undefined: never. */
    readonly expiresAfterMs?: number | undefined;
  };

export type OrderPorts = SenderPorts & {
  readonly nextRequest: () => RequestId;
  readonly send: (command: Command) => void;
  readonly alert: (
    level: 'info' | 'warn' | 'error',
    code: string,
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ) => void;
  /** How a level score settles the moneyline of a game. */
  readonly drawOf: (id: GameId) => DrawRule;
  /** The exchange says that the account cannot afford an order: what it has is asked. */
  readonly askBalance?: () => void;
};

const UNAUTHORIZED_MS = 1000;

/** Plans within one step: each but the last denied something, which then waits. */
const MOST_ROUNDS = 1000;

export class OrderManager {
  readonly ledger = new Ledger();
  readonly exposure: Exposure;
  readonly sender: Sender;
  readonly answers: Answers;
  readonly targets = new Map<MarketId, readonly Target[]>();
  readonly #settings: OrderSettings;
  readonly #ports: OrderPorts;
  readonly #planner: Planner;
  readonly #blocks = new SlotBlocks();
  readonly #needs: NeedPool;
  readonly #missing = new MissingFills();
  #onlyCancels = false;
  readonly #heldUntil = { place: 0, cancel: 0 };
  readonly #unauthorizedAt = { place: Number.NEGATIVE_INFINITY, cancel: Number.NEGATIVE_INFINITY };
  /** A cancel-all runs on the account until then: individual cancels are refused. */
  #lockedUntil = 0;

  constructor(settings: OrderSettings, ports: OrderPorts, planner: Planner = byValue) {
    this.#settings = settings;
    this.#ports = ports;
    this.#planner = planner;
    this.#needs = new NeedPool(this.#blocks, settings.mayEdit);
    this.exposure = new Exposure({
      marketsOf: (gameId) => this.ledger.games.get(gameId)?.values() ?? [],
      positionIn: (market) => this.ledger.plays.surePositionIn(market),
      addOpenIn: (market, stakes) => {
        this.#addOpenIn(market, stakes);
      },
      games: this.ledger.games,
      moved: this.ledger.moved,
      elsewhere: () => this.ledger.stakedElsewhere,
      drawOf: ports.drawOf,
    });
    const state = {
      ledger: this.ledger,
      exposure: this.exposure,
      missing: this.#missing,
      blocks: this.#blocks,
    };
    this.sender = new Sender(settings, ports, state);
    this.answers = new Answers(state, ports, settings);
  }

  /**
   * Everything that may still fill in a market, or may have: own orders, foreign ones, fills that were told of but not
   * seen, and those whose player mode is not known.
   */
  #addOpenIn(market: MarketId, stakes: SideStakes): void {
    const add = (side: Side, stake: number): void => {
      stakes[sideIndex(side)] += stake;
    };
    for (const order of this.ledger.activeIn(market)) add(order.side, remainingOf(order));
    const { foreign, plays } = this.ledger;
    if (foreign.orders.size > 0)
      for (const order of foreign.orders.values())
        if (order.market.id === market) add(order.side, order.remaining);
    if (!this.#missing.isEmpty)
      for (const { side, remaining } of this.#missing.in(market)) add(side, remaining);
    for (const { side, risk } of plays.unsureIn(market)) add(side, risk);
  }

  /** From now on nothing is placed or edited. */
  stopPlacing(): void {
    this.#onlyCancels = true;
    // there is no later any more
    this.answers.hurry();
    for (const order of this.ledger.active) {
      order.cancelsFailed = 0;
      order.cancelFrom = Number.NEGATIVE_INFINITY;
    }
  }

  /** True for a reference that some run of this instance made. */
  isOwnReference(ref: OrderRef): boolean {
    return ref.startsWith(`${this.#settings.instance}.`);
  }

  setTargets(market: MarketId, targets: readonly Target[]): void {
    this.#blocks.applyTargets(market, targets);
    if (targets.length === 0) this.targets.delete(market);
    else this.targets.set(market, targets);
  }

  /** Recomputes what a market needs, after its targets or its orders changed. */
  refresh(market: MarketId, now: number): void {
    this.#blocks.applyNews();
    const needs = needsOf(
      this.targets.get(market) ?? [],
      this.ledger.activeIn(market),
      this.#settings.tolerance,
    );
    this.#needs.replace(market, needs, now);
  }

  /** Something became known that a control may look at. */
  applyNews(): void {
    this.#blocks.applyNews();
  }

  /** When something waits to be sent, told or found, as far as nothing else comes in before. */
  nextDue(now: number): number {
    const isIdle =
      this.ledger.unknown.size === 0 &&
      this.sender.drains.isEmpty &&
      this.answers.isIdle &&
      this.#missing.isEmpty;
    return isIdle ? this.#needs.nextDue(now) : now;
  }

  /** The control that denied the last order for a slot, as long as one is wanted and none was accepted or refused. */
  deniedBy(slot: SlotId): ControlName | undefined {
    return this.#blocks.deniedBy(slot);
  }

  /** Markets of which that changed; whoever reads them clears them. */
  get heldAnew(): Set<MarketId> {
    return this.#blocks.heldAnew;
  }

  /** The game is over, and nothing is open or held in it. */
  forgetGame(gameId: GameId): void {
    this.#blocks.forgetGame(gameId);
    this.answers.forgetGame(gameId);
  }

  /** The book of a game is known as it was at this time, monotonic ms. */
  noteSeen(gameId: GameId, at: number): void {
    this.#blocks.applySeen(gameId, at, this.#ports.gameOf);
  }

  /** Under a cancel-all everything is being cancelled already; after a 429 or a 500 the bucket waits. */
  #mayCancel(now: number): boolean {
    return now >= Math.max(this.#lockedUntil, this.#heldUntil.cancel);
  }

  /** Open orders that a list showed and the ledger does not hold; where cancels wait, the next list asks again. */
  cancelStragglers(ids: readonly OrderId[], now: number): void {
    if (this.#mayCancel(now)) this.sender.cancelStragglers(ids, now);
  }

  /** All foreign orders that a list showed, unless cancels wait: then the next list asks again. */
  cancelForeign(ids: readonly OrderId[], now: number): void {
    if (this.#mayCancel(now)) this.sender.cancelForeign(ids, now);
  }

  /** Sends what is worth sending with the permits in hand, `mostNew` orders at most. What a control denies keeps nobody else from using them. */
  plan(now: number, mostNew = Number.POSITIVE_INFINITY): void {
    const { spent } = this.sender;
    const left = (): number => mostNew - (this.sender.spent - spent);
    for (let round = 0; round < MOST_ROUNDS && this.#plan(now, left()); round++);
  }

  /** True when orders were denied and there are permits left. `mostNew`: orders that may be placed, one a request if they are few. */
  #plan(now: number, mostNew: number): boolean {
    const { permits, spent } = this.sender;
    const mayCancel = this.#mayCancel(now);
    const isHeld = this.#onlyCancels || now < this.#heldUntil.place;
    const place = isHeld ? 0 : Math.min(permits.place.length, mostNew);
    const isLimited = mostNew < Number.POSITIVE_INFINITY;
    const limits = isLimited ? { ...this.#settings, maxOrdersPerPlace: 1 } : this.#settings;
    const needs = this.#needs.urgent(now, this.#onlyCancels);
    if (place > 0) needs.push(...this.#needs.best(this.#planner.looksAt(place, limits), now));
    if (needs.length === 0) return false;
    const plan = this.#planner.plan(
      needs,
      {
        place,
        cancel: mayCancel ? permits.cancel.length : 0,
        resting: this.ledger.active.size,
        spent,
        // the one that is tried is worth its permit
        worth: isLimited ? 0 : this.sender.worth,
        now,
      },
      limits,
    );
    const isDue = ({ need }: Choice<Cancel | Move>): boolean => now >= need.order.cancelFrom;
    const cancels = plan.cancels.filter(isDue);
    const { batches, bulks } = planCancels(mayCancel ? cancels : [], {
      permits: permits.cancel.length,
      maxIdsPerCancel: this.#settings.maxIdsPerCancel,
      restingIn: (game) => this.#restingIn(game),
      leagueOf: (game) => this.#ports.gameOf(game)?.league,
      gamesOf: (league) => this.#gamesOf(league),
    });
    for (const choices of batches) this.sender.cancel(choices, now);
    for (const bulk of bulks) this.sender.cancelBulk(bulk, now);
    const denied = plan.edits.flatMap((choice) => this.sender.edit(choice, now) ?? []);
    if (mayCancel)
      for (const some of chunks(denied.filter(isDue), this.#settings.maxIdsPerCancel))
        this.sender.cancel(some, now);
    let deniedPlaces = 0;
    for (const batch of plan.places) deniedPlaces += this.sender.place(batch, now);
    // of what was sent, nothing is needed again; an edit may have gone as a cancel
    const isSent = this.sender.spent > spent || batches.length + bulks.length + plan.edits.length > 0;
    if (isSent) for (const { id } of this.ledger.touched) this.refresh(id, now);
    return deniedPlaces > 0 && place > 0 && permits.place.length > 0;
  }

  /** Own orders that a request for the whole game would cancel; undefined where it might meet those of others. */
  #restingIn(game: GameId): number | undefined {
    if (this.ledger.foreign.wereSeen) return undefined;
    let resting = 0;
    for (const market of this.ledger.games.get(game)?.keys() ?? [])
      for (const { status } of this.ledger.activeIn(market)) if (!isCancelling(status)) resting += 1;
    return resting;
  }

  #gamesOf(league: string): ReadonlySet<GameId> {
    const games = new Set<GameId>();
    for (const { market } of this.ledger.active)
      if (this.#ports.gameOf(market.gameId)?.league === league) games.add(market.gameId);
    return games;
  }

  /** Spends no permit of this bucket until then. */
  hold(bucket: Bucket, until: number): void {
    this.#heldUntil[bucket] = Math.max(this.#heldUntil[bucket], until);
  }

  /**
   * The token was refused (401). Once is nothing, also of requests that left (`sentAt`) before it was heard; of one that left
   * after that it says that the new token is none either.
   */
  applyUnauthorized(bucket: Bucket, sentAt: number, now: number): void {
    const heardAt = this.#unauthorizedAt[bucket];
    if (sentAt < heardAt) return;
    if (now - heardAt < 2 * UNAUTHORIZED_MS) this.hold(bucket, now + UNAUTHORIZED_MS);
    this.#unauthorizedAt[bucket] = now;
  }

  /** Cancels everything on the account: nothing else is sent until that is over. */
  cancelAll(now: number): void {
    this.#lock(now + this.sender.cancelAll(now));
  }

  /** A cancel-all runs on the account (423): what it cancels needs no retry, what came after it waits once. */
  applyLocked(cancelling: readonly OwnOrder[], until: number): void {
    this.#lock(until);
    for (const order of cancelling) {
      order.req = undefined;
      order.lockedOut += 1;
    }
    this.sender.drains.watch(cancelling, until);
  }

  #lock(until: number): void {
    this.#lockedUntil = Math.max(this.#lockedUntil, until);
    this.hold('place', this.#lockedUntil);
  }

  /** Looks after what was not told: drains that must be over, look-ups that failed, fills that are missing. */
  sweep(now: number): void {
    for (const order of this.sender.drains.due(now)) this.ledger.applyEvent(order, 'cancel-failed', now);
    this.answers.sweep(now);
  }
}
