// The current view, from the part of the address after `#/`.
import { computed, signal } from '@preact/signals';

export const VIEWS = ['now', 'markets', 'games', 'orders', 'fills', 'figures', 'strategies', 'log', 'alerts'] as const;
export type View = (typeof VIEWS)[number] | 'market';

const hash = signal(location.hash);
addEventListener('hashchange', () => (hash.value = location.hash));

export const route = computed((): { readonly view: View; readonly id: string | undefined } => {
  const [view = 'now', ...rest] = hash.value.replace(/^#\/?/, '').split('/');
  if (view === 'market' && rest.length > 0) return { view, id: decodeURIComponent(rest.join('/')) };
  const known = VIEWS.find((name) => name === view);
  return { view: known ?? 'now', id: undefined };
});

export function go(view: View, id?: string): void {
  location.hash = id === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
}
export const linkTo = (market: string): string => `#/market/${encodeURIComponent(market)}`;
