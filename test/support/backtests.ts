// Backtests as benches and tests run them: from a compact tape, within the request windows of the spec.
import type { BacktestOptions } from '../../src/backtest/scenario-types.ts';
import { CompactWriter } from '../../src/tape/compact-writer.ts';
import { DEFAULT_LATENCY } from '../../src/backtest/latency.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import { backtestSettings } from '../../src/setup/core-settings.ts';
import type { CoreSettings } from '../../src/engine/index.ts';
import type { MarketEvent } from '../../src/tape/index.ts';
import { WINDOWS } from './windows.ts';

export const backtestOptions = (settings: CoreSettings): BacktestOptions => ({
  settings: backtestSettings(settings),
  windows: WINDOWS,
  requestTimeoutMs: 5000,
  expirationMinutes: undefined,
  latency: DEFAULT_LATENCY,
  seed: 1,
  fills: 'pessimistic',
  calibrated: { share: 0.5 },
  fromMs: undefined,
  toMs: undefined,
  results: new Map(),
});

/** Writes the compact form of a tape to `to`. */
export async function writeCompact(tape: string, to: string): Promise<void> {
  const writer = new CompactWriter(to, '');
  for await (const events of decodeTape(tape, {})) for (const event of events) writer.addEvent(event);
  writer.finishFile({ skipped: 0, torn: false, problems: [] });
}

export async function* inTurn(
  batches: Iterable<readonly MarketEvent[]>,
): AsyncGenerator<readonly MarketEvent[], void, void> {
  for (const batch of batches) yield batch;
}
