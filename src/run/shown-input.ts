// What an input was, in a few words, for who asks what brought an intent.
import type { Arrival, Feed } from '../domain/index.ts';
import { dollarsOfMicros, oddsOf } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { bookPerspectiveOf, gameIdIn, SideReader } from '../wire/index.ts';

export type ShownInput = {
  readonly input: Arrival['type'];
  readonly feed?: Feed;
  /** Of a frame; and the game that it is of. */
  readonly event?: string;
  readonly gameId?: string;
  /** Of an operator. */
  readonly command?: string;
  /** Of one side of a book: its market, and the best offer, dollars. */
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
