// The plan of a sweep, from its command line. Everything is checked before the first point is played.
import type { Scenario } from '../report/index.ts';
import { dirname, resolve } from 'node:path';
import {
  tooSlow,
  GameResults,
  readResults,
  latencyOf,
  resultNotes,
  firstOf,
  findTapes,
  firstFrameOf,
  openTapes,
  readJobs,
  BacktestProgress,
  fillModelOf,
} from '../backtest/index.ts';
import type { Results } from '../backtest/index.ts';
import type { Tape, GameStart } from '../tape/index.ts';
import { sha256Of, gamesIn } from '../tape/index.ts';
import type { LoadedConfig } from '../config/index.ts';
import { loadOffline } from '../config/index.ts';
import type { GameId, SportsSettings, TapeStart } from '../domain/index.ts';
import { didYouMean, isoTime, OddsmakerError, parseTimeOfDay, Sports, tapeStartMs } from '../domain/index.ts';
import { beginGeneration } from '../strategy/host/index.ts';
import { checkParts, judgedGamesOf } from './separate-runs.ts';
import { bundledTape } from './bundled-tape.ts';
import type { GameDay } from './days.ts';
import { daysOf, holdOut, walkForward } from './days.ts';
import type { Dimension } from './dimensions.ts';
import { gridOf, gridSize, MOST_POINTS, sampleOf } from './dimensions.ts';
import { LEAST_GAMES } from './halving.ts';
import type { Judging } from './judge.ts';
import type { Objective } from './objective.ts';
import { objectiveOf, objectiveText } from './objective.ts';
import type { Point } from './point.ts';
import type { Search } from './search.ts';
import { MOST_DIMENSIONS } from './sobol.ts';
import { loadCoreSettings, refuseImpure, sweepVersion } from '../setup/index.ts';
import { FIGURES } from './point-figures.ts';
import type { SweepBundle } from './bundle.ts';
import { bundleText, checkStrategies, sha256OfText, withoutAccount } from './bundle.ts';
import type { Param } from './params.ts';
import { sweptOf } from './params.ts';

export type PlanFlags = {
  readonly tape: readonly string[];
  readonly param?: readonly Param[];
  readonly search: Search['kind'];
  readonly points?: number;
  readonly objective: string;
  readonly holdout?: number;
  readonly walkForward?: number;
  readonly gap: number;
  readonly seed: number;
  readonly from?: TapeStart;
  readonly to?: TapeStart;
  readonly fills: Scenario;
  readonly latency?: string;
  readonly signalLatency?: string;
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
  readonly objective: Objective;
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
  const objective = checkedObjective(flags);
  const results = flags.results === undefined ? undefined : readResults(flags.results);
  if (flags.fillModel !== undefined && flags.calibratedShare !== undefined)
    throw refused('--calibrated-share uses no model: give it or --fill-model');
  const fillModel = fillModelOf(flags.fillModel);
  const calibrated =
    flags.calibratedShare === undefined ? { model: fillModel.model } : { share: flags.calibratedShare };
  const latency = await latencyOf(flags.latency);
  const signalLatency = flags.signalLatency === undefined ? latency : await latencyOf(flags.signalLatency);
  const slow = tooSlow(latency, loaded.config.exchange.requestTimeout);
  if (slow !== undefined) throw refused(slow);
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
    latency: latency.model,
    signalLatency: signalLatency.model,
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
  checkParts(objective, split, days);
  checkScores(
    games.map(({ id }) => id),
    results,
    objective,
    flags.results,
  );
  const choosing =
    split.kind === 'holdout' ? split.fold.train.flatMap((day) => days[day]?.games ?? []) : games.map(({ id }) => id);
  refuseFewGames(flags, choosing.length);
  const judgedGames = judgedGamesOf(objective, split, days);
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
    search: { kind: flags.search, points, inputs, games: choosing, objective, seed: flags.seed, judgedGames },
    settings: {
      ...settingsOf(bundle, flags, loaded.config),
      results: flags.results === undefined ? null : { sha256: await sha256Of(flags.results) },
      latency: latency.text,
      signalLatency: signalLatency.text,
      params: dimensions,
      points: points.length,
    },
  };
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

function refuseFewGames({ search }: PlanFlags, games: number): void {
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
  objective: bundle.objective,
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
      throw refused('--points is for --search random and halving: a grid plays every combination of its values');
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
  return sampleOf(dimensions, wanted, seed);
}

function checkedObjective({ objective, holdout, walkForward: forward }: PlanFlags): Objective {
  const parsed = objectiveOf(objective);
  const { name } = parsed;
  if (!FIGURES.includes(name))
    throw refused(
      `--objective ${objective}: there is no such figure${didYouMean(name, FIGURES)}; expected one of ${LISTED_FIGURES.join(', ')}, or for one phase phases.prematch.<figure> or phases.inplay.<figure>`,
    );
  if (parsed.isLess && parsed.parts !== undefined)
    throw refused(`--objective ${objective}: more of ${name} is better: leave out :least`);
  if (holdout !== undefined && forward !== undefined)
    throw refused('--holdout and --walk-forward exclude each other: give one of them');
  return parsed;
}

/** Figures over both phases, as the error message lists them. */
const LISTED_FIGURES = FIGURES.filter((name) => !/^(?:phases|known)\./.test(name));

/** Figures that need the final score of a game. */
const NEEDS_SCORES =
  /^(?:phases\.\w+\.)?(?:(?:outside\.\w+\.)?identity\.(?!captured|open)|permits\.pnlPerPlace$|pnl\.settled$|scores\.|interval\.pnl|sharpe$)/;

/**
 * Checks the scores. @throws OddsmakerError SWEEP_INVALID when the objective needs scores and no game has one
 */
function checkScores(
  games: readonly GameId[],
  results: Results | undefined,
  { name }: Objective,
  file: string | undefined,
): void {
  const without = games.filter((id) => results?.has(id) !== true);
  const given = file === undefined ? 'give --results' : `${file} has none of the games on the tapes`;
  if (without.length === games.length && NEEDS_SCORES.test(name))
    throw refused(`--objective ${name} needs games with a final score: ${given}`);
  if (file === undefined || without.length === 0) return;
  process.stderr.write(
    `oddsmaker: ${file}: no score for ${without.length} of the ${games.length} games on the tapes: ${firstOf(without)}; pnl values them at their last price, and figures that need a score leave them out\n`,
  );
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
