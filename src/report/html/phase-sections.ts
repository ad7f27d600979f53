// The sections of a report by phase: P&L identity, markouts, attribution, fill rates.
import { SOURCES } from '../../domain/index.ts';
import type { Phase } from '../../domain/index.ts';
import type { AttributionName, AttributionRow, KnownOf, SectionFigures } from '../../run/index.ts';
import { ATTRIBUTIONS, shownKey } from '../../run/index.ts';
import type { ReportScenario } from '../report-data.ts';
import { fitText } from '../report-data.ts';
import { bars, chart, waterfall } from './charts.ts';
import type { Line } from './charts.ts';
import { fillsIn, inPhases, partsOf } from './in-phases.ts';
import {
  csvLink,
  escaped,
  inMoney,
  money,
  NOT_KNOWN,
  percent,
  points,
  remark,
  section,
  table,
  toneOf,
} from './markup.ts';

export function verdict({ figures, eventLog }: ReportScenario, name: string): string {
  const { identity, phases, edge, interval, known } = figures;
  const settled = identity.fills + identity.unpriced;
  const result =
    settled === 0
      ? `nothing is settled; ${identity.open} fills are open`
      : `P&L ${money(Math.round(100 * ((identity.pnl ?? 0) + identity.unpricedPnl)) / 100)} in ${settled} settled fills`;
  const chance =
    interval.edgeLow === null
      ? `${interval.games} ${interval.games === 1 ? 'game' : 'games'}, ${interval.note ?? 'no interval'}: no interval${interval.gamesNeeded === null ? '' : `, a verdict needs about ${interval.gamesNeeded}`}`
      : `95 % of the edge between ${money(interval.edgeLow)} and ${money(interval.edgeHigh)} over ${interval.games} games`;
  const parts = [
    ...(fillsIn(phases.prematch) === 0
      ? []
      : [`CLV pre-match ${partly(phases.prematch.clv.dollars, phases.prematch.known['clv']?.['dollars'])}`]),
    ...(fillsIn(phases.inplay) === 0
      ? []
      : [
          `markout at 300 s in play ${partly(phases.inplay.markouts['300s'], phases.inplay.known['markouts']?.['300s'])}`,
        ]),
    `edge ${partly(edge.dollars, known['edge']?.['dollars'])}`,
  ];
  return `${name}: ${result}; ${parts.join(', ')}; ${chance}${eventLog.end === null ? '' : `; it ended early: ${eventLog.end}`}.`;
}

/** An amount, with the number of fills when it does not cover all of them. */
function partly(value: number | null | undefined, known: KnownOf | undefined): string {
  if (value === null || value === undefined) return NOT_KNOWN;
  return known === undefined || known.fills === known.ofFills
    ? money(value)
    : `${money(value)} (${known.fills} of ${known.ofFills} fills, ${percent(known.payoutShare, 0)} of the payout)`;
}

const perPlace = (value: number | null): string =>
  value === null ? NOT_KNOWN : `$${value.toFixed(4)}`.replace('$-', '−$');

type Key = Phase | 'sum';
/** Name of the drift in a phase. */
const driftIn = (key: Key): string =>
  ({ prematch: 'drift to the close', inplay: 'drift to last price', sum: 'drift' })[key];

const stepsOf = ({ identity }: SectionFigures, key: Key) => [
  { name: 'spread captured', value: identity.spread ?? 0 },
  { name: driftIn(key), value: identity.drift ?? 0 },
  { name: 'luck', value: identity.luck ?? 0 },
  ...((identity.commission ?? 0) === 0 ? [] : [{ name: 'commission', value: identity.commission ?? 0 }]),
  { name: 'P&L', value: identity.pnl ?? 0, isSum: true },
];

function tilesOf(figures: SectionFigures, key: Key): readonly (readonly [string, string])[] {
  const { identity, clv, edge, markouts, known, luck, pickedOff, interval, permits } = figures;
  const weighted = (name: string, value: string, plain: string): readonly [string, string] => [
    `${name}; plain count ${plain}`,
    value,
  ];
  const early: readonly (readonly [string, string])[] =
    key === 'inplay'
      ? []
      : [
          [key === 'sum' ? 'CLV, pre-match' : 'CLV', partly(clv.dollars, known['clv']?.['dollars'])],
          weighted('CLV points by payout', points(clv.points), points(clv.plainPoints)),
          weighted('payout above the close', percent(clv.share), percent(clv.plainShare)),
        ];
  const live: readonly (readonly [string, string])[] =
    key === 'prematch'
      ? []
      : [60, 300].map((seconds) => [
          key === 'sum' ? `markout ${seconds} s, all fills` : `markout ${seconds} s`,
          partly(markouts[`${seconds}s`], known['markouts']?.[`${seconds}s`]),
        ]);
  return [
    ...early,
    ...live,
    ...(permits.place === 0 ? [] : [['edge per place permit', perPlace(edge.perPlace)] as const]),
    ['edge', partly(edge.dollars, known['edge']?.['dollars'])],
    ['spread captured, all fills', partly(identity.captured, known['identity']?.['captured'])],
    ['luck, one deviation', luck.deviation === null ? NOT_KNOWN : `± ${money(luck.deviation)}`],
    [`picked off late, after 60 s`, `${pickedOff.latency.fills} · <i>${money(pickedOff.latency.money60s)}</i>`],
    ['mispriced, after 60 s', `${pickedOff.pricing.fills} · <i>${money(pickedOff.pricing.money60s)}</i>`],
    [
      `games needed for a verdict; there are ${interval.games}`,
      interval.gamesNeeded === null ? NOT_KNOWN : interval.gamesNeeded.toLocaleString('en-US'),
    ],
    [
      '95 % of the edge',
      interval.edgeLow === null
        ? (interval.note ?? NOT_KNOWN)
        : `${money(interval.edgeLow)} to ${money(interval.edgeHigh)}`,
    ],
  ];
}

const tiles = (all: readonly (readonly [string, string])[]): string =>
  `<div class="tiles">${all.map(([label, value]) => `<div class="tile"><b>${value}</b><span>${label}</span></div>`).join('')}</div>`;

export function identitySection(scenario: ReportScenario, name: string): string {
  const { figures, eventLog } = scenario;
  const { inventory, quoting } = figures;
  return section(
    'identity',
    'Where the money comes from',
    `<p class="verdict">${escaped(verdict(scenario, name))}</p>`,
    inPhases(figures, (part, _name, key) =>
      [
        part.identity.fills === 0
          ? remark('No fill is settled with a fair price and a close: there is no identity yet.')
          : waterfall(stepsOf(part, key), money),
        tiles(tilesOf(part, key)),
      ].join(''),
    ),
    '<h3>the account</h3>',
    tiles([
      ['max drawdown', money(inventory.maxDrawdown)],
      ...(scenario.fillsOnly === true ? [] : [['worst case', money(inventory.worst)] as const]),
      ...(scenario.fillsOnly === true
        ? []
        : ([
            ['quoted of wanted', percent(eventLog.quotedShare)],
            ['two-sided', percent(quoting.twoSided)],
          ] as const)),
    ]),
    csvLink(
      'identity',
      ['phase', 'spread', 'drift', 'luck', 'commission', 'pnl', 'clv', 'markout_60s', 'markout_300s', 'edge'],
      partsOf(figures).map(({ name: phase, of: part }) => [
        ...[phase, part.identity.spread, part.identity.drift, part.identity.luck, part.identity.commission],
        ...[part.identity.pnl, part.clv.dollars, part.markouts['60s'] ?? null, part.markouts['300s'] ?? null],
        part.edge.dollars,
      ]),
    ),
    outsidePart(figures),
    modelPart(scenario.model),
  );
}

/** The identity by the prices of each other source. */
function outsidePart(figures: ReportScenario['figures']): string {
  const rows = partsOf(figures).flatMap(({ name, of: part }) =>
    SOURCES.flatMap((source) => {
      const { fills, identity, clv } = part.outside[source];
      if (fills === 0) return [];
      return [
        [
          ...[name, SOURCE_NAMES[source], fills],
          ...[identity.spread, identity.drift, identity.luck, identity.pnl, clv.dollars].map(inMoney),
          { value: clv.share, text: percent(clv.share) },
        ],
      ];
    }),
  );
  if (rows.length === 0) return '';
  return [
    '<h3>by other prices</h3>',
    table(
      ['phase', 'prices', 'fills with one', 'spread', 'drift', 'luck', 'P&L of these', 'CLV', 'above the close'],
      rows,
      true,
    ),
  ].join('');
}

/** The model against the close, by the distance of its price from even. */
function modelPart(model: ReportScenario['model'] = []): string {
  const known = model.filter(({ fills }) => fills > 0);
  if (known.length === 0) return '';
  const inPoints = (value: number | null) => ({ value, text: value === null ? NOT_KNOWN : value.toFixed(2) });
  return [
    '<h3>the model against the close</h3>',
    table(
      ['points from even', 'fills', 'model − close, mean', 'root mean square'],
      known.map(({ from, to, fills, mean, rms }) => [
        ...[to === null ? `${from} or more` : `${from} to ${to}`, fills, inPoints(mean), inPoints(rms)],
      ]),
      true,
    ),
    remark(
      'Points of probability, spreads and totals before the start. Main lines are near even, alternative lines far from it.',
    ),
  ].join('');
}

const SOURCE_NAMES = { fair: 'fair: signals', odds: 'odds feed', model: 'model of the feed', own: 'own fair' } as const;

export function markoutSection({ figures, pictures }: ReportScenario): string {
  if (fillsIn(figures) === 0) return section('markouts', 'Markouts', remark('Nothing filled.'));
  return section(
    'markouts',
    'Markouts',
    inPhases(figures, (part, name, key) =>
      [
        curvesOf(pictures.markouts[key], name),
        remark(
          `At 60 s ${partly(part.markouts['60s'], part.known['markouts']?.['60s'])}, ${points(part.markoutsPerPayout['60s'])} points by payout, plain mean ${points(part.plainMarkouts['60s'])}; at 300 s ${partly(part.markouts['300s'], part.known['markouts']?.['300s'])}, ${points(part.markoutsPerPayout['300s'])} points, plain mean ${points(part.plainMarkouts['300s'])}.`,
        ),
      ].join(''),
    ),
    remark(
      'The value of fills some seconds later less their cost, in cents per dollar of payout. The bands hold 95 % of draws of games, or of five-minute blocks when games are few.',
    ),
    csvLink(
      'markouts',
      ['phase', 'by', 'key', 'seconds', 'fills', 'mean', 'low', 'high'],
      partsOf(figures).flatMap(({ key: part, name }) =>
        pictures.markouts[part].flatMap(({ by, curves }) =>
          curves.flatMap(({ key, points: curve }) =>
            curve.map((point) => [name, by, key, point.seconds, point.fills, point.mean, point.low, point.high]),
          ),
        ),
      ),
    ),
  );
}

function curvesOf(cuts: ReportScenario['pictures']['markouts'][Key], name: string): string {
  const seconds = cuts[0]?.curves[0]?.points.map((point) => point.seconds) ?? [];
  const x = (index: number): number => index / Math.max(1, seconds.length - 1);
  const marks = seconds.map((value, index) => ({ x: x(index), text: `${value} s` }));
  return cuts
    .flatMap(({ by, curves }) => {
      if (curves.length === 0 || (by !== 'all' && curves.length < 2)) return [];
      const lines = curves.map(({ key, points: curve }, index): Line => ({
        name: key,
        tone: toneOf(index),
        points: curve.map(({ mean }, position) => [x(position), mean === null ? null : 100 * mean]),
        band: curve.flatMap(({ low, high }, position) =>
          low === null || high === null ? [] : [[x(position), 100 * low, 100 * high] as const],
        ),
      }));
      const title = by === 'all' ? '' : `<h4>by ${escaped(by)}</h4>`;
      const label = `markout ${name} by ${by}, cents per dollar of payout`;
      return [
        `${title}${chart({ lines, marks, format: (value) => `${value} ¢`.replace('-', '−'), fromZero: true, height: 120, label })}`,
      ];
    })
    .join('');
}

/** Columns of the attribution table. */
const COLUMNS: readonly (readonly [name: string, valueOf: (row: AttributionRow) => number | null, isMoney: boolean])[] =
  [
    ['fills', (row) => row.fills, false],
    ['risk', (row) => row.risk, true],
    ['spread', (row) => row.spread, true],
    ['drift', (row) => row.drift, true],
    ['luck', (row) => row.luck, true],
    ['commission', (row) => row.commission, true],
    ['P&L', (row) => row.pnl, true],
    ['unpriced', (row) => row.unpriced, false],
    ['their P&L', (row) => row.unpricedPnl, true],
    ['CLV', (row) => row.clv, true],
    ['60 s', (row) => row.markout60s, true],
    ['300 s', (row) => row.markout300s, true],
  ];
/** Columns that are left out when they are 0 in all rows. */
const WHERE_ANY = new Set(['commission', 'unpriced', 'their P&L']);
/** Most rows of one table. With more, those with the largest stakes are shown, and the CSV has all. */
const MOST_ROWS = 40;

export function attributionSection({ figures, names = {} }: ReportScenario): string {
  return section(
    'attribution',
    'By what',
    inPhases(figures, (part, name, key) =>
      ATTRIBUTIONS.map((by, index) => attributionTable(by, part.attribution[by], key, name, names, index < 1)).join(''),
    ),
  );
}

function attributionTable(
  by: AttributionName,
  rows: readonly AttributionRow[],
  key: Key,
  phase: string,
  games: Readonly<Record<string, string>>,
  isOpen: boolean,
): string {
  const columns = COLUMNS.filter(
    ([name, valueOf]) =>
      (!WHERE_ANY.has(name) || rows.some((row) => (valueOf(row) ?? 0) !== 0)) && !(key === 'inplay' && name === 'CLV'),
  );
  const names = [by, ...columns.map(([name]) => (name === 'drift' ? driftIn(key) : name))];
  const shown = rows.slice(0, MOST_ROWS);
  const cells = shown.map((row) => [
    shownKey(by, row.key, games),
    ...columns.map(([, valueOf, isMoney]) => (isMoney ? inMoney(valueOf(row)) : valueOf(row))),
  ]);
  const link = csvLink(
    `by-${by}-${key}`,
    names,
    rows.map((row) => [row.key, ...columns.map(([, valueOf]) => valueOf(row))]),
  );
  const note = rows.length > shown.length ? remark(`${rows.length - shown.length} more are in the CSV.`) : '';
  const open = isOpen || by === 'strategy' ? ' open' : '';
  return `<details${open}><summary>${by}, ${phase} (${rows.length}) ${link}</summary>${table(names, cells, true)}${note}</details>`;
}

const distance = (from: number | null, to: number | null): string =>
  from === null ? 'beyond fair' : to === null ? `${points(from)} and more` : `${points(from)} to ${points(to)}`;

export function quotingSection({ figures }: ReportScenario): string {
  return section(
    'quoting',
    'Fill rate by distance, and the queue',
    partsOf(figures)
      .filter(({ of: part }) => part.quoting.orders > 0 || fillsIn(part) > 0)
      .map(({ key, name, of: part }) => `<h3 class="phase">${name}</h3>${quotingPart(part, key)}`)
      .join(''),
    csvLink(
      'fill-rate',
      ['phase', 'league', 'from', 'to', 'quote_hours', 'fills', 'rate'],
      figures.quoting.byLeague.flatMap(({ phase, league, fillRate }) =>
        fillRate.map((row) => [phase, league, row.from, row.to, row.quoteHours, row.fills, row.rate]),
      ),
    ),
    csvLink(
      'queue',
      ['phase', 'from', 'orders', 'filled'],
      partsOf(figures).flatMap(({ name, of: part }) =>
        part.quoting.byQueue.map((row) => [name, row.from, row.orders, row.filled]),
      ),
    ),
  );
}

function quotingPart({ quoting }: SectionFigures, key: Key): string {
  const { byQueue, byLeague } = quoting;
  const facts = [
    `${quoting.orders.toLocaleString('en-US')} orders rested, half of them for less than ${quoting.medianLifeMs === null ? NOT_KNOWN : `${(quoting.medianLifeMs / 1000).toFixed(1)} s`}.`,
    `At the best price of their side ${percent(quoting.atBest)} of the time; weighted by payout ${points(quoting.meanDistance)} points from fair on average (plain ${points(quoting.plainMeanDistance)}), half of it nearer than ${points(quoting.medianDistance)} (plain ${points(quoting.plainMedianDistance)}).`,
    `${quoting.cancelsPerFill === null ? 'No fill' : `${quoting.cancelsPerFill.toFixed(1)} cancels and edits for each fill`}.`,
  ];
  // rates pooled over phases would mean nothing
  const rates = key === 'sum' ? [] : byLeague;
  return [
    remark(facts.join(' ')),
    ...rates.map(({ league, fillRate, fillRateFit }) =>
      [
        `<h4>${escaped(league)}: fills an hour of one quote, by distance from fair in points</h4>`,
        bars(
          fillRate.map(({ from, to, rate, fills, quoteHours }) => ({
            name: distance(from, to),
            value: rate ?? 0,
            text: `${rate === null ? 'nothing rested' : `${rate.toFixed(1)}/h`} (${fills} in ${quoteHours.toFixed(1)} h)`,
          })),
          `fills an hour of one quote, by distance from fair, ${league}`,
        ),
        remark(`Its fit: ${fitText(fillRateFit)}.`),
      ].join(''),
    ),
    '<h4>share of orders that filled, by what stood before them</h4>',
    bars(
      byQueue.map(({ from, orders, filled }, index) => ({
        name: index === 0 ? 'nothing' : `$${from.toLocaleString('en-US')} and more`,
        value: filled ?? 0,
        text: filled === null ? 'no order' : `${percent(filled)} of ${orders}`,
      })),
      'share of orders that filled, by the stake before them',
    ),
  ].join('');
}
