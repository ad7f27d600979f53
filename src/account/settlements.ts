// The results that operators gave (rules.md, 11): one result per game. A later result completes it; a
// contradiction is refused until the first is reversed, whole or by market type. After a reversal the fills
// are held again and what they brought is taken back.
import type { Account } from './account.ts';
import type { HeldFill } from './records.ts';
import type {
  DayAtBoot,
  FormerPlay,
  Game,
  GameId,
  GameResult,
  Input,
  KnownSport,
  Market,
  MarketEnd,
  MarketType,
  Micros,
  SettledByHand,
} from '../domain/index.ts';
import {
  completedResult,
  endOf,
  MARKET_TYPES,
  openTypes,
  sportRule,
  swappedPlace,
  swappedResult,
  withoutTypes,
} from '../domain/index.ts';
import type { DayLoss } from './day-loss.ts';

type Settled = {
  readonly result: GameResult;
  /** Fills that this run settled, with what each brought. `plays`: fills of former runs. */
  readonly fills: readonly { readonly fill: HeldFill; readonly brought: Micros }[];
  readonly plays: readonly { readonly play: FormerPlay; readonly brought: Micros }[];
  /** Fills that former runs settled, as the ledger shows them. */
  readonly former: readonly SettledByHand[];
};

/**
 * The result in a `settle` input. Journals of versions before 0.3 contain two numbers, which decided every
 * market.
 */
export const resultOfInput = (input: Extract<Input, { type: 'settle' }>): GameResult =>
  'result' in input ? input.result : { home: input.home, away: input.away };

/**
 * The sport rule of a `settle` input. In versions before 0.3, a level score of a sport without draws returned
 * the stakes.
 */
const sportOfInput = (input: Extract<Input, { type: 'settle' }>, known: KnownSport): KnownSport => {
  if ('result' in input) return known;
  const { rule } = known;
  const draw = rule.draw === 'impossible' ? 'push' : rule.draw;
  const byScore = { moneyline: 'score', spread: 'score', total: 'score' };
  return { ...known, rule: sportRule({ ...rule, ...byScore, draw }), origin: 'configured' };
};

export class Settlements {
  readonly #account: Account;
  readonly #day: DayLoss;
  readonly #games = new Map<GameId, Settled>();

  constructor(account: Account, day: DayLoss) {
    this.#account = account;
    this.#day = day;
  }

  /** Applies what former runs of the day won and lost, and what operators settled. */
  applyBoot(former: DayAtBoot): void {
    const { commission } = this.#account.holdings;
    for (const { market, net } of former.nets ?? []) commission.restore(market, net);
    this.#day.applyBoot(former);
    this.#restoreSettled(former.settledByHand);
  }

  #restoreSettled(settled: readonly SettledByHand[]): void {
    const types = new Map<GameId, Set<MarketType>>();
    for (const row of settled) {
      if (row.settled === undefined) continue;
      const { play, score, result = score } = row.settled;
      const { gameId, type } = play.market;
      const { former = [], result: before } = this.#games.get(gameId) ?? {};
      const given: GameResult = result ?? {};
      const by = { ...before?.by, ...given.by };
      const merged = { ...before, ...given, ...(Object.keys(by).length === 0 ? {} : { by }) };
      this.#games.set(gameId, { result: merged, fills: [], plays: [], former: [...former, row] });
      types.set(gameId, (types.get(gameId) ?? new Set()).add(type));
    }
    // the types that a former run reversed have no row left: they are open
    for (const [gameId, settledTypes] of types) {
      const game = this.#games.get(gameId);
      const open = MARKET_TYPES.filter((type) => !settledTypes.has(type));
      if (game !== undefined) this.#games.set(gameId, { ...game, result: withoutTypes(game.result, open) });
    }
  }

  /** Home and away of a game changed places: settled fills stay with their teams, in case of a reversal. */
  swapTeams(gameId: GameId): void {
    const settled = this.#games.get(gameId);
    if (settled === undefined) return;
    const { result, fills, plays, former } = settled;
    for (const { fill } of fills)
      if (fill.market !== undefined && fill.side !== undefined)
        Object.assign(fill, swappedPlace({ market: fill.market, side: fill.side }));
    this.#games.set(gameId, {
      result: swappedResult(result),
      fills,
      plays: plays.map(({ play, brought }) => ({ play: swappedPlace(play), brought })),
      former: former.map((row) =>
        row.settled === undefined ? row : { ...row, settled: { ...row.settled, play: swappedPlace(row.settled.play) } },
      ),
    });
  }

  /** The result that operators gave for a game so far; undefined when none was given. */
  resultOf(gameId: GameId): GameResult | undefined {
    return this.#games.get(gameId)?.result;
  }

  /** Why this result is impossible, or contradicts the one before. Undefined when it can be applied. */
  problem(gameId: GameId, result: GameResult, known: KnownSport, game: Game | undefined): string | undefined {
    const whole = completedResult(this.resultOf(gameId), result, known, game ?? { id: gameId });
    return 'problem' in whole ? whole.problem : undefined;
  }

  /**
   * Applies a result. Returns the number of fills it settled and the market types it leaves open. `game`:
   * undefined for a game that is not known.
   */
  settle(
    input: Extract<Input, { type: 'settle' }>,
    knownNow: KnownSport,
    game: Game | undefined,
  ): { readonly fills: number; readonly open: readonly MarketType[] } {
    const { gameId } = input;
    const known = sportOfInput(input, knownNow);
    const given = resultOfInput(input);
    const before = this.#games.get(gameId);
    const whole = completedResult(before?.result, given, known, game ?? { id: gameId });
    // a recorded input was checked when it was recorded
    const result = 'problem' in whole ? given : whole;
    const endIn = (market: Market): MarketEnd | undefined => endOf(market, result, known.rule);
    const open = openTypes(result, known.rule);
    const fills = this.#account.fills.settleGame(gameId, endIn, game === undefined || open.length === 0);
    const plays = this.#day.former.settleGame(gameId, endIn);
    this.#games.set(gameId, {
      result,
      fills: [...(before?.fills ?? []), ...fills],
      plays: [...(before?.plays ?? []), ...plays],
      former: before?.former ?? [],
    });
    return { fills: fills.length + plays.length, open };
  }

  /** Reverses a result, or some of its market types. Returns the number of fills that wait again. */
  unsettle(gameId: GameId, types: readonly MarketType[] = MARKET_TYPES): number {
    const settled = this.#games.get(gameId);
    if (settled === undefined) return 0;
    const isWhole = types.length === MARKET_TYPES.length;
    const isBack = (market: Market | undefined): boolean =>
      isWhole || (market !== undefined && types.includes(market.type));
    const { fills, plays, former } = settled;
    const back = {
      fills: fills.filter(({ fill }) => isBack(fill.market)),
      plays: plays.filter(({ play }) => isBack(play.market)),
      former: former.filter((row) => isBack(row.settled?.play.market)),
    };
    for (const { fill, brought } of back.fills) this.#account.fills.unsettle(fill, brought);
    for (const { play, brought } of back.plays) this.#day.former.unsettle(play, brought);
    for (const row of back.former) this.#day.unsettle(row);
    if (isWhole) this.#games.delete(gameId);
    else
      this.#games.set(gameId, {
        result: withoutTypes(settled.result, types),
        fills: fills.filter((settledFill) => !back.fills.includes(settledFill)),
        plays: plays.filter((settledPlay) => !back.plays.includes(settledPlay)),
        former: former.filter((row) => !back.former.includes(row)),
      });
    return back.fills.length + back.plays.length + back.former.length;
  }
}
