// `oddsmaker pnl`: what an account earned, over all its runs, as its ledger has it.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Command } from 'commander';
import { Option } from 'commander';
import { isUsernameElsewhere, loadConfig, loadOffline } from '../config/index.ts';
import { EXIT, messageOf, moneyText, OddsmakerError } from '../domain/index.ts';
import type { PnlKey, PnlRow } from '../ops/ledger-pnl.ts';
import { accountsOf, PNL_KEYS, readPnl, readUnpriced } from '../ops/ledger-pnl.ts';
import { aligned } from './aligned.ts';
import { accountOf } from './embedded.ts';
import { withEnvFile } from './env-file.ts';
import { isoTime } from './flags.ts';
import type { Rebuilt } from './ledger-rebuild.ts';
import { NOT_IN_JOURNALS, rebuildLedger } from './ledger-rebuild.ts';
import { shownPath } from './shown-path.ts';

const HELP = `
Fills of the account in the player mode of the file, from ledger.file: settled as they were booked, open ones at the last price
that the ledger has, without any as if they were lost. A fill belongs to the day in which it was filled. It may be asked while
the bot runs; what came in the last second may be missing.

--rebuild replays every journal of the account in journal.dir, as the runs themselves filled the ledger, and merges that into
it: rows that are missing are added, what was not known is filled in, and nothing is taken away; all of it, or nothing. What
no journal knows is named, and so are journals that break off. Replay only journals that you trust (replay --help).

--json prints {rows: [{key, fills, risk, pnl, settled, open}]}, money in dollars; pnl is settled and open together. With
--rebuild it has "rebuilt" beside them.

Exit:  0 done; 2 a wrong command line; 65 there is no ledger, or it cannot be read, or with --rebuild a journal cannot; 78 a bad configuration.

Examples:
  oddsmaker pnl config/paper.yaml
  oddsmaker pnl config/paper.yaml --by game --since 2026-11-01
  oddsmaker pnl config/paper.yaml --by strategy --json
  oddsmaker pnl config/paper.yaml --rebuild
`;

type Flags = { readonly by: PnlKey; readonly since?: number; readonly json?: true; readonly rebuild?: true };

export function registerPnl(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('What the account earned, by day, game, market or strategy.')
    .argument('<config>', 'YAML file')
    .addOption(new Option('--by <what>', 'what rows are of').choices(PNL_KEYS).default('day'))
    .option('--since <time>', 'only fills from then on: ISO time or date, UTC', isoTime)
    .option('--rebuild', 'first take in what the journals of the account have and the ledger lacks')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags) => {
      finish(await pnl(file, flags));
    });
}

async function pnl(file: string, { by, since = 0, json, rebuild }: Flags): Promise<number> {
  // what it reads is here: no secret is needed
  const loaded = isUsernameElsewhere(file, process.env)
    ? loadConfig(file, process.env)
    : loadOffline(file, process.env);
  const { exchange, ledger } = loaded.config;
  if (ledger.file === null) throw loaded.problem(['ledger', 'file'], 'no ledger is kept');
  const path = loaded.resolve(ledger.file);
  const rebuilt = rebuild === true ? await rebuildLedger(loaded, path) : undefined;
  if (rebuilt !== undefined) process.stderr.write(rebuiltText(rebuilt));
  if (!existsSync(path))
    throw new OddsmakerError('LEDGER_UNREADABLE', `${path} is not there: a run with this file writes it`);
  const { rows, unpriced } = readFrom(path, (db) => {
    const key = {
      exchange: exchange.embedded === undefined ? exchange.restUrl : undefined,
      account: accountOf(exchange).username,
      mode: exchange.playerMode,
    };
    const accounts = accountsOf(db, key);
    if (accounts.length === 0) return { rows: [], unpriced: { fills: 0, risk: 0 } };
    return { rows: readPnl(db, accounts, by, since), unpriced: readUnpriced(db, accounts, since) };
  });
  process.stdout.write(
    json === true
      ? `${JSON.stringify({ rows: rows.map(inDollars), ...(rebuilt === undefined ? {} : { rebuilt }) })}\n`
      : tableOf(rows, by) + unpricedText(unpriced),
  );
  // what could not be read at all is more than an end that is missing
  return rebuilt?.incomplete.some(({ isBrokenOff }) => !isBrokenOff) === true ? EXIT.badData : EXIT.done;
}

function rebuiltText({ journals, incomplete, withoutJournal, tables, isTaken }: Rebuilt): string {
  const added = Object.entries(tables).filter(([, { added: rows }]) => rows > 0);
  return [
    `${journals} journals taken in; added: ${added.length === 0 ? 'nothing' : added.map(([table, { added: rows }]) => `${table} ${rows}`).join(', ')}`,
    ...incomplete.map(
      ({ journal, why }) => `not whole: ${why.startsWith(journal) ? why : `${shownPath(journal)}: ${why}`}`,
    ),
    ...(withoutJournal > 0
      ? [`${withoutJournal} runs have no journal any more: their rows are as they were`]
      : []),
    isTaken
      ? 'the next run counts the loss of the day by it'
      : 'whether it has all of the day is not certain: a run that lost its ledger still wants --day-loss',
    'what no journal knows, and is as it was:',
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
const inDollars = ({ key, fills, risk, pnl: all, settled, open }: PnlRow): PnlRow => ({
  ...{ key, fills, risk: dollars(risk) },
  ...{ pnl: dollars(all), settled: dollars(settled), open: dollars(open) },
});

/** They look like losses, and are none yet. */
const unpricedText = ({ fills, risk }: { readonly fills: number; readonly risk: number }): string =>
  fills === 0
    ? ''
    : `${fills} open ${fills === 1 ? 'fill has' : 'fills have'} no price and count as lost, ${moneyText(risk / 1e6)} in all: they may be worth something.\n`;

function tableOf(rows: readonly PnlRow[], by: PnlKey): string {
  if (rows.length === 0) return 'The ledger has no fills of this account, exchange and player mode.\n';
  const total = rows.reduce<PnlRow>(
    (sum, row) => ({
      key: 'all',
      fills: sum.fills + row.fills,
      risk: sum.risk + row.risk,
      pnl: sum.pnl + row.pnl,
      settled: sum.settled + row.settled,
      open: sum.open + row.open,
    }),
    { key: 'all', fills: 0, risk: 0, pnl: 0, settled: 0, open: 0 },
  );
  const text = (micros: number): string => moneyText(micros / 1e6);
  const cells = [
    [by, 'fills', 'risk', 'settled', 'open', 'pnl'],
    ...[...rows, ...(rows.length > 1 ? [total] : [])].map(({ key, fills, risk, settled, open, pnl: all }) => [
      ...[key, String(fills), text(risk), text(settled), text(open), text(all)],
    ]),
  ];
  return `${aligned(cells, '  ').join('\n')}\n`;
}
