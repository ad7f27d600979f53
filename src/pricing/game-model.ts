// One model a game: the sport's parameters become the joint distribution of its scores, and all prices of the
// game are sums over it.
import type { DrawRule, Period } from '../domain/index.ts';
import type { EmptyNet, GoalsGame } from './goals-game.ts';
import { hockeyGrid, soccerGrid } from './goals-game.ts';
import type { LinePrice } from './line-price.ts';
import { normalGrid } from './normal-game.ts';
import { NO_ENDINGS, runsGrid } from './runs-game.ts';
import type { ScoreGrid, Winner } from './score-grid.ts';
import type { ModelSport, Shares } from './sport-models.ts';
import {
  DRAWS,
  EMPTY_NET,
  EMPTY_NET_OF_TWO,
  leftOf,
  NORMAL,
  OVERTIME,
  periodShare,
  RUNS,
  SOCCER_RHO,
} from './sport-models.ts';
import { tennisGrid } from './tennis-game.ts';

/** Of basketball, football and all other sports with many points. */
export type NormalParameters = {
  /** Points: the mean of the normal distribution of home's score minus away's, before the sport's own margins weigh in. */
  readonly margin: number;
  /** Points: the mean sum of both scores. */
  readonly total: number;
  /** Points. Left out: that of the sport. */
  readonly marginDeviation?: number;
  /** Points. Left out: that of the sport. */
  readonly totalDeviation?: number;
};
/** Of soccer. */
export type SoccerParameters = {
  /** The mean goals of home. */
  readonly home: number;
  /** The mean goals of away. */
  readonly away: number;
  /** The dependence of low scores of Dixon and Coles. Left out: −0.09. */
  readonly rho?: number;
};
/** Of hockey. */
export type HockeyParameters = {
  /** The mean goals of home in regulation. */
  readonly home: number;
  /** The mean goals of away in regulation. */
  readonly away: number;
  /**
   * The share of one-goal leads that an empty net makes two. Left out: 0.18. Of the leads of two, 2.1 times that
   * share become three.
   */
  readonly emptyNet?: number;
};
/** Of baseball. */
export type BaseballParameters = {
  /** The mean runs of home. */
  readonly home: number;
  /** The mean runs of away. */
  readonly away: number;
  /** Of the negative binomial scores: variance = mean + mean² / r. Left out: 4. */
  readonly r?: number;
};
/** Of tennis. */
export type TennisParameters = {
  /** The share of points that home wins on its own serve. */
  readonly serve: number;
  /** The share of points that home wins on the other's serve. */
  readonly return: number;
  /** The number of sets. */
  readonly bestOf: 3 | 5;
};

/** The parameters of each sport. */
export type ParametersOf = {
  /** In points. */
  readonly basketball: NormalParameters;
  /** In points. Games may end level. */
  readonly football: NormalParameters;
  /** In points. */
  readonly 'college football': NormalParameters;
  /** In points. Both deviations must be given. */
  readonly other: NormalParameters;
  /** In goals. */
  readonly soccer: SoccerParameters;
  /** In goals. */
  readonly hockey: HockeyParameters;
  /** In runs. */
  readonly baseball: BaseballParameters;
  /** In shares of points. Lines are games. */
  readonly tennis: TennisParameters;
};

/** What is known of a game in play, and how it ends. */
export type GameState = {
  /** Home's score minus away's, now. */
  readonly lead?: number;
  /** The share of the game that is left, 1 … 0. In soccer and hockey the share of its goals. */
  readonly clock?: number;
  /** The sum of both scores, now. Without it a game in play has no price of its total. */
  readonly scored?: number;
  /** What a level score does to the moneyline, where it differs from the sport's rule. */
  readonly draw?: DrawRule;
};

/** All prices of a game, or of a period of it. */
export class GameModel<Sport extends ModelSport = ModelSport> {
  /** The sport. */
  readonly sport: Sport;
  /** What is expected of both teams. */
  readonly parameters: ParametersOf[Sport];
  /** The score and the clock that the prices are for. */
  readonly state: GameState;
  /** The joint distribution of margin, total and winner. */
  readonly grid: ScoreGrid;
  /** Models of periods that were asked for. */
  readonly #periods = new Map<string, GameModel<Sport>>();

  /** @internal `modelFor` and `fitGame` make models. */
  constructor(sport: Sport, parameters: ParametersOf[Sport], state: GameState, grid: ScoreGrid) {
    this.sport = sport;
    this.parameters = parameters;
    this.state = state;
    this.grid = grid;
  }

  /**
   * Prices the moneyline.
   * @param side whose bet: `home` when left out. `draw` where a level score is an outcome of its own
   * @returns the price of a bet on the side
   */
  moneyline(side: Winner = 'home'): LinePrice {
    return this.grid.moneyline(side);
  }

  /**
   * Prices a spread.
   * @param homeLine home's line in points, as in a market's id: at −3.5 home must win by 4 or more
   * @returns the price of a bet on home
   * @throws RangeError when the line is not a multiple of 0.25
   */
  spread(homeLine: number): LinePrice {
    return this.grid.spread(homeLine);
  }

  /**
   * Prices a total.
   * @param line the line in points
   * @returns the price of a bet on the over
   * @throws RangeError when the line is not a multiple of 0.25
   */
  total(line: number): LinePrice {
    return this.grid.over(line);
  }

  /**
   * The model of a period of the game, such as `h1` or `q2`.
   * @param period the period
   * @param draw what a level score does to its moneyline, where it differs: stakes return in basketball, football
   *   and baseball, and both bets lose in soccer and hockey
   * @returns the model
   * @throws RangeError when the sport has no model of such a period, or the game has begun
   */
  period(period: Period, draw?: DrawRule): GameModel<Sport> {
    if (period === 'full') return this;
    const { clock = 1, lead = 0 } = this.state;
    if (clock < 1 || lead !== 0) throw new RangeError(`no model of ${period} once the game has begun`);
    const rule = draw ?? PERIOD_DRAWS[this.sport];
    const key = `${period} ${rule}`;
    let part = this.#periods.get(key);
    if (part === undefined) this.#periods.set(key, (part = partOf(this, period, rule)));
    return part;
  }

  /** @internal The same game with other weights of its scores. Its periods keep theirs. */
  withGrid(grid: ScoreGrid): GameModel<Sport> {
    return new GameModel(this.sport, this.parameters, this.state, grid);
  }
}

/**
 * Builds the model of a game.
 * @param sport the sport
 * @param parameters what is expected of both teams
 * @param state the score and the clock of a game in play
 * @returns the model
 * @example modelFor('football', { margin: 3.1, total: 44.5 }).spread(-3.5).fair
 * @throws RangeError when a parameter is out of range
 */
export function modelFor<Sport extends ModelSport>(
  sport: Sport,
  parameters: ParametersOf[Sport],
  state: GameState = {},
): GameModel<Sport> {
  const { lead = 0, clock = 1, scored, draw = DRAWS[sport] } = state;
  if (!Number.isInteger(lead)) throw new RangeError(`expected the lead in whole points: ${lead}`);
  if (!(clock >= 0 && clock <= 1)) throw new RangeError(`expected the share of the game left, 0 to 1: ${clock}`);
  const isOpen = clock === 1 && lead === 0;
  if (scored !== undefined && (!Number.isInteger(scored) || scored < Math.abs(lead) || (scored - lead) % 2 !== 0))
    throw new RangeError(`expected a sum of both scores that fits a lead of ${lead}: ${scored}`);
  const builder: Builder<ParametersOf[Sport]> = BUILDERS[sport];
  const grid = builder(parameters, { lead, clock, scored: scored ?? (isOpen ? 0 : undefined), draw, isOpen });
  return new GameModel(sport, parameters, state, grid);
}

type Start = {
  readonly lead: number;
  readonly clock: number;
  readonly scored: number | undefined;
  readonly draw: DrawRule;
  /** True before the start. */
  readonly isOpen: boolean;
};
type Builder<Parameters> = (parameters: Parameters, start: Start) => ScoreGrid;

/** Margin and total as normal distributions. A level score of a game under way is followed by overtime. */
const normalBuilder =
  (sport: 'basketball' | 'football' | 'college football' | 'other'): Builder<NormalParameters> =>
  (parameters, { lead, clock, scored, draw, isOpen }) => {
    const constants = sport === 'other' ? undefined : NORMAL[sport];
    const { marginDeviation = constants?.marginDeviation, totalDeviation = constants?.totalDeviation } = parameters;
    if (marginDeviation === undefined || totalDeviation === undefined)
      throw new RangeError('this sport has no constants: give marginDeviation and totalDeviation');
    const left = leftOf(sport, clock);
    const share = Math.sqrt(left.variance);
    const total =
      scored === undefined
        ? undefined
        : {
            mean: scored + parameters.total * left.total.mean,
            deviation: totalDeviation * Math.sqrt(left.total.variance),
          };
    const extra = OVERTIME[sport];
    return normalGrid({
      margin: { mean: lead * left.lead + parameters.margin * left.mean, deviation: marginDeviation * share },
      total,
      correlation: constants?.correlation ?? 0,
      marginWeights: constants?.marginWeights ?? [],
      overtime: isOpen
        ? undefined
        : {
            mean: parameters.margin * extra.mean,
            deviation: marginDeviation * Math.sqrt(extra.variance),
            level: draw === 'impossible' ? 0 : extra.level,
          },
      draw,
    });
  };

/** Goals still to come. Only the lead is known of a game in play without its score. */
function goalsLeft(
  { home, away }: { readonly home: number; readonly away: number },
  { lead, clock, scored, draw }: Start,
): GoalsGame {
  const hasTotal = scored !== undefined;
  const all = scored ?? Math.abs(lead);
  return {
    home: home * clock,
    away: away * clock,
    scored: { home: (all + lead) / 2, away: (all - lead) / 2 },
    draw,
    hasTotal,
  };
}

const BUILDERS: { readonly [Sport in ModelSport]: Builder<ParametersOf[Sport]> } = {
  basketball: normalBuilder('basketball'),
  football: normalBuilder('football'),
  'college football': normalBuilder('college football'),
  other: normalBuilder('other'),
  // once a goal is scored or time has run, low scores depend on each other no more
  soccer: (parameters, start) =>
    soccerGrid(goalsLeft(parameters, start), start.isOpen ? (parameters.rho ?? SOCCER_RHO) : 0),
  hockey: (parameters, start) =>
    hockeyGrid(
      goalsLeft(parameters, start),
      emptyNet((parameters.emptyNet ?? EMPTY_NET) * Math.min(start.clock / EMPTY_NET_TIME, 1)),
    ),
  baseball: (parameters, start) =>
    runsGrid(
      { ...goalsLeft(parameters, start), r: (parameters.r ?? RUNS.r) * Math.max(start.clock, LEAST_SHARE) },
      { ...RUNS.endings, notBatted: RUNS.endings.notBatted * Math.min(start.clock * INNINGS, 1) },
    ),
  tennis: (parameters, { isOpen }) => {
    if (!isOpen) throw new RangeError('no model of a tennis match under way');
    return tennisGrid(parameters);
  },
};

const emptyNet = (share: number): EmptyNet => ({ one: share, two: Math.min(share * EMPTY_NET_OF_TWO, 1) });

/** So that r stays above 0 at the end. */
const LEAST_SHARE = 1e-3;
/** The share of a hockey game in which a goalkeeper leaves: its last three minutes. */
const EMPTY_NET_TIME = 3 / 60;
/** What the last inning leaves out comes to nothing as it ends. */
const INNINGS = 9;

/** A period, which may end level. */
function partOf<Sport extends ModelSport>(
  { sport, parameters, state }: GameModel<Sport>,
  period: Period,
  draw: DrawRule,
): GameModel<Sport> {
  const share = periodShare(sport, period);
  const builder: PartBuilder<ParametersOf[Sport]> | undefined = PART_BUILDERS[sport];
  if (share === undefined || builder === undefined) throw new RangeError(`no model of ${period} in ${sport}`);
  return new GameModel(sport, parameters, state, builder(parameters, { period, share, draw }));
}

type Part = { readonly period: Period; readonly share: Shares; readonly draw: DrawRule };
type PartBuilder<Parameters> = (parameters: Parameters, part: Part) => ScoreGrid;

const normalPart =
  (sport: 'basketball' | 'football' | 'college football'): PartBuilder<NormalParameters> =>
  (parameters, { share, draw }) => {
    const { marginDeviation, totalDeviation, correlation } = { ...NORMAL[sport], ...parameters };
    const { total = share } = share;
    return normalGrid({
      margin: { mean: parameters.margin * share.mean, deviation: marginDeviation * Math.sqrt(share.variance) },
      total: { mean: parameters.total * total.mean, deviation: totalDeviation * Math.sqrt(total.variance) },
      correlation,
      // the margins of whole games are another matter
      marginWeights: [],
      overtime: undefined,
      draw,
    });
  };

const goalsIn = (
  { home, away }: { readonly home: number; readonly away: number },
  { share: { mean }, draw }: Part,
): GoalsGame => ({ home: home * mean, away: away * mean, scored: { home: 0, away: 0 }, draw, hasTotal: true });

const PART_BUILDERS: { readonly [Sport in ModelSport]?: PartBuilder<ParametersOf[Sport]> } = {
  basketball: normalPart('basketball'),
  football: normalPart('football'),
  'college football': normalPart('college football'),
  soccer: (parameters, part) =>
    soccerGrid(goalsIn(parameters, part), part.period === 'reg' ? (parameters.rho ?? SOCCER_RHO) : 0),
  // the goalkeeper leaves at the end
  hockey: (parameters, part) =>
    hockeyGrid(
      goalsIn(parameters, part),
      emptyNet(part.period === 'reg' || part.period === 'p3' ? (parameters.emptyNet ?? EMPTY_NET) : 0),
    ),
  baseball: (parameters, part) =>
    runsGrid({ ...goalsIn(parameters, part), r: (parameters.r ?? RUNS.r) * part.share.mean }, NO_ENDINGS),
};

/**
 * What a level score does to the moneyline of a game or a period of it.
 * @param sport the sport
 * @param period the period, or `full`
 * @returns the sport's usual rule
 */
export const levelScores = (sport: ModelSport, period: Period = 'full'): DrawRule =>
  period === 'full' ? DRAWS[sport] : PERIOD_DRAWS[sport];

/**
 * Whether a sport has a model of a period.
 * @param sport the sport
 * @param period the period, or `full`
 * @returns true when `GameModel.period` gives one
 */
export const hasPeriod = (sport: ModelSport, period: Period): boolean =>
  period === 'full' || (periodShare(sport, period) !== undefined && PART_BUILDERS[sport] !== undefined);

/** Bets on a level period: a draw is an outcome of its own where scores are low. */
const PERIOD_DRAWS: Readonly<Record<ModelSport, DrawRule>> = {
  basketball: 'push',
  football: 'push',
  'college football': 'push',
  hockey: 'both-lose',
  soccer: 'both-lose',
  baseball: 'push',
  tennis: 'impossible',
  other: 'push',
};
