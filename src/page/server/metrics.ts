// The metrics of a run for Prometheus. Each metric defines how it is read from the bot's figures; counters
// are totals since the start of the bot.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Micros } from '../../domain/index.ts';
import { dollarsOfMicros } from '../../domain/index.ts';
import type { BotFigures } from '../../ops/index.ts';
import { BOT_STATES } from '../../ops/index.ts';

type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number };
type Metric = {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly label?: string;
  readonly read: (figures: BotFigures) => readonly Sample[];
};

const single = (value: number | boolean | undefined): readonly Sample[] =>
  value === undefined ? [] : [{ value: Number(value) }];
const each = (label: string, values: Readonly<Record<string, number | boolean | undefined>>): readonly Sample[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ labels: { [label]: name }, value: Number(value) }],
  );

const counter = (name: string, help: string, read: Metric['read'], label?: string): Metric => ({
  name: `oddsmaker_${name}_total`,
  type: 'counter',
  help,
  read,
  ...(label === undefined ? {} : { label }),
});
const gauge = (name: string, help: string, read: Metric['read'], label?: string): Metric => ({
  name: `oddsmaker_${name}`,
  type: 'gauge',
  help,
  read,
  ...(label === undefined ? {} : { label }),
});

/**
 * Statuses used in alert rules. They are exported as 0 from the start, so that the first answer is an
 * increase.
 */
const STATUSES = ['0', '200', '400', '401', '403', '404', '409', '423', '429', '500', '502', '503'];
const NO_ANSWERS = Object.fromEntries(STATUSES.map((status) => [status, 0]));
const dollars = (micros: Micros | undefined): number | undefined =>
  micros === undefined ? undefined : dollarsOfMicros(micros);

export const METRICS: readonly Metric[] = [
  gauge(
    'state',
    '1 for the current state of the bot, 0 for all others',
    ({ state }) => each('state', Object.fromEntries(BOT_STATES.map((name) => [name, name === state]))),
    'state',
  ),
  gauge('strategies_off', 'strategies that are disabled, in all or some markets', ({ off }) => single(off.length)),
  gauge('quoting', '1 while nothing prevents quoting', ({ state }) =>
    single(state === 'quoting' || state === 'degraded'),
  ),
  gauge('feed_up', '1 while the feed is connected', ({ feeds }) => each('feed', feeds), 'feed'),
  gauge('feed_age_seconds', 'seconds since the last frame of the feed', ({ ages }) => each('feed', ages), 'feed'),
  counter('feed_drops', 'connections lost', ({ drops }) => each('feed', drops), 'feed'),
  counter('frames', 'frames read', ({ frames }) => single(frames)),
  counter('frames_outrun', 'frames of books that a newer one replaced while the process was busy', ({ outrun }) =>
    single(outrun),
  ),
  counter('frames_malformed', 'frames that could not be read', ({ malformed }) => single(malformed)),
  counter(
    'frames_oversize',
    'frames over exchange.maxFrame, which were dropped unread',
    ({ oversize }) => each('feed', oversize),
    'feed',
  ),
  counter('alerts', 'alerts, by the code that the log has as `alert`', ({ alerts }) => each('alert', alerts), 'alert'),
  counter('loops', 'inputs processed by the core', ({ loops }) => single(loops)),
  gauge('guard_up', '1 while a guard watches the bot; absent for an embedded exchange', ({ guarded }) =>
    single(guarded),
  ),
  gauge('markets', 'markets that are quoted', ({ markets }) => single(markets)),
  gauge('markets_in_play', 'quoted or held markets of games in play', ({ inPlay }) => single(inPlay)),
  gauge('quotes_wanted', 'quotes that strategies want', ({ wanted }) => single(wanted)),
  gauge('quotes_resting', 'quotes that rest at the exchange', ({ resting }) => single(resting)),
  gauge('quotes_held', 'wanted quotes that a control holds back', ({ held }) => each('control', held), 'control'),
  gauge('quoted_share', 'share of the wanted time for which quotes rested', ({ quotedShare }) => single(quotedShare)),
  counter('intents', 'intents of strategies', ({ intents }) => single(intents)),
  counter('orders_placed', 'orders accepted to rest, without edits', ({ placed }) => single(placed)),
  counter('orders_edited', 'orders moved by an edit', ({ edited }) => single(edited)),
  counter('orders_cancelled', 'own orders that ended by a request of the bot', ({ cancelled }) => single(cancelled)),
  counter(
    'orders_cancelled_by_others',
    'own orders that the exchange or its operator cancelled',
    ({ cancelledByOthers }) => single(cancelledByOthers),
  ),
  counter(
    'orders_undetermined',
    'own orders that ended after a cancel without a readable answer: cause unknown',
    ({ undetermined }) => single(undetermined),
  ),
  counter('orders_refused', 'orders that the exchange refused', ({ refused }) => single(refused)),
  counter(
    'refusals',
    'orders that the exchange refused, by its reason',
    ({ refusals }) => each('reason', refusals),
    'reason',
  ),
  gauge('orders_external', 'external orders open on the account', ({ externalOrders }) => single(externalOrders)),
  gauge('balance_dollars', 'balance of the account in its player mode, as last read', ({ balance }) => single(balance)),
  gauge('credit_in_use_dollars', 'part of the balance that open orders and positions use', ({ creditInUse }) =>
    single(creditInUse),
  ),
  gauge('waiting_slots', 'slots that wait for a request', ({ waiting }) => single(waiting.slots)),
  gauge('waiting_dollars', 'value that these slots lose by waiting', ({ waiting }) => single(waiting.value)),
  gauge('orders_open', 'own orders that may still fill', ({ openOrders }) => single(openOrders)),
  gauge('orders_unknown', 'requests without a readable answer, not settled yet', ({ unknown }) => single(unknown.now)),
  counter('orders_unknown', 'requests without a readable answer', ({ unknown }) => single(unknown.ever)),
  counter('fills', 'fills', ({ fills }) => single(fills)),
  counter('risk_filled_dollars', 'stakes that were filled', ({ riskFilled }) => single(riskFilled)),
  gauge(
    'pnl_dollars',
    'marked: settled P&L, and positions at the newest fair price; worst: if every game ended at its worst',
    ({ pnl }) => each('kind', pnl),
    'kind',
  ),
  gauge('day_limit_dollars', 'most that the account may lose in a day: risk.maxDailyLoss', ({ day }) =>
    single(dollars(day?.limit)),
  ),
  gauge(
    'day_lost_dollars',
    'loss of the account since the day began, over all its runs; below 0: a profit',
    ({ day }) => single(day?.brought === undefined ? undefined : -dollarsOfMicros(day.brought)),
  ),
  gauge('inventory_dollars', 'payoff differences between the outcomes, of all markets', ({ inventory }) =>
    single(inventory),
  ),
  gauge('permits', 'free permits: requests that may be sent now', ({ permits }) => each('bucket', permits), 'bucket'),
  gauge('permits_limit', 'requests that a window holds', ({ limits }) => each('bucket', limits), 'bucket'),
  counter('requests', 'requests sent', ({ requests }) => each('kind', requests), 'kind'),
  counter(
    'responses',
    'answers by status; 0: no answer',
    ({ http }) => each('status', { ...NO_ANSWERS, ...http }),
    'status',
  ),
  gauge('reads_waiting', 'reads that wait for a permit', ({ readsWaiting }) => single(readsWaiting)),
  gauge('journal_waiting_bytes', 'bytes of the journal that the disk has not accepted yet', ({ journalWaiting }) =>
    single(journalWaiting),
  ),
  counter(
    'signals',
    'signals from outside: values that a strategy has subscribed to, values that none has, refused messages, and values that a newer one replaced before delivery',
    ({ signals }) => each('outcome', signals.taken),
    'outcome',
  ),
  gauge(
    'signal_source_up',
    '1 while the source of signals is available',
    ({ signals }) =>
      Object.entries(signals.sources).map(([source, problem]) => ({
        labels: { source },
        value: Number(problem === undefined),
      })),
    'source',
  ),
  gauge(
    'signal_age_seconds',
    'age of signals when strategies read them, since the start',
    ({ signals }) => each('quantile', signals.ages ?? {}),
    'quantile',
  ),
  gauge(
    'odds_events',
    'events of the odds feed that match a game of the exchange, and that do not',
    ({ signals }) => each('is', signals.events ?? {}),
    'is',
  ),
  counter('tape_records', 'records of the tape', ({ tape }) => single(tape?.records)),
  counter('tape_lost', 'records that the disk refused', ({ tape }) => single(tape?.lost)),
];

/** Metrics that are not single numbers. */
export const OTHER_METRICS = [
  {
    name: 'oddsmaker_build_info',
    type: 'gauge',
    help: '1, with the version, the build, the run and a hash of the effective configuration',
    label: 'version, build, config_hash, run',
  },
  {
    name: 'oddsmaker_request_seconds',
    type: 'histogram',
    help: 'from a request to its answer, by kind of request',
    label: 'kind',
  },
] as const;
const [BUILD, REQUESTS] = OTHER_METRICS;
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export class Metrics {
  readonly #registry = new Registry();
  readonly #metrics: readonly {
    readonly read: Metric['read'];
    readonly instrument: Gauge | Counter;
    /** A gauge without labels. */
    readonly isSingle: boolean;
  }[];
  readonly #read: () => BotFigures;
  readonly #build: Gauge;
  readonly #requests: Histogram;

  constructor(read: () => BotFigures) {
    this.#read = read;
    // memory, CPU time, pauses for garbage and lags of the event loop
    collectDefaultMetrics({ register: this.#registry });
    const registers = [this.#registry];
    this.#build = new Gauge({ name: BUILD.name, help: BUILD.help, registers, labelNames: BUILD.label.split(', ') });
    this.#requests = new Histogram({
      name: REQUESTS.name,
      help: REQUESTS.help,
      registers,
      labelNames: [REQUESTS.label],
      buckets: BUCKETS,
    });
    this.#metrics = METRICS.map(({ name, type, help, label, read: readMetric }) => {
      const settings = { name, help, registers: [this.#registry], labelNames: label === undefined ? [] : [label] };
      const isSingle = type === 'gauge' && label === undefined;
      const instrument = type === 'gauge' ? new Gauge(settings) : new Counter(settings);
      return { read: readMetric, isSingle, instrument };
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Records the time of an answered request, ms. */
  observe(kind: string, ms: number): void {
    this.#requests.observe({ kind }, ms / 1000);
  }

  /** All metrics in the text format of Prometheus. */
  async text(): Promise<string> {
    const figures = this.#read();
    this.#build.reset();
    this.#build.set(figures.build, 1);
    // series that are no longer reported disappear, and a counter starts at the bot's count
    for (const { read, instrument, isSingle } of this.#metrics) {
      instrument.reset();
      const samples = read(figures);
      for (const { labels = {}, value } of samples) instrument.inc(labels, value);
      // without a label the library exports 0, which would look like a measured 0
      if (samples.length === 0 && isSingle) instrument.remove();
    }
    return this.#registry.metrics();
  }
}
