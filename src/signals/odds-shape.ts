// Parses an odds feed in the shape that vendors share: a list of events, each with its start, two teams,
// bookmakers, their markets (market-key.ts) and outcomes with price and point. Bad parts are left out, counted
// and named; the rest is used.
import { messageOf, parseTime } from '../domain/index.ts';
import { readMarketKey } from './market-key.ts';
import type { OddsBook, OddsEvent, OddsMarket, OddsOutcome } from './odds-event.ts';
import { eventText } from './odds-event.ts';
import { mergedEvents } from './odds-merge.ts';

export type { OddsBook, OddsEvent, OddsMarket, OddsOutcome } from './odds-event.ts';

export type OddsDocument = {
  readonly events: readonly OddsEvent[];
  /** The number of events, and of markets of the known kinds, that cannot be read. */
  readonly skipped: { readonly events: number; readonly markets: number };
  /** What cannot be read, each by event, book and outcome, and why. At most 1,000. */
  readonly faults: readonly string[];
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
  } catch (error) {
    return `it is no JSON: ${messageOf(error)}`;
  }
  return readOddsList(parsed);
}

/** Reads a list of events. Returns the problem as text when it is none. */
export function readOddsList(parsed: unknown): OddsDocument | string {
  if (!Array.isArray(parsed)) {
    const { message } = objectOf(parsed);
    const reason = typeof message === 'string' ? `: it says ${JSON.stringify(message.slice(0, 200))}` : '';
    return `it is no list of events${reason}`;
  }
  const list = (parsed as readonly unknown[]).map(objectOf);
  const usual = usualFormatOf(list.flatMap(booksOf));
  const notes = { skipped: { events: 0, markets: 0 }, faults: [], formats: new Set<PriceFormat>() } satisfies Notes;
  const events = list.flatMap((entry, index) => {
    const event = eventOf(entry, usual, notes);
    if (typeof event !== 'string') return [event];
    notes.skipped.events += 1;
    note(notes, `event ${index + 1}: ${event}`);
    return [];
  });
  const { skipped, faults, formats } = notes;
  const [format = usual] = formats;
  return { events: mergedEvents(events), skipped, faults, format: formats.size > 1 ? 'mixed' : format };
}

type Notes = {
  readonly skipped: { events: number; markets: number };
  readonly faults: string[];
  readonly formats: Set<PriceFormat>;
};
const MOST_FAULTS = 1000;
const note = ({ faults }: Notes, fault: string): void => {
  if (faults.length < MOST_FAULTS) faults.push(fault);
};

const booksOf = (event: Json): readonly Json[] => listOf(event['bookmakers']).map(objectOf);

/** Reads an event, or says why it cannot be read. Notes bad markets and the formats of prices. */
function eventOf(entry: Json, usual: PriceFormat, notes: Notes): OddsEvent | string {
  const start = timeOf(entry['commence_time']);
  const [home, away] = [textOf(entry['home_team']), textOf(entry['away_team'])];
  if (home === undefined || away === undefined || home === away) return 'expected home_team and away_team';
  if (start === undefined) return `${eventText({ home, away })}: expected commence_time as ISO time or Unix seconds`;
  const books = booksOf(entry).map((book): OddsBook => {
    const format = formatOf([book]) ?? usual;
    const key = textOf(book['key']) ?? textOf(book['title']) ?? '';
    const markets = listOf(book['markets']).flatMap((listed): OddsMarket[] => {
      const fields = objectOf(listed);
      const marketName = textOf(fields['key']) ?? '';
      const known = readMarketKey(marketName);
      if (known === undefined) return [];
      const read = pricesIn(fields, book, format);
      if (typeof read === 'string') {
        notes.skipped.markets += 1;
        note(notes, `${eventText({ home, away })}: ${key} ${marketName}: ${read}`);
        return [];
      }
      notes.formats.add(format);
      return [{ key: marketName, ...known, ...read }];
    });
    return { key, title: textOf(book['title']) ?? key, markets };
  });
  const id = idOf(entry['id']) ?? `${away} @ ${home}, ${new Date(start).toISOString()}`;
  return { id, sport: textOf(entry['sport_key']) ?? '', start, home, away, books };
}

/** The outcomes of a market and their time, or why they cannot be read. */
function pricesIn(market: Json, book: Json, format: PriceFormat): Pick<OddsMarket, 'updated' | 'outcomes'> | string {
  const outcomes: OddsOutcome[] = [];
  for (const listed of listOf(market['outcomes'])) {
    const outcome = outcomeOf(objectOf(listed), format);
    if (typeof outcome === 'string') return outcome;
    outcomes.push(outcome);
  }
  if (outcomes.length < 2) return 'expected at least two outcomes';
  const given = market['last_update'] ?? book['last_update'] ?? undefined;
  const updated = timeOf(given);
  // a price whose time cannot be read may be old, so it is skipped
  if (given !== undefined && updated === undefined) return `last_update ${shown(given)}: expected a time`;
  return { updated, outcomes };
}

function outcomeOf(outcome: Json, format: PriceFormat): OddsOutcome | string {
  const { price, point } = outcome;
  const name = textOf(outcome['name']);
  if (name === undefined) return 'expected an outcome with a name';
  const decimal = typeof price === 'number' ? decimalOf(price, format) : undefined;
  if (decimal === undefined) return `${name}: price ${shown(price)}: ${PRICES[format]}`;
  if (point === undefined || point === null) return { name, decimal, point: undefined };
  if (typeof point === 'number' && Number.isFinite(point)) return { name, decimal, point };
  return `${name}: point ${shown(point)}: expected a number`;
}

const PRICES: Readonly<Record<PriceFormat, string>> = {
  american: 'expected American odds, −100 or less or +100 or more',
  decimal: 'expected decimal odds above 1',
};
const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

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
