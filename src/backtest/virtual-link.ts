// One feed of a bot to the exchange in process, as a socket would be: it connects, is refused, falls, is frozen without
// anybody saying so, and comes back with another epoch. Frames keep their order, late by the way back.
import type { Feed, Input } from '../domain/index.ts';
import type { Connection, InProcessExchange } from '../paper/index.ts';
import type { Headers, Payload } from '../paper/index.ts';
import { readPosition } from '../wire/index.ts';

export type LinkPorts = {
  readonly exchange: InProcessExchange;
  readonly namespace: string;
  readonly headers: () => Headers;
  readonly input: (input: Input) => void;
  /** The handshake was refused: a new token, then `then`. */
  readonly relogin: (then: () => void) => void;
  /** One way, ms. */
  readonly latency: () => number;
  /** What a frame says is taken without its text, where the exchange has it. */
  readonly withoutText: boolean;
};

const RECONNECT_MS = { first: 250, longest: 5000 };

export class VirtualLink {
  readonly #feed: Feed;
  readonly #ports: LinkPorts;
  #epoch = 0;
  #up = false;
  #wait = RECONNECT_MS.first;
  #connection: Connection | undefined;
  #lastHeardMs = 0;
  #busyUntilMs = 0;
  #closed = false;

  constructor(feed: Feed, ports: LinkPorts) {
    this.#feed = feed;
    this.#ports = ports;
  }

  connect(): void {
    const { exchange, latency } = this.#ports;
    exchange.at(exchange.nowMs + latency(), () => this.#shake());
  }

  close(): void {
    this.#closed = true;
    this.#connection?.close();
  }

  #shake(): void {
    if (this.#closed) return;
    const { exchange, namespace, headers, latency } = this.#ports;
    const life = this.#epoch + 1;
    const connection = exchange.connect(
      namespace,
      { headers: headers() },
      {
        frame: (event, payload) => this.#later(life, () => this.#frame(event, payload)),
        ping: () => this.#later(life, () => {}),
        closed: () => this.#later(life, () => this.#down('transport close')),
      },
    );
    if (connection === undefined) {
      exchange.at(exchange.nowMs + latency(), () => this.#ports.relogin(() => this.#again()));
      return;
    }
    this.#connection = connection;
    this.#epoch = life;
    this.#later(life, () => this.#rise(life));
  }

  #rise(life: number): void {
    this.#up = true;
    this.#wait = RECONNECT_MS.first;
    this.#ports.input({ type: 'feed', feed: this.#feed, status: 'up', epoch: life });
    this.#watch(life);
  }

  /** A transport is dead without any packet for pingInterval + pingTimeout (DESIGN rule 4). */
  #watch(life: number): void {
    const { exchange } = this.#ports;
    const dueMs = this.#lastHeardMs + exchange.silenceMs;
    exchange.at(Math.max(dueMs, exchange.nowMs + 1), () => {
      if (this.#closed || !this.#up || this.#epoch !== life) return;
      if (exchange.nowMs - this.#lastHeardMs < exchange.silenceMs) {
        this.#watch(life);
        return;
      }
      this.#down('ping timeout');
    });
  }

  #frame(event: string, payload: Payload): void {
    const { input, withoutText } = this.#ports;
    const { value } = payload;
    const isKnown = withoutText && event === 'positionUpdate' && value !== undefined;
    const position = isKnown ? readPosition(value) : undefined;
    if (position?.ok === true) input({ type: 'position', position: position.value });
    else input({ type: 'frame', feed: this.#feed, epoch: this.#epoch, event, data: payload.text });
  }

  #down(reason: string): void {
    if (!this.#up) return;
    this.#up = false;
    this.#connection?.close();
    this.#connection = undefined;
    this.#ports.input({ type: 'feed', feed: this.#feed, status: 'down', epoch: this.#epoch, reason });
    this.#again();
  }

  #again(): void {
    const { exchange } = this.#ports;
    exchange.at(exchange.nowMs + this.#wait, () => {
      if (!this.#closed && !this.#up) this.connect();
    });
    this.#wait = Math.min(this.#wait * 2, RECONNECT_MS.longest);
  }

  /** What a connection of this life says arrives in order, a latency later; nothing after its end. */
  #later(life: number, action: () => void): void {
    const { exchange, latency } = this.#ports;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, exchange.nowMs + latency());
    exchange.at(this.#busyUntilMs, () => {
      if (this.#closed || this.#epoch !== life) return;
      this.#lastHeardMs = exchange.nowMs;
      action();
    });
  }
}
