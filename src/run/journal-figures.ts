// The figures of one or several runs, folded from the events of their journals: what their fills were worth, and what the runs came
// to (`run --json`), summed up.
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
import type { ScenarioFigures } from './scenario.ts';
import { scenarioFigures } from './scenario.ts';

type RunObject = ReturnType<typeof jsonOf>;
type Run = { readonly from: number; readonly to: number; readonly object: RunObject };
/** A step of a journal: when it was, Unix and monotonic ms. */
type Moment = { readonly t: number; readonly mono: number };

/** Of the bootstrap: figures of the same journals are the same. */
const SEED = 1;

export class RunFigures {
  /** Of an exchange that lives on: fills of a run that went before are known already when the next one lists them. */
  readonly #shared = new FillBook();
  /** Of each exchange that a run had for itself; and the shared ones. */
  readonly #all: FillBook[] = [this.#shared];
  readonly #facts: RunFacts[] = [];
  readonly #orders: ReportOrder[] = [];
  readonly #alerts = new Map<string, number>();
  readonly #refusals = new Refusals();
  readonly #runs: Run[] = [];
  readonly #names = new Set<string>();
  #busiest: QuotePath | undefined;
  #last: RunFold | undefined;

  /** The journal of another run begins: its steps follow, and then its end. */
  begin({ exchange, commission }: Pick<Config, 'exchange' | 'commission'>): RunFollower {
    const fills = exchange.embedded === undefined ? this.#shared : new FillBook();
    if (fills !== this.#shared) this.#all.push(fills);
    fills.commission = commission;
    const requests = new RequestTally();
    // what former runs filled, and the exchange lists still, is no merit of these
    const fold = new RunFold(fills, ({ isOwn, ref }) => isOwn && ref !== undefined && this.#names.has(runOf(ref)));
    let first: Moment | undefined;
    let last: Moment | undefined;
    return {
      step: (moment, events) => {
        first ??= moment;
        last = moment;
        if (events.length === 0) return;
        for (const event of events) this.#count(event);
        requests.apply(events);
        this.#refusals.apply(events);
        fold.apply(moment.t, events);
      },
      end: () => {
        if (first === undefined || last === undefined) return;
        this.#last = fold;
        this.#facts.push(fold.end(last.t, []));
        const object = jsonOf({
          status: fold.status,
          requests: requests.sent,
          http: requests.answers,
          durationMs: Math.round(last.mono - first.mono),
          faults: [],
        });
        this.#runs.push({ from: first.t, to: last.t, object });
        this.#orders.push(...fold.ended);
        this.#busiest = fold.busiest([...fills.fills]) ?? this.#busiest;
      },
    };
  }

  #count(event: RunEvent): void {
    if (event.type === 'RunStarted') this.#names.add(event.run);
    else if (event.type === 'Alert' && event.level !== 'info')
      this.#alerts.set(event.code, (this.#alerts.get(event.code) ?? 0) + 1);
  }

  /** Settled games in which there were own fills. */
  get games(): number {
    return this.#all.reduce((sum, { fills }) => {
      const games = new Set<string>();
      for (const { market, profit } of fills) if (profit !== undefined) games.add(market.gameId);
      return sum + games.size;
    }, 0);
  }

  /** What all of them did, for a report. */
  get facts(): RunFacts {
    const fills = this.#all.flatMap((of): readonly RunFill[] => [...of.fills]);
    return { ...mergedFacts(this.#facts), fills };
  }

  /** Their orders that rested, in the order in which they ended. */
  get orders(): readonly ReportOrder[] {
    return this.#orders;
  }

  /** As `report --json` has a scenario, money in dollars. */
  get scenario(): ScenarioFigures {
    return scenarioFigures(this.facts, SEED);
  }

  /** Intents of the last run without a quote, by their reason. */
  get idle(): Readonly<Record<string, number>> {
    return this.#last?.idle ?? {};
  }

  /** How old signals were when strategies of the last run read them; null: none was read. */
  get signals(): AgeFigures | null {
    return this.#last?.signals ?? null;
  }

  /** How many alerts of each code were raised. */
  get alerts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#alerts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Orders that the exchange refused, by its reason. */
  get refusals(): Readonly<Record<string, number>> {
    return this.#refusals.told;
  }

  /** The market that filled most, of the last run. */
  get busiest(): QuotePath | undefined {
    return this.#busiest;
  }

  /** The objects of `run --json` as one: sums, and what the last one ended with. `uptime`: the share of the time that runs cover. */
  get run() {
    const objects = this.#runs.map(({ object }) => object);
    const sum = (of: (one: RunObject) => number): number => objects.reduce((all, one) => all + of(one), 0);
    const durationMs = sum((one) => one.durationMs);
    const last = objects.at(-1);
    const [from, to] = [Math.min(...this.#runs.map((one) => one.from)), Math.max(...this.#runs.map((one) => one.to))];
    const http: Record<string, number> = {};
    for (const one of objects)
      for (const [status, count] of Object.entries(one.http)) http[status] = (http[status] ?? 0) + count;
    return {
      frames: sum((one) => one.frames),
      intents: sum((one) => one.intents),
      placed: sum((one) => one.placed),
      edited: sum((one) => one.edited),
      cancelled: sum((one) => one.cancelled),
      undetermined: sum((one) => one.undetermined),
      requests: {
        place: sum((one) => one.requests.place),
        edit: sum((one) => one.requests.edit),
        cancel: sum((one) => one.requests.cancel),
        other: sum((one) => one.requests.other),
      },
      fills: sum((one) => one.fills),
      riskFilled: sum((one) => one.riskFilled),
      refused: sum((one) => one.refused),
      unknown: { ever: sum((one) => one.unknown.ever), atExit: sum((one) => one.unknown.atExit) },
      http,
      openAtExit: last?.openAtExit ?? null,
      pnl: {
        marked: Math.round(100 * sum((one) => one.pnl.marked)) / 100,
        worst: Math.min(0, ...objects.map((one) => one.pnl.worst)),
      },
      quotedShare: durationMs === 0 ? null : sum((one) => one.quotedShare * one.durationMs) / durationMs,
      durationMs,
      uptime: objects.length === 0 || to <= from ? null : Math.min(1, durationMs / (to - from)),
      runs: objects.length,
    };
  }
}

export type RunFollower = {
  readonly step: (moment: Moment, events: readonly RunEvent[]) => void;
  /** Its journal was read to its end. */
  readonly end: () => void;
};
