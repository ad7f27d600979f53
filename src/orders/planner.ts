// What to send with the permits in hand. Requests are the scarce good: k re-quotes cost k place permits as edits, or one
// cancel and one place permit as cancelMultiple and a batch. Nothing is queued: what is not sent now is decided anew when
// the next input comes. A pure decision; the manager turns it into commands.
import type { OwnOrder } from './ledger.ts';
import type { Need } from './needs.ts';
import type { Target } from './targets.ts';

export type Purse = {
  /** Permits in hand that may be spent. */
  readonly place: number;
  readonly cancel: number;
  /** Orders that rest or may rest: the reserve is for them, so it is never larger than their number. */
  readonly resting: number;
};

export type PlanLimits = {
  /** Place permits of one whole window. */
  readonly permits: number;
  /** Place permits kept for quotes that are too generous. */
  readonly reserve: number;
  readonly maxOrdersPerPlace: number;
  readonly maxIdsPerCancel: number;
};

export type Plan = {
  readonly cancels: readonly (readonly OwnOrder[])[];
  readonly edits: readonly { readonly order: OwnOrder; readonly target: Target }[];
  readonly places: readonly (readonly Target[])[];
};

type Move = Extract<Need, { type: 'move' }>;
type Place = Extract<Need, { type: 'place' }>;

/**
 * Pacing: a window spent in one burst leaves nothing for the rest of it. Moves that can wait leave this share of a
 * window's permits alone, or what `reserve` says if that is more.
 */
const PACE = { generous: 0.2, shy: 0.4 };
/** Moves go as edits as long as they take at most this share of the permits that they may use … */
const EDIT_SHARE = 1 / 3;
/** … or are so few that cancelling and placing them together would save no permit worth a naked market. */
const FEW = 2;

export function planRequests(needs: readonly Need[], purse: Purse, limits: PlanLimits): Plan {
  const cancels: OwnOrder[] = [];
  const dangerous: Move[] = [];
  const generous: Move[] = [];
  const shy: Move[] = [];
  const places: Place[] = [];
  for (const need of needs) {
    if (need.type === 'cancel') cancels.push(need.order);
    else if (need.type === 'place') places.push(need);
    else if (need.dangerous) dangerous.push(need);
    else if (need.generous) generous.push(need);
    else shy.push(need);
  }
  const reserve = Math.min(limits.reserve, purse.resting);
  let permits = purse.place;
  const edits: Move[] = [];
  /** Edits what it can without touching the last `keep` permits; returns what has to wait. */
  const edit = (moves: Move[], keep: number): readonly Move[] => {
    const affordable = Math.max(0, Math.floor(permits - keep));
    const batching = moves.length > FEW && moves.length > affordable * EDIT_SHARE;
    if (batching && purse.cancel > 0) return moves;
    const now = moves.sort(byValue).slice(0, affordable);
    permits -= now.length;
    edits.push(...now);
    return moves.slice(now.length);
  };
  const pull = (moves: readonly Move[]): void => {
    cancels.push(...moves.map((move) => move.order));
  };

  // far too generous: any permit will do, and without one it is pulled at once, through the cancel window
  pull(edit(dangerous, 0));
  // an empty slot earns nothing, but it risks nothing either
  const batches: Target[][] = [];
  places.sort(byValue);
  for (let i = 0; i < places.length && permits > reserve / 2; i += limits.maxOrdersPerPlace) {
    batches.push(places.slice(i, i + limits.maxOrdersPerPlace).map((need) => need.target));
    permits -= 1;
  }
  // a little too generous, then too shy: these wait for a permit; many of them move together, as a cancel and a batch
  for (const { moves, keep } of [
    { moves: generous, keep: Math.max(reserve / 2, limits.permits * PACE.generous) },
    { moves: shy, keep: Math.max(reserve, limits.permits * PACE.shy) },
  ]) {
    const waiting = edit(moves, keep);
    if (waiting.length > FEW && permits > keep) pull(waiting);
  }

  return { cancels: chunks(cancels, limits.maxIdsPerCancel).slice(0, purse.cancel), edits, places: batches };
}

const byValue = (a: Need, b: Need): number => b.value - a.value;

function chunks<T>(list: readonly T[], size: number): T[][] {
  const out: T[][] = [];
  for (let i = 0; i < list.length; i += size) out.push(list.slice(i, i + size));
  return out;
}
