// The output folder of a backtest: checks it, writes results and journals into it, and removes old files.
import { journalOf, MORE_RESULTS, profilesOf, RESULTS, SCENARIOS } from '../report/index.ts';
import type { Scenario } from '../report/index.ts';
import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BacktestOptions } from './scenario-types.ts';
import type { LoadedConfig } from '../config/index.ts';
import { messageOf, OddsmakerError, systemCodeOf } from '../domain/index.ts';
import { makeFolder } from '../files/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { JournalWriter } from '../journal/index.ts';
import { journalHeader } from '../setup/index.ts';

/** A file that was written already, in the same file system as --out, and only gets its name. */
export type Draft = { readonly draft: string };
/** The content of a result file. */
export type Content = string | Uint8Array | Draft;

export type MoreResults = Readonly<Partial<Record<(typeof MORE_RESULTS)[number], Content>>>;

/** The files that compare the variations of --vary. Each variation also has a folder of its own. */
export const VARIATIONS = ['variations.csv', 'variations.svg'] as const;

/** The contents of `timing.json`: how long the backtest took on this machine. */
export type BacktestTiming = {
  readonly schema: 1;
  readonly ms: number;
  /** Number of scenarios that ran at once. */
  readonly threads: number;
  readonly scenarios: readonly {
    readonly scenario: Scenario;
    readonly ms: number;
    readonly framesPerSecond: number;
  }[];
};

/**
 * The name of a draft file. One older than DRAFT_LEFT_MS is from a backtest that was killed while it wrote;
 * live drafts exist for a moment only.
 */
const DRAFT = /^\.(.+)\.\d+\.draft$/;
const DRAFT_LEFT_MS = 60_000;

/**
 * Creates the folder and checks that it can be written, before anything is computed.
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export function prepareOut(out: string, names: readonly string[]): void {
  try {
    if (statSync(out, { throwIfNoEntry: false })?.isFile() === true)
      throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: this is a file, and a folder is wanted`);
    makeFolder(out);
    accessSync(out, constants.W_OK);
    removeLeftDrafts(out, names);
  } catch (error) {
    throw error instanceof OddsmakerError ? error : outUnwritable(out, error);
  }
  for (const name of names)
    if (statSync(join(out, name), { throwIfNoEntry: false })?.isDirectory() === true)
      throw new OddsmakerError(
        'OUT_UNWRITABLE',
        `--out ${out}: ${name} is a folder there, so no file of this name can be written`,
      );
}

/** Some file systems store times with a resolution of two seconds. */
const COARSE_MS = 2000;

/**
 * The names of variation folders: 1 to 1000, with leading zeros up to the width of the last number. Other
 * numbers are not such folders.
 */
const IS_RUN = /^(?=.*[1-9])(?:\d{1,3}|0\d{3}|1000)$/;

/**
 * Removes the tables and folders that earlier backtests with --vary left, and nothing else. Files are
 * replaced one by one, so until all are, old ones would mix two backtests. `runs`: the folders that stay,
 * though emptied; `journals`: files in them that this backtest has written since `beganMs` stay.
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export function removeVariations(
  out: string,
  runs: readonly string[],
  journals: { readonly names: readonly string[]; readonly beganMs: number },
): void {
  const isWritten = (file: string): boolean => {
    const { mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
    return mtimeMs >= journals.beganMs - COARSE_MS;
  };
  try {
    for (const name of VARIATIONS) rmSync(join(out, name), { force: true });
    for (const entry of readdirSync(out, { withFileTypes: true })) {
      if (!entry.isDirectory() || !IS_RUN.test(entry.name)) continue;
      const run = join(out, entry.name);
      const isKept = runs.includes(entry.name);
      for (const name of [...RESULTS, ...MORE_RESULTS, ...SCENARIOS.flatMap((scenario) => ofRun(scenario))]) {
        const file = join(run, name);
        if (!(isKept && journals.names.includes(name) && isWritten(file))) rmSync(file, { force: true });
      }
      if (!isKept && readdirSync(run).length === 0) rmdirSync(run);
    }
  } catch (error) {
    throw outUnwritable(out, error);
  }
}

/** Files of a scenario that are written while it runs. */
const ofRun = (scenario: Scenario): readonly string[] => [journalOf(scenario), ...profilesOf(scenario)];

function removeLeftDrafts(out: string, names: readonly string[]): void {
  for (const entry of readdirSync(out)) {
    const [, name] = DRAFT.exec(entry) ?? [];
    if (name === undefined || !names.includes(name)) continue;
    const draft = join(out, entry);
    const { mtimeMs } = lstatSync(draft, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY };
    if (Date.now() - mtimeMs > DRAFT_LEFT_MS) rmSync(draft, { force: true });
  }
}

/**
 * Writes all files as drafts and then renames them, so existing files stay until everything has been written.
 * The first file is removed first and renamed last: while it is missing, the files beside it may be of two
 * backtests. `may`: names of files that are removed unless they are among `files`.
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export function writeOut(out: string, files: Readonly<Record<string, Content>>, may: readonly string[] = []): void {
  // another backtest may write into this folder at the same time
  const drafts = Object.entries(files).map(([name, content]) => ({
    draft: isDraft(content) ? content.draft : join(out, `.${name}.${process.pid}.draft`),
    file: join(out, name),
    content,
  }));
  try {
    for (const { draft, content } of drafts) if (!isDraft(content)) writeFileSync(draft, content);
    rmSync(drafts[0]?.file ?? '', { force: true });
    for (const name of may) if (!Object.hasOwn(files, name)) rmSync(join(out, name), { force: true });
    for (const { draft, file } of drafts.toReversed()) renameSync(draft, file);
  } catch (error) {
    for (const { draft } of drafts) rmSync(draft, { force: true });
    throw outUnwritable(out, error);
  }
}

/** Writes one file of the folder. @throws OddsmakerError OUT_UNWRITABLE */
export function writeInto(out: string, name: string, content: string): void {
  try {
    makeFolder(out);
    writeFileSync(join(out, name), content);
  } catch (error) {
    throw outUnwritable(out, error);
  }
}

const isDraft = (content: Content): content is Draft => typeof content === 'object' && 'draft' in content;

/** The journal of a scenario. A disk error ends the backtest: `ready` and `close` throw OUT_UNWRITABLE. */
export type ScenarioJournal = NonNullable<BacktestOptions['journal']> & {
  readonly close: () => Promise<void>;
};

/**
 * Opens the journal of one scenario and replaces an existing one.
 * @throws OddsmakerError OUT_UNWRITABLE
 */
export function openJournal(
  out: string,
  scenario: Scenario,
  { config, file }: LoadedConfig,
  strategies: JournalHeader['strategies'],
): ScenarioJournal {
  const journalFile = join(out, journalOf(scenario));
  const { exchange } = config;
  // tapes are recorded in the offerer's terms, whatever the exchange shows
  const profile = { ...exchange.profile, bookPerspective: 'offerer' as const };
  const shown = { file, config: { ...config, exchange: { ...exchange, profile } } };
  const header: JournalHeader = { ...journalHeader(shown, strategies, out), backtest: true };
  let refusal: Error | undefined;
  const check = (): void => {
    if (refusal !== undefined) throw outUnwritable(out, refusal);
  };
  try {
    rmSync(journalFile, { force: true });
    const journal = new JournalWriter(
      journalFile,
      header,
      {
        problem: (message) => {
          refusal ??= new Error(`${journalOf(scenario)}: ${message}`);
        },
        resumed: () => undefined,
      },
      // in one part, which the next backtest replaces
      Number.POSITIVE_INFINITY,
    );
    return {
      record: (...step) => journal.record(...step),
      ready: async () => {
        await journal.ready();
        check();
      },
      close: async () => {
        await journal.close();
        check();
      },
    };
  } catch (error) {
    throw outUnwritable(out, error);
  }
}

const outUnwritable = (out: string, error: unknown): OddsmakerError =>
  new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${PROBLEMS.get(systemCodeOf(error)) ?? messageOf(error)}`);

/** Explanations of system error codes. */
const PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['ENOTDIR', 'something in this path is a file, not a folder'],
  ['EEXIST', 'something in this path is a file, not a folder'],
  ['EACCES', 'there is no permission to write there'],
  ['EROFS', 'nothing can be written there: the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['ENAMETOOLONG', 'this name is too long'],
]);
