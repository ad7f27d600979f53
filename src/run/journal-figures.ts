// Folds the journals of one or several runs into figures: the value of their fills, and the objects of `run
// --json` summed up.
import { runOf } from '../account/index.ts';
import type { Config } from '../config/index.ts';
import type { AgeFigures, RunEvent } from '../domain/index.ts';
import { FillBook } from './fill-book.ts';
import { Refusals } from './refusals.ts';
import type { RunFill } from './run-fill.ts';
import type { ReportOrder } from './report-order.ts';
import { RequestTally } from './request-tally.ts';
import type { QuotePath, RunFacts } from './run-facts.ts';
import { mergedFacts } from './run-facts.ts';
import { RunFold } from './run-fold.ts';
import { jsonOf } from './run-json.ts';
import type { MarketPathSet } from './market-paths.ts';
import { MarketPaths } from './market-paths.ts';
import type { ScenarioFigures } from './scenario.ts';
import { scenarioFigures } from './scenario.ts';
import type { SeriesPath } from './series-book.ts';

type RunObject = ReturnType<typeof jsonOf>;
type Run = { readonly from: number; readonly to: number; readonly object: RunObject };
/** Time of a step of a journal, Unix ms and monotonic ms. */
type Moment = { readonly t: number; readonly mono: number };

/** Seed of the bootstrap: the same journals give the same figures. */
const SEED = 1;

export class RunFigures {
  /**
   * Fills at an exchange that outlives a run: the next run lists fills of the former one again, which are
   * known already.
   */
  readonly #shared = new FillBook();
  /** The shared book, and one for each exchange embedded in a run. */
  readonly #all: FillBook[] = [this.#shared];
  readonly #facts: RunFacts[] = [];
  readonly #orders: ReportOrder[] = [];
  readonly #alerts = new Map<string, number>();
  readonly #refusals = new Refusals();
  readonly #runs: Run[] = [];
  readonly #names = new Set<string>();
  #busiest: QuotePath | undefined;
  readonly #paths = new MarketPaths();
  readonly #series: SeriesPath[] = [];
  #last: RunFold | undefined;

  /** Begins the journal of another run. The caller then passes its steps and its end. */
  beginRun({ exchange, commission }: Pick<Config, 'exchange' | 'commission'>): RunFollower {
    const fills = exchange.embedded === undefined ? this.#shared : new FillBook();
    if (fills !== this.#shared) this.#all.push(fills);
    fills.commission = commission;
    const requests = new RequestTally();
    // fills of former runs that the exchange still lists are not credited to these
    const fold = new RunFold(fills, ({ isOwn, ref }) => isOwn && ref !== undefined && this.#names.has(runOf(ref)));
    let first: Moment | undefined;
    let last: Moment | undefined;
    return {
      step: (moment, events) => {
        first ??= moment;
        last = moment;
        if (events.length === 0) return;
        for (const event of events) this.#count(event);
        requests.applyEvents(events);
        this.#refusals.applyEvents(events);
        fold.applyEvents(moment.t, events);
      },
      end: () => {
        if (first === undefined || last === undefined) return;
        this.#last = fold;
        this.#facts.push(fold.endRun(last.t, []));
        const object = jsonOf({
          status: fold.status,
          requests: requests.sent,
          http: requests.answers,
          durationMs: Math.round(last.mono - first.mono),
          faults: [],
        });
        this.#runs.push({ from: first.t, to: last.t, object });
        this.#orders.push(...fold.ended);
        const booked = [...fills.fills];
        this.#busiest = fold.busiest(booked) ?? this.#busiest;
        this.#paths.addAll(fold.paths(booked));
        this.#series.push(...fold.series);
      },
    };
  }

  #count(event: RunEvent): void {
    if (event.type === 'RunStarted') this.#names.add(event.run);
    else if (event.type === 'Alert' && event.level !== 'info')
      this.#alerts.set(event.code, (this.#alerts.get(event.code) ?? 0) + 1);
  }

  /** Number of settled games with own fills. */
  get games(): number {
    return this.#all.reduce((sum, { fills }) => {
      const games = new Set<string>();
      for (const { market, profit } of fills) if (profit !== undefined) games.add(market.gameId);
      return sum + games.size;
    }, 0);
  }

  /** Merged facts of all runs. */
  get facts(): RunFacts {
    const fills = this.#all.flatMap((book): readonly RunFill[] => [...book.fills]);
    return { ...mergedFacts(this.#facts), fills };
  }

  /** Orders that rested, in the order in which they ended. */
  get orders(): readonly ReportOrder[] {
    return this.#orders;
  }

  /** A scenario as in `report --json`, money in dollars. */
  get scenario(): ScenarioFigures {
    return scenarioFigures(this.facts, SEED);
  }

  /** Number of intents of the last run without a quote, by reason. */
  get idle(): Readonly<Record<string, number>> {
    return this.#last?.idle ?? {};
  }

  /** Age of signals when strategies of the last run read them. Null: none was read. */
  get signals(): AgeFigures | null {
    return this.#last?.signals ?? null;
  }

  /** Number of alerts by code, without level `info`. */
  get alerts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#alerts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Number of orders that the exchange refused, by reason. */
  get refusals(): Readonly<Record<string, number>> {
    return this.#refusals.byReason;
  }

  /** The market with the most fills in the last run. */
  get busiest(): QuotePath | undefined {
    return this.#busiest;
  }

  /** How the quoted markets of all runs looked over time. */
  get paths(): MarketPathSet {
    return this.#paths.set;
  }

  /** The series that strategies logged, run after run. */
  get series(): readonly SeriesPath[] {
    return this.#series;
  }

  /**
   * The objects of `run --json` as one: sums, and the end state of the last run. `uptime`: share of the time
   * that the runs cover.
   */
  get run() {
    const objects = this.#runs.map(({ object }) => object);
    const sum = (valueOf: (object: RunObject) => number): number =>
      objects.reduce((all, object) => all + valueOf(object), 0);
    const durationMs = sum((run) => run.durationMs);
    const last = objects.at(-1);
    const [from, to] = [Math.min(...this.#runs.map((run) => run.from)), Math.max(...this.#runs.map((run) => run.to))];
    const http: Record<string, number> = {};
    for (const object of objects)
      for (const [status, count] of Object.entries(object.http)) http[status] = (http[status] ?? 0) + count;
    return {
      frames: sum((run) => run.frames),
      intents: sum((run) => run.intents),
      placed: sum((run) => run.placed),
      edited: sum((run) => run.edited),
      cancelled: sum((run) => run.cancelled),
      undetermined: sum((run) => run.undetermined),
      requests: {
        place: sum((run) => run.requests.place),
        edit: sum((run) => run.requests.edit),
        cancel: sum((run) => run.requests.cancel),
        other: sum((run) => run.requests.other),
      },
      fills: sum((run) => run.fills),
      riskFilled: sum((run) => run.riskFilled),
      refused: sum((run) => run.refused),
      unknown: { ever: sum((run) => run.unknown.ever), atExit: sum((run) => run.unknown.atExit) },
      http,
      openAtExit: last?.openAtExit ?? null,
      pnl: {
        marked: Math.round(100 * sum((run) => run.pnl.marked)) / 100,
        worst: Math.min(0, ...objects.map((run) => run.pnl.worst)),
      },
      quotedShare: durationMs === 0 ? null : sum((run) => run.quotedShare * run.durationMs) / durationMs,
      durationMs,
      uptime: objects.length === 0 || to <= from ? null : Math.min(1, durationMs / (to - from)),
      runs: objects.length,
    };
  }
}

export type RunFollower = {
  readonly step: (moment: Moment, events: readonly RunEvent[]) => void;
  /** Called after the last step of its journal. */
  readonly end: () => void;
};
