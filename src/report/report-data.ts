// What a report is written from, and what a backtest leaves for it (`report.json`): the figures of each scenario, and what its
// pictures show.
import type { AgeFigures, Phase } from '../domain/index.ts';
import { eachPhase, namedGame, PHASE_NAMES, phaseOf } from '../domain/index.ts';
import type {
  MarkoutCut,
  FillRateFit,
  KnownOf,
  CurvePoint,
  QuotePath,
  RequestCount,
  RunFacts,
  ScenarioFigures,
} from '../run/index.ts';
import { markoutCuts, ownPriceOf, fine, scenarioFigures } from '../run/index.ts';

export type Pictures = {
  readonly curve: readonly CurvePoint[];
  /** Pre-match, in play, and of both. */
  readonly markouts: Readonly<Record<Phase | 'sum', readonly MarkoutCut[]>>;
  readonly requests: readonly RequestCount[];
  /** The market that filled most: null: nothing filled. */
  readonly quotes: (QuotePath & { readonly fills: readonly FillPoint[] }) | null;
};
/** A fill in the picture. Own price as probability of the first side; `isFirst`: that side was backed. */
export type FillPoint = {
  readonly t: number;
  readonly price: number;
  readonly isFirst: boolean;
  readonly risk: number;
};

/** What happened beside the money, by scenario. */
export type EventLog = {
  readonly placed: number;
  readonly cancelled: number;
  readonly refused: number;
  /** Orders that were refused, by the answer: `409 INSUFFICIENT_CREDIT`. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly unknown: number;
  readonly http: Readonly<Record<string, number>>;
  /** Null: the run took no time. */
  readonly quotedShare: number | null;
  readonly heldBack: Readonly<Record<string, number>>;
  readonly idle: Readonly<Record<string, number>>;
  readonly alerts: Readonly<Record<string, number>>;
  /** How old prices from outside were when strategies read them; null: none was read. */
  readonly signals: AgeFigures | null;
  readonly end: string | null;
};

export type ReportScenario = {
  readonly figures: ScenarioFigures;
  readonly pictures: Pictures;
  readonly happened: EventLog;
  /** What games with fills are called, with their starts, by their ids; former versions did not tell. */
  readonly names?: Readonly<Record<string, string>>;
};

export type ReportData = {
  /** 2: figures of each phase, weighted by payout. */
  readonly report: 2;
  readonly title: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Names and values that say what was run. */
  readonly inputs: readonly (readonly [name: string, value: string])[];
  /** The one that is nearest to the truth leads. */
  readonly scenarios: Readonly<Record<string, ReportScenario>>;
  /** What this run cannot tell, a sentence each. */
  readonly cannotTell: readonly string[];
};

export function reportScenario(
  facts: RunFacts,
  busiest: QuotePath | undefined,
  happened: EventLog,
  seed: number,
): ReportScenario {
  const { fills, curve, requests } = facts;
  return {
    figures: scenarioFigures(facts, seed),
    pictures: {
      curve,
      markouts: {
        ...eachPhase((phase) =>
          markoutCuts(
            fills.filter((fill) => phaseOf(fill) === phase),
            seed,
          ),
        ),
        sum: markoutCuts(fills, seed),
      },
      requests,
      quotes: busiest === undefined ? null : { ...busiest, points: busiest.points, fills: quotedFills(facts, busiest) },
    },
    happened,
    names: Object.fromEntries(fills.map(({ gameId, eventName, start }) => [gameId, namedGame(eventName, start)])),
  };
}

function quotedFills({ fills }: RunFacts, { market }: QuotePath): readonly FillPoint[] {
  return fills.flatMap((fill) => {
    if (fill.market.id !== market.id) return [];
    const isFirst = market.sides[0] === fill.side;
    const price = ownPriceOf(fill);
    return [
      {
        t: fill.t,
        price: fine(isFirst ? price : 1 - price),
        isFirst,
        risk: Math.round(fill.risk / 1e4) / 100,
      },
    ];
  });
}

/** Deviations; more is hardly chance. */
const ODD = 4;
const isOdd = (luck: number | null, deviation: number | null): boolean =>
  luck !== null && deviation !== null && deviation > 0 && Math.abs(luck) > ODD * deviation;

/** What no figure of a run says, by what is known of it. */
export function limitations(scenarios: ReportData['scenarios'], isBacktest: boolean): readonly string[] {
  const [first] = Object.values(scenarios);
  if (first === undefined) return [];
  const { phases, identity, clv, interval, luck, known } = first.figures;
  const inPlay = phases.inplay.known['edge']?.['dollars'];
  return [
    ...(interval.note === null
      ? []
      : [
          `${interval.games} ${interval.games === 1 ? 'game' : 'games'}: ${interval.note}. Whether the next ones bring the same, nobody can say.`,
        ]),
    ...neededText(first.figures),
    ...(identity.fills + identity.unpriced === 0 && identity.open > 0
      ? [
          `Nothing was settled: luck and P&L are not known. ${isBacktest ? 'Play it with the final scores: backtest --results.' : 'The games of this run were not graded.'}`,
        ]
      : []),
    ...(identity.open > 0 && identity.fills > 0
      ? [`${identity.open} fills are not settled, and in no sum of P&L.`]
      : []),
    ...(identity.unpriced > 0
      ? [`${identity.unpriced} settled fills have no fair price or no close: they are not in the identity.`]
      : []),
    ...(isOdd(identity.luck, luck.deviation)
      ? ['Luck is more than four deviations: look whether the scores are those of these games, home and away.']
      : []),
    ...(clv.unknown > 0
      ? [
          `CLV is of ${clv.fills} of the ${clv.fills + clv.unknown} fills before the start${shareText(known['clv']?.['dollars'])}: the others have no close.`,
        ]
      : []),
    ...(inPlay !== undefined && inPlay.fills < inPlay.ofFills
      ? [`The markout at 300 s is known of ${inPlay.fills} of the ${inPlay.ofFills} fills in play${shareText(inPlay)}.`]
      : []),
    ...(inPlay !== undefined && inPlay.ofFills > 0
      ? [
          `${inPlay.ofFills.toLocaleString('en-US')} fills are in play, where the last price of a market is near 0 or 1: much of how the games ended is in their drift, and luck and its deviation are small. Judge them by their markouts.`,
        ]
      : []),
    ...first.figures.quoting.byLeague.flatMap(({ phase, league, fillRateFit: fit }) =>
      fit.reads === 'usable' ? [] : [`The fill rate by distance ${PHASE_NAMES[phase]}, ${league}: ${fitText(fit)}.`],
    ),
    ...(luck.markets > 1 ? [`The deviation of luck: ${luck.note}.`] : []),
    ...(isBacktest
      ? [
          'What vanished from the book was taken or cancelled, and no tape says which: the scenarios differ by that alone.',
          'Others do not answer to these quotes: who saw them might have quoted, or taken, otherwise.',
        ]
      : []),
  ];
}

const shareText = (of: KnownOf | undefined): string =>
  of?.payoutShare === undefined || of.payoutShare === null
    ? ''
    : ` (${(100 * of.payoutShare).toFixed(0)} % of the payout)`;

/** How many games a verdict needs. */
function neededText({ interval: { gamesNeeded, games } }: ScenarioFigures): readonly string[] {
  if (games === 0) return [];
  if (gamesNeeded === null)
    return [
      'How many games a verdict on the edge needs is not known: the edge of two games or more has to be, and not 0.',
    ];
  return [
    gamesNeeded <= games
      ? `A verdict on the edge needs about ${gamesNeeded} games like these; there are ${games}.`
      : `A verdict on the edge needs about ${gamesNeeded} games like these: ${gamesNeeded - games} more.`,
  ];
}

/** What a fill rate is worth, as people read it. */
export function fitText({ reads, from, counted, a, k, error }: FillRateFit): string {
  const source = `${counted} ${from === 'takes' ? 'takes by others' : 'own fills'}`;
  if (reads === 'too few') return `too few (${source})`;
  if (reads === 'apart') return 'by phase and league';
  if (reads === 'unusable' || a === null || k === null || error === null) return `unusable (${source})`;
  return `${a.toFixed(1)} an hour at fair, ${(100 * (1 - Math.exp(-k))).toFixed(0)} % fewer with each point away (k ${k.toFixed(2)} ± ${error.toFixed(2)}, ${source})`;
}
