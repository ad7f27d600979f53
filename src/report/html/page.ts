// A report as one HTML file: no network, no library, every chart with its data.
import type { ReportData, ReportScenario } from '../report-data.ts';
import { gamesSection } from './games-section.ts';
import { escaped, money, percent, remark } from './markup.ts';
import { attributionSection, identitySection, markoutSection, quotingSection } from './phase-sections.ts';
import {
  calibrationSection,
  equitySection,
  eventLogSection,
  inventorySection,
  limitsSection,
  monthsSection,
  permitSection,
  quotesSection,
} from './sections.ts';
import { SCRIPT, STYLE } from './style.ts';

const NAVIGATION = [
  ...([
    'identity',
    'equity',
    'months',
    'markouts',
    'attribution',
    'quotes',
    'inventory',
    'games',
    'quoting',
    'permits',
  ] as const),
  ...(['calibration', 'held', 'alerts', 'limits'] as const),
];

/** Sections about quotes, orders and requests, which a table of fills does not have. */
const OF_QUOTES = ['quotes', 'inventory', 'games', 'quoting', 'permits', 'held', 'alerts'] as const;

/** Scenarios that are drawn in addition to the first; others get a line of text. */
const DRAWN = ['calibrated', 'pessimistic', 'live'];

const quotingSections = (scenario: ReportScenario): readonly string[] => [
  quotesSection(scenario),
  inventorySection(scenario),
  gamesSection(scenario),
  quotingSection(scenario),
  permitSection(scenario),
];

/** The whole page. Without a scenario it says so. */
export function reportHtml(data: ReportData): string {
  const scenarios = Object.entries(data.scenarios);
  const [first] = scenarios;
  const drawn = scenarios.filter(([name], index) => index === 0 || DRAWN.includes(name));
  const others = scenarios.filter((scenario) => !drawn.includes(scenario));
  const months = monthsSection(drawn);
  const isShown: Readonly<Record<string, boolean>> = {
    months: months !== '',
    games: (first?.[1].games ?? []).length > 0,
    ...(first?.[1].fillsOnly === true && Object.fromEntries(OF_QUOTES.map((id) => [id, false]))),
  };
  const time = data.from === null || data.to === null ? '' : `${data.from} to ${data.to}`;
  const body =
    first === undefined
      ? '<p class="verdict">This run has no scenario: there is nothing to show.</p>'
      : [
          `<nav>${NAVIGATION.filter((id) => isShown[id] ?? true)
            .map((id) => `<a href="#${id}">${id}</a>`)
            .join('')}</nav>`,
          identitySection(first[1], first[0]),
          ...others.map(([name, { figures, eventLog }]) => {
            const { identity, edge } = figures;
            const fills = identity.fills + identity.unpriced + identity.open;
            return remark(
              `${name}, where everything that vanished was taken: ${fills} fills, P&L ${money(identity.pnl)}, edge ${money(edge.dollars)}, quoted ${percent(eventLog.quotedShare)}.`,
            );
          }),
          equitySection(drawn),
          ...(months === '' ? [] : [months]),
          markoutSection(first[1]),
          attributionSection(first[1]),
          ...(first[1].fillsOnly === true ? [] : quotingSections(first[1])),
          calibrationSection(scenarios),
          ...(first[1].fillsOnly === true ? [] : [eventLogSection(first[1])]),
          limitsSection(data),
        ].join('\n');
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
<script>${SCRIPT}</script>
</body>
</html>
`;
}
