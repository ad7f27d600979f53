// Assigns a recorded offer to each row of a ladder and applies what the rows say. From frame to frame most
// rows are the same objects in the same order (a decoder makes new objects only for changes), so most are
// identified by their place alone.
import type { Ladder, Micros, Offer, OrderId } from '../domain/index.ts';
import { forgetOldest, oddsOf, parseTime, placeAgain, ZERO, elementAt, withLast } from '../domain/index.ts';
import type { Ghost, SideBook } from '../venue/index.ts';
import { compareRank, ghostAvailable, even } from '../venue/index.ts';
import type { TapeClock } from './tape-clock.ts';

/** Limits of the memory for offers that are gone, independent of the length of a recording. */
const GONE_REMEMBERED = 20_000;
const OWN_REMEMBERED = 2000;

/**
 * The recorded offer of each row (undefined: it is new in this ladder), and in `loose` the indexes of rows to
 * examine: all others are unchanged and in their order. `isTwice`: an offer has several rows. `gone`: offers
 * that no row shows any more.
 */
export type Rows = {
  readonly found: (Ghost | undefined)[];
  readonly loose: readonly number[];
  readonly isTwice: boolean;
  readonly gone: readonly Ghost[];
  /** The offers that may have been taken. Undefined: any of the side. */
  readonly news: News | undefined;
};

/**
 * Offers of the old ladder that a changed row or no row shows now, and their old places. All others are
 * unchanged; `firstLeft` is the place of the first of those.
 */
type News = {
  readonly ghosts: readonly Ghost[];
  readonly places: readonly number[];
  readonly firstLeft: number;
};

type Own = { readonly side: SideBook; readonly ghost: Ghost };

type Taken = Pick<Ghost, 'mostTaken' | 'used'>;

export class RecordedRows {
  readonly #clock: TapeClock;
  /**
   * Takes and matches of offers that are gone: they may return, in an older frame or from beyond the depth.
   */
  readonly #gone = new Map<OrderId, Taken>();

  /** Offers of the recording account, including those that are gone: its user feed may report them later. */
  readonly #own = new Map<OrderId, Own>();

  /** A mark for each old offer in the changed range: GONE, SHOWN or UNCHANGED in the current ladder. */
  #seen = new Uint8Array(64);

  readonly #formerTakes: ReadonlyMap<OrderId, Taken>;

  /** @param former takes and matches of offers in former runs */
  constructor(clock: TapeClock, former: ReadonlyMap<OrderId, Taken>) {
    this.#clock = clock;
    this.#formerTakes = former;
  }

  /** An offer of the recording account, and its side, also after it is gone. */
  ownBy(id: OrderId): Own | undefined {
    return this.#own.get(id);
  }

  /** Notes a take that no row showed, for an offer that is gone: if it returns, that much of it is used. */
  noteTaken({ id, mostTaken, used }: Ghost): void {
    if (this.#gone.has(id)) this.#gone.set(id, { mostTaken, used });
  }

  /**
   * Finds the recorded offers of a ladder. It notes that this frame shows them, and how (`shown`); nothing
   * else changes. Unchanged offers are not even read: most are unchanged, and with many markets none is in
   * the processor's cache.
   */
  match(side: SideBook, offers: Ladder, frame: number, isSpent: boolean): Rows {
    return (
      (!isSpent && isPlain(side) ? this.#matchPlain(side, offers, frame) : undefined) ?? matchAll(side, offers, frame)
    );
  }

  /** The fast match by place. Undefined where an offer has several rows. */
  #matchPlain(side: SideBook, offers: Ladder, frame: number): Rows | undefined {
    const { rows, offers: before, ghostById } = side;
    if (offers === before) return { found: rows as Ghost[], loose: NO_ROWS, isTwice: false, gone: NONE, news: NO_NEWS };
    const shorter = Math.min(offers.length, before.length);
    let head = 0;
    while (head < shorter && offers[head] === before[head]) head += 1;
    let tail = 0;
    while (tail < shorter - head && offers[offers.length - 1 - tail] === before[before.length - 1 - tail]) tail += 1;
    // the rows between head and tail are examined one by one
    const end = offers.length - tail;
    const endBefore = before.length - tail;
    // allocated at full length; mostly the old length is the same, and unchanged rows keep their places
    const isAsLong = offers.length === before.length;
    const found = (isAsLong ? rows : offers).slice() as unknown as (Ghost | undefined)[];
    if (!isAsLong) {
      for (let row = 0; row < head; row++) found[row] = rows[row];
      for (let row = end; row < offers.length; row++) found[row] = rows[row - end + endBefore];
    }
    let looseRows: number[] | undefined;
    const seen = this.#seenOf(endBefore - head);
    let next = head;
    for (let row = head; row < end; row++) {
      const offer = offers[row];
      if (offer === undefined) break;
      const again = placeAgain(offer, before, next, endBefore);
      const ghost = again >= 0 ? rows[again] : ghostById.get(offer.id);
      if (again < 0) looseRows = withLast(looseRows, row);
      if (ghost !== undefined) {
        const index = again >= 0 ? again : ghost === rows[next] ? next : rows.indexOf(ghost);
        if (index < head || index >= endBefore || seen[index - head] !== GONE) return undefined;
        seen[index - head] = again >= 0 ? UNCHANGED : SHOWN;
        if (again >= 0 || index === next) next = index + 1;
      }
      found[row] = ghost;
    }
    const loose = looseRows ?? NO_ROWS;
    for (let index = 0; index < loose.length; index++) {
      const row = elementAt(loose, index);
      const ghost = found[row];
      if (ghost === undefined) continue;
      ghost.frame = frame;
      ghost.shown = elementAt(offers, row);
    }
    return { found, loose, isTwice: false, ...newsOf(rows, seen, head, endBefore) };
  }

  #seenOf(rows: number): Uint8Array {
    if (this.#seen.length < rows) this.#seen = new Uint8Array(2 * rows);
    for (let index = 0; index < rows; index++) this.#seen[index] = GONE;
    return this.#seen;
  }

  /**
   * Replaces the ladder. Returns the offers that are new at their price, except those of the recording
   * account.
   */
  replace(side: SideBook, offers: Ladder, matched: Rows, frame: number, tsMs: number): readonly Ghost[] {
    const { found, loose, gone } = matched;
    let { isTwice } = matched;
    let arrived: Ghost[] | undefined;
    for (let index = 0; index < loose.length; index++) {
      const row = elementAt(loose, index);
      const offer = offers[row];
      if (offer === undefined) break;
      const known = found[row] ?? side.ghostById.get(offer.id);
      // a row above brought it
      if (known !== found[row]) isTwice = true;
      const ghost = known ?? this.#open(side, offer, frame, tsMs);
      found[row] = ghost;
      const isNew = known === undefined || (known.offer !== offer && change(known, offer));
      if (isNew && !offer.own) arrived = withLast(arrived, ghost);
    }
    const rows = found as Ghost[];
    const staysPlain = !isTwice && isPlain(side) && loose.every((row) => fits(rows, row));
    side.rows = rows;
    side.offers = offers;
    if (staysPlain) side.ghosts = rows;
    else rank(side, isTwice);
    if (gone.length > 0) this.#forgetGone(side, gone);
    return arrived ?? NONE;
  }

  #open(side: SideBook, offer: Offer, frame: number, tsMs: number): Ghost {
    const { id, rung, createdAt, expiry, own } = offer;
    const risk = even(offer.risk);
    const untaken = even(offer.untaken);
    const gone = this.#gone.get(id) ?? this.#formerTakes.get(id);
    const expires = expiry === undefined ? undefined : parseTime(expiry);
    const ghost: Ghost = {
      kind: 'ghost',
      id,
      rung,
      odds: oddsOf(rung),
      offer,
      shown: offer,
      risk,
      untaken,
      mostTaken: Math.max(takenOf(risk, untaken), gone?.mostTaken ?? 0) as Micros,
      used: gone === undefined ? ZERO : usedAfter(gone, risk, untaken),
      // an own offer ranks last at its rung: its taker would have taken any other
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
const SHOWN = 1;
const UNCHANGED = 2;
const NONE: readonly Ghost[] = [];
const NO_ROWS: readonly number[] = [];
const NO_NEWS: News = { ghosts: NONE, places: NO_ROWS, firstLeft: 0 };

/** @param seen marks of the offers from `head` up to `end`; all others are unchanged */
function newsOf(rows: readonly Ghost[], seen: Uint8Array, head: number, end: number): Pick<Rows, 'gone' | 'news'> {
  let ghosts: Ghost[] | undefined;
  let gone: Ghost[] | undefined;
  let places: number[] | undefined;
  let firstLeft = head > 0 ? 0 : rows.length;
  for (let index = head; index < end; index++) {
    const mark = seen[index - head];
    if (mark === UNCHANGED) {
      firstLeft = Math.min(firstLeft, index);
      continue;
    }
    const ghost = elementAt(rows, index);
    ghosts = withLast(ghosts, ghost);
    places = withLast(places, index);
    if (mark === GONE) gone = withLast(gone, ghost);
  }
  return {
    gone: gone ?? NONE,
    news: { ghosts: ghosts ?? NONE, places: places ?? NO_ROWS, firstLeft: Math.min(firstLeft, end) },
  };
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
      // the last row of an offer counts
      ghost.shown = offer;
    }
    found.push(ghost);
  }
  const gone = rows.filter((ghost) => ghost.frame !== frame);
  return { found, loose: [...found.keys()], isTwice, gone, news: undefined };
}

/**
 * Whether each offer has one row, rows are in rank order, nothing of them is matched, and none is of the
 * recording account.
 */
const isPlain = ({ isAsShown, ghosts, rows }: SideBook): boolean => isAsShown && ghosts === rows;

/** Whether a row is as plain as `isPlain` requires, given its neighbours. */
function fits(rows: readonly Ghost[], row: number): boolean {
  const ghost = rows[row];
  if (ghost === undefined || ghost.offer.own || ghostAvailable(ghost) < ghost.untaken) return false;
  const before = rows[row - 1];
  const after = rows[row + 1];
  if (before !== undefined && compareRank(before, ghost) > 0) return false;
  return after === undefined || compareRank(ghost, after) <= 0;
}

/** Sorts the rows, without those of the recording account, and notes whether they rest as recorded. */
function rank(side: SideBook, isTwice: boolean): void {
  const { rows } = side;
  const recorded = rows.some(({ offer }) => offer.own) ? rows.filter(({ offer }) => !offer.own) : rows;
  // equal ages may differ after rounding by the tape's clock
  const isSorted = recorded.every(
    (ghost, index) => index === 0 || compareRank(elementAt(recorded, index - 1), ghost) <= 0,
  );
  side.ghosts = isSorted && !isTwice ? recorded : [...recorded].sort(compareRank);
  side.isAsShown = recorded === rows && rows.every((ghost) => ghostAvailable(ghost) >= ghost.untaken);
}

export const takenOf = (risk: Micros, untaken: Micros): number => risk - untaken;

/** Applies a row to a known offer. Returns true when its price changed. */
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

/**
 * The used stake after a change: a take consumes units that accounts had matched first; a smaller recorded
 * size leaves them used.
 */
function usedAfter({ mostTaken, used }: Taken, risk: Micros, untaken: Micros): Micros {
  const taken = takenOf(risk, untaken) - mostTaken;
  return (taken > 0 ? used - Math.min(used, taken) : used) as Micros;
}
