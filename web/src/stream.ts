// The one stream: a snapshot, then differences; kept as signals, one for each section, so that a view is drawn anew only when
// its own rows changed. Silence is told: whoever looks at old figures must know.
import { batch, computed, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { withChanges } from '../../src/page/changes.ts';
import type { Change, Frame, Hello, MarketChange, Now, OneMarket, Past, Rows, Sections, Snapshot } from './wire.ts';

const STALE_AFTER_MS = 2000;

export type Link = 'connecting' | 'open' | 'lost' | 'locked';
export const link = signal<Link>('connecting');
export const hello = signal<Hello | undefined>(undefined);
/** It said goodbye. */
export const hasEnded = signal(false);
export const now = signal<Now | undefined>(undefined);
/** How far the run's clock is from this machine's, ms. */
const offset = signal(0);
/** Of this machine, monotonic, when something was heard last; and now, four times a second. */
let heardAt = performance.now();
const tick = signal(performance.now());

type Kept = { readonly [K in keyof Sections]: Signal<Sections[K]> };
export const rows: Kept = {
  markets: signal({}),
  orders: signal({}),
  externals: signal({}),
  fills: signal({}),
  attribution: signal({}),
  strategies: signal({}),
  log: signal({}),
  alerts: signal({}),
  recent: signal({}),
  curve: signal({}),
};
const SECTIONS = Object.keys(rows) as (keyof Sections)[];

/** Of a run that is over: what there is of it; and the time that is shown. */
export const past = signal<Past | undefined>(undefined);
const shownAt = signal(0);

export const oneMarket = signal<OneMarket | undefined>(undefined);

/** Ms since something was heard, when that is too long. */
export const silentFor = computed(() => {
  const ms = tick.value - heardAt;
  return ms > STALE_AFTER_MS && link.value !== 'locked' && past.value === undefined ? ms : undefined;
});

/** The time in the run, as far as it is known between two messages. */
export const runTime = computed(() => {
  if (past.value !== undefined) return shownAt.value;
  // told anew with every tick
  return tick.value >= 0 ? Date.now() + offset.value : 0;
});

/** The token that opened the page may do more than look. */
export const mayCommand = computed(() => hello.value?.role === 'control');

let source: EventSource | undefined;

/** `market`: the one that is looked at. */
export function connect(market: string | undefined): void {
  source?.close();
  const query = market === undefined ? '' : `?market=${encodeURIComponent(market)}`;
  const next = new EventSource(`/api/stream${query}`);
  source = next;
  const on = <T>(event: string, apply: (data: T) => void): void => {
    next.addEventListener(event, ({ data }: MessageEvent<string>) => {
      if (source !== next) return;
      heardAt = performance.now();
      batch(() => {
        link.value = 'open';
        tick.value = heardAt;
        apply(JSON.parse(data) as T);
      });
    });
  };
  on<Hello>('hello', (told) => {
    hello.value = told;
    hasEnded.value = false;
  });
  on<unknown>('bye', () => (hasEnded.value = true));
  on<Snapshot>('snapshot', applySnapshot);
  on<Change>('change', applyChange);
  on<MarketChange>('market', applyMarket);
  next.addEventListener('error', () => {
    if (source !== next) return;
    link.value = 'lost';
    // a browser gives up after some answers
    const again = (): void => {
      if (source === next && next.readyState === EventSource.CLOSED) connect(market);
    };
    // whether the token is good no more is not told by the stream
    void fetch('/api/me').then(
      ({ status }) => {
        if (source !== next) return;
        if (status === 401) lock();
        else setTimeout(again, 1000);
      },
      () => setTimeout(again, 1000),
    );
  });
}

export function lock(): void {
  source?.close();
  source = undefined;
  link.value = 'locked';
}

setInterval(() => (tick.value = performance.now()), 250);

/** One moment of a run that is over. */
export function showFrame({ state, market }: Frame): void {
  batch(() => {
    link.value = 'open';
    shownAt.value = state.t;
    oneMarket.value = market ?? undefined;
    applySnapshot(state);
  });
}

function applySnapshot(snapshot: Snapshot): void {
  now.value = snapshot.now;
  for (const section of SECTIONS) (rows[section] as Signal<unknown>).value = snapshot[section];
  offset.value = snapshot.t - Date.now();
}

function applyChange(change: Change): void {
  if (change.now !== undefined && now.value !== undefined) now.value = { ...now.value, ...change.now };
  for (const section of SECTIONS) {
    const told = change[section];
    if (told === undefined) continue;
    const kept: Signal<Rows<unknown>> = rows[section];
    kept.value = withChanges(kept.value, told);
  }
  offset.value = change.t - Date.now();
}

function applyMarket({ id, isNew, ladder, path }: MarketChange): void {
  const before = oneMarket.value?.id === id && !isNew ? oneMarket.value : undefined;
  oneMarket.value = {
    id,
    ladder: ladder === undefined ? (before?.ladder ?? null) : ladder,
    path: before === undefined ? path : [...before.path, ...path],
  };
}
