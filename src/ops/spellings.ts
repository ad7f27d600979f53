// Unites the files that an account has in other spellings, from versions that took each spelling for a
// separate account. A bot obeys all of them and leaves one set: restrictions are written under the kept name
// before the other file is removed.
import { rmSync } from 'node:fs';
import { OddsmakerError, tighterOf } from '../domain/index.ts';
import { isFenced, raiseFence, readFence } from './fence.ts';
import { livingOwner } from './owner.ts';
import type { RunFiles } from './run-files.ts';
import { StandingFile } from './standing-file.ts';

/** @throws OddsmakerError INSTANCE_RUNNING; also errors of the disk */
export function uniteSpellings(files: RunFiles): void {
  for (const { lease } of files.others) {
    const bot = livingOwner(lease);
    if (bot !== undefined)
      throw new OddsmakerError(
        'INSTANCE_RUNNING',
        `a bot of account ${files.account}, in another spelling, is running: ${lease} belongs to pid ${bot.pid}. Stop it first.`,
      );
  }
  for (const { fence, standing, lease } of files.others) {
    if (isFenced(fence)) {
      const { why, hung } = readFence(fence) ?? { why: 'unknown', hung: true };
      raiseFence(files.fence, why, hung);
      rmSync(fence, { force: true });
    }
    const kept = new StandingFile(files.standing);
    const { state } = new StandingFile(standing);
    const tighter = tighterOf(kept.state.standing, state.standing);
    if (tighter !== undefined || state.ledger !== undefined)
      kept.keep({ standing: tighter, ledger: kept.state.ledger ?? state.ledger });
    rmSync(standing, { force: true });
    rmSync(lease, { force: true });
  }
}
