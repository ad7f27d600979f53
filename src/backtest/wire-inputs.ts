// Encodes the inputs of a backtest as a live run would have received them: books in the exchange's JSON, in
// the offerer's terms. So the journal of a backtest can be replayed, explained and checked by the same
// commands as any other.
import type { Arrival, Game, GameId, SentRequest, Side, SideFrame } from '../domain/index.ts';
import { encodeGame, encodeGameReply, encodeLeagueReply, encodeOrderUpdate } from '../wire/index.ts';

export class WireInputs {
  readonly #gameOf: (id: GameId) => Game | undefined;

  constructor(gameOf: (id: GameId) => Game | undefined) {
    this.#gameOf = gameOf;
  }

  /** The wire form of an input. `asked`: the request of an answer, which decides the form of its body. */
  inputOf(input: Arrival, asked: SentRequest | undefined): Arrival {
    switch (input.type) {
      case 'side': {
        const { epoch, frame } = input;
        const data = encodeOrderUpdate(this.#named(frame));
        return { type: 'frame', feed: 'prices', epoch, event: 'orderUpdate', data };
      }
      case 'game': {
        const { epoch, game } = input;
        const data = JSON.stringify(encodeGame(game));
        return { type: 'frame', feed: 'prices', epoch, event: 'gameUpdate', data };
      }
      case 'answer': {
        const { req, answer } = input;
        if (answer.type !== 'book') return input;
        const { book } = answer;
        const [game, ...parts] = book.games;
        const isOne = asked?.command.type === 'read' && asked.command.read.what === 'game' && game !== undefined;
        return {
          type: 'reply',
          req,
          status: 200,
          body: isOne ? encodeGameReply(game, parts) : encodeLeagueReply(book),
        };
      }
      default:
        return input;
    }
  }

  /** The frame with its side named by participant, as feeds name teams. */
  #named(frame: SideFrame): SideFrame {
    const { side, type, participantId, gameId } = frame;
    if (type === 'total' || participantId !== undefined || side === undefined) return frame;
    const game = this.#gameOf(gameId);
    return { ...frame, participantId: game && game[side as Extract<Side, 'home' | 'away'>].id };
  }
}
