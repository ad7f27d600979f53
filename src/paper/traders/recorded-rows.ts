// Which recorded offer each row of a ladder is, and what the rows say of it. From frame to frame most rows are the very
// same objects in the same order (a decoder makes new ones only of what changed), so most are told apart by place alone.
import type { Ladder, Micros, Offer, OrderId } from '../../domain/index.ts';
import { forgetOldest, oddsOf, parseTime, placeAgain, ZERO } from '../../domain/index.ts';
import type { Ghost, SideBook } from '../venue/market-book.ts';
import { compareRank, ghostAvailable } from '../venue/market-book.ts';
import { even } from '../venue/matching.ts';
import type { TapeClock } from './tape-clock.ts';

/** However long a recording is. */
const GONE_REMEMBERED = 20_000;
const OWN_REMEMBERED = 2000;

/** The recorded offer of each row; undefined: it comes with this ladder. */
export type Rows = (Ghost | undefined)[];

type Own = { readonly side: SideBook; readonly ghost: Ghost };

export class RecordedRows {
  readonly #clock: TapeClock;
  /** What was taken and matched of offers that are gone: they may come back, in an older frame or from beyond the depth. */
  readonly #gone = new Map<OrderId, Pick<Ghost, 'mostTaken' | 'used'>>();

  /** Offers of whoever recorded, also those that are gone: the user feed may tell of them later. */
  readonly #own = new Map<OrderId, Own>();

  constructor(clock: TapeClock) {
    this.#clock = clock;
  }

  /** An offer of whoever recorded, and where it stands or stood. */
  ownBy(id: OrderId): Own | undefined {
    return this.#own.get(id);
  }

  /** More of an offer was taken than any row showed: should it come back, that much is gone. */
  noteTaken({ id, mostTaken, used }: Ghost): void {
    if (this.#gone.has(id)) this.#gone.set(id, { mostTaken, used });
  }

  /** Finds the offers of a ladder and notes that this frame shows them, and how (`told`); nothing else changes. */
  match(side: SideBook, offers: Ladder, frame: number): Rows {
    const { rows, ghostById } = side;
    const found: Rows = [];
    let next = 0;
    for (const offer of offers) {
      const at = placeAgain(offer, side.offers, next);
      const ghost = at >= 0 ? rows[at] : ghostById.get(offer.id);
      if (at >= 0) next = at + 1;
      // changed where it stood
      else if (ghost !== undefined && ghost === rows[next]) next += 1;
      if (ghost !== undefined) {
        ghost.frame = frame;
        ghost.told = offer;
      }
      found.push(ghost);
    }
    return found;
  }

  /** The ladder takes the place of the one before. Returns what it brings at a new price, whoever recorded left out. */
  replace(side: SideBook, offers: Ladder, found: Rows, frame: number, tsMs: number): Ghost[] {
    const arrived: Ghost[] = [];
    let last: Ghost | undefined;
    let isSorted = true;
    let recorders = 0;
    let isAsTold = true;
    offers.forEach((offer, row) => {
      let ghost = found[row];
      let isNew = false;
      if (ghost === undefined) {
        // a ladder that names an id twice
        ghost = side.ghostById.get(offer.id);
        if (ghost === undefined) {
          ghost = this.#open(side, offer, frame, tsMs);
          isNew = true;
        }
        found[row] = ghost;
      }
      if (ghost.offer !== offer) isNew = change(ghost, offer);
      if (offer.own) {
        recorders += 1;
        return;
      }
      if (last !== undefined && compareRank(last, ghost) > 0) isSorted = false;
      last = ghost;
      if (isNew) arrived.push(ghost);
      if (isAsTold && ghostAvailable(ghost) < ghost.untaken) isAsTold = false;
    });
    const rows = found as Ghost[];
    side.rows = rows;
    side.ghosts = recorders === 0 ? rows : rows.filter(({ offer }) => !offer.own);
    // equal ages of the tape's clock may fall apart by rounding
    if (!isSorted) side.ghosts = [...side.ghosts].sort(compareRank);
    side.offers = offers;
    side.isAsTold = isAsTold && recorders === 0;
    if (side.ghostById.size > rows.length) this.#forgetGone(side, frame);
    return arrived;
  }

  #open(side: SideBook, offer: Offer, frame: number, tsMs: number): Ghost {
    const { id, rung, createdAt, expiry, own } = offer;
    const risk = even(offer.risk);
    const untaken = even(offer.untaken);
    const gone = this.#gone.get(id);
    const expires = expiry === undefined ? undefined : parseTime(expiry);
    const ghost: Ghost = {
      kind: 'ghost',
      id,
      rung,
      odds: oddsOf(rung),
      offer,
      told: offer,
      risk,
      untaken,
      mostTaken: Math.max(takenOf(risk, untaken), gone?.mostTaken ?? 0) as Micros,
      used: gone?.used ?? ZERO,
      // of its rung it is the last: whoever took it would have taken any other
      createdAtMs: own
        ? Number.POSITIVE_INFINITY
        : Math.round(this.#clock.venueTime(parseTime(createdAt) ?? tsMs)),
      expiryMs: expires === undefined ? undefined : this.#clock.venueTime(expires),
      seq: frame,
      frame,
      row: undefined,
    };
    if (gone !== undefined) this.#gone.delete(id);
    side.ghostById.set(id, ghost);
    if (own) this.#keepOwn({ side, ghost });
    return ghost;
  }

  #keepOwn(own: Own): void {
    this.#own.set(own.ghost.id, own);
    forgetOldest(this.#own, OWN_REMEMBERED);
  }

  #forgetGone(side: SideBook, frame: number): void {
    for (const [id, ghost] of side.ghostById) {
      if (ghost.frame === frame) continue;
      side.ghostById.delete(id);
      const { mostTaken, used } = ghost;
      if (mostTaken > 0 || used > 0) this.#gone.set(id, { mostTaken, used });
    }
    forgetOldest(this.#gone, GONE_REMEMBERED);
  }
}

export const takenOf = (risk: Micros, untaken: Micros): number => risk - untaken;

/** What a row says of an offer that was known; true when its price changed. */
function change(ghost: Ghost, offer: Offer): boolean {
  const risk = even(offer.risk);
  const untaken = even(offer.untaken);
  const isRepriced = ghost.rung !== offer.rung;
  if (isRepriced || ghost.risk !== risk || ghost.untaken !== untaken) {
    ghost.used = usedAfter(ghost, risk, untaken);
    ghost.rung = offer.rung;
    ghost.odds = oddsOf(offer.rung);
    ghost.risk = risk;
    ghost.untaken = untaken;
    ghost.mostTaken = Math.max(ghost.mostTaken, takenOf(risk, untaken)) as Micros;
    ghost.row = undefined;
  }
  ghost.offer = offer;
  return isRepriced;
}

/** A take eats the units that accounts had matched first; a cut of the recorded size leaves them used. */
function usedAfter(ghost: Ghost, risk: Micros, untaken: Micros): Micros {
  const taken = takenOf(risk, untaken) - ghost.mostTaken;
  return (taken > 0 ? ghost.used - Math.min(ghost.used, taken) : ghost.used) as Micros;
}
