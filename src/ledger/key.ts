import type { Config } from '../config/index.ts';
import type { LedgerKey } from './file.ts';

/**
 * Key of the account that owns the rows. Every embedded exchange is a different one, identified by its run.
 */
export const ledgerKeyOf = ({ exchange }: Pick<Config, 'exchange'>, account: string, run: string): LedgerKey => ({
  exchange: exchange.embedded === undefined ? (exchange.restUrl ?? '') : `embedded/${run}`,
  account,
  mode: exchange.playerMode,
});
