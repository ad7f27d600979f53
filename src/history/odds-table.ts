// Reads a table of odds, a row for each game (and each book, where it names books), into odds documents. Odds may be
// American or decimal, as in a table of fills.
import { isoTime, isUnixMs, parseTime } from '../domain/index.ts';
import type { UserTable } from '../table/index.ts';
import type { OddsHistory } from '../signals/index.ts';
import type { Columns } from './columns.ts';
import { columnsOf, requireColumns } from './columns.ts';
import { numberOf } from './numbers.ts';
import { numberFormatOf, priceOf } from './odds-format.ts';

const NAMES = {
  id: ['game id', 'event id', 'id'],
  sport: ['sport key', 'sport'],
  home: ['home team', 'home name', 'hometeam', 'home'],
  away: ['away team', 'away name', 'awayteam', 'away'],
  start: ['kickoff utc', 'commence time', 'start', 'start time', 'kickoff', 'date'],
  fetched: ['snapshot utc', 'fetched', 'fetched at', 'snapshot', 'timestamp', 'ts', 'time'],
  updated: ['book last update', 'last update'],
  book: ['book', 'bookmaker', 'sportsbook'],
  homePrice: ['ml home', 'home ml', 'home close ml', 'home close', 'home odds', 'home price'],
  awayPrice: ['ml away', 'away ml', 'away close ml', 'away close', 'away odds', 'away price'],
  drawPrice: ['draw close', 'ml draw', 'draw ml', 'draw odds', 'draw'],
  spread: ['spread home', 'home spread', 'home close spread', 'home run line', 'home handicap'],
  spreadHomePrice: ['spread home price', 'spread home odds', 'home spread odds', 'home run line odds'],
  spreadAwayPrice: ['spread away price', 'spread away odds', 'away spread odds', 'away run line odds'],
  total: ['total', 'total line', 'close over under', 'close ou line'],
  overPrice: ['over price', 'total over odds', 'over odds'],
  underPrice: ['under price', 'total under odds', 'under odds'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Field = keyof typeof NAMES;
const PRICES = [
  'homePrice',
  'awayPrice',
  'drawPrice',
  'spreadHomePrice',
  'spreadAwayPrice',
  'overPrice',
  'underPrice',
] as const;

/** A pair of columns whose names hold their line, as `over_2.5_close`. */
const OVER = /^over[_ ](\d+(?:\.\d+)?)(?:[_ ](?:close|odds|price))?$/i;

export type OddsTableSettings = {
  /** Columns by field. */
  readonly map: Readonly<Record<string, string>>;
  /** A vendor's key of the sport, where no column has one. */
  readonly sport?: string | undefined;
  /** As in OddsHistory: undefined where a table without times is refused. */
  readonly assumedDelayMs: number | undefined;
};

/**
 * Adds the rows of a table.
 * @returns rows that are left out, and why
 * @throws OddsmakerError TABLE_INVALID: a column is missing
 */
export function addOddsTable(
  history: OddsHistory,
  table: UserTable,
  settings: OddsTableSettings,
  file: string,
): readonly string[] {
  const columns = columnsOf<Field>(NAMES, table.columns, settings.map, file);
  const overIndex = table.columns.findIndex((name) => OVER.test(name));
  const [, overLine] = OVER.exec(table.columns[overIndex] ?? '') ?? [];
  const underIndex = table.columns.findIndex(
    (name) => overIndex >= 0 && name === (table.columns[overIndex] ?? '').replace(/^over/i, 'under'),
  );
  refuseMissing(columns, overIndex >= 0, settings, table, file);
  const cells = (field: Field): readonly string[] => {
    const index = columns[field];
    return index === undefined ? [] : table.rows.map((row) => row.cells[index] ?? '').filter(Boolean);
  };
  const format = numberFormatOf(PRICES.flatMap(cells), [], file);
  const faults: string[] = [];
  const listings: Listing[] = [];
  for (const row of table.rows) {
    const cell = (field: Field): string => {
      const index = columns[field];
      return index === undefined ? '' : (row.cells[index] ?? '').trim();
    };
    const line = (field: Field): number | undefined => numberOf(cell(field), format.mark);
    const document = documentOf(cell, { priceOf: (field) => priceOf(cell(field), format), line }, settings);
    if (typeof document === 'string') {
      faults.push(`${file}:${row.line}: ${document}`);
      continue;
    }
    const totals =
      overIndex < 0
        ? []
        : pairOf(
            'totals',
            ['Over', 'Under'],
            [priceOf(row.cells[overIndex] ?? '', format), priceOf(row.cells[underIndex] ?? '', format)],
            Number(overLine),
          );
    const { event, book, fetchedAt, markets } = document;
    listings.push({
      event,
      fetchedAt,
      where: `${file}:${row.line}: `,
      bookmaker: { ...book, markets: [...markets, ...totals] },
    });
  }
  addListings(history, listings);
  return faults;
}

/** What one row lists of an event. */
type Listing = {
  readonly event: { readonly id: string };
  readonly fetchedAt: number;
  /** Its place, for messages. */
  readonly where: string;
  readonly bookmaker: { readonly key: string; readonly last_update?: string; readonly markets: readonly object[] };
};

/** The books of an event whose rows were fetched within this time are listed together: programs fetch them in turn. */
const TOGETHER_MS = 15 * 60_000;

/** Adds each event at each time of one of its rows, with the newest row of every book. */
function addListings(history: OddsHistory, listings: readonly Listing[]): void {
  for (const ofEvent of Map.groupBy(listings, ({ event }) => event.id).values()) {
    const newest = new Map<string, Listing>();
    const byTime = Map.groupBy(ofEvent, ({ fetchedAt }) => fetchedAt);
    for (const [fetchedAt, rows] of [...byTime].sort(([a], [b]) => a - b)) {
      for (const row of rows) newest.set(row.bookmaker.key, row);
      const last = rows.at(-1);
      if (last === undefined) continue;
      const bookmakers = [...newest.values()].flatMap((row) => {
        if (row.fetchedAt === fetchedAt) return [row.bookmaker];
        const updated = { last_update: isoTime(row.fetchedAt), ...row.bookmaker };
        return fetchedAt - row.fetchedAt <= TOGETHER_MS ? [updated] : [];
      });
      history.addDocument([{ ...last.event, bookmakers }], fetchedAt, last.where, true);
    }
  }
}

function refuseMissing(
  columns: Columns<Field>,
  hasTotals: boolean,
  settings: OddsTableSettings,
  table: UserTable,
  file: string,
): void {
  const isIn = (field: Field): boolean => columns[field] !== undefined;
  const teams = TEAMS_IN_ID.test(table.rows[0]?.cells[columns.id ?? -1] ?? '');
  const hasPrices = hasTotals || (isIn('homePrice') && isIn('awayPrice')) || (isIn('overPrice') && isIn('underPrice'));
  const hasTime = isIn('fetched') || settings.assumedDelayMs !== undefined;
  requireColumns(
    [
      ...(['home', 'away'] as const).filter((field) => !isIn(field) && !teams),
      ...(isIn('start') ? [] : ['start']),
      ...(hasPrices ? [] : ['homePrice, awayPrice']),
      ...(hasTime ? [] : ['fetched, the time at which a row was fetched (or give --assume-delay)']),
    ],
    table.columns,
    file,
  );
}

/** Teams in an id such as `2025_02_WAS_GB`, away first. */
const TEAMS_IN_ID = /_(?<away>[A-Z]{2,4})_(?<home>[A-Z]{2,4})$/;

type Row = {
  readonly priceOf: (field: Field) => number | undefined;
  readonly line: (field: Field) => number | undefined;
};

/** The event of a row as a document lists it, or why it has none. */
function documentOf(cell: (field: Field) => string, { priceOf, line }: Row, settings: OddsTableSettings) {
  const named = TEAMS_IN_ID.exec(cell('id'))?.groups ?? {};
  const [home, away] = [cell('home') || named['home'], cell('away') || named['away']];
  if (home === undefined || away === undefined || home === '' || away === '') return 'it has no teams';
  const startText = cell('start');
  const start = timeIn(startText);
  if (start === undefined) return `start ${startText}: expected a time of day, such as 2026-11-08T18:03:00Z`;
  const fetchedText = cell('fetched');
  const fetched = timeIn(fetchedText);
  if (fetchedText !== '' && fetched === undefined) return `fetched ${fetchedText}: expected a time`;
  const updated = timeIn(cell('updated'));
  const { assumedDelayMs } = settings;
  if (fetched === undefined && assumedDelayMs === undefined)
    return 'it does not show when it was fetched: give --assume-delay';
  // a closing price without any time is the one right before the start
  const fetchedAt = fetched ?? (updated === undefined ? start - 1 : updated + (assumedDelayMs ?? 0));
  const sides = [home, away] as const;
  const [homePrice, awayPrice, drawPrice] = [priceOf('homePrice'), priceOf('awayPrice'), priceOf('drawPrice')];
  const winner = pairOf('h2h', sides, [homePrice, awayPrice]).map((market) =>
    drawPrice === undefined
      ? market
      : { ...market, outcomes: [...market.outcomes, { name: 'Draw', price: drawPrice }] },
  );
  const markets = [
    ...winner,
    ...pairOf('spreads', sides, [priceOf('spreadHomePrice'), priceOf('spreadAwayPrice')], line('spread')),
    ...pairOf('totals', ['Over', 'Under'], [priceOf('overPrice'), priceOf('underPrice')], line('total')),
  ];
  return {
    event: {
      // one event, whichever book a row is of
      id: cell('id') || `${away} @ ${home}, ${isoTime(start)}`,
      sport_key: cell('sport') || settings.sport || '',
      commence_time: isoTime(start),
      home_team: home,
      away_team: away,
    },
    book: {
      key: cell('book') || 'close',
      ...(updated !== undefined && { last_update: isoTime(updated) }),
    },
    markets,
    fetchedAt,
  };
}

function timeIn(text: string): number | undefined {
  if (!/\d:\d|^\d{10,13}$/.test(text)) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * (text.length > 11 ? 1 : 1000) : parseTime(text);
  return ms !== undefined && isUnixMs(ms) ? ms : undefined;
}

/** A market of two sides; none where a price is missing, or the line of a spread or total. */
function pairOf(
  key: 'h2h' | 'spreads' | 'totals',
  names: readonly [string, string],
  [first, second]: readonly [number | undefined, number | undefined],
  line?: number,
) {
  if (first === undefined || second === undefined || (key !== 'h2h' && line === undefined)) return [];
  const point = (sign: 1 | -1): object => (line === undefined ? {} : { point: sign * line + 0 });
  return [
    {
      key,
      outcomes: [
        { name: names[0], price: first, ...point(1) },
        { name: names[1], price: second, ...point(key === 'spreads' ? -1 : 1) },
      ],
    },
  ];
}
