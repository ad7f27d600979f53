// Counts what others take from others in quoted markets, by the distance from the fair price that a take
// reaches: λ(δ) is estimated from it where own fills are too few. A take is an increase of the taken amount
// of an offer that stays; an offer that vanishes proves none.
import type { Ladder, MarketId, Phase, Side, TakeCounts } from '../domain/index.ts';
import {
  distanceBucket,
  DISTANCES,
  eachPhase,
  newRows,
  NO_OFFERS,
  probabilityOfRung,
  sideIndex,
} from '../domain/index.ts';

type Watched = { atMs: number; fair: number | undefined; readonly ladders: [Ladder, Ladder] };
type Counts = { ms: number; readonly byReach: number[] };

const SIDES = 2;

export class TakeClock {
  readonly #markets = new Map<MarketId, Watched>();
  readonly #counts = eachPhase(() => new Map<string, Counts>());

  /**
   * Updates the offers on a side of a quoted market. `fair`: the fair price of the first side after this
   * frame; undefined when there is none.
   */
  see(
    id: MarketId,
    side: Side,
    offers: Ladder,
    now: {
      readonly ms: number;
      readonly phase: Phase;
      readonly league: string;
      readonly fair: number | undefined;
    },
  ): void {
    const index = sideIndex(side);
    const market = this.#markets.get(id);
    if (market === undefined) {
      const ladders: [Ladder, Ladder] = index === 0 ? [offers, NO_OFFERS] : [NO_OFFERS, offers];
      this.#markets.set(id, { atMs: now.ms, fair: now.fair, ladders });
      return;
    }
    const { fair } = market;
    const before = market.ladders[index];
    if (fair !== undefined) {
      const counts = this.#countsOf(now.phase, now.league);
      counts.ms += SIDES * Math.max(0, now.ms - market.atMs);
      const own = index === 0 ? fair : 1 - fair;
      const reach = reachOf(before, offers, own);
      if (reach !== undefined) {
        const bucket = distanceBucket(reach);
        counts.byReach[bucket] = (counts.byReach[bucket] ?? 0) + 1;
      }
    }
    market.atMs = now.ms;
    market.fair = now.fair;
    market.ladders[index] = offers;
  }

  #countsOf(phase: Phase, league: string): Counts {
    const byLeague = this.#counts[phase];
    let counts = byLeague.get(league);
    if (counts === undefined)
      byLeague.set(league, (counts = { ms: 0, byReach: new Array<number>(DISTANCES.length + 1).fill(0) }));
    return counts;
  }

  /** The counts of a phase by league. */
  countsIn(phase: Phase): Readonly<Record<string, TakeCounts>> {
    return Object.fromEntries(this.#counts[phase]);
  }

  /** Forgets markets that are no longer shown. */
  keepOnly(isShown: (id: MarketId) => boolean): void {
    for (const id of this.#markets.keys()) if (!isShown(id)) this.#markets.delete(id);
  }

  /** Starts afresh after a gap of the feed: changes meanwhile are no takes, and the time is not counted. */
  gap(): void {
    this.#markets.clear();
  }
}

/**
 * The furthest distance from the fair price at which more of an offer was taken. Undefined when nothing was
 * taken. Own offers do not count.
 */
function reachOf(before: Ladder, after: Ladder, fair: number): number | undefined {
  let reach: number | undefined;
  for (const offer of newRows(after, before)) {
    if (offer.own || offer.untaken >= offer.risk) continue;
    const former = before.find(({ id }) => id === offer.id);
    if (former?.rung !== offer.rung || offer.risk - offer.untaken <= former.risk - former.untaken) continue;
    const distance = fair - probabilityOfRung(offer.rung);
    if (reach === undefined || distance > reach) reach = distance;
  }
  return reach;
}
