// The story of one order, read from a journal: what brought it, what was asked for it, and everything the exchange said of
// it, as it was said; beside it the facts that the account made of that, and what it believed since.
import type {
  BatchErrors,
  Command,
  FillReport,
  Arrival,
  OpenOrder,
  OrderId,
  OrderRef,
  PositionEvent,
  Read,
  RequestId,
  StampedArrival,
  TxId,
} from '../../domain/index.ts';
import { dollarsOfMicros, plus, ZERO } from '../../domain/index.ts';
import type { WireProfile } from '../../wire/index.ts';
import { parseOpenOrders, parsePlays, parsePositionUpdate } from '../../wire/index.ts';
import type { Reply, Sent } from './answers-told.ts';
import { answerOf, dollars, ifGood, lookUpOf } from './answers-told.ts';
import type { JournalStep } from '../../journal/index.ts';
import type { KnownOrder, OrderIndex } from './order-index.ts';
import { OrderStanding } from './order-standing.ts';
import type { Part } from './request-told.ts';
import { permitOf, requestFact } from './request-told.ts';
import type { Believed, StoryFact, Story } from './story.ts';
import { StoryLog } from './story-log.ts';
import { ToldBooks } from './told-books.ts';
import { ToldOrder } from './told-order.ts';

type Failure = Extract<Arrival, { type: 'failure' }>;
type FillSource = Extract<StoryFact, { type: 'fill' }>['by'];

export class OrderStory {
  readonly #order: KnownOrder;
  readonly #index: OrderIndex;
  readonly #batchErrors: BatchErrors;
  readonly #books: ToldBooks;
  readonly #log = new StoryLog();
  readonly #sent = new Map<RequestId, Sent>();
  readonly #reads = new Map<RequestId, { readonly read: Read; readonly at: number }>();
  /** When the permits that it spent were granted. */
  readonly #granted = new Map<string, number>();
  readonly #fills = new Set<TxId>();
  readonly #standing = new OrderStanding();
  #filled = ZERO;
  #firstRequestAt: number | undefined;
  readonly #told: ToldOrder;

  constructor(order: KnownOrder, index: OrderIndex, profile: WireProfile) {
    this.#order = order;
    this.#index = index;
    this.#batchErrors = profile;
    this.#books = new ToldBooks(profile);
    this.#told = new ToldOrder(order, this.#books);
  }

  /** `heard`, `sent`: what the account believed of the order after the input, and after what was sent because of it. */
  applyStep({ input, commands }: JournalStep, heard?: Believed, sent?: Believed): void {
    this.#log.now = input;
    this.#applyInput(input);
    this.#tellBelief(heard);
    for (const command of commands) this.#applyCommand(command);
    this.#tellBelief(sent);
  }

  #tellBelief(believed: Believed | undefined): void {
    const told = believed && this.#standing.apply(believed, this.#log.now.mono);
    if (told !== undefined) this.#log.tell(told);
  }

  // ——— inputs

  #applyInput({ seq, mono, in: input }: StampedArrival): void {
    const read = input.type === 'reply' ? this.#reads.get(input.req)?.read : undefined;
    this.#books.applyInput(input, read);
    if (this.#order.intents.has(seq)) this.#tellIntent(input, read);
    switch (input.type) {
      case 'boot': {
        const former = [...(input.unanswered ?? []), ...(input.resting ?? [])].find(
          ({ order }) => order.ref === this.#order.ref,
        );
        if (former !== undefined) this.#log.tell({ type: 'inherited', sentAt: new Date(former.sentT).toISOString() });
        break;
      }
      case 'permit':
        if (!this.#order.permits.has(seq)) break;
        this.#granted.set(`${input.bucket} ${input.permit}`, mono);
        this.#log.tell({ type: 'permit', bucket: input.bucket, permit: input.permit });
        break;
      case 'frame': {
        if (input.event !== 'positionUpdate') break;
        const event = parsePositionUpdate(input.data);
        if (event.ok) this.#applyPosition(event.value);
        break;
      }
      case 'reply':
        this.#applyReply(input);
        break;
      case 'failure':
        this.#applyFailure(input);
        break;
      default:
    }
  }

  #tellIntent(input: Arrival, read: Read | undefined): void {
    const said = this.#books.said(input, read, this.#order.asked?.market);
    const { type } = input;
    this.#log.tell({
      type: 'intent',
      input: type,
      ...(type === 'frame' ? { feed: input.feed, event: input.event } : {}),
      ...(type === 'feed' ? { feed: input.feed } : {}),
      ...(type === 'operator' ? { command: input.command } : {}),
      ...(read === undefined ? {} : { read: read.what }),
      ...said,
    });
  }

  #applyPosition(event: PositionEvent): void {
    if (!this.#isIt(event.orderId, event.ref)) return;
    const { kind, orderId, odds, offered, remaining, fill } = event;
    this.#told.see(event.gameId, this.#books.placeIn(event.gameId, event.place), odds, offered);
    this.#log.tell({
      type: 'position',
      kind,
      orderId,
      odds,
      offered: dollars(offered),
      remaining: dollars(remaining),
    });
    if (fill !== undefined) this.#applyFill(fill, 'feed');
  }

  #applyFill({ txId, odds, risk }: FillReport, by: FillSource): void {
    if (this.#fills.has(txId) || this.#index.orderOf(txId) !== this.#order) return;
    this.#fills.add(txId);
    this.#filled = plus(this.#filled, risk);
    const total = dollarsOfMicros(this.#filled);
    this.#log.tell({ type: 'fill', txId, odds, risk: dollarsOfMicros(risk), total, by });
  }

  #applyReply(reply: Reply): void {
    const sent = this.#sent.get(reply.req);
    const read = this.#reads.get(reply.req);
    this.#sent.delete(reply.req);
    this.#reads.delete(reply.req);
    if (sent !== undefined) this.#applyAnswer(sent, reply);
    else if (read !== undefined) this.#applyRead(read.read, read.at, reply);
  }

  #applyAnswer(sent: Sent, reply: Reply): void {
    const { fills, says, orderId, errorType, message, filled } = answerOf(sent, reply, this.#batchErrors);
    this.#log.tell({
      type: 'answer',
      request: sent.command.type,
      req: reply.req,
      afterMs: this.#log.since(sent.at),
      late: sent.timedOut,
      status: reply.status,
      says,
      orderId,
      errorType,
      message: message === '' ? undefined : message,
      filled,
      retryAfterSeconds: reply.retryAfterSeconds,
    });
    for (const fill of fills) this.#applyFill(fill, 'answer');
  }

  #applyFailure({ req, failure, detail }: Failure): void {
    const read = this.#reads.get(req);
    this.#reads.delete(req);
    if (read !== undefined) {
      this.#applyLookUp(read.read, read.at, { req, status: 0, body: undefined });
      return;
    }
    const sent = this.#sent.get(req);
    if (sent === undefined) return;
    const { command, at } = sent;
    if (failure === 'timeout') sent.timedOut = true;
    else this.#sent.delete(req);
    this.#log.tell({
      type: 'failure',
      request: command.type,
      req,
      afterMs: this.#log.since(at),
      failure,
      detail,
    });
  }

  // ——— look-ups and lists

  #applyRead(read: Read, at: number, reply: Reply): void {
    const { status, body } = reply;
    switch (read.what) {
      case 'order':
      case 'reference':
        this.#applyLookUp(read, at, reply);
        return;
      case 'open-orders': {
        const list = ifGood(status, () => parseOpenOrders(body));
        if (list !== undefined) this.#applyList(list, at);
        return;
      }
      case 'plays':
        for (const play of ifGood(status, () => parsePlays(body)) ?? [])
          if (this.#isIt(play.orderId, play.ref)) this.#applyFill(play, 'list');
        return;
      default:
    }
  }

  #applyLookUp(read: Read, at: number, reply: Pick<Reply, 'req' | 'status' | 'body'>): void {
    if ((read.what !== 'order' && read.what !== 'reference') || !this.#isNamed(read)) return;
    const { says, remaining, fills } = lookUpOf(read, reply);
    const { req, status } = reply;
    this.#log.tell({
      type: 'looked-up',
      by: read.what,
      req,
      afterMs: this.#log.since(at),
      status,
      says,
      remaining,
    });
    for (const fill of fills) this.#applyFill(fill, 'look-up');
  }

  #applyList(list: readonly OpenOrder[], readAt: number): void {
    const row = list.find(({ orderId, ref }) => this.#isIt(orderId, ref));
    if (row !== undefined) {
      this.#told.see(row.gameId, this.#books.placeIn(row.gameId, row.place), row.odds, row.risk);
      this.#log.tellListed(true, list.length, row.remaining);
      return;
    }
    // that a list does not show it is worth telling only while it might be there
    const since = this.#firstRequestAt ?? (this.#told.isFormer ? this.#log.beganAt : undefined);
    if (since !== undefined && since < readAt && this.#standing.mayRest)
      this.#log.tellListed(false, list.length, undefined);
  }

  #isNamed(read: Read): boolean {
    if (read.what === 'order') return this.#isIt(read.orderId, undefined);
    return read.what === 'reference' && this.#isIt(undefined, read.ref);
  }

  // ——— commands

  #applyCommand(command: Command): void {
    switch (command.type) {
      case 'place': {
        const index = command.orders.findIndex(({ ref }) => ref === this.#order.ref);
        const order = command.orders[index];
        if (order !== undefined) this.#request(command, { role: 'new', index, of: command.orders.length, order });
        return;
      }
      case 'edit':
        if (command.order.ref === this.#order.ref)
          this.#request(command, { role: 'new', index: 0, of: 1, order: command.order });
        else if (this.#isIt(command.orderId, undefined)) {
          this.#request(command, { role: 'old', index: 0, of: 1, order: command.order });
        }
        return;
      case 'cancel': {
        const index = command.orderIds.findIndex((id) => this.#isIt(id, undefined));
        if (index < 0) return;
        this.#request(command, { role: 'old', index, of: command.orderIds.length });
        return;
      }
      case 'cancel-all': {
        const index = command.orderIds?.findIndex((id) => this.#isIt(id, undefined)) ?? -1;
        // it cancels more than it was meant for
        if (index < 0 && (!this.#standing.mayRest || !this.#isIn(command.scope))) return;
        this.#request(command, { role: 'old', index, of: command.orderIds?.length ?? 0 });
        return;
      }
      case 'read': {
        const { req, read } = command;
        this.#reads.set(req, { read, at: this.#log.now.mono });
        if ((read.what === 'order' || read.what === 'reference') && this.#isNamed(read))
          this.#log.tell({ type: 'look-up', by: read.what, req });
        return;
      }
      case 'alert': {
        const { level, code, message, fields } = command;
        const { ref, orderId } = fields;
        if (!this.#isIt(textOf<OrderId>(orderId), textOf<OrderRef>(ref))) return;
        this.#log.tell({ type: 'alert', level, code, message, fields });
        return;
      }
      default:
    }
  }

  #request(command: Sent['command'], part: Part): void {
    const { now } = this.#log;
    this.#firstRequestAt ??= now.mono;
    const { role, index, of } = part;
    this.#sent.set(command.req, { command, role, index, of, at: now.mono, timedOut: false });
    const bucket = command.type === 'cancel' ? 'cancel' : 'place';
    const granted = this.#granted.get(`${bucket} ${permitOf(command) ?? ''}`);
    const heldMs = granted === undefined ? undefined : this.#log.since(granted);
    this.#log.tell(requestFact(command, part, this.#order, now, heldMs));
  }

  #isIn(scope: Extract<Command, { type: 'cancel-all' }>['scope']): boolean {
    if (scope === undefined) return true;
    const gameId = this.#told.gameId;
    return 'game' in scope ? scope.game === gameId : scope.league === this.#books.game(gameId)?.league;
  }

  // ——— where it stands

  #isIt(orderId: OrderId | undefined, ref: OrderRef | undefined): boolean {
    return this.#index.find(orderId, ref, this.#log.now.seq) === this.#order;
  }

  /** After the last step. */
  end(): Story {
    const order = this.#told.end();
    return {
      order,
      events: this.#log.events(this.#firstRequestAt ?? this.#log.beganAt ?? 0),
      outcome: this.#standing.outcome(
        { risk: order.risk, fills: this.#fills.size, filled: this.#filled },
        this.#log.now.mono,
      ),
    };
  }
}

const textOf = <T extends string>(value: unknown): T | undefined =>
  typeof value === 'string' ? (value as T) : undefined;
