// The table of fills: one set of columns for `fills.csv` of a backtest and for `export --what fills` of a
// journal. Money is dollars, prices are probabilities of the side that was backed; none of them is rounded.
import { MARKOUT_SECONDS } from '../domain/index.ts';
import { closeOf, markoutOf, ownPriceOf } from './fill-figures.ts';
import type { RunFill } from './run-fill.ts';

/** The kind of a column. `money`: dollars; `price`: a probability. */
export type FillKind = 'text' | 'time' | 'money' | 'price' | 'number' | 'flag';
export type FillColumn = { readonly name: string; readonly kind: FillKind };
/** A value of a row. Undefined: not known, or there is none. */
export type FillCell = string | number | boolean | undefined;

/** A fill and the run that booked it. `isOwn`: an order of a bot made it. */
export type BookedFill = { readonly fill: RunFill; readonly run: string | undefined; readonly isOwn: boolean };

const kindOf = (kind: FillKind, ...names: readonly string[]): readonly FillColumn[] =>
  names.map((name) => ({ name, kind }));

/** All columns, in their order. New ones are added at the end. */
export const FILL_COLUMNS: readonly FillColumn[] = [
  ...kindOf('text', 'scenario'),
  ...kindOf('time', 'time'),
  ...kindOf('text', 'game', 'event', 'market', 'side'),
  ...kindOf('number', 'odds'),
  ...kindOf('money', 'risk', 'win'),
  ...kindOf('price', 'fair', 'fair_60s'),
  ...kindOf('text', 'strategy', 'order', 'tx', 'role'),
  ...kindOf('number', 'age_ms'),
  ...kindOf('money', 'queue_placed', 'queue_filled'),
  ...kindOf('text', 'reason'),
  ...kindOf('money', 'position_first', 'position_second'),
  ...kindOf('price', 'f0', 'fc'),
  ...kindOf('money', ...MARKOUT_SECONDS.map((seconds) => `markout_${seconds}s`), 'markout_close'),
  ...kindOf('money', 'settled'),
  ...kindOf('flag', 'in_play'),
  ...kindOf('text', 'type'),
  ...kindOf('number', 'line'),
  ...kindOf('text', 'league', 'period'),
  ...kindOf('price', 'own_fair', 'price'),
  ...kindOf('text', 'run'),
  ...kindOf('flag', 'own'),
];

/** The cells of a fill, in the order of FILL_COLUMNS. */
export function fillCells(scenario: string, { fill, run, isOwn }: BookedFill): readonly FillCell[] {
  const { risk, payout, market, position } = fill;
  return [
    ...[scenario, Math.round(fill.t), fill.gameId, fill.eventName, market.id, fill.side, fill.odds],
    ...[money(risk), money(payout - risk), fill.mark, fill.markLater],
    ...[fill.strategy, fill.ref, fill.txId, fill.role, fill.ageMs],
    ...[money(fill.queuePlaced), money(fill.queueFilled), fill.reason],
    ...[money(position.first), money(position.second), fill.f0, fill.fc],
    ...MARKOUT_SECONDS.map((seconds) => money(markoutOf(fill, seconds))),
    ...[money(closeOf(fill)), money(fill.profit), fill.isInPlay],
    ...[market.type, market.line, fill.league === '' ? undefined : fill.league, fill.period],
    ...[fill.own?.f0, payout === 0 ? undefined : ownPriceOf(fill), run, isOwn],
  ];
}

/** Micro-dollars as dollars. */
const money = (micros: number | undefined): number | undefined => (micros === undefined ? undefined : micros / 1e6);
