// The story of one order, read from a journal: what brought it, what was asked for it, and everything the exchange said of
// it. Where it stands follows from the same transitions as in the ledger (order-standing.ts), and from evidence alone.
import type {
  Command,
  FillReport,
  Game,
  GameId,
  Input,
  Micros,
  NewOrder,
  OpenOrder,
  OrderEvent,
  OrderId,
  OrderRef,
  PositionEvent,
  Read,
  RequestId,
  StampedInput,
  TxId,
} from '../domain/index.ts';
import { dollarsOfCents, dollarsOfMicros, lineFor, microsOfCents, oddsOf } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { parseOpenOrders, parsePlays, parsePositionUpdate } from '../wire/index.ts';
import type { Reply, Sent } from './answers-told.ts';
import { answerOf, dollars, ifGood, lookUpOf } from './answers-told.ts';
import type { JournalStep } from './journal-reader.ts';
import type { KnownOrder, OrderIndex } from './order-index.ts';
import { whyIn } from './order-index.ts';
import { OrderStanding, rounded } from './order-standing.ts';
import type { Fact, OrderName, Story, ToldMarket } from './story.ts';
import { ToldBooks } from './told-books.ts';

type Failure = Extract<Input, { type: 'failure' }>;
type Told = { readonly seq: number; readonly t: number; readonly mono: number; readonly fact: Fact };
type FillSource = Extract<Fact, { type: 'fill' }>['by'];

export class OrderStory {
  readonly #order: KnownOrder;
  readonly #index: OrderIndex;
  readonly #batchIsAtomic: boolean;
  readonly #books: ToldBooks;
  readonly #told: Told[] = [];
  readonly #sent = new Map<RequestId, Sent>();
  readonly #reads = new Map<RequestId, { readonly read: Read; readonly at: number }>();
  /** When the permits that it spent were granted. */
  readonly #granted = new Map<string, number>();
  readonly #fills = new Set<TxId>();
  readonly #standing: OrderStanding;
  #firstRequestAt: number | undefined;
  /** What a list or an event told of an order that this run did not ask for. */
  #seen: { gameId?: GameId; market?: ToldMarket | undefined; odds?: number | undefined; risk?: Micros } = {};
  #now: StampedInput = { seq: 0, t: 0, mono: 0, in: { type: 'tick' } };

  constructor(order: KnownOrder, index: OrderIndex, profile: WireProfile) {
    this.#order = order;
    this.#index = index;
    this.#batchIsAtomic = profile.batchIsAtomic;
    this.#books = new ToldBooks(profile);
    this.#standing = new OrderStanding(
      order.asked === undefined ? 'open' : order.inherited ? 'unknown' : 'sending',
    );
  }

  applyStep({ input, commands }: JournalStep): void {
    this.#now = input;
    this.#applyInput(input);
    for (const command of commands) this.#applyCommand(command);
    if (this.#standing.status === 'unknown' && this.#isSucceeded) this.#apply('cancelled');
  }

  // ——— inputs

  #applyInput({ seq, mono, in: input }: StampedInput): void {
    const read = input.type === 'reply' ? this.#reads.get(input.req)?.read : undefined;
    this.#books.applyInput(input, read);
    if (this.#order.intents.has(seq)) this.#tellIntent(input, read);
    switch (input.type) {
      case 'boot': {
        const former = input.unanswered?.find(({ order }) => order.ref === this.#order.ref);
        if (former !== undefined)
          this.#tell({ type: 'inherited', sentAt: new Date(former.sentT).toISOString() });
        break;
      }
      case 'permit':
        if (!this.#order.permits.has(seq)) break;
        this.#granted.set(`${input.bucket} ${input.permit}`, mono);
        this.#tell({ type: 'permit', bucket: input.bucket, permit: input.permit });
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

  #tellIntent(input: Input, read: Read | undefined): void {
    const said = this.#books.said(input, read, this.#order.asked?.market);
    const { type } = input;
    this.#tell({
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
    this.#see(event.gameId, this.#books.placeIn(event.gameId, event.place), odds, offered);
    this.#tell({
      type: 'position',
      kind,
      orderId,
      odds,
      offered: dollars(offered),
      remaining: dollars(remaining),
    });
    if (fill !== undefined) this.#applyFill(fill, 'feed');
    switch (kind) {
      case 'posted':
      case 'changed':
      case 'partly-taken':
        this.#apply('accepted');
        break;
      case 'fully-taken':
        this.#apply('filled');
        break;
      case 'cancelled':
        this.#apply('cancelled');
        break;
      case 'took':
        break;
    }
  }

  #applyFill({ txId, odds, risk }: FillReport, by: FillSource): void {
    if (this.#fills.has(txId) || this.#index.orderOf(txId) !== this.#order) return;
    this.#fills.add(txId);
    this.#standing.applyFill(risk, this.#size, this.#now.mono);
    const total = dollarsOfMicros(this.#standing.filled);
    this.#tell({ type: 'fill', txId, odds, risk: dollarsOfMicros(risk), total, by });
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
    const { event, fills, gone, says, orderId, errorType, message, filled } = answerOf(
      sent,
      reply,
      this.#batchIsAtomic,
    );
    this.#tell({
      type: 'answer',
      request: sent.command.type,
      req: reply.req,
      afterMs: this.#since(sent.at),
      late: sent.timedOut,
      status: reply.status,
      says,
      orderId,
      errorType,
      message: message === '' ? undefined : message,
      filled,
      retryAfterSeconds: reply.retryAfterSeconds,
    });
    if (event !== undefined) this.#apply(event);
    for (const fill of fills) this.#applyFill(fill, 'answer');
    if (gone) this.#apply('filled');
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
    const { command, role, at } = sent;
    const again = sent.timedOut;
    if (failure === 'timeout') sent.timedOut = true;
    else this.#sent.delete(req);
    this.#tell({
      type: 'failure',
      request: command.type,
      req,
      afterMs: this.#since(at),
      failure,
      detail,
    });
    // the end of a request that timed out says nothing new
    if (again || command.type === 'cancel-all') return;
    if (failure !== 'not-sent') this.#apply(command.type === 'cancel' ? 'cancel-failed' : 'unanswered');
    else if (role === 'new') this.#standing.applyNotSent(this.#now.mono);
    else this.#apply(command.type === 'cancel' ? 'cancel-failed' : 'edit-refused');
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
    this.#tell({ type: 'looked-up', by: read.what, req, afterMs: this.#since(at), status, says, remaining });
    for (const fill of fills) this.#applyFill(fill, 'look-up');
    const { status: before } = this.#standing;
    switch (says) {
      case 'open':
        if (read.what === 'order') this.#apply('found');
        else if (!this.#isSucceeded) this.#apply('accepted');
        return;
      case 'closed':
        this.#apply('cancelled');
        return;
      case 'filled':
        if (before === 'unknown') this.#apply('cancelled');
        return;
      case 'nothing':
      case 'unreadable':
        return;
    }
  }

  #applyList(list: readonly OpenOrder[], readAt: number): void {
    const row = list.find(({ orderId, ref }) => this.#isIt(orderId, ref));
    if (row !== undefined) {
      this.#see(row.gameId, this.#books.placeIn(row.gameId, row.place), row.odds, row.risk);
      this.#tellListed(true, list.length, row.remaining);
      const { status } = this.#standing;
      if (status === 'unknown' || status === 'never-landed') this.#apply('accepted');
      return;
    }
    // that a list does not show it is worth telling only while it might be there
    const since = this.#firstRequestAt ?? (this.#isFormer ? this.#told[0]?.mono : undefined);
    if (since !== undefined && since < readAt && this.#standing.isActive)
      this.#tellListed(false, list.length, undefined);
  }

  #tellListed(shown: boolean, of: number, rest: Micros | undefined): void {
    const remaining = dollars(rest);
    const { t } = this.#now;
    const lastAt = new Date(t).toISOString();
    const last = this.#told.at(-1);
    const fact = last?.fact;
    if (last === undefined || fact?.type !== 'listed' || fact.shown !== shown || fact.remaining !== remaining)
      this.#tell({ type: 'listed', shown, of, remaining, times: 1, lastAt });
    else this.#told[this.#told.length - 1] = { ...last, fact: { ...fact, times: fact.times + 1, lastAt } };
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
        if (order !== undefined)
          this.#request(command, { role: 'new', index, of: command.orders.length, order });
        return;
      }
      case 'edit':
        if (command.order.ref === this.#order.ref)
          this.#request(command, { role: 'new', index: 0, of: 1, order: command.order });
        else if (this.#isIt(command.orderId, undefined)) {
          this.#request(command, { role: 'old', index: 0, of: 1, order: command.order });
          this.#apply('edit-sent');
        }
        return;
      case 'cancel': {
        const index = command.orderIds.findIndex((id) => this.#isIt(id, undefined));
        if (index < 0) return;
        this.#request(command, { role: 'old', index, of: command.orderIds.length });
        this.#apply('cancel-sent');
        return;
      }
      case 'cancel-all': {
        const index = command.orderIds?.findIndex((id) => this.#isIt(id, undefined)) ?? -1;
        // it cancels more than it was meant for
        if (index < 0 && (!this.#standing.isActive || !this.#isIn(command.scope))) return;
        this.#request(command, { role: 'old', index, of: command.orderIds?.length ?? 0 });
        this.#apply('cancel-sent');
        return;
      }
      case 'read': {
        const { req, read } = command;
        this.#reads.set(req, { read, at: this.#now.mono });
        if ((read.what === 'order' || read.what === 'reference') && this.#isNamed(read))
          this.#tell({ type: 'look-up', by: read.what, req });
        return;
      }
      case 'alert': {
        const { level, code, message, fields } = command;
        const { ref, orderId } = fields;
        if (!this.#isIt(textOf<OrderId>(orderId), textOf<OrderRef>(ref))) return;
        this.#tell({ type: 'alert', level, code, message, fields });
        if (code === 'NEVER_LANDED') this.#apply('never-landed');
        return;
      }
      default:
    }
  }

  #request(
    command: Sent['command'],
    {
      role,
      index,
      of,
      order,
    }: {
      readonly role: Sent['role'];
      readonly index: number;
      readonly of: number;
      readonly order?: NewOrder;
    },
  ): void {
    const { mono, in: input } = this.#now;
    const { req } = command;
    this.#firstRequestAt ??= mono;
    if (role === 'old') this.#standing.asked = command.type === 'place' ? undefined : command.type;
    this.#sent.set(req, { command, role, index, of, at: mono, timedOut: false });
    const permit = 'permit' in command ? command.permit : undefined;
    const granted = this.#granted.get(`${command.type === 'cancel' ? 'cancel' : 'place'} ${permit ?? ''}`);
    const batched = command.type === 'place' || command.type === 'cancel';
    const other = role === 'new' ? this.#order.replaces : this.#order.replacedBy;
    const reasons = command.type === 'cancel-all' ? [command.why?.[index]] : [whyIn(command, index)];
    this.#tell({
      type: 'request',
      request: command.type,
      req,
      role,
      on: input.type === 'operator' ? `operator ${input.command}` : input.type,
      permit,
      heldMs: granted === undefined ? undefined : this.#since(granted),
      position: batched ? index + 1 : undefined,
      of: batched ? of : undefined,
      ref: order?.ref,
      odds: order === undefined ? undefined : oddsOf(order.rung),
      risk: order === undefined ? undefined : dollarsOfCents(order.risk),
      other: command.type === 'edit' && other !== undefined ? nameOf(other) : undefined,
      scope: command.type === 'cancel-all' ? command.scope : undefined,
      why: reasons.flatMap((one) => (one === undefined ? [] : [{ ...one, value: one.value / 1e6 }])),
    });
  }

  #isIn(scope: Extract<Command, { type: 'cancel-all' }>['scope']): boolean {
    if (scope === undefined) return true;
    const gameId = this.#gameId;
    return 'game' in scope ? scope.game === gameId : scope.league === this.#books.game(gameId)?.league;
  }

  // ——— where it stands

  #isIt(orderId: OrderId | undefined, ref: OrderRef | undefined): boolean {
    return this.#index.find(orderId, ref, this.#now.seq) === this.#order;
  }

  get #gameId(): Game['id'] | undefined {
    return this.#order.asked?.market.gameId ?? this.#seen.gameId;
  }

  /** Where an edit keeps the id, another order has it by now: this one is gone, whatever is told under that id. */
  get #isSucceeded(): boolean {
    const orderId = [...this.#order.orderIds].at(-1);
    return orderId !== undefined && !this.#isIt(orderId, undefined);
  }

  /** No request of this run asked for it. */
  get #isFormer(): boolean {
    return this.#order.asked === undefined || this.#order.inherited;
  }

  get #size(): Micros | undefined {
    const { asked } = this.#order;
    return asked === undefined ? this.#seen.risk : microsOfCents(asked.risk);
  }

  #see(
    gameId: GameId | undefined,
    market: ToldMarket | undefined,
    odds: number | undefined,
    risk: Micros | undefined,
  ): void {
    const seen = this.#seen;
    if (gameId !== undefined) seen.gameId ??= gameId;
    if (risk !== undefined && risk > 0) seen.risk ??= risk;
    seen.market ??= market;
    seen.odds ??= odds;
  }

  #apply(event: OrderEvent): void {
    this.#standing.apply(event, this.#now.mono);
  }

  #since(at: number): number {
    return rounded(this.#now.mono - at);
  }

  #tell(fact: Fact): void {
    const { seq, t, mono } = this.#now;
    this.#told.push({ seq, t, mono, fact });
  }

  /** After the last step. */
  end(): Story {
    const { asked, orderIds, replaces, replacedBy, next } = this.#order;
    const seen = this.#seen;
    const gameId = this.#gameId;
    const game = this.#books.game(gameId);
    const size = this.#size;
    const risk = size === undefined ? undefined : dollarsOfMicros(size);
    const since = this.#firstRequestAt ?? this.#told[0]?.mono ?? 0;
    return {
      order: {
        ...nameOf(this.#order),
        orderIds: [...orderIds],
        ofThisRun: !this.#isFormer,
        gameId,
        game: game?.name,
        league: game?.league,
        market:
          asked === undefined
            ? seen.market
            : { type: asked.market.type, side: asked.side, line: lineFor(asked.market, asked.side) },
        odds: asked === undefined ? seen.odds : oddsOf(asked.rung),
        risk,
        replaces: replaces === undefined ? undefined : nameOf(replaces),
        replacedBy: replacedBy === undefined ? undefined : nameOf(replacedBy),
        next: next === undefined ? undefined : nameOf(next),
      },
      events: this.#told.map(({ seq, t, mono, fact }) => ({
        seq,
        at: new Date(t).toISOString(),
        ms: rounded(mono - since),
        ...fact,
      })),
      outcome: this.#standing.outcome(risk, this.#now.mono),
    };
  }
}

export const nameOf = ({ ref, orderIds }: KnownOrder): OrderName => ({ ref, orderId: [...orderIds].at(-1) });

const textOf = <T extends string>(value: unknown): T | undefined =>
  typeof value === 'string' ? (value as T) : undefined;
