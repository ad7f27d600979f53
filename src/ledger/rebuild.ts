// `oddsmaker pnl --rebuild`: rebuilds the ledger of an account from its journals. The events of every journal
// go into a draft ledger, as the run itself would write them; then the draft is merged into the configured
// ledger, whole or not at all.
import { existsSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config, LoadedConfig } from '../config/index.ts';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { Ledger } from './ledger.ts';
import { accountIdOf, idOf, openLedger } from './file.ts';
import { livingOwner, StandingFile } from '../ops/index.ts';
import type { Merged } from './merge.ts';
import { mergeLedger } from './merge.ts';
import type { RunEvent, StampedArrival } from '../domain/index.ts';
import type { LedgerRow } from './schema.ts';
import { LedgerWriter } from './writer.ts';
import { partsOf, headerOf, journalsIn } from '../journal/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { RunRows } from './run-rows.ts';
import { configHash, accountOf, isSameAccount, recordedConfig, runFilesOf } from '../setup/index.ts';
import { LedgerFigures } from './figure-rows.ts';
import { ledgerKeyOf } from './key.ts';
import type { ReadEvents } from '../run/index.ts';
import { LiveFigures, readEvents, RequestTally, jsonOf } from '../run/index.ts';

/** Rows of one transaction. */
const BATCH = 2000;

/** Why a journal is incomplete. `isBrokenOff`: only its end is missing. */
type Incomplete = { readonly why: string; readonly isBrokenOff: boolean };

export type Rebuilt = {
  readonly journals: number;
  /** Journals that could not be read, or not to their end, and why. */
  readonly incomplete: readonly (Incomplete & { readonly journal: string })[];
  /** Number of runs in the ledger without a journal: their rows are unchanged. */
  readonly withoutJournal: number;
  readonly tables: Merged;
  /**
   * True when the next run counts the day's loss by this ledger, even if the run before had lost its ledger.
   */
  readonly isTaken: boolean;
};

/** What no journal contains, in words. */
export const NOT_IN_JOURNALS = [
  'the last half second of a run that was killed',
  'milliseconds at the end of a run: ended_at and durations in figures go by its last record, and may differ by the last of them',
  'runs: pid, host, login requests, and the end of a run that was killed or failed to end',
  'alerts from outside the core (seq 0: guard, disk, …), and when an alert ended (state, resolved_at)',
  'days.stated: the value of `run --day-loss`',
] as const;

/** @throws OddsmakerError CONFIG_INVALID, LEDGER_UNREADABLE */
export async function rebuildLedger(loaded: LoadedConfig, file: string): Promise<Rebuilt> {
  const { dir } = loaded.config.journal;
  if (dir === null) throw loaded.problem(['journal', 'dir'], 'no journals are kept to rebuild a ledger from');
  const folder = loaded.resolve(dir);
  const taken = await takeIn(loaded, file, existsSync(folder) ? journalsIn(folder) : []);
  return { ...taken, isTaken: take(loaded, file, taken.incomplete) };
}

/**
 * Merges the runs of the account in these journals into the ledger.
 * @throws OddsmakerError LEDGER_UNREADABLE
 */
export async function takeIn(
  loaded: LoadedConfig,
  file: string,
  from: readonly string[],
): Promise<Omit<Rebuilt, 'isTaken'>> {
  const draft = `${file}.rebuild-${process.pid}`;
  const incomplete: Rebuilt['incomplete'][number][] = [];
  const removeDraft = (): void => {
    for (const ending of ['', '-wal', '-shm']) rmSync(draft + ending, { force: true });
  };
  removeDraft();
  try {
    let journals = 0;
    for (const journal of from) {
      const problem = await rebuildRun(journal, loaded.config, draft).catch((error: unknown) => {
        if (error instanceof OddsmakerError) return { why: error.message, isBrokenOff: false };
        throw error;
      });
      if (problem === 'another account') continue;
      journals += 1;
      if (problem !== undefined) incomplete.push({ journal, ...problem });
    }
    if (!existsSync(draft)) openLedger(draft).close();
    return { journals, incomplete, ...merged(file, draft) };
  } finally {
    removeDraft();
  }
}

/**
 * Makes it the ledger of the next run, unless a bot runs or a journal of the account could not be read to its
 * end.
 */
function take(loaded: LoadedConfig, file: string, incomplete: Rebuilt['incomplete']): boolean {
  const { standing, lease } = runFilesOf(loaded);
  if (incomplete.some(({ isBrokenOff }) => !isBrokenOff) || livingOwner(lease) !== undefined) return false;
  const db = openLedger(file);
  try {
    const kept = new StandingFile(standing);
    const id = idOf(db);
    const { ledger } = kept.state;
    if (ledger !== undefined && (ledger.id !== id || ledger.lost !== undefined || ledger.lacks !== undefined))
      kept.keep({ ledger: { id, file } });
    return true;
  } finally {
    db.close();
  }
}

function merged(file: string, draft: string): Pick<Rebuilt, 'tables' | 'withoutJournal'> {
  try {
    const db = openLedger(file);
    try {
      const tables = mergeLedger(db, draft);
      const runs = db.prepare('SELECT journal FROM runs').all();
      const withoutJournal = runs.filter(({ journal }) => journal === null || !existsSync(String(journal)));
      return { tables, withoutJournal: withoutJournal.length };
    } finally {
      db.close();
    }
  } catch (error) {
    throw new OddsmakerError('LEDGER_UNREADABLE', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Writes one run into the draft. Undefined: all of it was read; otherwise the reason why not.
 * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
 */
async function rebuildRun(
  journal: string,
  wanted: Config,
  draft: string,
): Promise<Incomplete | 'another account' | undefined> {
  const header = await headerOf(journal);
  const config = recordedConfig(journal, header);
  if (!isSameAccount(config, wanted)) return 'another account';
  return incompleteOf(await replayInto(draft, journal, header, config));
}

/**
 * Writes the rows of a run, as the run itself would write them, into a separate ledger at `draft`.
 * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
 */
export async function replayInto(
  draft: string,
  journal: string,
  header: JournalHeader,
  config: Config,
): Promise<ReadEvents> {
  let rows: RebuiltRun | undefined;
  const read = await readEvents(journal, header, 'reading', (input, events) => {
    if (input.in.type === 'boot') rows = new RebuiltRun(draft, journal, header, config, input.in.run);
    rows?.step(input, events);
  });
  rows?.close();
  return read;
}

/** Writes the rows of one run into the draft. */
class RebuiltRun {
  readonly #rows: RunRows;
  readonly #live: LiveFigures;
  readonly #figuresRows: LedgerFigures;
  readonly #requests = new RequestTally();
  readonly #db: ReturnType<typeof openLedger>;
  readonly #writer: LedgerWriter;
  #waiting: LedgerRow[] = [];
  #beganAt: number | undefined;
  #hasEnded = false;
  #mono = 0;

  constructor(draft: string, journal: string, header: JournalHeader, config: Config, run: string) {
    this.#db = openLedger(draft);
    this.#writer = new LedgerWriter(this.#db, accountIdOf(this.#db, keyOf(config, run)), run);
    const { configFile, version, strategies } = header;
    const folder = dirname(resolve(journal));
    const ledger: Pick<Ledger, 'write'> = {
      write: (name, values) => this.#waiting.push({ name, values }),
    };
    this.#live = new LiveFigures({ run, commission: config.commission });
    this.#figuresRows = new LedgerFigures(ledger, this.#live);
    this.#rows = new RunRows(
      ledger,
      {
        run,
        version,
        strategies,
        pid: 0,
        host: '',
        instance: config.orders.instance,
        journal: resolve(partsOf(journal)[0]?.file ?? journal),
        configFile: configFile === undefined ? '' : resolve(folder, configFile),
        configHash: configHash({ config }),
      },
      () => this.#figures,
    );
  }

  get #figures(): unknown {
    const durationMs = Math.round(this.#mono - (this.#beganAt ?? this.#mono));
    const { sent: requests, answers: http } = this.#requests;
    return jsonOf({ status: this.#live.status, requests, http, durationMs, faults: [] });
  }

  step(stamped: StampedArrival, events: readonly RunEvent[]): void {
    // former versions recorded fractions of milliseconds, but the tables take integers
    const input = { ...stamped, t: Math.round(stamped.t) };
    this.#mono = input.mono;
    this.#beganAt ??= input.mono;
    this.#requests.applyEvents(events);
    this.#rows.step(input, events);
    // with the exact time, as a report does
    this.#live.step(stamped.t, events);
    this.#figuresRows.step();
    for (const event of events)
      if (event.type === 'RunEnded') {
        this.#hasEnded = true;
        this.#rows.endRun(input.t, event.code, event.reason);
      }
    if (this.#waiting.length >= BATCH) this.#flush();
  }

  #flush(): void {
    this.#writer.write(this.#waiting);
    this.#waiting = [];
  }

  close(): void {
    // a killed run has no end
    if (this.#hasEnded) this.#figuresRows.endRun();
    this.#flush();
    this.#db.close();
  }
}

const keyOf = (config: Config, run: string) => ledgerKeyOf(config, accountOf(config.exchange).username, run);

export function incompleteOf({ difference, invalid, tear }: ReadEvents): Incomplete | undefined {
  if (difference !== undefined) return { why: `${difference}; it was added up to there`, isBrokenOff: false };
  if (invalid !== undefined) return { why: invalid, isBrokenOff: false };
  return tear && { why: `it breaks off behind record ${tear.seq}`, isBrokenOff: true };
}
