// Fits how markets take offers, by league, type and phase: λ(δ) = A · exp(−kδ) fills per hour of one quote, δ in
// points, and a, the points that fair moves against a fill up to the close (in play: 300 s).
//
// A and k: Poisson regression of the fills in each bucket of distance from 0 to 5 points on the mean distance there,
// with the quoted hours as exposure. Counts that scatter more than Poisson counts, orders that fill in several parts,
// and games that several backtests played weaken the evidence in proportion. a: the mean drift weighted by payout;
// its error comes from the scatter over games (in play: five minutes of a game), drawn towards an assumed deviation.
//
// Both are shrunk (`shrinkage.ts`): groups towards their league, leagues towards a common mean, the mean towards the
// prior. Of the rates, ln k and the logarithm of λ at a common distance are shrunk, so that a lack of fills lowers the
// level and leaves k alone. The counts become normal evidence by their curvature at the newest estimate, repeated
// until it stands. The strengths are constants: nothing is tuned on the data. What a league says is the mean of its
// groups, not a fit to their sum: phases keep apart.
import type { MarketType, Phase, QuoteTimes } from '../domain/index.ts';
import {
  DISTANCES,
  distanceBucket,
  eachPhase,
  MARKET_TYPES,
  MARKOUT_SECONDS,
  phaseOf,
  PHASES,
} from '../domain/index.ts';
import type { QuoteEntry, QuoteTable } from '../pricing/index.ts';
import { EDGE_SECONDS, ownPriceOf } from './fill-figures.ts';
import { cents, rounded } from './rounding.ts';
import type { RunFacts } from './run-facts.ts';
import { mergedPhase } from './run-facts.ts';
import type { RunFill } from './run-fill.ts';
import type { Belief, Evidence, Pair, Strengths } from './shrinkage.ts';
import { NO_EVIDENCE, shrunk } from './shrinkage.ts';

const HOUR_MS = 3_600_000;

/** The distance at which the level is shrunk, points: makers quote around it. */
const LEVEL_AT = 1.5;
/** One deviation of the logarithm of λ there, and of ln k. */
const RATE_STRENGTHS: Strengths = { root: [1.5, 0.6], families: [0.7, 0.3], groups: [1.5, 0.5] };
/** One deviation of a, points; it has no second quantity. */
const DRIFT_STRENGTHS: Strengths = { root: [1, 1], families: [0.5, 1], groups: [1.5, 1] };
/** The deviation of the drift of one game (in play: of five minutes), points, and how many games it counts as. */
const DRIFT_DEVIATION: Readonly<Record<Phase, number>> = { prematch: 2, inplay: 3 };
const DRIFT_GAMES = 4;
const BLOCK_MS = 5 * 60_000;

/** Fills at a mean distance `x`, points, and the quoted hours there. */
type Counted = { readonly x: number; readonly fills: number; readonly hours: number };

type Group = {
  readonly league: string;
  readonly type: MarketType;
  readonly phase: Phase;
  readonly counts: readonly Counted[];
  /** Fills for each order that filled, weighted by fills. */
  readonly parts: number;
  readonly drift: Evidence;
};

/** What the fit reads of the facts of runs. */
export type QuoteFacts = Pick<RunFacts, 'fills' | 'phases'>;

/**
 * @param prior the table whose `all` the common mean is drawn towards
 * @param plays how often each game was played: several backtests of one recording see the same takers
 * @returns undefined when no fill has a fair price, or no quote at these distances
 */
export function fitQuotes(
  runs: readonly QuoteFacts[],
  prior: Pick<QuoteTable, 'all'>,
  plays = 1,
): QuoteTable | undefined {
  const families = [...Map.groupBy(groupsOf(runs), ({ league }) => league)].sort(([a], [b]) => (a < b ? -1 : 1));
  const groups = families.map(([, family]) => family);
  if (sumOf(groups.flat(), 'fills') === 0) return undefined;
  const rates = shrunkRates(groups, [Math.log(prior.all.A) - prior.all.k * LEVEL_AT, Math.log(prior.all.k)], plays);
  const drifts = shrunk(
    groups.map((family) => family.map(({ drift }) => drift)),
    [prior.all.a, 0],
    DRIFT_STRENGTHS,
  );
  return {
    quotes: 1,
    groups: groups.flatMap((family, league) =>
      family.map((group, index) => ({
        league: group.league,
        type: group.type,
        phase: group.phase,
        ...entryOf([group], rates.families[league]?.groups[index], drifts.families[league]?.groups[index]),
      })),
    ),
    leagues: families.map(([league, family], index) => ({
      league,
      ...entryOf(family, rates.families[index]?.belief, drifts.families[index]?.belief),
    })),
    all: entryOf(groups.flat(), rates.root, drifts.root),
  };
}

const sumOf = (groups: readonly Group[], name: 'fills' | 'hours'): number =>
  groups.reduce((sum, { counts }) => sum + counts.reduce((inGroup, count) => inGroup + count[name], 0), 0);

function entryOf(groups: readonly Group[], rates: Belief | undefined, drift: Belief | undefined): QuoteEntry {
  const [level = 0, lnK = 0] = rates?.mean ?? [];
  const [levels = 0, both = 0, slopes = 0] = rates?.variance ?? [];
  const k = Math.exp(lnK);
  const toA = k * LEVEL_AT;
  const A = Math.exp(level + toA);
  return {
    A: rounded(A),
    k: rounded(k),
    a: rounded(Math.max(0, drift?.mean[0] ?? 0)),
    errors: {
      A: rounded(A * Math.sqrt(levels + 2 * toA * both + toA ** 2 * slopes)),
      k: rounded(k * Math.sqrt(slopes)),
      a: rounded(Math.sqrt(drift?.variance[0] ?? 0)),
    },
    fills: sumOf(groups, 'fills'),
    hours: cents(sumOf(groups, 'hours')),
  };
}

/** The groups with quotes at the counted distances, in canonical order. */
function groupsOf(runs: readonly QuoteFacts[]): readonly Group[] {
  const made = runs.map(({ fills }) =>
    Map.groupBy(
      fills.filter((fill) => fill.role !== 'taker' && isCounted(bucketOf(fill))),
      (fill) => nameOf(fill.league, fill.market.type, phaseOf(fill)),
    ),
  );
  const quotes = eachPhase((phase) => mergedPhase(runs.map(({ phases }) => phases[phase])).quotes);
  const leagues = [...new Set(PHASES.flatMap((phase) => Object.keys(quotes[phase])))].sort();
  return leagues.flatMap((league) =>
    MARKET_TYPES.flatMap((type) =>
      PHASES.flatMap((phase) => {
        const byRun = made.map((fills) => fills.get(nameOf(league, type, phase)) ?? []);
        const own = byRun.flat();
        const counts = countsOf(quotes[phase][league]?.byType?.[type], own);
        return counts.length === 0
          ? []
          : [{ league, type, phase, counts, parts: partsOf(byRun), drift: driftOf(own, phase) }];
      }),
    ),
  );
}

/** The bucket of a fill's distance from fair. Undefined: the fair price is not known. */
const bucketOf = (fill: RunFill): number | undefined =>
  fill.f0 === undefined ? undefined : distanceBucket(fill.f0 - ownPriceOf(fill));

/** Without the open ends: fills below fair are of another kind, and nothing is exponential far away. */
const isCounted = (bucket: number | undefined): boolean =>
  bucket !== undefined && bucket > 0 && bucket < DISTANCES.length;

const nameOf = (league: string, type: MarketType, phase: Phase): string => `${type} ${phase} ${league}`;

function countsOf(times: NonNullable<QuoteTimes['byType']>[MarketType], fills: readonly RunFill[]): readonly Counted[] {
  const inBuckets = Map.groupBy(fills, bucketOf);
  return (times?.ms ?? []).flatMap((ms, bucket) =>
    ms === 0 || !isCounted(bucket)
      ? []
      : [
          {
            x: (100 * (times?.distanceMs[bucket] ?? 0)) / ms,
            fills: inBuckets.get(bucket)?.length ?? 0,
            hours: ms / HOUR_MS,
          },
        ],
  );
}

/** Σ n² / Σ n over orders with n fills: the variance of the fills over their number. */
function partsOf(runs: readonly (readonly RunFill[])[]): number {
  const orders = runs.flatMap((fills) => [...Map.groupBy(fills, ({ ref, txId }) => ref ?? txId).values()]);
  const sum = (valueOf: (fills: number) => number): number =>
    orders.reduce((total, { length }) => total + valueOf(length), 0);
  return (
    sum((fills) => fills ** 2) /
    Math.max(
      1,
      sum((fills) => fills),
    )
  );
}

/** What the fills say of a, by games (in play: by five minutes of each). */
function driftOf(fills: readonly RunFill[], phase: Phase): Evidence {
  const known = fills.flatMap(({ gameId, t, payout, f0 = 0, fc, later }) => {
    const end = phase === 'prematch' ? fc : later[MARKOUT_SECONDS.indexOf(EDGE_SECONDS)];
    const block = phase === 'prematch' ? gameId : `${gameId} ${Math.floor(t / BLOCK_MS)}`;
    return end === undefined ? [] : [{ block, payout, against: 100 * (f0 - end) }];
  });
  const payout = known.reduce((sum, fill) => sum + fill.payout, 0);
  if (!(payout > 0)) return NO_EVIDENCE;
  const mean = known.reduce((sum, fill) => sum + fill.payout * fill.against, 0) / payout;
  const blocks = [...Map.groupBy(known, ({ block }) => block).values()];
  const scatter = blocks.reduce((sum, block) => {
    const off = block.reduce((inBlock, fill) => inBlock + fill.payout * (fill.against - mean), 0);
    return sum + ((blocks.length * off) / payout) ** 2;
  }, 0);
  const assumed = DRIFT_GAMES * DRIFT_DEVIATION[phase] ** 2;
  const precision = blocks.length / ((assumed + scatter) / (DRIFT_GAMES + blocks.length - 1));
  return { precision: [precision, 0, 0], pull: [precision * mean, 0] };
}

type Families = readonly (readonly Group[])[];

const MOST_TURNS = 500;
/** The largest step of the level and ln k in a turn: the exponentials overflow further away. */
const MOST_STEP = 0.5;
const SMALL = 1e-9;

/** The beliefs of the level and ln k: once by Poisson counts, then with the scatter that the first fit leaves. */
function shrunkRates(families: Families, prior: Pair, plays: number): ReturnType<typeof shrunk> {
  const plain = solvedRates(
    families,
    families.map((family) => family.map(() => plays)),
    prior,
  );
  const scatters = families.map((family, index) =>
    family.map((group, place) =>
      Math.max(plays, plays * group.parts, scatterOf(group, plain.families[index]?.groups[place]?.mean ?? prior)),
    ),
  );
  return solvedRates(families, scatters, prior);
}

/** Fisher's scoring on the whole tree: the counts become normal evidence at the newest estimate, again and again. */
function solvedRates(
  families: Families,
  scatters: readonly (readonly number[])[],
  prior: Pair,
): ReturnType<typeof shrunk> {
  let estimates: readonly (readonly Pair[])[] = families.map((family) => family.map(() => prior));
  for (let turn = 1; ; turn++) {
    const solved = shrunk(
      families.map((family, index) =>
        family.map((group, place) =>
          evidenceOf(group, estimates[index]?.[place] ?? prior, scatters[index]?.[place] ?? 1),
        ),
      ),
      prior,
      RATE_STRENGTHS,
    );
    let most = 0;
    const stepped = (from: number, to: number): number => {
      most = Math.max(most, Math.abs(to - from));
      return from + Math.max(-MOST_STEP, Math.min(MOST_STEP, to - from));
    };
    estimates = solved.families.map(({ groups }, index) =>
      groups.map(({ mean }, place): Pair => {
        const from = estimates[index]?.[place] ?? prior;
        return [stepped(from[0], mean[0]), stepped(from[1], mean[1])];
      }),
    );
    if (most < SMALL || turn === MOST_TURNS) return solved;
  }
}

const expectedOf = ({ x, hours }: Counted, [level, lnK]: Pair): number =>
  hours * Math.exp(level - Math.exp(lnK) * (x - LEVEL_AT));

/** What the counts say of the level and ln k near an estimate, with Fisher's information as precision. */
function evidenceOf({ counts }: Group, estimate: Pair, scatter: number): Evidence {
  const k = Math.exp(estimate[1]);
  let [ll, lk, kk, upL, upK] = [0, 0, 0, 0, 0];
  for (const counted of counts) {
    const expected = expectedOf(counted, estimate) / scatter;
    const off = counted.fills / scatter - expected;
    const slope = -k * (counted.x - LEVEL_AT);
    ll += expected;
    lk += expected * slope;
    kk += expected * slope * slope;
    upL += off;
    upK += off * slope;
  }
  const [level, lnK] = estimate;
  return { precision: [ll, lk, kk], pull: [ll * level + lk * lnK + upL, lk * level + kk * lnK + upK] };
}

/** χ² over its degrees of freedom, of the distances where a fill is expected. Games played n times enlarge it n-fold. */
function scatterOf({ counts }: Group, estimate: Pair): number {
  const expected = counts.map((counted) => ({ fills: counted.fills, mean: expectedOf(counted, estimate) }));
  const enough = expected.filter(({ mean }) => mean >= 1);
  const squares = enough.reduce((sum, { fills, mean }) => sum + (fills - mean) ** 2 / mean, 0);
  return enough.length <= 2 ? 1 : squares / (enough.length - 2);
}
