// Prepares the ledger before a run reads it: waits for another program that holds it, and adds rows that a
// former run could not write from that run's journal.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../config/index.ts';
import type { Halts } from './halts.ts';
import type { KeptState, Log, RunFiles } from '../ops/index.ts';
import { accountIdOf, idOf, isLocked, lockedLedger, openLedger } from './file.ts';
import { readFence, StandingFile } from '../ops/index.ts';
import { writeHalts } from './halts.ts';
import { accountOf } from '../setup/index.ts';
import { journalsIn } from '../journal/index.ts';
import { ledgerKeyOf } from './key.ts';
import { takeIn } from './rebuild.ts';

const WAIT_MS = 10_000;
const AGAIN_MS = 250;

/**
 * Afterwards the standing file is true about the ledger: it lacks nothing, or it is lost.
 * @throws OddsmakerError LEDGER_LOCKED
 */
export async function fillLedger(loaded: LoadedConfig, files: RunFiles, log: Log): Promise<void> {
  const { ledger } = loaded.config;
  if (ledger.file === null) return;
  const file = loaded.resolve(ledger.file);
  if (!existsSync(file)) return;
  const standing = new StandingFile(files.standing);
  const kept = standing.state.ledger;
  const id = await idWhenFree(file);
  const lacks = kept?.lacks ?? [];
  if (kept === undefined || kept.lost !== undefined || lacks.length === 0 || id !== kept.id) return;
  const problem = await fillFrom(loaded, file, lacks, log);
  const { lacks: _, ...complete } = kept;
  if (problem === undefined) {
    keepHalts(loaded, file, { standing: standing.state.standing, fence: readFence(files.fence) });
    standing.keep({ ledger: complete });
  } else {
    log.error('rows that the ledger lacks cannot be added from the journals', {
      code: 'LEDGER_LOST',
      alert: 'LEDGER_LOST',
      ledger: file,
      problem,
    });
    standing.keep({ ledger: { ...complete, lost: Date.now() } });
  }
}

/**
 * Writes the halts of the files to the ledger. The files are newer: the last run may have failed to write
 * them.
 */
function keepHalts(loaded: LoadedConfig, file: string, halts: Halts): void {
  const { exchange, orders } = loaded.config;
  if (exchange.embedded !== undefined) return;
  const db = openLedger(file);
  try {
    const account = accountIdOf(db, ledgerKeyOf(loaded.config, accountOf(exchange).username, ''));
    writeHalts(db, account, orders.instance, halts);
  } finally {
    db.close();
  }
}

/**
 * The id of the ledger once no other program holds it. Undefined: it cannot be opened, which its reader
 * reports.
 * @throws OddsmakerError LEDGER_LOCKED
 */
async function idWhenFree(file: string): Promise<string | undefined> {
  for (const giveUpAt = performance.now() + WAIT_MS; ;) {
    try {
      const db = openLedger(file, AGAIN_MS);
      try {
        db.exec('BEGIN IMMEDIATE; ROLLBACK');
        return idOf(db);
      } finally {
        db.close();
      }
    } catch (error) {
      if (!isLocked(error)) return undefined;
      if (performance.now() > giveUpAt) throw lockedLedger(file, error);
    }
    await sleep(AGAIN_MS);
  }
}

/** Adds the rows of these runs. Undefined: it has all of them; otherwise the reason why not. */
async function fillFrom(
  loaded: LoadedConfig,
  file: string,
  runs: NonNullable<NonNullable<KeptState['ledger']>['lacks']>,
  log: Log,
): Promise<string | undefined> {
  const { dir } = loaded.config.journal;
  const folder = dir === null ? undefined : loaded.resolve(dir);
  const all = folder === undefined || !existsSync(folder) ? [] : journalsIn(folder);
  const journals = all.filter((journal) => runs.some((run) => isOfRun(journal, run)));
  const missing = runs.filter((run) => !journals.some((journal) => isOfRun(journal, run)));
  if (missing.length > 0) return `there is no journal of run ${missing.join(', ')}`;
  const { incomplete, tables } = await takeIn(loaded, file, journals);
  const added = Object.entries(tables).map(([table, { added: rows }]) => [table, rows] as const);
  log.warn('the ledger lacked rows of a former run: they are taken in from its journal', {
    ledger: file,
    runs,
    added: Object.fromEntries(added.filter(([, rows]) => rows > 0)),
  });
  return incomplete.find(({ isBrokenOff }) => !isBrokenOff)?.why;
}

const isOfRun = (journal: string, run: string): boolean => journal.includes(`-${run}.`);
