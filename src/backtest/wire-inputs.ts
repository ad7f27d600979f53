// The inputs of a backtest as a live run would have been told them: books in the exchange's JSON, in the offerer's terms. So
// the journal of a backtest is one like any other: replayed, explained and checked by the same commands.
import type { Arrival, Command, Game, GameId, Read, RequestId, Side, SideFrame } from '../domain/index.ts';
import { encodeGame, encodeGameReply, encodeLeagueReply, encodeOrderUpdate } from '../wire/index.ts';

export class WireInputs {
  readonly #gameOf: (id: GameId) => Game | undefined;
  readonly #reads = new Map<RequestId, Read['what']>();

  constructor(gameOf: (id: GameId) => Game | undefined) {
    this.#gameOf = gameOf;
  }

  /** What is asked for decides what the answer looks like. */
  applyCommands(commands: readonly Command[]): void {
    for (const command of commands)
      if (command.type === 'read' && (command.read.what === 'league' || command.read.what === 'game'))
        this.#reads.set(command.req, command.read.what);
  }

  of(input: Arrival): Arrival {
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
        const isOne = this.#reads.get(req) === 'game' && game !== undefined;
        this.#reads.delete(req);
        return {
          type: 'reply',
          req,
          status: 200,
          body: isOne ? encodeGameReply(game, parts) : encodeLeagueReply(book),
        };
      }
      case 'reply':
      case 'failure':
        this.#reads.delete(input.req);
        return input;
      default:
        return input;
    }
  }

  /** Feeds name teams by participant. */
  #named(frame: SideFrame): SideFrame {
    const { side, type, participantId, gameId } = frame;
    if (type === 'total' || participantId !== undefined || side === undefined) return frame;
    const game = this.#gameOf(gameId);
    return { ...frame, participantId: game && game[side as Extract<Side, 'home' | 'away'>].id };
  }
}
