// Writes the rows of a run to the ledger, folded from its events: orders and their answers, fills and
// settlements, marks of positions, alerts, and operator actions. The run reads none of it back.
// figure-rows.ts writes the figures of fills and runs.
import type { EventGame, EventOf, MarketId, RunEvent, StampedArrival } from '../domain/index.ts';
import { marketOf, microsOfCents, parseTime } from '../domain/index.ts';
import { recordedEvent } from '../journal/index.ts';
import type { AlertMessage } from '../ops/index.ts';
import type { Ledger } from './ledger.ts';
import type { Value } from './schema.ts';

const FIGURES_EVERY_MS = 30_000;
const MINUTE_MS = 60_000;

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

/** Number and time of a step: Unix ms and monotonic ms. */
type Moment = Pick<StampedArrival, 'seq' | 't' | 'mono'>;

export class RunRows {
  readonly #ledger: Pick<Ledger, 'write'>;
  readonly #row: RunRow;
  readonly #figures: () => unknown;
  /** Start of the day of risk.maxDailyLoss, Unix ms. Null: there is no such day. */
  #day: number | null = null;
  #figuresAt = Number.NEGATIVE_INFINITY;

  /** @param figures returns the figures of the run so far */
  constructor(ledger: Pick<Ledger, 'write'>, row: RunRow, figures: () => unknown) {
    this.#ledger = ledger;
    this.#row = row;
    this.#figures = figures;
  }

  #begin(atMs: number): void {
    const { journal = null, strategies, ...row } = this.#row;
    this.#ledger.write('run', { ...row, at: atMs, journal, strategies: JSON.stringify(strategies) });
  }

  step({ seq, t, mono }: Moment, events: readonly RunEvent[]): void {
    // in the form of the journal, so that a ledger rebuilt from it is equal
    for (const event of events) this.#apply(recordedEvent(event), t, seq);
    if (mono < this.#figuresAt) return;
    this.#figuresAt = mono + FIGURES_EVERY_MS;
    this.#ledger.write('figures', { figures: JSON.stringify(this.#figures()) });
  }

  /** Writes an alert as it was sent. One that the core raised is there already. */
  alert({ alert: code, level, state, at: isoTime, text, fields }: AlertMessage): void {
    const time = parseTime(isoTime) ?? Number.NaN;
    if (state === 'resolved') {
      this.#ledger.write('alertOver', { at: time, code });
      return;
    }
    this.#ledger.write('alertFires', { at: time, level, code, message: text, fields: JSON.stringify(fields) });
    this.#ledger.write('alertStands', { code });
  }

  endRun(atMs: number, code: number, reason: string): void {
    this.#ledger.write('ended', { at: atMs, code, reason, figures: JSON.stringify(this.#figures()) });
  }

  #apply(event: RunEvent, atMs: number, seq: number): void {
    switch (event.type) {
      case 'RunStarted':
        this.#begin(atMs);
        return;
      case 'OrderSubmitted':
        this.#ledger.write('order', { at: atMs, ...orderRow(event) });
        return;
      case 'OrderAccepted':
      case 'OrderRejected':
      case 'OrderUnknown':
        this.#ledger.write('answer', { at: atMs, ...answerRow(event) });
        return;
      case 'OrderRested':
        this.#ledger.write('turn', {
          ref: event.ref,
          endedAt: null,
          endedAs: null,
          ahead: event.ahead ?? null,
        });
        return;
      case 'OrderRevived':
        this.#ledger.write('turn', { ref: event.ref, endedAt: null, endedAs: null, ahead: null });
        return;
      case 'OrderMoved': {
        const { ref, side, market } = event;
        this.#ledger.write('orderMoved', { ref, market, line: marketOf(market).line ?? null, side });
        return;
      }
      case 'OrderEnded':
        this.#ledger.write('turn', { ref: event.ref, endedAt: atMs, endedAs: event.how, ahead: null });
        return;
      case 'CancelSubmitted':
        // a bulk cancel names no orders in its request
        if (event.scope === undefined)
          for (const { orderId, why } of event.orders)
            this.#ledger.write('cancel', { orderId, at: atMs, cause: why?.cause ?? null });
        return;
      case 'Fill':
        this.#ledger.write('fill', { at: atMs, day: this.#day, ...fillRow(event) });
        return;
      case 'FillMoved': {
        const { txId, side, market } = event;
        this.#ledger.write('moved', { txId, market, line: marketOf(market).line ?? null, side });
        return;
      }
      case 'Settled':
        this.#ledger.write('settlement', { at: atMs, day: this.#day, ...settlementRow(event) });
        return;
      case 'Unsettled':
        this.#ledger.write('unsettlement', { txId: event.txId });
        return;
      case 'DayBegan':
        this.#applyDay(event, atMs);
        return;
      case 'Marked':
        for (const mark of event.markets) this.#ledger.write('mark', { at: atMs, ...markRow(mark, atMs) });
        return;
      case 'OperatorActed': {
        const { command, reason = null, by: who = null, fields } = event;
        this.#ledger.write('action', { at: atMs, seq, command, reason, who, fields: JSON.stringify(fields) });
        return;
      }
      case 'Alert': {
        const { level, code, message, fields } = event;
        if (level !== 'info')
          this.#ledger.write('alert', { at: atMs, seq, level, code, message, fields: JSON.stringify(fields) });
        return;
      }
      default:
    }
  }

  #applyDay({ startsAt, base }: EventOf<'DayBegan'>, atMs: number): void {
    this.#day = startsAt;
    if (base !== undefined) this.#ledger.write('day', { startsAt, at: atMs, base: JSON.stringify(base) });
  }
}

type Values = Readonly<Record<string, Value>>;

const orderRow = (event: EventOf<'OrderSubmitted'>): Values => ({
  ref: event.ref,
  request: event.request,
  kind: event.replaces === undefined ? 'place' : 'edit',
  replaces: event.replaces ?? null,
  strategy: event.strategy ?? null,
  slotKey: event.key ?? null,
  ...placeOf(event.market),
  side: event.side,
  odds: event.odds,
  risk: microsOfCents(event.risk),
  fair: event.fair ?? null,
  cause: event.why?.cause ?? null,
  said: event.why?.said ?? null,
  waitedMs: event.why?.waitedMs ?? null,
  value: event.why === undefined ? null : Math.round(event.why.value),
});

function answerRow(event: EventOf<'OrderAccepted' | 'OrderRejected' | 'OrderUnknown'>): Values {
  const { ref, latencyMs, status = null } = event;
  const answer = { ref, latencyMs, status, orderId: null, refusal: null };
  switch (event.type) {
    case 'OrderAccepted':
      return { ...answer, fate: 'accepted', orderId: event.orderId ?? null };
    case 'OrderRejected':
      return event.isSent
        ? { ...answer, fate: 'refused', refusal: event.code ?? event.reason }
        : { ...answer, fate: 'denied' };
    case 'OrderUnknown':
      return { ...answer, fate: 'unknown' };
  }
}

function fillRow(event: EventOf<'Fill'>): Values {
  const { txId, source, gameId, market, side, risk, win, isOwn, position, role } = event;
  if (market === undefined || side === undefined) return { txId, source, own: 0, gameId, risk, ...gameRow(event.game) };
  return {
    txId,
    source,
    own: Number(isOwn),
    role: isOwn ? (role ?? 'maker') : null,
    ref: event.ref ?? null,
    strategy: event.strategy ?? null,
    ...placeOf(market),
    ...gameRow(event.game),
    side,
    risk,
    win,
    price: risk / (risk + win),
    fair: event.fair ?? null,
    positionFirst: position?.first ?? null,
    positionSecond: position?.second ?? null,
  };
}

function settlementRow({ txId, source, profit, commission, isReported, result }: EventOf<'Settled'>): Values {
  const { home = null, away = null } = result ?? {};
  return {
    txId,
    source,
    profit,
    commission,
    isReported: Number(isReported),
    home,
    away,
    result: result === undefined ? null : JSON.stringify(result),
  };
}

/** The mark of a market; the newest of each minute is kept. */
const markRow = ({ market, price, first, second, staked, marked }: Mark, atMs: number): Values => ({
  market,
  gameId: marketOf(market).gameId,
  minute: Math.floor(atMs / MINUTE_MS) * MINUTE_MS,
  price: price ?? null,
  positionFirst: first,
  positionSecond: second,
  staked,
  marked,
});

type Mark = EventOf<'Marked'>['markets'][number];

function placeOf(market: MarketId): Values {
  const { gameId, type, line = null } = marketOf(market);
  return { market, gameId, type, line };
}

const gameRow = (game: EventGame | undefined): Values =>
  game === undefined
    ? {}
    : { league: game.league, sport: game.sport, event: game.name, startsAt: game.start, inPlay: Number(game.live) };
