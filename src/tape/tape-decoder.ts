// From the lines of one tape to what they tell of the market, in the offerer's terms whatever view was recorded. Whom a
// participant of the taker's view faces is known once the header of its game is: that is left to whoever knows it.
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

/** A row that a frame shows with nothing left: the one sign of a full take. */
export type Exhausted = { readonly id: OrderId; readonly risk: Micros };
export const NONE_EXHAUSTED: readonly Exhausted[] = [];

/** One line of a tape, as the composition root reads it. */
export type RecordedFrame = {
  readonly ts: number;
  readonly ns: string;
  readonly event: string;
  readonly data: string;
  /** Of a read: when it was asked for. */
  readonly sent?: number;
  readonly line?: number;
};

/** An `orderUpdate` as it stands in its line, its payload with a backslash before each quote. */
export type EscapedFrame = { readonly ts: number; readonly ns: string; readonly escaped: string };

/** Tells the sides of one game apart, as one tape names them. */
export const sideKeyOf = ({ frame, facing }: SideEvent): string =>
  `${frame.type}|${facing === true ? 'faces ' : ''}${frame.participantId ?? frame.side}|${frame.line}`;

/** What is known of an event beside what it tells. */
type Known = {
  readonly ts: number;
  /** Rows that it shows with nothing left. */
  readonly exhausted: readonly Exhausted[];
  /** Which of several tapes told it. */
  tape?: number;
  /** How many rows a ladder of this tape shows at most, when it is cut. */
  depth?: number;
  /** From what the tape tells later: ids that come back, and whether the market closes now. */
  returning?: { readonly has: (id: OrderId) => boolean };
  isClosing?: boolean;
  /** What comes next, up to a time of the tape, Unix ms. */
  until?: (ts: number) => Iterable<MarketEvent>;
};
export type SideEvent = Known & {
  readonly what: 'side';
  readonly frame: SideFrame;
  /** The frame names the participant across: takers are shown whom they back, not whom the offers back. */
  facing?: true;
};
export type GameEvent = Known & {
  readonly what: 'game';
  readonly game: GameMessage;
  /** A read that was asked for then: what was told after that is newer. */
  since?: number;
};
/** The connection of a recording. `feed`: with it the whole feed, since no other tape is connected. */
type Connection = { readonly ts: number; readonly tape?: number; readonly feed?: boolean };
export type ConnectionEvent = (Connection & { readonly what: 'up' }) | (Connection & { readonly what: 'down' });
/** The user feed of whoever recorded: so much of an own offer was taken in all, in its stake. A row taken to its end just goes. */
export type OwnEvent = {
  readonly ts: number;
  readonly what: 'own';
  readonly orderId: OrderId;
  readonly taken: Micros;
  tape?: number;
};
/** What strategies were told from outside: for the bot, not for the market. */
export type SignalEvent = { readonly ts: number; readonly what: 'signal'; readonly update: SignalUpdate };
export type MarketEvent = SideEvent | GameEvent | ConnectionEvent | OwnEvent | SignalEvent;
export const OFFERER_VIEW: BookPerspective = { odds: 'offerer', side: 'offerer', line: 'offerer' };
/** How a tape is to be read. */
export type Reading = {
  /** Whose odds, sides and lines it shows, as its header says. */
  readonly view?: BookPerspective;
  /** Of the price feed, on the exchange that was recorded; and how those of users begin. */
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

  /** An `orderUpdate` whose payload is still as it stands in its line; undefined: `read` can tell. */
  readSide({ ts, ns, escaped }: EscapedFrame): SideEvent | undefined {
    const frame = ns === this.#namespace ? this.#escapedSides.scan(escaped) : undefined;
    if (frame === undefined) return undefined;
    return this.#sideEvent(ts, frame, this.#escapedSides, () => JSON.parse(`"${escaped}"`) as string);
  }

  /** @throws OddsmakerError TAPE_INVALID when a line of the market cannot be read */
  read({ ts, ns, event, data, sent, line }: RecordedFrame): readonly MarketEvent[] {
    if (ns === 'rest')
      return this.#readRest(event, data, line).map((game) => {
        const told = this.#gameEvent(ts, game, exhaustedIn(data));
        if (sent !== undefined) told.since = sent;
        return told;
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
    const told = json.ok ? json.value : undefined;
    const read = isRecord(told)
      ? readSignals(told['values'], told['ttl'])
      : `expected {"values": {name: number}, "ttl": "60s"}${json.ok ? '' : `, and this is ${json.problem}`}`;
    const problem = typeof read === 'string' ? read : read.slips.join('; ');
    if (typeof read === 'string' || problem !== '') throw this.#error(line, `this signal cannot be read: ${problem}`);
    const { update } = read;
    // it holds from its line on; how old it was is told apart
    const since = isRecord(told) ? told['ts'] : undefined;
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
    const told: SideEvent = { ts, what: 'side', frame, exhausted };
    return this.#view.side === 'offerer' && this.#view.line === 'offerer' ? told : this.#turned(told);
  }

  /** A recorded REST read of a book: the games in it, as they stood. Other reads say nothing of the market. */
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

  #gameEvent(ts: number, told: GameMessage, exhausted: readonly Exhausted[]): GameEvent {
    const turn = (ladder: BookLadder): BookLadder => ({
      ...ladder,
      side: this.#sideOf(ladder.side),
      line: this.#lineOf(ladder.type, ladder.line),
    });
    const covers = told.covers.map(({ type, side }) => ({ type, side: this.#sideOf(side) }));
    return { ts, what: 'game', game: { ...told, ladders: told.ladders.map(turn), covers }, exhausted };
  }

  #turned(told: SideEvent): SideEvent {
    const { frame } = told;
    const side = frame.side === undefined ? undefined : this.#sideOf(frame.side);
    const isFacing = this.#view.side === 'taker' && side === undefined;
    return {
      ...told,
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

/** What an event of the user feed says of takes; what cannot be read says nothing of the market. */
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

/** Nothing left, or so little that it may be nothing once it is counted in micro-dollars. */
const MAYBE_SPENT = /"sumUntaken":\s*"?\s*(?:-|0+\s*[",}]|0*\.0*\s*[",}]|0*\.000000|[\d.]+[eE]-)/;

/** Rows shown with nothing left: a ladder drops them, but they tell of a take to the end. */
function exhaustedIn(payload: string): readonly Exhausted[] {
  if (!MAYBE_SPENT.test(payload)) return NONE_EXHAUSTED;
  const spent: Exhausted[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value as readonly unknown[]) look(one);
    if (!isRecord(value)) return;
    const id = readText(value['id']);
    const risk = readNumber(value['risk'] ?? value['bet']);
    const left = readNumber(value['sumUntaken']);
    if (id !== undefined && risk !== undefined && left !== undefined && microsOfDollars(left) <= 0)
      spent.push({ id: id as OrderId, risk: microsOfDollars(risk) });
    else for (const inner of Object.values(value)) if (typeof inner === 'object') look(inner);
  };
  look(jsonOf(payload));
  return spent;
}
