// One model a game from the quotes of all bookmakers, on whatever lines they stand: its parameters by weighted
// least squares of the log-odds. So every line has a price, those too that no bookmaker quotes.
import type { DrawRule, Period } from '../domain/index.ts';
import { logit } from '../domain/index.ts';
import type { GameModel, GameState, ParametersOf } from './game-model.ts';
import { modelFor } from './game-model.ts';
import { freeOf, unknownsOf, withPrior } from './fit-parameters.ts';
import type { Unknown } from './fit-parameters.ts';
import { leastSquares } from './least-squares.ts';
import type { LinePrice } from './line-price.ts';
import type { ModelSport } from './sport-models.ts';

/** What a bookmaker's odds say of a bet, without their margin. */
export type FairQuote = {
  /** The name of the bookmaker. */
  readonly book: string;
  /** The type of the market. */
  readonly type: 'moneyline' | 'spread' | 'total';
  /** Whose bet. */
  readonly side: 'home' | 'away' | 'draw' | 'over' | 'under';
  /** Home's line of a spread, or the total. */
  readonly line?: number | undefined;
  /** Left out: the whole game. */
  readonly period?: Period;
  /** The fair probability, 0 to 1: of the bets that do not push. */
  readonly probability: number;
  /** Its weight among the others. Left out: 1. */
  readonly weight?: number;
};

/** A quote and what the model says of it. */
export type FittedQuote = FairQuote & {
  /** The model's fair probability of the same bet. */
  readonly fair: number;
  /** probability − fair. */
  readonly residual: number;
  /** True for a quote so far from all others that it was left out of the fit. */
  readonly outlier: boolean;
};

/** A bet of a game. */
export type Bet = Pick<FairQuote, 'type' | 'side' | 'line' | 'period'>;

/** What is known of a game before its quotes. */
export type FitSettings<Sport extends ModelSport> = GameState & {
  /** The sport. */
  readonly sport: Sport;
  /** Parameters that are known, such as the deviations of a sport without constants, or the sets of a match. */
  readonly known?: Partial<ParametersOf[Sport]>;
  /** An earlier fit of the same game, such as that of its closing odds: what is believed before the quotes. */
  readonly before?: Pick<FittedGame<Sport>, 'parameters' | 'errors'>;
  /** Parameters near those of the fit, such as the last ones: it ends sooner, at the same. */
  readonly near?: ParametersOf[Sport];
};

/** The model of a game that fits quotes best. */
export class FittedGame<Sport extends ModelSport = ModelSport> {
  /** The sport. */
  readonly sport: Sport;
  /** The parameters of the model. */
  readonly parameters: ParametersOf[Sport];
  /** The standard error of each fitted parameter. */
  readonly errors: Readonly<Record<string, number>>;
  /** The model that fits best. */
  readonly model: GameModel<Sport>;
  /** All quotes, in their order. Those of a period change its own prices only. */
  readonly quotes: readonly FittedQuote[];
  readonly #whole: PartFit<Sport>;
  /** Of the periods that are quoted. */
  readonly #periods: ReadonlyMap<Period, PartFit<Sport>>;
  /** The whole game under each rule of level scores that was asked for. */
  readonly #byRule: Map<DrawRule, GameModel<Sport>>;

  /** @internal `fitGame` makes it. */
  constructor(
    whole: PartFit<Sport>,
    periods: ReadonlyMap<Period, PartFit<Sport>>,
    errors: Readonly<Record<string, number>>,
    quotes: readonly FittedQuote[],
  ) {
    this.sport = whole.model.sport;
    this.model = whole.model;
    this.parameters = whole.model.parameters;
    this.errors = errors;
    this.quotes = quotes;
    this.#whole = whole;
    this.#periods = periods;
    this.#byRule = new Map([[this.model.grid.draw, this.model]]);
  }

  /**
   * The model's price of a bet.
   * @param bet its market and side
   * @param draw what a level score does to a moneyline, where it differs from the sport's rule
   * @returns the price of that side
   */
  priceOf(bet: Bet, draw?: DrawRule): LinePrice {
    const { model } = this.#fitOf(bet);
    const { period = 'full' } = bet;
    return priceIn(period === 'full' ? this.#under(draw) : model.period(period, draw), bet);
  }

  /**
   * The standard error of a bet's fair probability.
   * @param bet its market and side
   * @returns the error in probability
   */
  errorOf(bet: Bet): number {
    return this.#fitOf(bet).errorOf(bet);
  }

  /**
   * The model of a period, or of the whole game.
   * @param period the period, or `full`
   * @returns the model that gives its prices
   * @throws RangeError when the sport has no model of the period
   */
  modelOf(period: Period = 'full'): GameModel<Sport> {
    return this.#fitOf({ period }).model.period(period);
  }

  /** The model of the whole game under a rule of level scores. */
  #under(draw = this.model.grid.draw): GameModel<Sport> {
    let model = this.#byRule.get(draw);
    if (model === undefined) {
      const { sport, parameters, state } = this.model;
      this.#byRule.set(draw, (model = modelFor(sport, parameters, { ...state, draw })));
    }
    return model;
  }

  #fitOf({ period = 'full' }: Pick<Bet, 'period'>): PartFit<Sport> {
    return this.#periods.get(period) ?? this.#whole;
  }
}

/** The fit of a game, or of a period with a model of the whole game that fits the period best. */
type PartFit<Sport extends ModelSport> = Fitted<Sport> & {
  readonly errorOf: (bet: Bet) => number;
};

/** Quotes of bookmakers scatter by this much in log-odds at least, also where a few agree by chance. */
const LEAST_NOISE = 0.02;
/** In scatters: where a quote counts less, and where it is left out if it is also far in probability. */
const [LESS, OUT] = [1.5, 5];
const FAR = 0.04;
const MOST_LEFT_OUT = 3;

/**
 * Fits the model of a game to quotes.
 * @param quotes all of one game. A quote far from all others is left out and marked
 * @param settings the sport, and the score and clock of a game in play
 * @returns the parameters with their standard errors, the model, and each quote with its residual
 * @throws RangeError when there is no quote of the whole game and no earlier fit, or a quote is none of the sport;
 *   the message names it
 * @example fitGame([{ book: 'a', type: 'spread', side: 'home', line: -3, probability: 0.5 },
 *   { book: 'a', type: 'total', side: 'over', line: 44.5, probability: 0.51 }], { sport: 'football' })
 */
export function fitGame<Sport extends ModelSport>(
  quotes: readonly FairQuote[],
  { sport, known = {}, before, near, ...state }: FitSettings<Sport>,
): FittedGame<Sport> {
  for (const [index, quote] of quotes.entries()) checkQuote(quote, index);
  const unknowns = unknownsOf(sport, { draws: quotes.some(({ side }) => side === 'draw') })
    .filter(({ name }) => !(name in known))
    .map((unknown) => (before === undefined ? unknown : withPrior(unknown, before)));
  const modelAt = (free: readonly number[]): GameModel<Sport> => {
    const read = Object.fromEntries(unknowns.map(({ name, scale }, index) => [name, scale.read(free[index] ?? 0)]));
    return modelFor(sport, { ...known, ...read } as ParametersOf[Sport], state);
  };
  const { full = [], ...parts } = Object.groupBy(quotes, ({ period = 'full' }) => period);
  if (full.length === 0 && before === undefined) throw new RangeError('expected at least one quote of the whole game');
  const partOf = (fitted: Fitted<Sport>): PartFit<Sport> => ({
    ...fitted,
    errorOf: errorIn(fitted, unknowns, modelAt),
  });
  const whole = partOf(fitQuotes(full, unknowns, modelAt, near === undefined ? undefined : freeOf(unknowns, near)));
  // quotes of a period move its prices away from those that follow from the game
  const around = unknowns.map((known, index): Unknown => {
    const mean = whole.parameters[index] ?? known.prior.mean;
    return { ...known, prior: { mean, deviation: known.apart } };
  });
  const periods = new Map(
    Object.entries(parts).map(([period, quoted]) => [period as Period, partOf(fitQuotes(quoted, around, modelAt))]),
  );
  const fittedQuotes = quotes.map((quote): FittedQuote => {
    const { model, outliers } = periods.get(quote.period ?? 'full') ?? whole;
    const fair = fairIn(model, quote);
    return { ...quote, fair, residual: quote.probability - fair, outlier: outliers.has(quote) };
  });
  return new FittedGame(whole, periods, errorsOf(unknowns, whole), fittedQuotes);
}

type Fitted<Sport extends ModelSport = ModelSport> = {
  readonly model: GameModel<Sport>;
  /** The unknowns of the model, on their scales. */
  readonly parameters: readonly number[];
  readonly covariance: readonly (readonly number[])[];
  readonly outliers: ReadonlySet<FairQuote>;
};

function fitQuotes<Sport extends ModelSport>(
  quotes: readonly FairQuote[],
  unknowns: readonly Unknown[],
  modelAt: (free: readonly number[]) => GameModel<Sport>,
  from?: readonly number[],
): Fitted<Sport> {
  const priors = unknowns.map(({ prior }) => prior);
  let start = from ?? priors.map(({ mean }) => mean);
  const outliers = new Set<FairQuote>();
  for (let round = 0; ; round++) {
    const used = quotes.filter((quote) => !outliers.has(quote));
    // quotes on one line have one price
    const bets = [...new Map(used.map((quote) => [keyOf(quote), quote])).values()];
    const keys = used.map((quote) => bets.findIndex((bet) => keyOf(bet) === keyOf(quote)));
    const predict = (free: readonly number[]): readonly number[] => {
      const model = modelAt(free);
      const prices = bets.map((bet) => bounded(fairIn(model, bet)));
      return keys.map((key) => prices[key] ?? Number.NaN);
    };
    const weights = used.map(({ weight = 1 }) => weight);
    const solution = leastSquares({
      priors,
      start,
      predict,
      observed: used.map(({ probability }) => bounded(probability)),
      weightsOf: (residuals) => robustWeights(residuals, weights),
    });
    const { parameters, covariance, residuals } = solution;
    const model = modelAt(parameters);
    const noise = scatterOf(residuals);
    const far = used.filter(
      (quote, index) =>
        Math.abs(residuals[index] ?? 0) > OUT * noise && Math.abs(quote.probability - fairIn(model, quote)) > FAR,
    );
    if (far.length === 0 || round === MOST_LEFT_OUT || used.length - far.length < 2)
      return { model, parameters, covariance, outliers };
    for (const quote of far) outliers.add(quote);
    start = [...parameters];
  }
}

/** Log-odds, kept away from 0 and 1. */
const bounded = (p: number): number => logit(Math.min(Math.max(p, 1e-9), 1 - 1e-9));

const keyOf = ({ type, side, line, period = 'full' }: Bet): string => `${period} ${type} ${side} ${line ?? ''}`;

/** The scatter of residuals: their median size, as that of a normal distribution. */
function scatterOf(residuals: readonly number[]): number {
  const sizes = residuals.map(Math.abs).sort((a, b) => a - b);
  const median = sizes[sizes.length >> 1] ?? 0;
  return Math.max(LEAST_NOISE, 1.4826 * median);
}

/** One over the variance of each quote; less for one that is far off (P. J. Huber, 1964). */
function robustWeights(residuals: readonly number[], weights: readonly number[]): readonly number[] {
  const noise = scatterOf(residuals);
  return residuals.map((residual, index) => {
    const size = Math.abs(residual) / noise;
    return ((weights[index] ?? 1) * (size > LESS ? LESS / size : 1)) / (noise * noise);
  });
}

/** The price of a bet: of its own side. @param part the model of its period */
function priceIn(part: GameModel, { type, side, line = 0 }: Bet): LinePrice {
  if (type === 'moneyline') return part.moneyline(side as 'home' | 'away' | 'draw');
  const price = type === 'spread' ? part.spread(line) : part.total(line);
  return side === 'home' || side === 'over'
    ? price
    : { fair: 1 - price.fair, win: price.lose, push: price.push, lose: price.win };
}

const fairIn = (model: GameModel, bet: Bet): number => priceIn(model.period(bet.period ?? 'full'), bet).fair;

function errorsOf(unknowns: readonly Unknown[], { parameters, covariance }: Fitted): Readonly<Record<string, number>> {
  return Object.fromEntries(
    unknowns.map(({ name, scale }, index) => {
      const value = scale.read(parameters[index] ?? 0);
      return [name, Math.sqrt(covariance[index]?.[index] ?? 0) * scale.slope(value)];
    }),
  );
}

/** How far a parameter moves to find how a price depends on it, in its standard errors. */
const NUDGE = 0.5;

/** The standard error of a price: how it moves with each parameter, times how these vary together. */
function errorIn(
  { parameters, covariance }: Fitted,
  unknowns: readonly Unknown[],
  modelAt: (free: readonly number[]) => GameModel,
): (bet: Bet) => number {
  let near: readonly { readonly more: GameModel; readonly less: GameModel; readonly by: number }[] | undefined;
  return (bet) => {
    near ??= unknowns.map((_unknown, index) => {
      const by = NUDGE * Math.sqrt(covariance[index]?.[index] ?? 0);
      const moved = (sign: number): GameModel =>
        modelAt(parameters.map((value, other) => (other === index ? value + sign * by : value)));
      return { more: moved(1), less: moved(-1), by };
    });
    const slopes = near.map(({ more, less, by }) =>
      by === 0 ? 0 : (fairIn(more, bet) - fairIn(less, bet)) / (2 * by),
    );
    let variance = 0;
    for (const [row, slope] of slopes.entries())
      for (const [column, other] of slopes.entries()) variance += slope * other * (covariance[row]?.[column] ?? 0);
    return Math.sqrt(Math.max(variance, 0));
  };
}

const SIDES: Readonly<Record<FairQuote['type'], readonly string[]>> = {
  moneyline: ['home', 'away', 'draw'],
  spread: ['home', 'away'],
  total: ['over', 'under'],
};

function checkQuote({ book, type, side, line, probability, weight = 1 }: FairQuote, index: number): void {
  const name = `quote ${index + 1}, ${book} ${type} ${side} ${line ?? ''}`.trim();
  if (!(SIDES[type] as readonly string[] | undefined)?.includes(side))
    throw new RangeError(`${name}: expected a moneyline, spread or total with one of its sides`);
  if (!(probability > 0 && probability < 1)) throw new RangeError(`${name}: expected a probability, 0 to 1`);
  if (!(weight >= 0 && Number.isFinite(weight))) throw new RangeError(`${name}: expected a weight, at least 0`);
  if (type !== 'moneyline' && !(line !== undefined && Number.isInteger(line * 4)))
    throw new RangeError(`${name}: expected a line in quarters`);
}
