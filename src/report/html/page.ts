// A report as one HTML file: no network, no library, every chart with its data. The first scenario is in the page as it
// is, the others are packed and unpacked when they are chosen.
import type { ReportData, ReportScenario } from '../report-data.ts';
import { packedText } from './chosen-charts.ts';
import { gamesSection } from './games-section.ts';
import { quotesSection, seriesSection } from './market-section.ts';
import { escaped, money, percent, remark } from './markup.ts';
import { attributionSection, identitySection, markoutSection, quotingSection } from './phase-sections.ts';
import { SCRIPT } from './script.ts';
import {
  calibrationSection,
  equitySection,
  eventLogSection,
  inventorySection,
  limitsSection,
  monthsSection,
  permitSection,
} from './sections.ts';
import { STYLE } from './style.ts';
import { summarySection } from './summary-section.ts';

const NAVIGATION = [
  ...([
    'phases',
    'identity',
    'equity',
    'months',
    'markouts',
    'attribution',
    'quotes',
    'series',
    'inventory',
    'games',
    'quoting',
    'permits',
  ] as const),
  ...(['calibration', 'held', 'alerts', 'limits'] as const),
];

/** Sections about quotes, orders and requests, which a table of fills does not have. */
const OF_QUOTES = ['quotes', 'inventory', 'games', 'quoting', 'permits', 'held', 'alerts'] as const;

/** Scenarios that are drawn in addition to the chosen one; others get a line of text. */
const DRAWN = ['calibrated', 'pessimistic', 'live'];

const quotingSections = (scenario: ReportScenario): readonly string[] => [
  quotesSection(scenario),
  seriesSection(scenario),
  inventorySection(scenario),
  gamesSection(scenario),
  quotingSection(scenario),
  permitSection(scenario),
];

/** Everything that depends on the chosen scenario. */
function scenarioHtml(data: ReportData, chosen: string, scenario: ReportScenario): string {
  const scenarios = Object.entries(data.scenarios);
  const ordered = [[chosen, scenario] as const, ...scenarios.filter(([name]) => name !== chosen)];
  const drawn = ordered.filter(([name], index) => index === 0 || DRAWN.includes(name));
  const others = ordered.filter((other) => !drawn.includes(other));
  const months = monthsSection(drawn);
  const series = seriesSection(scenario);
  const isShown: Readonly<Record<string, boolean>> = {
    months: months !== '',
    series: series !== '',
    games: (scenario.games ?? []).length > 0,
    ...(scenario.fillsOnly === true && Object.fromEntries(OF_QUOTES.map((id) => [id, false]))),
  };
  return [
    `<nav>${NAVIGATION.filter((id) => isShown[id] ?? true)
      .map((id) => `<a href="#${id}">${id}</a>`)
      .join('')}</nav>`,
    summarySection(scenario),
    identitySection(scenario, chosen),
    ...others.map(([name, { figures, eventLog }]) => {
      const { identity, edge } = figures;
      const fills = identity.fills + identity.unpriced + identity.open;
      return remark(
        `${name}, where everything that vanished was taken: ${fills} fills, P&L ${money(identity.pnl)}, edge ${money(edge.dollars)}, quoted ${percent(eventLog.quotedShare)}.`,
      );
    }),
    equitySection(
      drawn,
      scenarios.map(([name]) => name),
    ),
    ...(months === '' ? [] : [months]),
    markoutSection(scenario),
    attributionSection(scenario),
    ...(scenario.fillsOnly === true ? [] : quotingSections(scenario)),
    calibrationSection(ordered),
    ...(scenario.fillsOnly === true ? [] : [eventLogSection(scenario)]),
    limitsSection(scenario.limits ?? data.limitations),
  ].join('\n');
}

/** A choice of the scenario. Empty where there is one. */
function switchOf(names: readonly string[]): string {
  if (names.length < 2) return '';
  const options = names.map(
    (name, index) =>
      `<label><input type="radio" name="scenario" value="${escaped(name)}" autocomplete="off"${index === 0 ? ' checked' : ''}>${escaped(name)}</label>`,
  );
  return `<fieldset class="switch" hidden><legend>scenario</legend>${options.join('')}</fieldset>`;
}

/** The whole page. Without a scenario it says so. */
export function reportHtml(data: ReportData): string {
  const scenarios = Object.entries(data.scenarios);
  const [first, ...others] = scenarios;
  const time = data.from === null || data.to === null ? '' : `${data.from} to ${data.to}`;
  const body =
    first === undefined
      ? '<p class="verdict">This run has no scenario: there is nothing to show.</p>'
      : `${switchOf(scenarios.map(([name]) => name))}
<main data-scenario="${escaped(first[0])}">
${scenarioHtml(data, ...first)}
</main>`;
  const packed = others.map(
    ([name, scenario]) =>
      `<script type="text/plain" id="scenario-${escaped(name)}">${packedText(scenarioHtml(data, name, scenario))}</script>`,
  );
  const inputs = data.inputs
    .map(([name, value]) => `<tr><td>${escaped(name)}</td><td>${escaped(value)}</td></tr>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escaped(data.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(data.title)}</h1>
<p class="said">${escaped(time)}</p>
${body}
<section id="inputs"><h2>${first?.[1].fillsOnly === true ? 'What was read' : 'What was run'}</h2><div class="scroll"><table><tbody>${inputs}</tbody></table></div></section>
${packed.join('\n')}
<script>${SCRIPT}</script>
</body>
</html>
`;
}
