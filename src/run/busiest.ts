// Picks the market that reports show quote by quote: the one with the most fills.
import type { Market } from '../domain/index.ts';
import { namedGame } from '../domain/index.ts';
import type { QuotePath } from './run-facts.ts';

/** The market with the most fills; the first of several. Undefined: nothing filled. */
export function busiestOf(
  fills: readonly { readonly market: Market; readonly eventName: string; readonly start: number | undefined }[],
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
