// Parses an odds feed in the shape that vendors share: a list of events, each with its start, two teams,
// bookmakers, their markets (h2h, spreads, totals) and outcomes with price and point. Bad parts are left out
// and counted; the rest is used.
import { parseTime } from '../domain/index.ts';
import type { OddsBook, OddsEvent, OddsMarket, OddsOutcome } from './odds-event.ts';
import { mergedEvents } from './odds-merge.ts';

export type { OddsBook, OddsEvent, OddsMarket, OddsOutcome } from './odds-event.ts';

export type OddsDocument = {
  readonly events: readonly OddsEvent[];
  /** The number of events, and of h2h, spreads and totals markets, that cannot be read. */
  readonly skipped: { readonly events: number; readonly markets: number };
  /** Format of the prices. `mixed` when books differ. */
  readonly format: PriceFormat | 'mixed';
};
type PriceFormat = 'decimal' | 'american';

type Json = Readonly<Record<string, unknown>>;

/** Parses a document. Returns the problem as text when it is not one. */
export function readOdds(text: string): OddsDocument | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  if (!Array.isArray(parsed)) {
    const { message } = objectOf(parsed);
    const reason = typeof message === 'string' ? `: it says ${JSON.stringify(message.slice(0, 200))}` : '';
    return `it is no list of events${reason}`;
  }
  const list = (parsed as readonly unknown[]).map(objectOf);
  const usual = usualFormatOf(list.flatMap(booksOf));
  const skipped = { events: 0, markets: 0 };
  const formats = new Set<PriceFormat>();
  const events: OddsEvent[] = [];
  for (const entry of list) {
    const event = eventOf(entry, usual, skipped, formats);
    if (event === undefined) skipped.events += 1;
    else events.push(event);
  }
  const [format = usual] = formats;
  return { events: mergedEvents(events), skipped, format: formats.size > 1 ? 'mixed' : format };
}

const booksOf = (event: Json): readonly Json[] => listOf(event['bookmakers']).map(objectOf);

/**
 * Reads an event. Undefined when its start or a team cannot be read. Counts skipped markets and collects
 * formats.
 */
function eventOf(
  entry: Json,
  usual: PriceFormat,
  skipped: { markets: number },
  formats: Set<PriceFormat>,
): OddsEvent | undefined {
  const start = timeOf(entry['commence_time']);
  const [home, away] = [textOf(entry['home_team']), textOf(entry['away_team'])];
  if (start === undefined || home === undefined || away === undefined || home === away) return undefined;
  const books = booksOf(entry).map((book): OddsBook => {
    const format = formatOf([book]) ?? usual;
    const key = textOf(book['key']) ?? textOf(book['title']) ?? '';
    const markets = listOf(book['markets']).flatMap((market): OddsMarket[] => {
      const { key: kind, outcomes, last_update: updated } = objectOf(market);
      if (kind !== 'h2h' && kind !== 'spreads' && kind !== 'totals') return [];
      const read = listOf(outcomes).map((outcome) => outcomeOf(objectOf(outcome), format));
      const givenTime = updated ?? book['last_update'] ?? undefined;
      const updatedAt = timeOf(givenTime);
      // a price whose time cannot be read may be old, so it is skipped
      if (read.length < 2 || read.includes(undefined) || (givenTime !== undefined && updatedAt === undefined)) {
        skipped.markets += 1;
        return [];
      }
      formats.add(format);
      return [{ key: kind, updated: updatedAt, outcomes: read as readonly OddsOutcome[] }];
    });
    return { key, title: textOf(book['title']) ?? key, markets };
  });
  const id = idOf(entry['id']) ?? `${away} @ ${home}, ${new Date(start).toISOString()}`;
  return { id, sport: textOf(entry['sport_key']) ?? '', start, home, away, books };
}

function outcomeOf(outcome: Json, format: PriceFormat): OddsOutcome | undefined {
  const { price, point } = outcome;
  const name = textOf(outcome['name']);
  const decimal = typeof price === 'number' ? decimalOf(price, format) : undefined;
  if (name === undefined || decimal === undefined) return undefined;
  if (point === undefined || point === null) return { name, decimal, point: undefined };
  return typeof point === 'number' && Number.isFinite(point) ? { name, decimal, point } : undefined;
}

/** Range of decimal prices. Prices outside it are not read. */
const [LEAST_DECIMAL, MOST_DECIMAL] = [1.001, 10_001];

function decimalOf(price: number, format: PriceFormat): number | undefined {
  const decimal =
    format === 'decimal' ? price : Math.abs(price) < 100 ? Number.NaN : price > 0 ? 1 + price / 100 : 1 - 100 / price;
  return decimal >= LEAST_DECIMAL && decimal <= MOST_DECIMAL ? decimal : undefined;
}

/**
 * The format of most prices of these books. A price of −100 or less can only be American; one between 1.001
 * and 100 can only be decimal. Other prices are ambiguous or invalid and do not count. Undefined when no
 * format has the majority.
 */
function formatOf(books: readonly Json[]): PriceFormat | undefined {
  const prices = pricesOf(books);
  const decimal = prices.filter((price) => price >= LEAST_DECIMAL && price < 100).length;
  const american = prices.filter((price) => price <= -100).length;
  return decimal === american ? undefined : decimal > american ? 'decimal' : 'american';
}

/**
 * The format of a document's ambiguous books. When no price is unambiguous and all are 100 or more, it is
 * American.
 */
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

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 200) : undefined;
/** The event's id as text. Two games of the same teams have different ids. */
const idOf = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : textOf(value);

/** Unix ms. A time outside this century is in another unit, or wrong. */
const TIMES = { from: Date.UTC(2000, 0), to: Date.UTC(2100, 0) } as const;

/**
 * A time as Unix ms, from ISO text (UTC when it has no zone) or Unix seconds. Undefined when it cannot be
 * read.
 */
function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? parseTime(value) : typeof value === 'number' ? value * 1000 : undefined;
  return ms !== undefined && ms >= TIMES.from && ms < TIMES.to ? ms : undefined;
}
