// Builds the core for the replay of a journal: with the configuration of its header or of a file, and with
// the strategy files on disk or the sources in the journal. It also finds what differs from the time when the
// journal was written.
import { dirname, resolve } from 'node:path';
import type { Config, LoadedConfig } from '../config/index.ts';
import { loadOffline, redactedConfig, withEnvironment } from '../config/index.ts';
import { hiddenPaths, isHiddenText, OddsmakerError } from '../domain/index.ts';
import type { CoreSettings } from '../engine/index.ts';
import { Core } from '../engine/index.ts';
import type { JournalHeader, RecordedFile, RecordedStrategy } from '../journal/index.ts';
import type { JsonDifference } from '../files/index.ts';
import { jsonDifferences } from '../files/index.ts';
import type { WireProfile } from '../wire/index.ts';
import {
  backtestSettings,
  loadCoreSettings,
  changeOf,
  hashAt,
  unpackStrategies,
  wholeStrategies,
  buildVersion,
  recordedConfig,
} from '../setup/index.ts';
import type { UnpackedStrategies } from '../setup/index.ts';
import { ReplayedReloads } from './replayed-reloads.ts';

export type ReplayedStrategy = {
  readonly id: string;
  /**
   * The file as the configuration names it (`use`), and its location (`file`): the journal itself when
   * `ofJournal` gives a reason to use the recorded source.
   */
  readonly use: string;
  readonly file: string;
  readonly ofJournal: string | undefined;
  readonly sha256: string;
  /** The hash of the file that the run loaded. Undefined when the run had no strategy of this id. */
  readonly recorded: string | undefined;
  /** Files that it imports now or imported then, and that differ or exist only on one side. */
  readonly otherImports: readonly string[];
};

export type Replayed = {
  readonly core: Core;
  /** The wire profile with which received messages are decoded. */
  readonly profile: WireProfile;
  readonly version: { readonly recorded: string; readonly now: string };
  /** The configuration file. Undefined when the journal's own configuration is used. */
  readonly config: string | undefined;
  /** Every configuration key that differs from the journal, secrets excepted. */
  readonly keys: readonly JsonDifference[];
  readonly strategies: readonly ReplayedStrategy[];
  /** Strategy parameters that the journal hides: it is not known whether they differ. */
  readonly hidden: readonly string[];
  /** Something that the core depends on has changed: different commands are then no bug. */
  readonly changed: boolean;
  /** The settings with which the core runs now. */
  readonly settings: () => CoreSettings;
  /**
   * Loads the strategies of a header that a reload during the run wrote.
   * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
   */
  readonly reload: (header: JournalHeader) => Promise<void>;
  /** Ends the replay: removes the files that were made for it. */
  readonly close: () => void;
};

/**
 * Loads the core for the replay of a journal. `configFile`: a configuration file to use instead of the
 * journal's own configuration.
 * @throws OddsmakerError JOURNAL_INVALID, CONFIG_INVALID, STRATEGY_*
 */
export async function loadReplay(
  journal: string,
  header: JournalHeader,
  configFile: string | undefined,
): Promise<Replayed> {
  const recorded = recordedConfig(journal, header);
  const hidden = hiddenParams(recorded);
  const hashes = new Map(recorded.strategies.map(({ id }, index) => [id, textOf(header.strategies?.[index]?.sha256)]));
  const places = configFile === undefined ? placesOfStrategies(journal, header, recorded, hashes) : undefined;
  try {
    return await replayedWith(journal, header, { recorded, hidden, hashes, places, configFile });
  } catch (error) {
    places?.unpacked?.close();
    throw error;
  }
}

/**
 * The location of each strategy file by its name in the configuration, and the reason where it is the
 * journal's own source.
 */
type Places = {
  readonly files: ReadonlyMap<string, string>;
  readonly reasons: ReadonlyMap<string, string>;
  readonly unpacked: UnpackedStrategies | undefined;
};

async function replayedWith(
  journal: string,
  header: JournalHeader,
  {
    recorded,
    hidden,
    hashes,
    places,
    configFile,
  }: {
    readonly recorded: Config;
    readonly hidden: readonly string[];
    readonly hashes: ReadonlyMap<string, string | undefined>;
    readonly places: Places | undefined;
    readonly configFile: string | undefined;
  },
): Promise<Replayed> {
  const loaded =
    places === undefined
      ? loadOffline(configFile ?? '', process.env)
      : configOfJournal(journal, withEnvironment(recorded, process.env), places.files, hidden);
  const { settings, strategies: files } = await loadCoreSettings(loaded);
  const thenById = new Map(recorded.strategies.map(({ id }, index) => [id, header.strategies?.[index]]));
  const strategies = loaded.config.strategies.map(({ id, use }, index): ReplayedStrategy => {
    const ofJournal = places?.reasons.get(use);
    return {
      id,
      use,
      ofJournal,
      file: ofJournal === undefined ? loaded.resolve(use) : journal,
      sha256: files[index]?.sha256 ?? '',
      recorded: hashes.get(id),
      otherImports: otherImports(files[index], thenById.get(id)),
    };
  });
  const reloads = new ReplayedReloads(journal, header, {
    recorded,
    loaded,
    settings,
    read: configFile === undefined ? (next) => withEnvironment(recordedConfig(journal, next), process.env) : undefined,
    home: placesOf(journal, header)[0] ?? '.',
  });
  const version = { recorded: textOf(header.version) ?? 'not recorded', now: buildVersion() };
  return {
    core: new Core(header.backtest === true ? backtestSettings(settings) : settings, {
      reportAsync: () => undefined,
      reloaded: (strategy, sha256) => reloads.entryOf(strategy, sha256),
      configured: () => reloads.settings,
    }),
    settings: () => reloads.settings,
    reload: (next) => reloads.load(next),
    profile: settings.profile,
    version,
    config: configFile,
    keys: jsonDifferences(redactedConfig(recorded), redactedConfig(loaded.config)).filter(
      ({ before, after }) => !(isHiddenText(before) && isHiddenText(after)),
    ),
    strategies,
    hidden,
    changed:
      version.recorded !== version.now ||
      strategies.some(({ sha256, recorded: then, otherImports: { length } }) => sha256 !== then || length > 0) ||
      (await readByCore(loaded, recorded)) !== (await readByCore(loaded, loaded.config)),
    close: () => {
      places?.unpacked?.close();
      reloads.close();
    },
  };
}

/**
 * Imports that differ, compared by hash: names are relative to the folder of a configuration file, which may
 * be another one now.
 */
function otherImports(now: RecordedStrategy | undefined, then: RecordedStrategy | undefined): readonly string[] {
  // journals of former versions have no imports
  const before: unknown = then?.imports;
  if (!Array.isArray(before)) return [];
  const importsThen = before as readonly RecordedFile[];
  const hashes = new Set(now?.imports?.map(({ sha256 }) => sha256));
  const hashesThen = new Set(importsThen.map(({ sha256 }) => sha256));
  const names = [
    ...importsThen.filter(({ sha256 }) => !hashes.has(sha256)),
    ...(now?.imports ?? []).filter(({ sha256 }) => !hashesThen.has(sha256)),
  ].map(({ file }) => file);
  return [...new Set(names)];
}

/**
 * Locates the strategy files: all on disk when none has changed or the journal lacks sources, else all from
 * the journal.
 */
function placesOfStrategies(
  journal: string,
  header: JournalHeader,
  { strategies }: Config,
  hashes: ReadonlyMap<string, string | undefined>,
): Places {
  const found = strategies.map(({ id, use }) => findStrategy(journal, header, use, hashes.get(id)));
  const whole = wholeStrategies(header);
  const changes = whole?.map((strategy, index) => changeOf(strategy, found[index]));
  const isAsThen = changes?.every((change) => change === undefined) === true;
  const unpacked =
    whole === undefined || isAsThen || whole.length !== strategies.length
      ? undefined
      : unpackStrategies(journal, whole, placesOf(journal, header)[0] ?? '.');
  const files = new Map<string, string>();
  const reasons = new Map<string, string>();
  for (const [index, { use }] of strategies.entries()) {
    const file = unpacked?.files[index] ?? found[index];
    if (file === undefined) throw notFound(journal, use);
    files.set(use, file);
    if (unpacked !== undefined) reasons.set(use, changes?.[index] ?? 'another strategy file has changed');
  }
  return { files, reasons, unpacked };
}

const hiddenParams = ({ strategies }: Config): readonly string[] =>
  strategies.flatMap(({ params }, index) =>
    hiddenPaths(params).map((path) => ['strategies', index, 'params', ...path].join('.')),
  );

function configOfJournal(
  journal: string,
  config: Config,
  files: ReadonlyMap<string, string>,
  hidden: readonly string[],
): LoadedConfig {
  return {
    config,
    file: journal,
    resolve: (path) => files.get(path) ?? path,
    problem: (path, message) => {
      const key = path.join('.');
      const why = hidden.some((path) => path === key || path.startsWith(`${key}.`))
        ? '; the journal hides what it was: name the configuration file with --config, or set the variable that it names'
        : '';
      return new OddsmakerError('CONFIG_INVALID', `${journal}:1: config.${key}: ${message}${why}`);
    },
    sets: () => true,
  };
}

/** The first location where the file is unchanged, or else the first where it exists. */
function findStrategy(
  journal: string,
  header: JournalHeader,
  use: string,
  sha256: string | undefined,
): string | undefined {
  const places = placesOf(journal, header).map((folder) => resolve(folder, use));
  const there = [...new Set(places)].flatMap((file) => {
    const hash = hashAt(file);
    return hash === undefined ? [] : [{ file, hash }];
  });
  return (there.find(({ hash }) => hash === sha256) ?? there[0])?.file;
}

const notFound = (journal: string, use: string): OddsmakerError =>
  new OddsmakerError(
    'STRATEGY_NOT_FOUND',
    `the strategy file ${use} of ${journal} is not where its configuration file was, nor in the current folder, nor in one ` +
      'above the journal, and the journal does not have its source: name the configuration file with --config',
  );

/** Folders to which names of strategy files may be relative, the likeliest first. */
function placesOf(journal: string, { configFile }: JournalHeader): readonly string[] {
  const folder = dirname(resolve(journal));
  const above = [folder];
  for (let next = dirname(folder); next !== above.at(-1); next = dirname(next)) above.push(next);
  const named = textOf(configFile);
  return [...(named === undefined ? [] : [dirname(resolve(folder, named))]), process.cwd(), ...above];
}

/** The core's settings of a configuration as comparable text, without strategy code and secrets. */
async function readByCore(loaded: LoadedConfig, config: Config): Promise<string> {
  const { settings } = await loadCoreSettings({ ...loaded, config: { ...config, strategies: [] } });
  const base: CoreSettings = settings;
  const shown = redactedConfig(config) as Config;
  const params = shown.strategies.map(({ id, params: values }) => [id, values]);
  // versions differ in how they name a hidden secret
  return JSON.stringify({ ...base, strategies: params }, (_key, value: unknown) =>
    isHiddenText(value) ? '[hidden]' : value,
  );
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
