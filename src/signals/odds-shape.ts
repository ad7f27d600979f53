// An odds feed in the shape that vendors share: a list of events, each with its start, two teams, bookmakers, their markets
// (h2h, spreads, totals) and outcomes with price and point. What is odd is left out and counted: one bad event ends nothing.
import { parseTime } from '../domain/index.ts';
import type { OddsBook, OddsEvent, OddsMarket, OddsOutcome } from './odds-event.ts';
import { mergedEvents } from './odds-merge.ts';

export type { OddsBook, OddsEvent, OddsMarket, OddsOutcome } from './odds-event.ts';

export type OddsDocument = {
  readonly events: readonly OddsEvent[];
  /** Of events, and of markets of the three kinds, that cannot be read. */
  readonly skipped: { readonly events: number; readonly markets: number };
  /** What the prices are written in, book by book. */
  readonly format: PriceFormat | 'mixed';
};
type PriceFormat = 'decimal' | 'american';

type Json = Readonly<Record<string, unknown>>;

/** The document, or why it is none. */
export function readOdds(text: string): OddsDocument | string {
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  if (!Array.isArray(told)) {
    const { message } = objectOf(told);
    const said = typeof message === 'string' ? `: it says ${JSON.stringify(message.slice(0, 200))}` : '';
    return `it is no list of events${said}`;
  }
  const list = (told as readonly unknown[]).map(objectOf);
  const usual = usualFormatOf(list.flatMap(booksOf));
  const skipped = { events: 0, markets: 0 };
  const formats = new Set<PriceFormat>();
  const events: OddsEvent[] = [];
  for (const one of list) {
    const event = eventOf(one, usual, skipped, formats);
    if (event === undefined) skipped.events += 1;
    else events.push(event);
  }
  const [format = usual] = formats;
  return { events: mergedEvents(events), skipped, format: formats.size > 1 ? 'mixed' : format };
}

const booksOf = (event: Json): readonly Json[] => listOf(event['bookmakers']).map(objectOf);

function eventOf(
  told: Json,
  usual: PriceFormat,
  skipped: { markets: number },
  formats: Set<PriceFormat>,
): OddsEvent | undefined {
  const start = timeOf(told['commence_time']);
  const [home, away] = [textOf(told['home_team']), textOf(told['away_team'])];
  if (start === undefined || home === undefined || away === undefined || home === away) return undefined;
  const books = booksOf(told).map((book): OddsBook => {
    const format = formatOf([book]) ?? usual;
    const key = textOf(book['key']) ?? textOf(book['title']) ?? '';
    const markets = listOf(book['markets']).flatMap((of): OddsMarket[] => {
      const { key: kind, outcomes, last_update: updated } = objectOf(of);
      if (kind !== 'h2h' && kind !== 'spreads' && kind !== 'totals') return [];
      const read = listOf(outcomes).map((outcome) => outcomeOf(objectOf(outcome), format));
      const toldAt = updated ?? book['last_update'] ?? undefined;
      const at = timeOf(toldAt);
      // a price of a time that cannot be read may be old: it is not one of now
      if (read.length < 2 || read.includes(undefined) || (toldAt !== undefined && at === undefined)) {
        skipped.markets += 1;
        return [];
      }
      formats.add(format);
      return [{ key: kind, updated: at, outcomes: read as readonly OddsOutcome[] }];
    });
    return { key, title: textOf(book['title']) ?? key, markets };
  });
  const id = idOf(told['id']) ?? `${away} @ ${home}, ${new Date(start).toISOString()}`;
  return { id, sport: textOf(told['sport_key']) ?? '', start, home, away, books };
}

function outcomeOf(told: Json, format: PriceFormat): OddsOutcome | undefined {
  const { price, point } = told;
  const name = textOf(told['name']);
  const decimal = typeof price === 'number' ? decimalOf(price, format) : undefined;
  if (name === undefined || decimal === undefined) return undefined;
  if (point === undefined || point === null) return { name, decimal, point: undefined };
  return typeof point === 'number' && Number.isFinite(point) ? { name, decimal, point } : undefined;
}

/** Prices beyond are none. */
const [LEAST_DECIMAL, MOST_DECIMAL] = [1.001, 10_001];

function decimalOf(price: number, format: PriceFormat): number | undefined {
  const decimal =
    format === 'decimal' ? price : Math.abs(price) < 100 ? Number.NaN : price > 0 ? 1 + price / 100 : 1 - 100 / price;
  return decimal >= LEAST_DECIMAL && decimal <= MOST_DECIMAL ? decimal : undefined;
}

/**
 * What most prices of these books are by themselves: from −100 down American alone, and between the least decimal one and 100
 * decimal alone. Others may be either, or are none: they say nothing. Undefined: no format has more.
 */
function formatOf(books: readonly Json[]): PriceFormat | undefined {
  const prices = pricesOf(books);
  const decimal = prices.filter((price) => price >= LEAST_DECIMAL && price < 100).length;
  const american = prices.filter((price) => price <= -100).length;
  return decimal === american ? undefined : decimal > american ? 'decimal' : 'american';
}

/** Of a document: where no price says what it is, those that may be either are American. */
function usualFormatOf(books: readonly Json[]): PriceFormat {
  const prices = pricesOf(books).filter((price) => price >= LEAST_DECIMAL);
  const isFar = prices.length > 0 && prices.every((price) => price >= 100);
  return formatOf(books) ?? (isFar ? 'american' : 'decimal');
}

const pricesOf = (books: readonly Json[]): readonly number[] =>
  books
    .flatMap((book) => listOf(book['markets']))
    .flatMap((market) => listOf(objectOf(market)['outcomes']))
    .map((outcome) => objectOf(outcome)['price'])
    .filter((price) => typeof price === 'number');

const objectOf = (told: unknown): Json =>
  typeof told === 'object' && told !== null && !Array.isArray(told) ? (told as Json) : {};
const listOf = (told: unknown): readonly unknown[] => (Array.isArray(told) ? (told as readonly unknown[]) : []);
const textOf = (told: unknown): string | undefined =>
  typeof told === 'string' && told.trim() !== '' ? told.trim().slice(0, 200) : undefined;
/** Two games of the same teams have two. */
const idOf = (told: unknown): string | undefined =>
  typeof told === 'number' && Number.isFinite(told) ? String(told) : textOf(told);

/** Unix ms: what is told of other centuries is in another unit, or rubbish. */
const TIMES = { from: Date.UTC(2000, 0), to: Date.UTC(2100, 0) } as const;

/** ISO, which is UTC without a zone; or Unix seconds. */
function timeOf(told: unknown): number | undefined {
  const ms = typeof told === 'string' ? parseTime(told) : typeof told === 'number' ? told * 1000 : undefined;
  return ms !== undefined && ms >= TIMES.from && ms < TIMES.to ? ms : undefined;
}
