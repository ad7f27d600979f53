// Which recorded offer each row of a ladder is, and what the rows say of it. From frame to frame most rows are the very
// same objects in the same order (a decoder makes new ones only of what changed), so most are told apart by place alone.
import type { Ladder, Micros, Offer, OrderId } from '../domain/index.ts';
import { forgetOldest, oddsOf, parseTime, placeAgain, ZERO, elementAt } from '../domain/index.ts';
import type { Ghost, SideBook } from '../venue/index.ts';
import { compareRank, ghostAvailable, even } from '../venue/index.ts';
import type { TapeClock } from './tape-clock.ts';

/** However long a recording is. */
const GONE_REMEMBERED = 20_000;
const OWN_REMEMBERED = 2000;

/**
 * The recorded offer of each row (undefined: it comes with this ladder), and the rows that must be looked at: all others are
 * as they stood, in their order. `isTwice`: some offer has several rows. `gone`: offers that no row shows any more.
 */
export type Rows = {
  readonly found: (Ghost | undefined)[];
  readonly loose: readonly number[];
  readonly isTwice: boolean;
  readonly gone: readonly Ghost[];
  /** What may have been taken; undefined: any of the side. */
  readonly news: News | undefined;
};

/** Offers that another row shows now, or none, as they stood, and where. All others stand where they stood: `firstLeft` is the first. */
type News = {
  readonly ghosts: readonly Ghost[];
  readonly places: readonly number[];
  readonly firstLeft: number;
};

type Own = { readonly side: SideBook; readonly ghost: Ghost };

type Taken = Pick<Ghost, 'mostTaken' | 'used'>;

export class RecordedRows {
  readonly #clock: TapeClock;
  /** What was taken and matched of offers that are gone: they may come back, in an older frame or from beyond the depth. */
  readonly #gone = new Map<OrderId, Taken>();

  /** Offers of whoever recorded, also those that are gone: the user feed may tell of them later. */
  readonly #own = new Map<OrderId, Own>();

  /** What the ladder in work says of each offer of the one before. */
  #seen = new Uint8Array(64);

  readonly #former: ReadonlyMap<OrderId, Taken>;

  /** `former`: what was taken and matched of offers in a former life. */
  constructor(clock: TapeClock, former: ReadonlyMap<OrderId, Taken>) {
    this.#clock = clock;
    this.#former = former;
  }

  /** An offer of whoever recorded, and where it stands or stood. */
  ownBy(id: OrderId): Own | undefined {
    return this.#own.get(id);
  }

  /** More of an offer was taken than any row showed: should it come back, that much is gone. */
  noteTaken({ id, mostTaken, used }: Ghost): void {
    if (this.#gone.has(id)) this.#gone.set(id, { mostTaken, used });
  }

  /**
   * Finds the offers of a ladder and notes that this frame shows them, and how (`told`); nothing else changes. Offers that
   * stand as they stood are not even read: most are, and of many markets none is in the processor's cache.
   */
  match(side: SideBook, offers: Ladder, frame: number, isSpent: boolean): Rows {
    return (
      (!isSpent && isPlain(side) ? this.#matchPlain(side, offers, frame) : undefined) ?? matchAll(side, offers, frame)
    );
  }

  /** Undefined where some offer has several rows. */
  #matchPlain(side: SideBook, offers: Ladder, frame: number): Rows | undefined {
    const { rows, offers: before, ghostById } = side;
    if (offers === before) return { found: rows as Ghost[], loose: NO_ROWS, isTwice: false, gone: NONE, news: NO_NEWS };
    const shorter = Math.min(offers.length, before.length);
    let head = 0;
    while (head < shorter && offers[head] === before[head]) head += 1;
    let tail = 0;
    while (tail < shorter - head && offers[offers.length - 1 - tail] === before[before.length - 1 - tail]) tail += 1;
    // what stands between them is looked at row by row
    const [end, endBefore] = [offers.length - tail, before.length - tail];
    // of the right length at once; mostly that is the one before, and what stays stands where it stood
    const isAsLong = offers.length === before.length;
    const found = (isAsLong ? rows : offers).slice() as unknown as (Ghost | undefined)[];
    if (!isAsLong) {
      for (let row = 0; row < head; row++) found[row] = rows[row];
      for (let row = end; row < offers.length; row++) found[row] = rows[row - end + endBefore];
    }
    const loose: number[] = [];
    const seen = this.#seenOf(endBefore - head);
    let next = head;
    for (let row = head; row < end; row++) {
      const offer = offers[row];
      if (offer === undefined) break;
      const again = placeAgain(offer, before, next, endBefore);
      const ghost = again >= 0 ? rows[again] : ghostById.get(offer.id);
      if (again < 0) loose.push(row);
      if (ghost !== undefined) {
        const at = again >= 0 ? again : ghost === rows[next] ? next : rows.indexOf(ghost);
        if (at < head || at >= endBefore || seen[at - head] !== GONE) return undefined;
        seen[at - head] = again >= 0 ? LEFT : TOLD;
        if (again >= 0 || at === next) next = at + 1;
      }
      found[row] = ghost;
    }
    for (const row of loose) {
      const ghost = found[row];
      if (ghost === undefined) continue;
      ghost.frame = frame;
      ghost.told = elementAt(offers, row);
    }
    return { found, loose, isTwice: false, ...newsOf(rows, seen, head, endBefore) };
  }

  #seenOf(rows: number): Uint8Array {
    if (this.#seen.length < rows) this.#seen = new Uint8Array(2 * rows);
    for (let at = 0; at < rows; at++) this.#seen[at] = GONE;
    return this.#seen;
  }

  /** The ladder takes the place of the one before. Returns what it brings at a new price, whoever recorded left out. */
  replace(side: SideBook, offers: Ladder, told: Rows, frame: number, tsMs: number): Ghost[] {
    const { found, loose, gone } = told;
    let { isTwice } = told;
    const arrived: Ghost[] = [];
    for (const row of loose) {
      const offer = offers[row];
      if (offer === undefined) break;
      const known = found[row] ?? side.ghostById.get(offer.id);
      // the row above brought it
      if (known !== found[row]) isTwice = true;
      const ghost = known ?? this.#open(side, offer, frame, tsMs);
      found[row] = ghost;
      const isNew = known === undefined || (known.offer !== offer && change(known, offer));
      if (isNew && !offer.own) arrived.push(ghost);
    }
    const rows = found as Ghost[];
    const staysPlain = !isTwice && isPlain(side) && loose.every((row) => fits(rows, row));
    side.rows = rows;
    side.offers = offers;
    if (staysPlain) side.ghosts = rows;
    else rank(side, isTwice);
    if (gone.length > 0) this.#forgetGone(side, gone);
    return arrived;
  }

  #open(side: SideBook, offer: Offer, frame: number, tsMs: number): Ghost {
    const { id, rung, createdAt, expiry, own } = offer;
    const risk = even(offer.risk);
    const untaken = even(offer.untaken);
    const gone = this.#gone.get(id) ?? this.#former.get(id);
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
      used: gone === undefined ? ZERO : usedAfter(gone, risk, untaken),
      // of its rung it is the last: whoever took it would have taken any other
      createdAtMs: own ? Number.POSITIVE_INFINITY : Math.round(this.#clock.venueTime(parseTime(createdAt) ?? tsMs)),
      expiryMs: expires === undefined ? undefined : this.#clock.venueTime(expires),
      seq: frame,
      frame,
      row: undefined,
    };
    this.#gone.delete(id);
    side.ghostById.set(id, ghost);
    if (own) this.#keepOwn({ side, ghost });
    return ghost;
  }

  #keepOwn(own: Own): void {
    this.#own.set(own.ghost.id, own);
    forgetOldest(this.#own, OWN_REMEMBERED);
  }

  #forgetGone(side: SideBook, gone: readonly Ghost[]): void {
    for (const { id, mostTaken, used } of gone) {
      side.ghostById.delete(id);
      if (mostTaken > 0 || used > 0) this.#gone.set(id, { mostTaken, used });
    }
    forgetOldest(this.#gone, GONE_REMEMBERED);
  }
}

const GONE = 0;
const TOLD = 1;
const LEFT = 2;
const NONE: readonly Ghost[] = [];
const NO_ROWS: readonly number[] = [];
const NO_NEWS: News = { ghosts: NONE, places: NO_ROWS, firstLeft: 0 };

/** `seen`: what was said of the offers from `head` on, up to `end`; all others are left as they stood. */
function newsOf(rows: readonly Ghost[], seen: Uint8Array, head: number, end: number): Pick<Rows, 'gone' | 'news'> {
  const [ghosts, gone, places]: [Ghost[], Ghost[], number[]] = [[], [], []];
  let firstLeft = head > 0 ? 0 : rows.length;
  for (let at = head; at < end; at++) {
    const what = seen[at - head];
    if (what === LEFT) {
      firstLeft = Math.min(firstLeft, at);
      continue;
    }
    const ghost = elementAt(rows, at);
    ghosts.push(ghost);
    places.push(at);
    if (what === GONE) gone.push(ghost);
  }
  return { gone, news: { ghosts, places, firstLeft: Math.min(firstLeft, end) } };
}

function matchAll(side: SideBook, offers: Ladder, frame: number): Rows {
  const { rows, ghostById } = side;
  const found: (Ghost | undefined)[] = [];
  let isTwice = false;
  for (const offer of offers) {
    const ghost = ghostById.get(offer.id);
    if (ghost !== undefined) {
      if (ghost.frame === frame) isTwice = true;
      ghost.frame = frame;
      // an offer is what its last row says
      ghost.told = offer;
    }
    found.push(ghost);
  }
  const gone = rows.filter((ghost) => ghost.frame !== frame);
  return { found, loose: [...found.keys()], isTwice, gone, news: undefined };
}

/** Each offer has one row, in their order, nothing of them is matched, and none is of whoever recorded. */
const isPlain = ({ isAsTold, ghosts, rows }: SideBook): boolean => isAsTold && ghosts === rows;

/** The same of one row, among neighbours in their order. */
function fits(rows: readonly Ghost[], row: number): boolean {
  const ghost = rows[row];
  if (ghost === undefined || ghost.offer.own || ghostAvailable(ghost) < ghost.untaken) return false;
  const [before, after] = [rows[row - 1], rows[row + 1]];
  if (before !== undefined && compareRank(before, ghost) > 0) return false;
  return after === undefined || compareRank(ghost, after) <= 0;
}

/** Sorts the rows, without those of whoever recorded, and tells whether they stand as they were told. */
function rank(side: SideBook, isTwice: boolean): void {
  const { rows } = side;
  const recorded = rows.some(({ offer }) => offer.own) ? rows.filter(({ offer }) => !offer.own) : rows;
  // equal ages of the tape's clock may fall apart by rounding
  const isSorted = recorded.every((ghost, at) => at === 0 || compareRank(elementAt(recorded, at - 1), ghost) <= 0);
  side.ghosts = isSorted && !isTwice ? recorded : [...recorded].sort(compareRank);
  side.isAsTold = recorded === rows && rows.every((ghost) => ghostAvailable(ghost) >= ghost.untaken);
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
function usedAfter({ mostTaken, used }: Taken, risk: Micros, untaken: Micros): Micros {
  const taken = takenOf(risk, untaken) - mostTaken;
  return (taken > 0 ? used - Math.min(used, taken) : used) as Micros;
}
