// The section about the quotes of each market over its book, and the one about series of strategies.
import type { Market } from '../../domain/index.ts';
import type { FillPoint, ReportScenario } from '../report-data.ts';
import type { QuotePath, SeriesPath } from '../../run/index.ts';
import { timeAxis } from '../../run/index.ts';
import type { Dot, Line } from './charts.ts';
import type { Choice, NamedChart } from './chosen-charts.ts';
import { chooser, shownChoice } from './chooser.ts';
import { money, points, remark, section, toneOf } from './markup.ts';

/** The most points of all markets that can be chosen, and of one; the most dots of one. */
const MOST_POINTS = 24_000;
const MOST_OF_ONE = 300;
const MOST_DOTS = 200;

const iso = (t: number): string => new Date(t).toISOString();
const nameOf = ({ type, line }: Market): string => `${type}${line === undefined ? '' : ` ${line}`}`;

function every<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.ceil(items.length / Math.max(1, most));
  return step <= 1 ? items : items.filter((_, index) => index % step === 0 || index === items.length - 1);
}

/** The chart of a market: its own quotes, those of others, the fair price, and fills. */
function marketChart(market: Market, path: QuotePath['points'], fills: readonly FillPoint[]): NamedChart {
  const axis = timeAxis([...path.map(({ t }) => t), ...fills.map(({ t }) => t)].sort((a, b) => a - b));
  const line = (name: string, tone: string, valueOf: (point: (typeof path)[number]) => number | null): Line => ({
    name,
    tone,
    isStep: true,
    points: path.map((point) => [axis.x(point.t), valueOf(point)]),
  });
  const [first, second] = market.sides;
  const dots = fills.map(({ t, price, isFirst, risk }): Dot => ({
    x: axis.x(t),
    y: price,
    tone: isFirst ? 'c' : 'b',
    title: `${iso(t)}: ${isFirst ? first : second}, ${money(risk)} at ${points(price)}`,
  }));
  return {
    chart: {
      lines: [
        line('fair', 'g', ({ fair }) => fair),
        line(`others, ${first}`, 'e', ({ others }) => others[0]),
        line(`others, ${second}`, 'd', ({ others }) => others[1]),
        line(`own, ${first}`, 'c', ({ own }) => own[0]),
        line(`own, ${second}`, 'b', ({ own }) => own[1]),
      ],
      dots,
      marks: axis.marks,
      gaps: axis.stretches.slice(1).map(({ from }) => from),
      format: (value) => String(Number(value.toFixed(3))).replace(/^0\./, '.'),
      height: 200,
      label: 'prices as probability of the first side',
      zooms: true,
    },
    times: path.map(({ t }) => t),
    csv: 'quotes',
    columns: ['fair', 'others_first', 'others_second', 'own_first', 'own_second'],
    fills: { sides: [first, second], points: fills },
    note: `Probability that ${first} wins. Dots are fills, green where ${first} was backed. The wheel, two fingers or a drag zoom and move; a double click shows all of it.`,
  };
}

export function quotesSection({ pictures: { quotes, markets } }: ReportScenario): string {
  const paths = markets?.paths ?? [];
  const [busiest] = paths;
  const shown = quotes ?? (busiest === undefined ? null : { ...busiest, fills: busiest.filled });
  if (shown === null) return section('quotes', 'Quotes over the book', remark('Nothing filled.'));
  const most = Math.min(MOST_OF_ONE, Math.floor(MOST_POINTS / Math.max(1, paths.length)));
  const headingOf = (eventName: string, market: Market): string =>
    `Quotes over the book: ${eventName}, ${nameOf(market)}`;
  // the market that is shown comes first in the list
  const listed = paths.toSorted(
    (a, b) => Number(b.market.id === shown.market.id) - Number(a.market.id === shown.market.id),
  );
  const choices = listed.map(({ market, eventName, filled, points: path }): Choice => ({
    name: `${nameOf(market)}, ${eventName}: ${filled.length} ${filled.length === 1 ? 'fill' : 'fills'}`,
    heading: headingOf(eventName, market),
    charts: [marketChart(market, every(path, most), every(filled, MOST_DOTS))],
  }));
  const left = markets?.leftOut ?? 0;
  return section(
    'quotes',
    headingOf(shown.eventName, shown.market),
    chooser(
      'quoted markets',
      'team, type or line',
      choices,
      shownChoice({ charts: [marketChart(shown.market, shown.points, shown.fills)] }),
    ),
    left === 0
      ? ''
      : remark(
          `${left.toLocaleString('en-US')} more quoted markets, with fewer fills, are not in this page: backtest --quotes writes all of them.`,
        ),
  );
}

/** The series of one strategy in one market or game. */
type Group = { readonly strategy: string; readonly place: string; readonly series: readonly SeriesPath[] };

/** The series that strategies logged. Empty when there are none. */
export function seriesSection({ pictures: { series: logged, markets }, names = {} }: ReportScenario): string {
  if (logged === undefined || logged.series.length === 0) return '';
  const titles = new Map(
    markets?.paths.map(({ market, eventName }) => [String(market.id), `${nameOf(market)}, ${eventName}`]),
  );
  const groups = [
    ...Map.groupBy(logged.series, ({ strategy, game, market }) => JSON.stringify([strategy, market ?? game])).values(),
  ].map(([first, ...others]): Group => {
    const { strategy = '', game = '', market } = first ?? {};
    return {
      strategy,
      place: market === undefined ? (names[game] ?? game) : (titles.get(market) ?? market),
      series: first === undefined ? [] : [first, ...others],
    };
  });
  const most = Math.min(MOST_OF_ONE, Math.max(20, Math.floor(MOST_POINTS / logged.series.length)));
  const choices = groups.map(({ strategy, place, series }): Choice => ({
    name: `${place}: ${strategy}`,
    heading: `Series of ${strategy}: ${place}`,
    charts: series.map((path, index) => seriesChart(path, toneOf(index), most)),
  }));
  const [first] = choices;
  if (first === undefined) return '';
  return section(
    'series',
    first.heading,
    chooser('strategies and markets', 'strategy, team, type or line', choices, shownChoice(first)),
    remark('Values that strategies logged with log.series, each until the next one.'),
    logged.leftOut === 0
      ? ''
      : remark(
          `${logged.leftOut.toLocaleString('en-US')} more series, of markets with fewer fills, are not in this page: export --what series writes all of them.`,
        ),
  );
}

function seriesChart({ name, times, values }: SeriesPath, tone: string, most: number): NamedChart {
  const kept = every(
    times.map((t, index) => ({ t, value: values[index] ?? 0 })),
    most,
  );
  const axis = timeAxis(kept.map(({ t }) => t));
  return {
    title: name,
    chart: {
      lines: [{ name, tone, isStep: true, points: kept.map(({ t, value }) => [axis.x(t), value]) }],
      marks: axis.marks,
      gaps: axis.stretches.slice(1).map(({ from }) => from),
      format: (value) => String(Number(value.toPrecision(6))),
      height: 110,
      label: `series ${name}`,
      zooms: true,
    },
    times: kept.map(({ t }) => t),
    csv: `series-${name.replaceAll(/[^\w.-]+/g, '-')}`,
    columns: ['value'],
  };
}
