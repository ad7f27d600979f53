// The core: one synchronous step per input, `(state, input) → commands`. It reads no clock, no random number,
// no file and no socket; time is in the input. So the same inputs give the same commands, byte for byte: a
// journal replays.
import type {
  ExitCode,
  Input,
  OperatorCommand,
  PlayerMode,
  StampedInput,
  Stepped,
  StrategyId,
  TradingState,
} from '../domain/index.ts';
import { EXIT, resultText } from '../domain/index.ts';
import type { Denial } from '../risk/index.ts';
import type { StrategyEntry, Around, Trial } from '../strategy/host/index.ts';
import { tryOut } from '../strategy/host/index.ts';
import { applyClock } from './clock-news.ts';
import type { CorePorts } from './parts.ts';
import { Parts } from './parts.ts';
import type { ReplyParts } from './replies.ts';
import { applyAnswer, applyFailure } from './replies.ts';
import { applyReport, applyRun, replyPartsOf } from './reports.ts';
import type { CoreSettings } from './settings.ts';
import { alertUngraded, judgeInstance, nameOtherMode } from './account-alerts.ts';
import { budgetsIn, CoreView } from './core-view.ts';
import { followHeld } from './held-prices.ts';
import { StepEvents } from './step-events.ts';
import { Strikes } from './strikes.ts';
import { Wakes } from './wakes.ts';

export class Core extends CoreView {
  readonly #replies: ReplyParts;
  readonly #wakes: Wakes;
  readonly #events: StepEvents;
  readonly #stallAfterMs: number;
  readonly #playerMode: PlayerMode;
  readonly #reloaded: NonNullable<CorePorts['reloaded']>;
  readonly #configured: NonNullable<CorePorts['configured']>;
  #lastMono: number | undefined;
  readonly #strikes = new Strikes();
  /** Trading state when all targets were last decided. Undefined: decide them again. */
  #stateBefore: TradingState | undefined;
  #closedBefore: string | undefined = 'start';
  #listedBefore: Parts['reconciliation']['listed'];

  constructor(settings: CoreSettings, ports: CorePorts) {
    const parts = new Parts(settings, ports);
    super(parts, settings);
    this.#stallAfterMs = settings.stallAfterMs;
    this.#playerMode = settings.playerMode;
    this.#reloaded = ports.reloaded ?? (() => undefined);
    this.#configured = ports.configured ?? (() => undefined);
    this.#wakes = new Wakes(parts, settings.idleTickMs);
    this.#replies = replyPartsOf(parts, settings.playerMode);
    this.#events = new StepEvents(parts, settings);
  }

  /** Applies one input. Returns the commands and the events of this step. */
  step(stamped: StampedInput): Stepped {
    this.#step(stamped);
    this.#events.raise(stamped.in);
    return this.parts.buffer.endStep();
  }

  #step(stamped: StampedInput): void {
    const { account, closing, buffer, health, host, manager, market, mirror, mode, quoting } = this.parts;
    const { reconciliation, trading } = this.parts;
    buffer.beginStep(stamped);
    account.beginStep(stamped.mono);
    reconciliation.beginStep(stamped.mono);
    if (closing.done) return;
    this.#watchStalls(stamped.mono);
    if (closing.since === undefined) quoting.share.advance(stamped.mono);
    // no strategy acts on an expired signal
    this.parts.expireSignals();
    host.runTimers(stamped.mono);
    quoting.takeIntents();
    if (stamped.in.type !== 'tick') {
      this.#wakes.applyNews();
      manager.applyNews();
    }
    this.#apply(stamped);
    this.parts.showSignals();
    const isHousekeeping = this.#wakes.housekeep();
    this.#endIfRefused();
    if (closing.lastRequests !== undefined) {
      closing.advanceRefused();
      this.#wakes.ask();
      return;
    }
    if (isHousekeeping) this.#housekeep();
    if (isHousekeeping || mirror.touched.size > 0) market.updateGate();
    // nothing is quoted before the account was read: do not wait for the next housekeeping
    if (!reconciliation.complete || account.instance.isSuspicious) this.#reconcile();
    reconciliation.placeWaiting();
    if (reconciliation.listed !== this.#listedBefore) {
      this.#listedBefore = reconciliation.listed;
      alertUngraded(this.parts);
      judgeInstance(this.parts);
    }
    this.parts.serveAccount();
    if (reconciliation.complete && !this.wasRead) this.#applyAccountRead();
    health.update(market.isUp, reconciliation.listed?.readAt);
    if (mode.isLoggedIn && closing.since === undefined && trading.advance(reconciliation.listed)) {
      manager.cancelAll(stamped.mono);
      reconciliation.ask();
    }
    this.#endIfAsked();
    this.#quote(isHousekeeping);
    manager.holdPlaces(mode.isTooOld(stamped.mono) || account.instance.isSuspicious);
    manager.plan(stamped.mono, health.mostNew);
    health.noteSent(account.active);
    quoting.recount();
    this.parts.serveAccount();
    closing.advance();
    if (closing.done) nameOtherMode(this.parts);
    this.#wakes.ask();
  }

  #apply({ t, in: input }: StampedInput): void {
    const { closing, buffer, manager, restart, settlements, trading } = this.parts;
    switch (input.type) {
      case 'boot':
        applyRun(input, t, this.parts, this.#playerMode);
        if (input.day !== undefined) settlements.applyBoot(input.day);
        if (input.standing !== undefined) trading.applyStanding(input.standing);
        if (input.after !== undefined) restart.applyBoot(input.after);
        trading.wait('crash', restart.wait);
        break;
      case 'session':
      case 'feed':
      case 'side':
      case 'game':
      case 'position':
      case 'malformed':
      case 'oversize':
        applyReport(input, this.parts);
        break;
      case 'permit':
        manager.applyPermit(input.bucket, input.permit);
        break;
      case 'recall':
        manager.giveBack(input.bucket, input.permits);
        break;
      case 'answer':
        closing.lastRequests?.applyAnswer(input.req, input.answer.type !== 'error');
        applyAnswer(input, buffer, this.#replies);
        break;
      case 'failure':
        closing.lastRequests?.applyAnswer(input.req, false);
        applyFailure(input, buffer, this.#replies);
        break;
      default:
        this.#applyOperations(input);
    }
  }

  /** Applies inputs of the shell, of operators and of strategies; exchange inputs are applied in `#apply`. */
  #applyOperations(input: Input): void {
    const { closing, buffer, mirror, mode, quoting, settlements, trading } = this.parts;
    switch (input.type) {
      case 'wait':
        trading.wait(input.for, input.reason);
        break;
      case 'operator':
        if (input.command === 'stop') this.#end(EXIT.done, 'stopped');
        else if (input.command === 'abort') closing.abort();
        else this.#operate(input.command, input.reason);
        break;
      case 'strategy':
        if (input.command === 'revive') this.#revive(input.strategy);
        else if (trading.operateStrategy(input.strategy, input.command)) this.#stateBefore = undefined;
        break;
      case 'strategy-strike':
        this.#strike(input);
        break;
      case 'settle':
        this.#settle(input);
        break;
      case 'unsettle': {
        const { gameId, types } = input;
        const fills = settlements.unsettle(gameId, types);
        const fields = { gameId, fills, ...(types === undefined ? {} : { types: types.join(', ') }) };
        buffer.alert('info', 'UNSETTLED', 'an operator took back the score of a game', fields);
        break;
      }
      case 'persisted':
        this.parts.persisted.applyFormer(input);
        break;
      case 'history':
        quoting.histories.applyPast(input.markets);
        break;
      case 'signal':
        this.parts.applySignals(input);
        break;
      case 'strategy-fault':
        this.#quarantine(input.strategy, input.code, input.detail);
        break;
      case 'reload':
        this.#reload(input);
        break;
      case 'configure':
        this.#configure(input);
        break;
      case 'session-lost':
        mode.applyLost(input.reason);
        break;
      case 'clock':
        applyClock(input, buffer, mirror);
        // any answer of the exchange carries its time
        if (input.news === 'stepped') mode.ask(buffer.now);
        break;
      case 'tick':
        this.#wakes.applyTick();
        break;
      default:
    }
  }

  #operate(command: Exclude<OperatorCommand, 'stop' | 'abort'>, reason = 'an operator asked for it'): void {
    const { account, reconciliation, trading } = this.parts;
    trading.operate(command, reason);
    if (command !== 'resume' || account.instance.rows.length === 0) return;
    // the operator confirms that resting orders are own; new orders of another bot show in the next list
    account.instance.take();
    reconciliation.ask();
  }

  #settle(input: Extract<Input, { type: 'settle' }>): void {
    const { buffer, settlements } = this.parts;
    const { gameId } = input;
    const { fills, open } = settlements.settle(input, this.sportOf(gameId), this.gameOf(gameId));
    // journals written before 0.3 have home and away instead of a result
    const score = 'result' in input ? { result: resultText(input.result) } : { home: input.home, away: input.away };
    const fields = { gameId, ...score, fills };
    buffer.alert('info', 'SETTLED', 'an operator settled a game', {
      ...fields,
      // markets that the result does not decide yet
      ...(open.length === 0 || !('result' in input) ? {} : { open: open.join(', ') }),
    });
  }

  /**
   * Begins the end of the run. It reads the player mode once more: the mode decides what the last fills
   * hedge, which the summary's worst case counts.
   */
  #end(code: ExitCode, reason: string): void {
    const { closing, buffer, mode } = this.parts;
    if (closing.since === undefined) mode.ask(buffer.now);
    closing.beginStop(code, reason);
  }

  /** Runs once, before anything is sent: applies the loss limits and what a crash left. */
  #applyAccountRead(): void {
    const { day, buffer, market, quoting, trading } = this.parts;
    this.wasRead = true;
    this.#reportCrash();
    day.housekeep(buffer.t, true);
    if (trading.housekeep(market.gateOpen, quoting.open)) this.#stateBefore = undefined;
  }

  #reportCrash(): void {
    const { account, day, restart, trading } = this.parts;
    const { holdings } = account;
    const wait = restart.reportCrash(() => {
      const former = [...account.active].filter((order) => order.isOfFormerRun);
      const unexplained = account.instance.rows.map(({ ref }) => ref);
      return {
        open: [...former.flatMap(({ status, ref }) => (status === 'unknown' ? [] : [ref])), ...unexplained],
        unanswered: former.filter(({ status }) => status === 'unknown').length,
        fills: [...holdings.open].length - day.former.countHeld(holdings),
      };
    });
    if (wait !== undefined) trading.wait('crash', wait);
  }

  /**
   * Inputs arrive at least once per housekeeping interval: a longer gap means that the process stood still.
   */
  #watchStalls(mono: number): void {
    const { buffer, health, reconciliation } = this.parts;
    const gap = mono - (this.#lastMono ?? mono);
    this.#lastMono = mono;
    if (gap < this.#stallAfterMs || !reconciliation.complete) return;
    buffer.alert('warn', 'STALLED', 'the process stood still: quotes are pulled', {
      ms: Math.round(gap),
    });
    health.applyStall();
  }

  /**
   * Counts a strike. `budget.strikes` strikes within `budget.inMs` quarantine the strategy; earlier ones only
   * warn.
   */
  #strike({ strategy, cpuMs, wallMs }: Extract<Input, { type: 'strategy-strike' }>): void {
    const { buffer, host } = this.parts;
    const budget = this.budgetOf(strategy);
    if (host.isQuarantined(strategy)) return;
    const strikes = this.#strikes.applyTime(strategy, { cpuMs, wallMs }, budget, buffer.now);
    const usage = `it took ${cpuMs} ms of CPU and ${wallMs} ms by the clock for one input (budget.cpu ${budget.cpuMs} ms, budget.wall ${budget.wallMs} ms)`;
    const counted = `strike ${strikes} of ${budget.strikes} within ${budget.inMs / 1000} s`;
    if (strikes >= budget.strikes) {
      this.#quarantine(strategy, 'STRATEGY_OVERRUN', `${usage}: ${counted}`);
      return;
    }
    buffer.alert('warn', 'STRATEGY_STRIKE', 'a strategy took longer than its budget for one input', {
      strategy,
      cpuMs,
      wallMs,
      strikes,
      of: budget.strikes,
      detail: `${usage}: ${counted}`,
      quietMs: budget.inMs,
    });
  }

  /** An operator re-enables a strategy that was quarantined, in all markets or in some. */
  #revive(strategy: StrategyId): void {
    const { buffer, host, mirror, quoting } = this.parts;
    this.#strikes.forget(strategy);
    if (!host.revive(strategy)) return;
    for (const { book } of quoting.open.values()) mirror.touched.add(book);
    buffer.alert('info', 'STRATEGY_REVIVED', 'a quarantined strategy runs again: it starts from scratch', {
      strategy,
    });
  }

  #quarantine(strategy: StrategyId, code: string, detail: string): void {
    const { buffer, host } = this.parts;
    if (host.isQuarantined(strategy)) return;
    buffer.alert('error', code, 'a strategy was quarantined', { strategy, detail });
    buffer.raise({ type: 'StrategyQuarantined', strategy, code, detail });
    host.quarantine(strategy, code);
  }

  /** Replaces a strategy within one step: an order whose key the new version wants as well keeps resting. */
  #reload({ strategy, sha256 }: Extract<Input, { type: 'reload' }>): void {
    const { buffer, host, mirror, quoting } = this.parts;
    const entry = this.#reloaded(strategy, sha256);
    const fields = { strategy, sha256 };
    if (entry === undefined || !host.replace(entry)) {
      buffer.alert(
        'error',
        'RELOAD_FAILED',
        'a changed strategy was not loaded: the previous version keeps running',
        fields,
      );
      return;
    }
    this.#strikes.forget(strategy);
    for (const { book } of quoting.open.values()) mirror.touched.add(book);
    buffer.alert('info', 'RELOADED', 'a changed strategy replaced its former version', fields);
    buffer.raise({ type: 'StrategyReplaced', ...fields });
  }

  /** Applies another configuration within one step: resting orders that are still wanted keep resting. */
  #configure({ config, replace }: Extract<Input, { type: 'configure' }>): void {
    const { buffer, host, quoting } = this.parts;
    const settings = this.#configured(config);
    if (settings === undefined) {
      const message = 'another configuration was not loaded: the previous one stays in force';
      buffer.alert('error', 'RELOAD_FAILED', message, { config });
      return;
    }
    this.parts.configure(settings);
    this.budgets = budgetsIn(settings);
    for (const entry of settings.strategies)
      if (replace.includes(entry.id)) {
        host.replace(entry);
        this.#strikes.forget(entry.id);
      } else host.adjust(entry);
    quoting.histories.applyEntries([...quoting.open.values()].map(({ book }) => book.market));
    this.#stateBefore = undefined;
    buffer.alert('info', 'CONFIGURED', 'another configuration is in force', { config, replaced: replace });
    buffer.raise({ type: 'Configured', config, replaced: replace });
  }

  /**
   * Runs a strategy on the markets that are quoted now, and returns what it would quote. It changes nothing.
   */
  tryOut(entry: StrategyEntry, around: Around): Trial {
    return tryOut(entry, this.parts.quoting.views(entry), this.parts, around);
  }

  #housekeep(): void {
    const { account, day, buffer, health, market, mode, quoting, reconciliation, trading } = this.parts;
    for (const book of market.housekeep(quoting.markets.games)) {
      quoting.forget(book);
      this.parts.teams.forget(book.game.id);
    }
    if (buffer.now >= this.parts.nextUserRead && mode.isLoggedIn) {
      mode.applyAsked(buffer.now);
      buffer.read({ what: 'user' });
    }
    health.housekeep(account.unconfirmed);
    this.#reconcile();
    account.housekeep();
    day.housekeep(buffer.t, reconciliation.complete);
    if (trading.housekeep(market.gateOpen, quoting.open)) this.#stateBefore = undefined;
    this.parts.raisePersisted();
    this.parts.raiseSeries(buffer.now);
  }

  #reconcile(): void {
    const { closing, manager, market, mode, reconciliation } = this.parts;
    if (closing.since === undefined && mode.isLoggedIn)
      reconciliation.housekeep(market.gateOpen || market.complete, manager.spent);
  }

  /** Ends the run when the exchange no longer serves the account (rules.md, 5). */
  #endIfRefused(): void {
    const { closing, buffer, mode } = this.parts;
    const { refused } = mode;
    if (refused === undefined || closing.lastRequests !== undefined) return;
    buffer.alert('error', refused.error, 'the run ends', { reason: refused.reason });
    closing.refuse(refused.code, refused.reason);
  }

  #endIfAsked(): void {
    const { account, closing, buffer, market, mode, reconciliation } = this.parts;
    if (account.wrongMode !== undefined) mode.applyWrongMode(account.wrongMode);
    if (mode.wantsSwitch) {
      mode.wantsSwitch = false;
      buffer.send({ type: 'switch-mode', req: buffer.nextRequest(), mode: this.#playerMode });
    }
    const { mismatch } = market;
    if (mismatch !== undefined && closing.since === undefined) {
      const setting = `exchange.profile.bookPerspective (${mismatch.aspect})`;
      buffer.alert(
        'error',
        'PERSPECTIVE_MISMATCH',
        'an own order reads differently in the public book than it was placed',
        { setting, orderId: mismatch.orderId },
      );
      this.#end(EXIT.badConfig, `own orders read differently in the public book than they were placed: set ${setting}`);
    }
    const halt = mode.halt ?? reconciliation.refusal;
    if (halt !== undefined && closing.since === undefined) {
      buffer.alert('error', halt.error, 'the run ends', { reason: halt.reason });
      nameOtherMode(this.parts);
      this.#end(halt.code, halt.reason);
    }
  }

  #quote(isHousekeeping: boolean): void {
    const { account, closing, buffer, mirror, quoting, trading } = this.parts;
    const { touched } = mirror;
    const { withdraws } = closing;
    this.parts.teams.advance();
    if (account.touched.size > 0) {
      for (const market of account.touched) {
        quoting.markChanged(market);
        const book = mirror.bookOf(market.id, market.gameId);
        if (book !== undefined) touched.add(book);
      }
      account.touched.clear();
    }
    if (isHousekeeping || withdraws) for (const book of quoting.due(withdraws)) touched.add(book);
    if (touched.size > 0) {
      for (const book of touched) {
        quoting.show(book, withdraws);
        if (!quoting.open.has(book.market.id)) followHeld(book, this.parts);
      }
      touched.clear();
    }
    const closed = this.closedBy();
    const { state } = trading;
    const reopened = closed?.reason !== this.#closedBefore;
    const changed = reopened || state !== this.#stateBefore;
    this.#stateBefore = state;
    this.#closedBefore = closed?.reason;
    if (reopened) {
      const fields = closed === undefined ? {} : { reason: closed.reason };
      buffer.alert('info', 'QUOTING', closed === undefined ? 'quoting' : 'not quoting', fields);
    }
    quoting.retarget(closed, changed);
  }

  protected override closedBy(): Denial | undefined {
    const { closing, health, market, mode, reconciliation, trading } = this.parts;
    if (closing.since !== undefined) return closing.withdraws ? { control: 'gate', reason: 'stopping' } : undefined;
    const { closed } = trading;
    if (closed !== undefined) return closed;
    if (!market.gateOpen) return { control: 'gate', reason: 'the books have not been read yet, or read as crossed' };
    if (mode.mode !== this.#playerMode) return { control: 'gate', reason: 'the player mode is not confirmed' };
    if (health.closed !== undefined) return health.closed;
    return reconciliation.complete
      ? undefined
      : { control: 'gate', reason: 'the orders on the account have not been read yet' };
  }
}
