// Books and prices over time as rows, from a tape or from a journal as one.
import type { MarketBooks } from '../tape/index.ts';
import { BookFollower, decodeTape } from '../tape/index.ts';
import type { Ladder } from '../domain/index.ts';
import { consensusOf, oddsOf, probabilityOfRung, sideIndex } from '../domain/index.ts';
import type { Column, Row } from '../table/index.ts';

/** Of the run that a row is of; a tape has none. */
export const ORIGIN: readonly Column[] = [
  { name: 'scenario', kind: 'text' },
  { name: 'run', kind: 'text' },
];
export const MARKET: readonly Column[] = [
  { name: 'league', kind: 'text' },
  { name: 'game', kind: 'text' },
  { name: 'event', kind: 'text' },
  { name: 'market', kind: 'text' },
  { name: 'type', kind: 'text' },
  { name: 'line', kind: 'number' },
];

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

export type Origin = { readonly scenario: string | undefined; readonly run: string | undefined };
export type BookSource = Origin & {
  readonly file: string;
  /** Told of what cannot be read of it: it ends there, or goes on. */
  readonly problem: (text: string) => void;
  readonly progress: (bytes: number) => void;
};

/** What is held in a market, as of a time: dollars. */
export type HeldMark = {
  /** Unix ms. */
  readonly at: number;
  readonly market: string;
  readonly first: number;
  readonly second: number;
  readonly staked: number;
  readonly marked: number;
};

const round = (dollars: number): number => Math.round(dollars * 1e6) / 1e6;

const marketCells = ({ market: { id, gameId, type, line }, game }: MarketBooks): Row => [
  ...[game.league, gameId, game.eventName, id, type, line],
];

const eventsOf = ({ file, problem, progress }: BookSource) =>
  decodeTape(file, { torn: problem, unreadable: problem, progress });

/** A row for each price level of a side that changed, `levels` at most; one of level 0 where it is empty. */
export async function* bookRows(source: BookSource, levels: number): AsyncGenerator<Row, void, void> {
  const books = new BookFollower();
  const { scenario, run } = source;
  for await (const events of eventsOf(source))
    for (const event of events)
      for (const { books: of, side } of books.apply(event)) {
        if (side === undefined) continue;
        const head = [scenario, run, event.ts, ...marketCells(of), of.game.isLive];
        const shown = levelsOf(of.ladders[sideIndex(side)], levels);
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

/** A row where the others' price of a market changed, or what is held of it (`held`: by time). */
export async function* markRows(
  source: BookSource,
  held: Iterator<HeldMark> = [][Symbol.iterator](),
): AsyncGenerator<Row, void, void> {
  const books = new BookFollower();
  const known = new Map<string, { of: MarketBooks; text: string }>();
  const holdings = new Map<string, HeldMark>();
  const { scenario, run } = source;
  let next = held.next();
  const rowOf = (ts: number, of: MarketBooks, price: Price): Row => {
    const mark = holdings.get(of.market.id);
    return [
      ...[scenario, run, ts, ...marketCells(of), of.game.isLive, of.game.isOpen],
      ...[price.fair, price.spread, price.first, price.second],
      ...[mark?.first, mark?.second, mark?.staked, mark?.marked],
    ];
  };
  const heldUpTo = function* (ts: number): Generator<Row, void, void> {
    for (; next.done !== true && next.value.at <= ts; next = held.next()) {
      const mark = next.value;
      holdings.set(mark.market, mark);
      const of = known.get(mark.market)?.of;
      if (of !== undefined) yield rowOf(mark.at, of, priceOf(of));
    }
  };
  for await (const events of eventsOf(source))
    for (const event of events) {
      yield* heldUpTo(event.ts);
      for (const { books: of } of books.apply(event)) {
        const price = priceOf(of);
        const text = `${price.fair} ${price.spread} ${of.game.isOpen}`;
        const before = known.get(of.market.id);
        if (before?.text === text) continue;
        known.set(of.market.id, { of, text });
        // of a market that never had a price there is nothing to tell
        if (before === undefined && price.fair === undefined) continue;
        yield rowOf(event.ts, of, price);
      }
    }
  yield* heldUpTo(Number.POSITIVE_INFINITY);
}

type Price = Readonly<Record<'fair' | 'spread' | 'first' | 'second', number | undefined>>;

/** Own offers say nothing of the others' price. */
function priceOf({ ladders: [first, second], game }: MarketBooks): Price {
  const [one, two] = [withoutOwn(first), withoutOwn(second)];
  const consensus = game.isOpen ? consensusOf(one, two) : undefined;
  const best = (ladder: Ladder): number | undefined => (ladder[0] === undefined ? undefined : oddsOf(ladder[0].rung));
  return { fair: consensus?.p, spread: consensus?.spread, first: best(one), second: best(two) };
}

const withoutOwn = (ladder: Ladder): Ladder =>
  ladder.some(({ own }) => own) ? ladder.filter(({ own }) => !own) : ladder;
