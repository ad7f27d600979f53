// The sums of a run while it goes on: over all its fills and by what they have in common, as the report has them. A fill that
// becomes known better is taken out and added again, by the same functions that a report adds it by. What is kept grows with
// groups, and with fills only up to a bound: sums stay, rows go.
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

/** `told`: without markouts, which are never taken back. */
type Kept = {
  readonly phase: PhaseSums;
  readonly groups: readonly GroupSums[];
  told: FillPrices;
  picked: PickedOff | 'unknown';
  /** How many markouts are in the sums. */
  markouts: number;
};

/** Why a fill was a bad one: `no`: it was none; undefined: not known before a minute is over. */
export type PickedOff = 'latency' | 'pricing' | 'no';
export function pickedOffSoFar(fill: FillPrices & Pick<RunFill, 'past' | 'own'>): PickedOff | undefined {
  const why = pickedOffOf(fill);
  return why === 'rest' ? 'no' : why === 'unknown' ? undefined : why;
}

const NO_MARKOUTS: readonly never[] = [];
const NOTHING = { f0: undefined, fc: undefined, later: NO_MARKOUTS, profit: undefined, commission: 0 };

/** Fills whose figures may still change. */
const MOST_KEPT = 40_000;
/** Ways in which fills are alike. */
const MOST_LISTS = 5000;

type Groups = Readonly<Record<AttributionName, Map<string, GroupSums>>>;
/** Of one phase. */
type PhaseSums = {
  readonly all: GroupSums;
  readonly sums: GrowingSums;
  readonly picked: Record<PickedOff | 'unknown', number>;
  readonly groups: Groups;
  /** Those of a fill, by their keys: shared by fills that are alike. */
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

  /** Another one whenever a sum changed. */
  get version(): number {
    return this.#version;
  }

  /** Fills that were not settled when their figures could be kept no longer: what they bring is in no sum. */
  get lost(): number {
    return this.#lost;
  }

  /** It is new, or something became known of it. */
  put(id: string, fill: RunFill): void {
    const { risk, payout, isInPlay, f0, fc, profit, commission } = fill;
    const told = { risk, payout, isInPlay, f0, fc, later: NO_MARKOUTS, profit, commission };
    const kept = this.#kept.get(id) ?? this.#add(id, fill);
    this.#replace(kept, told);
    for (const group of kept.groups) addMarkoutsToGroup(group, fill, kept.markouts);
    kept.markouts = addLateMarkouts(kept.phase.sums, fill, kept.markouts);
    const { picked } = kept.phase;
    picked[kept.picked] -= 1;
    kept.picked = pickedOffSoFar(fill) ?? 'unknown';
    picked[kept.picked] += 1;
  }

  /** Its game was settled; undefined: that was taken back. */
  settle(id: string, profit: number | undefined, commission = 0): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) this.#replace(kept, { ...kept.told, profit, commission });
  }

  #add(id: string, fill: RunFill): Kept {
    const phase = this.#phases[phaseOf(fill)];
    const keys = ATTRIBUTIONS.map((by) => ATTRIBUTION_KEYS[by](fill));
    const groups = this.#groupsOf(phase, keys);
    const { risk, payout, isInPlay } = fill;
    const kept: Kept = {
      phase,
      groups,
      told: { ...NOTHING, risk, payout, isInPlay },
      picked: 'unknown',
      markouts: 0,
    };
    this.#kept.set(id, kept);
    phase.picked.unknown += 1;
    this.#count(kept, 1);
    const [oldest] = this.#kept;
    if (this.#kept.size > this.#most && oldest !== undefined) {
      this.#kept.delete(oldest[0]);
      if (oldest[1].told.profit === undefined) this.#lost += 1;
    }
    return kept;
  }

  /** One list for all fills that are counted in the same groups. */
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

  #replace(kept: Kept, told: FillPrices): void {
    this.#count(kept, -1);
    kept.told = told;
    this.#count(kept, 1);
  }

  #count({ phase, groups, told }: Kept, sign: 1 | -1): void {
    this.#version += 1;
    for (const group of groups) addToGroup(group, told, sign);
    addFill(phase.sums, told, sign);
  }

  /** Of all fills, micro-dollars. */
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

  /** How many fills. */
  get pickedOff(): Readonly<Record<PickedOff | 'unknown', number>> {
    const { prematch, inplay } = this.#phases;
    return addedSums(prematch.picked, inplay.picked);
  }

  pickedOffIn(phase: Phase): Readonly<Record<PickedOff | 'unknown', number>> {
    return { ...this.#phases[phase].picked };
  }

  /** Of one phase; undefined: of both together. */
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
