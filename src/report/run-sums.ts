// The sums of a run while it goes on: over all its fills and by what they have in common, as the report has them. A fill that
// becomes known better is taken out and added again, by the same functions that a report adds it by. What is kept grows with
// groups, and with fills only up to a bound: sums stay, rows go.
import type { AttributionName, AttributionRow, GroupSums } from './attribution.ts';
import { addToGroup, ATTRIBUTION_KEYS, ATTRIBUTIONS, attributionRows, noSums } from './attribution.ts';
import type { FillPrices, FillSums } from './fill-figures.ts';
import { MARKOUT_SECONDS, markoutOf, sumsOf } from './fill-figures.ts';
import type { ReportFill } from './report-fill.ts';
import { pickedOffOf } from './scenario.ts';

/** `told`: without markouts, which are never taken back. */
type Kept = {
  readonly groups: readonly GroupSums[];
  told: FillPrices;
  picked: PickedOff | 'unknown';
  /** How many markouts are in the sums. */
  markouts: number;
};

/** Why a fill was a bad one: `no`: it was none; undefined: not known before a minute is over. */
export type PickedOff = 'latency' | 'pricing' | 'no';
export function pickedOffSoFar(fill: FillPrices & Pick<ReportFill, 'past' | 'own'>): PickedOff | undefined {
  const why = pickedOffOf(fill);
  return why === 'rest' ? 'no' : why === 'unknown' ? undefined : why;
}

const NO_MARKOUTS: readonly never[] = [];
const NOTHING = { f0: undefined, fc: undefined, later: NO_MARKOUTS, profit: undefined, commission: 0 };

/** Fills whose figures may still change. */
const MOST_KEPT = 40_000;

export class RunSums {
  readonly #kept = new Map<string, Kept>();
  readonly #all = noSums();
  readonly #sums = new AllSums();
  readonly #picked = { latency: 0, pricing: 0, no: 0, unknown: 0 };
  readonly #groups = Object.fromEntries(
    ATTRIBUTIONS.map((by) => [by, new Map<string, GroupSums>()]),
  ) as Readonly<Record<AttributionName, Map<string, GroupSums>>>;
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
  put(id: string, fill: ReportFill): void {
    const { risk, payout, f0, fc, profit, commission } = fill;
    const told = { risk, payout, f0, fc, later: NO_MARKOUTS, profit, commission };
    const kept = this.#kept.get(id) ?? this.#add(id, fill);
    this.#replace(kept, told);
    kept.markouts = this.#sums.addMarkouts(fill, kept.markouts);
    this.#picked[kept.picked] -= 1;
    kept.picked = pickedOffSoFar(fill) ?? 'unknown';
    this.#picked[kept.picked] += 1;
  }

  /** Its game was settled; undefined: that was taken back. */
  settle(id: string, profit: number | undefined, commission = 0): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) this.#replace(kept, { ...kept.told, profit, commission });
  }

  #add(id: string, fill: ReportFill): Kept {
    const groups = [this.#all, ...ATTRIBUTIONS.map((by) => this.#groupOf(by, ATTRIBUTION_KEYS[by](fill)))];
    const told = { ...NOTHING, risk: fill.risk, payout: fill.payout };
    const kept: Kept = { groups, told, picked: 'unknown', markouts: 0 };
    this.#kept.set(id, kept);
    this.#picked.unknown += 1;
    this.#count(kept, 1);
    const [oldest] = this.#kept;
    if (this.#kept.size > this.#most && oldest !== undefined) {
      this.#kept.delete(oldest[0]);
      if (oldest[1].told.profit === undefined) this.#lost += 1;
    }
    return kept;
  }

  #groupOf(by: AttributionName, key: string): GroupSums {
    const groups = this.#groups[by];
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = noSums()));
    return group;
  }

  #replace(kept: Kept, told: FillPrices): void {
    this.#count(kept, -1);
    kept.told = told;
    this.#count(kept, 1);
  }

  #count({ groups, told }: Kept, sign: 1 | -1): void {
    this.#version += 1;
    for (const group of groups) addToGroup(group, told, sign);
    this.#sums.add(told, sign);
  }

  /** Of all fills, micro-dollars. */
  get all(): Readonly<GroupSums> {
    return this.#all;
  }

  get sums(): FillSums {
    return this.#sums.sums;
  }

  /** How many fills. */
  get pickedOff(): Readonly<Record<PickedOff | 'unknown', number>> {
    return { ...this.#picked };
  }

  groupsBy(by: AttributionName): ReadonlyMap<string, Readonly<GroupSums>> {
    return this.#groups[by];
  }

  attribution(by: AttributionName): readonly AttributionRow[] {
    return attributionRows(this.#groups[by], by);
  }
}

/** `sumsOf` fills that come and go. */
class AllSums {
  readonly #all = { fills: 0, risk: 0, payout: 0, open: 0 };
  readonly #identity = { spread: 0, drift: 0, luck: 0, commission: 0, pnl: 0, fills: 0 };
  readonly #unpriced = { fills: 0, pnl: 0 };
  readonly #spread = { fills: 0, money: 0 };
  readonly #clv = { fills: 0, money: 0, points: 0, above: 0 };
  readonly #markouts = new Map(
    MARKOUT_SECONDS.map((seconds) => [seconds, { fills: 0, money: 0, payout: 0 }]),
  );

  add(fill: FillPrices, sign: 1 | -1): void {
    const one = sumsOf([fill]);
    addTo(this.#all, one, sign);
    addTo(this.#identity, one.identity, sign);
    addTo(this.#unpriced, one.unpriced, sign);
    addTo(this.#spread, one.spread, sign);
    const { fills, money, points, share } = one.clv;
    // means of one fill, or of none
    addTo(this.#clv, { fills, money, points, above: share }, sign);
  }

  /** Those that became known behind the first `from`. Returns how many are known: they come in their order. */
  addMarkouts(fill: FillPrices, from: number): number {
    let known = from;
    for (const [at, seconds] of MARKOUT_SECONDS.entries()) {
      const money = at < from ? undefined : markoutOf(fill, seconds);
      if (money === undefined) continue;
      known = at + 1;
      const sums = this.#markouts.get(seconds);
      if (sums !== undefined) addTo(sums, { fills: 1, money, payout: fill.payout }, 1);
    }
    return known;
  }

  get sums(): FillSums {
    const { fills, money, points, above } = this.#clv;
    const mean = (sum: number): number => (fills === 0 ? 0 : sum / fills);
    return {
      ...this.#all,
      ...{ identity: { ...this.#identity }, unpriced: { ...this.#unpriced }, spread: { ...this.#spread } },
      clv: { fills, money, points: mean(points), share: mean(above) },
      markouts: Object.fromEntries(
        [...this.#markouts].map(([seconds, sums]) => [seconds, { ...sums }]),
      ) as FillSums['markouts'],
    };
  }
}

function addTo<Key extends string>(
  sums: Record<Key, number>,
  one: Readonly<Record<NoInfer<Key>, number>>,
  sign: 1 | -1,
): void {
  for (const key of Object.keys(sums) as Key[]) sums[key] += sign * one[key];
}
