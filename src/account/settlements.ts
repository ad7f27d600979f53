// What operators settled (rules.md, 11): one result a game. A later one completes it, a contradiction is refused until the
// first is taken back, whole or by market type; then what it settled is held again, and what it brought is not.
import type { Account } from './account.ts';
import type { HeldFill } from './records.ts';
import type {
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
  /** By this run, and what each brought. */
  readonly fills: readonly { readonly fill: HeldFill; readonly brought: Micros }[];
  readonly plays: readonly { readonly play: FormerPlay; readonly brought: Micros }[];
  /** By former runs, as the ledger has them. */
  readonly former: readonly SettledByHand[];
};

/** What a `settle` says: journals of versions before 0.3 have two numbers, which decided every market. */
export const resultOfInput = (input: Extract<Input, { type: 'settle' }>): GameResult =>
  'result' in input ? input.result : { home: input.home, away: input.away };

/** In those versions a level score of a sport that has none returned the stakes. */
const sportOfInput = (input: Extract<Input, { type: 'settle' }>, known: KnownSport): KnownSport => {
  if ('result' in input) return known;
  const { rule } = known;
  const draw = rule.draw === 'impossible' ? 'push' : rule.draw;
  const one = { moneyline: 'score', spread: 'score', total: 'score' };
  return { ...known, rule: sportRule({ ...rule, ...one, draw }), origin: 'configured' };
};

export class Settlements {
  readonly #account: Account;
  readonly #day: DayLoss;
  readonly #games = new Map<GameId, Settled>();

  constructor(account: Account, day: DayLoss) {
    this.#account = account;
    this.#day = day;
  }

  applyBoot(settled: readonly SettledByHand[]): void {
    const types = new Map<GameId, Set<MarketType>>();
    for (const one of settled) {
      if (one.settled === undefined) continue;
      const { play, score, result = score } = one.settled;
      const { gameId, type } = play.market;
      const { former = [], result: before } = this.#games.get(gameId) ?? {};
      const said: GameResult = result ?? {};
      const by = { ...before?.by, ...said.by };
      const merged = { ...before, ...said, ...(Object.keys(by).length === 0 ? {} : { by }) };
      this.#games.set(gameId, { result: merged, fills: [], plays: [], former: [...former, one] });
      types.set(gameId, (types.get(gameId) ?? new Set()).add(type));
    }
    // what a former run took back by type has no row left: it is open
    for (const [gameId, settledTypes] of types) {
      const game = this.#games.get(gameId);
      const open = MARKET_TYPES.filter((type) => !settledTypes.has(type));
      if (game !== undefined) this.#games.set(gameId, { ...game, result: withoutTypes(game.result, open) });
    }
  }

  /** Home and away of a game changed places: what was settled stays with its teams, should it be taken back. */
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
      former: former.map((one) =>
        one.settled === undefined ? one : { ...one, settled: { ...one.settled, play: swappedPlace(one.settled.play) } },
      ),
    });
  }

  /** The result that operators gave of a game so far; undefined: none. */
  resultOf(gameId: GameId): GameResult | undefined {
    return this.#games.get(gameId)?.result;
  }

  /** Why this result cannot be, or contradicts the one before; undefined: it can be taken. */
  problem(gameId: GameId, result: GameResult, known: KnownSport, game: Game | undefined): string | undefined {
    const whole = completedResult(this.resultOf(gameId), result, known, game ?? { id: gameId });
    return 'problem' in whole ? whole.problem : undefined;
  }

  /** Returns how many fills the result settled. `game`: undefined for one that is not known. */
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

  /** Takes a result back, or what it says of some types. Returns how many fills wait for the game again. */
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
      former: former.filter((one) => isBack(one.settled?.play.market)),
    };
    for (const { fill, brought } of back.fills) this.#account.fills.unsettle(fill, brought);
    for (const { play, brought } of back.plays) this.#day.former.unsettle(play, brought);
    for (const one of back.former) this.#day.unsettle(one);
    if (isWhole) this.#games.delete(gameId);
    else
      this.#games.set(gameId, {
        result: withoutTypes(settled.result, types),
        fills: fills.filter((one) => !back.fills.includes(one)),
        plays: plays.filter((one) => !back.plays.includes(one)),
        former: former.filter((one) => !back.former.includes(one)),
      });
    return back.fills.length + back.plays.length + back.former.length;
  }
}
