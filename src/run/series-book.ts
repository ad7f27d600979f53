// Folds the series that strategies logged into paths over time, for plots and tables.
import type { EventOf, GameId, LoggedSeries, MarketId, StrategyId } from '../domain/index.ts';
import type { MarketPathSet } from './market-paths.ts';
import { thinned } from './thinned.ts';

/** One series of a strategy in one market or game. */
export type SeriesPath = {
  readonly strategy: StrategyId;
  readonly game: GameId;
  /** Undefined: the strategy sees whole games. */
  readonly market: MarketId | undefined;
  readonly name: string;
  /** Unix ms, and the value from then on. */
  readonly times: readonly number[];
  readonly values: readonly number[];
};

type Growing = SeriesPath & { readonly times: number[]; readonly values: number[] };

export class SeriesBook {
  readonly #paths = new Map<string, Growing>();

  /** Adds the values of an event at `t`, Unix ms. */
  applyEvent({ strategy, game, market, points }: EventOf<'SeriesLogged'>, t: number): void {
    for (const { name, value } of points) {
      const key = JSON.stringify([strategy, game, market, name]);
      let path = this.#paths.get(key);
      if (path === undefined) this.#paths.set(key, (path = { strategy, game, market, name, times: [], values: [] }));
      path.times.push(Math.round(t));
      path.values.push(value);
    }
  }

  /** The series, in the order of their first value. */
  get paths(): readonly SeriesPath[] {
    return [...this.#paths.values()];
  }
}

/** The columns of a table of series. */
export const SERIES_COLUMNS = [
  ...[{ name: 'scenario', kind: 'text' } as const, { name: 'time', kind: 'time' } as const],
  ...(['strategy', 'game', 'market', 'name'] as const).map((name) => ({ name, kind: 'text' as const })),
  ...[{ name: 'value', kind: 'number' } as const, { name: 'run', kind: 'text' } as const],
];

export type SeriesCells = readonly (string | number | undefined)[];

/** The rows of logged values, in the order of SERIES_COLUMNS. */
export const seriesCells = (
  scenario: string,
  run: string | undefined,
  t: number,
  { strategy, game, market, points }: LoggedSeries,
): readonly SeriesCells[] =>
  points.map(({ name, value }) => [scenario, Math.round(t), strategy, game, market, name, value, run]);

/** The rows of paths, by time. */
export function seriesRows(scenario: string, run: string, paths: readonly SeriesPath[]): readonly SeriesCells[] {
  const rows = paths.flatMap(({ times, values, name, ...place }) =>
    times.flatMap((t, index) =>
      seriesCells(scenario, run, t, { ...inPlace(place), points: [{ name, value: values[index] ?? 0 }] }),
    ),
  );
  return rows.sort((a, b) => Number(a[1]) - Number(b[1]));
}

const inPlace = ({ strategy, game, market }: Pick<SeriesPath, 'strategy' | 'game' | 'market'>) =>
  market === undefined ? { strategy, game } : { strategy, game, market };

/** The most series of a report, and the most points of each. */
const MOST_SERIES = 300;
const MOST_POINTS = 300;

/** The series that a report draws, and the number of the others. */
export type SeriesSet = { readonly series: readonly SeriesPath[]; readonly leftOut: number };

/** Series for a report, in fewer points. Where there are many, those of markets with most fills. */
export function drawnSeries(all: readonly SeriesPath[], { paths }: MarketPathSet): SeriesSet {
  const fills = new Map(paths.map((path) => [path.market.id, path.fills]));
  const fillsOf = ({ market }: SeriesPath): number => (market === undefined ? 0 : (fills.get(market) ?? 0));
  const shown = all.length <= MOST_SERIES ? all : all.toSorted((a, b) => fillsOf(b) - fillsOf(a)).slice(0, MOST_SERIES);
  return { series: shown.map(thinnedPath), leftOut: all.length - shown.length };
}

const thinnedPath = ({ times, values, ...path }: SeriesPath): SeriesPath => ({
  ...path,
  times: thinned(times, MOST_POINTS),
  values: thinned(values, MOST_POINTS),
});
