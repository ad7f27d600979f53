// The market that is shown quote by quote: the one that filled most.
import type { Market } from '../domain/index.ts';
import { namedGame } from '../domain/index.ts';
import type { QuotePath } from './run-facts.ts';

/** Undefined: nothing filled. The first of several. */
export function busiestOf(
  fills: readonly { readonly market: Market; readonly eventName: string; readonly start: number }[],
  pathOf: (id: Market['id']) => QuotePath['points'],
): QuotePath | undefined {
  const [most] = [...Map.groupBy(fills, ({ market }) => market.id).values()].sort((a, b) => b.length - a.length);
  const first = most?.[0];
  return first === undefined
    ? undefined
    : {
        market: first.market,
        eventName: namedGame(first.eventName, first.start),
        points: pathOf(first.market.id),
      };
}
