// The book of one two-way market, from the sizes of its two runners. An offer to back a runner backs its
// side; an offer to lay it backs the other side: laying at decimal odds p against a backer's stake s risks
// s·(p − 1) at odds p / (p − 1).
import type { AmericanOdds, Rung } from '../domain/index.ts';
import { oddsOf, toRung, elementAt } from '../domain/index.ts';
import type { Level, LevelOrder } from './level-orders.ts';
import { applySize } from './level-orders.ts';
import type { RunnerKey } from './market-kind.ts';
import type { List, SizeChange } from './runner-sizes.ts';
import { RunnerSizes } from './runner-sizes.ts';
import type { RunnerChange } from './stream-line.ts';

type Which = 0 | 1;
const BOTH: readonly Which[] = [0, 1];

/** Stakes in dollars: traded, and the part of it that was found in offers. */
export type TradeCount = { traded: number; found: number };

export type BookChange = {
  /** The sides that changed: 0 for the first runner, 1 for the second. */
  readonly sides: ReadonlySet<Which>;
  /** Orders that were taken in full, by side. */
  readonly spent: readonly [readonly LevelOrder[], readonly LevelOrder[]];
};

export class TwoWayBook {
  readonly runners: readonly [RunnerKey, RunnerKey];
  readonly trades: TradeCount = { traded: 0, found: 0 };
  readonly #prefix: string;
  readonly #sizes = [new RunnerSizes(), new RunnerSizes()] as const;
  /**
   * Levels of each side by list and price. Sizes to lay belong to the runner's own side, sizes to back to the
   * other side.
   */
  readonly #levels: readonly [Map<string, Level>, Map<string, Level>] = [new Map(), new Map()];
  #orders = 0;

  /** @param prefix the first part of its orders' ids */
  constructor(runners: readonly [RunnerKey, RunnerKey], prefix: string) {
    this.runners = runners;
    this.#prefix = prefix;
  }

  /** Applies all changes of one message. `isImage`: what it omits is gone. `createdAt`: ISO time. */
  applyChanges(
    changes: readonly [readonly RunnerChange[], readonly RunnerChange[]],
    isImage: boolean,
    createdAt: string,
  ): BookChange {
    const found = BOTH.map((which) => this.#sizes[which].applyChanges(changes[which], isImage)) as [
      ReturnType<RunnerSizes['applyChanges']>,
      ReturnType<RunnerSizes['applyChanges']>,
    ];
    const takes = this.#takesIn(found);
    const sides = new Set<Which>();
    const spent: [LevelOrder[], LevelOrder[]] = [[], []];
    for (const which of BOTH) {
      const touched = new Map(found[which].sizes.map((change) => [keyOf(change), change]));
      for (const [key, stake] of takes[which])
        if (stake > 0 && !touched.has(key)) touched.set(key, this.#unchanged(which, key));
      for (const [key, change] of touched) {
        const side = sideOf(which, change.list);
        const level = this.#levelAt(side, key, change);
        if (level === undefined) continue;
        sides.add(side);
        level.isHidden = change.isHidden;
        if (change.isHidden) continue;
        const taken = riskOf(change.list, change.price, takes[which].get(key) ?? 0);
        const wanted = riskOf(change.list, change.price, change.after);
        spent[side].push(...applySize(level, wanted, taken, (risk) => this.#make(level, risk, createdAt)));
        if (level.orders.length === 0) this.#levels[side].delete(key);
      }
    }
    return { sides, spent };
  }

  /** The offers of a side, best for the taker first, at most `depth`. */
  rows(side: Which, depth: number): readonly LevelOrder[] {
    const levels = [...this.#levels[side].values()]
      .filter(({ isHidden }) => !isHidden)
      .sort((left, right) => left.rung - right.rung);
    const rows: LevelOrder[] = [];
    for (let index = 0; index < levels.length && rows.length < depth; index++) {
      const { rung } = elementAt(levels, index);
      let orders: readonly LevelOrder[] = elementAt(levels, index).orders;
      // one level comes from this runner, one from the other
      while (levels[index + 1]?.rung === rung) {
        index += 1;
        orders = [...orders, ...elementAt(levels, index).orders].sort((left, right) => left.number - right.number);
      }
      for (const order of orders) if (rows.length < depth) rows.push(order);
    }
    return rows;
  }

  #unchanged(which: Which, key: string): SizeChange {
    const [list, price] = placeOf(key);
    const size = this.#sizes[which].sizeAt(list, price);
    return { list, price, before: size, after: size, isHidden: false };
  }

  #levelAt(side: Which, key: string, { list, price }: SizeChange): Level | undefined {
    const levels = this.#levels[side];
    let level = levels.get(key);
    if (level === undefined) {
      const rung = rungAt(list, price);
      if (rung === undefined) return undefined;
      level = { rung, odds: oddsOf(rung), orders: [], left: 0, isHidden: false };
      levels.set(key, level);
    }
    return level;
  }

  #make({ rung, odds }: { readonly rung: Rung; readonly odds: AmericanOdds }, risk: number, createdAt: string) {
    this.#orders += 1;
    const id = `${this.#prefix}-${this.#orders}`;
    return { id, rung, odds, risk, untaken: risk, createdAt, number: this.#orders, row: undefined };
  }

  /**
   * The backers' stakes taken from offers that stood before, by list and price. Trades of one runner count
   * both stakes of a match. Where an offer of one runner met one of the other (cross-matching), each runner
   * counts only its own stake, and both payouts are equal.
   */
  #takesIn(
    found: readonly [ReturnType<RunnerSizes['applyChanges']>, ReturnType<RunnerSizes['applyChanges']>],
  ): readonly [Map<string, number>, Map<string, number>] {
    const takes = [new Map<string, number>(), new Map<string, number>()] as const;
    const changed = BOTH.map((which) => new Map(found[which].sizes.map((change) => [keyOf(change), change])));
    /** Payouts of trades at prices where the runner had no offer: they were met on the other runner. */
    const across = [0, 0];
    const before = (which: Which, list: List, price: number): number =>
      changed[which]?.get(`${list}${price}`)?.before ?? this.#sizes[which].sizeAt(list, price);
    const hit = (which: Which, price: number): List | undefined =>
      before(which, 'back', price) > 0 ? 'back' : before(which, 'lay', price) > 0 ? 'lay' : undefined;
    for (const which of BOTH)
      for (const [price, grown] of found[which].traded) {
        this.trades.traded += grown / 2;
        if (hit(which, price) === undefined) across[which] = (across[which] ?? 0) + grown * price;
      }
    for (const which of BOTH)
      for (const [price, grown] of found[which].traded) {
        const list = hit(which, price);
        if (list === undefined) continue;
        const key = `${list}${price}`;
        const change = changed[which]?.get(key);
        const fallen = change === undefined ? 0 : Math.max(0, change.before - change.after);
        const other = which === 0 ? 1 : 0;
        const half = grown / 2;
        const met = (across[other] ?? 0) / price / 2;
        // in a cross match the whole traded amount belongs to the offer
        const extra = met === 0 ? 0 : Math.min(Math.max(0, fallen - half), half, met + EVEN);
        across[other] = Math.max(0, (across[other] ?? 0) - 2 * extra * price);
        const stake = half + extra;
        this.trades.found += Math.min(stake, before(which, list, price));
        takes[which].set(key, stake);
      }
    return takes;
  }
}

/** Tolerance in dollars: prices are rounded to ticks, so payouts are equal only to about a cent. */
const EVEN = 0.01;

const keyOf = ({ list, price }: Pick<SizeChange, 'list' | 'price'>): string => `${list}${price}`;
const placeOf = (key: string): readonly [List, number] =>
  key.startsWith('back') ? ['back', Number(key.slice(4))] : ['lay', Number(key.slice(3))];

/**
 * The side that offers of a list back: offers behind sizes to lay back their runner, those behind sizes to
 * back lay it.
 */
const sideOf = (which: Which, list: List): Which => (list === 'lay' ? which : which === 0 ? 1 : 0);

/** The offerer's stake in cents. Prices have at most two decimals. */
function riskOf(list: List, price: number, stake: number): number {
  const ticks = Math.round(stake * 10_000);
  return Math.round(list === 'lay' ? ticks / 100 : (ticks * Math.round((price - 1) * 100)) / 10_000);
}

/** The offerer's odds, to a tenth of a point. */
function rungAt(list: List, price: number): Rung | undefined {
  const win = list === 'lay' ? price - 1 : 1 / (price - 1);
  return toRung(win >= 1 ? win * 100 : -100 / win);
}
