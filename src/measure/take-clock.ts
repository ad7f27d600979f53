// Counts what others take from others in quoted markets, by the distance from the fair price that a take
// reaches: λ(δ) is estimated from it where own fills are too few. A take is an increase of the taken amount
// of an offer that stays; an offer that vanishes proves none.
import type { Ladder, MarketId, Phase, TakeCounts } from '../domain/index.ts';
import { distanceBucket, DISTANCES, eachPhase, elementAt, newRows, probabilityOfRung } from '../domain/index.ts';
import type { MarketPrices } from './market-prices.ts';

type Watched = { atMs: number; fair: number | undefined; readonly ladders: [Ladder, Ladder] };
type Counts = { ms: number; readonly byReach: number[] };

const SIDES = 2;

export class TakeClock {
  readonly #markets = new Map<MarketId, Watched>();
  readonly #counts = eachPhase(() => new Map<string, Counts>());

  /**
   * Updates the offers on both sides of a quoted market. `fair`: the fair price of the first side after this
   * frame; undefined when there is none.
   */
  see(
    id: MarketId,
    [first, second]: readonly [Ladder, Ladder],
    nowMs: number,
    { phase, league, fair }: Pick<MarketPrices, 'phase' | 'league' | 'fair'>,
  ): void {
    const market = this.#markets.get(id);
    if (market === undefined) {
      this.#markets.set(id, { atMs: nowMs, fair, ladders: [first, second] });
      if (fair !== undefined) this.#countsOf(phase, league);
      return;
    }
    const { ladders } = market;
    if (market.fair !== undefined) {
      const counts = this.#countsOf(phase, league);
      counts.ms += SIDES * Math.max(0, nowMs - market.atMs);
      countReach(counts, reachOf(ladders[0], first, market.fair));
    }
    if (fair !== undefined) countReach(this.#countsOf(phase, league), reachOf(ladders[1], second, 1 - fair));
    market.atMs = nowMs;
    market.fair = fair;
    ladders[0] = first;
    ladders[1] = second;
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

function countReach({ byReach }: Counts, reach: number | undefined): void {
  if (reach === undefined) return;
  const bucket = distanceBucket(reach);
  byReach[bucket] = (byReach[bucket] ?? 0) + 1;
}

/**
 * The furthest distance from the fair price at which more of an offer was taken. Undefined when nothing was
 * taken. Own offers do not count.
 */
function reachOf(before: Ladder, after: Ladder, fair: number): number | undefined {
  let reach: number | undefined;
  const changed = newRows(after, before);
  for (let row = 0; row < changed.length; row++) {
    const offer = elementAt(changed, row);
    if (offer.own || offer.untaken >= offer.risk) continue;
    const former = before.find(({ id }) => id === offer.id);
    if (former?.rung !== offer.rung || offer.risk - offer.untaken <= former.risk - former.untaken) continue;
    const distance = fair - probabilityOfRung(offer.rung);
    if (reach === undefined || distance > reach) reach = distance;
  }
  return reach;
}
