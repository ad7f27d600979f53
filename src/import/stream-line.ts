// Parses one line of Betfair's historical stream: a message with the changes of one or more markets
// (docs/import-betfair.md). Every number that a book is made from is checked: after an unreadable line the
// book is unknown.
import { isUnixMs, parseTime, unixMsProblem } from '../domain/index.ts';
import type { Json } from '../wire/index.ts';
import { isRecord } from '../wire/index.ts';

/** Decimal odds and the backers' stake at them; 0: nothing is left. */
export type PriceSize = readonly [price: number, size: number];
/** A price and size by place in the list; place 0 is the best. */
export type PlaceSize = readonly [place: number, price: number, size: number];

/** Changes of one runner. Undefined fields are unchanged. */
export type RunnerChange = {
  readonly id: number;
  readonly handicap: number;
  /**
   * Sizes available to back (`atb`) and to lay (`atl`). The other side of `atb` lays, that of `atl` backs.
   */
  readonly toBack: readonly PriceSize[] | undefined;
  readonly toLay: readonly PriceSize[] | undefined;
  /** Only the best prices, by place (`batb`, `batl`), as in ADVANCED data. */
  readonly bestToBack: readonly PlaceSize[] | undefined;
  readonly bestToLay: readonly PlaceSize[] | undefined;
  /** The total traded so far, with both stakes of a match (`trd`). */
  readonly traded: readonly PriceSize[] | undefined;
  /** True when it has a price of the last trade (`ltp`), which is all that BASIC data has. */
  readonly hasLast: boolean;
};

export type RunnerDefinition = {
  readonly id: number;
  readonly handicap: number;
  readonly name: string | undefined;
  readonly priority: number;
  readonly status: string;
};

export type MarketDefinition = {
  readonly eventId: string;
  readonly eventName: string | undefined;
  readonly eventTypeId: string;
  readonly marketType: string;
  readonly bettingType: string;
  readonly marketName: string | undefined;
  readonly countryCode: string | undefined;
  /** Unix ms. */
  readonly start: number;
  readonly inPlay: boolean;
  readonly status: string;
  /** The runners in Betfair's order. */
  readonly runners: readonly RunnerDefinition[];
};

export type MarketChange = {
  readonly id: string;
  readonly definition: MarketDefinition | undefined;
  /** True for a complete book: what it omits is gone. */
  readonly isImage: boolean;
  readonly runners: readonly RunnerChange[];
};

export type StreamMessage = {
  /** Unix ms at which Betfair published it. */
  readonly t: number;
  readonly markets: readonly MarketChange[];
};

const MOST_SIZE = 1e9;
/** Exclusive and inclusive bound of prices: Betfair has prices from 1.01 to 1000. */
const [LEAST_PRICE, MOST_PRICE] = [1, 1000];

/**
 * The message of a line. A text says what is wrong with the line. Undefined for a message without markets.
 */
export function parseStreamLine(line: string): StreamMessage | string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return 'this line is not JSON, or is cut short';
  }
  if (!isRecord(json) || typeof json['op'] !== 'string') return 'this line is no message of the Betfair stream';
  const { op, pt, mc } = json;
  if (op !== 'mcm' || mc === undefined) return undefined;
  if (typeof pt !== 'number') return '"pt" must be milliseconds';
  if (!isUnixMs(pt)) return unixMsProblem('pt', pt);
  if (!Array.isArray(mc)) return '"mc" must be a list of markets';
  const markets: MarketChange[] = [];
  for (const marketJson of mc as readonly unknown[]) {
    const change = isRecord(marketJson) ? marketChange(marketJson) : 'a market must be an object';
    if (typeof change === 'string') return change;
    markets.push(change);
  }
  return { t: pt, markets };
}

function marketChange({ id, marketDefinition, img, rc }: Json): MarketChange | string {
  if (typeof id !== 'string' || id === '') return 'a market without an id';
  const definition = isRecord(marketDefinition) ? definitionOf(marketDefinition) : undefined;
  if (typeof definition === 'string') return `market ${id}: ${definition}`;
  const runners: RunnerChange[] = [];
  for (const runnerJson of Array.isArray(rc) ? (rc as readonly unknown[]) : []) {
    const runner = isRecord(runnerJson) ? runnerChange(runnerJson) : 'a runner must be an object';
    if (typeof runner === 'string') return `market ${id}: ${runner}`;
    runners.push(runner);
  }
  return { id, definition, isImage: img === true, runners };
}

function runnerChange(json: Json): RunnerChange | string {
  const { id, hc } = json;
  if (typeof id !== 'number') return 'a runner without an id';
  const bad: string[] = [];
  const listOf = <T>(field: string, isItem: (value: unknown) => value is T): readonly T[] | undefined => {
    const value = json[field];
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value) && value.every(isItem)) return value;
    bad.push(field);
    return undefined;
  };
  const change = {
    id,
    handicap: typeof hc === 'number' ? hc : 0,
    toBack: listOf('atb', isPriceSize),
    toLay: listOf('atl', isPriceSize),
    bestToBack: listOf('batb', isPlaceSize),
    bestToLay: listOf('batl', isPlaceSize),
    traded: listOf('trd', isPriceSize),
    hasLast: typeof json['ltp'] === 'number',
  };
  return bad.length === 0
    ? change
    : `runner ${id}: "${bad.join('", "')}" must be a list of prices from 1.01 to 1000 and sizes`;
}

const isPrice = (value: unknown): boolean => typeof value === 'number' && value > LEAST_PRICE && value <= MOST_PRICE;
const isSize = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= MOST_SIZE;

const isPriceSize = (value: unknown): value is PriceSize =>
  Array.isArray(value) && value.length === 2 && isPrice(value[0]) && isSize(value[1]);

const isPlaceSize = (value: unknown): value is PlaceSize =>
  Array.isArray(value) &&
  value.length === 3 &&
  Number.isInteger(value[0]) &&
  // an empty place has no price
  isSize(value[2]) &&
  (isPrice(value[1]) || value[2] === 0);

function definitionOf(json: Json): MarketDefinition | string {
  const { eventId, eventTypeId, marketTime, openDate, runners } = json;
  const text = (field: string): string | undefined => {
    const value = json[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  if (typeof eventId !== 'string' || eventId === '') return 'a definition without an eventId';
  const startText = marketTime ?? openDate;
  const start = typeof startText === 'string' ? parseTime(startText) : undefined;
  if (start === undefined) return 'a definition without a marketTime';
  if (!Array.isArray(runners)) return 'a definition without runners';
  const read: RunnerDefinition[] = [];
  for (const runnerJson of runners as readonly unknown[]) {
    if (!isRecord(runnerJson) || typeof runnerJson['id'] !== 'number') return 'a runner without an id';
    const { id, hc, name, sortPriority, status } = runnerJson;
    read.push({
      id,
      handicap: typeof hc === 'number' ? hc : 0,
      name: typeof name === 'string' && name !== '' ? name : undefined,
      priority: typeof sortPriority === 'number' ? sortPriority : read.length + 1,
      status: typeof status === 'string' ? status : 'ACTIVE',
    });
  }
  return {
    eventId,
    eventName: text('eventName'),
    eventTypeId: typeof eventTypeId === 'string' ? eventTypeId : '',
    marketType: text('marketType') ?? '',
    bettingType: text('bettingType') ?? '',
    marketName: text('name'),
    countryCode: text('countryCode'),
    start,
    inPlay: json['inPlay'] === true,
    status: text('status') ?? 'OPEN',
    runners: read.sort((left, right) => left.priority - right.priority),
  };
}
