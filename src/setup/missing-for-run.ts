// What only `run` demands of a configuration, and `check` tells of: with money at stake somebody must have said what a day
// may cost (rules.md, 14), the ledger must be there to count it, and the admin port must be one that can be opened.
import type { LoadedConfig } from '../config/index.ts';
import type { OddsmakerError } from '../domain/index.ts';
import { isLoopback } from '../ops/index.ts';

/** Undefined: nothing is missing. */
export function missingForRun(loaded: LoadedConfig): OddsmakerError | undefined {
  const { exchange, ledger, ops, risk } = loaded.config;
  if (exchange.embedded !== undefined) return undefined;
  if (risk.maxDailyLoss === null)
    return loaded.problem(
      ['risk', 'maxDailyLoss'],
      'expected dollars: what the account may lose in a day, settled and marked, before the bot stops quoting; there is no default for an exchange that is not embedded',
    );
  if (ledger.file === null)
    return loaded.problem(['ledger', 'file'], 'expected a file: risk.maxDailyLoss is counted in the ledger');
  if (ops.required !== false && (ops.token ?? '') === '' && !isLoopback(ops.host))
    return loaded.problem(['ops', 'token'], 'expected a token: others can reach ops.host');
  return undefined;
}
