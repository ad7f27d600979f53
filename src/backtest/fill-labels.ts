// Vanished offers of which it is known whether takers had them: from tapes that show an offer once more with nothing left when
// it was taken to its end, and from recordings with own offers, which prove something of the offers around them.
import type { OrderId } from '../domain/index.ts';
import type { MarketEvent } from '../tape/index.ts';
import type { Vanished } from '../traders/index.ts';
import { InProcessExchange } from '../paper/index.ts';
import { NONE_EXHAUSTED } from '../tape/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import type { MarketSource } from './market-source.ts';
import { PriceFeed } from './price-feed.ts';

export type Labelled = { readonly of: Vanished; readonly isTaken: boolean };

export type FillLabels = {
  /** In the order of time. */
  readonly labelled: readonly Labelled[];
  /** Vanished offers of which nobody knows. */
  readonly unknown: number;
  /** Offers that were shown with nothing left: where there are any, whatever else vanished was cancelled. */
  readonly exhausted: number;
};

/**
 * Reads the tapes to their end. A spent row is taken away before anybody sees it, so that its offer vanishes as it would on a
 * tape that does not show it.
 * @throws OddsmakerError TAPE_INVALID, from the source
 */
export async function labelsIn(market: MarketSource, onEvent: (atMs: number) => void): Promise<FillLabels> {
  const seen: Vanished[] = [];
  const spent = new Set<OrderId>();
  let feed: PriceFeed | undefined;
  let exchange: InProcessExchange | undefined;
  // one by one, since what is asked of an offer is asked of what comes right behind it
  for (let event = await market.take(); event !== undefined; event = market.next() ?? (await market.take())) {
    exchange ??= new InProcessExchange({
      startMs: event.ts,
      leaps: true,
      withoutText: true,
      traders: 'tape',
      profile: DEFAULT_PROFILE,
    });
    feed ??= new PriceFeed(exchange, note, () => 0, true);
    exchange.advanceTo(event.ts);
    feed.apply(withoutSpent(event, spent), false);
    onEvent(event.ts);
  }
  function note(of: Vanished): number {
    seen.push(of);
    return 0;
  }
  const labelled: Labelled[] = [];
  for (const of of seen) {
    const proof = spent.size > 0 ? (spent.has(of.id) ? 'taken' : 'cancelled') : of.proof;
    if (proof !== undefined) labelled.push({ of, isTaken: proof === 'taken' });
  }
  return { labelled, unknown: seen.length - labelled.length, exhausted: spent.size };
}

function withoutSpent(event: MarketEvent, spent: Set<OrderId>): MarketEvent {
  if ((event.what !== 'side' && event.what !== 'game') || event.exhausted.length === 0) return event;
  for (const { id } of event.exhausted) spent.add(id);
  return { ...event, exhausted: NONE_EXHAUSTED };
}
