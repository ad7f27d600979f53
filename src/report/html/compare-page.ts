// Two runs side by side in one HTML file.
import { PHASES, PHASE_NAMES } from '../../domain/index.ts';
import type { OrderComparison } from '../compare.ts';
import { csvLink, escaped, money, NOT_KNOWN, remark, section, table } from './markup.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

export type Comparison = {
  readonly a: string;
  readonly b: string;
  readonly figures: readonly {
    readonly path: string;
    readonly a: number | null;
    readonly b: number | null;
  }[];
  readonly orders: OrderComparison | undefined;
};

export function compareHtml({ a, b, figures, orders }: Comparison): string {
  const rows = figures.map(
    (row) => [row.path, row.a, row.b, row.a === null || row.b === null ? null : row.b - row.a] as const,
  );
  const shown = (value: number | null) => ({
    value,
    text: value === null ? NOT_KNOWN : String(Math.round(value * 1e4) / 1e4),
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>Two runs</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Two runs</h1>
<p>A: ${escaped(a)}<br>B: ${escaped(b)}</p>
${section(
  'figures',
  'Figures',
  // pre-match first, the sum last
  ...[...PHASES.map((phase) => [PHASE_NAMES[phase], `phases.${phase}.`] as const), ['both', ''] as const].map(
    ([name, before]) => {
      const part = rows.filter(([path]) => (before === '' ? !path.startsWith('phases.') : path.startsWith(before)));
      return `<h3 class="phase">${name}</h3>${table(
        ['figure', 'A', 'B', 'B − A'],
        part.map(([path, ...values]) => [path.slice(before.length), ...values.map(shown)]),
        true,
      )}`;
    },
  ),
  csvLink('figures', ['figure', 'a', 'b', 'difference'], rows),
)}
${orders === undefined ? section('orders', 'Orders', remark('Orders are compared when both runs have them: backtest --orders.')) : ordersSection(orders)}
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function ordersSection({ both, onlyA, onlyB, filledAlike, filledA, filledB, partings }: OrderComparison): string {
  const rows = partings.map(({ t, a, b, why }) => {
    const order = a ?? b;
    return [
      new Date(Math.round(t)).toISOString(),
      b === undefined ? 'A only' : a === undefined ? 'B only' : 'both',
      ...[order?.strategy ?? '', order?.market ?? '', order?.side ?? '', why],
    ];
  });
  return section(
    'orders',
    'Orders',
    remark(
      `${both} in both, ${filledAlike} of them filled alike; ${onlyA} in A only, ${onlyB} in B only; filled ${money(filledA)} and ${money(filledB)}. Differences, the earliest first:`,
    ),
    table(['time', 'in', 'strategy', 'market', 'side', 'why'], rows, true),
    csvLink('partings', ['time', 'in', 'strategy', 'market', 'side', 'why'], rows),
  );
}
