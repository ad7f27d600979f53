// The records that a run writes: the journal of every step, and a tape when `record.dir` is set.
import { join } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import { redactedConfig } from '../config/index.ts';
import type { SentRequest, StampedArrival } from '../domain/index.ts';
import type { Step } from '../pipeline/index.ts';
import type { FeedArrival } from '../exchange/index.ts';
import type { Log } from '../ops/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { JournalWriter, JournalRetention, ownerOf } from '../journal/index.ts';
import type { Recorder, Times } from '../tape/index.ts';
import { stampedName } from '../files/index.ts';
import { readCall } from '../wire/index.ts';
import type { LoadedCore } from '../setup/index.ts';
import { journalHeader } from '../setup/index.ts';
import { diskReport, tape } from './recorder.ts';

/** The journal and the tape of a run. Undefined when not written. */
export type RecordedFiles = {
  readonly journal: { readonly file: string; readonly isTorn: boolean } | undefined;
  readonly tape: { readonly records: number; readonly lost: number } | undefined;
};

export class BotRecords {
  readonly journal: JournalWriter | undefined;
  readonly #recorder: Recorder | undefined;
  readonly #retention: JournalRetention | undefined;
  #loaded: LoadedConfig;
  readonly #gate: JournalHeader['gate'];

  constructor(
    loaded: LoadedConfig,
    loadedCore: LoadedCore,
    parts: {
      readonly run: string;
      readonly runsWithOpenPlays: () => ReadonlySet<string> | undefined;
      readonly recorder: Recorder | undefined;
      readonly gate: JournalHeader['gate'];
      readonly log: Log;
    },
  ) {
    this.#loaded = loaded;
    this.#gate = parts.gate;
    this.#recorder = parts.recorder;
    this.journal = openJournal(loaded, loadedCore, parts);
    if (this.journal !== undefined)
      this.#retention = retentionOf(loaded, this.journal.file, parts.runsWithOpenPlays, parts.log);
  }

  /** The records so far. Complete after `close`. */
  get kept(): RecordedFiles {
    const [journal, recorder] = [this.journal, this.#recorder];
    return {
      journal: journal && { file: journal.file, isTorn: journal.isTorn },
      tape: recorder && { records: recorder.records - recorder.lost, lost: recorder.lost },
    };
  }

  /** Writes a feed message to the tape, as received. */
  feed(input: FeedArrival, times: Times): void {
    if (this.#recorder !== undefined) tape(this.#recorder, input, times);
  }

  step({ arrival: input, asked, commands, events }: Step): void {
    this.journal?.record(input, commands, events);
    if (this.#recorder !== undefined) this.#tapeStep(this.#recorder, input, asked);
  }

  /** Writes signals and the books read by REST to the tape. */
  #tapeStep(recorder: Recorder, { t, mono, in: input }: StampedArrival, asked: SentRequest | undefined): void {
    if (input.type === 'signal') recorder.signal(input, { t, mono });
    if (input.type !== 'reply' || input.status >= 300 || asked?.command.type !== 'read') return;
    const { read } = asked.command;
    if (read.what !== 'league' && read.what !== 'game') return;
    const { method, path } = readCall(read, this.#loaded.config.exchange.profile);
    recorder.read(`${method} ${path}`, input.body, t - (mono - asked.at), { t, mono });
  }

  /** Records in the journal the strategies that run from the next step on. */
  reload(strategies: LoadedCore['strategies'], loaded = this.#loaded): void {
    this.#loaded = loaded;
    const { dir } = loaded.config.journal;
    if (dir !== null) this.journal?.recordHeader(journalHeader(loaded, strategies, loaded.resolve(dir), this.#gate));
  }

  async close(): Promise<void> {
    await this.#retention?.close();
    await this.journal?.close();
    await this.#recorder?.close();
  }
}

/** Opens the journal. Undefined when `journal.dir` is null. */
function openJournal(
  loaded: LoadedConfig,
  { strategies }: LoadedCore,
  { run, log, gate }: { readonly run: string; readonly log: Log; readonly gate: JournalHeader['gate'] },
): JournalWriter | undefined {
  const { dir } = loaded.config.journal;
  if (dir === null) return undefined;
  const folder = loaded.resolve(dir);
  const name = stampedName(Date.now(), `${run}.ndjson.zst`);
  const report = diskReport(log, { journal: name });
  return new JournalWriter(join(folder, name), journalHeader(loaded, strategies, folder, gate), report);
}

function retentionOf(
  { config }: LoadedConfig,
  running: string,
  runs: () => ReadonlySet<string> | undefined,
  log: Log,
): JournalRetention {
  const { dir, keep, most } = config.journal;
  return new JournalRetention({
    running,
    // computed from the redacted configuration, as in the header of a journal
    owner: ownerOf({ config: redactedConfig(config) }),
    rules: { keepMs: keep ?? undefined, mostBytes: most ?? undefined },
    runs,
    removed: (journals, bytes) => {
      log.info('old journals were removed', { dir, journals, bytes });
    },
    problem: (message) => {
      log.warn(message, { dir });
    },
  });
}
