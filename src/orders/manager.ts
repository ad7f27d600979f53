// The order manager: keeps the orders at the exchange equal to the targets, within the permits in hand.
// sender.ts sends commands, answers.ts applies answers, and the account (src/account) holds the state of
// orders. Invariants: one order per slot; nothing is sent while a slot's fate is open; no order is sent that
// a control denies.
import type { Account } from '../account/index.ts';
import type {
  BatchErrors,
  Answer,
  Bucket,
  Command,
  SportRule,
  ErrorAnswer,
  FailureKind,
  GameId,
  HeldIntent,
  MarketId,
  OrderId,
  RequestId,
  SlotId,
  StrategyId,
} from '../domain/index.ts';
import { isCancelling, namesBatch, plainName } from '../domain/index.ts';
import type { GameModel } from '../pricing/index.ts';
import type { Denial, HeldElsewhere } from '../risk/index.ts';
import { Exposure, StrategyExposures } from '../risk/index.ts';
import type { AnswerPorts, Attempt } from './answers.ts';
import { Answers } from './answers.ts';
import { planCancels } from './cancel-plan.ts';
import { chunks } from './chunks.ts';
import { NeedPool } from './need-pool.ts';
import { needsOf } from './needs.ts';
import type { Cancel, Move, Need } from './needs.ts';
import type { Planner, PlanLimits } from './planner.ts';
import { byValue, haveAPrice, priceOf } from './planner.ts';
import type { SenderPorts, SenderSettings } from './sender.ts';
import { Sender } from './sender.ts';
import { SlotBlocks } from './slot-blocks.ts';
import type { Target } from './targets.ts';

export type OrderSettings = PlanLimits &
  Omit<SenderSettings, 'playerMode'> & {
    /** The most that the probability of a resting price may differ from the wanted one. */
    readonly tolerance: number;
    /** True when an edited order keeps its id (wire profile). */
    readonly editKeepsId: boolean;
    /** The age at which the exchange ends an order, ms. Undefined: never. */
    readonly expiresAfterMs?: number | undefined;
    /** How long a slot waits after it gave up, ms (see `SlotBlocks`). */
    readonly giveUpForMs?: number | undefined;
  };

export type ManagerSettings = OrderSettings &
  Pick<SenderSettings, 'playerMode'> & {
    /** The 4xx statuses that prove that no order of the batch was placed (wire profile). */
    readonly batchErrors: BatchErrors;
  };

export type OrderPorts = Omit<SenderPorts, 'intentOf'> &
  AnswerPorts & {
    /** The sport rule that decides the markets of a game. */
    readonly ruleOf: (id: GameId) => SportRule;
    /** The game that this one is a part of. Undefined: it is no part, or its losses count separately. */
    readonly parentOf?: (id: GameId) => GameId | undefined;
    /** The distribution of a game's score. Undefined: nothing is known of it. */
    readonly modelOf?: (id: GameId) => GameModel | undefined;
    /** What is held on other exchanges. Absent: nothing. */
    readonly held?: HeldElsewhere;
  };

type Failed = { readonly type: 'failed'; readonly failure: FailureKind; readonly detail: string };
/** The outcome of a request. */
export type Outcome = Answer | Failed;

/** What the engine must do after an outcome. */
export type RequestFollowUp = {
  /** The error concerns the account: the current user is to be read. */
  readonly askUser?: true;
  /** The market had moved on: the books of these games are to be read again. */
  readonly reread?: readonly GameId[];
};

/** The status that an error code stands for, where the code is more exact than the status. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  CANCEL_ALL_IN_PROGRESS: 423,
  RATE_LIMITED: 429,
  CANCEL_QUEUE_FULL: 429,
};
const NO_FOLLOW_UP: RequestFollowUp = Object.freeze({});
const ASK_USER: RequestFollowUp = Object.freeze({ askUser: true });
const UNAUTHORIZED_MS = 1000;
/** A cancel without an answer may be repeated, since a second one is harmless; this wait avoids a storm. */
const CANCEL_AGAIN_MS = 500;
const CANCEL_AFTER_ERROR_MS = 1000;
const NO_REASONS: ReadonlyMap<StrategyId, HeldIntent> = new Map();

/** The most plans in one step. Each but the last denied an order, which then waits. */
const MOST_ROUNDS = 1000;

export class OrderManager {
  readonly exposure: Exposure;
  readonly #account: Account;
  readonly #sender: Sender;
  readonly #answers: Answers;
  readonly #targets = new Map<MarketId, readonly Target[]>();
  /** The newest intent of each strategy, by market with targets. */
  readonly #reasons = new Map<MarketId, ReadonlyMap<StrategyId, HeldIntent>>();
  readonly #settings: ManagerSettings;
  readonly #ports: OrderPorts;
  readonly #planner: Planner;
  readonly #blocks: SlotBlocks;
  readonly #needs: NeedPool;
  #onlyCancels = false;
  /** True while nothing may be placed or edited, for a time. */
  #holdsPlaces = false;
  readonly #heldUntil = { place: 0, cancel: 0 };
  readonly #unauthorizedAt = { place: Number.NEGATIVE_INFINITY, cancel: Number.NEGATIVE_INFINITY };
  /** Until when a cancel-all runs on the account, monotonic ms. Single cancels are refused until then. */
  #lockedUntil = 0;

  constructor(account: Account, settings: ManagerSettings, ports: OrderPorts, planner: Planner = byValue) {
    this.#account = account;
    this.#settings = settings;
    this.#ports = ports;
    this.#planner = planner;
    this.#blocks = new SlotBlocks(settings.giveUpForMs);
    this.#needs = new NeedPool(this.#blocks, settings.mayEdit);
    const { held } = ports;
    const elsewhere = held && { held, hedges: () => settings.risk.heldHedges };
    const { ruleOf, parentOf, modelOf } = ports;
    const strategies = new StrategyExposures(account, { ruleOf, parentOf, modelOf });
    const moved = (games: ReadonlySet<GameId>): void => strategies.applyMoved(games);
    this.exposure = new Exposure(account, { ruleOf, parentOf, elsewhere, modelOf, moved });
    this.#sender = new Sender(
      settings,
      { ...ports, intentOf: (market, strategy) => this.#reasons.get(market)?.get(strategy) },
      { account, exposure: this.exposure, strategies, blocks: this.#blocks },
    );
    this.#answers = new Answers(account, this.#blocks, ports, settings.editKeepsId);
  }

  /** `run`: makes references unique across restarts. */
  applyBoot(run: string): void {
    this.#sender.applyBoot(run);
  }

  // ——— permits

  applyPermit(bucket: Bucket, permit: number): void {
    this.#sender.permits[bucket].push(permit);
  }

  /** Returns unspent permits. */
  giveBack(bucket: Bucket, count: number): void {
    this.#sender.giveBack(bucket, count);
  }

  /** The permits in hand. */
  get permits(): Readonly<Record<Bucket, number>> {
    const { place, cancel } = this.#sender.permits;
    return { place: place.length, cancel: cancel.length };
  }

  /** True when few place permits are left: then a permit has a price, and needs below it wait. */
  get isShort(): boolean {
    return haveAPrice(this.#sender.permits.place.length, this.#settings);
  }

  /** The worth that an edit needs now for a place permit, micro-dollars; 0 while they are not short. */
  get permitPrice(): number {
    return priceOf(this.#sender.permits.place.length, this.#sender.worth, this.#settings);
  }

  /** Place permits spent so far. */
  get spent(): number {
    return this.#sender.spent;
  }

  /** Stops placing and editing for the rest of the run. */
  stopPlacing(): void {
    this.#onlyCancels = true;
    // the run ends: look-ups are due at once
    this.#account.lookUps.hurry();
  }

  /** Holds back places and edits while the player mode is not certain (rules.md, 9). */
  holdPlaces(arePlacesHeld: boolean): void {
    this.#holdsPlaces = arePlacesHeld;
  }

  // ——— targets

  /** Sets what should rest in a market. `reasons`: the newest intent of each strategy there. */
  setTargets(
    market: MarketId,
    targets: readonly Target[],
    reasons: ReadonlyMap<StrategyId, HeldIntent> = NO_REASONS,
  ): void {
    this.#blocks.applyTargets(market, targets);
    if (targets.length === 0) this.#targets.delete(market);
    else this.#targets.set(market, targets);
    if (reasons.size === 0) this.#reasons.delete(market);
    else this.#reasons.set(market, reasons);
  }

  targetsIn(market: MarketId): readonly Target[] {
    return this.#targets.get(market) ?? NO_TARGETS;
  }

  /** The open needs of a market. */
  needsIn(market: MarketId): readonly Need[] {
    return this.#needs.in(market);
  }

  /** The number of slots that wait for a request, and the value that waiting costs, micro-dollars. */
  get waiting(): { readonly slots: number; readonly value: number } {
    let [slots, value] = [0, 0];
    for (const need of this.#needs.all()) {
      slots += 1;
      value += need.value;
    }
    return { slots, value };
  }

  /** Recomputes the needs of a market, after its targets or orders changed. */
  refresh(market: MarketId, now: number): void {
    this.#blocks.applyNews();
    const needs = needsOf(this.targetsIn(market), this.#account.activeIn(market), this.#settings.tolerance);
    this.#needs.replace(market, needs, now);
  }

  /** Notes that something changed that a control may depend on. */
  applyNews(): void {
    this.#blocks.applyNews();
  }

  /** When the next request may be sent if nothing else arrives before, monotonic ms. */
  nextDue(now: number): number {
    return this.#account.isIdle ? this.#needs.nextDue(now) : now;
  }

  /** The control that denied the last order for a slot. Undefined after an answer, or when none is wanted. */
  deniedBy(slot: SlotId): Denial | undefined {
    return this.#blocks.deniedBy(slot);
  }

  /** Markets in which `deniedBy` changed for a slot. The reader clears the set. */
  get heldAnew(): Set<MarketId> {
    return this.#blocks.heldAnew;
  }

  /** Forgets a game that has ended and in which nothing is open or held. */
  forgetGame(gameId: GameId): void {
    this.#blocks.forgetGame(gameId);
  }

  /** Notes the time (monotonic ms) at which the book of a game was up to date. */
  noteSeen(gameId: GameId, seenAt: number): void {
    this.#blocks.applySeen(gameId, seenAt, this.#ports.gameOf);
  }

  /** False while a cancel-all runs, and while the bucket waits after a 429 or a 500. */
  #mayCancel(now: number): boolean {
    return now >= Math.max(this.#lockedUntil, this.#heldUntil.cancel);
  }

  /** Cancels listed orders that are not believed to be open. While cancels wait, the next list repeats it. */
  cancelStragglers(ids: readonly OrderId[], now: number): void {
    if (this.#mayCancel(now)) this.#sender.cancelStragglers(ids, now);
  }

  /** Cancels all external orders that a list showed. While cancels wait, the next list repeats this. */
  cancelExternal(ids: readonly OrderId[], now: number): void {
    if (this.#mayCancel(now)) this.#sender.cancelExternal(ids, now);
  }

  /** Sends what is worth its permits, `mostNew` orders at most. The permit of a denied order stays usable. */
  plan(now: number, mostNew = Number.POSITIVE_INFINITY): void {
    if (this.#needs.isQuiet(now)) return;
    const { spent } = this.#sender;
    const left = (): number => mostNew - (this.#sender.spent - spent);
    for (let round = 0; round < MOST_ROUNDS && this.#plan(now, left()); round++);
  }

  /** One round of `plan` with at most `mostNew` orders. True when orders were denied and permits are left. */
  #plan(now: number, mostNew: number): boolean {
    const { permits, spent } = this.#sender;
    const mayCancel = this.#mayCancel(now);
    const isHeld = this.#onlyCancels || this.#holdsPlaces || now < this.#heldUntil.place;
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
        resting: this.#account.active.size,
        spent,
        // a limited order is worth its permit
        worth: isLimited ? 0 : this.#sender.worth,
        now,
      },
      limits,
    );
    const isDue = ({ order }: Cancel | Move): boolean => now >= (order.id?.cancelFrom ?? now);
    const cancels = plan.cancels.filter(isDue);
    const { batches, bulks } = planCancels(mayCancel ? cancels : [], {
      permits: permits.cancel.length,
      maxIdsPerCancel: this.#settings.maxIdsPerCancel,
      restingIn: (game) => this.#restingIn(game),
      leagueOf: (game) => this.#ports.gameOf(game)?.league,
      gamesOf: (league) => this.#gamesOf(league),
    });
    for (const batch of batches) this.#sender.cancel(batch, now);
    for (const bulk of bulks) this.#sender.cancelBulk(bulk, now);
    const denied = plan.edits.flatMap((move) => this.#sender.edit(move, now) ?? []);
    if (mayCancel)
      for (const batch of chunks(denied.filter(isDue), this.#settings.maxIdsPerCancel)) this.#sender.cancel(batch, now);
    let deniedPlaces = 0;
    for (const batch of plan.places) deniedPlaces += this.#sender.place(batch, now);
    // the needs of sent orders are computed again; an edit may have been sent as a cancel
    const isSent = this.#sender.spent > spent || batches.length + bulks.length + plan.edits.length > 0;
    if (isSent) for (const { id } of this.#account.touched) this.refresh(id, now);
    return deniedPlaces > 0 && place > 0 && permits.place.length > 0;
  }

  /** The own orders that a cancel of the whole game would end. Undefined where it may end others' orders. */
  #restingIn(game: GameId): number | undefined {
    if (this.#account.external.wereSeen) return undefined;
    let resting = 0;
    for (const market of this.#account.games.get(game)?.keys() ?? [])
      for (const { status } of this.#account.activeIn(market)) if (!isCancelling(status)) resting += 1;
    return resting;
  }

  #gamesOf(league: string): ReadonlySet<GameId> {
    const games = new Set<GameId>();
    // an exchange may cancel in all leagues whose names differ only in case
    for (const { market } of this.#account.active) {
      const other = this.#ports.gameOf(market.gameId)?.league;
      if (other !== undefined && (other === league || plainName(other) === plainName(league))) games.add(market.gameId);
    }
    return games;
  }

  // ——— answers to requests

  /** Enters a command of a recorded run, as if it were sent now. */
  enter(command: Command, now: number): void {
    this.#sender.enter(command, now);
  }

  /** The request with this id, while its outcome is not known; else undefined. */
  attempt(req: RequestId): Attempt | undefined {
    return this.#sender.requests.get(req);
  }

  /** True while a place or edit may still be answered in time. `cancelsToo`: also for a cancel. */
  isFlying(cancelsToo: boolean): boolean {
    for (const { type, timedOut } of this.#sender.requests.values())
      if (timedOut !== true && (type !== 'cancel' || cancelsToo)) return true;
    return false;
  }

  /** Applies an outcome. After a timeout the answer may still arrive; any other failure is final. */
  applyOutcome(attempt: Attempt, outcome: Outcome, now: number): RequestFollowUp {
    const isFinal = outcome.type !== 'failed' || outcome.failure !== 'timeout';
    if (isFinal) this.#sender.requests.delete(attempt.req);
    switch (outcome.type) {
      case 'placed':
        if (attempt.type === 'place') this.#answers.applyPlaced(attempt, outcome.results, now);
        return NO_FOLLOW_UP;
      case 'edited':
        if (attempt.type === 'edit') this.#answers.applyEdited(attempt, outcome.result, now);
        return NO_FOLLOW_UP;
      case 'cancelled':
        if (attempt.type === 'cancel') this.#answers.applyCancelled(attempt, outcome.results, now);
        return NO_FOLLOW_UP;
      case 'failed':
        this.#applyFailed(attempt, outcome, now);
        return NO_FOLLOW_UP;
      case 'error':
        return this.#applyError(attempt, outcome, now);
      default:
        this.#applyUnreadable(
          attempt,
          outcome.type === 'unreadable' ? outcome.problem : 'the answer does not fit the request',
          now,
        );
        return NO_FOLLOW_UP;
    }
  }

  #applyUnreadable(attempt: Attempt, problem: string, now: number): void {
    const message = 'a reply cannot be read: the fate of its orders is unknown';
    this.#ports.alert('warn', 'REPLY_MALFORMED', message, { request: attempt.type, problem });
    if (attempt.type === 'cancel') this.hold('cancel', now + CANCEL_AGAIN_MS);
    this.#answers.applyUnanswered(attempt, { status: undefined, reason: problem }, now);
  }

  #applyFailed(attempt: Attempt, { failure, detail: reason }: Failed, now: number): void {
    // the end of a request that timed out shows nothing new
    if (attempt.timedOut === true) return;
    if (failure === 'timeout') attempt.timedOut = true;
    if (attempt.type === 'cancel') this.hold('cancel', now + CANCEL_AGAIN_MS);
    if (failure === 'not-sent') this.#answers.applyNotSent(attempt, reason, now);
    else this.#answers.applyUnanswered(attempt, { status: undefined, reason }, now);
  }

  /** Applies an error answer by its code and status, never by its message (rules.md, 5). */
  #applyError(attempt: Attempt, error: ErrorAnswer, now: number): RequestFollowUp {
    const { retryAfterMs } = error;
    const status = STATUS_BY_CODE[error.code ?? ''] ?? error.status;
    const bucket: Bucket = attempt.type === 'cancel' ? 'cancel' : 'place';
    switch (status) {
      case 423:
      case 429:
        if (status === 429)
          this.#ports.alert('warn', 'RATE_LIMITED', 'the exchange answered 429', {
            bucket,
            waitMs: retryAfterMs,
          });
        this.#ports.send({ type: 'hold', bucket, forMs: retryAfterMs });
        this.hold(bucket, now + retryAfterMs);
        if (status === 423) this.#applyLocked(attempt, now + retryAfterMs);
        if (status !== 423 || attempt.type !== 'cancel') this.#answers.applyRefused(attempt, error, now);
        return NO_FOLLOW_UP;
      case 401: // the session logs in again; the orders are decided again with the new token
        this.#applyUnauthorized(bucket, attempt.sentAt, now);
        this.#answers.applyRefused(attempt, error, now);
        return NO_FOLLOW_UP;
      case 400:
      case 403:
      case 404:
      case 409:
        return this.#applyRefusal(attempt, error, now);
      default: // 500 and everything else
        if (attempt.type === 'cancel') this.hold('cancel', now + CANCEL_AFTER_ERROR_MS);
        this.#answers.applyUnanswered(attempt, { status, reason: error.message }, now);
        return NO_FOLLOW_UP;
    }
  }

  #applyRefusal(attempt: Attempt, error: ErrorAnswer, now: number): RequestFollowUp {
    const { status } = error;
    if (attempt.type === 'cancel') {
      this.#answers.applyUnclear(attempt, error, now);
      // a 403 concerns the order, or the account (banned, closed): the current user shows which
      return status === 403 ? ASK_USER : NO_FOLLOW_UP;
    }
    const orders = attempt.type === 'place' ? attempt.orders : [attempt.order];
    if (attempt.type === 'edit') this.#answers.applyUnclear(attempt, error, now);
    else if (orders.length === 1 || namesBatch(this.#settings.batchErrors, status))
      this.#answers.applyRefused(attempt, error, now);
    else {
      this.#answers.applyUnanswered(attempt, { status, reason: error.message }, now);
      if (status === 400 || status === 403) this.#answers.applyWrong(orders, now);
    }
    if (status === 403) return ASK_USER;
    if (status !== 409) return NO_FOLLOW_UP;
    return { askUser: true, reread: [...new Set(orders.map(({ market }) => market.gameId))] };
  }

  /** Spends no permit of this bucket until the time `until`, monotonic ms. */
  hold(bucket: Bucket, until: number): void {
    this.#heldUntil[bucket] = Math.max(this.#heldUntil[bucket], until);
  }

  /**
   * The exchange refused the token (401). A first refusal has no effect, nor has one of a request sent before
   * the first was reported. A later refusal proves that the new token does not work either.
   */
  #applyUnauthorized(bucket: Bucket, sentAt: number, now: number): void {
    const before = this.#unauthorizedAt[bucket];
    if (sentAt < before) return;
    if (now - before < 2 * UNAUTHORIZED_MS) this.hold(bucket, now + UNAUTHORIZED_MS);
    this.#unauthorizedAt[bucket] = now;
  }

  /** Cancels everything on the account. Nothing else is sent until that has ended. */
  cancelAll(now: number): void {
    this.#lock(now + this.#sender.cancelAll(now));
  }

  /** A cancel-all runs (423): what it cancels needs no second cancel, everything else waits once. */
  #applyLocked(attempt: Attempt, until: number): void {
    this.#lock(until);
    if (attempt.type === 'cancel') this.#account.applyLockedOut(attempt.names, attempt.req, until);
  }

  #lock(until: number): void {
    this.#lockedUntil = Math.max(this.#lockedUntil, until);
    this.hold('place', this.#lockedUntil);
  }
}

const NO_TARGETS: readonly Target[] = Object.freeze([]);
