// What only `run` demands of a configuration, and `check` tells of: with money at stake somebody must have said what a day
// may cost (DESIGN rule 14), and the ledger must be there to count it.
import type { LoadedConfig } from '../config/index.ts';
import type { OddsmakerError } from '../domain/index.ts';

/** Undefined: nothing is missing. */
export function missingForRun(loaded: LoadedConfig): OddsmakerError | undefined {
  const { exchange, ledger, risk } = loaded.config;
  if (exchange.embedded !== undefined) return undefined;
  if (risk.maxDailyLoss === null)
    return loaded.problem(
      ['risk', 'maxDailyLoss'],
      'expected dollars: what the account may lose in a day, settled and marked, before the bot stops quoting; there is no default for an exchange that is not embedded',
    );
  if (ledger.file === null)
    return loaded.problem(['ledger', 'file'], 'expected a file: risk.maxDailyLoss is counted in the ledger');
  return undefined;
}
