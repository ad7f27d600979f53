// `oddsmaker report --fills`: the report of fills that were made anywhere.
import { basename } from 'node:path';
import { EXIT, moneyText, printable } from '../domain/index.ts';
import { readResults } from '../backtest/index.ts';
import { loadTeams } from '../config/index.ts';
import type { OwnFacts, ReadFills } from '../history/index.ts';
import { ownFacts, ownReport, readFills, readOddsHistory } from '../history/index.ts';
import type { DevigMethod } from '../pricing/index.ts';
import type { ReportData } from '../report/index.ts';
import { reportObject } from '../report/index.ts';
import { readUserTable } from '../table/index.ts';
import { aligned, shownPath } from '../terminal/index.ts';
import { say } from './say.ts';

export type FillsFlags = {
  readonly fills: string;
  readonly odds: readonly string[];
  readonly results?: string;
  readonly map: Readonly<Record<string, string>>;
  readonly zone?: number;
  readonly assumeDelay?: number;
  readonly devig?: DevigMethod;
  readonly teams?: string;
};

export type FillsReport = {
  readonly data: ReportData;
  readonly read: ReadFills;
  readonly own: OwnFacts;
};

/** @throws OddsmakerError TABLE_INVALID, ODDS_INVALID, RESULTS_INVALID */
export async function fillsReport(flags: FillsFlags): Promise<FillsReport> {
  const { fills: file, odds, results } = flags;
  const table = await readUserTable(file);
  const read = readFills(table, { map: flags.map, zoneMinutes: flags.zone }, file);
  const prices =
    odds.length === 0 ? undefined : await readOddsHistory(odds, { map: {}, assumedDelayMs: flags.assumeDelay });
  for (const fault of prices?.faults ?? []) say(fault);
  const history = prices?.history;
  const own = ownFacts(read.fills, history?.events, {
    method: flags.devig ?? 'shin',
    weights: {},
    deviations: {},
    results: results === undefined ? new Map() : readResults(results),
    teams: flags.teams === undefined ? {} : loadTeams(flags.teams),
  });
  for (const { line, why } of read.faults) say(`${file}:${line}: ${why}`);
  for (const fault of own.faults) say(fault);
  for (const { line, event, why, candidates } of own.unmatched)
    say(`${file}:${line}: ${event}: ${why}${candidates.length === 0 ? '' : `; nearest: ${candidates.join('; ')}`}`);
  const inputs: ReportData['inputs'] = [
    ['fills', `${shownPath(file)}: ${read.fills.length} of ${table.rows.length} rows`],
    ...odds.map((path) => ['odds', shownPath(path)] as const),
    ...(history === undefined ? [] : [['documents', `${history.documents}, ${history.events.length} events`] as const]),
    ...(results === undefined ? [] : [['results', shownPath(results)] as const]),
  ];
  return { data: ownReport(`Fills of ${basename(file)}`, read, own, inputs), read, own };
}

/** 65 when no row could be read. */
export const fillsExit = ({ read }: FillsReport): number => (read.fills.length === 0 ? EXIT.badData : EXIT.done);

/** The groups by which a person looks at own fills first. */
const TABLES = ['league', 'type', 'line', 'hour', 'strategy'] as const;
const MOST_ROWS = 12;

/** Tables of where the money comes from, of all fills. */
export function fillsTables({ data }: FillsReport): string {
  const figures = data.scenarios['own']?.figures;
  if (figures === undefined) return '';
  const money = (value: number | null): string => (value === null ? '–' : moneyText(value));
  return TABLES.flatMap((by) => {
    const rows = figures.attribution[by];
    if (rows.length === 0 || (by === 'strategy' && rows.every(({ key }) => key === 'unknown'))) return [];
    const shown = rows.slice(0, MOST_ROWS);
    return [
      ...aligned([
        [by, 'fills', 'risk', 'CLV', 'spread', 'drift', 'luck', 'P&L', 'not priced', 'their P&L'],
        ...shown.map((row) => [
          ...[printable(row.key), String(row.fills), money(row.risk), money(row.clv), money(row.spread)],
          ...[money(row.drift), money(row.luck), money(row.pnl), String(row.unpriced), money(row.unpricedPnl)],
        ]),
      ]),
      ...(rows.length > shown.length ? [`… and ${rows.length - shown.length} more: --out or --json has all`] : []),
      '',
    ];
  })
    .map((line) => `${line}\n`)
    .join('');
}

/** As `report --json`, with what was assumed, and the rows and fills that could not be used. */
export const fillsJson = ({ data, read, own }: FillsReport): string =>
  `${JSON.stringify({ ...reportObject(data), unmatched: own.unmatched, leftOut: read.faults, notes: data.limitations })}\n`;
