// What the parts of the core share within one step: time as the input told it, the commands that leave, and what happened.
import type { AlertLevel, Command, Read, RequestId, RunEvent, StampedInput, Stepped } from '../domain/index.ts';

/** A read in flight. */
export type PendingRead = {
  readonly read: Read;
  readonly sentAt: number;
  readonly epoch: number;
  /** It looks for a play of a former run. */
  readonly isFormer?: true;
};

const NO_EVENTS: readonly RunEvent[] = Object.freeze([]);

export class CommandBuffer {
  /** Sequence number, wall clock and monotonic ms of the input in work. */
  seq = 0;
  t = 0;
  now = 0;
  /** How far `t` may be off, ms: the wall clock was set, and the exchange has not told its time since. */
  uncertainMs = 0;
  readonly reads = new Map<RequestId, PendingRead>();
  #commands: Command[] = [];
  #events: RunEvent[] = [];
  #requests = 0;
  readonly #said = new Set<string>();
  #isShut = false;

  begin({ seq, t, mono }: Pick<StampedInput, 'seq' | 't' | 'mono'>): void {
    this.seq = seq;
    this.t = t;
    this.now = mono;
    this.#commands = [];
    if (this.#events.length > 0) this.#events = [];
  }

  /** Those of the step in work. */
  get commands(): readonly Command[] {
    return this.#commands;
  }

  end(): Stepped {
    // an empty list is gone on with by the next step
    return { commands: this.#commands, events: this.#events.length > 0 ? this.#events : NO_EVENTS };
  }

  /** It happened, in this step. */
  readonly raise = (event: RunEvent): void => {
    this.#events.push(event);
  };

  readonly nextRequest = (): RequestId => (this.#requests += 1);

  /** No request leaves any more, but by `sendLast`. */
  shut(): void {
    this.#isShut = true;
  }

  /** A request that leaves although the buffer is shut. */
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

  /** The same, but only the first time for this key. */
  alertOnce(
    key: string,
    level: AlertLevel,
    code: string,
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ): void {
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.alert(level, code, message, fields);
  }

  /** Looks for a play of a former run. */
  readFormer(read: Read): void {
    const req = this.nextRequest();
    if (this.#isShut) return;
    this.reads.set(req, { read, sentAt: this.now, epoch: 0, isFormer: true });
    this.send({ type: 'read', req, read });
  }

  /** Sends a read unless the same one is in flight. `epoch`: the life of the price feed it belongs to. */
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
