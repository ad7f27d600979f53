// A strategy under test in one game: the host, the scheduler, the signals and the rounding of prices are those of a run.
import type { z } from 'zod';
import type { Game, GameId, MarketId, MarketType, ParticipantId } from '../../domain/index.ts';
import { market, parseDuration, readSignals } from '../../domain/index.ts';
import type { Strategy } from '../define.ts';
import { failAtExit } from '../host/exit-trap.ts';
import { StrategyHost } from '../host/host.ts';
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

/** One game, and the instances of a strategy in it. It begins at noon, two hours before the game. */
export class StrategyTest<Schema extends z.ZodType> {
  /** As the strategy sees it. */
  game: Game;
  /** What the strategy said with `log`. */
  readonly logged: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  readonly #host: StrategyHost;
  readonly #board: SignalBoard;
  readonly #markets = new Map<MarketId, MarketTest>();
  readonly #faults: string[] = [];
  readonly #rules: Rule[] = [];
  /** What is left of them when the process ends is told then. */
  #isWatched = false;
  #now = 0;

  /**
   * @param params as in the YAML file
   * @param game what is to be otherwise
   * @throws Error when the parameters do not fit the schema of the strategy
   */
  constructor(strategy: Strategy<Schema>, params: z.input<Schema>, game: Partial<Game> = {}) {
    this.game = { ...GAME, ...game };
    const checked = checkParams(STRATEGY, strategy, params);
    if (!('strategy' in checked))
      throw new Error(
        checked.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': ')).join('; '),
      );
    this.#board = new SignalBoard({
      now: () => this.#now,
      wall: () => this.time,
      leftOut: (names) => this.#faults.push(`signals are left out: ${names.join(', ')}`),
    });
    this.#host = new StrategyHost([checked], this.#board, {
      seq: () => 0,
      reportAsync: () => {
        this.#faults.push('ASYNC_EMISSION: it emitted from a timer of the process; use the scheduler');
        // perhaps no call comes that throws it: the test would pass
        if (!this.#isWatched) failAtExit(() => this.#faults);
        this.#isWatched = true;
      },
      fault: (code, _strategy, detail) => this.#faults.push(`${code}: ${detail}`),
      log: (_strategy, message, fields) => this.logged.push({ message, fields }),
    });
  }

  /** Unix ms. */
  get time(): number {
    return NOON + this.#now;
  }

  /** A market of the game; the same one each time. `line`: of home, or the total. */
  market(type: MarketType = 'moneyline', line?: number): MarketTest {
    if (line === undefined ? type !== 'moneyline' : type === 'moneyline' || !Number.isInteger(line * 4))
      throw new Error(
        type === 'moneyline'
          ? 'a moneyline has no line'
          : `market('${type}', ${line}): a ${type} has a line in quarters, such as 3.5`,
      );
    const of = market(this.game.id, type, line);
    let known = this.#markets.get(of.id);
    if (known === undefined) {
      known = new MarketTest(of, {
        look: () => ({ time: this.time, game: this.game, signals: this.#host.signals }),
        show: (view) => this.#do(() => this.#host.dispatch(of, () => view)),
        close: () => this.#do(() => this.#host.close(of)),
      });
      this.#markets.set(of.id, known);
    }
    return known;
  }

  /**
   * This holds after each call from now on, on every market that was shown; the call behind which it does not throws. Such as
   * `neverQuotesThroughFair()` and `neverAddsToCappedSide(1000)`.
   */
  always(rule: Rule): this {
    this.#rules.push(rule);
    return this;
  }

  /** Another header, such as `{ live: true }`: each market that was shown is shown again. */
  header(changes: Partial<Game>): void {
    this.game = { ...this.game, ...changes };
    for (const of of this.#markets.values()) if (of.isShown) of.show();
  }

  /** Time passes (`250ms`, `5s`, `10m`, `2h`): timers ring and signals end, each at its moment. */
  pass(duration: string): void {
    const ms = parseDuration(duration);
    if (ms === undefined) throw new Error(`"${duration}" is no duration: write 250ms, 5s, 10m or 2h`);
    const until = this.#now + ms;
    this.#do(() => {
      for (let at = this.#nextDue; at <= until; at = this.#nextDue) this.#moveTo(at);
      this.#moveTo(until);
    });
  }

  get #nextDue(): number {
    return Math.min(this.#host.nextDue ?? Number.POSITIVE_INFINITY, this.#board.nextDue);
  }

  #moveTo(at: number): void {
    this.#now = at;
    this.#board.expire();
    this.#serve();
    this.#host.runTimers(at);
    this.#serve();
  }

  /** Shows the markets whose signals changed, and takes what was said. */
  #serve(): void {
    const reading = new Set(this.#host.marketsReading(this.#board.takeChanged()));
    for (const id of reading) this.#markets.get(id)?.show();
    for (const { intent } of this.#host.takeIntents()) this.#markets.get(intent.market)?.take(intent);
  }

  /** Several at once; `null` withdraws one. They hold for `ttl`. */
  signal(values: Readonly<Record<string, number | null>>, ttl = '60s'): void {
    const read = readSignals(values, ttl);
    if (typeof read === 'string') throw new Error(read);
    if (read.slips.length > 0) throw new Error(read.slips.join('\n'));
    this.#do(() => this.#board.apply(read.update));
  }

  /** What was found wrong is thrown, also what an earlier timer of the process did. */
  #do(step: () => void): void {
    step();
    this.#serve();
    for (const of of this.#markets.values()) if (of.isShown) this.#faults.push(...this.#broken(of));
    const faults = this.#faults.splice(0);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  #broken(of: MarketTest): readonly string[] {
    return this.#rules.flatMap((rule) => {
      const problem = rule(of);
      return problem === undefined ? [] : [`${of.market.id}: ${problem}`];
    });
  }
}
