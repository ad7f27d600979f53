// The planner that value ranking is compared with: it conflates, binds late and batches in the same way, but
// first in, first out. It keeps no reserve and cancels nothing early.
import type { Move, Need, Place, Plan, Planner, PlanLimits, PermitPool } from '../src/orders/index.ts';
import { decided } from '../src/orders/index.ts';
import { chunks } from '../src/orders/chunks.ts';

const FEW = 2;
const EDIT_SHARE = 1 / 3;

const choose = <N extends Need>(need: N): N => decided(need, 'wait', 'first in');

export const firstInFirstOut: Planner = { plan, looksAt: () => Number.POSITIVE_INFINITY };

function plan(needs: readonly Need[], pool: PermitPool, limits: PlanLimits): Plan {
  const queue = needs.toSorted((a, b) => (a.since ?? 0) - (b.since ?? 0));
  const cancels = queue.filter((need) => need.type === 'cancel').map(choose);
  const moves = queue.filter((need) => need.type === 'move');
  const batched = (places: readonly Place[]): Place[][] =>
    chunks(places, limits.maxOrdersPerPlace).map((batch) => batch.map(choose));
  const together =
    limits.maxOrdersPerPlace > 1 &&
    pool.cancel > 0 &&
    pool.place > 0 &&
    moves.length > FEW &&
    moves.length > pool.place * EDIT_SHARE;
  if (together) {
    const places = queue.filter((need) => need.type === 'place');
    return {
      cancels: [...cancels, ...moves.map(choose)],
      edits: [],
      places: batched(places).slice(0, pool.place),
    };
  }
  const edits: Move[] = [];
  const empty: Place[] = [];
  let permits = pool.place;
  for (const need of queue) {
    if (need.type === 'move' && permits > 0) {
      edits.push(choose(need));
      permits -= 1;
    } else if (need.type === 'place' && (empty.length % limits.maxOrdersPerPlace !== 0 || permits > 0)) {
      if (empty.length % limits.maxOrdersPerPlace === 0) permits -= 1;
      empty.push(need);
    }
  }
  return { cancels, edits, places: batched(empty) };
}
