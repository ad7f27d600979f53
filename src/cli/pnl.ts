// `oddsmaker pnl`: the result of an account over all its runs, from its ledger.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Command } from 'commander';
import { Option } from 'commander';
import { loadToRead } from '../config/index.ts';
import { EXIT, messageOf, moneyText, namedGame, OddsmakerError, printable } from '../domain/index.ts';
import type { PnlKey, PnlRow, FillFiguresRow, Rebuilt } from '../ledger/index.ts';
import {
  accountsOf,
  PNL_KEYS,
  readPnl,
  readUnpriced,
  readAttribution,
  readFills,
  readGameNames,
  LEDGER_VERSION,
  NOT_IN_JOURNALS,
  rebuildLedger,
} from '../ledger/index.ts';
import type { AttributionName, AttributionRow } from '../run/index.ts';
import { ATTRIBUTIONS, shownKey } from '../run/index.ts';
import { aligned, shownPath } from '../terminal/index.ts';
import { accountOf } from '../setup/index.ts';
import { withEnvFile } from './env-file.ts';
import { isoTime } from './flags.ts';

const HELP = `
Shows fills of the account in the player mode of the file, from ledger.file: settled fills as booked, open fills at the
last price in the ledger, or as lost when there is no price. A fill belongs to the day on which it was filled. The bot may
run meanwhile; fills of the last second may be missing.

--rebuild reads the events of every journal of the account in journal.dir, as the runs did, and merges them into
the ledger in one transaction: it adds missing rows and fills in unknown values; it removes nothing. Data that no journal
has is named, and so are journals that break off. Journals of format 1 (before 0.3) are replayed: only use those that you
trust (replay --help).

--attribution shows where the money comes from, as report does, over all runs or the run that --run names: own fills in
groups, each with its spread captured, drift to the close, luck, P&L and closing line value. --fills lists fills
one by one, the newest 1,000: maker or taker, age of the order, others' stake ahead of it when it rested, the strategy's
reason, the position before and after, and whether it was picked off (latency, pricing, no; –: not known yet). For a live
run the stake ahead at the fill is not known: the book arrives later than the fill.

Games and markets are shown by name with their start (UTC), because the same teams meet again.

--json prints {rows: [{key, name, fills, risk, pnl, settled, open}]}, money in dollars; pnl is settled and open
together. key is the id of a game or a market, and name its readable name; for a day or a strategy both are the same.
With --attribution rows are those of report --json, and games and markets have a name as well; with --fills they have
the columns of the ledger's fills. With --rebuild it has "rebuilt" beside them.

Exit:  0 done; 2 a wrong command line; 65 there is no ledger, or it cannot be read, or with --rebuild a journal cannot;
       78 a bad configuration.

Examples:
  oddsmaker pnl config/paper.yaml
  oddsmaker pnl config/paper.yaml --by game --since 2026-11-01
  oddsmaker pnl config/paper.yaml --by strategy --json
  oddsmaker pnl config/paper.yaml --attribution hour
  oddsmaker pnl config/paper.yaml --fills --since 2026-11-01
  oddsmaker pnl config/paper.yaml --rebuild
`;

type Flags = {
  readonly by?: PnlKey;
  readonly attribution?: AttributionName;
  readonly fills?: true;
  readonly run?: string;
  readonly since?: number;
  readonly json?: true;
  readonly rebuild?: true;
};

export function registerPnl(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('What the account earned, by day, game, market or strategy.')
    .argument('<config>', 'YAML file')
    .addOption(new Option('--by <what>', 'content of the rows (default: day)').choices(PNL_KEYS))
    .addOption(
      new Option('--attribution <what>', 'where the money comes from, by groups of fills').choices(ATTRIBUTIONS),
    )
    .option('--fills', 'fills one by one')
    .option('--run <id>', 'only fills of the orders of this run, with --attribution or --fills')
    .option('--since <time>', 'only fills from then on: ISO time or date, UTC', isoTime)
    .option('--rebuild', 'first add what the journals of the account have and the ledger lacks')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags, self: Command) => {
      const misused = (problem: string): never => self.error(`error: ${problem}`, { exitCode: EXIT.usage });
      const choices = [flags.by, flags.attribution, flags.fills].filter((flag) => flag !== undefined);
      if (choices.length > 1) misused('one of --by, --attribution and --fills at a time');
      if (flags.run !== undefined && flags.attribution === undefined && flags.fills === undefined)
        misused('--run goes with --attribution or --fills');
      finish(await pnl(file, flags));
    });
}

async function pnl(file: string, flags: Flags): Promise<number> {
  const { by = 'day', attribution, fills, run, since = 0, json, rebuild } = flags;
  const loaded = loadToRead(file, process.env);
  const { exchange, ledger } = loaded.config;
  if (ledger.file === null) throw loaded.problem(['ledger', 'file'], 'no ledger is kept');
  const path = loaded.resolve(ledger.file);
  const rebuilt = rebuild === true ? await rebuildLedger(loaded, path) : undefined;
  if (rebuilt !== undefined) process.stderr.write(rebuiltText(rebuilt));
  if (!existsSync(path))
    throw new OddsmakerError('LEDGER_UNREADABLE', `${path} is not there: a run with this file writes it`);
  const output = readFrom(path, (db): Output => {
    const key = {
      exchange: exchange.embedded === undefined ? exchange.restUrl : undefined,
      account: accountOf(exchange).username,
      mode: exchange.playerMode,
    };
    const accounts = accountsOf(db, key);
    if (attribution !== undefined || fills !== undefined) demandFigures(db);
    const scope = { accounts, since, run };
    if (attribution !== undefined) {
      const rows = readAttribution(db, attribution, scope);
      const games = Object.entries(readGameNames(db, accounts));
      const names = Object.fromEntries(games.map(([id, { name }]) => [id, name]));
      const shown = Object.fromEntries(games.map(([id, { name, start }]) => [id, namedGame(name, start)]));
      const isOfGame = attribution === 'game' || attribution === 'market';
      return {
        rows: isOfGame ? rows.map((row) => ({ ...row, name: shownKey(attribution, row.key, names) })) : rows,
        text: () => attributionText(rows, attribution, shown),
      };
    }
    if (fills !== undefined) {
      const rows = readFills(db, scope, MAX_FILLS).map(fillInDollars);
      return { rows, text: () => fillsText(rows) };
    }
    if (accounts.length === 0) return { rows: [], text: () => tableOf([], by) };
    const rows = readPnl(db, accounts, by, since);
    const unpriced = readUnpriced(db, accounts, since);
    return { rows: rows.map(inDollars), text: () => tableOf(rows, by) + unpricedText(unpriced) };
  });
  process.stdout.write(
    json === true
      ? `${JSON.stringify({ rows: output.rows, ...(rebuilt === undefined ? {} : { rebuilt }) })}\n`
      : output.text(),
  );
  // an unreadable journal fails the command, one that breaks off does not
  return rebuilt?.incomplete.some(({ isBrokenOff }) => !isBrokenOff) === true ? EXIT.badData : EXIT.done;
}

/** `rows`: for --json, money in dollars. `text`: the table for people. */
type Output = { readonly rows: readonly unknown[]; readonly text: () => string };

const MAX_FILLS = 1000;

/** @throws Error where no run of this version has opened the ledger */
function demandFigures(db: DatabaseSync): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (version < LEDGER_VERSION)
    throw new Error(
      `it is of version ${version}, whose fills have no figures: the next run, or --rebuild, brings it to ${LEDGER_VERSION}`,
    );
}

function rebuiltText({ journals, incomplete, withoutJournal, tables, isTaken }: Rebuilt): string {
  const added = Object.entries(tables).filter(([, { added: rows }]) => rows > 0);
  return [
    `${journals} journals taken in; added: ${added.length === 0 ? 'nothing' : added.map(([table, { added: rows }]) => `${table} ${rows}`).join(', ')}`,
    ...incomplete.map(
      ({ journal, why }) => `not whole: ${printable(why.startsWith(journal) ? why : `${shownPath(journal)}: ${why}`)}`,
    ),
    ...(withoutJournal > 0 ? [`${withoutJournal} runs have no journal any more: their rows stay unchanged`] : []),
    isTaken
      ? 'the next run takes the loss of the day from it'
      : 'it may not have the whole day: a run that lost its ledger still needs --day-loss',
    'what no journal has stays unchanged:',
    ...NOT_IN_JOURNALS.map((line) => `  ${line}`),
    '',
  ].join('\n');
}

function readFrom<T>(path: string, read: (db: DatabaseSync) => T): T {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    return read(db);
  } catch (error) {
    throw new OddsmakerError('LEDGER_UNREADABLE', `${path}: ${messageOf(error)}`, { cause: error });
  } finally {
    db?.close();
  }
}

const dollars = (micros: number): number => Math.round(micros / 1e4) / 100;
const inDollars = ({ key, name, fills, risk, pnl: all, settled, open }: PnlRow): Omit<PnlRow, 'start'> => ({
  key,
  name,
  fills,
  risk: dollars(risk),
  pnl: dollars(all),
  settled: dollars(settled),
  open: dollars(open),
});

/** A note on open fills without a price: they count as losses, though they are not lost yet. */
const unpricedText = ({ fills, risk }: { readonly fills: number; readonly risk: number }): string =>
  fills === 0
    ? ''
    : `${fills} open ${fills === 1 ? 'fill has' : 'fills have'} no price and count as lost, ${moneyText(risk / 1e6)} in all: they may be worth something.\n`;

function tableOf(rows: readonly PnlRow[], by: PnlKey): string {
  if (rows.length === 0) return 'The ledger has no fills of this account, exchange and player mode.\n';
  const total = rows.reduce<PnlRow>(
    (sum, row) => ({
      key: 'all',
      name: 'all',
      start: undefined,
      fills: sum.fills + row.fills,
      risk: sum.risk + row.risk,
      pnl: sum.pnl + row.pnl,
      settled: sum.settled + row.settled,
      open: sum.open + row.open,
    }),
    { key: 'all', name: 'all', start: undefined, fills: 0, risk: 0, pnl: 0, settled: 0, open: 0 },
  );
  const text = (micros: number): string => moneyText(micros / 1e6);
  const cells = [
    [by, 'fills', 'risk', 'settled', 'open', 'pnl'],
    ...[...rows, ...(rows.length > 1 ? [total] : [])].map((row) => [
      ...[nameText(row), String(row.fills), text(row.risk), text(row.settled), text(row.open)],
      text(row.pnl),
    ]),
  ];
  return `${aligned(cells, '  ').join('\n')}\n`;
}

/** The name with the start of the game, or with the id where the start is not known. */
const nameText = ({ key, name, start }: PnlRow): string =>
  start === undefined && name !== key ? `${name} (${key})` : namedGame(name, start);

const known = (value: number | null): string => (value === null ? '–' : moneyText(value));
const NO_FILLS = 'The ledger has no such fills of this account, exchange and player mode.\n';

function attributionText(
  rows: readonly AttributionRow[],
  by: AttributionName,
  games: Readonly<Record<string, string>>,
): string {
  if (rows.length === 0) return NO_FILLS;
  const cells = [
    [by, 'fills', 'risk', 'spread', 'drift', 'luck', 'commission', 'pnl', 'unpriced', 'clv'],
    ...rows.map(({ key, fills, risk, spread, drift, luck, commission, pnl: all, unpriced, unpricedPnl, clv }) => [
      ...[
        shownKey(by, key, games),
        String(fills),
        known(risk),
        known(spread),
        known(drift),
        known(luck),
        known(commission),
        known(all),
      ],
      ...[unpriced === 0 ? '–' : `${unpriced}, ${moneyText(unpricedPnl)}`, known(clv)],
    ]),
  ];
  const isUnknown = rows.every(({ pnl: all, unpriced }) => all === null && unpriced === 0);
  const note = isUnknown ? 'None of these fills is settled: luck and P&L are known when their games are graded.\n' : '';
  return `${aligned(cells, '  ').join('\n')}\n${note}`;
}

const MONEY = [
  ...(['risk', 'queue_placed', 'queue_filled', 'before_first', 'before_second', 'position_first'] as const),
  ...(['position_second', 'spread', 'drift', 'clv', 'profit', 'commission'] as const),
];

function fillInDollars(row: FillFiguresRow): FillFiguresRow {
  const money = MONEY.map((name) => {
    const micros = row[name];
    return [name, micros === null ? null : dollars(micros)];
  });
  return { ...row, ...(Object.fromEntries(money) as Pick<FillFiguresRow, (typeof MONEY)[number]>) };
}

/** The name of the game and the market within it. */
function marketText({ event, starts_at: start, market }: FillFiguresRow): string {
  const marketName = market?.split('/').slice(1).join(' ') ?? '';
  return event === null ? (market ?? '–') : `${namedGame(event, start ?? undefined)} ${marketName}`.trim();
}

function fillsText(rows: readonly FillFiguresRow[]): string {
  if (rows.length === 0) return NO_FILLS;
  const position = (first: number | null, second: number | null): string =>
    first === null || second === null ? '–' : `${first.toFixed(0)}/${second.toFixed(0)}`;
  const share = (p: number | null): string => (p === null ? '–' : p.toFixed(4));
  const cells = [
    ['at', 'market', 'side', 'role', 'risk', 'own', 'fair', 'close', 'age', 'ahead', 'before', 'after'].concat([
      ...['picked off', 'spread', 'clv', 'brought', 'strategy', 'reason'],
    ]),
    ...rows.map((row) => [
      ...[new Date(row.at).toISOString().slice(0, 19), marketText(row), row.side ?? '–'],
      ...[row.role ?? '–', known(row.risk), share(row.price), share(row.f0), share(row.fc)],
      ...[row.age_ms === null ? '–' : `${(row.age_ms / 1000).toFixed(1)} s`, known(row.queue_placed)],
      position(row.before_first, row.before_second),
      position(row.position_first, row.position_second),
      ...[row.picked_off ?? '–', known(row.spread), known(row.clv), known(row.profit)],
      ...[row.strategy ?? 'not ours', row.reason ?? ''],
    ]),
  ];
  return `${aligned(cells, '  ').join('\n')}\n`;
}
