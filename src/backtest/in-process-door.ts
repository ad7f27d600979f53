// Connects the door's ports to the in-process venue on the virtual clock, in place of axios, sockets and
// Bottleneck. Requests and answers take a latency each; answers may be late or never come.
import type { Answer, Feed, FeedFault, LeagueBook, PositionEvent, Read, Timers } from '../domain/index.ts';
import type {
  DoorPorts,
  DoorSettings,
  OutgoingCall,
  RestPort,
  SocketEvents,
  SocketPort,
  WindowLedger,
} from '../exchange/index.ts';
import { LedgerWindow } from '../exchange/index.ts';
import type { Connection, Ending, Headers, InProcessExchange, Lane, Payload } from '../paper/index.ts';
import { answerOf, readAnswer } from '../wire/index.ts';

export type InProcessSettings = DoorSettings & {
  readonly windows: Readonly<Record<'place' | 'cancel' | 'read', WindowLedger>>;
  /** Draws the one-way latency of a request, an answer or a frame, ms. */
  readonly latency: () => number;
  /**
   * Reads a book without JSON; it returns undefined when there is no such game. When given, prices do not
   * come from the door either.
   */
  readonly book?: (read: BookRead) => LeagueBook | undefined;
};

type BookRead = Extract<Read, { what: 'league' | 'game' }>;
/** The fault of an expired token. */
const UNAUTHORIZED: FeedFault = { cause: 'not authorized', setting: 'exchange.username' };

type RestDone = Parameters<RestPort>[2];

/**
 * Timers on the virtual clock. `timeOutMs`: a delay that is used again and again, and gets a lane of its own.
 */
export function timersOf(exchange: InProcessExchange, timeOutMs: number): Timers {
  const { nowMs: startMs } = exchange;
  const timeOut = exchange.lane();
  return {
    now: () => exchange.nowMs - startMs,
    after: (ms, action) => {
      let isOn = true;
      const fire = (): void => {
        if (isOn) action();
      };
      if (ms === timeOutMs) timeOut(exchange.nowMs + ms, fire);
      else exchange.at(exchange.nowMs + ms, fire);
      return () => {
        isOn = false;
      };
    },
  };
}

export function portsTo(
  exchange: InProcessExchange,
  settings: InProcessSettings,
  timers: Timers,
): Pick<DoorPorts, 'rest' | 'sockets' | 'windows' | 'timers'> {
  const { place, cancel, read } = settings.windows;
  return {
    timers,
    rest: new InProcessRest(exchange, settings).port,
    sockets: (feed, events) => new InProcessSocket(exchange, settings, feed, events),
    windows: {
      place: new LedgerWindow(place, timers),
      cancel: new LedgerWindow(cancel, timers),
      read: new LedgerWindow(read, timers),
    },
  };
}

const headersOf = ({ profile }: InProcessSettings, token: string | undefined): Headers => ({
  ...(token === undefined ? {} : { authorization: token }),
  ...(profile.apiVersionHeader === '' ? {} : { 'x-api-version': profile.apiVersionHeader }),
});

class InProcessRest {
  readonly #exchange: InProcessExchange;
  readonly #settings: InProcessSettings;
  readonly #deadline: Lane;

  constructor(exchange: InProcessExchange, settings: InProcessSettings) {
    this.#exchange = exchange;
    this.#settings = settings;
    this.#deadline = exchange.lane();
  }

  readonly port: RestPort = (call, deadlineMs, done) => {
    const book = this.#settings.book === undefined ? undefined : bookReadOf(call);
    if (book === undefined) this.#request(call, deadlineMs, done);
    else this.#readBook(book, done);
  };

  #request(call: OutgoingCall, deadlineMs: number, done: RestDone): void {
    const { withoutText } = this.#exchange;
    let isOpen = true;
    const finish: RestDone = (answer) => {
      if (isOpen) done(answer);
      isOpen = false;
    };
    const request = {
      method: call.method,
      path: call.path,
      headers: headersOf(this.#settings, call.token),
      query: call.query ?? {},
      body: withoutText ? { value: call.body } : call.body === undefined ? '' : JSON.stringify(call.body),
    };
    // a request that has left arrives even when its deadline has passed
    this.#later(() => {
      this.#exchange.request(request, (ending) => this.#later(() => finish(answerTo(ending, withoutText))));
    });
    this.#deadline(this.#exchange.nowMs + deadlineMs, () =>
      finish({ type: 'failed', failure: 'no-answer', detail: 'no answer' }),
    );
  }

  #readBook(read: BookRead, done: RestDone): void {
    this.#later(() => {
      const book = this.#settings.book?.(read);
      this.#later(() =>
        done(
          book === undefined
            ? {
                type: 'answer',
                status: 404,
                body: undefined,
                retryAfterSeconds: undefined,
                newToken: undefined,
              }
            : { type: 'read', answer: { type: 'book', book } },
        ),
      );
    });
  }

  #later(action: () => void): void {
    this.#exchange.at(this.#exchange.nowMs + this.#settings.latency(), action);
  }
}

function bookReadOf({ command }: OutgoingCall): BookRead | undefined {
  if (command?.type !== 'read') return undefined;
  const { read } = command;
  return read.what === 'league' || read.what === 'game' ? read : undefined;
}

function answerTo(ending: Ending, withoutText: boolean): Parameters<RestDone>[0] {
  if (ending === 'reset') return { type: 'failed', failure: 'no-answer', detail: 'ECONNRESET' };
  const { status, headers, payload } = ending;
  if (payload.read !== undefined) return { type: 'read', answer: payload.read as Answer };
  const header = (wanted: string): unknown => {
    for (const name in headers) if (name.toLowerCase() === wanted) return headers[name];
    return undefined;
  };
  const answer =
    withoutText && payload.value !== undefined
      ? answerOf(status, payload.value, header)
      : readAnswer(status, payload.text, header);
  return answer.type === 'answer' ? answer : { type: 'failed', failure: 'foreign-body', detail: answer.detail };
}

/**
 * A connection that behaves like a socket: it may be refused, closed, or frozen without a message. Frames
 * keep their order.
 */
class InProcessSocket implements SocketPort {
  readonly address = 'in process';
  readonly #exchange: InProcessExchange;
  readonly #settings: InProcessSettings;
  readonly #namespace: string;
  readonly #events: SocketEvents;
  readonly #lane: Lane;
  #connection: Connection | undefined;
  /** The number of the current connection. Events of a former connection are ignored. */
  #epoch = 0;
  #lastPacketMs = 0;
  #busyUntilMs = 0;
  #isClosed = false;

  constructor(exchange: InProcessExchange, settings: InProcessSettings, feed: Feed, events: SocketEvents) {
    const { profile, username } = settings;
    this.#exchange = exchange;
    this.#settings = settings;
    this.#namespace = feed === 'prices' ? profile.priceNamespace : profile.userNamespace + username;
    this.#events = events;
    this.#lane = exchange.lane();
  }

  connect(token: string | undefined): void {
    const { nowMs } = this.#exchange;
    this.#exchange.at(nowMs + this.#settings.latency(), () => {
      if (!this.#isClosed) this.#shake(token);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
  }

  #shake(token: string | undefined): void {
    const epoch = (this.#epoch += 1);
    const packet = (action: () => void): void =>
      this.#later(epoch, () => {
        this.#events.packet();
        action();
      });
    this.#connection = this.#exchange.connect(
      this.#namespace,
      { headers: headersOf(this.#settings, token) },
      {
        frame: (event, payload) => packet(() => this.#frame(event, payload)),
        ping: () => packet(() => undefined),
        closed: () => this.#later(epoch, () => this.#end('transport close')),
      },
    );
    if (this.#connection === undefined) this.#later(epoch, () => this.#events.refused(UNAUTHORIZED, true));
    else
      this.#later(epoch, () => {
        this.#events.connected();
        this.#watch(epoch);
      });
  }

  /** A transport is dead without any packet for pingInterval + pingTimeout (rules.md, 4). */
  #watch(epoch: number): void {
    const { nowMs, silenceMs } = this.#exchange;
    this.#exchange.at(Math.max(this.#lastPacketMs + silenceMs, nowMs + 1), () => {
      if (this.#isClosed || this.#epoch !== epoch) return;
      if (this.#exchange.nowMs - this.#lastPacketMs < silenceMs) this.#watch(epoch);
      else this.#end('ping timeout');
    });
  }

  #frame(event: string, payload: Payload): void {
    if (payload.read === undefined) this.#events.frame(event, payload.text);
    else this.#events.read({ type: 'position', position: payload.read as PositionEvent });
  }

  #end(reason: string): void {
    this.#epoch += 1;
    this.#connection?.close();
    this.#connection = undefined;
    this.#events.closed(reason);
  }

  /** Delivers an event of a connection after a latency, in order. Nothing is delivered after its end. */
  #later(epoch: number, action: () => void): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, this.#exchange.nowMs + this.#settings.latency());
    this.#lane(this.#busyUntilMs, () => {
      if (this.#isClosed || this.#epoch !== epoch) return;
      this.#lastPacketMs = this.#exchange.nowMs;
      action();
    });
  }
}
