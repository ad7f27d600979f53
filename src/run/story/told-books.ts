// What the inputs of a journal tell of games and books, as far as a story needs it: who plays, which side a participant
// is, and the best offer that an input showed.
import type {
  BookPerspective,
  GameId,
  GameMessage,
  GameParticipant,
  Arrival,
  Ladder,
  Market,
  OrderPlace,
  Read,
  Side,
} from '../../domain/index.ts';
import { dollarsOfMicros, lineFor, oddsOf, oppositeSide } from '../../domain/index.ts';
import type { WireProfile } from '../../wire/index.ts';
import {
  bookPerspectiveOf,
  dataOf,
  gameIdIn,
  listOf,
  parseGameUpdate,
  SideReader,
  parsePositionUpdate,
  readGame,
  readText,
  recordOf,
} from '../../wire/index.ts';
import type { BestOffer, ToldMarket } from './story.ts';

export type ToldGame = {
  readonly name: string | undefined;
  readonly league: string | undefined;
  readonly participants: readonly GameParticipant[];
};

/** What an input said, for whoever asks which input brought an intent. */
export type Said = {
  readonly gameId?: GameId;
  readonly market?: ToldMarket;
  readonly best?: readonly BestOffer[];
};

export class ToldBooks {
  readonly #games = new Map<GameId, ToldGame>();
  readonly #perspective: BookPerspective;
  readonly #sides: SideReader;

  constructor(profile: WireProfile) {
    this.#perspective = bookPerspectiveOf(profile);
    this.#sides = new SideReader(this.#perspective);
  }

  game(id: GameId | undefined): ToldGame | undefined {
    return id === undefined ? undefined : this.#games.get(id);
  }

  /** Remembers the games that an input tells of for the first time. `read`: what a reply answers. */
  applyInput(input: Arrival, read: Read | undefined): void {
    for (const json of gamesIn(input, read)) {
      const id = readText(recordOf(json)?.['id']) as GameId | undefined;
      if (id === undefined || this.#games.has(id)) continue;
      const game = readGame(json, this.#perspective);
      if (game.ok) this.#remember(game.value);
    }
    if (input.type !== 'frame' || input.event !== 'gameUpdate') return;
    const id = gameIdIn(input.event, input.data);
    if (id === undefined || this.#games.has(id)) return;
    const game = parseGameUpdate(input.data, this.#perspective);
    if (game.ok) this.#remember(game.value);
  }

  #remember({ gameId, eventName, league, participants }: GameMessage): void {
    // a message without the header says nothing yet
    if (participants === undefined) return;
    this.#games.set(gameId, { name: eventName, league, participants });
  }

  /** What an input says of the market that it is about; where it is about whole games, of the market `of`. */
  said(input: Arrival, read: Read | undefined, of: Market | undefined): Said {
    if (input.type === 'frame' && input.event === 'orderUpdate') return this.#saidBySide(input.data);
    if (input.type === 'frame' && input.event === 'positionUpdate') {
      const event = parsePositionUpdate(input.data);
      if (!event.ok) return {};
      const { gameId, place } = event.value;
      const market = this.placeIn(gameId, place);
      return market === undefined ? { gameId } : { gameId, market };
    }
    const games =
      input.type === 'frame' && input.event === 'gameUpdate'
        ? [parseGameUpdate(input.data, this.#perspective)]
        : gamesIn(input, read).map((json) => readGame(json, this.#perspective));
    const only = games.length === 1 || read?.what === 'game' ? games[0] : undefined;
    const game = games.find((one) => one.ok && one.value.gameId === of?.gameId) ?? only;
    if (game?.ok !== true) return {};
    const { gameId } = game.value;
    if (of === undefined || gameId !== of.gameId) return { gameId };
    return {
      gameId,
      market: { type: of.type, side: undefined, line: of.line },
      best: bestIn(game.value, of, this.#perspective),
    };
  }

  #saidBySide(data: string): Said {
    const frame = this.#sides.read(data);
    if (!frame.ok) return {};
    const { gameId, type, participantId, line, offers } = frame.value;
    const shown = frame.value.side ?? this.#sideOf(gameId, participantId);
    const side = shown === undefined ? undefined : offererSide(shown, this.#perspective);
    const own = type === 'spread' && this.#perspective.line === 'taker' ? negative(line) : line;
    return { gameId, market: { type, side, line: own }, best: best(side, offers) };
  }

  /** Where an own order is, as the exchange told it. */
  placeIn(gameId: GameId | undefined, { type, side, line }: OrderPlace): ToldMarket | undefined {
    if (type === undefined) return undefined;
    const named = side === 'over' || side === 'under' ? side : this.#sideOf(gameId, side);
    return { type, side: named, line: type === 'moneyline' ? undefined : line };
  }

  #sideOf(gameId: GameId | undefined, participant: string | undefined): Side | undefined {
    return this.game(gameId)?.participants.find(({ id }) => id === participant)?.homeAway;
  }
}

/** The games of a reply, not read yet: of one game and its parts the game first. */
function gamesIn(input: Arrival, read: Read | undefined): readonly unknown[] {
  if (input.type !== 'reply' || (read?.what !== 'league' && read?.what !== 'game')) return [];
  const data = recordOf(dataOf(input.body));
  const listed = (field: string): readonly unknown[] => listOf(data?.[field]) ?? [];
  return read.what === 'league' ? listed('games') : [data?.['game'], ...listed('childGames'), ...listed('propGames')];
}

function bestIn(game: GameMessage, of: Market, perspective: BookPerspective): readonly BestOffer[] {
  return of.sides.flatMap((side) => {
    const line = lineFor(of, side);
    const ladder = game.ladders.find((one) => {
      if (one.type !== of.type || offererSide(one.side, perspective) !== side) return false;
      const own = one.type === 'spread' && perspective.line === 'taker' ? negative(one.line) : one.line;
      return own === line;
    });
    return best(side, ladder?.offers ?? []);
  });
}

const negative = (line: number | undefined): number | undefined => (line === undefined ? undefined : 0 - line + 0);

const offererSide = (shown: Side, { side }: BookPerspective): Side => (side === 'taker' ? oppositeSide(shown) : shown);

function best(side: Side | undefined, offers: Ladder): readonly BestOffer[] {
  const [first] = offers;
  return first === undefined
    ? []
    : [{ side, odds: oddsOf(first.rung), left: dollarsOfMicros(first.untaken), own: first.own }];
}
