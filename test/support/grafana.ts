// The shipped dashboard (ops/grafana.json): six rows that answer questions of the operator. A row
// begins with coloured numbers and continues with a chart for each of its metrics.
import { METRICS, OTHER_METRICS } from '../../src/page/server/metrics.ts';

type Metric = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly label?: string;
};

const ALL: readonly Metric[] = [...METRICS, ...OTHER_METRICS];
const AT = '{instance=~"$instance"}';
const selector = (name: string, labels = ''): string =>
  `oddsmaker_${name}{instance=~"$instance"${labels === '' ? '' : `, ${labels}`}}`;
const grown = (name: string, labels = ''): string => `sum by (instance) (increase(${selector(name, labels)}[1h]))`;

/** A colour and the value from which it holds. The first colour holds below all others. */
type Step = readonly [color: 'green' | 'orange' | 'red' | 'blue', from: number | null];
type Stat = {
  readonly title: string;
  readonly expr: string;
  readonly steps: readonly Step[];
  readonly unit?: string;
  readonly words?: Readonly<Record<string, string>>;
  readonly legend?: string;
  /** Shows the name of the series instead of the number. */
  readonly showsName?: true;
};

const ANY_IS_RED: readonly Step[] = [
  ['green', null],
  ['red', 1],
];
const ANY_IS_ORANGE: readonly Step[] = [
  ['green', null],
  ['orange', 1],
];
const NEEDED: readonly Step[] = [
  ['red', null],
  ['green', 1],
];
const MONEY: readonly Step[] = [
  ['red', null],
  ['green', 0],
];
const NEUTRAL: readonly Step[] = [['blue', null]];
const YES_NO = { 0: 'no', 1: 'yes' };

type Row = {
  readonly title: string;
  readonly stats: readonly Stat[];
  /** Matches the metrics of the row. A metric belongs to the first row that matches. */
  readonly fits: RegExp;
};

const ROWS: readonly Row[] = [
  {
    title: 'Is it quoting?',
    stats: [
      { title: 'quoting', expr: selector('quoting'), steps: NEEDED, words: YES_NO },
      { title: 'state', expr: `${selector('state')} == 1`, steps: NEUTRAL, legend: '{{state}}', showsName: true },
      { title: 'quotes at rest', expr: selector('quotes_resting'), steps: NEEDED },
      {
        title: 'share of the wanted time',
        expr: selector('quoted_share'),
        unit: 'percentunit',
        steps: [
          ['red', null],
          ['orange', 0.5],
          ['green', 0.8],
        ],
      },
      { title: 'markets', expr: selector('markets'), steps: NEEDED },
      { title: 'strategies off', expr: selector('strategies_off'), steps: ANY_IS_RED },
    ],
    fits: /_(state|quoting|quotes_(?!held)|quoted_share|markets|strategies_off)/,
  },
  {
    title: 'Is it safe?',
    stats: [
      { title: 'guard', expr: selector('guard_up'), steps: NEEDED, words: YES_NO },
      {
        title: 'lost today, of the limit',
        expr: `clamp_min(${selector('day_lost_dollars')}, 0) / ${selector('day_limit_dollars')}`,
        unit: 'percentunit',
        steps: [
          ['green', null],
          ['orange', 0.5],
          ['red', 1],
        ],
      },
      {
        title: 'if every game ended at its worst',
        expr: selector('pnl_dollars', 'kind="worst"'),
        unit: 'currencyUSD',
        steps: NEUTRAL,
      },
      { title: 'orders of unknown fate', expr: selector('orders_unknown'), steps: ANY_IS_ORANGE },
      { title: 'orders of others', expr: selector('orders_external'), steps: ANY_IS_ORANGE },
      {
        title: 'cancelled by others, 1 h',
        expr: grown('orders_cancelled_by_others_total'),
        steps: ANY_IS_ORANGE,
      },
    ],
    fits: /_(guard_up|day_|orders_(unknown|external|cancelled_by_others|undetermined|open)|inventory|credit|alerts)/,
  },
  {
    title: 'What did it make?',
    stats: [
      { title: 'marked', expr: selector('pnl_dollars', 'kind="marked"'), unit: 'currencyUSD', steps: MONEY },
      { title: 'today', expr: `-${selector('day_lost_dollars')}`, unit: 'currencyUSD', steps: MONEY },
      { title: 'fills, 1 h', expr: grown('fills_total'), steps: NEUTRAL },
      { title: 'staked, 1 h', expr: grown('risk_filled_dollars_total'), unit: 'currencyUSD', steps: NEUTRAL },
      { title: 'balance', expr: selector('balance_dollars'), unit: 'currencyUSD', steps: MONEY },
      {
        title: 'of it in use',
        expr: `${selector('credit_in_use_dollars')} / ${selector('balance_dollars')}`,
        unit: 'percentunit',
        steps: [
          ['green', null],
          ['orange', 0.7],
          ['red', 0.9],
        ],
      },
    ],
    fits: /_(pnl|fills|risk_filled|balance)/,
  },
  {
    title: 'Why not?',
    stats: [
      {
        title: 'wanted and held back',
        expr: `sum by (instance) (${selector('quotes_held')})`,
        steps: ANY_IS_ORANGE,
      },
      { title: 'wait for a request', expr: selector('waiting_slots'), steps: ANY_IS_ORANGE },
      {
        title: 'permits to place',
        expr: `${selector('permits', 'bucket="place"')} / ${selector('permits_limit', 'bucket="place"')}`,
        unit: 'percentunit',
        steps: [
          ['red', null],
          ['orange', 0.1],
          ['green', 0.3],
        ],
      },
      { title: 'refused by the exchange, 1 h', expr: grown('orders_refused_total'), steps: ANY_IS_ORANGE },
      { title: 'answers 429, 1 h', expr: grown('responses_total', 'status="429"'), steps: ANY_IS_ORANGE },
      { title: 'alerts, 1 h', expr: grown('alerts_total'), steps: ANY_IS_ORANGE },
    ],
    fits: /_(quotes_held|waiting_|permits|refusals|intents|orders_|signal|odds_)/,
  },
  {
    title: 'The exchange',
    stats: [
      { title: 'price feed', expr: selector('feed_up', 'feed="prices"'), steps: NEEDED, words: { 0: 'down', 1: 'up' } },
      { title: 'user feed', expr: selector('feed_up', 'feed="user"'), steps: NEEDED, words: { 0: 'down', 1: 'up' } },
      { title: 'drops, 1 h', expr: grown('feed_drops_total'), steps: ANY_IS_ORANGE },
      {
        title: 'answer time, 99 %',
        expr: `histogram_quantile(0.99, sum by (le, instance) (rate(${selector('request_seconds_bucket')}[$__rate_interval])))`,
        unit: 's',
        steps: [
          ['green', null],
          ['orange', 0.5],
          ['red', 2],
        ],
      },
      {
        title: 'no answer, or an error, 1 h',
        expr: grown('responses_total', 'status=~"0|5.."'),
        steps: ANY_IS_ORANGE,
      },
      {
        title: 'refused access, 1 h',
        expr: grown('responses_total', 'status=~"401|403"'),
        steps: ANY_IS_RED,
      },
    ],
    fits: /_(feed|frames|request|responses|reads_waiting)/,
  },
  {
    title: 'The process',
    stats: [
      { title: 'answers', expr: `up{job="oddsmaker", instance=~"$instance"}`, steps: NEEDED, words: YES_NO },
      { title: 'runs since', expr: `time() - process_start_time_seconds${AT}`, unit: 's', steps: NEUTRAL },
      {
        title: 'loop late, 99 %',
        expr: `nodejs_eventloop_lag_p99_seconds${AT}`,
        unit: 's',
        steps: [
          ['green', null],
          ['orange', 0.1],
          ['red', 0.5],
        ],
      },
      {
        title: 'memory',
        expr: `process_resident_memory_bytes${AT}`,
        unit: 'bytes',
        steps: [
          ['green', null],
          ['orange', 1e9],
          ['red', 2e9],
        ],
      },
      {
        title: 'CPU',
        expr: `rate(process_cpu_seconds_total${AT}[$__rate_interval])`,
        unit: 'percentunit',
        steps: [
          ['green', null],
          ['orange', 0.6],
          ['red', 0.9],
        ],
      },
      {
        title: 'waits for the disk',
        expr: selector('journal_waiting_bytes'),
        unit: 'bytes',
        steps: [
          ['green', null],
          ['orange', 1e6],
          ['red', 8e6],
        ],
      },
    ],
    fits: /./,
  },
];

const ACROSS = 24;
const STAT = { w: 4, h: 4 };
const SERIES = { w: 8, h: 7 };

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

type Place = { readonly x: number; readonly y: number };

function queryOf({ name, type, label }: Metric): { readonly expr: string; readonly legend: string } {
  const legend = label === undefined ? '{{instance}}' : `{{instance}} {{${label}}}`;
  const all = `${name}${AT}`;
  if (name.endsWith('build_info')) return { expr: all, legend: '{{instance}} {{build}} {{config_hash}}' };
  if (type === 'histogram')
    return {
      expr: `histogram_quantile(0.99, sum by (le, instance, ${label ?? ''}) (rate(${name}_bucket${AT}[$__rate_interval])))`,
      legend,
    };
  return { expr: type === 'counter' ? `rate(${all}[$__rate_interval])` : all, legend };
}

function seriesOf(metric: Metric, id: number, place: Place): unknown {
  const { expr, legend } = queryOf(metric);
  const title = metric.name
    .replace(/^oddsmaker_/, '')
    .replace(/_total$/, ', a second')
    .replaceAll('_', ' ');
  return {
    id,
    type: 'timeseries',
    title,
    description: metric.help,
    datasource: DATASOURCE,
    gridPos: { ...place, ...SERIES },
    targets: [{ refId: 'A', expr, legendFormat: legend, datasource: DATASOURCE }],
    fieldConfig: { defaults: { unit: unitOf(metric), custom: { fillOpacity: 5 } }, overrides: [] },
    options: { legend: { showLegend: true, displayMode: 'list' }, tooltip: { mode: 'multi' } },
  };
}

function statOf({ title, expr, steps, unit, words, legend, showsName }: Stat, id: number, place: Place): unknown {
  const mappings =
    words === undefined
      ? []
      : [
          {
            type: 'value',
            options: Object.fromEntries(Object.entries(words).map(([value, text]) => [value, { text }])),
          },
        ];
  return {
    id,
    type: 'stat',
    title,
    datasource: DATASOURCE,
    gridPos: { ...place, ...STAT },
    targets: [{ refId: 'A', expr, legendFormat: legend ?? '{{instance}}', datasource: DATASOURCE, instant: true }],
    fieldConfig: {
      defaults: {
        unit: unit ?? 'short',
        mappings,
        thresholds: { mode: 'absolute', steps: steps.map(([color, value]) => ({ color, value })) },
        color: { mode: 'thresholds' },
      },
      overrides: [],
    },
    options: {
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      colorMode: 'background',
      graphMode: 'none',
      justifyMode: 'center',
      textMode: showsName === true ? 'name' : 'auto',
    },
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

/** Firing alerts and restarts, as lines across all panels. */
const ANNOTATIONS = {
  list: [
    ...(
      [
        ['page', 'red'],
        ['warn', 'orange'],
      ] as const
    ).map(([severity, iconColor]) => ({
      name: `alerts: ${severity}`,
      datasource: DATASOURCE,
      enable: true,
      iconColor,
      expr: `ALERTS{alertname=~"Oddsmaker.+", alertstate="firing", severity="${severity}", instance=~"$instance"}`,
      titleFormat: '{{alertname}}',
      textFormat: '{{instance}}',
      tagKeys: 'severity',
      step: '10s',
    })),
    {
      name: 'another run',
      datasource: DATASOURCE,
      enable: true,
      iconColor: 'blue',
      expr: `changes(process_start_time_seconds{job="oddsmaker", instance=~"$instance"}[1m]) > 0`,
      titleFormat: 'another run',
      textFormat: '{{instance}}',
      tagKeys: '',
      step: '10s',
    },
  ],
};

export function dashboard(): unknown {
  const left = new Set(ALL);
  const panels: unknown[] = [];
  let [id, y] = [0, 0];
  /** Places panels from left to right, line by line. */
  const lay = <T>(
    items: readonly T[],
    { w, h }: typeof STAT,
    panelOf: (item: T, id: number, place: Place) => unknown,
  ): void => {
    const inLine = ACROSS / w;
    items.forEach((item, index) => {
      const place = { x: (index % inLine) * w, y: y + Math.floor(index / inLine) * h };
      panels.push(panelOf(item, (id += 1), place));
    });
    y += Math.ceil(items.length / inLine) * h;
  };
  for (const { title, stats, fits } of ROWS) {
    const metrics = [...left].filter(({ name }) => fits.test(name));
    for (const metric of metrics) left.delete(metric);
    panels.push({
      id: (id += 1),
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: ACROSS, h: 1 },
      panels: [],
    });
    y += 1;
    lay(stats, STAT, statOf);
    lay(metrics, SERIES, seriesOf);
  }
  return {
    title: 'oddsmaker',
    uid: 'oddsmaker',
    tags: ['oddsmaker'],
    timezone: 'utc',
    schemaVersion: 39,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    annotations: ANNOTATIONS,
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        {
          name: 'instance',
          type: 'query',
          datasource: DATASOURCE,
          multi: true,
          includeAll: true,
          query: 'label_values(oddsmaker_quoting, instance)',
          refresh: 2,
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels,
  };
}
