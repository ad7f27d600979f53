// The stream of the page: a snapshot, then differences, kept as one signal per section, so that a view is
// drawn again only when its own rows changed. Silence is shown, because figures may be outdated then.
import { batch, computed, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { withChanges } from '../../src/page/changes.ts';
import type { Change, Frame, Hello, MarketChange, Now, OneMarket, Past, Rows, Sections, Snapshot } from './wire.ts';

const STALE_AFTER_MS = 2000;

export type Link = 'connecting' | 'open' | 'lost' | 'locked';
export const link = signal<Link>('connecting');
export const hello = signal<Hello | undefined>(undefined);
/** Whether the bot has ended in order. */
export const hasEnded = signal(false);
export const now = signal<Now | undefined>(undefined);
/** The clock of the run minus the clock of this machine, ms. */
const offset = signal(0);
/**
 * When the last message arrived, and the current time, updated four times a second. Monotonic ms of this
 * machine.
 */
let receivedAt = performance.now();
const tick = signal(performance.now());

type Kept = { readonly [K in keyof Sections]: Signal<Sections[K]> };
export const rows: Kept = {
  markets: signal({}),
  games: signal({}),
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

/** The recorded data of a past run, and the time shown. */
export const past = signal<Past | undefined>(undefined);
const shownAt = signal(0);

export const oneMarket = signal<OneMarket | undefined>(undefined);

/** Ms since the last message, when that is too long. Otherwise undefined. */
export const silentFor = computed(() => {
  const ms = tick.value - receivedAt;
  return ms > STALE_AFTER_MS && link.value !== 'locked' && past.value === undefined ? ms : undefined;
});

/** The time of the run, estimated between two messages. */
export const runTime = computed(() => {
  if (past.value !== undefined) return shownAt.value;
  // computed again with every tick
  return tick.value >= 0 ? Date.now() + offset.value : 0;
});

/** Whether the token of the page allows commands. */
export const mayCommand = computed(() => hello.value?.role === 'control');

let source: EventSource | undefined;

/** Connects to the stream. `market`: the viewed market. */
export function connect(market: string | undefined): void {
  source?.close();
  const query = market === undefined ? '' : `?market=${encodeURIComponent(market)}`;
  const next = new EventSource(`/api/stream${query}`);
  source = next;
  const on = <T>(event: string, apply: (data: T) => void): void => {
    next.addEventListener(event, ({ data }: MessageEvent<string>) => {
      if (source !== next) return;
      receivedAt = performance.now();
      batch(() => {
        link.value = 'open';
        tick.value = receivedAt;
        apply(JSON.parse(data) as T);
      });
    });
  };
  on<Hello>('hello', (message) => {
    hello.value = message;
    hasEnded.value = false;
  });
  on<unknown>('bye', () => (hasEnded.value = true));
  on<Snapshot>('snapshot', applySnapshot);
  on<Change>('change', applyChange);
  on<MarketChange>('market', applyMarket);
  next.addEventListener('error', () => {
    if (source !== next) return;
    link.value = 'lost';
    // after some answers a browser does not reconnect
    const again = (): void => {
      if (source === next && next.readyState === EventSource.CLOSED) connect(market);
    };
    // the stream does not show whether the token is still valid
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

/** Shows one frame of a past run. */
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
    const changes = change[section];
    if (changes === undefined) continue;
    const kept: Signal<Rows<unknown>> = rows[section];
    kept.value = withChanges(kept.value, changes);
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
