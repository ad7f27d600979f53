// The columns of a table of fills.
import type { Columns } from './columns.ts';
import { columnsOf, requireColumns } from './columns.ts';

/** What a column can hold, with the usual names for it. The first column that has one of them counts. */
const NAMES = {
  id: ['id', 'bet id', 'ticket', 'ticket id', 'order id', 'tx', 'txid', 'reference', 'ref', 'bet ref'],
  time: ['time', 'placed', 'placed at', 'time placed', 'date placed', 'bet time', 'matched', 'timestamp', 'ts'].concat([
    ...['created at', 'datetime', 'date time', 'date', 'filled', 'filled at', 'time utc', 'settled time'],
  ]),
  event: ['event', 'game', 'match', 'fixture', 'event name', 'teams', 'matchup', 'description'],
  home: ['home', 'home team', 'team home'],
  away: ['away', 'away team', 'team away', 'visitor', 'visitors'],
  start: ['start', 'start time', 'event time', 'event date', 'kickoff', 'kick off', 'game time', 'commence time'],
  market: ['market', 'type', 'market type', 'bet type', 'wager type', 'market name'],
  period: ['period', 'part'],
  line: ['line', 'handicap', 'points', 'point', 'hdp', 'spread', 'total'],
  side: ['side', 'selection', 'pick', 'bet', 'team', 'outcome', 'runner', 'backed'],
  odds: ['odds', 'price', 'american', 'decimal', 'american odds', 'decimal odds', 'odds taken', 'matched odds'],
  stake: ['stake', 'risk', 'amount', 'wager', 'bet amount', 'stake amount', 'risked', 'size', 'matched stake'],
  result: ['result', 'status', 'win loss', 'w l', 'bet result', 'settlement', 'graded'],
  profit: ['profit', 'pnl', 'p l', 'profit loss', 'net', 'net profit', 'win loss amount', 'returns net'],
  commission: ['commission', 'fee', 'fees'],
  league: ['league', 'competition', 'tournament'],
  sport: ['sport'],
  strategy: ['strategy', 'tag', 'tags', 'model', 'system'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type FillField = keyof typeof NAMES;
export type FillColumns = Columns<FillField>;

/** @throws OddsmakerError TABLE_INVALID: a field or a column does not exist, or a column that is needed is missing */
export function fillColumns(
  columns: readonly string[],
  map: Readonly<Record<string, string>>,
  file: string,
): FillColumns {
  const found = columnsOf<FillField>(NAMES, columns, map, file);
  const missing = [
    ...(['time', 'odds', 'stake', 'side'] as const).filter((field) => found[field] === undefined),
    ...(found.event === undefined && (found.home === undefined || found.away === undefined)
      ? ['event, or home and away']
      : []),
  ];
  requireColumns(missing, columns, file);
  return found;
}
