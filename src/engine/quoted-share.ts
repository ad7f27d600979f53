// Measures which share of the wanted slots really rested, weighted by time, and which controls kept the
// others empty.
import type { EventGame, Game, GameId, Market, RunEvent, ShareSums, SlotId, StrategyId } from '../domain/index.ts';
import { elementAt, gameTitle } from '../domain/index.ts';
import type { OwnOrder } from '../account/index.ts';
import type { Target } from '../orders/index.ts';
import type { ControlName, Denial } from '../risk/index.ts';
import { LIMIT_CONTROLS } from '../risk/index.ts';

/** The current slots of one market. */
export type SlotShare = {
  readonly wanted: number;
  readonly resting: number;
  /** One entry per slot kept empty: the control that denies it. */
  readonly held: readonly ControlName[];
};
const NO_CONTROLS: readonly ControlName[] = [];
export const NO_SLOTS: SlotShare = { wanted: 0, resting: 0, held: NO_CONTROLS };

/** A control keeps a slot of this strategy empty. */
export type SlotDenial = Denial & { readonly strategy: StrategyId };
export const NO_DENIALS: readonly SlotDenial[] = [];

/** The form of a game in events. */
export const eventGameOf = (game: Game): EventGame => {
  const { league, sport, start, live, period } = game;
  return { league, sport, name: gameTitle(game), start, live, ...(period === undefined ? {} : { period }) };
};

/** The slots of a market, from its targets and live orders. `deniedBy`: the control of a slot's last order. */
export function slotsIn(
  targets: readonly Target[],
  live: readonly OwnOrder[],
  deniedBy: (slot: SlotId) => Denial | undefined,
): { readonly wanted: number; readonly resting: number; readonly denials: readonly SlotDenial[] } {
  let [wanted, resting] = [targets.length, 0];
  let denials: SlotDenial[] | undefined;
  for (let index = 0; index < targets.length; index++) {
    const { slot, strategy, denial } = elementAt(targets, index);
    let isTaken = false;
    let rests = false;
    for (let orderIndex = 0; orderIndex < live.length; orderIndex++) {
      const order = live[orderIndex];
      if (order?.slot !== slot) continue;
      isTaken = true;
      rests ||= order.status !== 'sending' && order.status !== 'unknown';
    }
    // in a market that is not selected nothing is wanted, so the share that rests leaves it out
    if (denial?.control === 'select') wanted -= 1;
    else if (rests) resting += 1;
    const held = isTaken ? undefined : (denial ?? deniedBy(slot));
    if (held !== undefined) (denials ??= []).push({ ...held, strategy });
  }
  return { wanted, resting, denials: denials ?? NO_DENIALS };
}

export class QuotedShare {
  #wanted = 0;
  #resting = 0;
  #wantedMs = 0;
  #restedMs = 0;
  readonly #held = new Map<ControlName, { slots: number; ms: number }>();
  /** Number of slots that a limit keeps empty now. */
  #limited = 0;
  /** How long a limit kept at least one slot empty. */
  #limitedMs = 0;
  /** How long at least one slot was wanted. */
  #wantingMs = 0;
  #countedAt: number | undefined;

  readonly #raise: (event: RunEvent) => void;
  readonly #gameOf: (id: GameId) => Game | undefined;

  constructor(raise: (event: RunEvent) => void, gameOf: (id: GameId) => Game | undefined) {
    this.#raise = raise;
    this.#gameOf = gameOf;
  }

  /**
   * Applies the current slots of a market and raises the events of what changed. `denials`: one per slot that
   * a control keeps empty. Returns the new slots.
   */
  change(
    market: Market,
    before: SlotShare,
    wanted: number,
    resting: number,
    denials: readonly SlotDenial[],
  ): SlotShare {
    if (isSame(before, wanted, resting, denials)) return before;
    const held = denials.length === 0 ? NO_CONTROLS : denials.map(({ control }) => control);
    const after = { wanted, resting, held };
    this.#replace(before, after);
    const game = this.#gameOf(market.gameId);
    if (before.wanted === 0 && wanted > 0)
      this.#raise({ type: 'QuotingStarted', market: market.id, game: game && eventGameOf(game) });
    for (const [index, { control, strategy, reason }] of denials.entries()) {
      if (!before.held.includes(control) && held.indexOf(control) === index)
        this.#raise({ type: 'SlotHeld', market: market.id, control, strategy, reason });
    }
    for (const [index, control] of before.held.entries())
      if (!held.includes(control) && before.held.indexOf(control) === index)
        this.#raise({ type: 'SlotReleased', market: market.id, control });
    if (before.wanted > 0 && wanted === 0) this.#raise({ type: 'QuotingStopped', market: market.id });
    return after;
  }

  #replace(before: SlotShare, after: SlotShare): void {
    this.#wanted += after.wanted - before.wanted;
    this.#resting += after.resting - before.resting;
    for (const control of before.held) this.#count(control, -1);
    for (const control of after.held) this.#count(control, 1);
  }

  #count(control: ControlName, by: 1 | -1): void {
    if (control === 'select') return;
    this.#heldBy(control).slots += by;
    if (LIMIT_CONTROLS.has(control)) this.#limited += by;
  }

  #heldBy(control: ControlName): { slots: number; ms: number } {
    let held = this.#held.get(control);
    if (held === undefined) this.#held.set(control, (held = { slots: 0, ms: 0 }));
    return held;
  }

  /** Adds the time since the last input to the slots that stood during it. `now`: monotonic ms. */
  advance(now: number): void {
    const ms = now - (this.#countedAt ?? now);
    this.#countedAt = now;
    if (ms === 0) return;
    this.#wantedMs += ms * this.#wanted;
    this.#restedMs += ms * this.#resting;
    if (this.#wanted > 0) this.#wantingMs += ms;
    if (this.#limited > 0) this.#limitedMs += ms;
    for (const held of this.#held.values()) held.ms += ms * held.slots;
  }

  /** Number of slots now wanted, resting, and kept empty by each control. */
  get slots(): Pick<SlotShare, 'wanted' | 'resting'> & { readonly held: Readonly<Record<string, number>> } {
    const held = [...this.#held].filter(([, { slots }]) => slots > 0).map(([control, { slots }]) => [control, slots]);
    return {
      wanted: this.#wanted,
      resting: this.#resting,
      held: Object.fromEntries(held) as Record<string, number>,
    };
  }

  /** The sums in the form of samples, ms. */
  get sums(): ShareSums {
    const held = [...this.#held]
      .filter(([, { ms: heldMs }]) => heldMs > 0)
      .map(([control, { ms: heldMs }]) => [control, Math.round(heldMs)]);
    return {
      wantedMs: Math.round(this.#wantedMs),
      restedMs: Math.round(this.#restedMs),
      wantingMs: Math.round(this.#wantingMs),
      limitedMs: Math.round(this.#limitedMs),
      held: Object.fromEntries(held) as ShareSums['held'],
    };
  }

  /** Share of the wanted time that rested, 0…1. 0 when nothing was ever wanted. */
  get rested(): number {
    return this.#wantedMs === 0 ? 0 : this.#restedMs / this.#wantedMs;
  }

  /**
   * Share of the time with something wanted in which a limit kept a slot empty, 0…1. 0 when nothing was ever
   * wanted.
   */
  get atLimits(): number {
    return this.#wantingMs === 0 ? 0 : this.#limitedMs / this.#wantingMs;
  }

  /** Share of the wanted time that each control kept slots empty, the longest first. */
  get held(): Readonly<Record<string, number>> {
    const shares = [...this.#held]
      .filter(([, { ms }]) => ms > 0)
      .sort(([, a], [, b]) => b.ms - a.ms)
      .map(([control, { ms }]) => [control, ms / this.#wantedMs]);
    return Object.fromEntries(shares) as Record<string, number>;
  }
}

const isSame = (before: SlotShare, wanted: number, resting: number, denials: readonly SlotDenial[]): boolean =>
  before.wanted === wanted &&
  before.resting === resting &&
  before.held.length === denials.length &&
  (denials.length === 0 || denials.every(({ control }, index) => control === before.held[index]));
