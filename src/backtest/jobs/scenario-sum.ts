// Sums the results of a scenario over jobs, one job after the other. Memory does not grow with the number of
// fills: these go to files as they come.
import { eachPhase } from '../../domain/index.ts';
import type { CurvePoint, QuotePath, RequestCount, RiskPeak, RunFacts, SeriesPath } from '../../run/index.ts';
import {
  cents,
  countMs,
  MarketPaths,
  mergedPhase,
  mergedRisks,
  mostHeldOf,
  NO_FACTS,
  sharesHeld,
  thinned,
  waitQuantiles,
} from '../../run/index.ts';
import type { RunProfile } from '../profile/run-profile.ts';
import { addedProfiles } from '../profile/run-profile.ts';
import type { MonthFigures, ScenarioResult } from '../result.ts';
import { shareOf } from '../result.ts';
import type { ScenarioDone } from '../scenario-run.ts';
import type { MergeFacts, RunError, ScenarioRun } from '../scenario-types.ts';
import type { StoredResult } from './job-files.ts';
import type { Job } from './jobs.ts';
import { addedMonth, addedRecords, addedResult, NO_RESULT, noMonth } from './added-result.ts';

/** The most points of the curve, and intervals of requests, over all jobs. */
const MOST_POINTS = 2000;
const MOST_INTERVALS = 400;
const MOST_ERRORS = 5;
const MINUTE_MS = 60_000;

type Tally = { shares: MergeFacts['shares']; readonly waits: Map<number, number> };

/** The result of one job as it is added. Fills and rows of markets in it are not read. */
export type SummedRun = Pick<StoredResult, 'done' | 'ms' | 'busiestFills' | 'clv' | 'brought'>;

export class ScenarioSum {
  readonly #jobs: number;
  readonly #tapes: number;
  readonly #stepMs: number;
  #result: ScenarioResult = NO_RESULT;
  #merge: Tally = { shares: { wantedMs: 0, restedMs: 0, wantingMs: 0, limitedMs: 0, held: {} }, waits: new Map() };
  #phases: RunFacts['phases'] = NO_FACTS.phases;
  readonly #risks: RiskPeak[] = [];
  readonly #mostHeld: RunFacts['mostHeld'][] = [];
  readonly #curve: CurvePoint[] = [];
  readonly #requests = new Map<number, { t: number; place: number; cancel: number }>();
  readonly #months = new Map<string, MonthFigures>();
  #busiest: { readonly path: QuotePath; readonly fills: number } | undefined;
  readonly #paths = new MarketPaths();
  #series: readonly SeriesPath[] = [];
  #peak = 0;
  #drawdown = 0;
  #marked = 0;
  #brought = 0;
  #clv: number | null = null;
  #ms = 0;
  #frames = 0;
  #inPlay = 0;
  readonly #errors: RunError[] = [];
  #traded: ScenarioRun['traded'];
  readonly #profiles: RunProfile[] = [];
  readonly #games: ScenarioRun['seen']['games'][number][] = [];
  readonly #problems = new Set<string>();
  #unsubscribed: readonly string[] | undefined;
  readonly #tapeFrames: number[];
  readonly #counts: { skipped: number; torn: boolean; problems: string[] }[];
  readonly #longest: { rows: number; ladders: number }[];

  /** `jobs`: all that will be added, in the order of time. `tapes`: the number of all tapes. */
  constructor(jobs: readonly Job[], tapes: number) {
    this.#jobs = jobs.length;
    this.#tapes = tapes;
    const spanMs = (jobs.at(-1)?.toMs ?? 0) - (jobs[0]?.fromMs ?? 0);
    this.#stepMs = MINUTE_MS * Math.max(1, Math.ceil(spanMs / MINUTE_MS / MOST_INTERVALS));
    this.#tapeFrames = Array.from({ length: tapes }, () => 0);
    this.#counts = Array.from({ length: tapes }, () => ({ skipped: 0, torn: false, problems: [] }));
    this.#longest = Array.from({ length: tapes }, () => ({ rows: 0, ladders: 0 }));
  }

  /** What all jobs so far brought to the account, dollars. */
  get brought(): number {
    return this.#brought / 1e6;
  }

  add(job: Job, { done, ms, busiestFills, clv, brought }: SummedRun): void {
    const { run } = done;
    this.#ms += ms;
    if (done.profile !== undefined) this.#profiles.push(done.profile);
    this.#brought += brought;
    this.#addTapes(job, done);
    const known = new Set(this.#games.map(({ name, start }) => `${start} ${name}`));
    this.#games.push(...run.seen.games.filter(({ name, start }) => !known.has(`${start} ${name}`)));
    for (const problem of run.resultProblems) this.#problems.add(problem);
    const { unsubscribedSignals } = run;
    this.#unsubscribed =
      this.#unsubscribed?.filter((name) => unsubscribedSignals.includes(name)) ?? unsubscribedSignals;
    if (run.traded === undefined) return;
    this.#frames += run.frames;
    this.#inPlay += run.inPlay;
    this.#addExtremes(run);
    this.#addFacts(run);
    if (run.busiest !== undefined && busiestFills > (this.#busiest?.fills ?? 0)) {
      this.#busiest = { path: run.busiest, fills: busiestFills };
      this.#series = run.series;
    }
    if (this.#series.length === 0) this.#series = run.series;
    this.#paths.addAll(run.paths);
    this.#result = addedResult(this.#result, run.result);
    if (clv !== null) this.#clv = (this.#clv ?? 0) + clv;
    this.#errors.push(...run.errors.slice(0, MOST_ERRORS - this.#errors.length));
    this.#traded = {
      fromMs: Math.min(this.#traded?.fromMs ?? Number.POSITIVE_INFINITY, run.traded.fromMs),
      toMs: Math.max(this.#traded?.toMs ?? 0, run.traded.toMs),
    };
    const month = new Date(job.fromMs).toISOString().slice(0, 7);
    this.#months.set(month, addedMonth(this.#months.get(month) ?? noMonth(month), job.games.length, run.result));
  }

  /** Everything but fills and rows of markets. `gamesNotOnTapes`: results without a game. */
  end(gamesNotOnTapes: ScenarioRun['gamesNotOnTapes']): {
    readonly done: ScenarioDone;
    readonly ms: number;
    readonly clv: number | null;
  } {
    const { shares, waits } = this.#merge;
    const { heldBack, atLimits } = sharesHeld(shares);
    const result = this.#result;
    const facts: RunFacts = {
      fills: [],
      phases: this.#phases,
      curve: this.#curve,
      requests: [...this.#requests.values()],
      ...mostHeldOf(this.#mostHeld),
      maxDrawdown: this.#drawdown,
      worst: result.pnl.worst,
      heldBack,
      atLimits,
      risks: mergedRisks(this.#risks),
    };
    const run: ScenarioRun = {
      result: {
        ...result,
        pnl: { ...result.pnl, maxDrawdown: cents(this.#drawdown) },
        permits: { ...result.permits, waitedMs: waitQuantiles(waits) },
        quotedShare: shareOf(shares.wantedMs === 0 ? 0 : shares.restedMs / shares.wantedMs),
        heldBack: Object.fromEntries(Object.entries(heldBack).map(([control, share]) => [control, shareOf(share)])),
        months: [...this.#months.values()],
      },
      facts,
      busiest: this.#busiest?.path,
      paths: this.#paths.set,
      series: this.#series,
      quotes: undefined,
      orders: undefined,
      fills: [],
      markets: [],
      frames: this.#frames,
      inPlay: this.#inPlay,
      equity: this.#curve,
      merge: { shares, waits, highest: 0, lowest: 0, spareCredit: Number.POSITIVE_INFINITY },
      errors: this.#errors,
      traded: this.#traded,
      seen: { games: this.#games, fromMs: this.#traded?.fromMs ?? 0, toMs: this.#traded?.toMs ?? 0 },
      gamesNotOnTapes,
      resultProblems: [...this.#problems],
      unsubscribedSignals: [...(this.#unsubscribed ?? [])],
    };
    return {
      done: {
        run,
        frames: this.#tapeFrames,
        counts: this.#counts,
        longest: this.#longest,
        profile: this.#profiles.length === 0 ? undefined : addedProfiles(this.#profiles),
      },
      ms: this.#ms,
      clv: this.#clv,
    };
  }

  #addTapes({ tapes }: Job, { frames, counts, longest }: ScenarioDone): void {
    for (const [index, tape] of tapes.entries()) {
      if (tape >= this.#tapes) continue;
      this.#tapeFrames[tape] = (this.#tapeFrames[tape] ?? 0) + (frames[index] ?? 0);
      const count = counts[index];
      const seen = this.#counts[tape];
      // several jobs may read one tape: its lines are the same each time
      if (count !== undefined && seen !== undefined && count.skipped >= seen.skipped)
        this.#counts[tape] = { skipped: count.skipped, torn: count.torn || seen.torn, problems: [...count.problems] };
      const peak = longest[index];
      const before = this.#longest[tape];
      if (peak === undefined || before === undefined) continue;
      if (peak.rows > before.rows) this.#longest[tape] = { ...peak };
      else if (peak.rows === before.rows) before.ladders += peak.ladders;
    }
  }

  /** Adds to the drawdown and to the curve: the result of a job begins with that of the jobs before. */
  #addExtremes({ merge: { highest, lowest }, result, facts }: ScenarioRun): void {
    const before = this.#marked;
    this.#drawdown = Math.max(this.#drawdown, result.pnl.maxDrawdown, this.#peak - (before + lowest / 1e6));
    this.#peak = Math.max(this.#peak, before + highest / 1e6);
    this.#marked = before + result.pnl.marked;
    const most = Math.max(2, Math.floor(MOST_POINTS / this.#jobs));
    for (const point of thinned(facts.curve, most))
      this.#curve.push({ ...point, marked: cents(point.marked + before) });
  }

  #addFacts({ facts, merge }: ScenarioRun): void {
    this.#phases = eachPhase((phase) => mergedPhase([this.#phases[phase], facts.phases[phase]]));
    this.#mostHeld.push(facts.mostHeld);
    this.#risks.push(...facts.risks);
    this.#merge.shares = addedShares(this.#merge.shares, merge.shares);
    for (const [ms, count] of merge.waits) countMs(this.#merge.waits, ms, count);
    for (const { t, place, cancel } of facts.requests) this.#addRequests({ t, place, cancel });
  }

  #addRequests({ t, place, cancel }: RequestCount): void {
    const begin = Math.floor(t / this.#stepMs) * this.#stepMs;
    const known = this.#requests.get(begin);
    if (known === undefined) this.#requests.set(begin, { t: begin, place, cancel });
    else {
      known.place += place;
      known.cancel += cancel;
    }
  }
}

const addedShares = (a: MergeFacts['shares'], b: MergeFacts['shares']): MergeFacts['shares'] => ({
  wantedMs: a.wantedMs + b.wantedMs,
  restedMs: a.restedMs + b.restedMs,
  wantingMs: a.wantingMs + b.wantingMs,
  limitedMs: a.limitedMs + b.limitedMs,
  held: addedRecords(a.held, b.held),
});
