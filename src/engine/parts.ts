// What the core is made of, and how its parts know of each other: each is told what it needs, nobody sees the whole.
import type { GameId, KnownDraw } from '../domain/index.ts';
import { DrawRules } from '../domain/index.ts';
import { Mirror } from '../mirror/index.ts';
import { Fates, OrderManager } from '../orders/index.ts';
import type { HostPorts } from '../strategy/host.ts';
import { StrategyHost } from '../strategy/host.ts';
import { SignalBoard } from '../strategy/signal-board.ts';
import { bookPerspectiveOf } from '../wire/index.ts';
import { Account } from './account.ts';
import { Census } from './census.ts';
import { Closing } from './closing.ts';
import { Desk } from './desk.ts';
import { MarketData } from './market-data.ts';
import { Quoting } from './quoting.ts';
import type { CoreSettings } from './settings.ts';
import { Trading } from './trading.ts';

/** What the shell lends the core; none of it may change a decision. */
export type CorePorts = Pick<HostPorts, 'enter' | 'leave' | 'reportAsync'>;

export class Parts {
  readonly desk = new Desk();
  readonly mirror: Mirror;
  readonly draws: DrawRules;
  readonly manager: OrderManager;
  readonly fates: Fates;
  readonly market: MarketData;
  readonly account: Account;
  readonly closing: Closing;
  readonly census: Census;
  readonly signals: SignalBoard;
  readonly host: StrategyHost;
  readonly quoting: Quoting;
  readonly trading: Trading;

  constructor(settings: CoreSettings, ports: CorePorts) {
    const { desk } = this;
    const { profile, markets } = settings;
    const { risk, instance } = settings.orders;
    this.mirror = new Mirror(bookPerspectiveOf(profile));
    this.draws = new DrawRules(settings.sports);
    this.manager = new OrderManager(settings.orders, {
      nextRequest: desk.nextRequest,
      send: desk.send,
      alert: desk.alert,
      wall: () => desk.t,
      gameOf: (id) => this.mirror.games.get(id)?.game,
      drawOf: (id) => this.drawOf(id).draw,
      balance: () => this.account.balance,
      askBalance: () => this.account.askUser(),
      intentOf: (market, strategy) => this.quoting.intentOf(market, strategy),
    });
    this.fates = new Fates(this.manager, settings.lateArrivalMs, desk);
    this.market = new MarketData(
      desk,
      this.mirror,
      this.manager,
      markets,
      { ...settings, staleAfterMs: risk.staleAfterMs },
      (book) => this.quoting.forget(book),
    );
    this.account = new Account(desk, this.manager, { ...settings, resumeAfterMs: risk.resumeAfterMs });
    // nothing is sent any more: the mode tells what filled last hedges, which the summary's worst case counts
    const askMode = (): void => this.account.askUser();
    this.closing = new Closing(desk, this.manager, this.fates, askMode, settings);
    this.census = new Census(desk, this.mirror, this.manager, { ...settings, instance });
    this.signals = new SignalBoard({
      now: () => desk.now,
      changed: (names) => this.#showReaders(names),
      leftOut: (names, stand) => {
        const fields = { stand, leftOut: names.slice(0, 5) };
        desk.alert('warn', 'SIGNALS_LEFT_OUT', 'signals are left out: too many stand already', fields);
      },
    });
    this.host = new StrategyHost(settings.strategies, this.signals, {
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
        this.quoting.noteIdle(reason);
      },
      intent: (strategy, intent) => {
        this.quoting.applyIntent(strategy, intent);
      },
    });
    this.quoting = new Quoting(
      desk,
      {
        mirror: this.mirror,
        manager: this.manager,
        host: this.host,
        denialOf: (strategy, market, side) => this.trading.denialOf(strategy, market, side),
        mostPayout: (market) => this.trading.mostPayout(market),
      },
      { ...settings, selection: markets, limits: risk, oddsStep: profile.oddsStep },
    );
    this.trading = new Trading(desk, settings.safety, {
      manager: this.manager,
      quoting: this.quoting,
      cancelAll: () => {
        this.manager.cancelAll(desk.now);
        this.census.ask();
      },
    });
  }

  /** Of a game that is not known it is not known either. */
  drawOf(id: GameId): KnownDraw {
    return this.draws.of(this.mirror.games.get(id)?.game);
  }

  /** Views of the markets whose strategies asked for these signals. */
  #showReaders(signals: readonly string[]): void {
    for (const id of this.host.marketsReading(signals)) {
      const quoted = this.quoting.open.get(id);
      if (quoted !== undefined) this.mirror.touched.add(quoted.book);
    }
  }
}
