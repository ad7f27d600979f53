// State of a bot that survives its runs (rules.md, 14 and 15): halts and limits that an operator or a control
// tightened, the crashes of the last minutes, and the ledger with the result of the day. It is read before
// the first input and written at every step.
import { existsSync, renameSync } from 'node:fs';
import type { LoadedConfig } from '../config/index.ts';
import type { Arrival, DayAtBoot, Micros, PersistedValue, RunEvent, Standing } from '../domain/index.ts';
import {
  accountKey,
  dayStartOf,
  messageOf,
  microsOfDollars,
  OddsmakerError,
  parseTimeOfDay,
  tighterOf,
} from '../domain/index.ts';
import type { Core } from '../engine/index.ts';
import type { AlertMessage, KeptState, Log, RunFiles, SafetyNet } from '../ops/index.ts';
import type { HaltKind, Halts, Incomplete, RunRow } from '../ledger/index.ts';
import {
  accountIdOf,
  haltRow,
  idOf,
  isLocked,
  lockedLedger,
  Ledger,
  openLedger,
  readDay,
  readHalts,
  settledIn,
  stateDay,
  RunRows,
  LedgerFigures,
  ledgerKeyOf,
} from '../ledger/index.ts';
import { afterCrash, isFenced, keepUser, PersistedFolder, putFence, StandingFile } from '../ops/index.ts';
import { recordedEvent, runsIn } from '../journal/index.ts';
import type { Step } from '../pipeline/index.ts';
import type { LiveFigures } from '../run/index.ts';

type Boot = Extract<Arrival, { type: 'boot' }>;
type FromMemory = Pick<Boot, 'day' | 'standing' | 'after' | 'runs'>;

export type MemoryOptions = {
  readonly loaded: LoadedConfig;
  readonly files: RunFiles;
  readonly net: SafetyNet;
  readonly username: string;
  /** Value of `--day-loss`, dollars: the loss of the day so far. Used only when no ledger has it. */
  readonly dayLoss: number | undefined;
  readonly log: Log;
};

type OpenedLedger = {
  /** Path and id of the ledger file. Undefined when no ledger can be written. */
  readonly kept: { readonly file: string; readonly id: string } | undefined;
  readonly day: DayAtBoot | undefined;
  /** Settled result of all former runs of the account, micro-dollars. */
  readonly settled?: number;
  /** Halts of the account in the ledger. Undefined when none are kept, as with an embedded exchange. */
  readonly halts?: Halts;
};

export class BotMemory {
  /** The part of the boot input that comes from former runs. */
  readonly boot: FromMemory;
  readonly #options: MemoryOptions;
  readonly #standing: StandingFile;
  readonly #persisted: PersistedFolder;
  /** True while values cannot be written: only the first failure is reported. */
  #isPersistRefused = false;
  readonly #opened: OpenedLedger | undefined;
  #kept: Standing | undefined;
  #userId: string | undefined;
  #ledger: Ledger | undefined;
  #rows: RunRows | undefined;
  #figures: LedgerFigures | undefined;

  /** @throws OddsmakerError LEDGER_LOST, LEDGER_LOCKED, CONFIG_INVALID */
  constructor(options: MemoryOptions) {
    this.#options = options;
    const { files, net, loaded } = options;
    this.#standing = new StandingFile(files.standing);
    this.#persisted = new PersistedFolder(files.persisted, Date.now(), (problem) =>
      options.log.warn('a value that a strategy persisted cannot be read: the strategy starts without it', { problem }),
    );
    const { state } = this.#standing;
    this.#opened = openFor(options, state);
    const { halts } = this.#opened ?? {};
    // the tighter of the two records applies: the standing file may be in another folder than before
    const standing = tighterOf(state.standing, halts?.standing);
    this.#kept = standing;
    if (halts?.fence !== undefined && !isFenced(files.fence)) putFence(files.fence, halts.fence);
    const { dead, standingFence } = net;
    const { onCrash, journal, exchange } = loaded.config;
    const runs = journal.dir === null ? undefined : runsIn(loaded.resolve(journal.dir));
    const crash =
      dead === undefined
        ? undefined
        : afterCrash({ onCrash, dead, now: Date.now(), fence: standingFence, kept: state, runs: runs ?? [] });
    net.liftsCleared = onCrash === 'resume' && crash?.after.wait === undefined;
    this.#keep({
      ...(crash === undefined ? {} : { crashes: crash.crashes }),
      ...(this.#opened?.kept === undefined ? {} : { ledger: this.#opened.kept }),
      ...(isSame(standing, state.standing) ? {} : { standing }),
    });
    this.boot = {
      ...(this.#opened?.day === undefined ? {} : { day: this.#opened.day }),
      ...(standing === undefined ? {} : { standing }),
      ...(crash === undefined ? {} : { after: crash.after }),
      // no other run can have orders on an exchange that this run starts
      ...(exchange.embedded === undefined && runs !== undefined ? { runs } : {}),
    };
  }

  /** Values that strategies persisted in former runs. */
  get persisted(): readonly PersistedValue[] {
    return this.#persisted.former;
  }

  /** Result of former runs of the account as recorded in the ledger, dollars. */
  get formerPnl(): number {
    return (this.#opened?.settled ?? 0) / 1e6;
  }

  /** Why the ledger lacks rows of this run. Undefined when none are missing or there is no ledger. */
  get ledgerUnwritten(): string | undefined {
    const { lost } = this.#ledger ?? {};
    return lost === undefined ? undefined : lost.gone ? `lost: ${lost.problem}` : lost.problem;
  }

  /** Writes an alert to the ledger, when it fires and when it resolves. */
  alert(message: AlertMessage): void {
    this.#rows?.alert(message);
  }

  /** Saves the parameters that an operator changed, for restarts. Undefined removes them. */
  keepParams(params: KeptState['params']): void {
    if (params !== this.#standing.state.params) this.#keep({ params });
  }

  /** Starts writing the run to the ledger. `figures`: result so far, as JSON. `live`: figures of a report. */
  beginRun(row: RunRow, figures: () => unknown, live: LiveFigures): void {
    const { loaded, username, log } = this.#options;
    if (this.#opened?.kept === undefined) return;
    const { file, id } = this.#opened.kept;
    const key = ledgerKeyOf(loaded.config, username, row.run);
    this.#ledger = new Ledger(
      { file, id, key, run: row.run },
      {
        problem: (text) => {
          // the process may be killed before the ledger can be written again
          this.#keep({ ledger: { id, file, ...(text === undefined ? {} : { lacks: [row.run] }) } });
          if (text === undefined) log.info('the ledger is written again', { ledger: file });
          else
            log.warn('the ledger cannot be written, trying again', {
              code: 'LEDGER_FAILED',
              ledger: file,
              problem: text,
            });
        },
        lost: (why) => this.#lose(file, id, row, why),
      },
    );
    this.#rows = new RunRows(this.#ledger, row, figures);
    this.#keepHalt('standing', this.#kept);
    const { net } = this.#options;
    this.#keepHalt('fence', net.standingFence);
    net.fenceChanged = (fence) => this.#keepHalt('fence', fence);
    this.#figures = new LedgerFigures(this.#ledger, live);
  }

  /** Saves the user id, so that a login under another name of the same user finds the files of this name. */
  #keepUser(userId: string): void {
    const { files, loaded, log, username } = this.#options;
    const { embedded, restUrl: exchange } = loaded.config.exchange;
    if (userId === this.#userId || embedded !== undefined || exchange === undefined) return;
    this.#userId = userId;
    this.#ledger?.write('userId', { exchange, name: accountKey(username), userId });
    try {
      keepUser(files.user, { exchange, userId });
    } catch (error) {
      log.warn('the user id of the account cannot be saved', { problem: messageOf(error) });
    }
  }

  /** Writes a halt to the ledger too, so that a start in another folder does not lift it. */
  #keepHalt<K extends HaltKind>(kind: K, record: Halts[K]): void {
    if (this.#opened?.halts === undefined) return;
    const { instance } = this.#options.loaded.config.orders;
    this.#ledger?.write('halt', haltRow(instance, kind, record, Date.now()));
  }

  #lose(file: string, id: string, { run, journal }: RunRow, { problem, gone }: Incomplete): void {
    if (!gone && journal !== undefined) {
      const { file: config } = this.#options.loaded;
      this.#options.log.error(
        `rows of this run are not in the ledger: the next start takes them in from the journal, or \`oddsmaker pnl ${config} --rebuild\` now`,
        { code: 'LEDGER_UNWRITTEN', alert: 'LEDGER_UNWRITTEN', ledger: file, problem, journal },
      );
      this.#keep({ ledger: { id, file, lacks: [run] } });
      return;
    }
    this.#options.log.error('the ledger is lost: the loss of the day is counted in memory until the run ends', {
      code: 'LEDGER_LOST',
      alert: 'LEDGER_LOST',
      ledger: file,
      problem,
    });
    this.#keep({ ledger: { id, file, lost: Date.now() } });
  }

  /** Applies a step before its commands are carried out. */
  step({ arrival: input, events }: Step, core: Core): void {
    if (input.in.type === 'operator' && input.in.command === 'resume' && this.#standing.state.crashes.length > 0)
      this.#keep({ crashes: [] });
    if (input.in.type === 'session' && input.in.userId !== undefined) this.#keepUser(input.in.userId);
    const { standing } = core;
    if (!isSame(standing, this.#kept)) {
      this.#kept = standing;
      this.#keep({ standing });
      this.#keepHalt('standing', standing);
    }
    for (const event of events) if (event.type === 'ValuePersisted') this.#persist(recordedEvent(event), input.t);
    this.#rows?.step(input, events);
  }

  #persist(event: RunEvent, setAt: number): void {
    if (event.type !== 'ValuePersisted') return;
    try {
      this.#persisted.keep(event, setAt);
      this.#isPersistRefused = false;
    } catch (error) {
      // strategies set values twice a second
      if (!this.#isPersistRefused) this.#unsaved(this.#options.files.persisted, error);
      this.#isPersistRefused = true;
    }
  }

  /** Writes the figures after a step, when they are known. */
  figures(): void {
    this.#figures?.step();
  }

  /** Writes the last figures: no step follows. */
  endFigures(): void {
    this.#figures?.endRun();
  }

  #keep(change: Partial<KeptState>): void {
    if (Object.keys(change).length === 0) return;
    try {
      this.#standing.keep(change);
    } catch (error) {
      this.#unsaved(this.#options.files.standing, error);
    }
  }

  #unsaved(file: string, error: unknown): void {
    this.#options.log.error('state that must survive a restart cannot be saved', {
      code: 'STANDING_FAILED',
      alert: 'STANDING_FAILED',
      file,
      problem: messageOf(error),
    });
  }

  async close(code: number, reason: string): Promise<void> {
    this.#rows?.endRun(Date.now(), code, reason);
    await this.#ledger?.close();
  }
}

const isSame = (a: Standing | undefined, b: Standing | undefined): boolean =>
  a === b ||
  (a?.state === b?.state &&
    a?.paused === b?.paused &&
    a?.reason === b?.reason &&
    a?.ownOnly === b?.ownOnly &&
    String(a?.strategies) === String(b?.strategies));

/**
 * Opens the ledger, or begins a new one when the former is lost. Undefined when none is configured or none
 * can be kept.
 * @throws OddsmakerError LEDGER_LOST, LEDGER_LOCKED
 */
function openFor(options: MemoryOptions, kept: KeptState): OpenedLedger | undefined {
  const { loaded, username, dayLoss, log } = options;
  const { exchange, ledger, risk } = loaded.config;
  const isEmbedded = exchange.embedded !== undefined;
  const now = Date.now();
  const startsAt = dayStartOf(now, parseTimeOfDay(risk.dayStartsAt) ?? 0);
  const stated = dayLoss === undefined ? undefined : (-microsOfDollars(dayLoss) as Micros);
  if (ledger.file === null) return undefined;
  const file = loaded.resolve(ledger.file);
  const open = (isLost: boolean): OpenedLedger => {
    const db = openLedger(file);
    try {
      const id = idOf(db);
      if (!isLost && kept.ledger !== undefined && kept.ledger.id !== id)
        throw new Error(`it is not the one that the last run kept (${kept.ledger.file})`);
      if (isEmbedded) return { kept: { file, id }, day: undefined };
      const account = accountIdOf(db, ledgerKeyOf(loaded.config, username, ''));
      if (isLost && stated !== undefined) stateDay(db, account, { startsAt, brought: stated, now });
      return {
        kept: { file, id },
        day: readDay(db, account, startsAt, now),
        settled: settledIn(db, account),
        halts: readHalts(db, account, loaded.config.orders.instance),
      };
    } finally {
      db.close();
    }
  };
  const lost =
    kept.ledger === undefined
      ? undefined
      : kept.ledger.lost !== undefined
        ? `the last run lost it at ${new Date(kept.ledger.lost).toISOString()}: it is not complete`
        : existsSync(file)
          ? undefined
          : `it is gone (the last run kept it in ${kept.ledger.file})`;
  let problem = lost;
  if (problem === undefined) {
    try {
      const opened = open(false);
      if (stated !== undefined)
        log.warn('--day-loss is not needed: the ledger has the result of the day', { ledger: file });
      return opened;
    } catch (error) {
      if (isLocked(error)) throw lockedLedger(file, error);
      problem = messageOf(error);
    }
  }
  if (!isEmbedded && stated === undefined)
    throw new OddsmakerError(
      'LEDGER_LOST',
      `${file}: ${problem}. What the account lost since ${new Date(startsAt).toISOString()} is not known (risk.maxDailyLoss): ` +
        'restore the file, or give the loss with `run --day-loss <dollars>`',
    );
  log.warn('a new ledger begins', {
    ledger: file,
    problem,
    ...(isEmbedded ? {} : { dayLoss: dayLoss ?? 0 }),
  });
  try {
    if (lost === undefined || kept.ledger?.lost === undefined) setAside(file);
    return open(true);
  } catch (error) {
    log.error('no ledger can be kept: the loss of the day is counted in memory', {
      code: 'LEDGER_LOST',
      alert: 'LEDGER_LOST',
      ledger: file,
      problem: messageOf(error),
    });
    if (stated === undefined) return undefined;
    const day = { startsAt, settled: stated, plays: [], settledByHand: [], prices: [] };
    return { kept: undefined, day };
  }
}

/** Renames a ledger that cannot be read, so that the operator can repair it. */
function setAside(file: string): void {
  const ending = `lost-${Date.now()}`;
  for (const part of ['', '-wal', '-shm'])
    if (existsSync(file + part)) renameSync(file + part, `${file}.${ending}${part}`);
}
