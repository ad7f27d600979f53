// `oddsmaker pnl --rebuild`: the ledger of an account out of its journals. The events of every run that a journal has go into a ledger of
// its own, as the run itself filled one; then that is merged into the one of the configuration, whole or not at all.
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

/** `isBrokenOff`: all of it but its end. */
type Incomplete = { readonly why: string; readonly isBrokenOff: boolean };

export type Rebuilt = {
  readonly journals: number;
  /** Journals that could not be taken in, or not to their end, and why. */
  readonly incomplete: readonly (Incomplete & { readonly journal: string })[];
  /** Runs that the ledger has and no journal: their rows are as they were. */
  readonly withoutJournal: number;
  readonly tables: Merged;
  /** The next run counts the day's loss by it, also where the one before had lost its ledger. */
  readonly isTaken: boolean;
};

/** What no journal knows, in words. */
export const NOT_IN_JOURNALS = [
  'the last half second of a run that was killed',
  'milliseconds at the end of a run: ended_at and durations in figures go by its last record, and may differ by the last of them',
  'runs: pid, host, requests of the login, and how one ended that was killed or whose end failed',
  'alerts that are not of the core (seq 0: guard, disk, …), and when an alert was over (state, resolved_at)',
  'days.stated: what `run --day-loss` said',
] as const;

/** @throws OddsmakerError CONFIG_INVALID, LEDGER_UNREADABLE */
export async function rebuildLedger(loaded: LoadedConfig, file: string): Promise<Rebuilt> {
  const { dir } = loaded.config.journal;
  if (dir === null) throw loaded.problem(['journal', 'dir'], 'no journals are kept to rebuild a ledger from');
  const folder = loaded.resolve(dir);
  const taken = await takeIn(loaded, file, existsSync(folder) ? journalsIn(folder) : []);
  return { ...taken, isTaken: take(loaded, file, taken.incomplete) };
}

/** Merges what these journals have of the account into the ledger. @throws OddsmakerError LEDGER_UNREADABLE */
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
      const told = await rebuildRun(journal, loaded.config, draft).catch((error: unknown) => {
        if (error instanceof OddsmakerError) return { why: error.message, isBrokenOff: false };
        throw error;
      });
      if (told === 'another account') continue;
      journals += 1;
      if (told !== undefined) incomplete.push({ journal, ...told });
    }
    if (!existsSync(draft)) openLedger(draft).close();
    return { journals, incomplete, ...merged(file, draft) };
  } finally {
    removeDraft();
  }
}

/** Where no bot runs, and every journal of the account was read to where it ends. */
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
      const gone = db.prepare('SELECT journal FROM runs').all();
      const withoutJournal = gone.filter(({ journal }) => journal === null || !existsSync(String(journal)));
      return { tables, withoutJournal: withoutJournal.length };
    } finally {
      db.close();
    }
  } catch (error) {
    throw new OddsmakerError('LEDGER_UNREADABLE', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Undefined: all of it; else why not. @throws OddsmakerError JOURNAL_INVALID, STRATEGY_* */
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

/** What a run wrote, or would have written, into a ledger of its own at `draft`. @throws OddsmakerError JOURNAL_INVALID, STRATEGY_* */
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

/** Rows of one run on their way into the draft. */
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

  step(told: StampedArrival, events: readonly RunEvent[]): void {
    // former versions kept parts of milliseconds, for which tables have no place
    const input = { ...told, t: Math.round(told.t) };
    this.#mono = input.mono;
    this.#beganAt ??= input.mono;
    this.#requests.apply(events);
    this.#rows.step(input, events);
    // as a report takes it in
    this.#live.step(told.t, events);
    this.#figuresRows.step();
    for (const event of events)
      if (event.type === 'RunEnded') {
        this.#hasEnded = true;
        this.#rows.end(input.t, event.code, event.reason);
      }
    if (this.#waiting.length >= BATCH) this.#flush();
  }

  #flush(): void {
    this.#writer.write(this.#waiting);
    this.#waiting = [];
  }

  close(): void {
    // one that was killed came to no end
    if (this.#hasEnded) this.#figuresRows.end();
    this.#flush();
    this.#db.close();
  }
}

const keyOf = (config: Config, run: string) => ledgerKeyOf(config, accountOf(config.exchange).username, run);

export function incompleteOf({ difference, invalid, tear }: ReadEvents): Incomplete | undefined {
  if (difference !== undefined) return { why: `${difference}; it is taken in up to there`, isBrokenOff: false };
  if (invalid !== undefined) return { why: invalid, isBrokenOff: false };
  return tear && { why: `it breaks off behind record ${tear.seq}`, isBrokenOff: true };
}
