// Builds the journal of a bot step by step and reports the rule violations that the conformance check finds
// in it.
import type {
  Command,
  GameId,
  Arrival,
  NewOrder,
  OrderId,
  OrderRef,
  Rung,
  StampedArrival,
} from '../../src/domain/index.ts';
import { cents, market, oddsOf } from '../../src/domain/index.ts';
import type { ConformSettings } from '../../src/conform/conformance.ts';
import { Conformance } from '../../src/conform/conformance.ts';
import type { RuleId } from '../../src/conform/rules.ts';
import type { JournalStep } from '../../src/journal/journal-reader.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';

export const START = Date.parse('2030-01-01T00:00:00Z');
export const GAME = 'game-1' as GameId;
export const LATE_ARRIVAL_MS = 8000;
export const SETTINGS: ConformSettings = {
  windows: { place: { requests: 25, windowMs: 5000 }, cancel: { requests: 30, windowMs: 2000 } },
  instance: 'a',
  lateArrivalMs: LATE_ARRIVAL_MS,
  halted: false,
  profile: DEFAULT_PROFILE,
};

type Asked = {
  readonly slot?: string;
  readonly ref?: string;
  readonly rung?: number;
  readonly risk?: number;
};

export class JournalBuilder {
  readonly conformance: Conformance;
  mono = 1000;
  #seq = 0;
  #requests = 0;
  #references = 0;
  #permits = 0;
  readonly #orders = new Map<number, readonly NewOrder[]>();

  constructor(settings: Partial<ConformSettings> = {}) {
    this.conformance = new Conformance({ ...SETTINGS, ...settings });
    this.input({ type: 'boot', run: 'r1' });
  }

  input(input: Arrival, ...commands: readonly Command[]): void {
    this.#seq += 1;
    const { mono } = this;
    const stamped: StampedArrival = { seq: this.#seq, t: START + mono, mono, in: input };
    // the JSON round trip is that of a journal
    this.conformance.applyStep(JSON.parse(JSON.stringify({ input: stamped, commands })) as JournalStep);
  }

  pass(ms: number): this {
    this.mono += ms;
    return this;
  }

  order({ slot = 'main.#0', rung = 50, risk = 100, ref }: Asked = {}): NewOrder {
    this.#references += 1;
    return {
      ref: (ref ?? `a.${slot}.r1-${this.#references.toString(36)}`) as OrderRef,
      market: market(GAME, 'moneyline'),
      side: 'home',
      rung: rung as Rung,
      risk: cents(risk * 100),
    };
  }

  /** Sends one place request with a new permit. */
  place(...asked: readonly Asked[]): number {
    const orders = asked.map((request) => this.order(request));
    return this.send('place', (req, permit) => ({ type: 'place', req, permit, orders, why: [] }), orders);
  }

  edit(orderId: string, asked: Asked = {}): number {
    const order = this.order(asked);
    const why = { cause: 'shy', intent: 1, value: 1, waitedMs: 0, over: 'wait', because: '' } as const;
    return this.send(
      'place',
      (req, permit) => ({ type: 'edit', req, permit, orderId: orderId as OrderId, order, why }),
      [order],
    );
  }

  cancel(...ids: readonly string[]): number {
    const orderIds = ids as readonly OrderId[];
    return this.send('cancel', (req, permit) => ({ type: 'cancel', req, permit, orderIds, why: [] }));
  }

  cancelAll(): number {
    const req = (this.#requests += 1);
    this.input({ type: 'tick' }, { type: 'cancel-all', req });
    return req;
  }

  read(read: Extract<Command, { type: 'read' }>['read']): number {
    const req = (this.#requests += 1);
    this.input({ type: 'tick' }, { type: 'read', req, read });
    return req;
  }

  send(
    bucket: 'place' | 'cancel',
    command: (req: number, permit: number) => Command,
    orders: readonly NewOrder[] = [],
  ): number {
    const permit = (this.#permits += 1);
    const req = (this.#requests += 1);
    this.#orders.set(req, orders);
    this.input({ type: 'permit', bucket, permit }, command(req, permit));
    return req;
  }

  reply(req: number, status: number, body: unknown = refusal, retryAfterSeconds?: number): void {
    this.input({
      type: 'reply',
      req,
      status,
      body,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }

  /** Answers that all orders of a place or edit rest, with the ids `<prefix>0`, `<prefix>1`, …. */
  accept(req: number, prefix: string): void {
    const offers = (this.#orders.get(req) ?? []).map(({ ref, rung, risk }, index) => ({
      matched: [],
      unmatched: {
        orderID: `${prefix}${index}`,
        offered: risk / 100,
        remaining: risk / 100,
        odds: oddsOf(rung),
        userReference: ref,
      },
    }));
    this.reply(req, 200, { data: { createdSessions: offers } });
  }

  /** Answers that the cancel succeeded. */
  cancelled(req: number, ...ids: readonly string[]): void {
    this.reply(req, 200, { data: ids.map((sessionID) => ({ success: true, sessionID, filled: 0 })) });
  }

  fail(req: number, failure: 'not-sent' | 'timeout' | 'no-answer' = 'no-answer'): void {
    this.input({ type: 'failure', req, failure, detail: '' });
  }

  alert(code: string, fields: Readonly<Record<string, unknown>>, message = ''): void {
    this.input({ type: 'tick' }, { type: 'alert', level: 'error', code, message, fields });
  }

  /** All findings as `rule #record [requests]`. */
  get found(): readonly string[] {
    return this.conformance.rules.flatMap(({ id, findings }) =>
      findings.map(({ seq, requests }) => `${id} #${seq} [${requests.join(' ')}]`),
    );
  }

  checked(rule: RuleId): number {
    return this.conformance.rules.find(({ id }) => id === rule)?.checked ?? 0;
  }
}

export const refusal = { error: { message: 'no', code: 400 } };
const nothing = { data: { unmatched: [], matched: [], graded: [] } };
export const ref = (n: number): OrderRef => `a.main.#0.r1-${n}` as OrderRef;
export const bothGone = (journal: JournalBuilder): void => {
  for (let lookUp = 0; lookUp < 2; lookUp++) {
    const req = journal.read({ what: 'reference', ref: ref(1), gameId: GAME });
    journal.pass(2000).reply(req, 200, nothing);
  }
};
const PRICES = JSON.stringify({ gameID: GAME, type: 'moneyline', participantID: 'p', sideOrders: [] });
export const seeGame = (journal: JournalBuilder): void => {
  journal.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'orderUpdate', data: PRICES });
};
/** Sends a look-up of an order by its id. */
export const lookUp = (journal: JournalBuilder, orderId: string): number =>
  journal.read({ what: 'order', orderId: orderId as OrderId });
export const isOpen = (journal: JournalBuilder, orderID: string, userReference?: string): void => {
  const unmatched = { orderID, odds: 105, offered: 100, filled: 0, remaining: 100, userReference };
  const data = JSON.stringify({ gameID: GAME, origin: 'offer', unmatched, matched: null });
  journal.input({ type: 'frame', feed: 'user', epoch: 1, event: 'positionUpdate', data });
};
/** Places in different slots, so that only the window rule can be broken. */
export const placeEvery = (journal: JournalBuilder, count: number, ms: number, roundTripMs: number): void => {
  for (let i = 0; i < count; i++) {
    const req = journal.place({ slot: `main.s${i}` });
    journal.pass(roundTripMs).accept(req, `o${i}-`);
    journal.pass(ms - roundTripMs);
  }
};
export const cancelEvery = (journal: JournalBuilder, count: number, ms: number): void => {
  for (let i = 0; i < count; i++) {
    const req = journal.cancel(`o${i}`);
    journal.pass(ms).cancelled(req, `o${i}`);
  }
};

export type Case = readonly [name: string, fill: (journal: JournalBuilder) => void];
