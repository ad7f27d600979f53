// Decides which markets are quoted under `markets.select`: those that bring most per place permit. Invariants:
// a market changes at most once in `LEAST_STAY_MS`; equal inputs give equal decisions, ties go by market id;
// a market that enters is never above `most`.
import type { MarketId } from '../domain/index.ts';
import type { Gate } from './market-gates.ts';

/** How often markets are ranked. */
export const RANK_EVERY_MS = 10_000;
/** How long a market stays selected, or left out, at least. */
export const LEAST_STAY_MS = 60_000;
/** A market enters above this many times the price to beat, and leaves below the other. */
const HYSTERESIS = { enter: 1.25, leave: 0.8 } as const;
/** A gate must be closed in this many rankings in a row before a selected market leaves. */
const CLOSED_RANKINGS = 2;
/**
 * The largest part of the selected markets that leaves in one ranking because permits cost more: the price
 * falls with each, and equal markets would otherwise leave together.
 */
const LEAVING_SHARE = 1 / 4;

/** A market before a ranking. */
export type Ranked = {
  readonly id: MarketId;
  /** What it brings per place permit, dollars. */
  readonly perPermit: number;
  /** The gate that is closed now. */
  readonly gate: Gate | undefined;
  /** The number of rankings in a row in which a gate was closed, this one included. */
  readonly closed: number;
  readonly isSelected: boolean;
  /** When it was last selected or left out, monotonic ms. −Infinity when it never was. */
  readonly changedAt: number;
};

/** @returns the markets with open gates, best first; and the ids of those to quote */
export function rankMarkets(
  markets: readonly Ranked[],
  { most, price, now }: { readonly most: number; readonly price: number; readonly now: number },
): { readonly inOrder: readonly MarketId[]; readonly selected: ReadonlySet<MarketId> } {
  const ranked = markets.toSorted((a, b) => b.perPermit - a.perPermit || (a.id < b.id ? -1 : 1));
  const kept = ranked.filter((market) => market.isSelected && !(isFree(market, now) && hasClosed(market)));
  const free = kept.filter((market) => isFree(market, now));
  const cheap = free.filter(({ perPermit }) => perPermit < price * HYSTERESIS.leave);
  const atOnce = Math.max(1, Math.floor(kept.length * LEAVING_SHARE));
  // both are the last of the free ones
  const leaving = Math.max(kept.length - most, Math.min(cheap.length, atOnce), 0);
  const left = new Set(free.splice(Math.max(0, free.length - leaving)));
  const staying = kept.filter((market) => !left.has(market));
  const selected = new Set(staying.map(({ id }) => id));
  for (const market of ranked) {
    const mayEnter = !market.isSelected && market.gate === undefined && isFree(market, now);
    if (!mayEnter || (price > 0 && market.perPermit <= price * HYSTERESIS.enter)) continue;
    if (selected.size >= most) {
      const last = free.at(-1);
      if (last === undefined || market.perPermit <= last.perPermit * HYSTERESIS.enter) break;
      selected.delete(last.id);
      free.pop();
    }
    selected.add(market.id);
  }
  return { inOrder: ranked.filter(({ gate }) => gate === undefined).map(({ id }) => id), selected };
}

const isFree = ({ changedAt }: Ranked, now: number): boolean => now - changedAt >= LEAST_STAY_MS;
const hasClosed = ({ gate, closed }: Ranked): boolean => gate !== undefined && closed >= CLOSED_RANKINGS;
