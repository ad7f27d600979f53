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
};

export type PlanLimits = {
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

/** Moves are edits as long as they take at most this share of the permits above the reserve. */
const EDIT_SHARE = 1 / 3;

export function planRequests(needs: readonly Need[], purse: Purse, limits: PlanLimits): Plan {
  const cancels: OwnOrder[] = [];
  const moves: Move[] = [];
  const places: Extract<Need, { type: 'place' }>[] = [];
  for (const need of needs) {
    if (need.type === 'cancel') cancels.push(need.order);
    else if (need.type === 'move') moves.push(need);
    else places.push(need);
  }
  moves.sort(byValue);
  places.sort(byValue);

  const edits: Move[] = [];
  const replaced: Move[] = [];
  let permits = purse.place;
  const spendable = (need: Move): number => (need.generous ? permits : permits - limits.reserve);
  const cheapByEdit = moves.length <= Math.max(1, Math.floor((permits - limits.reserve) * EDIT_SHARE));
  for (const move of moves) {
    if ((cheapByEdit || moves.length === 1) && spendable(move) >= 1) {
      edits.push(move);
      permits -= 1;
    } else if (move.generous || spendable(move) >= 1) replaced.push(move);
    // a shy quote without a permit in sight stays: it earns less, it does not lose
  }
  cancels.push(...replaced.map((move) => move.order));

  const batches: Target[][] = [];
  for (let i = 0; i < places.length && permits > limits.reserve; i += limits.maxOrdersPerPlace) {
    batches.push(places.slice(i, i + limits.maxOrdersPerPlace).map((need) => need.target));
    permits -= 1;
  }
  return { cancels: chunks(cancels, limits.maxIdsPerCancel).slice(0, purse.cancel), edits, places: batches };
}

const byValue = (a: Need, b: Need): number => b.value - a.value;

function chunks<T>(list: readonly T[], size: number): T[][] {
  const out: T[][] = [];
  for (let i = 0; i < list.length; i += size) out.push(list.slice(i, i + size));
  return out;
}
