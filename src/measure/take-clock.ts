// What others take from others in markets that are quoted, by the distance from the fair price that it reaches: λ(δ) goes by it where
// own fills are too few. A take is an increase of what is taken of an offer that stays; one that vanishes proves none.
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

  /** A side of a quoted market shows these offers from now on. `fair`: of the first side, after this frame; undefined: none. */
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

  /** By league. */
  countsIn(phase: Phase): Readonly<Record<string, TakeCounts>> {
    return Object.fromEntries(this.#counts[phase]);
  }

  /** Markets that are not shown any more are forgotten. */
  keepOnly(isShown: (id: MarketId) => boolean): void {
    for (const id of this.#markets.keys()) if (!isShown(id)) this.#markets.delete(id);
  }

  /** The feed has a gap: what changed meanwhile is no take, and the time of it is not counted. */
  gap(): void {
    this.#markets.clear();
  }
}

/** The furthest distance from fair at which more of an offer was taken; undefined: of none. Own offers are no others'. */
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
