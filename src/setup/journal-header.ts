// The header of a journal: version, configuration and strategies of the run.
import { relative, resolve } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import { redactedConfig } from '../config/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { buildVersion } from './version.ts';

/** The header for a journal in `folder` of a run with this configuration. */
export const journalHeader = (
  { config, file }: Pick<LoadedConfig, 'config' | 'file'>,
  strategies: JournalHeader['strategies'],
  folder: string,
  gate?: JournalHeader['gate'],
): JournalHeader => ({
  version: buildVersion(),
  config: redactedConfig(config),
  strategies,
  profile: config.exchange.profile,
  configFile: relative(folder, resolve(file)),
  ...(gate === undefined ? {} : { gate }),
});
