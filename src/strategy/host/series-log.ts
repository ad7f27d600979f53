// The series that strategies log: the newest value of each series, until it is taken for the journal. Limits keep
// the journal small however much a strategy logs.
import type { GameId, LoggedSeries, MarketId, SeriesPoint, StrategyId } from '../../domain/index.ts';
import { printable } from '../../domain/index.ts';

const NAME = /^[A-Za-z0-9_][\w .:/%()+-]{0,39}$/;
const MOST_NAMES = 50;
/** The most series of a strategy at once: names times markets. */
const MOST_SERIES = 5000;
const INTERVAL_MS = 1000;
/** After so many values the interval of a strategy doubles. */
const VALUES_TO_DOUBLE = 20_000;

/** Where an instance quotes. `market`: undefined when it sees whole games. */
export type SeriesPlace = {
  readonly strategy: StrategyId;
  readonly game: GameId;
  readonly market: MarketId | undefined;
};

type Slot = {
  readonly place: SeriesPlace;
  readonly name: string;
  value: number;
  /** The value that was taken last. */
  taken: number | undefined;
  /** When the next value may be taken, monotonic ms. */
  nextAt: number;
};
/** What is kept of a strategy. */
type Kept = { readonly names: Set<string>; readonly reported: Set<Kind>; series: number; values: number };
type Kind = 'name' | 'value' | 'names' | 'series';

export class SeriesLog {
  readonly #slots = new Map<string, Map<string, Slot>>();
  readonly #changed = new Set<Slot>();
  readonly #kept = new Map<StrategyId, Kept>();
  readonly #reportsAll: boolean;

  /** @param reportsAll true when each dropped value is reported, as in a test */
  constructor(reportsAll = false) {
    this.#reportsAll = reportsAll;
  }

  /**
   * Logs a value. Untyped strategies may pass anything.
   * @returns why it was dropped, the first time for a reason. Undefined otherwise
   */
  log(place: SeriesPlace, name: string, value: number): string | undefined {
    let kept = this.#kept.get(place.strategy);
    if (kept === undefined)
      this.#kept.set(place.strategy, (kept = { names: new Set(), reported: new Set(), series: 0, values: 0 }));
    const problem = this.#set(kept, place, name, value);
    if (problem === undefined || (kept.reported.has(problem.kind) && !this.#reportsAll)) return undefined;
    kept.reported.add(problem.kind);
    return `log.series: ${problem.text}`;
  }

  #set(
    kept: Kept,
    place: SeriesPlace,
    name: unknown,
    value: unknown,
  ): { readonly kind: Kind; readonly text: string } | undefined {
    if (typeof name !== 'string' || !NAME.test(name))
      return {
        kind: 'name',
        text: `the name ${shown(name)} is not 1 to 40 letters, digits, spaces or _ . : / % ( ) + -, with a letter or digit first`,
      };
    if (typeof value !== 'number' || !Number.isFinite(value))
      return { kind: 'value', text: `the value of "${name}" is ${shown(value)}: expected a finite number` };
    const places = keyOf(place);
    let slots = this.#slots.get(places);
    let slot = slots?.get(name);
    if (slot === undefined) {
      if (!kept.names.has(name) && kept.names.size === MOST_NAMES)
        return { kind: 'names', text: `"${name}" is the ${MOST_NAMES + 1}st name: ${MOST_NAMES} are the most` };
      if (kept.series === MOST_SERIES)
        return { kind: 'series', text: `"${name}": ${MOST_SERIES} series in open markets are the most` };
      kept.names.add(name);
      kept.series += 1;
      if (slots === undefined) this.#slots.set(places, (slots = new Map<string, Slot>()));
      slots.set(name, (slot = { place, name, value, taken: undefined, nextAt: Number.NEGATIVE_INFINITY }));
    }
    // a journal has no negative zero
    slot.value = value + 0;
    if (slot.value === slot.taken) this.#changed.delete(slot);
    else this.#changed.add(slot);
    return undefined;
  }

  /** Takes the values that are due at `now`, monotonic ms; all that changed with `Infinity`. By place. */
  takeDue(now: number): readonly LoggedSeries[] {
    if (this.#changed.size === 0) return NONE;
    const groups = new Map<string, { readonly place: SeriesPlace; readonly points: SeriesPoint[] }>();
    for (const slot of this.#changed) {
      const { place, name, value, nextAt } = slot;
      if (now < nextAt) continue;
      this.#changed.delete(slot);
      const kept = this.#kept.get(place.strategy);
      const doubled = Math.floor((kept?.values ?? 0) / VALUES_TO_DOUBLE);
      slot.nextAt = now + INTERVAL_MS * 2 ** doubled;
      slot.taken = value;
      if (kept !== undefined) kept.values += 1;
      const key = keyOf(place);
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = { place, points: [] }));
      group.points.push({ name, value });
    }
    return [...groups.values()].map(({ place: { strategy, game, market }, points }) => ({
      ...{ strategy, game, ...(market === undefined ? {} : { market }), points },
    }));
  }

  /** Ends the series of an instance: its last values are due at once, and others may take their room. */
  close(place: SeriesPlace): void {
    const key = keyOf(place);
    const slots = this.#slots.get(key);
    const kept = this.#kept.get(place.strategy);
    if (slots === undefined || kept === undefined) return;
    for (const slot of slots.values()) slot.nextAt = Number.NEGATIVE_INFINITY;
    kept.series -= slots.size;
    this.#slots.delete(key);
  }
}

const NONE: readonly LoggedSeries[] = [];
const keyOf = ({ strategy, game, market }: SeriesPlace): string => JSON.stringify([strategy, game, market]);

/** A value of any kind, short enough for a message. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(printable(value.slice(0, 60)));
  return typeof value === 'number' || value === undefined || value === null
    ? String(value)
    : `a value of type ${typeof value}`;
}
