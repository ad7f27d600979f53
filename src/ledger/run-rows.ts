// What a run writes into the ledger, taken from its steps: orders from the commands and their answers, fills and settlements
// from what the core booked, marks of what is held, alerts, and what operators did. Nothing here is read back by the run. What
// fills and the run were worth comes from elsewhere (ledger-figures.ts).
import type {
  Command,
  GameId,
  Arrival,
  Market,
  MarketId,
  NewOrder,
  OrderRef,
  RequestId,
  StampedArrival,
  Why,
} from '../domain/index.ts';
import { gameTitle, microsOfCents, oddsOf, parseTime } from '../domain/index.ts';
import { recordedCommand } from '../journal/index.ts';
import type { Core } from '../engine/index.ts';
import type { AlertMessage } from '../ops/index.ts';
import type { Ledger } from './ledger.ts';
import type { FillNews } from '../account/index.ts';
import { ownerOf } from '../account/index.ts';
import { orderOfFill, positionIn } from '../run/index.ts';
import { parseEditReply, parsePlaceReply } from '../wire/index.ts';

const MARK_EVERY_MS = 2000;
const FIGURES_EVERY_MS = 30_000;
const MINUTE_MS = 60_000;

type Sent = { readonly type: 'place' | 'edit'; readonly refs: readonly OrderRef[]; readonly mono: number };
/** What the ledger asks the core for. */
export type Told = Pick<
  Core,
  'turns' | 'news' | 'priceOf' | 'fairOf' | 'gameOf' | 'marks' | 'day' | 'resultOf'
>;

export type RunRow = {
  readonly run: string;
  readonly version: string;
  readonly instance: string;
  readonly journal: string | undefined;
  readonly configFile: string;
  readonly configHash: string;
  readonly strategies: unknown;
  readonly pid: number;
  readonly host: string;
};

export class BotLedger {
  readonly #ledger: Pick<Ledger, 'write'>;
  readonly #row: RunRow;
  readonly #instance: string;
  readonly #figures: () => unknown;
  readonly #sent = new Map<RequestId, Sent>();
  readonly #marked = new Map<MarketId, { readonly text: string; readonly market: Market }>();
  #baseVersion = 0;
  #markAt = Number.NEGATIVE_INFINITY;
  #figuresAt = Number.NEGATIVE_INFINITY;

  /** `figures`: what the run came to so far. */
  constructor(ledger: Pick<Ledger, 'write'>, row: RunRow, figures: () => unknown) {
    this.#ledger = ledger;
    this.#row = row;
    this.#instance = row.instance;
    this.#figures = figures;
  }

  #begin(at: number): void {
    const { journal = null, strategies, ...row } = this.#row;
    this.#ledger.write('run', { ...row, at, journal, strategies: JSON.stringify(strategies) });
  }

  step({ seq, t, mono, in: input }: StampedArrival, commands: readonly Command[], core: Told): void {
    if (input.type === 'boot') this.#begin(t);
    // as the journal has them, and a ledger that is made again from it
    for (const command of commands) this.#applyCommand(recordedCommand(command), { seq, t, mono }, core);
    if (input.type === 'reply' || input.type === 'failure') this.#applyAnswer(input, t, mono);
    else if (isAction(input)) this.#applyAction(input, seq, t);
    for (const one of core.news) this.#applyNews(one, input, t, core);
    for (const { ref, isOver, endedAs = null, ahead = null } of core.turns())
      this.#ledger.write('turn', { ref, endedAt: isOver ? t : null, endedAs, ahead });
    if (core.day.baseVersion !== this.#baseVersion) this.#keepBase(t, core);
    if (mono >= this.#markAt) {
      this.#markAt = mono + MARK_EVERY_MS;
      this.#mark(t, core);
    }
    if (mono < this.#figuresAt) return;
    this.#figuresAt = mono + FIGURES_EVERY_MS;
    this.#ledger.write('figures', { figures: JSON.stringify(this.#figures()) });
  }

  /** As whoever is alerted hears it; one that the core raised is there already. */
  alert({ alert: code, level, state, at, text, fields }: AlertMessage): void {
    const time = parseTime(at) ?? Number.NaN;
    if (state === 'resolved') {
      this.#ledger.write('alertOver', { at: time, code });
      return;
    }
    this.#ledger.write('alertFires', {
      ...{ at: time, level, code, message: text, fields: JSON.stringify(fields) },
    });
    this.#ledger.write('alertStands', { code });
  }

  end(at: number, code: number, reason: string): void {
    this.#ledger.write('ended', { at, code, reason, figures: JSON.stringify(this.#figures()) });
  }

  #applyCommand(
    command: Command,
    at: { readonly seq: number; readonly t: number; readonly mono: number },
    core: Told,
  ): void {
    switch (command.type) {
      case 'place':
        command.orders.forEach((order, index) =>
          this.#order(order, command.why[index], command.req, null, at.t, core),
        );
        this.#sent.set(command.req, {
          type: 'place',
          refs: command.orders.map(({ ref }) => ref),
          mono: at.mono,
        });
        return;
      case 'edit':
        this.#order(command.order, command.why, command.req, command.orderId, at.t, core);
        this.#sent.set(command.req, { type: 'edit', refs: [command.order.ref], mono: at.mono });
        return;
      case 'cancel':
        command.orderIds.forEach((orderId, index) =>
          this.#ledger.write('cancel', { orderId, at: at.t, cause: command.why[index]?.cause ?? null }),
        );
        return;
      case 'alert': {
        const { level, code, message } = command;
        const fields = JSON.stringify(command.fields);
        if (level !== 'info')
          this.#ledger.write('alert', { at: at.t, seq: at.seq, level, code, message, fields });
        return;
      }
      default:
        return;
    }
  }

  #order(
    order: NewOrder,
    why: Why | undefined,
    request: RequestId,
    replaces: string | null,
    at: number,
    core: Told,
  ): void {
    const { ref, market, side, rung, risk } = order;
    const owner = ownerOf(ref, this.#instance);
    this.#ledger.write('order', {
      ...{ ref, request, kind: replaces === null ? 'place' : 'edit', replaces, at },
      ...{ strategy: owner?.strategy ?? null, slotKey: owner?.key ?? null },
      ...placeOf(market),
      ...{ side, odds: oddsOf(rung), risk: microsOfCents(risk), fair: core.priceOf(market.id) ?? null },
      ...{ cause: why?.cause ?? null, said: why?.said ?? null, waitedMs: why?.waitedMs ?? null },
      value: why === undefined ? null : Math.round(why.value),
    });
  }

  #applyAnswer(input: Extract<Arrival, { type: 'reply' | 'failure' }>, at: number, mono: number): void {
    const sent = this.#sent.get(input.req);
    if (sent === undefined) return;
    // after a time-out the answer may still come
    if (input.type === 'reply' || input.failure !== 'timeout') this.#sent.delete(input.req);
    const answers = input.type === 'reply' ? answersOf(sent, input) : [];
    sent.refs.forEach((ref, index) => {
      const {
        fate = 'unknown',
        orderId = null,
        refusal = null,
      } = input.type === 'failure' && input.failure === 'not-sent'
        ? { fate: 'denied' }
        : (answers[index] ?? {});
      const status = input.type === 'reply' ? input.status : null;
      this.#ledger.write('answer', { ref, at, latencyMs: mono - sent.mono, status, fate, orderId, refusal });
    });
  }

  #applyAction(input: Action, seq: number, at: number): void {
    const { type, by = null, ...given } = input;
    const [command, reason, fields] =
      input.type === 'operator'
        ? [input.command, input.reason ?? null, {}]
        : input.type === 'strategy'
          ? [input.command, null, { strategy: input.strategy }]
          : [type, null, given];
    this.#ledger.write('action', { at, seq, command, reason, who: by, fields: JSON.stringify(fields) });
  }

  #applyNews(news: FillNews, input: Arrival, at: number, core: Told): void {
    const day = Number.isFinite(core.day.startsAt) ? core.day.startsAt : null;
    if (news.type === 'unsettled') {
      this.#ledger.write('unsettlement', { txId: news.txId });
      return;
    }
    if (news.type === 'moved') {
      const { id: market, line = null } = news.market;
      this.#ledger.write('moved', { txId: news.txId, market, line, side: news.side });
      return;
    }
    if (news.type === 'settled') {
      const result = input.type === 'settle' ? core.resultOf(input.gameId) : undefined;
      const { home = null, away = null } = result ?? {};
      const source = input.type === 'settle' ? 'operator' : 'graded';
      this.#ledger.write('settlement', {
        txId: news.txId,
        at,
        day,
        source,
        profit: news.profit,
        commission: news.commission,
        isTold: Number(news.isTold),
        ...{ home, away, result: result === undefined ? null : JSON.stringify(result) },
      });
      return;
    }
    const source = input.type === 'frame' || input.type === 'position' ? 'feed' : 'answer';
    const { txId, gameId, market, side, risk, win } = news.fill;
    const one = { txId, at, day, source };
    if (market === undefined || side === undefined) {
      this.#ledger.write('fill', { ...one, own: 0, gameId, risk, ...gameFields(gameId, core) });
      return;
    }
    const { ref, owner, isOwn } = orderOfFill(news.fill, this.#instance);
    const position = positionIn(market.id, core);
    this.#ledger.write('fill', {
      ...one,
      ...{
        own: Number(isOwn),
        // all of ours are `post`: they wait to be taken
        role: isOwn ? 'maker' : null,
        ref: ref ?? null,
        strategy: owner?.strategy ?? null,
      },
      ...placeOf(market),
      ...gameFields(market.gameId, core),
      ...{ side, risk, win, price: risk / (risk + win), fair: core.priceOf(market.id) ?? null },
      ...{ positionFirst: position?.first ?? null, positionSecond: position?.second ?? null },
    });
  }

  #keepBase(at: number, core: Told): void {
    this.#baseVersion = core.day.baseVersion;
    this.#ledger.write('day', { startsAt: core.day.startsAt, at, base: JSON.stringify(core.day.base) });
  }

  /** Of what is held, where something changed: the newest of each minute is kept. */
  #mark(at: number, core: Told): void {
    const gone = new Map(this.#marked);
    for (const { market, position, marked } of core.marks()) {
      gone.delete(market.id);
      this.#markOne(market, position, marked, at, core);
    }
    for (const [id, { market }] of gone) {
      this.#markOne(market, { first: 0, second: 0, staked: 0 }, 0, at, core);
      this.#marked.delete(id);
    }
  }

  #markOne(
    market: Market,
    { first, second, staked }: Readonly<Record<'first' | 'second' | 'staked', number>>,
    marked: number,
    at: number,
    core: Told,
  ): void {
    const price = core.priceOf(market.id) ?? null;
    const text = `${price} ${first} ${second}`;
    if (this.#marked.get(market.id)?.text === text) return;
    this.#marked.set(market.id, { text, market });
    this.#ledger.write('mark', {
      ...{
        market: market.id,
        gameId: market.gameId,
        minute: Math.floor(at / MINUTE_MS) * MINUTE_MS,
        at,
        price,
      },
      ...{ positionFirst: first, positionSecond: second, staked, marked: Math.round(marked) },
    });
  }
}

/** What somebody outside did. */
type Action = Extract<Arrival, { type: 'operator' | 'strategy' | 'settle' | 'unsettle' | 'configure' }>;
const ACTIONS: ReadonlySet<string> = new Set(['operator', 'strategy', 'settle', 'unsettle', 'configure']);
const isAction = (input: Arrival): input is Action => ACTIONS.has(input.type);

type Answer = { readonly fate: string; readonly orderId?: string | null; readonly refusal?: string | null };

function answersOf(
  { type, refs }: Sent,
  { status, body }: Extract<Arrival, { type: 'reply' }>,
): readonly Answer[] {
  if (status >= 400) return refs.map(() => ({ fate: status < 500 ? 'refused' : 'unknown' }));
  const results = type === 'place' ? parsePlaceReply(body, refs.length) : parseEditReply(body);
  if (!results.ok) return [];
  const placed = 'placed' in results.value ? [results.value.placed] : results.value;
  return placed.map((one) => {
    if (one.status === 'accepted') return { fate: 'accepted', orderId: one.orderId ?? null };
    if (one.status === 'refused') return { fate: 'refused', refusal: one.errorType ?? one.message };
    return { fate: 'unknown' };
  });
}

const placeOf = ({ id, gameId, type, line }: Market) => ({ market: id, gameId, type, line: line ?? null });

function gameFields(id: GameId, core: Told) {
  const game = core.gameOf(id);
  if (game === undefined) return {};
  const { league, sport, start: startsAt, live } = game;
  return { league, sport, event: gameTitle(game), startsAt, inPlay: Number(live) };
}
