// A strategy on trial: shown the books of this moment beside the one that runs, with nothing that it says or does having any
// effect.
import type { ErrorCode } from '../../domain/index.ts';
import type { HostPorts, StrategyEntry } from './host.ts';
import { StrategyHost } from './host.ts';
import type { MarketView, Signals } from '../view.ts';

export type Trial = {
  /** Markets that it was shown, and those that it wants quotes on. */
  readonly shown: number;
  readonly quoted: number;
  /** What would take it off. */
  readonly faults: readonly { readonly code: ErrorCode; readonly detail: string }[];
};

/** Called around each dispatch, so that the shell can measure it. */
export type Around = Pick<HostPorts, 'enter' | 'leave'>;

export function tryOut(entry: StrategyEntry, views: Iterable<MarketView>, signals: Signals, around: Around): Trial {
  const faults: { code: ErrorCode; detail: string }[] = [];
  const host = new StrategyHost([entry], signals, {
    reportAsync: (_strategy, place) =>
      faults.push({ code: 'ASYNC_EMISSION', detail: `it emitted outside a dispatch${place}` }),
    fault: (code, _strategy, detail) => faults.push({ code, detail }),
    log: () => undefined,
    seq: () => 0,
    ...around,
  });
  let shown = 0;
  const quoted = new Set<string>();
  for (const view of views) {
    shown += 1;
    host.dispatch(view.market, () => view);
    for (const { intent } of host.takeIntents())
      if (intent.quotes.length > 0) quoted.add(intent.market);
      else quoted.delete(intent.market);
  }
  host.quarantine(entry.id, 'the trial is over');
  return { shown, quoted: quoted.size, faults };
}
