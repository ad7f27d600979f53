// Makes page rows of fills, markets and orders.
import type { GamePart } from '../domain/index.ts';
import { MARKOUT_SECONDS, namedGame, partText, redacted, redactedValues } from '../domain/index.ts';
import type { MarketStatus, AccountOrder } from '../engine/index.ts';
import { cents, markoutOf, pickedOffSoFar, positionBefore } from '../run/index.ts';
import type { RunFill } from '../run/index.ts';
import type { FillRowView, MarketRowView, OrderRow, PlaceView, SelectView } from './state.ts';

/** Returns the part of the game that a market is on: `full` for the whole game. */
export const periodOf = (game: GamePart | undefined): string =>
  (game === undefined ? undefined : partText(game)) ?? 'full';

/** Makes the row of a fill. */
export function fillRow(fill: RunFill, period = 'full'): FillRowView {
  const { market, side, risk, payout, t, f0, fc, profit, position, ageMs, queuePlaced, queueFilled } = fill;
  const before = positionBefore(fill);
  const markouts = MARKOUT_SECONDS.flatMap((seconds) => {
    const money = markoutOf(fill, seconds);
    return money === undefined ? [] : [[seconds, dollarsOf(money)] as const];
  });
  const money = (micros: number | undefined): number | null => (micros === undefined ? null : dollarsOf(micros));
  return {
    t,
    market: market.id,
    game: namedGame(fill.eventName, fill.start),
    side,
    type: market.type,
    line: market.line ?? null,
    period,
    strategy: fill.strategy ?? null,
    ref: fill.ref ?? null,
    role: fill.role ?? null,
    odds: americanOf(risk / payout),
    risk: dollarsOf(risk),
    payout: dollarsOf(payout),
    f0: shown(f0),
    fc: shown(fc),
    markouts: Object.fromEntries(markouts),
    profit: money(profit),
    ageMs: ageMs === undefined ? null : Math.round(ageMs),
    reason: wordsOf(fill.reason),
    ahead: money(queuePlaced),
    aheadAtFill: money(queueFilled),
    before: [cents(dollarsOf(before.first)), cents(dollarsOf(before.second))],
    after: [cents(dollarsOf(position.first)), cents(dollarsOf(position.second))],
    pickedOff: pickedOffSoFar(fill) ?? null,
  };
}

/** Returns a text of a strategy without secrets. */
const wordsOf = (text: string | undefined): string | null => (text === undefined ? null : redacted(text));

const shown = (probability: number | undefined): number | null =>
  probability === undefined ? null : Math.round(probability * 1e4) / 1e4;
/** Converts micro-dollars to dollars. */
export const dollarsOf = (micros: number): number => micros / 1e6;

/** Converts a probability to American odds, rounded to a tenth as the exchange does. */
const americanOf = (p: number): number => Math.round(10 * (p > 0.5 ? (-100 * p) / (1 - p) : (100 * (1 - p)) / p)) / 10;

/** Makes the row of a market. @param markout sum over its fills, micro-dollars */
export function rowOf(market: MarketStatus, t: number, markout: number | undefined): Omit<MarketRowView, 'period'> {
  const { position, freshness, best, elsewhere } = market;
  return {
    game: market.game ?? market.gameId,
    gameId: market.gameId,
    league: market.league ?? null,
    start: market.start ?? null,
    live: market.live,
    type: market.type,
    line: market.line ?? null,
    sides: market.sides,
    quoted: market.quoted,
    fair: shown(market.fair),
    outside: Object.fromEntries(Object.entries(market.outside).map(([source, p]) => [source, shown(p) ?? 0])),
    first: best[0] ?? null,
    second: best[1] ?? null,
    fresh: freshness ?? null,
    slots: market.slots.map(({ waits, control, reason, ...slot }) => ({
      ...slot,
      control: control ?? null,
      reason: wordsOf(reason),
      cause: waits?.cause ?? null,
      value: waits === undefined ? null : cents(waits.value),
      since: waits === undefined ? null : Math.round((t - waits.ms) / 100) * 100,
    })),
    own: market.orders.map(({ ref, strategy, side, odds, remaining, status, sentAt, ahead, rank }) => ({
      ref,
      strategy,
      side,
      odds,
      remaining: cents(remaining),
      status,
      sentAt,
      ahead: cents(ahead),
      rank,
    })),
    said: redactedValues(market.said),
    select: selectView(market.select),
    position: [cents(position.first), cents(position.second), cents(position.staked)],
    worst: cents(Math.min(0, position.first, position.second)),
    elsewhere: elsewhere === undefined ? null : [cents(elsewhere.first), cents(elsewhere.second), elsewhere.isExpired],
    worstOfGame: cents(market.worstOfGame),
    worstWithParts: cents(market.worstWithParts),
    markout: markout === undefined ? null : cents(markout / 1e6),
  };
}

function selectView(select: MarketStatus['select']): SelectView | null {
  if (select === undefined) return null;
  const { isSelected: selected, rank = null, gate = null, reason = null, takes, requotes } = select;
  const [value, perPermit] = [cents(select.value), cents(select.perPermit)];
  return { selected, rank, gate, value, perPermit, takes: tenths(takes), requotes: tenths(requotes), reason };
}

const tenths = (value: number): number => Math.round(10 * value) / 10;

/** Makes the row of an own order. */
export function orderRow(order: AccountOrder): Omit<OrderRow, keyof PlaceView> {
  const { orderId, strategy, market, side, odds, risk, filled, mayFill, status, sentAt } = order;
  return {
    orderId: orderId ?? null,
    strategy,
    market,
    side,
    odds,
    risk,
    filled: cents(filled),
    mayFill: cents(mayFill),
    status,
    sentAt,
    placing: order.placing,
    linkedBy: order.linkedBy ?? null,
    former: order.isOfFormerRun,
  };
}
