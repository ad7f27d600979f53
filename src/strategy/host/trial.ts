// Tries out a strategy: shows it the current books beside the one that runs. Nothing that it emits or does
// has any effect.
import type { ErrorCode } from '../../domain/index.ts';
import type { HostPorts, StrategyEntry } from './host.ts';
import { StrategyHost } from './host.ts';
import type { PersistedValues } from './persisted-values.ts';
import type { MarketView, Signals } from '../view.ts';

/** The result of a trial. */
export type Trial = {
  /** Number of views shown, one per market. */
  readonly shown: number;
  /** Number of markets on which it wants quotes. */
  readonly quoted: number;
  /** Faults that would disable it in a run. */
  readonly faults: readonly { readonly code: ErrorCode; readonly detail: string }[];
};

/** Callbacks before and after each dispatch, so that the shell can measure it. */
export type Around = Pick<HostPorts, 'enter' | 'leave'>;

/** Shows the views to a new instance set of the strategy, and withdraws everything at the end. */
export function tryOut(
  entry: StrategyEntry,
  views: Iterable<MarketView>,
  { signals, persisted }: { readonly signals: Signals; readonly persisted: PersistedValues },
  around: Around,
): Trial {
  const faults: { code: ErrorCode; detail: string }[] = [];
  let shownNow: MarketView | undefined;
  const host = new StrategyHost([entry], signals, {
    gameOf: () => shownNow?.game,
    reportAsync: (_strategy, place) =>
      faults.push({ code: 'ASYNC_EMISSION', detail: `it emitted outside a dispatch${place}` }),
    fault: (code, _strategy, detail) => faults.push({ code, detail }),
    log: () => undefined,
    seq: () => 0,
    persisted: persisted.copy(),
    ...around,
  });
  let shown = 0;
  const quoted = new Set<string>();
  for (const view of views) {
    shown += 1;
    shownNow = view;
    host.dispatch(view.market, () => view);
    for (const { intent } of host.takeIntents())
      if (intent.quotes.length > 0) quoted.add(intent.market);
      else quoted.delete(intent.market);
  }
  host.quarantine(entry.id, 'the trial has ended');
  return { shown, quoted: quoted.size, faults };
}
