// Keeps the sums of a run while it runs: over all fills and by group, as the report has them. When more is
// known of a fill, it is removed from the sums and added again, by the functions of the report. Memory grows
// with the groups, and with fills only up to a bound: then the oldest rows are dropped and the sums stay.
import { eachPhase, phaseOf } from '../domain/index.ts';
import type { Phase } from '../domain/index.ts';
import type { AttributionName, AttributionRow, GroupSums } from './attribution.ts';
import {
  addMarkoutsToGroup,
  addToGroup,
  ATTRIBUTION_KEYS,
  ATTRIBUTIONS,
  attributionRows,
  noSums,
} from './attribution.ts';
import type { FillPrices, FillSums, GrowingSums } from './fill-figures.ts';
import { addedSums, addFill, addLateMarkouts, noFillSums } from './fill-figures.ts';
import type { RunFill } from './run-fill.ts';
import { pickedOffOf } from './scenario.ts';

/**
 * A fill in the sums. `summed`: the prices it was added with, without markouts, which are never withdrawn.
 */
type Kept = {
  readonly phase: PhaseSums;
  readonly groups: readonly GroupSums[];
  summed: FillPrices;
  picked: PickedOff | 'unknown';
  /** Number of its markouts in the sums. */
  markouts: number;
};

/** Why a fill lost value; `no`: it did not. Undefined: not known before a minute has passed. */
export type PickedOff = 'latency' | 'pricing' | 'no';
export function pickedOffSoFar(fill: FillPrices & Pick<RunFill, 'past' | 'own'>): PickedOff | undefined {
  const why = pickedOffOf(fill);
  return why === 'rest' ? 'no' : why === 'unknown' ? undefined : why;
}

const NO_MARKOUTS: readonly never[] = [];
const NOTHING = { f0: undefined, fc: undefined, later: NO_MARKOUTS, profit: undefined, commission: 0 };

/** Most fills whose figures may still change. */
const MOST_KEPT = 40_000;
/** Most combinations of group keys. */
const MOST_LISTS = 5000;

type Groups = Readonly<Record<AttributionName, Map<string, GroupSums>>>;
/** Sums of one phase. */
type PhaseSums = {
  readonly all: GroupSums;
  readonly sums: GrowingSums;
  readonly picked: Record<PickedOff | 'unknown', number>;
  readonly groups: Groups;
  /** The groups of a fill by their keys; fills with equal keys share one list. */
  readonly lists: Map<string, readonly GroupSums[]>;
};

const noPhaseSums = (): PhaseSums => ({
  all: noSums(),
  sums: noFillSums(),
  picked: { latency: 0, pricing: 0, no: 0, unknown: 0 },
  groups: Object.fromEntries(ATTRIBUTIONS.map((by) => [by, new Map<string, GroupSums>()])) as Groups,
  lists: new Map(),
});

export class RunSums {
  readonly #kept = new Map<string, Kept>();
  readonly #phases = eachPhase(noPhaseSums);
  readonly #most: number;
  #lost = 0;
  #version = 0;

  constructor(most = MOST_KEPT) {
    this.#most = most;
  }

  /** Changes whenever a sum changes. */
  get version(): number {
    return this.#version;
  }

  /** Number of fills dropped before they were settled: their result is in no sum. */
  get lost(): number {
    return this.#lost;
  }

  /** Adds a new fill, or updates a changed one. */
  put(id: string, fill: RunFill): void {
    const { risk, payout, isInPlay, f0, fc, profit, commission } = fill;
    const prices = { risk, payout, isInPlay, f0, fc, later: NO_MARKOUTS, profit, commission };
    const kept = this.#kept.get(id) ?? this.#add(id, fill);
    this.#replace(kept, prices);
    for (const group of kept.groups) addMarkoutsToGroup(group, fill, kept.markouts);
    kept.markouts = addLateMarkouts(kept.phase.sums, fill, kept.markouts);
    const { picked } = kept.phase;
    picked[kept.picked] -= 1;
    kept.picked = pickedOffSoFar(fill) ?? 'unknown';
    picked[kept.picked] += 1;
  }

  /** Settles a fill. Undefined profit: its settlement was withdrawn. */
  settle(id: string, profit: number | undefined, commission = 0): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) this.#replace(kept, { ...kept.summed, profit, commission });
  }

  #add(id: string, fill: RunFill): Kept {
    const phase = this.#phases[phaseOf(fill)];
    const keys = ATTRIBUTIONS.map((by) => ATTRIBUTION_KEYS[by](fill));
    const groups = this.#groupsOf(phase, keys);
    const { risk, payout, isInPlay } = fill;
    const kept: Kept = {
      phase,
      groups,
      summed: { ...NOTHING, risk, payout, isInPlay },
      picked: 'unknown',
      markouts: 0,
    };
    this.#kept.set(id, kept);
    phase.picked.unknown += 1;
    this.#count(kept, 1);
    const [oldest] = this.#kept;
    if (this.#kept.size > this.#most && oldest !== undefined) {
      this.#kept.delete(oldest[0]);
      if (oldest[1].summed.profit === undefined) this.#lost += 1;
    }
    return kept;
  }

  /** The one list for all fills with the same groups. */
  #groupsOf(phase: PhaseSums, keys: readonly string[]): readonly GroupSums[] {
    const id = JSON.stringify(keys);
    let groups = phase.lists.get(id);
    if (groups === undefined) {
      groups = [phase.all, ...ATTRIBUTIONS.map((by, index) => groupIn(phase.groups[by], keys[index] ?? ''))];
      if (phase.lists.size >= MOST_LISTS) phase.lists.clear();
      phase.lists.set(id, groups);
    }
    return groups;
  }

  #replace(kept: Kept, prices: FillPrices): void {
    this.#count(kept, -1);
    kept.summed = prices;
    this.#count(kept, 1);
  }

  #count({ phase, groups, summed }: Kept, sign: 1 | -1): void {
    this.#version += 1;
    for (const group of groups) addToGroup(group, summed, sign);
    addFill(phase.sums, summed, sign);
  }

  /** Sums of all fills, micro-dollars. */
  get all(): Readonly<GroupSums> {
    const { prematch, inplay } = this.#phases;
    return addedSums(prematch.all, inplay.all);
  }

  get sums(): FillSums {
    const { prematch, inplay } = this.#phases;
    return addedSums<FillSums>(prematch.sums, inplay.sums);
  }

  sumsIn(phase: Phase): FillSums {
    return this.#phases[phase].sums;
  }

  /** Number of fills by cause. */
  get pickedOff(): Readonly<Record<PickedOff | 'unknown', number>> {
    const { prematch, inplay } = this.#phases;
    return addedSums(prematch.picked, inplay.picked);
  }

  pickedOffIn(phase: Phase): Readonly<Record<PickedOff | 'unknown', number>> {
    return { ...this.#phases[phase].picked };
  }

  /** Attribution of one phase. Undefined phase: both together. */
  attribution(by: AttributionName, phase?: Phase): readonly AttributionRow[] {
    if (phase !== undefined) return attributionRows(this.#phases[phase].groups[by], by);
    const { prematch, inplay } = this.#phases;
    const both = new Map<string, GroupSums>(prematch.groups[by]);
    for (const [key, sums] of inplay.groups[by]) {
      const early = both.get(key);
      both.set(key, early === undefined ? sums : addedSums(early, sums));
    }
    return attributionRows(both, by);
  }
}

function groupIn(groups: Map<string, GroupSums>, key: string): GroupSums {
  let group = groups.get(key);
  if (group === undefined) groups.set(key, (group = noSums()));
  return group;
}
