// Decodes the lines of one tape into market events, in the offerer's terms whatever view was recorded. In
// the taker's view a frame names the opposite participant. Who that is depends on the game's header, so the
// reader of the events resolves it.
import type {
  BookLadder,
  BookPerspective,
  GameMessage,
  Micros,
  OrderId,
  Side,
  SideFrame,
  SignalUpdate,
} from '../domain/index.ts';
import {
  isUnixMs,
  microsOfDollars,
  OddsmakerError,
  oppositeSide,
  readJson,
  readSignals,
  SIGNAL_LINE,
  unixMsProblem,
  WrongUnit,
} from '../domain/index.ts';
import {
  DEFAULT_PROFILE,
  isRecord,
  parseGameBook,
  parseGameUpdate,
  parseLeagueReply,
  parsePositionUpdate,
  readNumber,
  readText,
  SideReader,
} from '../wire/index.ts';

/** An offer shown with nothing left: the only sign that it was taken in full. */
export type Exhausted = { readonly id: OrderId; readonly risk: Micros };
export const NONE_EXHAUSTED: readonly Exhausted[] = [];

/** One line of a tape. */
export type RecordedFrame = {
  readonly ts: number;
  readonly ns: string;
  readonly event: string;
  readonly data: string;
  /** Unix ms of the request, for a REST read. */
  readonly sent?: number;
  readonly line?: number;
};

/** An `orderUpdate` still in its tape line: the payload has a backslash before each quote. */
export type EscapedFrame = { readonly ts: number; readonly ns: string; readonly escaped: string };

/** A key that is unique among the sides of one game, by the names this tape uses. */
export const sideKeyOf = ({ frame, facing }: SideEvent): string =>
  `${frame.type}|${facing === true ? 'faces ' : ''}${frame.participantId ?? frame.side}|${frame.line}`;

/** Fields of an event beside its message. */
type Known = {
  readonly ts: number;
  /** Offers it shows with nothing left. */
  readonly exhausted: readonly Exhausted[];
  /** Index of its tape among several. */
  tape?: number;
  /** The most rows a ladder of this tape shows. Undefined when ladders are complete. */
  depth?: number;
  /** Knowledge from later in the tape: ids that return, and whether the market closes now. */
  returning?: { readonly has: (id: OrderId) => boolean };
  isClosing?: boolean;
  /** The events that follow, up to a time of the tape in Unix ms. */
  until?: (ts: number) => Iterable<MarketEvent>;
};
export type SideEvent = Known & {
  readonly what: 'side';
  readonly frame: SideFrame;
  /** The frame names the opposite participant: the taker's view shows whom takers back, not offerers. */
  facing?: true;
};
export type GameEvent = Known & {
  readonly what: 'game';
  readonly game: GameMessage;
  /** Unix ms of the request, for a REST read: messages after that are newer than its reply. */
  since?: number;
};
/**
 * A connection change of a recording. `feed`: the whole feed changes with it, since no other tape is
 * connected.
 */
type Connection = { readonly ts: number; readonly tape?: number; readonly feed?: boolean };
export type ConnectionEvent = (Connection & { readonly what: 'up' }) | (Connection & { readonly what: 'down' });
/**
 * A message of the recording account's user feed: the total taken of an own offer, in the offer's stake. A
 * row that is taken in full only disappears from the ladder.
 */
export type OwnEvent = {
  readonly ts: number;
  readonly what: 'own';
  readonly orderId: OrderId;
  readonly taken: Micros;
  tape?: number;
};
/** Outside prices that strategies received. They are for the bot, not for the market. */
export type SignalEvent = { readonly ts: number; readonly what: 'signal'; readonly update: SignalUpdate };
export type MarketEvent = SideEvent | GameEvent | ConnectionEvent | OwnEvent | SignalEvent;
export const OFFERER_VIEW: BookPerspective = { odds: 'offerer', side: 'offerer', line: 'offerer' };
/** The settings with which a tape is decoded. */
export type Reading = {
  /** The perspective of odds, sides and lines, from the tape's header. */
  readonly view?: BookPerspective;
  /** The price namespace of the recorded exchange, and the prefix of its user namespaces. */
  readonly namespace?: string;
  readonly userNamespace?: string;
};

export class TapeDecoder {
  readonly #name: string;
  readonly #view: BookPerspective;
  readonly #sides: SideReader;
  readonly #escapedSides: SideReader;
  readonly #namespace: string;
  readonly #userNamespace: string;

  constructor(
    name: string,
    {
      view = OFFERER_VIEW,
      namespace = DEFAULT_PROFILE.priceNamespace,
      userNamespace = DEFAULT_PROFILE.userNamespace,
    }: Reading = {},
  ) {
    this.#name = name;
    this.#namespace = namespace;
    this.#userNamespace = userNamespace;
    this.#view = view;
    this.#sides = new SideReader(view);
    this.#escapedSides = new SideReader(view, 'escaped');
  }

  /** Decodes an `orderUpdate` whose payload is still escaped in its line. Undefined: use `read`. */
  readSide({ ts, ns, escaped }: EscapedFrame): SideEvent | undefined {
    const frame = ns === this.#namespace ? this.#escapedSides.scan(escaped) : undefined;
    if (frame === undefined) return undefined;
    return this.#sideEvent(ts, frame, this.#escapedSides, () => JSON.parse(`"${escaped}"`) as string);
  }

  /** Decodes one line. @throws OddsmakerError TAPE_INVALID when a line about the market cannot be read */
  read({ ts, ns, event, data, sent, line }: RecordedFrame): readonly MarketEvent[] {
    if (ns === 'rest')
      return this.#readRest(event, data, line).map((game) => {
        const gameEvent = this.#gameEvent(ts, game, exhaustedIn(data));
        if (sent !== undefined) gameEvent.since = sent;
        return gameEvent;
      });
    if (ns === SIGNAL_LINE.ns && event === SIGNAL_LINE.event) return [this.#signalEvent(ts, data, line)];
    if (ns !== this.#namespace)
      return event === 'positionUpdate' && ns.startsWith(this.#userNamespace) ? ownIn(ts, data) : NOTHING;
    switch (event) {
      case 'orderUpdate': {
        const frame = this.#sides.read(data);
        if (!frame.ok) throw this.#error(line, `this orderUpdate cannot be read: ${frame.problem}`);
        return [this.#sideEvent(ts, frame.value, this.#sides, () => data)];
      }
      case 'gameUpdate': {
        const game = parseGameUpdate(data, this.#view);
        if (!game.ok) throw this.#error(line, `this gameUpdate cannot be read: ${game.problem}`);
        return [this.#gameEvent(ts, game.value, exhaustedIn(data))];
      }
      case 'connect':
        return [{ ts, what: 'up' }];
      case 'disconnect':
        return [{ ts, what: 'down' }];
      default:
        return NOTHING;
    }
  }

  #signalEvent(ts: number, data: string, line: number | undefined): SignalEvent {
    const json = readJson(data);
    const body = json.ok ? json.value : undefined;
    const read = isRecord(body)
      ? readSignals(body['values'], body['ttl'])
      : `expected {"values": {name: number}, "ttl": "60s"}${json.ok ? '' : `, and this is ${json.problem}`}`;
    const problem = typeof read === 'string' ? read : read.slips.join('; ');
    if (typeof read === 'string' || problem !== '') throw this.#error(line, `this signal cannot be read: ${problem}`);
    const { update } = read;
    // it holds from its line on; its age is a field of its own
    const since = isRecord(body) ? body['ts'] : undefined;
    if (typeof since === 'number' && !isUnixMs(since))
      throw new WrongUnit(
        'TAPE_INVALID',
        this.#error(line, `this signal cannot be read: ${unixMsProblem('ts', since)}`).message,
      );
    const isOld = typeof since === 'number' && since < ts;
    return { ts, what: 'signal', update: isOld ? { ...update, ts: since } : update };
  }

  #sideEvent(ts: number, frame: SideFrame, reader: SideReader, data: () => string): SideEvent {
    const exhausted = reader.mayShowSpent ? exhaustedIn(data()) : NONE_EXHAUSTED;
    const event: SideEvent = { ts, what: 'side', frame, exhausted };
    return this.#view.side === 'offerer' && this.#view.line === 'offerer' ? event : this.#toOffererView(event);
  }

  /** The games in a recorded REST book read, as of its reply. Other reads say nothing about the market. */
  #readRest(event: string, data: string, line: number | undefined): readonly GameMessage[] {
    if (GAME_READ.test(event)) {
      const book = parseGameBook(jsonOf(data), this.#view);
      if (!book.ok) throw this.#error(line, `this getSingleOrderbook cannot be read: ${book.problem}`);
      return book.value.games;
    }
    if (!LEAGUE_READ.test(event)) return [];
    const book = parseLeagueReply(jsonOf(data), this.#view);
    if (!book.ok || book.value.unreadable > 0)
      throw this.#error(line, `this getOrderbook cannot be read: ${book.ok ? 'a game in it' : book.problem}`);
    return book.value.games;
  }

  #gameEvent(ts: number, message: GameMessage, exhausted: readonly Exhausted[]): GameEvent {
    const turn = (ladder: BookLadder): BookLadder => ({
      ...ladder,
      side: this.#sideOf(ladder.side),
      line: this.#lineOf(ladder.type, ladder.line),
    });
    const covers = message.covers.map(({ type, side }) => ({ type, side: this.#sideOf(side) }));
    return { ts, what: 'game', game: { ...message, ladders: message.ladders.map(turn), covers }, exhausted };
  }

  #toOffererView(event: SideEvent): SideEvent {
    const { frame } = event;
    const side = frame.side === undefined ? undefined : this.#sideOf(frame.side);
    const isFacing = this.#view.side === 'taker' && side === undefined;
    return {
      ...event,
      frame: { ...frame, side, line: this.#lineOf(frame.type, frame.line) },
      ...(isFacing ? { facing: true } : {}),
    };
  }

  #sideOf(shown: Side): Side {
    return this.#view.side === 'taker' ? oppositeSide(shown) : shown;
  }

  #lineOf(type: SideFrame['type'], line: number | undefined): number | undefined {
    return type === 'spread' && line !== undefined && this.#view.line === 'taker' ? 0 - line : line;
  }

  #error(line: number | undefined, problem: string): OddsmakerError {
    return tapeError(this.#name, line, problem);
  }
}

export const tapeError = (file: string, line: number | undefined, problem: string): OddsmakerError =>
  new OddsmakerError('TAPE_INVALID', `${file}:${line ?? 1}: ${problem}`);

const NOTHING: readonly MarketEvent[] = [];

/** The take that a user-feed message reports. An unreadable message says nothing about the market. */
function ownIn(ts: number, data: string): readonly MarketEvent[] {
  const event = parsePositionUpdate(data);
  if (!event.ok) return NOTHING;
  const { kind, orderId, filled, offered } = event.value;
  if (orderId === undefined || (kind !== 'partly-taken' && kind !== 'fully-taken')) return NOTHING;
  const taken = kind === 'fully-taken' ? (offered ?? filled) : filled;
  return taken === undefined ? NOTHING : [{ ts, what: 'own', orderId, taken }];
}
const LEAGUE_READ = /\/getOrderbook$/i;
const GAME_READ = /\/getSingleOrderbook$/i;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Matches amounts of zero, and those small enough to be zero in micro-dollars. */
const MAYBE_SPENT = /"sumUntaken":\s*"?\s*(?:-|0+\s*[",}]|0*\.0*\s*[",}]|0*\.000000|[\d.]+[eE]-)/;

/** Offers shown with nothing left. A ladder drops them, but each proves a take of all that was left. */
function exhaustedIn(payload: string): readonly Exhausted[] {
  if (!MAYBE_SPENT.test(payload)) return NONE_EXHAUSTED;
  const spent: Exhausted[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value as readonly unknown[]) visit(item);
    if (!isRecord(value)) return;
    const id = readText(value['id']);
    const risk = readNumber(value['risk'] ?? value['bet']);
    const left = readNumber(value['sumUntaken']);
    if (id !== undefined && risk !== undefined && left !== undefined && microsOfDollars(left) <= 0)
      spent.push({ id: id as OrderId, risk: microsOfDollars(risk) });
    else for (const inner of Object.values(value)) if (typeof inner === 'object') visit(inner);
  };
  visit(jsonOf(payload));
  return spent;
}
