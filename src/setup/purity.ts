// Refuses to backtest strategies with constructs that make two runs differ. To find them, a file is parsed,
// and TypeScript is stripped before, which takes a tenth of a second. So the cache folder of the user remembers
// files in which nothing was found.
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Config } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import { cacheFolder, makeFolder } from '../files/index.ts';
import type { RecordedFile, RecordedStrategy } from '../journal/index.ts';
import type { Impurity } from './impurities.ts';
import { impuritiesIn } from './impurities.ts';
import { buildVersion } from './version.ts';

/** Maximum number of constructs listed in one message. */
const MOST_LISTED = 5;

/**
 * Refuses to backtest strategies whose result would depend on the machine or the time of day, unless the YAML
 * has `impure: true` for them.
 * @throws OddsmakerError STRATEGY_IMPURE, with files and lines
 */
export function refuseImpure(strategies: readonly RecordedStrategy[], configured: Config['strategies']): void {
  const found = strategies.flatMap((strategy, index) =>
    configured[index]?.impure === true ? [] : [strategy, ...(strategy.imports ?? [])].flatMap(impuritiesOnce),
  );
  if (found.length === 0) return;
  const lines = found
    .slice(0, MOST_LISTED)
    .map(({ file, line, what: construct, instead }) => `${file}:${line}: ${construct}: ${instead}`);
  throw new OddsmakerError(
    'STRATEGY_IMPURE',
    `two backtests of this would differ:\n  ${lines.join('\n  ')}` +
      (found.length > MOST_LISTED ? `\n  and ${found.length - MOST_LISTED} more` : '') +
      '\nor set `impure: true` for the strategy in the YAML, and the result says so',
  );
}

/** The impure constructs in a file, without a search when an earlier one found none in the same text. */
function impuritiesOnce(file: RecordedFile): readonly Impurity[] {
  if (file.source === undefined) return impuritiesIn(file);
  const key = createHash('sha256').update([buildVersion(), extname(file.file), file.source].join('\n'));
  const folder = join(cacheFolder(), 'pure');
  const mark = join(folder, key.digest('hex'));
  if (existsSync(mark)) return [];
  const found = impuritiesIn(file);
  if (found.length === 0) remember(folder, mark);
  return found;
}

/** Without a cache folder that can be written, each run searches. */
function remember(folder: string, mark: string): void {
  try {
    makeFolder(folder);
    writeFileSync(mark, '');
  } catch {
    // nothing depends on it
  }
}
