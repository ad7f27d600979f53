// What a journal is replayed with: the configuration of its header, or the one of a file, the strategy files where they
// are found now, and what of all that is not as it was when the journal was written.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config, LoadedConfig } from '../config/index.ts';
import { loadOffline, readEffective, redacted } from '../config/index.ts';
import { hiddenPaths, OddsmakerError, withoutSecrets } from '../domain/index.ts';
import type { CoreSettings } from '../engine/index.ts';
import { Core } from '../engine/index.ts';
import type { JournalHeader } from '../record/journal.ts';
import type { JsonDifference } from '../record/json-difference.ts';
import { jsonDifferences } from '../record/json-difference.ts';
import { backtestSettings, loadCoreSettings } from './core-settings.ts';
import { buildVersion } from './version.ts';

export type ReplayedStrategy = {
  readonly id: string;
  /** As the configuration names it, and where it is. */
  readonly use: string;
  readonly file: string;
  readonly sha256: string;
  /** Of the file that the run loaded; undefined: the run had no strategy of this id. */
  readonly recorded: string | undefined;
};

export type Replayed = {
  readonly core: Core;
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
};

/** @throws OddsmakerError JOURNAL_INVALID, CONFIG_INVALID, STRATEGY_* */
export async function loadReplay(
  journal: string,
  header: JournalHeader,
  configFile: string | undefined,
): Promise<Replayed> {
  const recorded = recordedConfig(journal, header);
  const hidden = hiddenParams(recorded);
  const hashes = new Map(
    recorded.strategies.map(({ id }, index) => [id, textOf(header.strategies?.[index]?.sha256)]),
  );
  const loaded =
    configFile === undefined
      ? configOfJournal(journal, header, recorded, hashes, hidden)
      : loadOffline(configFile, process.env);
  const { settings, strategies: files } = await loadCoreSettings(loaded);
  const strategies = loaded.config.strategies.map(({ id, use }, index): ReplayedStrategy => ({
    id,
    use,
    file: loaded.resolve(use),
    sha256: files[index]?.sha256 ?? '',
    recorded: hashes.get(id),
  }));
  const version = { recorded: textOf(header.version) ?? 'not told', now: buildVersion() };
  return {
    core: new Core(header.backtest === true ? backtestSettings(settings) : settings, {
      reportAsync: () => undefined,
    }),
    version,
    config: configFile,
    keys: jsonDifferences(redacted(recorded), redacted(loaded.config)),
    strategies,
    hidden,
    changed:
      version.recorded !== version.now ||
      strategies.some((strategy) => strategy.sha256 !== strategy.recorded) ||
      (await readByCore(loaded, recorded)) !== (await readByCore(loaded, loaded.config)),
  };
}

function recordedConfig(journal: string, { config, version }: JournalHeader): Config {
  const read = readEffective(config);
  if (read.ok) return read.value;
  const now = buildVersion();
  const versions = version === now ? '' : ` (it was written by ${textOf(version) ?? '?'}, this is ${now})`;
  throw new OddsmakerError(
    'JOURNAL_INVALID',
    `${journal}:1: the configuration in its header cannot be read by this version${versions}: ${read.problem}`,
  );
}

const hiddenParams = ({ strategies }: Config): readonly string[] =>
  strategies.flatMap(({ params }, index) =>
    hiddenPaths(params).map((path) => ['strategies', index, 'params', ...path].join('.')),
  );

function configOfJournal(
  journal: string,
  header: JournalHeader,
  config: Config,
  hashes: ReadonlyMap<string, string | undefined>,
  hidden: readonly string[],
): LoadedConfig {
  const files = new Map(
    config.strategies.map(({ id, use }) => [use, findStrategy(journal, header, use, hashes.get(id))]),
  );
  return {
    config,
    file: journal,
    resolve: (path) => files.get(path) ?? path,
    problem: (path, message) => {
      const key = path.join('.');
      const why = hidden.some((one) => one === key || one.startsWith(`${key}.`))
        ? '; the journal hides what it was: name the configuration file with --config'
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
): string {
  const places = placesOf(journal, header).map((folder) => resolve(folder, use));
  const there = [...new Set(places)].flatMap((file) => {
    const hash = hashOf(file);
    return hash === undefined ? [] : [{ file, hash }];
  });
  const found = there.find(({ hash }) => hash === sha256) ?? there[0];
  if (found !== undefined) return found.file;
  throw new OddsmakerError(
    'STRATEGY_NOT_FOUND',
    `the strategy file ${use} of ${journal} is not where its configuration file was, nor in the current folder, nor in one ` +
      'above the journal: name the configuration file with --config',
  );
}

/** Folders that the strategy files may be relative to, likeliest first. */
function placesOf(journal: string, { configFile }: JournalHeader): readonly string[] {
  const folder = dirname(resolve(journal));
  const above = [folder];
  for (let next = dirname(folder); next !== above.at(-1); next = dirname(next)) above.push(next);
  const named = textOf(configFile);
  return [...(named === undefined ? [] : [dirname(resolve(folder, named))]), process.cwd(), ...above];
}

function hashOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return undefined;
  }
}

/** All that the core is told of a configuration, but for the code of the strategies, and secrets. */
async function readByCore(loaded: LoadedConfig, config: Config): Promise<string> {
  const { settings } = await loadCoreSettings({ ...loaded, config: { ...config, strategies: [] } });
  const own: CoreSettings = settings;
  const params = config.strategies.map((strategy) => [strategy.id, withoutSecrets(strategy.params)]);
  return JSON.stringify({ ...own, strategies: params });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
