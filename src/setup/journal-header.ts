// The header of a journal: what ran, and from which configuration.
import { relative, resolve } from 'node:path';
import type { LoadedConfig } from '../config/index.ts';
import { redacted } from '../config/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { buildVersion } from './version.ts';

/** The header of the journal of a run of this configuration, kept in `folder`. */
export const journalHeader = (
  { config, file }: Pick<LoadedConfig, 'config' | 'file'>,
  strategies: JournalHeader['strategies'],
  folder: string,
  gate?: JournalHeader['gate'],
): JournalHeader => ({
  version: buildVersion(),
  config: redacted(config),
  strategies,
  profile: config.exchange.profile,
  configFile: relative(folder, resolve(file)),
  ...(gate === undefined ? {} : { gate }),
});
