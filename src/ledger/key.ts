import type { Config } from '../config/index.ts';
import type { LedgerKey } from './file.ts';

/** Whose rows they are. Every embedded exchange is another one: its run tells it from others. */
export const ledgerKeyOf = ({ exchange }: Pick<Config, 'exchange'>, account: string, run: string): LedgerKey => ({
  exchange: exchange.embedded === undefined ? (exchange.restUrl ?? '') : `embedded/${run}`,
  account,
  mode: exchange.playerMode,
});
