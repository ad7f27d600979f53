// The figures of one or several runs out of their journals, each replayed: what its fills were worth, and what the runs came to
// (`run --json`), summed up.
import type { Config } from '../config/index.ts';
import type { AgeFigures } from '../domain/index.ts';
import { AgeCounts } from '../domain/index.ts';
import type { EventStep, JournalStep } from '../journal/index.ts';
import type { Core, CoreStatus } from '../engine/index.ts';
import type { QuotePath, RunFacts } from './run-facts.ts';
import type { ReportFill } from './report-fill.ts';
import type { ReportOrder } from './report-order.ts';
import type { ScenarioFigures } from './scenario.ts';
import { FillTracker } from './fill-tracker.ts';
import { mergedFacts } from './run-facts.ts';
import { Refusals } from './refusals.ts';
import { scenarioFigures } from './scenario.ts';
import { runOf } from '../account/index.ts';
import { orderOfFill } from './own-fill.ts';
import { RequestTally } from './request-tally.ts';
import type { RunFill } from './journal-facts.ts';
import { FactsOfRun } from './journal-facts.ts';
import { jsonOf } from './run-json.ts';

type RunObject = ReturnType<typeof jsonOf>;
type Run = { readonly from: number; readonly to: number; readonly object: RunObject };

/** Of the bootstrap: figures of the same journals are the same. */
const SEED = 1;

export class RunFigures {
  /** Of an exchange that lives on: fills of a run that went before are known already when the next one lists them. */
  readonly #shared = new FillTracker<RunFill>();
  /** Of each exchange that a run had for itself; and the shared ones. */
  readonly #all: FillTracker<RunFill>[] = [this.#shared];
  readonly #facts: RunFacts[] = [];
  readonly #orders: ReportOrder[] = [];
  #busiest: QuotePath | undefined;
  #last: CoreStatus | undefined;
  #signals: AgeFigures | null = null;
  readonly #alerts = new Map<string, number>();
  readonly #refusals = new Refusals();
  readonly #runs: Run[] = [];
  readonly #names = new Set<string>();

  begin({ exchange, orders, commission }: Pick<Config, 'exchange' | 'orders' | 'commission'>): RunFollower {
    const { instance } = orders;
    const fills = exchange.embedded === undefined ? this.#shared : new FillTracker<RunFill>();
    if (fills !== this.#shared) this.#all.push(fills);
    fills.commission = commission;
    const requests = new RequestTally();
    const facts = new FactsOfRun(instance, fills);
    let first: JournalStep['input'] | undefined;
    let last: JournalStep['input'] | undefined;
    let core: Core | undefined;
    return {
      step: ({ input, commands, events }, told) => {
        core = told;
        if (input.in.type === 'boot') this.#names.add(input.in.run);
        first ??= input;
        last = input;
        requests.step(input.in, commands);
        fills.advance(input.t, told);
        for (const news of told.news) {
          if (news.type === 'settled') fills.settle(news.txId, news.profit);
          else if (news.type === 'unsettled') fills.settle(news.txId, undefined);
          else if (news.type === 'moved') facts.move(news, told);
          else if (this.#isOfWindow(news.fill, instance)) facts.apply(news.fill, input.t, told);
        }
        facts.step(input, commands, told);
        this.#refusals.apply(events);
        for (const command of commands) {
          if (command.type !== 'alert') continue;
          if (command.level !== 'info') this.#alerts.set(command.code, (this.#alerts.get(command.code) ?? 0) + 1);
        }
      },
      end: () => {
        if (first === undefined || last === undefined || core === undefined) return;
        const status = core.status();
        this.#last = status;
        this.#signals = AgeCounts.sum(core.signalAges().values()).figures ?? null;
        const object = jsonOf({
          status,
          requests: requests.sent,
          http: requests.answers,
          durationMs: Math.round(last.mono - first.mono),
          faults: [],
        });
        this.#runs.push({ from: first.t, to: last.t, object });
        this.#facts.push(facts.end(last.t, core, []));
        this.#orders.push(...facts.ended);
        this.#busiest = facts.busiest([...fills.fills]) ?? this.#busiest;
      },
    };
  }

  /** What former runs filled, and the exchange lists still, is no merit of these. */
  #isOfWindow(fill: Parameters<typeof orderOfFill>[0], instance: string): boolean {
    const { ref, isOwn } = orderOfFill(fill, instance);
    return isOwn && ref !== undefined && this.#names.has(runOf(ref));
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
    const fills = this.#all.flatMap((of): readonly ReportFill[] => [...of.fills]);
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

  /** How the last run stood at its end. */
  get last(): CoreStatus | undefined {
    return this.#last;
  }

  /** How old signals were when strategies of the last run read them; null: none was read. */
  get signals(): AgeFigures | null {
    return this.#signals;
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
  /** Behind the core. */
  readonly step: (step: EventStep, core: Core) => void;
  /** Its journal was read to its end. */
  readonly end: () => void;
};
