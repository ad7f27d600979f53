// The data of a report, which `backtest --report json` writes as `report.json`: the figures of each scenario
// and the data of its charts.
import type { AgeFigures, Market, Phase } from '../domain/index.ts';
import { eachPhase, namedGame, PHASE_NAMES, phaseOf } from '../domain/index.ts';
import type {
  MarkoutCut,
  FillRateFit,
  KnownOf,
  CurvePoint,
  ModelDistance,
  MarketPath,
  MarketPathSet,
  QuotePath,
  RequestCount,
  RunFacts,
  ScenarioFigures,
  SeriesSet,
} from '../run/index.ts';
import type { DrawnGame, GameRow } from './game-rows.ts';
import { drawnGames, gameRows } from './game-rows.ts';
import { markoutCuts, modelDistances, ownPriceOf, fine, scenarioFigures } from '../run/index.ts';

export type Pictures = {
  readonly curve: readonly CurvePoint[];
  /** Markout curves pre-match, in play, and for both. */
  readonly markouts: Readonly<Record<Phase | 'sum', readonly MarkoutCut[]>>;
  readonly requests: readonly RequestCount[];
  /** The market with the most fills. Null: nothing filled. */
  readonly quotes: (QuotePath & { readonly fills: readonly FillPoint[] }) | null;
  /** The games with the largest shortfall. Absent in reports of former versions. */
  readonly games?: readonly DrawnGame[];
  /** Quoted markets, those with most fills first. Absent in reports of former versions. */
  readonly markets?: {
    readonly paths: readonly (MarketPath & { readonly filled: readonly FillPoint[] })[];
    /** Number of quoted markets without a picture. */
    readonly leftOut: number;
  };
  /** The series that strategies logged. Absent: there are none. */
  readonly series?: SeriesSet;
};
/**
 * A fill in the chart. `price`: own price as probability of the first side. `isFirst`: the first side was
 * backed.
 */
export type FillPoint = {
  readonly t: number;
  readonly price: number;
  readonly isFirst: boolean;
  readonly risk: number;
};

/** Counts of events of a scenario. */
export type EventLog = {
  readonly placed: number;
  readonly cancelled: number;
  readonly refused: number;
  /** Refused orders by answer: `409 INSUFFICIENT_CREDIT`. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly unknown: number;
  readonly http: Readonly<Record<string, number>>;
  /** Share of the wanted quote time that was quoted. Null: the run took no time. */
  readonly quotedShare: number | null;
  readonly heldBack: Readonly<Record<string, number>>;
  readonly idle: Readonly<Record<string, number>>;
  readonly alerts: Readonly<Record<string, number>>;
  /** Age of outside prices when strategies read them. Null: none was read. */
  readonly signals: AgeFigures | null;
  readonly end: string | null;
};

/** Nothing but fills is known. */
export const NO_EVENTS: EventLog = {
  placed: 0,
  cancelled: 0,
  refused: 0,
  refusals: {},
  unknown: 0,
  http: {},
  quotedShare: null,
  heldBack: {},
  idle: {},
  alerts: {},
  signals: null,
  end: null,
};

/** The result of one month, dollars. */
export type MonthRow = {
  /** Such as 2030-11. */
  readonly month: string;
  readonly games: number;
  readonly fills: number;
  readonly riskFilled: number;
  readonly marked: number;
  /** Absent when no result was given. */
  readonly settled?: number | undefined;
  /** Null: no fill has a price. */
  readonly edge: { readonly atFill: number | null; readonly after60s: number | null };
};

export type ReportScenario = {
  readonly figures: ScenarioFigures;
  /** Limits of what this scenario shows. Absent: those of the report. */
  readonly limits?: readonly string[];
  /** True when only fills are known: no quote, no order and no request is. */
  readonly fillsOnly?: true;
  readonly pictures: Pictures;
  readonly eventLog: EventLog;
  /** Names of games with fills, with their starts, by id. Absent in reports of former versions. */
  readonly names?: Readonly<Record<string, string>>;
  /** The model of the odds feed against the close. Absent in reports of former versions. */
  readonly model?: readonly ModelDistance[];
  /** Games with fills, the largest shortfall first. Absent in reports of former versions. */
  readonly games?: readonly GameRow[];
  /** Absent where one run played everything. */
  readonly months?: readonly MonthRow[];
};

export type ReportData = {
  /** Version of the format. 2: figures by phase, weighted by payout. */
  readonly report: 2;
  readonly title: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Names and values that describe the run. */
  readonly inputs: readonly (readonly [name: string, value: string])[];
  /** Scenarios; the most realistic one comes first. */
  readonly scenarios: Readonly<Record<string, ReportScenario>>;
  /** Limits of what this run shows, one sentence each. */
  readonly limitations: readonly string[];
};

/** What is drawn of all markets, beside the busiest one, and of series. */
export type Drawn = { readonly paths?: MarketPathSet; readonly series?: SeriesSet };

export function reportScenario(
  facts: RunFacts,
  busiest: QuotePath | undefined,
  eventLog: EventLog,
  seed: number,
  { paths, series }: Drawn = {},
): ReportScenario {
  const { fills, curve, requests, risks } = facts;
  const games = gameRows(risks);
  const byMarket = Map.groupBy(fills, ({ market }) => market.id);
  const filledIn = ({ market }: Pick<QuotePath, 'market'>) => fillPoints(byMarket.get(market.id) ?? [], market);
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
      quotes: busiest === undefined ? null : { ...busiest, points: busiest.points, fills: filledIn(busiest) },
      games: drawnGames(risks, games),
      ...(paths === undefined
        ? {}
        : {
            markets: {
              paths: paths.paths.map((path) => ({ ...path, filled: filledIn(path) })),
              leftOut: paths.leftOut,
            },
          }),
      ...(series === undefined || series.series.length === 0 ? {} : { series }),
    },
    eventLog,
    model: modelDistances(fills),
    games,
    names: Object.fromEntries(fills.map(({ gameId, eventName, start }) => [gameId, namedGame(eventName, start)])),
  };
}

const fillPoints = (fills: RunFacts['fills'], market: Market): readonly FillPoint[] =>
  fills.map((fill) => {
    const isFirst = market.sides[0] === fill.side;
    const price = ownPriceOf(fill);
    return { t: fill.t, price: fine(isFirst ? price : 1 - price), isFirst, risk: Math.round(fill.risk / 1e4) / 100 };
  });

/** Number of deviations; a larger luck is hardly chance. */
const ODD = 4;
const isOdd = (luck: number | null, deviation: number | null): boolean =>
  luck !== null && deviation !== null && deviation > 0 && Math.abs(luck) > ODD * deviation;

/** Sentences about the limits of the figures of a run. */
export function limitations(scenarios: ReportData['scenarios'], isBacktest: boolean): readonly string[] {
  const [first] = Object.values(scenarios);
  if (first === undefined) return [];
  const { phases, identity, clv, interval, luck, known } = first.figures;
  const inPlay = phases.inplay.known['edge']?.['dollars'];
  return [
    ...(interval.note === null
      ? []
      : [
          `${interval.games} ${interval.games === 1 ? 'game' : 'games'}: ${interval.note}. This says little about the next ones.`,
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
      ? ['Luck is more than four deviations: check that the scores belong to these games, home and away.']
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
          'What vanished from the book was taken or cancelled, and no tape says which: the scenarios differ only in that.',
          'Others do not react to these quotes: traders who saw them might have quoted or taken differently.',
        ]
      : []),
  ];
}

const shareText = (known: KnownOf | undefined): string =>
  known?.payoutShare === undefined || known.payoutShare === null
    ? ''
    : ` (${(100 * known.payoutShare).toFixed(0)} % of the payout)`;

/** A sentence about the number of games that a verdict needs. */
function neededText({ interval: { gamesNeeded, games } }: ScenarioFigures): readonly string[] {
  if (games === 0) return [];
  if (gamesNeeded === null)
    return [
      'It is not known how many games a verdict on the edge needs: this takes a known edge of at least two games that is not 0.',
    ];
  return [
    gamesNeeded <= games
      ? `A verdict on the edge needs about ${gamesNeeded} games like these; there are ${games}.`
      : `A verdict on the edge needs about ${gamesNeeded} games like these: ${gamesNeeded - games} more.`,
  ];
}

/** A fill rate fit in words. */
export function fitText({ reads, from, counted, a, k, error }: FillRateFit): string {
  const source = `${counted} ${from === 'takes' ? 'takes by others' : 'own fills'}`;
  if (reads === 'too few') return `too few (${source})`;
  if (reads === 'apart') return 'by phase and league';
  if (reads === 'unusable' || a === null || k === null || error === null) return `unusable (${source})`;
  return `${a.toFixed(1)} an hour at fair, ${(100 * (1 - Math.exp(-k))).toFixed(0)} % fewer with each point away (k ${k.toFixed(2)} ± ${error.toFixed(2)}, ${source})`;
}
