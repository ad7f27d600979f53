// Small pieces of HTML and SVG as text.

/** Of what nobody can know. */
export const NOT_KNOWN = 'not known';

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const money = (amount: number | null | undefined): string =>
  amount === null || amount === undefined
    ? NOT_KNOWN
    : `${amount < 0 ? '−' : ''}$${Math.abs(amount).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const percent = (share: number | null | undefined, digits = 1): string =>
  share === null || share === undefined ? NOT_KNOWN : `${(100 * share).toFixed(digits).replace('-', '−')} %`;

/** Points of probability. */
export const points = (p: number | null | undefined): string =>
  p === null || p === undefined ? NOT_KNOWN : (100 * p).toFixed(2).replace('-', '−');

export type Cell = string | number | null;

/**
 * With a header that sorts. Numbers stand to the right; a number may be shown as another text. `isWide`: on a phone each row is a
 * card, so that no column is off the screen.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly (Cell | { readonly value: number | null; readonly text: string })[])[],
  isWide = false,
): string {
  const cell = (of: (typeof rows)[number][number], column: number): string => {
    const named = isWide && column > 0 ? ` data-name="${escaped(head[column] ?? '')}"` : '';
    if (of === null) return `<td class="n" data-v=""${named}>${NOT_KNOWN}</td>`;
    if (typeof of === 'string') return `<td${named}>${escaped(of)}</td>`;
    const { value, text } = typeof of === 'number' ? { value: of, text: of.toLocaleString('en-US') } : of;
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

/** What a picture shows, for a spreadsheet. */
export function csvLink(name: string, head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const field = (of: Cell): string => {
    const text = of === null ? '' : String(of);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const text = [head, ...rows].map((row) => row.map(field).join(',')).join('\n');
  return `<a class="csv" download="${name}.csv" href="data:text/csv;charset=utf-8,${encodeURIComponent(`${text}\n`)}">CSV</a>`;
}

/** A part of the page with a heading; what is said of it stands below. */
export const section = (id: string, title: string, ...inside: readonly string[]): string =>
  `<section id="${id}"><h2>${escaped(title)}</h2>${inside.join('\n')}</section>`;

export const remark = (text: string): string => `<p class="said">${escaped(text)}</p>`;

const TONES = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Of several lines in one picture. */
export const toneOf = (index: number): string => TONES[index % TONES.length] ?? 'a';
