// The configuration of a run, read from the header of its journal.
import type { Config } from '../config/index.ts';
import { readEffective } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { JournalHeader } from '../journal/index.ts';
import { buildVersion } from './version.ts';

/** Reads the configuration of a run. @throws OddsmakerError JOURNAL_INVALID */
export function recordedConfig(journal: string, { config, version }: JournalHeader): Config {
  const read = readEffective(config);
  if (read.ok) return read.value;
  const now = buildVersion();
  const versions =
    version === now ? '' : ` (it was written by ${typeof version === 'string' ? version : '?'}, this is ${now})`;
  throw new OddsmakerError(
    'JOURNAL_INVALID',
    `${journal}:1: the configuration in its header cannot be read by this version${versions}: ${read.problem}`,
  );
}
