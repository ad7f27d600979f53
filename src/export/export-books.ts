// Exports books and prices over time as table rows, from a tape or from a journal read as a tape.
import type { MarketBooks } from '../tape/index.ts';
import { BookFollower, decodeTape } from '../tape/index.ts';
import type { Ladder } from '../domain/index.ts';
import { consensusOf, oddsOf, probabilityOfRung, sideIndex } from '../domain/index.ts';
import { partsOf } from '../journal/index.ts';
import type { Column, Row } from '../table/index.ts';
import type { HeldMark } from './held-marks.ts';

/** Columns that name the run of a row. Empty for rows of a tape. */
export const ORIGIN: readonly Column[] = [
  { name: 'scenario', kind: 'text' },
  { name: 'run', kind: 'text' },
];
/** Columns that name the market of a row. */
export const MARKET: readonly Column[] = [
  { name: 'league', kind: 'text' },
  { name: 'game', kind: 'text' },
  { name: 'event', kind: 'text' },
  { name: 'market', kind: 'text' },
  { name: 'type', kind: 'text' },
  { name: 'line', kind: 'number' },
];

/** Columns of `bookRows`. */
export const BOOK_COLUMNS: readonly Column[] = [
  ...ORIGIN,
  { name: 'time', kind: 'time' },
  ...MARKET,
  { name: 'live', kind: 'flag' },
  { name: 'side', kind: 'text' },
  { name: 'level', kind: 'integer' },
  { name: 'odds', kind: 'number' },
  { name: 'probability', kind: 'number' },
  { name: 'size', kind: 'number' },
  { name: 'orders', kind: 'integer' },
  { name: 'own_size', kind: 'number' },
];

/** Columns of `markRows`. */
export const MARK_COLUMNS: readonly Column[] = [
  ...ORIGIN,
  { name: 'time', kind: 'time' },
  ...MARKET,
  { name: 'live', kind: 'flag' },
  { name: 'open', kind: 'flag' },
  { name: 'fair', kind: 'number' },
  { name: 'spread', kind: 'number' },
  { name: 'best_first', kind: 'number' },
  { name: 'best_second', kind: 'number' },
  { name: 'position_first', kind: 'number' },
  { name: 'position_second', kind: 'number' },
  { name: 'staked', kind: 'number' },
  { name: 'marked', kind: 'number' },
];

/** The run that rows belong to. Undefined fields for a tape. */
export type Origin = { readonly scenario: string | undefined; readonly run: string | undefined };
/** A tape or journal to read, and the receivers of its problems and of its progress. */
export type BookSource = Origin & {
  readonly file: string;
  /** Receives each problem of the file. Reading ends there, or continues after it. */
  readonly problem: (text: string) => void;
  readonly progress: (bytes: number) => void;
};

const round = (dollars: number): number => Math.round(dollars * 1e6) / 1e6;

const marketCells = ({ market: { id, gameId, type, line }, game }: MarketBooks): Row => [
  ...[game.league, gameId, game.eventName, id, type, line],
];

/** The events of a tape, or of a journal with all its parts. */
async function* eventsOf({ file, problem, progress }: BookSource) {
  const parts = partsOf(file);
  const files = parts.length === 0 ? [{ file }] : parts;
  for (const part of files) yield* decodeTape(part.file, { torn: problem, unreadable: problem, progress });
}

/**
 * Yields a row for each price level of a side that changed, up to `levels` levels, or one row of level 0 when
 * the side is empty.
 */
export async function* bookRows(source: BookSource, levels: number): AsyncGenerator<Row, void, void> {
  const books = new BookFollower();
  const { scenario, run } = source;
  for await (const events of eventsOf(source))
    for (const event of events)
      for (const { books: market, side } of books.applyEvent(event)) {
        if (side === undefined) continue;
        const head = [scenario, run, event.ts, ...marketCells(market), market.game.isLive];
        const shown = levelsOf(market.ladders[sideIndex(side)], levels);
        if (shown.length === 0) yield [...head, side, 0, undefined, undefined, 0, 0, 0];
        for (const [index, { odds, probability, size, orders, own }] of shown.entries())
          yield [...head, side, index + 1, odds, probability, round(size), orders, round(own)];
      }
}

type Level = { odds: number; probability: number; size: number; orders: number; own: number };

function levelsOf(ladder: Ladder, most: number): readonly Level[] {
  const levels: Level[] = [];
  let rung: number | undefined;
  for (const offer of ladder) {
    const dollars = offer.untaken / 1e6;
    const last = levels[levels.length - 1];
    if (last !== undefined && rung === offer.rung) {
      last.size += dollars;
      last.orders += 1;
      if (offer.own) last.own += dollars;
      continue;
    }
    if (levels.length === most) break;
    rung = offer.rung;
    levels.push({
      odds: oddsOf(offer.rung),
      probability: probabilityOfRung(offer.rung),
      size: dollars,
      orders: 1,
      own: offer.own ? dollars : 0,
    });
  }
  return levels;
}

/**
 * Yields a row whenever the others' price of a market changes, or the position in it.
 * @param held the positions, in the order of time
 */
export async function* markRows(
  source: BookSource,
  held: Iterator<HeldMark> = [][Symbol.iterator](),
): AsyncGenerator<Row, void, void> {
  const books = new BookFollower();
  const known = new Map<string, { books: MarketBooks; text: string }>();
  const holdings = new Map<string, HeldMark>();
  const { scenario, run } = source;
  let next = held.next();
  const rowOf = (ts: number, market: MarketBooks, price: Price): Row => {
    const mark = holdings.get(market.market.id);
    return [
      ...[scenario, run, ts, ...marketCells(market), market.game.isLive, market.game.isOpen],
      ...[price.fair, price.spread, price.first, price.second],
      ...[mark?.first, mark?.second, mark?.staked, mark?.marked],
    ];
  };
  const heldUpTo = function* (ts: number): Generator<Row, void, void> {
    for (; next.done !== true && next.value.at <= ts; next = held.next()) {
      const mark = next.value;
      holdings.set(mark.market, mark);
      const market = known.get(mark.market)?.books;
      if (market !== undefined) yield rowOf(mark.at, market, priceOf(market));
    }
  };
  for await (const events of eventsOf(source))
    for (const event of events) {
      yield* heldUpTo(event.ts);
      for (const { books: market } of books.applyEvent(event)) {
        const price = priceOf(market);
        const text = `${price.fair} ${price.spread} ${market.game.isOpen}`;
        const before = known.get(market.market.id);
        if (before?.text === text) continue;
        known.set(market.market.id, { books: market, text });
        // a market without any price so far has no row
        if (before === undefined && price.fair === undefined) continue;
        yield rowOf(event.ts, market, price);
      }
    }
  yield* heldUpTo(Number.POSITIVE_INFINITY);
}

type Price = Readonly<Record<'fair' | 'spread' | 'first' | 'second', number | undefined>>;

/** Computes the price of the others' offers in a market, without own offers. */
function priceOf({ ladders: [first, second], game }: MarketBooks): Price {
  const [others, otherSide] = [withoutOwn(first), withoutOwn(second)];
  const consensus = game.isOpen ? consensusOf(others, otherSide) : undefined;
  const best = (ladder: Ladder): number | undefined => (ladder[0] === undefined ? undefined : oddsOf(ladder[0].rung));
  return { fair: consensus?.p, spread: consensus?.spread, first: best(others), second: best(otherSide) };
}

const withoutOwn = (ladder: Ladder): Ladder =>
  ladder.some(({ own }) => own) ? ladder.filter(({ own }) => !own) : ladder;
