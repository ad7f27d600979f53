// The settings of a door to the in-process exchange, for bots that tests run on the virtual clock.
import type { InProcessSettings } from '../../src/backtest/in-process-door.ts';
import type { BacktestOptions } from '../../src/backtest/scenario-types.ts';
import type { CoreSettings } from '../../src/engine/index.ts';
import { WindowLedger } from '../../src/exchange/index.ts';

/** Settings without latency and books. The windows are new, and of these rules. */
export const doorSettings = (
  account: Pick<InProcessSettings, 'username' | 'password'>,
  { profile, lateArrivalMs }: Pick<CoreSettings, 'profile' | 'lateArrivalMs'>,
  rules: BacktestOptions['windows'],
): Omit<InProcessSettings, 'latency' | 'book'> => ({
  ...account,
  playerMode: 'coins',
  profile,
  startTimeoutMs: 60_000,
  requestTimeoutMs: 5000,
  lateArrivalMs,
  expirationMinutes: undefined,
  windows: {
    place: new WindowLedger(rules.place),
    cancel: new WindowLedger(rules.cancel),
    read: new WindowLedger(rules.read),
  },
});
