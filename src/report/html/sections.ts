// The parts of a report, in the order in which they are read (REPORT.md, "report.html").
import type { AttributionRow } from '../attribution.ts';
import { ATTRIBUTIONS, shownKey } from '../attribution.ts';
import type { ReportData, ReportScenario } from '../report-data.ts';
import { timeAxis } from '../time-axis.ts';
import { bars, chart, waterfall } from './charts.ts';
import type { Dot, Line } from './charts.ts';
import { csvLink, escaped, inMoney, money, percent, points, said, section, table } from './markup.ts';

type Scenarios = readonly (readonly [name: string, scenario: ReportScenario])[];

const TONES = ['a', 'b', 'c', 'd', 'e', 'f'];
const toneOf = (index: number): string => TONES[index % TONES.length] ?? 'a';

const iso = (t: number): string => new Date(t).toISOString();
const short = (value: number): string => money(value).replace(/\.00$/, '');

export function verdict({ figures, happened }: ReportScenario, name: string): string {
  const { identity, clv, interval } = figures;
  const settled = identity.fills + identity.unpriced;
  const what =
    settled === 0
      ? `nothing is settled; ${identity.open} fills are open`
      : `P&L ${money(Math.round(100 * ((identity.pnl ?? 0) + identity.unpricedPnl)) / 100)} in ${settled} settled fills`;
  const chance =
    interval.note !== null
      ? `${interval.games} ${interval.games === 1 ? 'game' : 'games'}, ${interval.note}: no interval`
      : `95 % of CLV between ${money(interval.clvLow)} and ${money(interval.clvHigh)} over ${interval.games} games`;
  return `${name}: ${what}; CLV ${money(clv.dollars)}; ${chance}${happened.end === null ? '' : `; it ended early: ${happened.end}`}.`;
}

export function identitySection({ figures, happened }: ReportScenario, name: string): string {
  const { identity, clv, permits, inventory, luck, pickedOff, quoting } = figures;
  const tiles: readonly (readonly [string, string])[] = [
    [clv.unknown === 0 ? 'CLV' : `CLV; ${clv.unknown} fills have no close`, money(clv.dollars)],
    ['fills above the close', percent(clv.share)],
    ['spread captured, all fills', money(identity.captured)],
    ['luck, one deviation', luck.deviation === null ? '–' : `± ${money(luck.deviation)}`],
    ['max drawdown', money(inventory.maxDrawdown)],
    ['worst case', money(inventory.worst)],
    [
      'CLV per place permit',
      permits.clvPerPlace === null ? '–' : `$${permits.clvPerPlace.toFixed(4)}`.replace('$-', '−$'),
    ],
    ['quoted of wanted', percent(happened.quotedShare)],
    ['two-sided', percent(quoting.twoSided)],
    [
      'picked off late, after 60 s',
      `${pickedOff.latency.fills} · <i>${money(pickedOff.latency.money60s)}</i>`,
    ],
    ['mispriced, after 60 s', `${pickedOff.pricing.fills} · <i>${money(pickedOff.pricing.money60s)}</i>`],
  ];
  const steps = [
    { name: 'spread captured', value: identity.spread ?? 0 },
    { name: 'drift to the close', value: identity.drift ?? 0 },
    { name: 'luck', value: identity.luck ?? 0 },
    ...((identity.commission ?? 0) === 0 ? [] : [{ name: 'commission', value: identity.commission ?? 0 }]),
    { name: 'P&L', value: identity.pnl ?? 0, isSum: true },
  ];
  return section(
    'identity',
    'Where the money comes from',
    `<p class="verdict">${escaped(verdict({ figures, happened } as ReportScenario, name))}</p>`,
    identity.fills === 0
      ? said('No fill is settled with a fair price and a close: there is no identity yet.')
      : waterfall(steps, money),
    `<div class="tiles">${tiles.map(([label, value]) => `<div class="tile"><b>${value}</b><span>${label}</span></div>`).join('')}</div>`,
    csvLink(
      'identity',
      ['part', 'dollars'],
      steps.map((step) => [step.name, step.value]),
    ),
    outsidePart(figures.outside),
  );
}

/** The same by the prices of whoever prices the markets outside. */
function outsidePart({ fills, identity, clv }: ReportScenario['figures']['outside']): string {
  if (fills === 0) return '';
  return [
    '<h3>by the prices from outside</h3>',
    table(
      ['fills with one', 'spread', 'drift', 'luck', 'P&L of these', 'CLV', 'above the close'],
      [
        [
          fills,
          ...[identity.spread, identity.drift, identity.luck, identity.pnl, clv.dollars].map(inMoney),
          percent(clv.share),
        ],
      ],
    ),
  ].join('');
}

export function equitySection(scenarios: Scenarios): string {
  const times = [...new Set(scenarios.flatMap(([, { pictures }]) => pictures.curve.map(({ t }) => t)))].sort(
    (a, b) => a - b,
  );
  if (times.length === 0) return section('equity', 'Result over time', said('The run has no time.'));
  const axis = timeAxis(times);
  const lines = scenarios.map(([name, { pictures }], index): Line => ({
    name,
    tone: toneOf(index),
    points: pictures.curve.map(({ t, marked }) => [axis.x(t), marked]),
  }));
  return section(
    'equity',
    'Result over time',
    chart({
      lines,
      marks: axis.marks,
      gaps: axis.stretches.slice(1).map(({ from }) => from),
      format: short,
      fromZero: true,
      label: 'marked result, dollars',
      zooms: true,
    }),
    said(
      'Marked at the newest fair price, dollars. The distance between the lines is what hangs on who had the offers that vanished. ' +
        (axis.stretches.length > 1 ? 'Long silences between games are left out.' : ''),
    ),
    csvLink(
      'equity',
      ['scenario', 'time', 'marked', 'worst', 'inventory'],
      scenarios.flatMap(([name, { pictures }]) =>
        pictures.curve.map(({ t, marked, worst, inventory }) => [name, iso(t), marked, worst, inventory]),
      ),
    ),
  );
}

export function markoutSection({ pictures }: ReportScenario): string {
  const seconds = pictures.markouts[0]?.curves[0]?.points.map((point) => point.seconds) ?? [];
  if (seconds.length === 0) return section('markouts', 'Markouts', said('Nothing filled.'));
  const x = (index: number): number => index / Math.max(1, seconds.length - 1);
  const marks = seconds.map((of, index) => ({ x: x(index), text: `${of} s` }));
  const charts = pictures.markouts.flatMap(({ by, curves }) => {
    if (curves.length === 0 || (by !== 'all' && curves.length < 2)) return [];
    const lines = curves.map(({ key, points: of }, index): Line => ({
      name: key,
      tone: toneOf(index),
      points: of.map(({ mean }, at) => [x(at), mean === null ? null : 100 * mean]),
      band: of.flatMap(({ low, high }, at) =>
        low === null || high === null ? [] : [[x(at), 100 * low, 100 * high] as const],
      ),
    }));
    const title = by === 'all' ? '' : `<h3>by ${escaped(by)}</h3>`;
    return [
      `${title}${chart({ lines, marks, format: (value) => `${value} ¢`.replace('-', '−'), fromZero: true, height: 120, label: `markout by ${by}, cents per dollar of payout` })}`,
    ];
  });
  return section(
    'markouts',
    'Markouts',
    ...charts,
    said(
      'What fills were worth so many seconds later, less what they cost, in cents per dollar of payout; with bands that hold 95 % of draws of games, or of stretches of five minutes where there are few.',
    ),
    csvLink(
      'markouts',
      ['by', 'key', 'seconds', 'fills', 'mean', 'low', 'high'],
      pictures.markouts.flatMap(({ by, curves }) =>
        curves.flatMap(({ key, points: of }) =>
          of.map((point) => [by, key, point.seconds, point.fills, point.mean, point.low, point.high]),
        ),
      ),
    ),
  );
}

/** Of a row; those of which there is nothing to tell in any row are left out. */
const COLUMNS: readonly (readonly [
  name: string,
  of: (row: AttributionRow) => number | null,
  isMoney: boolean,
])[] = [
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
];
const WHERE_ANY = new Set(['commission', 'unpriced', 'their P&L']);
/** Rows of one table: of more, those with the largest stakes are shown, and all are in the CSV. */
const MOST_ROWS = 40;

export function attributionSection({ figures, names: games = {} }: ReportScenario): string {
  return section(
    'attribution',
    'By what',
    ...ATTRIBUTIONS.map((by, index) => {
      const rows = figures.attribution[by];
      const columns = COLUMNS.filter(
        ([name, of]) => !WHERE_ANY.has(name) || rows.some((row) => (of(row) ?? 0) !== 0),
      );
      const names = [by, ...columns.map(([name]) => name)];
      const shown = rows.slice(0, MOST_ROWS);
      const cells = shown.map((row) => [
        shownKey(by, row.key, games),
        ...columns.map(([, of, isMoney]) => (isMoney ? inMoney(of(row)) : of(row))),
      ]);
      const link = csvLink(
        `by-${by}`,
        names,
        rows.map((row) => [row.key, ...columns.map(([, of]) => of(row))]),
      );
      const more =
        rows.length > shown.length ? said(`${rows.length - shown.length} more are in the CSV.`) : '';
      return `<details${index < 1 || by === 'strategy' ? ' open' : ''}><summary>${by} (${rows.length}) ${link}</summary>${table(names, cells)}${more}</details>`;
    }),
  );
}

export function quotesSection({ pictures: { quotes } }: ReportScenario): string {
  if (quotes === null) return section('quotes', 'Quotes over the book', said('Nothing filled.'));
  const { points: path, fills, market, eventName } = quotes;
  const axis = timeAxis([...path.map(({ t }) => t), ...fills.map(({ t }) => t)].sort((a, b) => a - b));
  const line = (name: string, tone: string, of: (point: (typeof path)[number]) => number | null): Line => ({
    ...{ name, tone, isStep: true },
    points: path.map((point) => [axis.x(point.t), of(point)]),
  });
  const [first, second] = market.sides;
  const dots = fills.map(({ t, price, isFirst, risk }): Dot => ({
    ...{ x: axis.x(t), y: price, tone: isFirst ? 'c' : 'b' },
    title: `${iso(t)}: ${isFirst ? first : second}, ${money(risk)} at ${points(price)}`,
  }));
  return section(
    'quotes',
    `Quotes over the book: ${eventName}, ${market.type}${market.line === undefined ? '' : ` ${market.line}`}`,
    chart({
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
    }),
    said(
      `Probability that ${first} wins. Dots are fills, green where ${first} was backed. The wheel, two fingers or a drag zoom and move; a double click shows all of it.`,
    ),
    csvLink(
      'quotes',
      ['time', 'fair', 'others_first', 'others_second', 'own_first', 'own_second'],
      path.map(({ t, fair, others, own }) => [iso(t), fair, ...others, ...own]),
    ),
    csvLink(
      'quoted-fills',
      ['time', 'price', 'first', 'risk'],
      fills.map(({ t, price, isFirst, risk }) => [iso(t), price, String(isFirst), risk]),
    ),
  );
}

export function inventorySection({ figures, pictures: { curve } }: ReportScenario): string {
  if (curve.length === 0) return '';
  const axis = timeAxis(curve.map(({ t }) => t));
  const { inventory } = figures;
  return section(
    'inventory',
    'Inventory and worst case',
    chart({
      lines: [
        { name: 'inventory', tone: 'a', points: curve.map((point) => [axis.x(point.t), point.inventory]) },
        { name: 'worst case', tone: 'b', points: curve.map((point) => [axis.x(point.t), point.worst]) },
      ],
      marks: axis.marks,
      gaps: axis.stretches.slice(1).map(({ from }) => from),
      format: short,
      fromZero: true,
      label: 'inventory and worst case, dollars',
    }),
    said(
      `Inventory: what all markets pay more on one side than on the other; at most ${money(inventory.most)}, ${money(inventory.mean)} on average. Worst case: of everything that rested and was held. A limit kept a quote away ${percent(inventory.atLimits)} of the time.`,
    ),
    csvLink(
      'inventory',
      ['time', 'inventory', 'worst'],
      curve.map((point) => [iso(point.t), point.inventory, point.worst]),
    ),
  );
}

const distance = (from: number | null, to: number | null): string =>
  from === null
    ? 'beyond fair'
    : to === null
      ? `${points(from)} and more`
      : `${points(from)} to ${points(to)}`;

export function quotingSection({ figures: { quoting } }: ReportScenario): string {
  const { fillRate, fillRateFit, byQueue } = quoting;
  const facts = [
    `${quoting.orders.toLocaleString('en-US')} orders rested, half of them for less than ${quoting.medianLifeMs === null ? '–' : `${(quoting.medianLifeMs / 1000).toFixed(1)} s`}.`,
    `At the best price of their side ${percent(quoting.atBest)} of the time; ${points(quoting.meanDistance)} points from fair on average, half of the time nearer than ${points(quoting.medianDistance)}.`,
    `${quoting.cancelsPerFill === null ? 'No fill' : `${quoting.cancelsPerFill.toFixed(1)} cancels and edits for each fill`}.`,
    ...(fillRateFit === null
      ? []
      : [
          `Fills an hour of one quote: ${fillRateFit.a.toFixed(1)} at fair, ${percent(1 - Math.exp(-fillRateFit.k), 0)} fewer with each point away (k ${fillRateFit.k.toFixed(2)} ± ${fillRateFit.error.toFixed(2)}).`,
        ]),
  ];
  return section(
    'quoting',
    'Fill rate by distance, and the queue',
    said(facts.join(' ')),
    '<h3>by distance from fair, points</h3>',
    bars(
      fillRate.map(({ from, to, rate, fills, quoteHours }) => ({
        name: distance(from, to),
        value: rate ?? 0,
        text: `${rate === null ? '–' : rate.toFixed(1)}/h (${fills} in ${quoteHours.toFixed(1)} h)`,
      })),
      'fills an hour of one quote, by distance from fair',
    ),
    csvLink(
      'fill-rate',
      ['from', 'to', 'quote_hours', 'fills', 'rate'],
      fillRate.map((row) => [row.from, row.to, row.quoteHours, row.fills, row.rate]),
    ),
    '<h3>share of orders that filled, by what stood before them</h3>',
    bars(
      byQueue.map(({ from, orders, filled }, index) => ({
        name: index === 0 ? 'nothing' : `$${from.toLocaleString('en-US')} and more`,
        value: filled,
        text: `${percent(filled)} of ${orders}`,
      })),
      'share of orders that filled, by the stake before them',
    ),
    csvLink(
      'queue',
      ['from', 'orders', 'filled'],
      byQueue.map((row) => [row.from, row.orders, row.filled]),
    ),
  );
}

export function permitSection({ figures: { permits }, pictures: { requests } }: ReportScenario): string {
  const axis = timeAxis(requests.map(({ t }) => t));
  return section(
    'permits',
    'Permits',
    requests.length === 0
      ? said('No request was sent.')
      : chart({
          lines: [
            {
              name: 'place and edit',
              tone: 'a',
              isStep: true,
              points: requests.map(({ t, place }) => [axis.x(t), place]),
            },
            {
              name: 'cancel',
              tone: 'b',
              isStep: true,
              points: requests.map(({ t, cancel }) => [axis.x(t), cancel]),
            },
          ],
          marks: axis.marks,
          gaps: axis.stretches.slice(1).map(({ from }) => from),
          format: (value) => value.toLocaleString('en-US'),
          fromZero: true,
          height: 110,
          label: 'requests in each stretch of time',
        }),
    said(
      `${permits.place.toLocaleString('en-US')} place and edit requests, ${permits.cancel.toLocaleString('en-US')} cancel requests; ` +
        `a slot waited ${permits.meanWaitMs ?? 0} ms on average. What waited was worth ${money(permits.staleness)} × s in all` +
        (permits.shadowPrice === null
          ? '.'
          : `; one more permit, when they were scarce: ${money(permits.shadowPrice)}.`),
    ),
    csvLink(
      'requests',
      ['time', 'place', 'cancel'],
      requests.map(({ t, place, cancel }) => [iso(t), place, cancel]),
    ),
  );
}

export function calibrationSection(scenarios: Scenarios): string {
  const [first] = scenarios;
  if (first === undefined) return '';
  const { scores } = first[1].figures;
  const { fair, close, difference, reliability } = scores;
  return section(
    'calibration',
    'Calibration',
    table(
      ['scenario', 'fills', 'spread', 'drift', 'luck', 'P&L', 'CLV'],
      scenarios.map(([name, { figures }]) => [
        name,
        figures.identity.fills + figures.identity.unpriced + figures.identity.open,
        ...[
          figures.identity.spread,
          figures.identity.drift,
          figures.identity.luck,
          figures.identity.pnl,
          figures.clv.dollars,
        ].map(inMoney),
      ]),
    ),
    fair === null || close === null
      ? said('No fill that won or lost has both a fair price and a close: prices cannot be scored.')
      : said(
          `Brier score of the fair price at the fill ${fair.brier.toFixed(4)}, of the close ${close.brier.toFixed(4)} ` +
            `(difference ${difference?.brier.toFixed(4) ?? '–'}${difference?.error === null || difference === null ? '' : ` ± ${difference.error.toFixed(4)}`}); ` +
            `log loss ${fair.logLoss.toFixed(4)} and ${close.logLoss.toFixed(4)}, over ${scores.fills} fills.`,
        ),
    scores.fills === 0
      ? ''
      : table(
          ['close', 'fills', 'mean price', 'won'],
          reliability.flatMap(({ fills, price, won }, tenth) =>
            fills === 0
              ? []
              : [
                  [
                    `${(tenth / 10).toFixed(1)} to ${((tenth + 1) / 10).toFixed(1)}`,
                    fills,
                    { value: price, text: points(price) },
                    { value: won, text: points(won) },
                  ],
                ],
          ),
        ),
    csvLink(
      'reliability',
      ['tenth', 'fills', 'price', 'won'],
      reliability.map(({ fills, price, won }, tenth) => [tenth / 10, fills, price, won]),
    ),
    fillModelPart(first[1].figures.fillModel),
  );
}

/** How good the model of vanished offers is, and what hangs on it. */
function fillModelPart(model: ReportScenario['figures']['fillModel']): string {
  if (model === undefined) return '';
  const { score, share, pnl } = model;
  const hangs =
    share === null || pnl === null
      ? ''
      : ` Of the stakes filled here ${percent(share)} are there by what it says, and ${money(pnl)} of the result.`;
  if (score === null)
    return said(
      `What vanished goes by the fill model "${model.name}", of which nobody told how good it is.${hangs}`,
    );
  const rows = score.reliability.map(({ offers, expected, taken }, tenth) => [
    `${(tenth / 10).toFixed(1)} to ${((tenth + 1) / 10).toFixed(1)}`,
    ...[offers, Math.round(expected), taken],
  ]);
  return [
    '<h3>what vanished: the fill model</h3>',
    said(
      `The model "${model.name}"${model.lean === 0.5 ? '' : `, leaned to ${model.lean},`} was judged on ${score.offers.toLocaleString('en-US')} offers that it had not seen: ` +
        `Brier score ${score.brier.toFixed(4)}, the best constant ${score.brierOfConstant.toFixed(4)}; stakes taken ${score.stakes.toFixed(2)} times the truth, the constant ${score.stakesOfConstant.toFixed(2)} times.${hangs}`,
    ),
    table(['taken, by the model', 'offers', 'expected', 'taken'], rows),
    csvLink('fill-model', ['tenth', 'offers', 'expected', 'taken'], rows),
  ].join('');
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function happenedSection({ happened }: ReportScenario): string {
  const counts = (of: Readonly<Record<string, number>>, text: (value: number) => string) =>
    Object.entries(of)
      .sort(([, a], [, b]) => b - a)
      .map(([name, value]) => ({ name, value, text: text(value) }));
  const held = counts(happened.heldBack, (value) => percent(value));
  const idle = counts(happened.idle, (value) => value.toLocaleString('en-US'));
  const alerts = Object.entries(happened.alerts);
  const answers = Object.entries(happened.http).map(
    ([status, count]) => `${count.toLocaleString('en-US')} × ${status === '0' ? 'none' : status}`,
  );
  return [
    section(
      'held',
      'Held back, and no quote',
      held.length === 0
        ? said('No control held anything back.')
        : `<h3>share of the wanted time</h3>${bars(held, 'share of the wanted time held back, by control')}`,
      idle.length === 0
        ? said('No intent was without a quote.')
        : `<h3>intents without a quote, by their reason</h3>${bars(idle, 'intents without a quote, by reason')}`,
      csvLink(
        'held-back',
        ['what', 'name', 'value'],
        [
          ...held.map(({ name, value }) => ['held back', name, value]),
          ...idle.map(({ name, value }) => ['no quote', name, value]),
        ],
      ),
    ),
    section(
      'alerts',
      'Faults and alerts',
      said(
        `${happened.placed.toLocaleString('en-US')} orders placed, ${happened.cancelled.toLocaleString('en-US')} cancelled, ${happened.refused} refused, ${happened.unknown} without a readable answer at some time. Answers: ${answers.join(', ')}.`,
      ),
      happened.signals === null
        ? ''
        : said(
            `Prices from outside were read ${happened.signals.reads.toLocaleString('en-US')} times; half of them were at most ${inSeconds(happened.signals.p50Ms)} old, 95 % at most ${inSeconds(happened.signals.p95Ms)}.`,
          ),
      alerts.length === 0
        ? said('No alert.')
        : table(
            ['alert', 'times'],
            alerts.map(([code, count]) => [code, count]),
          ),
    ),
  ].join('\n');
}

export const limitsSection = ({ cannotTell }: ReportData): string =>
  section(
    'limits',
    'What this run cannot tell',
    cannotTell.length === 0
      ? said('Nothing is known to be missing.')
      : `<ul>${cannotTell.map((text) => `<li>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</li>`).join('')}</ul>`,
  );
