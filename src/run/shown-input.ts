// Describes an input in a few words, to show what brought an intent.
import type { Arrival, Feed } from '../domain/index.ts';
import { dollarsOfMicros, oddsOf } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { bookPerspectiveOf, gameIdIn, SideReader } from '../wire/index.ts';

export type ShownInput = {
  readonly input: Arrival['type'];
  readonly feed?: Feed;
  /** Event and game of a frame. */
  readonly event?: string;
  readonly gameId?: string;
  /** Command of an operator. */
  readonly command?: string;
  /** Market and best offer, dollars, of one side of a book. */
  readonly market?: string;
  readonly best?: { readonly odds: number; readonly left: number };
};

export class InputReader {
  readonly #sides: SideReader;

  constructor(profile: WireProfile) {
    this.#sides = new SideReader(bookPerspectiveOf(profile));
  }

  shown(input: Arrival): ShownInput {
    const { type } = input;
    if (type === 'operator') return { input: type, command: input.command };
    if (type === 'feed') return { input: type, feed: input.feed };
    if (type !== 'frame') return { input: type };
    const { feed, event, data } = input;
    const gameId = gameIdIn(event, data);
    const shown = { input: type, feed, event, ...(gameId === undefined ? {} : { gameId }) };
    const side = event === 'orderUpdate' ? this.#sides.read(data) : undefined;
    if (side?.ok !== true) return shown;
    const { type: market, offers } = side.value;
    const [best] = offers;
    if (best === undefined) return { ...shown, market };
    return { ...shown, market, best: { odds: oddsOf(best.rung), left: dollarsOfMicros(best.untaken) } };
  }
}
