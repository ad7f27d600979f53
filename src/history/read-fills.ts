// Reads a table of fills that were made anywhere. A row that cannot be read is left out and named with its line;
// nothing about money is assumed.
import type { MarketType, Micros, Period } from '../domain/index.ts';
import { micros, microsOfDollars, periodOf } from '../domain/index.ts';
import type { UserRow, UserTable } from '../table/index.ts';
import type { FillColumns, FillField } from './fill-columns.ts';
import { fillColumns } from './fill-columns.ts';
import type { SideText } from './fill-texts.ts';
import { isCombined, marketIn, resultIn, sideIn } from './fill-texts.ts';
import type { DecimalMark } from './numbers.ts';
import { numberOf } from './numbers.ts';
import type { NumberFormat } from './odds-format.ts';
import { numberFormatOf, oddsInWords, priceOf } from './odds-format.ts';
import type { TimeFormat } from './times.ts';
import { timeFormatOf, timeIn } from './times.ts';

/** A fill as its row has it; its event is still a text. Money in micro-dollars, times in Unix ms. */
export type OwnFill = {
  /** Its line in the file. */
  readonly line: number;
  readonly id: string | undefined;
  readonly t: number;
  readonly start: number | undefined;
  /** The event's name, or `<away> @ <home>` where the table has teams. */
  readonly eventText: string;
  readonly teams: { readonly home: string; readonly away: string } | undefined;
  readonly league: string;
  readonly strategy: string | undefined;
  readonly type: MarketType;
  readonly period: Period;
  readonly side: Exclude<SideText['side'], 'draw'>;
  /** As the backed side has it; the total. Undefined for a moneyline. */
  readonly sideLine: number | undefined;
  /** Decimal odds. */
  readonly decimal: number;
  readonly risk: Micros;
  readonly win: Micros;
  /** Before commission. Undefined: not settled. */
  readonly profit: Micros | undefined;
  readonly commission: Micros;
};

export type ReadFills = {
  readonly fills: readonly OwnFill[];
  /** Rows that are left out, and why. */
  readonly faults: readonly { readonly line: number; readonly why: string }[];
  /** What was assumed of the whole file, one sentence each. */
  readonly notes: readonly string[];
};

export type FillsSettings = {
  /** Columns by field. */
  readonly map: Readonly<Record<string, string>>;
  /** Minutes east of Greenwich of times without a zone. Undefined: UTC, where no time of the file has a zone. */
  readonly zoneMinutes?: number | undefined;
};

/** @throws OddsmakerError TABLE_INVALID: a column is missing, or the file has two forms of numbers */
export function readFills(table: UserTable, settings: FillsSettings, file: string): ReadFills {
  const columns = fillColumns(table.columns, settings.map, file);
  const cell = (row: UserRow, field: FillField): string => {
    const index = columns[field];
    return index === undefined ? '' : (row.cells[index] ?? '');
  };
  const cellsOf = (field: FillField): readonly string[] => table.rows.map((row) => cell(row, field)).filter(Boolean);
  const format: Format = {
    ...numberFormatOf(cellsOf('odds'), (['stake', 'profit', 'commission'] as const).flatMap(cellsOf), file),
    ...timeFormatOf(cellsOf('time'), cellsOf('start'), settings.zoneMinutes),
  };
  const fills: OwnFill[] = [];
  const faults: { line: number; why: string }[] = [];
  const seen = new Map<string, { readonly line: number; readonly row: string }>();
  const read = table.rows.map((row) => ({
    row,
    fill: fillIn(row, (field) => cell(row, field).trim(), columns, format),
  }));
  const mixed = mixedIds(read.flatMap(({ fill }) => (typeof fill === 'string' ? [] : [fill])));
  for (const { row, fill } of read) {
    const why = typeof fill === 'string' ? fill : (mixedText(fill, mixed) ?? repeated(fill, row, seen));
    if (why !== undefined) faults.push({ line: row.line, why });
    else if (typeof fill !== 'string') fills.push(fill);
  }
  return {
    fills: fills.toSorted((a, b) => a.t - b.t || a.line - b.line),
    faults,
    notes: format.assumed,
  };
}

type Format = NumberFormat & TimeFormat;

const mixedText = ({ id }: OwnFill, mixed: ReadonlySet<string>): string | undefined =>
  id === undefined || !mixed.has(id)
    ? undefined
    : `its id ${id} has several events: a bet on more than one outcome has no price of its own`;

/** Ids of bets with several events. */
function mixedIds(fills: readonly OwnFill[]): ReadonlySet<string> {
  const events = Map.groupBy(fills, ({ id }) => id);
  return new Set(
    [...events].flatMap(([id, own]) =>
      id !== undefined && own.some(({ eventText }) => eventText !== own[0]?.eventText) ? [id] : [],
    ),
  );
}

/** Why a row repeats another one. Two rows with one id, or alike in every cell, are one fill. */
function repeated(
  { id, line }: OwnFill,
  { cells }: UserRow,
  seen: Map<string, { readonly line: number; readonly row: string }>,
): string | undefined {
  const row = JSON.stringify(cells);
  const key = id === undefined ? row : `id ${id}`;
  const former = seen.get(key);
  if (former === undefined) seen.set(key, { line, row });
  else if (id === undefined)
    return `the same as line ${former.line}: counted once (two fills need a column with their ids)`;
  else if (former.row === row) return `the same as line ${former.line}: counted once`;
  else return `its id ${id} is that of line ${former.line}, and they differ: only the first counts`;
  return undefined;
}

/** A fill, or why the row has none. */
function fillIn(
  row: UserRow,
  cell: (field: FillField) => string,
  columns: FillColumns,
  format: Format,
): OwnFill | string {
  const t = timeIn(cell('time'), format, 'time');
  if (typeof t === 'string') return t;
  const startText = cell('start');
  const start = startText === '' ? undefined : timeIn(startText, format, 'start');
  if (typeof start === 'string') return start;
  const place = placeIn(cell, columns, format);
  if (typeof place === 'string') return place;
  const money = moneyIn(cell, format);
  if (typeof money === 'string') return money;
  const [home, away] = [cell('home'), cell('away')];
  const teams = home !== '' && away !== '' ? { home, away } : teamsIn(cell('event'));
  const eventText = cell('event') || (teams === undefined ? '' : `${teams.away} @ ${teams.home}`);
  if (eventText === '') return 'it has no event';
  return {
    line: row.line,
    id: cell('id') || undefined,
    t,
    start,
    eventText,
    teams,
    league: cell('league') || cell('sport'),
    strategy: cell('strategy') || undefined,
    ...place,
    ...money,
  };
}

/** The teams in a text such as `Bulls @ Lakers`, away first, or `Arsenal v Leeds`, home first. */
export function teamsIn(text: string): OwnFill['teams'] {
  const [away, home, ...more] = text.split(/\s+(?:@|at)\s+/i);
  if (away !== undefined && home !== undefined && more.length === 0) return { home: home.trim(), away: away.trim() };
  const [first, second, ...others] = text.split(/\s+(?:v|vs|v\.|vs\.|-|–)\s+/i);
  if (first === undefined || second === undefined || others.length > 0) return undefined;
  return { home: first.trim(), away: second.trim() };
}

type Place = Pick<OwnFill, 'type' | 'period' | 'side' | 'sideLine'>;

function placeIn(cell: (field: FillField) => string, columns: FillColumns, { mark }: Format): Place | string {
  if ((['event', 'market', 'side'] as const).some((field) => isCombined(cell(field))))
    return 'a bet on more than one outcome has no price of its own';
  const { side, line: lineInSide } = sideIn(cell('side'));
  if (cell('side') === '') return 'it has no side';
  if (side === 'draw') return 'a bet on the draw: a report has two sides of each market';
  const isTotal = side === 'over' || side === 'under';
  const lineText = cell('line');
  const ownLine = lineText === '' ? undefined : lineIn(lineText, mark);
  if (lineText !== '' && ownLine === undefined && /\d/.test(lineText)) return `line ${lineText}: expected a number`;
  const given = ownLine ?? lineInSide;
  const named = columns.market === undefined || cell('market') === '' ? undefined : marketIn(cell('market'));
  if (named === undefined && cell('market') !== '')
    return `market ${JSON.stringify(cell('market'))}: expected moneyline, spread or total`;
  const type = named?.type ?? (isTotal ? 'total' : given === undefined ? 'moneyline' : 'spread');
  const periodText = cell('period');
  const period = periodText === '' ? (named?.period ?? 'full') : periodOf(periodText);
  if (period === undefined)
    return `period ${JSON.stringify(periodText)}: expected full, 1H, Q3, P1, F5 or another part of a game`;
  if ((type === 'total') !== isTotal) return `side ${JSON.stringify(cell('side'))} is none of a ${type}`;
  if (type !== 'moneyline') {
    if (given === undefined) return `a ${type} without a line`;
    const isLine = Number.isInteger(given * 4) && (isTotal ? given > 0 && given < 1000 : Math.abs(given) < 100);
    if (!isLine) return `line ${given}: no ${type} has it`;
  }
  return { type, period, side, sideLine: type === 'moneyline' ? undefined : given };
}

/** `-3.5`, `PK`, or `-4.0,-4.5`, half of the stake on each. */
function lineIn(text: string, mark: DecimalMark): number | undefined {
  if (/^(?:pk|pick(?: ?'?em)?|ev(?:en)?)$/i.test(text)) return 0;
  const plain = text.replace(/½/g, '.5');
  const [, first, second] = /^([-+]?[\d.]+)\s*[,/&]\s*([-+]?[\d.]+)$/.exec(plain) ?? [];
  const [low, high] = [Number(first), Number(second)];
  return Math.abs(low - high) === 0.5 ? (low + high) / 2 : numberOf(plain, mark);
}

type Money = Pick<OwnFill, 'decimal' | 'risk' | 'win' | 'profit' | 'commission'>;
/** A profit may differ by this much from what odds and stake make, dollars: exchanges round each bet. */
const ROUNDED = 0.02;
/** No exchange has longer odds, decimal, and no bet a larger stake: beyond them a figure is a slip of the pen. */
const LONGEST_ODDS = 1001;
const LARGEST_STAKE = 1e9;

function moneyIn(cell: (field: FillField) => string, format: Format): Money | string {
  const { mark } = format;
  const oddsText = cell('odds');
  const decimal = oddsInWords(oddsText) ?? priceOf(oddsText, format);
  if (oddsText === '') return 'it has no odds';
  if (decimal === undefined) return `odds ${oddsText}: expected American (−110, +105) or decimal odds (1.91)`;
  if (decimal > LONGEST_ODDS) return `odds ${oddsText}: longer than any that are offered`;
  const stake = numberOf(cell('stake'), mark);
  if (stake === undefined || stake <= 0) return `stake ${JSON.stringify(cell('stake'))}: expected an amount above 0`;
  if (stake > LARGEST_STAKE) return `stake ${cell('stake')}: more than any bet`;
  const risk = microsOfDollars(stake);
  const win = micros(risk * (decimal - 1));
  const commissionText = cell('commission');
  const commission = commissionText === '' ? 0 : numberOf(commissionText, mark);
  if (commission === undefined) return `commission ${commissionText}: expected an amount`;
  const profit = profitIn(cell, mark, risk, win);
  if (typeof profit === 'string') return profit;
  return { decimal, risk, win, profit, commission: microsOfDollars(Math.abs(commission)) };
}

/** The profit by its result or by its amount, which must agree; undefined: open. A text: why neither can be. */
function profitIn(
  cell: (field: FillField) => string,
  mark: DecimalMark,
  risk: Micros,
  win: Micros,
): Micros | string | undefined {
  const [resultText, profitText] = [cell('result'), cell('profit')];
  const asNumber = resultText === '' ? undefined : numberOf(resultText, mark);
  const result = asNumber === undefined ? resultIn(resultText) : 'open';
  if (result === undefined) return `result ${JSON.stringify(resultText)}: expected won, lost, push or void`;
  // 1, 0 and -1 may be won, level and lost, or dollars
  if (profitText === '' && asNumber !== undefined && Math.abs(asNumber) <= 1 && Number.isInteger(asNumber))
    return `result ${resultText}: won, push or lost, or an amount? Write the word, or name a column with --map profit=COLUMN`;
  const amount = profitText === '' ? asNumber : numberOf(profitText, mark);
  if (profitText !== '' && amount === undefined) return `profit ${profitText}: expected an amount`;
  const byResult = typeof result === 'string' ? undefined : micros(result * (result >= 0 ? win : risk));
  if (byResult === undefined) {
    // an open bet often has a profit of 0
    if (amount === undefined || (amount === 0 && asNumber === undefined && result === 'open')) return undefined;
    const isPossible = amount >= -risk / 1e6 - ROUNDED && amount <= win / 1e6 + ROUNDED;
    return isPossible ? microsOfDollars(amount) : `profit ${amount}: more than its odds and stake can make`;
  }
  if (amount === undefined || Math.abs(amount - byResult / 1e6) <= ROUNDED + Math.abs(amount) * 0.2) return byResult;
  return `its result ${resultText} makes ${(byResult / 1e6).toFixed(2)}, and its profit is ${amount}`;
}
