// What the parts of the core share within one step: the time of the input, the commands to send, and the
// events.
import type { AlertLevel, Command, Read, RequestId, RunEvent, StampedInput, Stepped } from '../domain/index.ts';

/** A read in flight. */
export type PendingRead = {
  readonly read: Read;
  readonly sentAt: number;
  readonly epoch: number;
  /** True when the read looks up a play of a former run. */
  readonly isFormer?: true;
};

const NO_EVENTS: readonly RunEvent[] = Object.freeze([]);

export class CommandBuffer {
  /** Sequence number of the current input. */
  seq = 0;
  /** Wall clock of the current input, Unix ms. */
  t = 0;
  /** Monotonic time of the current input, ms. */
  now = 0;
  /**
   * How far `t` may be off, ms. Above 0 after the wall clock was set, until the exchange confirms the time.
   */
  uncertainMs = 0;
  readonly reads = new Map<RequestId, PendingRead>();
  #commands: Command[] = [];
  #events: RunEvent[] = [];
  #requests = 0;
  readonly #alerted = new Set<string>();
  #isShut = false;

  beginStep({ seq, t, mono }: Pick<StampedInput, 'seq' | 't' | 'mono'>): void {
    this.seq = seq;
    this.t = t;
    this.now = mono;
    this.#commands = [];
    if (this.#events.length > 0) this.#events = [];
  }

  /** The commands of the current step. */
  get commands(): readonly Command[] {
    return this.#commands;
  }

  endStep(): Stepped {
    // the next step reuses an empty list of events
    return { commands: this.#commands, events: this.#events.length > 0 ? this.#events : NO_EVENTS };
  }

  /** Adds an event to the current step. */
  readonly raise = (event: RunEvent): void => {
    this.#events.push(event);
  };

  readonly nextRequest = (): RequestId => (this.#requests += 1);

  /** Drops every later request, except those by `sendLast`. */
  shut(): void {
    this.#isShut = true;
  }

  /** Sends a request although the buffer is shut. */
  sendLast(command: Extract<Command, { readonly req: RequestId }>): void {
    this.#isShut = false;
    this.send(command);
    this.#isShut = true;
  }

  readonly send = (command: Command): void => {
    if (this.#isShut && 'req' in command) return;
    if (command.type === 'read' && !this.reads.has(command.req))
      this.reads.set(command.req, { read: command.read, sentAt: this.now, epoch: 0 });
    this.#commands.push(command);
  };

  readonly alert = (
    level: AlertLevel,
    code: string,
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ): void => {
    this.#commands.push({ type: 'alert', level, code, message, fields });
  };

  /** Raises an alert only the first time for this key. */
  alertOnce(
    key: string,
    level: AlertLevel,
    code: string,
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ): void {
    if (this.#alerted.has(key)) return;
    this.#alerted.add(key);
    this.alert(level, code, message, fields);
  }

  /** Sends a read that looks up a play of a former run. */
  readFormer(read: Read): void {
    const req = this.nextRequest();
    if (this.#isShut) return;
    this.reads.set(req, { read, sentAt: this.now, epoch: 0, isFormer: true });
    this.send({ type: 'read', req, read });
  }

  /**
   * Sends a read unless the same one is in flight. `epoch`: the price feed epoch of the read, 0 for other
   * reads. True when sent.
   */
  read(read: Read, epoch = 0): boolean {
    if (this.#isShut) return false;
    const key = readKey(read);
    for (const pending of this.reads.values())
      if (readKey(pending.read) === key && pending.epoch === epoch) return false;
    const req = this.nextRequest();
    this.reads.set(req, { read, sentAt: this.now, epoch });
    this.send({ type: 'read', req, read });
    return true;
  }
}

const readKey = (read: Read): string => {
  switch (read.what) {
    case 'league':
      return `league|${read.league}|${read.page}`;
    case 'game':
      return `game|${read.gameId}`;
    case 'reference':
      return `reference|${read.ref}`;
    case 'play':
      return `play|${read.txId}`;
    case 'order':
      return `order|${read.orderId}`;
    case 'open-orders':
    case 'plays':
    case 'user':
      return read.what;
  }
};
