// `defineStrategy`: a strategy is a name, a schema of its parameters, and an RxJS operator from views to
// intents.
import type { OperatorFunction, SchedulerLike } from 'rxjs';
import { z } from 'zod';
import type { QuoteIntent } from '../domain/index.ts';
import { centsOfDollars, toOdds } from '../domain/index.ts';
import { readQuoteTable } from '../pricing/index.ts';
import type { GameView } from './game-view.ts';
import type { StrategyLog } from './log.ts';
import type { Persist } from './persist.ts';
import type { MarketView, Signals } from './view.ts';

/** The argument of `create`, one object per instance. */
export type StrategyContext<Params> = {
  /** Parameters as parsed by the strategy's schema. One frozen object is shared by all instances. */
  readonly params: Params;
  /**
   * The scheduler for every time operator, such as `debounceTime(200, scheduler)`. Other timers emit outside
   * a dispatch, which is refused.
   */
  readonly scheduler: SchedulerLike;
  /** Numbers from outside the exchange, by name. Reading one subscribes the instance to it. */
  readonly signals: Signals;
  /** A value of this game that survives restarts. */
  readonly persist: Persist;
  /** Writes messages and series of values to the journal. */
  readonly log: StrategyLog;
};

/** A strategy: the default export of a strategy file. */
export type Strategy<Schema extends z.ZodType = z.ZodType> = {
  /** Name shown to people. */
  readonly name: string;
  /** Schema of `params` in the YAML file. */
  readonly params: Schema;
  /**
   * `market` (default): one instance per market. `game`: one instance per game, which receives a view of the
   * whole game whenever one of its markets, or of its child games' markets, changes. An intent is still for one
   * market.
   */
  readonly scope?: 'market' | 'game';
  /**
   * Makes one instance. Its quotes are withdrawn when it completes, throws or exceeds its time budget.
   * @param context parameters, scheduler, signals, persisted value and log of this instance
   * @returns an operator from views to intents, subscribed once. `views$` completes when the market (or the
   * game's last market) closes.
   */
  readonly create: (context: StrategyContext<z.output<Schema>>) => OperatorFunction<MarketView, QuoteIntent>;
};

/** A strategy that sees whole games. */
export type GameStrategy<Schema extends z.ZodType> = Omit<Strategy<Schema>, 'create' | 'scope'> & {
  /** One instance per game. */
  readonly scope: 'game';
  /**
   * Makes one instance, as that of a `Strategy`.
   * @param context parameters, scheduler, signals, persisted value and log of this instance
   * @returns an operator from views of the game to intents
   */
  readonly create: (context: StrategyContext<z.output<Schema>>) => OperatorFunction<GameView, QuoteIntent>;
};

/**
 * Types the default export of a strategy file.
 * @param strategy name, parameter schema and `create`; with `scope: 'game'` its views are of whole games
 * @returns the same object, unchanged
 */
export const defineStrategy = <Schema extends z.ZodType>(
  strategy: GameStrategy<Schema> | (Strategy<Schema> & { readonly scope?: 'market' }),
): Strategy<Schema> =>
  // the host sends views of games where the scope asks for them
  strategy as Strategy<Schema>;

/**
 * Parameter type: dollars from 0.01 to 1000.00 (the exchange's largest order). The strategy receives integer
 * cents.
 */
export const dollars = z.number().min(0.01).max(1000).transform(centsOfDollars);

/**
 * Parameter type: dollars from 0 to 1e9, for amounts that are not one order (an inventory limit, say).
 * The strategy receives integer cents.
 */
export const dollarAmount = z.number().min(0).max(1e9).transform(centsOfDollars);

/**
 * Parameter type: the table of quotes that `fit-quotes` wrote, as `{ file: quotes.json }`: how takers and prices behave
 * by league, type and distance.
 */
export const quoteTable = z.unknown().transform((value, context) => {
  const read = readQuoteTable(value);
  if (read.ok) return read.value;
  context.issues.push({ code: 'custom', input: value, message: `expected a file of fit-quotes: ${read.problem}` });
  return z.NEVER;
});

/** Parameter type: American odds with at most one decimal, 100 ≤ |odds| ≤ 100000. */
export const americanOdds = z.number().transform((value, context) => {
  const odds = toOdds(value);
  if (odds !== undefined) return odds;
  context.addIssue({
    code: 'custom',
    message: `expected American odds such as -110 or 105, received ${value}`,
  });
  return z.NEVER;
});
