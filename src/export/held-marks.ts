// The positions of a run over time, from the events of its journal: the newest mark of each market and minute.
import type { EventOf } from '../domain/index.ts';
import { eventsOfType, headerOf } from '../journal/index.ts';
import { readEvents } from '../run/index.ts';

/** The position in a market at a time, in dollars. */
export type HeldMark = {
  /** Unix ms. */
  readonly at: number;
  readonly market: string;
  readonly first: number;
  readonly second: number;
  readonly staked: number;
  readonly marked: number;
};

const MINUTE_MS = 60_000;

/**
 * Reads the marks of a journal in the order of time. A journal of format 1 has no events: it is replayed.
 * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
 */
export async function heldMarks(journal: string): Promise<readonly HeldMark[]> {
  const marks = new MinuteMarks();
  const header = await headerOf(journal);
  if ((header as { readonly journal?: unknown }).journal === 1)
    await readEvents(journal, header, 'reading', ({ t }, events) => {
      for (const event of events) if (event.type === 'Marked') marks.add(t, event);
    });
  else for await (const { t, event } of eventsOfType(journal, 'Marked')) marks.add(t, event);
  return marks.list;
}

class MinuteMarks {
  readonly #newest = new Map<string, HeldMark>();

  add(t: number, { markets }: EventOf<'Marked'>): void {
    // former versions recorded fractions of milliseconds
    const time = Math.round(t);
    for (const { market, first, second, staked, marked } of markets)
      this.#newest.set(`${market} ${Math.floor(time / MINUTE_MS)}`, {
        ...{ at: time, market, first: first / 1e6, second: second / 1e6, staked: staked / 1e6, marked: marked / 1e6 },
      });
  }

  /** By time, then by market. */
  get list(): readonly HeldMark[] {
    return [...this.#newest.values()].sort((a, b) => a.at - b.at || (a.market < b.market ? -1 : 1));
  }
}
