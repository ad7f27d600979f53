// What a journal is replayed with: the configuration of its header, or the one of a file, the strategy files where they
// are found now, or as the journal has them, and what of all that is not as it was when the journal was written.
import { dirname, resolve } from 'node:path';
import type { Config, LoadedConfig } from '../config/index.ts';
import { loadOffline, redacted, withEnvironment } from '../config/index.ts';
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
  /** As the configuration names it, and where it is: in the journal itself, where `ofJournal` says why. */
  readonly use: string;
  readonly file: string;
  readonly ofJournal: string | undefined;
  readonly sha256: string;
  /** Of the file that the run loaded; undefined: the run had no strategy of this id. */
  readonly recorded: string | undefined;
  /** Files that it imports, or imported then, and that are not the same now. */
  readonly otherImports: readonly string[];
};

export type Replayed = {
  readonly core: Core;
  /** How what was received is read. */
  readonly profile: WireProfile;
  readonly version: { readonly recorded: string; readonly now: string };
  /** Undefined: the configuration is the journal's own. */
  readonly config: string | undefined;
  /** Every key that is not as the journal tells it, secrets apart. */
  readonly keys: readonly JsonDifference[];
  readonly strategies: readonly ReplayedStrategy[];
  /** Parameters of strategies that the journal hides: nobody can tell whether they are as they were. */
  readonly hidden: readonly string[];
  /** Something that the core depends on is not as it was: other commands are no bug. */
  readonly changed: boolean;
  /** What the core runs with now. */
  readonly settings: () => CoreSettings;
  /** The run went on with strategies that were loaded anew, as this header has them. @throws OddsmakerError JOURNAL_INVALID, STRATEGY_* */
  readonly reload: (header: JournalHeader) => Promise<void>;
  /** The replay is over: files that were made for it go. */
  readonly close: () => void;
};

/** @throws OddsmakerError JOURNAL_INVALID, CONFIG_INVALID, STRATEGY_* */
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

/** Where strategy files are, by their names in the configuration; and why they are the journal's own. */
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
    read: configFile === undefined ? (told) => withEnvironment(recordedConfig(journal, told), process.env) : undefined,
    home: placesOf(journal, header)[0] ?? '.',
  });
  const version = { recorded: textOf(header.version) ?? 'not told', now: buildVersion() };
  return {
    core: new Core(header.backtest === true ? backtestSettings(settings) : settings, {
      reportAsync: () => undefined,
      reloaded: (strategy, sha256) => reloads.entryOf(strategy, sha256),
      configured: () => reloads.settings,
    }),
    settings: () => reloads.settings,
    reload: (told) => reloads.load(told),
    profile: settings.profile,
    version,
    config: configFile,
    keys: jsonDifferences(redacted(recorded), redacted(loaded.config)).filter(
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

/** Names are from the folder of a configuration file, which need not be the same one: the files tell which is which. */
function otherImports(now: RecordedStrategy | undefined, then: RecordedStrategy | undefined): readonly string[] {
  // a journal of a former version does not tell
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

/** All as they are on the disk, if they are as they were there; or else all as the journal has them, if it does. */
function placesOfStrategies(
  journal: string,
  header: JournalHeader,
  { strategies }: Config,
  hashes: ReadonlyMap<string, string | undefined>,
): Places {
  const found = strategies.map(({ id, use }) => findStrategy(journal, header, use, hashes.get(id)));
  const whole = wholeStrategies(header);
  const changes = whole?.map((one, index) => changeOf(one, found[index]));
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
    if (unpacked !== undefined) reasons.set(use, changes?.[index] ?? 'another one is not as it was');
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
      const why = hidden.some((one) => one === key || one.startsWith(`${key}.`))
        ? '; the journal hides what it was: name the configuration file with --config, or set the variable that it names'
        : '';
      return new OddsmakerError('CONFIG_INVALID', `${journal}:1: config.${key}: ${message}${why}`);
    },
    sets: () => true,
  };
}

/** The first place where the file is as it was, or else the first where there is one. */
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

/** Folders that the strategy files may be relative to, likeliest first. */
function placesOf(journal: string, { configFile }: JournalHeader): readonly string[] {
  const folder = dirname(resolve(journal));
  const above = [folder];
  for (let next = dirname(folder); next !== above.at(-1); next = dirname(next)) above.push(next);
  const named = textOf(configFile);
  return [...(named === undefined ? [] : [dirname(resolve(folder, named))]), process.cwd(), ...above];
}

/** All that the core is told of a configuration, but for the code of the strategies, and secrets. */
async function readByCore(loaded: LoadedConfig, config: Config): Promise<string> {
  const { settings } = await loadCoreSettings({ ...loaded, config: { ...config, strategies: [] } });
  const own: CoreSettings = settings;
  const shown = redacted(config) as Config;
  const params = shown.strategies.map(({ id, params: told }) => [id, told]);
  // one version hides a secret by its key, another one by its name
  return JSON.stringify({ ...own, strategies: params }, (_key, value: unknown) =>
    isHiddenText(value) ? '[hidden]' : value,
  );
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
