// The prices of the exchange's books, as the bot's mirror reads them.
import type { GameMessage } from '../domain/index.ts';
import { consensusOf } from '../domain/index.ts';
import { Mirror } from '../mirror/index.ts';
import type { BookPrices } from '../signals/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { bookPerspectiveOf } from '../wire/index.ts';

/** The books of games as read by REST. Markets that are one-sided, wide or thin have no price. */
export function bookPrices(messages: readonly GameMessage[], profile: WireProfile): readonly BookPrices[] {
  const mirror = new Mirror(bookPerspectiveOf(profile));
  mirror.applyFeed('up', 1);
  for (const message of messages) mirror.applyGame(message, 1, 0, { sentAt: 0 });
  return [...mirror.games.values()].map(({ game, markets }) => ({
    game,
    prices: [...markets.values()].flatMap(({ market, sides: [first, second] }) => {
      const consensus = consensusOf(first.ladder, second.ladder);
      return consensus === undefined ? [] : [{ market, p: consensus.p }];
    }),
  }));
}
