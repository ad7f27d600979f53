// The core: one synchronous step per input, `(state, input) → commands`. It reads no clock, no random number, no file and
// no socket; time is in the input. So the same inputs give the same commands, byte for byte: a journal replays.
import type {
  Command,
  Game,
  GameId,
  Input,
  KnownDraw,
  Market,
  MarketId,
  PlayerMode,
  Position,
  PositionEvent,
  StampedInput,
  StrategyId,
} from '../domain/index.ts';
import { EXIT } from '../domain/index.ts';
import type { BookedPlay } from '../orders/index.ts';
import { shownRun } from '../orders/index.ts';
import type { Denial } from '../risk/index.ts';
import type { StandingSignal } from '../strategy/signal-board.ts';
import { parsePositionUpdate } from '../wire/index.ts';
import { drawProblem } from './level-scores.ts';
import type { MarketStatus } from './market-status.ts';
import { marketsOf } from './market-status.ts';
import type { CorePorts } from './parts.ts';
import { Parts } from './parts.ts';
import type { ReplyParts } from './replies.ts';
import { applyFailure, applyReply } from './replies.ts';
import type { CoreSettings, TradingState } from './settings.ts';
import type { CoreStatus, Mark } from './status.ts';
import { markedOf, marksOf, statusOf, worstOf } from './status.ts';
import { Wakes } from './wakes.ts';

/** No input for this long: the process stood still. */
const STALL_MS = 2000;

export class Core {
  readonly #parts: Parts;
  readonly #replies: ReplyParts;
  readonly #wakes: Wakes;
  readonly #leaps: boolean;
  readonly #playerMode: PlayerMode;
  #lastMono: number | undefined;
  /** As it was when all targets were decided last; undefined: they are decided anew. */
  #stateBefore: TradingState | undefined;
  #closedBefore: string | undefined = 'start';

  constructor(settings: CoreSettings, ports: CorePorts) {
    const parts = new Parts(settings, ports);
    this.#parts = parts;
    this.#leaps = settings.housekeeping === 'when-due';
    this.#playerMode = settings.playerMode;
    this.#wakes = new Wakes(parts, this.#leaps);
    const { account, census, closing, fates, manager, market } = parts;
    this.#replies = {
      ...{ account, census, closing, fates, manager, market },
      batchIsAtomic: settings.profile.batchIsAtomic,
      bothFeedsUpSince: () => this.#bothFeedsUpSince(),
    };
  }

  /** One input in, the commands it causes out. */
  step(stamped: StampedInput): readonly Command[] {
    const { account, census, closing, desk, host, manager, market, mirror, quoting, signals, trading } =
      this.#parts;
    desk.begin(stamped);
    if (closing.done) return desk.end();
    this.#watchStalls(stamped.mono);
    if (closing.since === undefined) quoting.share.advance(stamped.mono);
    // nobody acts on one whose time is over
    signals.expire();
    host.runTimers(stamped.mono);
    if (stamped.in.type !== 'tick') {
      this.#wakes.applyNews();
      manager.applyNews();
    }
    this.#apply(stamped);
    const sweeping = this.#wakes.sweep();
    if (sweeping) this.#sweep();
    if (sweeping || mirror.touched.size > 0) market.updateGate();
    // nothing is quoted before the account was read: no need to wait for the next sweep
    if (!census.complete) this.#count();
    census.placeWaiting();
    account.updateHealth(market.isUp);
    if (account.isLoggedIn && closing.since === undefined) trading.advance(census.listed);
    this.#endIfAsked();
    this.#quote(sweeping);
    manager.plan(stamped.mono, account.mostNew);
    account.noteSent();
    quoting.recount();
    closing.advance();
    this.#wakes.ask();
    return desk.end();
  }

  #apply({ t, in: input }: StampedInput): void {
    const { account, census, closing, desk, manager, market, signals, trading } = this.#parts;
    switch (input.type) {
      case 'boot':
        manager.sender.applyBoot(shownRun(input.run, this.#playerMode));
        census.applyBoot(input.run, input.unanswered ?? [], t);
        break;
      case 'session':
        account.applySession(input);
        break;
      case 'feed':
        if (input.feed === 'prices') market.applyFeed(input.status, input.epoch);
        else {
          account.applyFeed(input.status);
          // frames sent while it was down are lost
          if (input.status === 'up') census.ask();
        }
        break;
      case 'frame':
        if (input.feed === 'prices') market.applyFrame(input.event, input.data, input.epoch);
        else this.#applyUserFrame(input.event, input.data);
        break;
      case 'side':
        market.applySide(input.frame, input.epoch);
        break;
      case 'game':
        market.applyGame(input.game, input.epoch);
        break;
      case 'book':
        this.#applyBook(input);
        break;
      case 'position':
        this.#applyPosition(input.position);
        break;
      case 'permit':
        manager.sender.permits[input.bucket].push(input.permit);
        break;
      case 'recall':
        manager.sender.giveBack(input.bucket, input.permits);
        break;
      case 'reply':
        applyReply(input, desk, this.#replies);
        break;
      case 'failure':
        applyFailure(input, desk, this.#replies);
        break;
      case 'operator':
        if (input.command === 'stop') closing.begin(EXIT.done, 'stopped');
        else if (input.command === 'abort') closing.abort();
        else trading.operate(input.command, input.reason ?? 'an operator asked for it');
        break;
      case 'settle':
        this.#settle(input);
        break;
      case 'signal':
        signals.apply(input);
        break;
      case 'strategy-fault':
        this.#quarantine(input.strategy, input.code, input.detail);
        break;
      case 'session-lost':
        account.applyLost(input.reason);
        break;
      case 'tick':
        this.#wakes.applyTick();
        break;
    }
  }

  #settle({ gameId, home, away }: Extract<Input, { type: 'settle' }>): void {
    const { desk, manager } = this.#parts;
    const plays = manager.ledger.plays.settleGame(gameId, { home, away }, this.drawOf(gameId).draw);
    desk.alert('info', 'SETTLED', 'an operator settled a game', { gameId, home, away, plays });
  }

  #applyBook({ req, book }: Extract<Input, { type: 'book' }>): void {
    const { desk, market } = this.#parts;
    const pending = desk.reads.get(req);
    desk.reads.delete(req);
    if (pending !== undefined) market.applyBook(pending, book);
  }

  /** Inputs come at least every sweep: a longer gap means that the process stood still (DESIGN §2, ticks). */
  #watchStalls(mono: number): void {
    const { account, census, desk } = this.#parts;
    const gap = mono - (this.#lastMono ?? mono);
    this.#lastMono = mono;
    if (this.#leaps || gap < STALL_MS || !census.complete) return;
    desk.alert('warn', 'STALLED', 'the process stood still: quotes are pulled', {
      ms: Math.round(gap),
    });
    account.applyStall();
  }

  #applyPosition(position: PositionEvent): void {
    const { census, desk, manager, market } = this.#parts;
    market.frames += 1;
    const known = manager.answers.applyPosition(position, desk.now);
    if (!known) census.applyStranger(position);
  }

  #applyUserFrame(event: string, data: string): void {
    const { desk, market } = this.#parts;
    const parsed = event === 'positionUpdate' ? parsePositionUpdate(data) : undefined;
    if (parsed?.ok === true) {
      this.#applyPosition(parsed.value);
      return;
    }
    market.malformed += 1;
    desk.alertOnce(`malformed ${event}`, 'warn', 'FRAME_MALFORMED', 'a frame of the user feed was skipped', {
      event,
      problem: parsed?.problem ?? 'the event is not known',
    });
  }

  #quarantine(strategy: StrategyId, code: string, detail: string): void {
    const { desk, host } = this.#parts;
    if (host.isQuarantined(strategy)) return;
    desk.alert('error', code, 'a strategy was quarantined', { strategy, detail });
    host.quarantine(strategy, code);
  }

  #sweep(): void {
    const { account, desk, fates, manager, market, quoting, trading } = this.#parts;
    market.sweep(quoting.openGames);
    account.sweep();
    this.#count();
    manager.sweep(desk.now);
    fates.sweep(desk.now);
    if (trading.sweep()) this.#stateBefore = undefined;
  }

  #count(): void {
    const { account, census, closing, market } = this.#parts;
    if (closing.since === undefined && account.isLoggedIn) census.sweep(market.gateOpen || market.complete);
  }

  #endIfAsked(): void {
    const { account, census, closing, desk, market } = this.#parts;
    const { mismatch } = market;
    if (mismatch !== undefined && closing.since === undefined) {
      const setting = `exchange.profile.bookPerspective (${mismatch.aspect})`;
      desk.alert(
        'error',
        'PERSPECTIVE_MISMATCH',
        'an own order reads differently in the public book than it was placed',
        { setting, orderId: mismatch.orderId },
      );
      closing.begin(
        EXIT.badConfig,
        `own orders read differently in the public book than they were placed: set ${setting}`,
      );
    }
    const halt = account.halt ?? census.refusal;
    if (halt !== undefined && closing.since === undefined) {
      desk.alert('error', halt.error, 'the run ends', { reason: halt.reason });
      closing.begin(halt.code, halt.reason);
    }
  }

  #quote(sweeping: boolean): void {
    const { closing, desk, manager, mirror, quoting, trading } = this.#parts;
    const { touched } = mirror;
    const { withdraws } = closing;
    for (const market of manager.ledger.touched) {
      quoting.markChanged(market);
      const book = mirror.bookOf(market.id, market.gameId);
      if (book !== undefined) touched.add(book);
    }
    manager.ledger.touched.clear();
    if (sweeping || withdraws) for (const book of quoting.due(withdraws)) touched.add(book);
    for (const book of touched) quoting.show(book, withdraws);
    touched.clear();
    const closed = this.#closedBy();
    const { state } = trading;
    const reopened = closed?.reason !== this.#closedBefore;
    const changed = reopened || state !== this.#stateBefore;
    this.#stateBefore = state;
    this.#closedBefore = closed?.reason;
    if (reopened) {
      const fields = closed === undefined ? {} : { reason: closed.reason };
      desk.alert('info', 'QUOTING', closed === undefined ? 'quoting' : 'not quoting', fields);
    }
    quoting.retarget(closed, changed);
  }

  #closedBy(): Denial | undefined {
    const { account, census, closing, market, trading } = this.#parts;
    if (closing.since !== undefined)
      return closing.withdraws ? { control: 'gate', reason: 'stopping' } : undefined;
    const { closed } = trading;
    if (closed !== undefined) return closed;
    if (!market.gateOpen)
      return { control: 'gate', reason: 'the books have not been read yet, or read as crossed' };
    return (
      account.closed ??
      (census.complete
        ? undefined
        : { control: 'gate', reason: 'the orders on the account have not been read yet' })
    );
  }

  #bothFeedsUpSince(): number | undefined {
    const { account, market } = this.#parts;
    const [prices, user] = [market.upSince, account.userFeedUpSince];
    return prices === undefined || user === undefined ? undefined : Math.max(prices, user);
  }

  /** The header of a game, for the gateway: sides travel as participant ids. */
  gameOf(id: GameId): Game | undefined {
    return this.#parts.mirror.games.get(id)?.game;
  }

  /** How a level score settles the moneyline of a game. */
  drawOf(id: GameId): KnownDraw {
    return this.#parts.drawOf(id);
  }

  /** What the account holds, market by market. */
  positions(): Iterable<{ readonly market: Market; readonly position: Position }> {
    return this.#parts.manager.ledger.plays.positions.values();
  }

  /** The same, with what it is worth at the newest consensus. */
  marks(): Iterable<Mark> {
    return marksOf(this.#parts.manager, this.#parts.quoting);
  }

  /** What a market is marked at, as probability of its first side. */
  priceOf(id: MarketId): number | undefined {
    return this.#parts.quoting.prices.get(id);
  }

  /** Every market that is quoted, held or open, the one that starts first in front. */
  markets(): readonly MarketStatus[] {
    return marketsOf(this.#parts.mirror, this.#parts.manager, this.#parts.quoting);
  }

  /** Signals as they stand, by name. */
  signals(): ReadonlyMap<string, StandingSignal> {
    return this.#parts.signals.standing((name) => this.wasAskedFor(name));
  }

  /** Some strategy asked for this signal. */
  wasAskedFor(name: string): boolean {
    return this.#parts.host.wasAskedFor(name);
  }

  /** Every play that waits for its game. */
  plays(): Iterable<BookedPlay> {
    return this.#parts.manager.ledger.plays.open;
  }

  /** Some play waits for this game, known or not. */
  waitsFor(gameId: GameId): boolean {
    return this.#parts.manager.ledger.plays.waitsFor(gameId);
  }

  /** Why this final score cannot settle the game; undefined when it can. */
  settleProblem({ gameId, home, away }: Extract<Input, { type: 'settle' }>): string | undefined {
    if (!this.waitsFor(gameId)) return `no play waits for a final score of game ${gameId}`;
    return drawProblem(gameId, this.gameOf(gameId), { home, away }, this.drawOf(gameId));
  }

  /** What the run brought, settled and marked at the consensus, dollars. */
  get marked(): number {
    return markedOf(this.#parts.manager, this.#parts.quoting) / 1e6;
  }

  /** The most that everything resting and held may lose, dollars, 0 or below. */
  get worst(): number {
    return worstOf(this.#parts.manager);
  }

  /** What settled games brought, dollars. */
  get realized(): number {
    return this.#parts.manager.ledger.plays.realized / 1e6;
  }

  /** The state of a run for status line and summary; money in dollars. */
  status(): CoreStatus {
    const { account, census, closing, manager, market, quoting, trading } = this.#parts;
    return statusOf({
      ...{ account, closing, manager, market, quoting },
      trading: trading.state,
      accountRead: census.complete,
      closed: this.#closedBy(),
    });
  }
}
