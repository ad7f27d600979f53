// The dashboard that ships (ops/grafana.json), made from the metrics that there are: a panel for each, in the rows of what one
// asks first.
import { METRICS, OTHER_METRICS } from '../../src/ops/metrics.ts';

type Metric = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly label?: string;
};

const ALL: readonly Metric[] = [...METRICS, ...OTHER_METRICS];

/** The first row that fits has the metric. */
const ROWS: readonly (readonly [title: string, fits: RegExp])[] = [
  ['Does it quote?', /_(state|quoting|quotes_|quoted_share|markets|waiting_)/],
  ['Money', /_(pnl|inventory|fills|risk_filled|balance|credit)/],
  ['Feeds', /_(feed|frames)/],
  ['Orders', /_(orders|intents|refusals)/],
  ['Requests', /_(permits|requests?_|responses|reads_waiting)/],
  ['The process', /./],
];

const WIDTH = 8;
const HEIGHT = 7;
const ACROSS = 24 / WIDTH;

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

function queryOf({ name, type, label }: Metric): { readonly expr: string; readonly legend: string } {
  const legend = label === undefined ? '{{instance}}' : `{{instance}} {{${label}}}`;
  const of = `${name}{instance=~"$instance"}`;
  if (name.endsWith('build_info')) return { expr: of, legend: '{{instance}} {{build}} {{config_hash}}' };
  if (type === 'histogram')
    return {
      expr: `histogram_quantile(0.99, sum by (le, instance, ${label ?? ''}) (rate(${name}_bucket{instance=~"$instance"}[$__rate_interval])))`,
      legend,
    };
  return { expr: type === 'counter' ? `rate(${of}[$__rate_interval])` : of, legend };
}

function panelOf(metric: Metric, id: number, at: { readonly x: number; readonly y: number }): unknown {
  const { expr, legend } = queryOf(metric);
  const title = metric.name
    .replace(/^oddsmaker_/, '')
    .replace(/_total$/, ', a second')
    .replaceAll('_', ' ');
  return {
    ...{ id, type: 'timeseries', title, description: metric.help, datasource: DATASOURCE },
    gridPos: { ...at, w: WIDTH, h: HEIGHT },
    targets: [{ refId: 'A', expr, legendFormat: legend, datasource: DATASOURCE }],
    fieldConfig: { defaults: { unit: unitOf(metric), custom: { fillOpacity: 5 } }, overrides: [] },
    options: { legend: { showLegend: true, displayMode: 'list' }, tooltip: { mode: 'multi' } },
  };
}

const unitOf = ({ name }: Metric): string =>
  name.includes('dollars')
    ? 'currencyUSD'
    : name.includes('seconds')
      ? 's'
      : name.includes('bytes')
        ? 'bytes'
        : name.includes('share')
          ? 'percentunit'
          : 'short';

export function dashboard(): unknown {
  const left = new Set(ALL);
  const panels: unknown[] = [];
  let [id, y] = [0, 0];
  for (const [title, fits] of ROWS) {
    const metrics = [...left].filter(({ name }) => fits.test(name));
    for (const metric of metrics) left.delete(metric);
    panels.push({
      id: (id += 1),
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    });
    y += 1;
    metrics.forEach((metric, index) => {
      const at = { x: (index % ACROSS) * WIDTH, y: y + Math.floor(index / ACROSS) * HEIGHT };
      panels.push(panelOf(metric, (id += 1), at));
    });
    y += Math.ceil(metrics.length / ACROSS) * HEIGHT;
  }
  return {
    ...{ title: 'oddsmaker', uid: 'oddsmaker', tags: ['oddsmaker'], timezone: 'utc', schemaVersion: 39 },
    ...{ refresh: '10s', time: { from: 'now-1h', to: 'now' } },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        {
          ...{ name: 'instance', type: 'query', datasource: DATASOURCE, multi: true, includeAll: true },
          ...{ query: 'label_values(oddsmaker_quoting, instance)', refresh: 2 },
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels,
  };
}
