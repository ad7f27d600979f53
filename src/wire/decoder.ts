// Converts received messages into inputs of the core: frames by their event, replies by the request that they
// answer. The same commands and messages give the same inputs, live, in a backtest and in a replay.
import type {
  Answer,
  Arrival,
  BookPerspective,
  Command,
  Input,
  Received,
  RequestCommand,
  RequestId,
  Result,
  SentRequest,
} from '../domain/index.ts';
import { isRequest } from '../domain/index.ts';
import { parseCancelReply } from './cancel.ts';
import { parseEditReply } from './edit.ts';
import { parseEnvelope } from './envelope.ts';
import { parseGameBook, parseGameUpdate, parseLeagueReply } from './game.ts';
import { parseOpenOrders, parseOrderLookup, parsePlayLookup, parsePlays, parseReferenceTrail } from './lists.ts';
import { gameIdIn, sideIn } from './order-update.ts';
import { parsePlaceReply } from './place.ts';
import { parsePositionUpdate } from './position-update.ts';
import type { WireProfile } from './profile.ts';
import { bookPerspectiveOf } from './profile.ts';
import { SideReader } from './side-reader.ts';
import { parseUser } from './user.ts';

type Frame = Extract<Received, { type: 'frame' }>;
type Reply = Extract<Received, { type: 'reply' }>;

const DEFAULT_RETRY_AFTER_S = 1;
/** Characters of an unreadable frame that are kept. */
const SHOWN = 200;

export class Decoder {
  readonly #perspective: BookPerspective;
  readonly #sides: SideReader;
  /** Requests without a final answer. */
  readonly #asked = new Map<RequestId, SentRequest>();

  constructor(profile: WireProfile) {
    this.#perspective = bookPerspectiveOf(profile);
    this.#sides = new SideReader(this.#perspective);
  }

  /**
   * Records the requests, which decide how their answers are read. `sentAt`: when they left, monotonic ms.
   */
  applyCommands(commands: readonly Command[], sentAt: number): void {
    for (const command of commands) if (isRequest(command)) this.#asked.set(command.req, { command, at: sentAt });
  }

  inputOf(arrival: Arrival): Input {
    switch (arrival.type) {
      case 'frame':
        return this.#readFrame(arrival);
      case 'long-frame':
        return this.#readHead(arrival);
      case 'reply':
        return this.#readReply(arrival);
      case 'answer':
        return { ...arrival, asked: this.#take(arrival.req) };
      case 'failure': {
        // after a timeout the reply may still arrive
        const { req, failure } = arrival;
        return { ...arrival, asked: failure === 'timeout' ? this.#asked.get(req) : this.#take(req) };
      }
      default:
        return arrival;
    }
  }

  #readFrame(frame: Frame): Input {
    const { feed, epoch, event, data } = frame;
    if (feed === 'user') {
      if (event !== 'positionUpdate') return malformed(frame, undefined);
      const position = parsePositionUpdate(data);
      return position.ok ? { type: 'position', position: position.value } : malformed(frame, position.problem);
    }
    if (event === 'orderUpdate') {
      const side = this.#sides.read(data);
      return side.ok ? { type: 'side', epoch, frame: side.value } : malformed(frame, side.problem);
    }
    if (event !== 'gameUpdate') return malformed(frame, undefined);
    const game = parseGameUpdate(data, this.#perspective);
    return game.ok ? { type: 'game', epoch, game: game.value } : malformed(frame, game.problem);
  }

  #readHead({ feed, epoch, event, bytes, head }: Extract<Received, { type: 'long-frame' }>): Input {
    return {
      type: 'oversize',
      feed,
      epoch,
      event,
      bytes,
      gameId: feed === 'prices' ? gameIdIn(event, head) : undefined,
      frame: feed === 'prices' && event === 'orderUpdate' ? sideIn(head, this.#perspective) : undefined,
    };
  }

  /** The request of an answer; each request is returned once. */
  #take(req: RequestId): SentRequest | undefined {
    const asked = this.#asked.get(req);
    this.#asked.delete(req);
    return asked;
  }

  #readReply(reply: Reply): Input {
    const { req, status } = reply;
    const asked = this.#take(req);
    return { type: 'answer', req, status, asked, answer: this.#answerTo(asked?.command, reply) };
  }

  #answerTo(
    asked: RequestCommand | undefined,
    { status, body, retryAfterSeconds = DEFAULT_RETRY_AFTER_S }: Reply,
  ): Answer {
    if (status < 200 || status >= 300) {
      const { message = '', code } = parseEnvelope(body) ?? {};
      return {
        type: 'error',
        status,
        message,
        retryAfterMs: retryAfterSeconds * 1000,
        ...(code === undefined ? {} : { code }),
      };
    }
    return asked === undefined ? { type: 'taken' } : this.#readAnswer(asked, body);
  }

  #readAnswer(asked: RequestCommand, body: unknown): Answer {
    switch (asked.type) {
      case 'place':
        return read(parsePlaceReply(body, asked.orders.length), (results) => ({ type: 'placed', results }));
      case 'edit':
        return read(parseEditReply(body), (result) => ({ type: 'edited', result }));
      case 'cancel':
        return read(parseCancelReply(body, asked.orderIds.length), (results) => ({
          type: 'cancelled',
          results,
        }));
      case 'cancel-all':
      case 'switch-mode':
        return { type: 'taken' };
      case 'read':
        return this.#readLookUp(asked, body);
    }
  }

  #readLookUp({ read: request }: Extract<RequestCommand, { type: 'read' }>, body: unknown): Answer {
    switch (request.what) {
      case 'league':
        return read(parseLeagueReply(body, this.#perspective), (book) => ({ type: 'book', book }));
      case 'game':
        return read(parseGameBook(body, this.#perspective), (book) => ({ type: 'book', book }));
      case 'user':
        return read(parseUser(body), ({ mode, cash, coins }) => ({
          type: 'user',
          user: { mode, cash, coins },
        }));
      case 'open-orders':
        return read(parseOpenOrders(body), (orders) => ({ type: 'open-orders', orders }));
      case 'plays':
        return read(parsePlays(body), (plays) => ({ type: 'plays', plays }));
      case 'play':
        return read(parsePlayLookup(body, request.txId), (play) => ({ type: 'play', play }));
      case 'reference':
        return read(parseReferenceTrail(body, request.ref), (trail) => ({ type: 'reference', trail }));
      case 'order':
        return read(parseOrderLookup(body), (order) => ({ type: 'order', order }));
    }
  }
}

const malformed = ({ feed, event, data }: Frame, problem: string | undefined): Input => ({
  type: 'malformed',
  feed,
  event,
  problem,
  data: data.slice(0, SHOWN),
  gameId: feed === 'prices' && problem !== undefined ? gameIdIn(event, data) : undefined,
});

const read = <T>(result: Result<T>, toAnswer: (value: T) => Answer): Answer =>
  result.ok ? toAnswer(result.value) : { type: 'unreadable', problem: result.problem };
