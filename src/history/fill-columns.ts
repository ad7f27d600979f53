// Finds the columns of a table of fills by their names. Each program names them in its own way: the usual names are
// known, `--map` names any other.
import { didYouMean, OddsmakerError } from '../domain/index.ts';
import { wordsOf } from '../signals/index.ts';

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
export const FILL_FIELDS = Object.keys(NAMES) as readonly FillField[];

/** Index of the column of each field that the table has. */
export type FillColumns = Readonly<Partial<Record<FillField, number>>>;

/**
 * @param map columns by field, as `--map` gives them
 * @throws OddsmakerError TABLE_INVALID: a field or a column that does not exist, or a column that is needed is missing
 */
export function fillColumns(
  columns: readonly string[],
  map: Readonly<Record<string, string>>,
  file: string,
): FillColumns {
  const fail = (problem: string): OddsmakerError => new OddsmakerError('TABLE_INVALID', `${file}: ${problem}`);
  const plain = columns.map(wordsOf);
  const found: Partial<Record<FillField, number>> = {};
  const taken = new Set<number>();
  for (const [field, column] of Object.entries(map)) {
    if (!FILL_FIELDS.some((name) => name === field))
      throw fail(
        `--map ${field}=${column}: it is no field${didYouMean(field, FILL_FIELDS)}; fields: ${FILL_FIELDS.join(', ')}`,
      );
    const exact = columns.indexOf(column);
    const index = exact >= 0 ? exact : plain.indexOf(wordsOf(column));
    if (index < 0)
      throw fail(
        `--map ${field}=${column}: there is no such column${didYouMean(column, columns)}; columns: ${columns.join(', ')}`,
      );
    found[field as FillField] = index;
    taken.add(index);
  }
  for (const field of FILL_FIELDS) {
    if (found[field] !== undefined) continue;
    const index = NAMES[field].map((name) => plain.indexOf(name)).find((found) => found >= 0 && !taken.has(found));
    if (index === undefined) continue;
    found[field] = index;
    taken.add(index);
  }
  const missing = [
    ...(['time', 'odds', 'stake', 'side'] as const).filter((field) => found[field] === undefined),
    ...(found.event === undefined && (found.home === undefined || found.away === undefined)
      ? ['event, or home and away']
      : []),
  ];
  if (missing.length > 0)
    throw fail(
      `no column for ${missing.join('; ')}: name it with --map ${(missing[0] ?? '').split(',')[0] ?? ''}=COLUMN; columns: ${columns.join(', ')}`,
    );
  return found;
}
