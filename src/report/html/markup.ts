// Builds small pieces of HTML and SVG as text.

/** Text for an unknown value. */
export const NOT_KNOWN = 'not known';

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const money = (amount: number | null | undefined): string =>
  amount === null || amount === undefined
    ? NOT_KNOWN
    : `${amount < 0 ? '−' : ''}$${Math.abs(amount).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const percent = (share: number | null | undefined, digits = 1): string =>
  share === null || share === undefined ? NOT_KNOWN : `${(100 * share).toFixed(digits).replace('-', '−')} %`;

/** A probability as points. */
export const points = (p: number | null | undefined): string =>
  p === null || p === undefined ? NOT_KNOWN : (100 * p).toFixed(2).replace('-', '−');

export type Cell = string | number | null;

/**
 * A table with a header that sorts. Numbers are aligned right; a number may be shown as another text.
 * `isWide`: on a phone each row is a card, so that no column is off the screen.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly (Cell | { readonly value: number | null; readonly text: string })[])[],
  isWide = false,
): string {
  const cell = (content: (typeof rows)[number][number], column: number): string => {
    const named = isWide && column > 0 ? ` data-name="${escaped(head[column] ?? '')}"` : '';
    if (content === null) return `<td class="n" data-v=""${named}>${NOT_KNOWN}</td>`;
    if (typeof content === 'string') return `<td${named}>${escaped(content)}</td>`;
    const { value, text } =
      typeof content === 'number' ? { value: content, text: content.toLocaleString('en-US') } : content;
    const tone = value !== null && value < 0 && text.includes('$') ? ' neg' : '';
    return `<td class="n${tone}" data-v="${value ?? ''}"${named}>${escaped(text)}</td>`;
  };
  return [
    `<div class="scroll"><table class="sort${isWide ? ' cards' : ''}"><thead><tr>`,
    ...head.map(
      (name, column) => `<th${column === 0 ? '' : ' class="n"'}><button type="button">${escaped(name)}</button></th>`,
    ),
    '</tr></thead><tbody>',
    ...rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`),
    '</tbody></table></div>',
  ].join('');
}

export const inMoney = (value: number | null): { readonly value: number | null; readonly text: string } => ({
  value,
  text: money(value),
});

/** A link to the data of a chart as CSV. */
export function csvLink(name: string, head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const field = (cell: Cell): string => {
    const text = cell === null ? '' : String(cell);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const text = [head, ...rows].map((row) => row.map(field).join(',')).join('\n');
  return `<a class="csv" download="${name}.csv" href="data:text/csv;charset=utf-8,${encodeURIComponent(`${text}\n`)}">CSV</a>`;
}

/** A part of the page with a heading. */
export const section = (id: string, title: string, ...inside: readonly string[]): string =>
  `<section id="${id}"><h2>${escaped(title)}</h2>${inside.join('\n')}</section>`;

export const remark = (text: string): string => `<p class="said">${escaped(text)}</p>`;

const TONES = ['a', 'b', 'c', 'd', 'e', 'f'];
/** The colour class of a line in a chart with several lines. */
export const toneOf = (index: number): string => TONES[index % TONES.length] ?? 'a';
