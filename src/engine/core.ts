// The core: one synchronous step per input, `(state, input) → commands`. It reads no clock, no random number, no file and
// no socket; time is in the input. So the same inputs give the same commands, byte for byte: a journal replays.
import type {
  Command,
  Game,
  GameId,
  Input,
  Market,
  MarketId,
  Position,
  PositionEvent,
  StampedInput,
  StrategyId,
} from '../domain/index.ts';
import { EXIT } from '../domain/index.ts';
import { Mirror } from '../mirror/index.ts';
import type { BookedPlay } from '../orders/index.ts';
import { Fates, OrderManager } from '../orders/index.ts';
import type { Denial } from '../risk/index.ts';
import type { HostPorts } from '../strategy/host.ts';
import { StrategyHost } from '../strategy/host.ts';
import type { StandingSignal } from '../strategy/signal-board.ts';
import { SignalBoard } from '../strategy/signal-board.ts';
import { bookPerspectiveOf, parsePositionUpdate } from '../wire/index.ts';
import { Account } from './account.ts';
import { Census } from './census.ts';
import { Closing } from './closing.ts';
import { Desk } from './desk.ts';
import { MarketData } from './market-data.ts';
import type { MarketStatus } from './market-status.ts';
import { marketsOf } from './market-status.ts';
import { Quoting } from './quoting.ts';
import type { ReplyParts } from './replies.ts';
import { applyFailure, applyReply } from './replies.ts';
import type { CoreSettings, TradingState } from './settings.ts';
import type { CoreStatus, Mark } from './status.ts';
import { markedOf, marksOf, statusOf, worstOf } from './status.ts';
import { Trading } from './trading.ts';

/** Housekeeping interval: freshness, opening and closing of markets by time, look-ups. */
const SWEEP_MS = 500;
/** No input for this long: the process stood still. */
const STALL_MS = 2000;

/** What the shell lends the core; none of it may change a decision. */
export type CorePorts = Pick<HostPorts, 'enter' | 'leave' | 'reportAsync'>;

export class Core {
  readonly #desk = new Desk();
  readonly #mirror: Mirror;
  readonly #manager: OrderManager;
  readonly #fates: Fates;
  readonly #market: MarketData;
  readonly #account: Account;
  readonly #closing: Closing;
  readonly #census: Census;
  readonly #trading: Trading;
  readonly #leaps: boolean;
  #lastMono: number | undefined;
  /** As it was when all targets were decided last; undefined: they are decided anew. */
  #stateBefore: TradingState | undefined;
  readonly #host: StrategyHost;
  readonly #quoting: Quoting;
  readonly #replies: ReplyParts;
  readonly #signals: SignalBoard;
  #closedBefore: string | undefined = 'start';
  #nextSweep = 0;
  /** When the books of the open markets, so many, are looked after; undefined: not known. */
  #bookDue: number | undefined;
  #bookDueOf = { turns: 0, told: 0 };
  /** Something came in since the last sweep. */
  #isNews = false;
  #wakeAt: number | undefined;

  constructor(settings: CoreSettings, ports: CorePorts) {
    const desk = this.#desk;
    const { profile, markets } = settings;
    const { risk } = settings.orders;
    this.#leaps = settings.housekeeping === 'when-due';
    this.#mirror = new Mirror(bookPerspectiveOf(profile));
    this.#manager = new OrderManager(settings.orders, {
      nextRequest: desk.nextRequest,
      send: desk.send,
      alert: desk.alert,
      wall: () => desk.t,
      gameOf: (id) => this.#mirror.games.get(id)?.game,
      balance: () => this.#account.balance,
      intentOf: (market, strategy) => this.#quoting.intentOf(market, strategy),
    });
    this.#fates = new Fates(this.#manager, settings.lateArrivalMs, desk);
    this.#market = new MarketData(
      desk,
      this.#mirror,
      this.#manager,
      markets,
      { ...settings, staleAfterMs: risk.staleAfterMs },
      (book) => this.#quoting.forget(book),
    );
    this.#account = new Account(desk, this.#manager, { ...settings, resumeAfterMs: risk.resumeAfterMs });
    this.#closing = new Closing(desk, this.#manager, this.#fates, settings);
    this.#census = new Census(desk, this.#mirror, this.#manager, {
      ...settings,
      instance: settings.orders.instance,
    });
    this.#signals = new SignalBoard({
      now: () => desk.now,
      changed: (names) => this.#showReaders(names),
      leftOut: (names, stand) => {
        const fields = { stand, leftOut: names.slice(0, 5) };
        desk.alert('warn', 'SIGNALS_LEFT_OUT', 'signals are left out: too many stand already', fields);
      },
    });
    this.#host = new StrategyHost(settings.strategies, this.#signals, {
      ...ports,
      fault: (code, strategy, detail) => {
        // it may be meant, unlike everything else that takes one off
        const level = code === 'STRATEGY_COMPLETED' ? 'warn' : 'error';
        desk.alert(level, code, 'a strategy was taken off', { strategy, detail });
      },
      log: (strategy, message, fields) => {
        desk.alert('info', 'STRATEGY_LOG', message, { strategy, ...fields });
      },
      wantsNothing: (reason) => {
        this.#quoting.noteIdle(reason);
      },
      intent: (strategy, intent) => {
        this.#quoting.applyIntent(strategy, intent);
      },
    });
    this.#quoting = new Quoting(
      desk,
      {
        mirror: this.#mirror,
        manager: this.#manager,
        host: this.#host,
        denialOf: (strategy, market, side) => this.#trading.denialOf(strategy, market, side),
      },
      { ...settings, selection: markets, limits: risk, oddsStep: profile.oddsStep },
    );
    this.#trading = new Trading(desk, settings.safety, {
      manager: this.#manager,
      quoting: this.#quoting,
      cancelAll: () => {
        this.#manager.cancelAll(desk.now);
        this.#census.ask();
      },
    });
    this.#replies = {
      manager: this.#manager,
      fates: this.#fates,
      market: this.#market,
      account: this.#account,
      closing: this.#closing,
      census: this.#census,
      batchIsAtomic: profile.batchIsAtomic,
      bothFeedsUpSince: () => this.#bothFeedsUpSince(),
    };
  }

  /** One input in, the commands it causes out. */
  step(stamped: StampedInput): readonly Command[] {
    const desk = this.#desk;
    desk.begin(stamped);
    if (this.#closing.done) return desk.end();
    this.#watchStalls(stamped.mono);
    if (this.#closing.since === undefined) this.#quoting.share.advance(stamped.mono);
    // nobody acts on one whose time is over
    this.#signals.expire();
    this.#host.runTimers(stamped.mono);
    if (stamped.in.type !== 'tick') {
      this.#isNews = true;
      this.#manager.applyNews();
    }
    this.#apply(stamped);
    const sweeping = stamped.mono >= this.#nextSweep;
    if (sweeping) this.#sweep();
    if (sweeping || this.#mirror.touched.size > 0) this.#market.updateGate();
    // nothing is quoted before the account was read: no need to wait for the next sweep
    if (!this.#census.complete) this.#count();
    this.#census.placeWaiting();
    this.#account.updateHealth(this.#market.isUp);
    if (this.#account.mode !== undefined && this.#closing.since === undefined)
      this.#trading.advance(this.#census.listed);
    this.#endIfAsked();
    this.#quote(sweeping);
    this.#manager.plan(stamped.mono);
    this.#quoting.recount();
    this.#closing.advance();
    this.#wake();
    return desk.end();
  }

  #apply({ t, in: input }: StampedInput): void {
    switch (input.type) {
      case 'boot':
        this.#manager.sender.applyBoot(input.run);
        this.#census.applyBoot(input.run, input.unanswered ?? [], t);
        break;
      case 'session':
        this.#account.applySession(input);
        break;
      case 'feed':
        if (input.feed === 'prices') this.#market.applyFeed(input.status, input.epoch);
        else {
          this.#account.applyFeed(input.status);
          // frames sent while it was down are lost
          if (input.status === 'up') this.#census.ask();
        }
        break;
      case 'frame':
        if (input.feed === 'prices') this.#market.applyFrame(input.event, input.data, input.epoch);
        else this.#applyUserFrame(input.event, input.data);
        break;
      case 'side':
        this.#market.applySide(input.frame, input.epoch);
        break;
      case 'game':
        this.#market.applyGame(input.game, input.epoch);
        break;
      case 'book':
        this.#applyBook(input);
        break;
      case 'position':
        this.#applyPosition(input.position);
        break;
      case 'permit':
        this.#manager.sender.permits[input.bucket].push(input.permit);
        break;
      case 'recall':
        this.#manager.sender.giveBack(input.bucket, input.permits);
        break;
      case 'reply':
        applyReply(input, this.#desk, this.#replies);
        break;
      case 'failure':
        applyFailure(input, this.#desk, this.#replies);
        break;
      case 'operator':
        if (input.command === 'stop') this.#closing.begin(EXIT.done, 'stopped');
        else if (input.command === 'abort') this.#closing.abort();
        else this.#trading.operate(input.command, input.reason ?? 'an operator asked for it');
        break;
      case 'settle':
        this.#settle(input);
        break;
      case 'signal':
        this.#signals.apply(input);
        break;
      case 'strategy-fault':
        this.#quarantine(input.strategy, input.code, input.detail);
        break;
      case 'session-lost':
        this.#account.applyLost(input.reason);
        break;
      case 'tick':
        // a tick a moment early must be followed by another
        this.#wakeAt = undefined;
        break;
    }
  }

  /** Views of the markets whose strategies asked for these signals. */
  #showReaders(signals: readonly string[]): void {
    for (const id of this.#host.marketsReading(signals)) {
      const quoted = this.#quoting.open.get(id);
      if (quoted !== undefined) this.#mirror.touched.add(quoted.book);
    }
  }

  #settle({ gameId, home, away }: Extract<Input, { type: 'settle' }>): void {
    const plays = this.#manager.ledger.plays.settleGame(gameId, { home, away });
    this.#desk.alert('info', 'SETTLED', 'an operator settled a game', { gameId, home, away, plays });
  }

  #applyBook({ req, book }: Extract<Input, { type: 'book' }>): void {
    const pending = this.#desk.reads.get(req);
    this.#desk.reads.delete(req);
    if (pending !== undefined) this.#market.applyBook(pending, book);
  }

  /** Inputs come at least every sweep: a longer gap means that the process stood still (DESIGN §2, ticks). */
  #watchStalls(mono: number): void {
    const gap = mono - (this.#lastMono ?? mono);
    this.#lastMono = mono;
    if (this.#leaps || gap < STALL_MS || !this.#census.complete) return;
    this.#desk.alert('warn', 'STALLED', 'the process stood still: quotes are pulled', {
      ms: Math.round(gap),
    });
    this.#account.applyStall();
  }

  #applyPosition(position: PositionEvent): void {
    this.#market.frames += 1;
    const known = this.#manager.answers.applyPosition(position, this.#desk.now);
    if (!known) this.#census.applyStranger(position.ref);
  }

  #applyUserFrame(event: string, data: string): void {
    const parsed = event === 'positionUpdate' ? parsePositionUpdate(data) : undefined;
    if (parsed?.ok === true) {
      this.#applyPosition(parsed.value);
      return;
    }
    this.#market.malformed += 1;
    this.#desk.alertOnce(
      `malformed ${event}`,
      'warn',
      'FRAME_MALFORMED',
      'a frame of the user feed was skipped',
      {
        event,
        problem: parsed?.problem ?? 'the event is not known',
      },
    );
  }

  #quarantine(strategy: StrategyId, code: string, detail: string): void {
    if (this.#host.isQuarantined(strategy)) return;
    this.#desk.alert('error', code, 'a strategy was quarantined', { strategy, detail });
    this.#host.quarantine(strategy, code);
  }

  #sweep(): void {
    this.#nextSweep = this.#desk.now + SWEEP_MS;
    this.#isNews = false;
    this.#bookDue = undefined;
    this.#market.sweep(this.#quoting.openGames);
    this.#account.sweep();
    this.#count();
    this.#manager.sweep(this.#desk.now);
    this.#fates.sweep(this.#desk.now);
    if (this.#trading.sweep()) this.#stateBefore = undefined;
  }

  #count(): void {
    if (this.#closing.since === undefined) this.#census.sweep(this.#market.gateOpen);
  }

  #endIfAsked(): void {
    const { mismatch } = this.#market;
    if (mismatch !== undefined && this.#closing.since === undefined) {
      const setting = `exchange.profile.bookPerspective (${mismatch.aspect})`;
      this.#desk.alert(
        'error',
        'PERSPECTIVE_MISMATCH',
        'an own order reads differently in the public book than it was placed',
        { setting, orderId: mismatch.orderId },
      );
      this.#closing.begin(
        EXIT.badConfig,
        `own orders read differently in the public book than they were placed: set ${setting}`,
      );
    }
    const halt = this.#account.halt ?? this.#census.refusal;
    if (halt !== undefined && this.#closing.since === undefined) {
      this.#desk.alert('error', halt.error, 'the run ends', { reason: halt.reason });
      this.#closing.begin(halt.code, halt.reason);
    }
  }

  #quote(sweeping: boolean): void {
    const { touched } = this.#mirror;
    const { withdraws } = this.#closing;
    for (const market of this.#manager.ledger.touched) {
      this.#quoting.markChanged(market);
      const book = this.#mirror.bookOf(market.id, market.gameId);
      if (book !== undefined) touched.add(book);
    }
    this.#manager.ledger.touched.clear();
    if (sweeping || withdraws) for (const book of this.#quoting.due(withdraws)) touched.add(book);
    for (const book of touched) this.#quoting.show(book, withdraws);
    touched.clear();
    const closed = this.#closedBy();
    const { state } = this.#trading;
    const reopened = closed?.reason !== this.#closedBefore;
    const changed = reopened || state !== this.#stateBefore;
    this.#stateBefore = state;
    this.#closedBefore = closed?.reason;
    if (reopened) {
      const fields = closed === undefined ? {} : { reason: closed.reason };
      this.#desk.alert('info', 'QUOTING', closed === undefined ? 'quoting' : 'not quoting', fields);
    }
    this.#quoting.retarget(closed, changed);
  }

  #closedBy(): Denial | undefined {
    if (this.#closing.since !== undefined)
      return this.#closing.withdraws ? { control: 'gate', reason: 'stopping' } : undefined;
    const { closed } = this.#trading;
    if (closed !== undefined) return closed;
    if (!this.#market.gateOpen)
      return { control: 'gate', reason: 'the books have not been read yet, or read as crossed' };
    return (
      this.#account.closed ??
      (this.#census.complete
        ? undefined
        : { control: 'gate', reason: 'the orders on the account have not been read yet' })
    );
  }

  #bothFeedsUpSince(): number | undefined {
    const prices = this.#market.upSince;
    const user = this.#account.userFeedUpSince;
    return prices === undefined || user === undefined ? undefined : Math.max(prices, user);
  }

  #wake(): void {
    const sweep = this.#leaps ? this.#nextToDo() : this.#nextSweep;
    const at = Math.min(this.#host.nextDue ?? sweep, this.#signals.nextDue, sweep);
    if (at === this.#wakeAt || this.#closing.done) return;
    this.#wakeAt = at;
    this.#desk.send({ type: 'wake', at });
  }

  /** When a sweep has something to do, as far as nothing else comes in before. */
  #nextToDo(): number {
    // what keeps quotes away ends by an input, or when the account says
    const isBusy =
      this.#closing.since !== undefined ||
      !this.#census.complete ||
      (this.#market.isUp && !this.#market.complete) ||
      this.#manager.ledger.newFills.length > 0 ||
      (this.#isNews && this.#trading.watchesLoss);
    if (isBusy) return this.#nextSweep;
    // frames of sides only put off what is due: the markets need not be asked again for each
    const of = this.#bookDueOf;
    const { turns } = this.#quoting;
    const { told } = this.#market;
    if (this.#bookDue === undefined || of.turns !== turns || of.told !== told) {
      this.#bookDueOf = { turns, told };
      this.#bookDue = Math.min(this.#market.nextDue(this.#quoting.openGames), this.#quoting.nextDue());
    }
    const due = Math.min(
      this.#bookDue,
      this.#manager.nextDue(this.#desk.now),
      this.#account.planNext(),
      this.#account.resumesAt,
      this.#census.nextDue,
      this.#trading.nextDue,
    );
    return Math.max(this.#nextSweep, due);
  }

  /** The header of a game, for the gateway: sides travel as participant ids. */
  gameOf(id: GameId): Game | undefined {
    return this.#mirror.games.get(id)?.game;
  }

  /** What the account holds, market by market. */
  positions(): Iterable<{ readonly market: Market; readonly position: Position }> {
    return this.#manager.ledger.plays.positions.values();
  }

  /** The same, with what it is worth at the newest consensus. */
  marks(): Iterable<Mark> {
    return marksOf(this.#manager, this.#quoting);
  }

  /** What a market is marked at, as probability of its first side. */
  priceOf(id: MarketId): number | undefined {
    return this.#quoting.prices.get(id);
  }

  /** Every market that is quoted, held or open, the one that starts first in front. */
  markets(): readonly MarketStatus[] {
    return marketsOf(this.#mirror, this.#manager, this.#quoting);
  }

  /** Signals as they stand, by name. */
  signals(): ReadonlyMap<string, StandingSignal> {
    return this.#signals.standing((name) => this.wasAskedFor(name));
  }

  /** Some strategy asked for this signal. */
  wasAskedFor(name: string): boolean {
    return this.#host.wasAskedFor(name);
  }

  /** Every play that waits for its game. */
  plays(): Iterable<BookedPlay> {
    return this.#manager.ledger.plays.open;
  }

  /** Some play waits for this game, known or not. */
  waitsFor(gameId: GameId): boolean {
    return this.#manager.ledger.plays.waitsFor(gameId);
  }

  /** What the run brought, settled and marked at the consensus, dollars. */
  get marked(): number {
    return markedOf(this.#manager, this.#quoting) / 1e6;
  }

  /** The most that everything resting and held may lose, dollars, 0 or below. */
  get worst(): number {
    return worstOf(this.#manager, this.#mirror);
  }

  /** What settled games brought, dollars. */
  get realized(): number {
    return this.#manager.ledger.plays.realized / 1e6;
  }

  /** The state of a run for status line and summary; money in dollars. */
  status(): CoreStatus {
    return statusOf({
      mirror: this.#mirror,
      manager: this.#manager,
      market: this.#market,
      account: this.#account,
      quoting: this.#quoting,
      closing: this.#closing,
      trading: this.#trading.state,
      accountRead: this.#census.complete,
      closed: this.#closedBy(),
    });
  }
}
