// `defineStrategy`: a strategy is a name, a schema of its parameters, and an RxJS operator from views to intents.
import type { OperatorFunction, SchedulerLike } from 'rxjs';
import { z } from 'zod';
import type { QuoteIntent } from '../domain/index.ts';
import { centsOfDollars, toOdds } from '../domain/index.ts';
import type { MarketView, Signals } from './view.ts';

/** What `create` is given: once for each instance. */
export type StrategyContext<Params> = {
  /** Parsed by the schema of the strategy; the same frozen object in all instances. */
  readonly params: Params;
  /** Give it to every time operator (`debounceTime(200, scheduler)`): other timers emit outside a dispatch, which is refused. */
  readonly scheduler: SchedulerLike;
  /** Numbers from outside. */
  readonly signals: Signals;
  /** A constant sentence and fields, into the bot's log. */
  readonly log: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
};

/** A strategy, as its file exports it by default. */
export type Strategy<Schema extends z.ZodType = z.ZodType> = {
  readonly name: string;
  /** Schema of `params` in the YAML file. */
  readonly params: Schema;
  /** `market` (default): one instance per market; `game`: one per game, which gets the views of all its markets. */
  readonly scope?: 'market' | 'game';
  /**
   * Makes one instance. The returned operator is subscribed once; `views$` completes when the market (or the game's last
   * market) closes. Completing, throwing or overrunning pulls the quotes of the instance.
   */
  readonly create: (context: StrategyContext<z.output<Schema>>) => OperatorFunction<MarketView, QuoteIntent>;
};

/** The default export of a strategy file: types what it is given, and changes nothing. */
export const defineStrategy = <Schema extends z.ZodType>(strategy: Strategy<Schema>): Strategy<Schema> => strategy;

/** A parameter in dollars (at least a cent, at most 1000.00: the exchange's largest order), handed over as integer cents. */
export const dollars = z.number().min(0.01).max(1000).transform(centsOfDollars);

/** Dollars without the size of one order as a bound (limits of inventory, say), handed over as integer cents. */
export const dollarAmount = z.number().min(0).max(1e9).transform(centsOfDollars);

/** A parameter in American odds: at most one decimal, 100 ≤ |odds| ≤ 100000. */
export const americanOdds = z.number().transform((value, context) => {
  const odds = toOdds(value);
  if (odds !== undefined) return odds;
  context.addIssue({
    code: 'custom',
    message: `expected American odds such as -110 or 105, received ${value}`,
  });
  return z.NEVER;
});
