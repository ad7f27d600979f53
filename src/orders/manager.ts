// The order manager: keeps what rests at the exchange equal to the targets, within the permits in hand. What to send goes
// out as commands (sender.ts), what the exchange answers comes in (answers.ts); what is true of orders is the account's
// (src/account). Invariants: one order per slot; nothing is sent while a slot's fate is open; no order is sent that a control
// denies.
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
import type { Denial } from '../risk/index.ts';
import { Exposure } from '../risk/index.ts';
import type { AnswerPorts, Attempt } from './answers.ts';
import { Answers } from './answers.ts';
import { planCancels } from './cancel-plan.ts';
import { chunks } from './chunks.ts';
import { NeedPool } from './need-pool.ts';
import { needsOf } from './needs.ts';
import type { Cancel, Move, Need } from './needs.ts';
import type { Planner, PlanLimits } from './planner.ts';
import { byValue, haveAPrice } from './planner.ts';
import type { SenderPorts, SenderSettings } from './sender.ts';
import { Sender } from './sender.ts';
import { SlotBlocks } from './slot-blocks.ts';
import type { Target } from './targets.ts';

export type OrderSettings = PlanLimits &
  Omit<SenderSettings, 'playerMode'> & {
    /** Probability a resting price may differ from the wanted one. */
    readonly tolerance: number;
    /** An edited order goes on under its id (wire profile). */
    readonly editKeepsId: boolean;
    /** Orders end by themselves after this; undefined: never. */
    readonly expiresAfterMs?: number | undefined;
    /** See `SlotBlocks`. */
    readonly giveUpForMs?: number | undefined;
  };

export type ManagerSettings = OrderSettings &
  Pick<SenderSettings, 'playerMode'> & {
    /** A 4xx to a batch says that none of it was acted on (wire profile). */
    readonly batchErrors: BatchErrors;
  };

export type OrderPorts = Omit<SenderPorts, 'intentOf'> &
  AnswerPorts & {
    /** What decides the markets of a game. */
    readonly ruleOf: (id: GameId) => SportRule;
    /** Of which game it is a part; undefined: of none, or what it may lose counts by itself. */
    readonly parentOf?: (id: GameId) => GameId | undefined;
  };

type Failed = { readonly type: 'failed'; readonly failure: FailureKind; readonly detail: string };
/** What came of a request. */
export type Outcome = Answer | Failed;

/** What others should do about it. */
export type RequestFollowUp = {
  /** It is of the account: the current user is to be read. */
  readonly askUser?: true;
  /** The market had moved on: these books are to be read again. */
  readonly reread?: readonly GameId[];
};

/** Codes that say more than the status. */
const BY_CODE: Readonly<Record<string, number>> = {
  CANCEL_ALL_IN_PROGRESS: 423,
  RATE_LIMITED: 429,
  CANCEL_QUEUE_FULL: 429,
};
const NOTHING: RequestFollowUp = Object.freeze({});
const ASK_USER: RequestFollowUp = Object.freeze({ askUser: true });
const UNAUTHORIZED_MS = 1000;
/** A cancel without answer may be repeated, since a second one harms nothing; but not in a storm. */
const CANCEL_AGAIN_MS = 500;
const CANCEL_AFTER_ERROR_MS = 1000;
const NO_REASONS: ReadonlyMap<StrategyId, HeldIntent> = new Map();

/** Plans within one step: each but the last denied something, which then waits. */
const MOST_ROUNDS = 1000;

export class OrderManager {
  readonly exposure: Exposure;
  readonly #account: Account;
  readonly #sender: Sender;
  readonly #answers: Answers;
  readonly #targets = new Map<MarketId, readonly Target[]>();
  /** Of each market with targets, the newest intent of each strategy. */
  readonly #reasons = new Map<MarketId, ReadonlyMap<StrategyId, HeldIntent>>();
  readonly #settings: ManagerSettings;
  readonly #ports: OrderPorts;
  readonly #planner: Planner;
  readonly #blocks: SlotBlocks;
  readonly #needs: NeedPool;
  #onlyCancels = false;
  /** Nothing is placed or edited now, and may be a moment later. */
  #holdsPlaces = false;
  readonly #heldUntil = { place: 0, cancel: 0 };
  readonly #unauthorizedAt = { place: Number.NEGATIVE_INFINITY, cancel: Number.NEGATIVE_INFINITY };
  /** A cancel-all runs on the account until then: individual cancels are refused. */
  #lockedUntil = 0;

  constructor(account: Account, settings: ManagerSettings, ports: OrderPorts, planner: Planner = byValue) {
    this.#account = account;
    this.#settings = settings;
    this.#ports = ports;
    this.#planner = planner;
    this.#blocks = new SlotBlocks(settings.giveUpForMs);
    this.#needs = new NeedPool(this.#blocks, settings.mayEdit);
    this.exposure = new Exposure(account, ports.ruleOf, ports.parentOf);
    this.#sender = new Sender(
      settings,
      { ...ports, intentOf: (market, strategy) => this.#reasons.get(market)?.get(strategy) },
      { account, exposure: this.exposure, blocks: this.#blocks },
    );
    this.#answers = new Answers(account, this.#blocks, ports, settings.editKeepsId);
  }

  /** `run` makes references unique across restarts. */
  applyBoot(run: string): void {
    this.#sender.applyBoot(run);
  }

  // ——— permits

  applyPermit(bucket: Bucket, permit: number): void {
    this.#sender.permits[bucket].push(permit);
  }

  /** Hands permits back that were not spent yet. */
  giveBack(bucket: Bucket, count: number): void {
    this.#sender.giveBack(bucket, count);
  }

  /** Permits in hand. */
  get permits(): Readonly<Record<Bucket, number>> {
    const { place, cancel } = this.#sender.permits;
    return { place: place.length, cancel: cancel.length };
  }

  /** So few place permits are left that they have a price: what waits, waits for one. */
  get isShort(): boolean {
    return haveAPrice(this.#sender.permits.place.length, this.#settings);
  }

  /** Place permits spent so far. */
  get spent(): number {
    return this.#sender.spent;
  }

  /** From now on nothing is placed or edited. */
  stopPlacing(): void {
    this.#onlyCancels = true;
    // there is no later any more
    this.#account.lookUps.hurry();
  }

  /** The player mode is not known for certain: nothing is placed or edited until it is (rules.md, 9). */
  holdPlaces(isHeld: boolean): void {
    this.#holdsPlaces = isHeld;
  }

  // ——— what is wanted

  /** What should rest in a market; `reasons`: the newest intent of each strategy there. */
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

  /** What a market waits for. */
  needsIn(market: MarketId): readonly Need[] {
    return this.#needs.in(market);
  }

  /** How many slots wait for a request, and what their waiting costs, micro-dollars. */
  get waiting(): { readonly slots: number; readonly value: number } {
    let [slots, value] = [0, 0];
    for (const need of this.#needs.all()) {
      slots += 1;
      value += need.value;
    }
    return { slots, value };
  }

  /** Recomputes what a market needs, after its targets or its orders changed. */
  refresh(market: MarketId, now: number): void {
    this.#blocks.applyNews();
    const needs = needsOf(this.targetsIn(market), this.#account.activeIn(market), this.#settings.tolerance);
    this.#needs.replace(market, needs, now);
  }

  /** Something became known that a control may look at. */
  applyNews(): void {
    this.#blocks.applyNews();
  }

  /** When something waits to be sent, reported or found, as far as nothing else comes in before. */
  nextDue(now: number): number {
    return this.#account.isIdle ? this.#needs.nextDue(now) : now;
  }

  /** The control that denied the last order for a slot, as long as one is wanted and none was accepted or refused. */
  deniedBy(slot: SlotId): Denial | undefined {
    return this.#blocks.deniedBy(slot);
  }

  /** Markets of which that changed; whoever reads them clears them. */
  get heldAnew(): Set<MarketId> {
    return this.#blocks.heldAnew;
  }

  /** The game is over, and nothing is open or held in it. */
  forgetGame(gameId: GameId): void {
    this.#blocks.forgetGame(gameId);
  }

  /** The book of a game is known as it was at this time, monotonic ms. */
  noteSeen(gameId: GameId, at: number): void {
    this.#blocks.applySeen(gameId, at, this.#ports.gameOf);
  }

  /** Under a cancel-all everything is being cancelled already; after a 429 or a 500 the bucket waits. */
  #mayCancel(now: number): boolean {
    return now >= Math.max(this.#lockedUntil, this.#heldUntil.cancel);
  }

  /** Open orders that a list showed and that are not believed to be open; where cancels wait, the next list asks again. */
  cancelStragglers(ids: readonly OrderId[], now: number): void {
    if (this.#mayCancel(now)) this.#sender.cancelStragglers(ids, now);
  }

  /** All external orders that a list showed, unless cancels wait: then the next list asks again. */
  cancelExternal(ids: readonly OrderId[], now: number): void {
    if (this.#mayCancel(now)) this.#sender.cancelExternal(ids, now);
  }

  /** Sends what is worth sending with the permits in hand, `mostNew` orders at most. What a control denies keeps nobody else from using them. */
  plan(now: number, mostNew = Number.POSITIVE_INFINITY): void {
    if (this.#needs.isQuiet(now)) return;
    const { spent } = this.#sender;
    const left = (): number => mostNew - (this.#sender.spent - spent);
    for (let round = 0; round < MOST_ROUNDS && this.#plan(now, left()); round++);
  }

  /** True when orders were denied and there are permits left. `mostNew`: orders that may be placed, one a request if they are few. */
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
        // the one that is tried is worth its permit
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
      for (const some of chunks(denied.filter(isDue), this.#settings.maxIdsPerCancel)) this.#sender.cancel(some, now);
    let deniedPlaces = 0;
    for (const batch of plan.places) deniedPlaces += this.#sender.place(batch, now);
    // of what was sent, nothing is needed again; an edit may have gone as a cancel
    const isSent = this.#sender.spent > spent || batches.length + bulks.length + plan.edits.length > 0;
    if (isSent) for (const { id } of this.#account.touched) this.refresh(id, now);
    return deniedPlaces > 0 && place > 0 && permits.place.length > 0;
  }

  /** Own orders that a request for the whole game would cancel; undefined where it might meet those of others. */
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

  // ——— what came of requests

  /** What a run sent, as its journal tells it: entered as if it left now. */
  enter(command: Command, now: number): void {
    this.#sender.enter(command, now);
  }

  /** A request of ours that was sent and whose end is not known yet. */
  attempt(req: RequestId): Attempt | undefined {
    return this.#sender.requests.get(req);
  }

  /** Some place or edit may still be answered in time; `cancelsToo`: or some cancel. */
  isFlying(cancelsToo: boolean): boolean {
    for (const { type, timedOut } of this.#sender.requests.values())
      if (timedOut !== true && (type !== 'cancel' || cancelsToo)) return true;
    return false;
  }

  /** What came of a request of ours. After a timeout the answer may still come; any other failure is final. */
  applyOutcome(attempt: Attempt, outcome: Outcome, now: number): RequestFollowUp {
    const isFinal = outcome.type !== 'failed' || outcome.failure !== 'timeout';
    if (isFinal) this.#sender.requests.delete(attempt.req);
    switch (outcome.type) {
      case 'placed':
        if (attempt.type === 'place') this.#answers.applyPlaced(attempt, outcome.results, now);
        return NOTHING;
      case 'edited':
        if (attempt.type === 'edit') this.#answers.applyEdited(attempt, outcome.result, now);
        return NOTHING;
      case 'cancelled':
        if (attempt.type === 'cancel') this.#answers.applyCancelled(attempt, outcome.results, now);
        return NOTHING;
      case 'failed':
        this.#applyFailed(attempt, outcome, now);
        return NOTHING;
      case 'error':
        return this.#applyError(attempt, outcome, now);
      default:
        this.#applyUnreadable(attempt, outcome.type === 'unreadable' ? outcome.problem : 'no such answer', now);
        return NOTHING;
    }
  }

  #applyUnreadable(attempt: Attempt, problem: string, now: number): void {
    const message = 'a reply cannot be read: the fate of its orders is unknown';
    this.#ports.alert('warn', 'REPLY_MALFORMED', message, { request: attempt.type, problem });
    if (attempt.type === 'cancel') this.hold('cancel', now + CANCEL_AGAIN_MS);
    this.#answers.applyUnanswered(attempt, { status: undefined, reason: problem }, now);
  }

  #applyFailed(attempt: Attempt, { failure, detail: reason }: Failed, now: number): void {
    // the end of a request that timed out says nothing new
    if (attempt.timedOut === true) return;
    if (failure === 'timeout') attempt.timedOut = true;
    if (attempt.type === 'cancel') this.hold('cancel', now + CANCEL_AGAIN_MS);
    if (failure === 'not-sent') this.#answers.applyNotSent(attempt, reason, now);
    else this.#answers.applyUnanswered(attempt, { status: undefined, reason }, now);
  }

  /** rules.md, 5: by code and status, never by message. */
  #applyError(attempt: Attempt, error: ErrorAnswer, now: number): RequestFollowUp {
    const { retryAfterMs } = error;
    const status = BY_CODE[error.code ?? ''] ?? error.status;
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
        return NOTHING;
      case 401: // the session logs in again; decided anew with the new token, if there is one
        this.#applyUnauthorized(bucket, attempt.sentAt, now);
        this.#answers.applyRefused(attempt, error, now);
        return NOTHING;
      case 400:
      case 403:
      case 404:
      case 409:
        return this.#applyRefusal(attempt, error, now);
      default: // 500 and everything else
        if (attempt.type === 'cancel') this.hold('cancel', now + CANCEL_AFTER_ERROR_MS);
        this.#answers.applyUnanswered(attempt, { status, reason: error.message }, now);
        return NOTHING;
    }
  }

  #applyRefusal(attempt: Attempt, error: ErrorAnswer, now: number): RequestFollowUp {
    const { status } = error;
    if (attempt.type === 'cancel') {
      this.#answers.applyUnclear(attempt, error, now);
      // of the order, or of the account (banned, closed): the current user says
      return status === 403 ? ASK_USER : NOTHING;
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
    if (status !== 409) return NOTHING;
    return { askUser: true, reread: [...new Set(orders.map(({ market }) => market.gameId))] };
  }

  /** Spends no permit of this bucket until then. */
  hold(bucket: Bucket, until: number): void {
    this.#heldUntil[bucket] = Math.max(this.#heldUntil[bucket], until);
  }

  /**
   * The token was refused (401). Once is nothing, also of requests that left (`sentAt`) before it was reported; of one that
   * left after that it says that the new token is none either.
   */
  #applyUnauthorized(bucket: Bucket, sentAt: number, now: number): void {
    const before = this.#unauthorizedAt[bucket];
    if (sentAt < before) return;
    if (now - before < 2 * UNAUTHORIZED_MS) this.hold(bucket, now + UNAUTHORIZED_MS);
    this.#unauthorizedAt[bucket] = now;
  }

  /** Cancels everything on the account: nothing else is sent until that is over. */
  cancelAll(now: number): void {
    this.#lock(now + this.#sender.cancelAll(now));
  }

  /** A cancel-all runs on the account (423): what it cancels needs no retry, what came after it waits once. */
  #applyLocked(attempt: Attempt, until: number): void {
    this.#lock(until);
    if (attempt.type === 'cancel') this.#account.applyLockedOut(attempt.lives, attempt.req, until);
  }

  #lock(until: number): void {
    this.#lockedUntil = Math.max(this.#lockedUntil, until);
    this.hold('place', this.#lockedUntil);
  }
}

const NO_TARGETS: readonly Target[] = Object.freeze([]);
