// A strategy under test in one game. The host, the scheduler, the signals and the price rounding are those of
// a run.
import type { z } from 'zod';
import type { Game, GameId, HeldPosition, MarketId, MarketType, ParticipantId } from '../../domain/index.ts';
import {
  FLAT,
  market,
  microsOfDollars,
  NO_COMMISSION,
  parseDuration,
  readSignals,
  SCORE_PREFIXES,
} from '../../domain/index.ts';
import type { GameScore } from '../../pricing/index.ts';
import { aversion, levelScores, MODEL_SPORTS } from '../../pricing/index.ts';
import type { Strategy } from '../define.ts';
import type { GameView } from '../game-view.ts';
import type { AccountView, MarketView, Signals } from '../view.ts';
import { failAtExit } from '../host/exit-trap.ts';
import { GameModels } from '../host/game-models.ts';
import type { StrategyEntry } from '../host/host.ts';
import { StrategyHost } from '../host/host.ts';
import { withGame } from '../host/with-game.ts';
import { PersistedValues } from '../host/persisted-values.ts';
import { SeriesLog } from '../host/series-log.ts';
import { checkParams } from '../host/params.ts';
import { SignalBoard } from '../host/signal-board.ts';
import { MarketTest, NOON, STRATEGY } from './market-test.ts';
import type { Rule } from './rules.ts';

const GAME: Game = {
  id: 'game' as GameId,
  parentGameId: undefined,
  kind: 'game',
  period: 'full',
  league: 'NBA',
  sport: 'basketball',
  eventName: 'Away @ Home',
  start: NOON + 2 * 3_600_000,
  live: false,
  ended: false,
  open: true,
  futures: false,
  home: { id: 'home' as ParticipantId, name: 'Home', shortName: 'HOM' },
  away: { id: 'away' as ParticipantId, name: 'Away', shortName: 'AWY' },
  mainHomeSpread: undefined,
  mainTotal: undefined,
};

/** One game and the strategy's instances in it. The test starts at noon UTC, two hours before the game. */
export class StrategyTest<Schema extends z.ZodType> {
  /** The game as the strategy sees it. */
  game: Game;
  /** Everything that the strategy logged, oldest first. */
  readonly logged: {
    /** The message. */
    readonly message: string;
    /** Its fields. */
    readonly fields: Readonly<Record<string, unknown>>;
  }[] = [];
  /** Every value that the strategy logged with `log.series`, oldest first, repeated ones too. */
  readonly series: {
    /** Unix ms. */
    readonly time: number;
    /** The market. Undefined when the strategy sees whole games. */
    readonly market: MarketId | undefined;
    /** The name of the series. */
    readonly name: string;
    /** The value. */
    readonly value: number;
  }[] = [];
  /** What a strategy of whole games sees as left within the limits. */
  room: GameView['room'] = { game: microsOfDollars(10_000), total: microsOfDollars(100_000) };
  /** What the strategy sees of the account, beside the positions of the test's markets. */
  account: Omit<AccountView, 'positions'> = {
    bankroll: microsOfDollars(10_000),
    permits: { place: 25, cancel: 30 },
    commission: NO_COMMISSION,
  };
  readonly #models: GameModels;
  readonly #entry: StrategyEntry;
  readonly #host: StrategyHost;
  readonly #persisted = new PersistedValues();
  readonly #board: SignalBoard;
  readonly #markets = new Map<MarketId, MarketTest>();
  readonly #faults: string[] = [];
  readonly #rules: Rule[] = [];
  /** Whether unreported faults are printed when the process ends. */
  #isWatched = false;
  #now = 0;

  /**
   * Starts a test of one strategy.
   * @param strategy the default export of the strategy file
   * @param params parameters as in the YAML file
   * @param game fields of the game that differ from the default game
   * @throws Error when the parameters do not fit the schema of the strategy
   */
  constructor(strategy: Strategy<Schema>, params: z.input<Schema>, game: Partial<Game> = {}) {
    this.game = { ...GAME, ...game };
    const checked = checkParams(STRATEGY, strategy, params);
    if (!('strategy' in checked))
      throw new Error(
        checked.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': ')).join('; '),
      );
    this.#entry = checked;
    this.#board = new SignalBoard({
      now: () => this.#now,
      wall: () => this.time,
      leftOut: (names) => this.#faults.push(`signals are left out: ${names.join(', ')}`),
    });
    this.#models = new GameModels({
      gameOf: () => this.game,
      signal: (name) => this.#board.get(name),
      sportOf: () => this.game.sport,
      drawOf: () => levelScores(MODEL_SPORTS.find((sport) => sport === this.game.sport) ?? 'other'),
      scoreOf: () => this.#scoreIn(this.#board),
      consensusIn: () =>
        [...this.#markets.values()].flatMap(({ market: quoted, consensus }) =>
          consensus === undefined ? [] : [{ market: quoted, p: consensus }],
        ),
      positionsIn: () => this.#positions,
      now: () => this.#now,
    });
    this.#host = new StrategyHost([checked], this.#board, {
      seq: () => 0,
      reportAsync: () => {
        this.#faults.push('ASYNC_EMISSION: it emitted from a timer of the process; use the scheduler');
        // without a later call that throws the fault, the test would pass
        if (!this.#isWatched) failAtExit(() => this.#faults);
        this.#isWatched = true;
      },
      fault: (code, _strategy, detail) => this.#faults.push(`${code}: ${detail}`),
      log: (_strategy, message, fields) => this.logged.push({ message, fields }),
      persisted: this.#persisted,
      series: this.#seriesLog,
    });
  }

  /** Keeps each value of a series, and throws what a run would drop. */
  get #seriesLog(): Pick<SeriesLog, 'log' | 'close'> {
    const checks = new SeriesLog(true);
    return {
      log: (place, name, value) => {
        const problem = checks.log(place, name, value);
        if (problem !== undefined) this.#faults.push(`SERIES_DROPPED: ${problem}`);
        else this.series.push({ time: this.time, market: place.market, name, value });
        return problem;
      },
      close: (place) => checks.close(place),
    };
  }

  /** The current time of the test, Unix ms. */
  get time(): number {
    return NOON + this.#now;
  }

  /**
   * Returns a market of the game, the same object for the same type and line.
   * @param type `moneyline` by default
   * @param line home's spread, or the total, in quarters; left out for a moneyline
   * @returns the market
   * @throws Error when the line does not fit the type
   */
  market(type: MarketType = 'moneyline', line?: number): MarketTest {
    if (line === undefined ? type !== 'moneyline' : type === 'moneyline' || !Number.isInteger(line * 4))
      throw new Error(
        type === 'moneyline'
          ? 'a moneyline has no line'
          : `market('${type}', ${line}): a ${type} has a line in quarters, such as 3.5`,
      );
    const tested = market(this.game.id, type, line);
    let known = this.#markets.get(tested.id);
    if (known === undefined) {
      known = new MarketTest(tested, {
        context: () => ({
          time: this.time,
          game: this.game,
          signals: this.#host.signals,
          account: { ...this.account, positions: this.#positions },
          score: () => this.#scoreIn(this.#host.signals),
        }),
        show: (view) =>
          this.#do(() =>
            this.#host.dispatch(tested, (_strategy, isOfGame) => (isOfGame ? this.#gameView(view) : view)),
          ),
        close: () => this.#do(() => this.#host.closeMarket(tested)),
      });
      this.#markets.set(tested.id, known);
    }
    return known;
  }

  get #positions(): readonly HeldPosition[] {
    return [...this.#markets.values()].flatMap(({ market: held, position }) =>
      position === FLAT ? [] : [{ market: held, position }],
    );
  }

  #scoreIn(signals: Pick<Signals, 'get'>): GameScore | undefined {
    const [lead, clock, scored] = (['lead', 'clock', 'scored'] as const).map((part) =>
      signals.get(SCORE_PREFIXES[part] + this.game.id),
    );
    if (lead === undefined || clock === undefined) return undefined;
    return { lead, clock, ...(scored !== undefined && { scored }) };
  }

  #gameView(view: MarketView): GameView {
    return withGame(view, {
      models: this.#models,
      gameOf: () => this.game,
      wholeOf: () => this.game,
      subscribe: (game) => {
        for (const name of this.#models.signalsOf(game)) this.#host.signals.get(name);
      },
      marketsOf: () => [...this.#markets.values()].filter(({ isShown }) => isShown).map((tested) => tested.view),
      roomOf: () => this.room,
      gamma: () => aversion({ leanAt: 1000, points: 5 }),
    });
  }

  /**
   * Adds a rule that is checked after each later call, on every market shown so far. The call that breaks it
   * throws.
   * @param rule such as `neverQuotesThroughFair()` or `neverAddsToCappedSide(1000)`
   */
  always(rule: Rule): this {
    this.#rules.push(rule);
    return this;
  }

  /**
   * Changes the game and shows each market again that was shown before.
   * @param changes the changed fields, such as `{ live: true }`
   * @throws Error when the strategy fails
   */
  header(changes: Partial<Game>): void {
    this.game = { ...this.game, ...changes };
    for (const tested of this.#markets.values()) if (tested.isShown) tested.show();
  }

  /** What the strategy persisted for the game. Undefined when it has set nothing. */
  get persisted(): unknown {
    return this.#persisted.of(STRATEGY, this.game.id).get();
  }

  /**
   * Starts the strategy anew, as after a restart of the bot: it keeps what it persisted and nothing else. Each
   * market that was shown before is shown again.
   * @throws Error when the strategy fails
   */
  restart(): void {
    this.#do(() => this.#host.replace(this.#entry));
    for (const tested of this.#markets.values()) if (tested.isShown) tested.show();
  }

  /**
   * Lets time pass. Timers fire and signals expire, each at its own time.
   * @param duration such as `250ms`, `5s`, `10m` or `2h`
   * @throws Error when it is not a duration, or when the strategy fails
   */
  pass(duration: string): void {
    const ms = parseDuration(duration);
    if (ms === undefined) throw new Error(`"${duration}" is not a duration: write 250ms, 5s, 10m or 2h`);
    const until = this.#now + ms;
    this.#do(() => {
      for (let dueAt = this.#nextDue; dueAt <= until; dueAt = this.#nextDue) this.#moveTo(dueAt);
      this.#moveTo(until);
    });
  }

  get #nextDue(): number {
    return Math.min(this.#host.nextDue ?? Number.POSITIVE_INFINITY, this.#board.nextDue);
  }

  #moveTo(time: number): void {
    this.#now = time;
    this.#board.expire();
    this.#serve();
    this.#host.runTimers(time);
    this.#serve();
  }

  /** Shows the markets whose signals changed, and applies the new intents. */
  #serve(): void {
    const changed = this.#board.takeChanged();
    this.#models.applySignals(changed);
    const reading = new Set(this.#host.marketsReading(changed));
    for (const id of reading) this.#markets.get(id)?.show();
    for (const { intent } of this.#host.takeIntents()) this.#markets.get(intent.market)?.take(intent);
  }

  /**
   * Sets several signals at once.
   * @param values value by name; `null` withdraws a signal
   * @param ttl how long the values hold. Default `60s`.
   * @throws Error when a name, value or duration is not valid, or when the strategy fails
   */
  signal(values: Readonly<Record<string, number | null>>, ttl = '60s'): void {
    const read = readSignals(values, ttl);
    if (typeof read === 'string') throw new Error(read);
    if (read.slips.length > 0) throw new Error(read.slips.join('\n'));
    this.#do(() => this.#board.applyUpdate(read.update));
  }

  /**
   * Runs a step, then throws all faults and broken rules, including faults of earlier timers of the process.
   */
  #do(step: () => void): void {
    step();
    this.#serve();
    for (const tested of this.#markets.values()) if (tested.isShown) this.#faults.push(...this.#broken(tested));
    const faults = this.#faults.splice(0);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  /** The broken rules of a market, as messages. */
  #broken(tested: MarketTest): readonly string[] {
    return this.#rules.flatMap((rule) => {
      const problem = rule(tested);
      return problem === undefined ? [] : [`${tested.market.id}: ${problem}`];
    });
  }
}
