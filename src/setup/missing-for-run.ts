// Requirements that only `run` makes of a configuration, and that `check` reports. With money at stake a
// daily loss limit must be set (rules.md, 14), a ledger must be configured to count it, and the admin port
// must be safe to open.
import type { LoadedConfig } from '../config/index.ts';
import type { OddsmakerError } from '../domain/index.ts';
import { isLoopback } from '../ops/index.ts';

/** The first unmet requirement. Undefined when all are met. */
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
    return loaded.problem(['ops', 'token'], 'expected a token: other machines can reach ops.host');
  return undefined;
}
