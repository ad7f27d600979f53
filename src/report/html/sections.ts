// The sections of a report about the account as a whole, in reading order (figures.md, "report.html"). The
// sections by phase are in phase-sections.ts.
import { PHASES, PHASE_NAMES } from '../../domain/index.ts';
import type { ReportScenario } from '../report-data.ts';
import { timeAxis } from '../../run/index.ts';
import { bars, chart } from './charts.ts';
import type { Line } from './charts.ts';
import { phaseTable } from './in-phases.ts';
import { csvLink, inMoney, money, NOT_KNOWN, percent, points, remark, section, table, toneOf } from './markup.ts';

type Scenarios = readonly (readonly [name: string, scenario: ReportScenario])[];

const iso = (t: number): string => new Date(t).toISOString();
const short = (value: number): string => money(value).replace(/\.00$/, '');

/** @param names all scenarios, in the order of their colours */
export function equitySection(scenarios: Scenarios, names: readonly string[]): string {
  const times = [...new Set(scenarios.flatMap(([, { pictures }]) => pictures.curve.map(({ t }) => t)))].sort(
    (a, b) => a - b,
  );
  if (times.length === 0) return section('equity', 'Result over time', remark('The run has no time.'));
  const axis = timeAxis(times);
  const lines = scenarios.map(([name, { pictures }]): Line => ({
    name,
    tone: toneOf(Math.max(0, names.indexOf(name))),
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
    remark(
      (scenarios[0]?.[1].fillsOnly === true
        ? 'The sum of the settled results, dollars. A fill counts at the start of its game. '
        : 'Marked at the newest fair price, dollars. The distance between the lines shows how much depends on whether vanished offers were taken. ') +
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

/** The result of each month, where there are several. */
export function monthsSection(scenarios: Scenarios): string {
  if (!scenarios.some(([, { months = [] }]) => months.length > 1)) return '';
  return section(
    'months',
    'Result by month',
    table(
      ['scenario', 'month', 'games', 'fills', 'risk filled', 'marked', 'settled', 'edge at fill', 'edge 60 s later'],
      scenarios.flatMap(([name, { months = [] }]) =>
        months.map(({ month, games, fills, riskFilled, marked, settled, edge }) => [
          ...[name, month, games, fills, inMoney(riskFilled), inMoney(marked)],
          ...[inMoney(settled ?? null), inMoney(edge.atFill), inMoney(edge.after60s)],
        ]),
      ),
      true,
    ),
    remark('A month has the jobs whose first trading day is in it.'),
  );
}

export function inventorySection({ figures, pictures: { curve } }: ReportScenario): string {
  if (curve.length === 0) return '';
  const axis = timeAxis(curve.map(({ t }) => t));
  const { inventory, phases } = figures;
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
    remark(
      `Inventory: the payoff difference between the two sides, over all markets; at most ${money(inventory.most)}, ${money(inventory.mean)} on average (games before their start ${money(phases.prematch.inventory.most)} and ${money(phases.prematch.inventory.mean)}, games in play ${money(phases.inplay.inventory.most)} and ${money(phases.inplay.inventory.mean)}). Worst case: of all resting orders and positions together. A limit kept a quote away ${percent(inventory.atLimits)} of the time.`,
    ),
    csvLink(
      'inventory',
      ['time', 'inventory', 'in_play', 'worst'],
      curve.map((point) => [iso(point.t), point.inventory, point.inPlay, point.worst]),
    ),
  );
}

export function permitSection({ figures, pictures: { requests } }: ReportScenario): string {
  const { permits } = figures;
  const axis = timeAxis(requests.map(({ t }) => t));
  return section(
    'permits',
    'Permits',
    requests.length === 0
      ? remark('No request was sent.')
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
    remark(
      `${permits.place.toLocaleString('en-US')} place and edit requests, ${permits.cancel.toLocaleString('en-US')} cancel requests; ` +
        `${permits.meanWaitMs === null ? 'no slot waited for one' : `a slot waited ${permits.meanWaitMs} ms on average`}. Value × waiting time of all slots: ${money(permits.staleness)} × s` +
        (permits.shadowPrice === null
          ? '.'
          : `; one more permit, when they were scarce: ${money(permits.shadowPrice)}.`),
    ),
    phaseTable(
      ['place', 'cancel', 'edge per place', 'spread', 'CLV', 'P&L', 'mean wait, ms'],
      figures,
      ({ permits: used, edge }) => [
        ...[used.place, used.cancel],
        ...[edge.perPlace, used.spreadPerPlace, used.clvPerPlace, used.pnlPerPlace].map(inFine),
        used.meanWaitMs,
      ],
    ),
    csvLink(
      'requests',
      ['time', 'place', 'cancel'],
      requests.map(({ t, place, cancel }) => [iso(t), place, cancel]),
    ),
  );
}

/** Dollars per permit, with four decimals. */
const inFine = (value: number | null): { readonly value: number | null; readonly text: string } => ({
  value,
  text: value === null ? NOT_KNOWN : `$${value.toFixed(4)}`.replace('$-', '−$'),
});

export function calibrationSection(scenarios: Scenarios): string {
  const [first] = scenarios;
  if (first === undefined) return '';
  const { scores, phases } = first[1].figures;
  const { fair, close, difference, reliability } = scores;
  return section(
    'calibration',
    'Calibration',
    table(
      ['scenario', 'fills', 'spread', 'drift', 'luck', 'P&L', 'CLV, pre-match', '300 s, in play', 'edge'],
      scenarios.map(([name, { figures }]) => [
        name,
        figures.identity.fills + figures.identity.unpriced + figures.identity.open,
        ...[
          figures.identity.spread,
          figures.identity.drift,
          figures.identity.luck,
          figures.identity.pnl,
          figures.phases.prematch.clv.dollars,
          figures.phases.inplay.markouts['300s'] ?? null,
          figures.edge.dollars,
        ].map(inMoney),
      ]),
      true,
    ),
    ...PHASES.map((phase) => remark(`${PHASE_NAMES[phase]}: ${scoreText(phases[phase].scores)}`)),
    ...(fair === null || close === null
      ? []
      : [remark(`both: ${scoreText({ fair, close, difference, fills: scores.fills })}`)]),
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

function scoreText({
  fair,
  close,
  difference,
  fills,
}: Pick<ReportScenario['figures']['scores'], 'fair' | 'close' | 'difference' | 'fills'>): string {
  if (fair === null || close === null)
    return 'no fill that won or lost has both a fair price and a close: prices cannot be scored.';
  return (
    `Brier score of the fair price at the fill ${fair.brier.toFixed(4)}, of the close ${close.brier.toFixed(4)} ` +
    `(difference ${difference?.brier.toFixed(4) ?? NOT_KNOWN}${difference?.error === null || difference === null ? '' : ` ± ${difference.error.toFixed(4)}`}); ` +
    `log loss ${fair.logLoss.toFixed(4)} and ${close.logLoss.toFixed(4)}, over ${fills} fills.`
  );
}

/** The score of the model of vanished offers, and the part of the result that depends on it. */
function fillModelPart(model: ReportScenario['figures']['fillModel']): string {
  if (model === undefined) return '';
  const { score, share, pnl } = model;
  const dependence =
    share === null || pnl === null
      ? ''
      : ` ${percent(share)} of the filled stakes and ${money(pnl)} of the result depend on it.`;
  if (score === null)
    return remark(`The fill model "${model.name}" decides what vanished offers did; it carries no score.${dependence}`);
  const rows = score.reliability.map(({ offers, expected, taken }, tenth) => [
    `${(tenth / 10).toFixed(1)} to ${((tenth + 1) / 10).toFixed(1)}`,
    ...[offers, Math.round(expected), taken],
  ]);
  return [
    '<h3>what vanished: the fill model</h3>',
    remark(
      `The model "${model.name}"${model.lean === 0.5 ? '' : `, leaned to ${model.lean},`} was judged on ${score.offers.toLocaleString('en-US')} offers that it had not seen: ` +
        `Brier score ${score.brier.toFixed(4)}, the best constant ${score.brierOfConstant.toFixed(4)}; stakes taken ${score.stakes.toFixed(2)} times the truth, the constant ${score.stakesOfConstant.toFixed(2)} times.${dependence}`,
    ),
    table(['taken, by the model', 'offers', 'expected', 'taken'], rows, true),
    csvLink('fill-model', ['tenth', 'offers', 'expected', 'taken'], rows),
  ].join('');
}

const refusalsText = (refusals: Readonly<Record<string, number>>): string => {
  const reasons = Object.entries(refusals).map(([reason, count]) => `${count} × ${reason}`);
  return reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
};

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function eventLogSection({ eventLog }: ReportScenario): string {
  const counts = (values: Readonly<Record<string, number>>, text: (value: number) => string) =>
    Object.entries(values)
      .sort(([, a], [, b]) => b - a)
      .map(([name, value]) => ({ name, value, text: text(value) }));
  const held = counts(eventLog.heldBack, (value) => percent(value));
  const idle = counts(eventLog.idle, (value) => value.toLocaleString('en-US'));
  const alerts = Object.entries(eventLog.alerts);
  const answers = Object.entries(eventLog.http).map(
    ([status, count]) => `${count.toLocaleString('en-US')} × ${status === '0' ? 'none' : status}`,
  );
  return [
    section(
      'held',
      'Held back, and no quote',
      held.length === 0
        ? remark('No control held anything back.')
        : `<h3>share of the wanted time</h3>${bars(held, 'share of the wanted time held back, by control')}`,
      idle.length === 0
        ? remark('No intent was without a quote.')
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
      remark(
        `${eventLog.placed.toLocaleString('en-US')} orders placed, ${eventLog.cancelled.toLocaleString('en-US')} cancelled, ${eventLog.refused} refused${refusalsText(eventLog.refusals)}, ${eventLog.unknown} without a readable answer at some time. Answers: ${answers.join(', ')}.`,
      ),
      eventLog.signals === null
        ? ''
        : remark(
            `Prices from outside were read ${eventLog.signals.reads.toLocaleString('en-US')} times; half of them were at most ${inSeconds(eventLog.signals.p50Ms)} old, 95 % at most ${inSeconds(eventLog.signals.p95Ms)}.`,
          ),
      alerts.length === 0
        ? remark('No alert.')
        : table(
            ['alert', 'times'],
            alerts.map(([code, count]) => [code, count]),
          ),
    ),
  ].join('\n');
}

export const limitsSection = (limitations: readonly string[]): string =>
  section(
    'limits',
    'What this run cannot show',
    limitations.length === 0
      ? remark('Nothing is known to be missing.')
      : `<ul>${limitations.map((text) => `<li>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</li>`).join('')}</ul>`,
  );
