// What a report is written from, and what a backtest leaves for it (`report.json`): the figures of each scenario, and what its
// pictures show.
import type { AgeFigures } from '../domain/index.ts';
import { namedGame } from '../domain/index.ts';
import type { MarkoutCut } from './markout-curves.ts';
import { markoutCuts } from './markout-curves.ts';
import { ownPriceOf } from './fill-figures.ts';
import { fine } from './rounding.ts';
import type { CurvePoint, QuotePath, RequestCount, RunFacts } from './run-facts.ts';
import type { ScenarioFigures } from './scenario.ts';
import { scenarioFigures } from './scenario.ts';

export type Pictures = {
  readonly curve: readonly CurvePoint[];
  readonly markouts: readonly MarkoutCut[];
  readonly requests: readonly RequestCount[];
  /** The market that filled most: null: nothing filled. */
  readonly quotes: (QuotePath & { readonly fills: readonly QuotedFill[] }) | null;
};
/** Own price as probability of the first side; `isFirst`: that side was backed. */
export type QuotedFill = {
  readonly t: number;
  readonly price: number;
  readonly isFirst: boolean;
  readonly risk: number;
};

/** What happened beside the money, by scenario. */
export type Happened = {
  readonly placed: number;
  readonly cancelled: number;
  readonly refused: number;
  readonly unknown: number;
  readonly http: Readonly<Record<string, number>>;
  readonly quotedShare: number;
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
  readonly happened: Happened;
  /** What games with fills are called, with their starts, by their ids; former versions did not tell. */
  readonly names?: Readonly<Record<string, string>>;
};

export type ReportData = {
  readonly report: 1;
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
  happened: Happened,
  seed: number,
): ReportScenario {
  const { fills, curve, requests } = facts;
  return {
    figures: scenarioFigures(facts, seed),
    pictures: {
      curve,
      markouts: markoutCuts(fills, seed),
      requests,
      quotes:
        busiest === undefined
          ? null
          : { ...busiest, points: busiest.points, fills: quotedFills(facts, busiest) },
    },
    happened,
    names: Object.fromEntries(
      fills.map(({ gameId, eventName, start }) => [gameId, namedGame(eventName, start)]),
    ),
  };
}

function quotedFills({ fills }: RunFacts, { market }: QuotePath): readonly QuotedFill[] {
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
export function cannotTell(scenarios: ReportData['scenarios'], isBacktest: boolean): readonly string[] {
  const [first] = Object.values(scenarios);
  if (first === undefined) return [];
  const { identity, interval, luck, attribution } = first.figures;
  const inPlay = attribution.hour.find(({ key }) => key === 'in play')?.fills ?? 0;
  return [
    ...(interval.note === null
      ? []
      : [
          `${interval.games} ${interval.games === 1 ? 'game' : 'games'}: ${interval.note}. Whether the next ones bring the same, nobody can say.`,
        ]),
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
      ? [
          'Luck is more than four deviations: look whether the scores are those of these games, home and away.',
        ]
      : []),
    ...(inPlay > 0
      ? [
          `${inPlay.toLocaleString('en-US')} fills are in play, where the close is the last price of the market, near 0 or 1: much of how the games ended is in their drift and CLV, and luck and its deviation are small.`,
        ]
      : []),
    ...(luck.markets > 1 ? [`The deviation of luck: ${luck.note}.`] : []),
    ...(isBacktest
      ? [
          'What vanished from the book was taken or cancelled, and no tape says which: the scenarios differ by that alone.',
          'Others do not answer to these quotes: who saw them might have quoted, or taken, otherwise.',
        ]
      : []),
  ];
}
