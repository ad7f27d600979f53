// Resolves the argument `<journal|config>` of a command.
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { loadToRead, readEffective } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import { headerOf, journalAt, journalsIn } from '../journal/index.ts';
import { isSameAccount } from '../setup/index.ts';

/**
 * The journal file, the newest journal of a folder, or, for a configuration (.yaml, .yml), the newest journal
 * of its account. @throws OddsmakerError JOURNAL_INVALID, CONFIG_INVALID
 */
export const journalNamed = async (path: string): Promise<string> =>
  ['.yaml', '.yml'].includes(extname(path).toLowerCase()) ? newestOf(path) : journalAt(path);

async function newestOf(file: string): Promise<string> {
  const loaded = loadToRead(file, process.env);
  const { dir } = loaded.config.journal;
  if (dir === null) throw loaded.problem(['journal', 'dir'], 'no journals are kept');
  const folder = loaded.resolve(dir);
  for (const journal of existsSync(folder) ? journalsIn(folder).toReversed() : []) {
    const recorded = readEffective((await headerOf(journal)).config);
    if (recorded.ok && isSameAccount(recorded.value, loaded.config)) return journal;
  }
  throw new OddsmakerError(
    'JOURNAL_INVALID',
    `${folder}: no journal of this account is there: a run with ${file} writes it`,
  );
}
