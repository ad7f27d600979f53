// Labels vanished offers as taken or cancelled, where that is known: on tapes that show an offer once more
// with nothing left when it was taken to its end, and in recordings with own offers, which prove something
// about the offers around them.
import type { OrderId } from '../domain/index.ts';
import type { MarketEvent } from '../tape/index.ts';
import type { Vanished } from '../traders/index.ts';
import { InProcessExchange } from '../paper/index.ts';
import { NONE_EXHAUSTED } from '../tape/index.ts';
import { DEFAULT_PROFILE } from '../wire/index.ts';
import type { MarketSource } from './market-source.ts';
import { PriceFeed } from './price-feed.ts';

export type Labelled = { readonly vanished: Vanished; readonly isTaken: boolean };

export type FillLabels = {
  /** The offers with a label, in the order of time. */
  readonly labelled: readonly Labelled[];
  /** Number of vanished offers without a label. */
  readonly unknown: number;
  /**
   * Number of offers that were shown with nothing left. If there are any, all other vanished offers were
   * cancelled.
   */
  readonly exhausted: number;
};

/**
 * Reads the tapes to their end. Exhausted rows are removed before the traders see them, so that their offers
 * vanish as they would on a tape that does not show them.
 * @throws OddsmakerError TAPE_INVALID, from the source
 */
export async function labelsIn(market: MarketSource, onEvent: (atMs: number) => void): Promise<FillLabels> {
  const seen: Vanished[] = [];
  const spent = new Set<OrderId>();
  let feed: PriceFeed | undefined;
  let exchange: InProcessExchange | undefined;
  // event by event: the features of an offer depend on the events right after it
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
    feed.applyEvent(withoutSpent(event, spent), false);
    onEvent(event.ts);
  }
  function note(offer: Vanished): number {
    seen.push(offer);
    return 0;
  }
  const labelled: Labelled[] = [];
  for (const offer of seen) {
    const proof = spent.size > 0 ? (spent.has(offer.id) ? 'taken' : 'cancelled') : offer.proof;
    if (proof !== undefined) labelled.push({ vanished: offer, isTaken: proof === 'taken' });
  }
  return { labelled, unknown: seen.length - labelled.length, exhausted: spent.size };
}

function withoutSpent(event: MarketEvent, spent: Set<OrderId>): MarketEvent {
  if ((event.what !== 'side' && event.what !== 'game') || event.exhausted.length === 0) return event;
  for (const { id } of event.exhausted) spent.add(id);
  return { ...event, exhausted: NONE_EXHAUSTED };
}
