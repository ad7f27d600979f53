// The plan of a sweep, from its command line. Everything is checked before the first point is played.
import type { Scenario } from '../report/index.ts';
import { dirname, resolve } from 'node:path';
import {
  tooSlow,
  GameResults,
  readResults,
  latencyOf,
  resultNotes,
  findTapes,
  firstFrameOf,
  openTapes,
  readJobs,
  BacktestProgress,
  fillModelOf,
  latencyTextOf,
  unknownStrategyIn,
} from '../backtest/index.ts';
import type { GivenTimes, Results, StrategyLatencyFlag } from '../backtest/index.ts';
import type { Tape, GameStart } from '../tape/index.ts';
import { sha256Of, gamesIn } from '../tape/index.ts';
import type { LoadedConfig } from '../config/index.ts';
import { loadOffline } from '../config/index.ts';
import type { GameId, SportsSettings, TapeStart } from '../domain/index.ts';
import { isoTime, OddsmakerError, parseTimeOfDay, Sports, tapeStartMs } from '../domain/index.ts';
import { beginGeneration } from '../strategy/host/index.ts';
import { checkParts, judgedGamesOf } from './separate-runs.ts';
import { DEFAULT_BATCH, LEAST_STOP_GAMES } from './batches.ts';
import { bundledTape } from './bundled-tape.ts';
import type { Constraint } from './constraints.ts';
import type { GameDay } from './days.ts';
import { daysOf, holdOut, walkForward } from './days.ts';
import type { Dimension } from './dimensions.ts';
import { gridOf, gridSize, MOST_POINTS, sampleOf } from './dimensions.ts';
import { LEAST_GAMES } from './halving.ts';
import type { Judging } from './judge.ts';
import type { Objective } from './objective.ts';
import { DEFAULT_OBJECTIVE, objectiveOf, objectiveText } from './objective.ts';
import type { GoalFlags } from './plan-goals.ts';
import { checkedGoals, checkScores, goalSettings } from './plan-goals.ts';
import type { Point } from './point.ts';
import type { Search } from './searched.ts';
import { MOST_DIMENSIONS } from './sobol.ts';
import type { Goals } from './standing.ts';
import { LEAST_STARTUP } from './tpe.ts';
import { loadCoreSettings, refuseImpure, sweepVersion } from '../setup/index.ts';
import type { SweepBundle } from './bundle.ts';
import { bundleText, checkStrategies, sha256OfText, withoutAccount } from './bundle.ts';
import type { Param } from './params.ts';
import { sweptOf } from './params.ts';

export type PlanFlags = GoalFlags & {
  readonly tape: readonly string[];
  readonly param?: readonly Param[];
  readonly search: Search['kind'];
  readonly points?: number;
  readonly batch?: number;
  readonly stopEarly?: true;
  readonly gap: number;
  readonly seed: number;
  readonly from?: TapeStart;
  readonly to?: TapeStart;
  readonly fills: Scenario;
  readonly latency?: string;
  readonly signalLatency?: string;
  readonly strategyLatency?: StrategyLatencyFlag;
  readonly results?: string;
  readonly calibratedShare?: number;
  readonly fillModel?: string;
  readonly depth?: number;
  readonly lenient?: true;
};

export type Plan = {
  readonly loaded: LoadedConfig;
  readonly bundle: SweepBundle;
  /** The bundle as text, and its hash: with the settings of a point they determine its result. */
  readonly text: string;
  readonly inputs: string;
  readonly tapes: readonly Tape[];
  readonly dimensions: readonly Dimension[];
  readonly search: Search;
  /** The first objective, by which the statistics judge; then further ones, and the constraints. */
  readonly objective: Objective;
  readonly others: readonly Objective[];
  readonly constraints: readonly Constraint[];
  readonly days: readonly GameDay[];
  readonly split: Judging['split'];
  /** Notes about results that settle nothing, one line each. */
  readonly resultNotes: readonly string[];
  /** Settings in `sweep.json`; they must be the same when the sweep is resumed. */
  readonly settings: Readonly<Record<string, unknown>>;
};

/** Number of points when --points is not given. */
const DEFAULT_POINTS = 64;

/**
 * Makes the plan. @throws OddsmakerError SWEEP_INVALID, CONFIG_INVALID, STRATEGY_*, TAPE_INVALID,
 * RESULTS_INVALID
 */
export async function planOf(file: string, flags: PlanFlags): Promise<Plan> {
  const loaded = loadOffline(file, process.env);
  const { settings: core, strategies } = await loadCoreSettings(loaded, beginGeneration());
  refuseImpure(strategies, loaded.config.strategies);
  checkStrategies(strategies);
  const { dimensions, paths } = sweptOf(flags.param ?? [], loaded.config, file, core.strategies);
  const points = pointsOf(dimensions, flags);
  const goals = checkedGoals(flags);
  const [objective = objectiveOf(DEFAULT_OBJECTIVE), ...others] = goals.objectives;
  checkSteps(flags, goals);
  const results = flags.results === undefined ? undefined : readResults(flags.results);
  const calibrated = calibratedOf(flags);
  const latencies = await latenciesOf(flags, loaded);
  const tapes = await findTapes(flags.tape);
  const lenient = flags.lenient === true;
  const { first, from, to } = await windowOf(tapes, flags, lenient);
  const startsAtMs = parseTimeOfDay(loaded.config.risk.dayStartsAt) ?? 0;
  const bundle: SweepBundle = {
    version: sweepVersion(),
    config: withoutAccount(loaded),
    configFile: file.replace(/^.*[/\\]/, ''),
    strategies,
    paths,
    scenario: flags.fills,
    seed: flags.seed,
    lenient,
    calibrated,
    ...latencies.played,
    from: from > first ? from : null,
    to: to ?? null,
    results: results === undefined ? null : [...results],
    depth: flags.depth ?? null,
    objective: objectiveText(objective),
    tapes: tapes.map(bundledTape),
    jobs: (await readJobs(tapes, { lenient, cache: 'make', threads: 1, startsAtMs, isIndependent: false })) ?? null,
  };
  const text = bundleText(bundle);
  const inputs = sha256OfText(text);
  const games = await readGames(tapes, lenient);
  const days = daysOf(games, startsAtMs);
  const split = splitOf(days, flags);
  checkGoals({ goals, split, days, results, games: games.map(({ id }) => id), file: flags.results });
  const choosing =
    split.kind === 'holdout' ? split.fold.train.flatMap((day) => days[day]?.games ?? []) : games.map(({ id }) => id);
  refuseFewGames(flags, choosing.length);
  const judgedGames = judgedGamesOf(goals, split, days);
  return {
    loaded,
    bundle,
    text,
    inputs,
    tapes,
    dimensions,
    objective,
    days,
    split,
    resultNotes: results === undefined ? [] : notesOn(results, games, core.sports, flags.results ?? ''),
    others,
    constraints: goals.constraints,
    search: {
      ...{ kind: flags.search, points, inputs, objective, others, constraints: goals.constraints, seed: flags.seed },
      ...{ games: choosing, judgedGames, playedGames: judgedGames?.length ?? games.length },
      ...stepsOf(flags, dimensions),
    },
    settings: {
      ...settingsOf(bundle, flags, loaded.config),
      ...goalSettings(goals),
      results: flags.results === undefined ? null : { sha256: await sha256Of(flags.results) },
      ...latencies.texts,
      params: dimensions,
      ...stepSettings(flags, points.length),
    },
  };
}

/** @throws OddsmakerError SWEEP_INVALID, FILL_MODEL_INVALID */
function calibratedOf({ fillModel, calibratedShare }: PlanFlags): SweepBundle['calibrated'] {
  if (fillModel !== undefined && calibratedShare !== undefined)
    throw refused('--calibrated-share uses no model: give it or --fill-model');
  const { model } = fillModelOf(fillModel);
  return calibratedShare === undefined ? { model } : { share: calibratedShare };
}

type Checked = Pick<Plan, 'split' | 'days'> & {
  readonly goals: Goals;
  readonly results: Results | undefined;
  readonly games: readonly GameId[];
  readonly file: string | undefined;
};

/** Checks that the figures can be known. @throws OddsmakerError SWEEP_INVALID */
function checkGoals({ goals, split, days, results, games, file }: Checked): void {
  for (const wanted of goals.objectives) checkParts(wanted, split, days);
  for (const { name } of goals.constraints) checkParts({ name }, split, days, '--such-that');
  checkScores(games, results, goals, file);
}

/** How a search goes step by step. */
const stepsOf = (flags: PlanFlags, dimensions: readonly Dimension[]) => ({
  batch: flags.batch ?? DEFAULT_BATCH,
  stopsEarly: flags.stopEarly === true,
  ...(flags.search === 'tpe' ? { tpe: { dimensions, count: flags.points ?? DEFAULT_POINTS } } : {}),
});

const stepSettings = (flags: PlanFlags, points: number) => ({
  param: (flags.param ?? []).map(({ text }) => text),
  points: flags.search === 'tpe' ? (flags.points ?? DEFAULT_POINTS) : points,
  batch: flags.search === 'tpe' || flags.stopEarly === true ? (flags.batch ?? DEFAULT_BATCH) : null,
  stopEarly: flags.stopEarly === true,
});

/** The latencies of all points, as they are played and as `sweep.json` names them. @throws OddsmakerError SWEEP_INVALID */
async function latenciesOf(flags: PlanFlags, loaded: LoadedConfig) {
  const latency = await latencyOf(flags.latency);
  const signalLatency = flags.signalLatency === undefined ? latency : await latencyOf(flags.signalLatency);
  const slow = tooSlow(latency, loaded.config.exchange.requestTimeout);
  if (slow !== undefined) throw refused(slow);
  const strategyLatency = strategyLatencyOf(flags, loaded);
  return {
    played: {
      latency: latency.model,
      signalLatency: signalLatency.model,
      ...(strategyLatency === undefined ? {} : { strategyLatency }),
    },
    texts: {
      latency: latency.text,
      signalLatency: signalLatency.text,
      ...(strategyLatency === undefined ? {} : { strategyLatency: latencyTextOf(strategyLatency) }),
    },
  };
}

/** The time of strategies that all points have. @throws OddsmakerError SWEEP_INVALID */
function strategyLatencyOf({ strategyLatency: flag }: PlanFlags, { config }: LoadedConfig): GivenTimes | undefined {
  if (flag === undefined) return undefined;
  if (flag.kind !== 'given')
    throw refused(
      `--strategy-latency ${flag.kind === 'file' ? flag.file : 'measured'}: the points of a sweep must give the same results in each thread and on each machine, and measured times differ; give a time such as 2ms`,
    );
  const unknown = unknownStrategyIn(
    flag,
    config.strategies.map(({ id }) => id),
  );
  if (unknown !== undefined) throw refused(unknown);
  return flag;
}

/** When trading starts and ends, and when the tapes begin, Unix ms. @throws OddsmakerError SWEEP_INVALID */
async function windowOf(
  tapes: Parameters<typeof firstFrameOf>[0],
  flags: PlanFlags,
  lenient: boolean,
): Promise<{ readonly first: number; readonly from: number; readonly to: number | undefined }> {
  const first = await firstFrameOf(tapes, lenient);
  const from = tapeStartMs(flags.from, first);
  const to = flags.to === undefined ? undefined : tapeStartMs(flags.to, first);
  if (to !== undefined && to <= Math.max(from, first))
    throw refused(`--to (${isoTime(to)}) is not after the start (${isoTime(from)})`);
  return { first, from, to };
}

/** Checks flags of searches that go step by step. @throws OddsmakerError SWEEP_INVALID */
function checkSteps({ search, batch, stopEarly, walkForward: forward }: PlanFlags, { objectives }: Goals): void {
  for (const [isAsked, flag] of [
    [search === 'tpe', '--search tpe'],
    [stopEarly === true, '--stop-early'],
  ] as const)
    if (isAsked && forward !== undefined)
      throw refused(`${flag} with --walk-forward would choose points by the days that judge them: use --holdout`);
  if (batch !== undefined && search !== 'tpe' && stopEarly !== true)
    throw refused('--batch is for --search tpe and --stop-early: other searches play all points at once');
  if (stopEarly !== true) return;
  if (search === 'halving') throw refused('--stop-early: halving already stops points early: leave it out');
  if (objectives.length > 1) throw refused('--stop-early compares points by one objective: give one --objective');
  const [objective] = objectives;
  if (objective !== undefined && objective.parts === undefined)
    throw refused(
      `--stop-early compares points game by game, and ${objective.name} is no sum over games: take a figure such as ${DEFAULT_OBJECTIVE}, or leave out --stop-early`,
    );
}

function refuseFewGames({ search, stopEarly }: PlanFlags, games: number): void {
  if (stopEarly === true && games < LEAST_STOP_GAMES)
    throw refused(
      `--stop-early compares points after a quarter of the games, at least eight, and only ${games === 1 ? 'one game' : `${games} games`} can choose: give tapes with ${LEAST_STOP_GAMES} games or more, or leave out --stop-early`,
    );
  if (search === 'halving' && games < LEAST_GAMES)
    throw refused(
      `--search halving plays a ninth of the games first, and only ${games === 1 ? 'one game' : `${games} games`} can choose: give tapes with ${LEAST_GAMES} games or more, or --search random`,
    );
}

/** Settings that must be the same when the sweep is resumed. */
const settingsOf = (bundle: SweepBundle, flags: PlanFlags, config: LoadedConfig['config']) => ({
  version: bundle.version,
  config: { file: bundle.configFile, sha256: sha256OfText(JSON.stringify(bundle.config)) },
  strategies: bundle.strategies.map(({ file: use, sha256, imports = [] }, index) => ({
    file: use,
    sha256,
    impure: config.strategies[index]?.impure === true,
    imports: imports.map((imported) => ({ file: imported.file, sha256: imported.sha256 })),
  })),
  tapes: bundle.tapes.map(({ name, sha256 }) => ({ file: name, sha256 })),
  fills: flags.fills,
  calibrated: bundle.calibrated,
  from: isoOrNull(bundle.from),
  to: isoOrNull(bundle.to),
  depth: bundle.depth,
  lenient: bundle.lenient,
  search: flags.search,
  seed: flags.seed,
  holdout: flags.holdout ?? null,
  walkForward: flags.walkForward ?? null,
  gap: flags.gap,
  dayStartsAt: config.risk.dayStartsAt,
});

/** Notes about results of games that are not on the tapes, and results that a game cannot have. */
function notesOn(
  results: Results,
  games: readonly GameStart[],
  sports: SportsSettings,
  file: string,
): readonly string[] {
  const known = new Sports(sports);
  const played = new Map(
    games.map(({ id, header: { league = '', sport = '', parentGameId, futures } }) => {
      const game = { id, league, sport, parentGameId, futures };
      return [id, { game, sport: known.sportOf(game) }];
    }),
  );
  const checked = new GameResults(results, (id) => played.get(id));
  const gamesNotOnTapes = [...results.keys()].filter((id) => !played.has(id));
  return resultNotes(file, { gamesNotOnTapes, resultProblems: checked.problems() });
}

const refused = (message: string): OddsmakerError => new OddsmakerError('SWEEP_INVALID', message);
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

function pointsOf(dimensions: readonly Dimension[], { search, points, seed }: PlanFlags): readonly Point[] {
  const tooMany = (count: number, subject: string): OddsmakerError =>
    refused(
      `${subject} ${count.toLocaleString('en')} points; at most ${MOST_POINTS.toLocaleString('en')}: give fewer values or larger steps, or --search random --points N`,
    );
  if (search === 'grid') {
    if (points !== undefined)
      throw refused('--points is for --search random, halving and tpe: a grid plays every combination of its values');
    const count = gridSize(dimensions);
    if (count > MOST_POINTS) throw tooMany(count, 'these are');
    return gridOf(dimensions);
  }
  if (dimensions.length > MOST_DIMENSIONS)
    throw refused(
      `--search ${search} varies at most ${MOST_DIMENSIONS} parameters, and ${dimensions.length} are given`,
    );
  const wanted = points ?? DEFAULT_POINTS;
  if (wanted > MOST_POINTS) throw tooMany(wanted, '--points asks for');
  return sampleOf(dimensions, search === 'tpe' ? Math.min(wanted, LEAST_STARTUP) : wanted, seed);
}

function splitOf(days: readonly GameDay[], { holdout, walkForward: length, gap }: PlanFlags): Judging['split'] {
  if (holdout !== undefined) return { kind: 'holdout', fold: holdOut(days, holdout, gap) };
  if (length !== undefined) return { kind: 'walk-forward', folds: walkForward(days, length, gap) };
  return { kind: 'none' };
}

/** Reads all tapes once, which also writes their compact form for the points. */
async function readGames(tapes: readonly Tape[], lenient: boolean): ReturnType<typeof gamesIn> {
  const shown = new BacktestProgress(process.stderr, tapes, undefined).beginScenario('reading the tapes');
  try {
    const { market } = openTapes(tapes, { lenient, cache: 'make' }, (tape, share) => shown.read(tape, share));
    market.foresees = false;
    return await gamesIn(market.batches());
  } finally {
    shown.end();
  }
}

/** The folder from which packages that strategies import are resolved. */
export const homeOf = (file: string): string => dirname(resolve(file));
