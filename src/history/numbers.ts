// Numbers as spreadsheets and bookmakers write them: `$1,234.50`, `1.234,50 €`, `USD 50`, `(12.30)`. Whether the comma
// or the point is the decimal mark is decided once for a file, because `1,234` alone may be either.

export type DecimalMark = '.' | ',';

/** Blanks, apostrophes between thousands, and symbols of currencies. */
const BLANKS = /[\s\u00A0\u202F'’\p{Sc}]/gu;
/** Codes of currencies before or after an amount. */
const CODES = /^[A-Za-z]{1,4}(?=[-+(\d])|(?<=[\d)])[A-Za-z]{1,4}$/g;

const bareOf = (text: string): string => text.replace(BLANKS, '').replace(CODES, '').replace(/[−–]/g, '-');

/**
 * The decimal mark of the cells of one file; undefined when some cells need the comma and others the point.
 * @param cells cells with numbers
 */
export function decimalMarkOf(cells: Iterable<string>): DecimalMark | undefined {
  const seen = { '.': false, ',': false };
  for (const cell of cells) {
    const bare = bareOf(cell);
    const [point, comma] = [bare.lastIndexOf('.'), bare.lastIndexOf(',')];
    if (point >= 0 && comma >= 0) seen[point > comma ? '.' : ','] = true;
    // three digits after a single mark may be thousands
    else if (/[.,]/.test(bare) && !/^[-+(]?\d{1,3}[.,]\d{3}\)?$/.test(bare)) seen[point >= 0 ? '.' : ','] = true;
  }
  if (seen['.'] && seen[',']) return undefined;
  return seen[','] ? ',' : '.';
}

/** A number; undefined when the text is none. Brackets around an amount are a minus. */
export function numberOf(text: string, mark: DecimalMark): number | undefined {
  const bare = bareOf(text);
  const isNegative = /^\(.*\)$/.test(bare);
  const thousands = mark === '.' ? ',' : '.';
  const plain = bare.replace(/[()]/g, '').replaceAll(thousands, '').replace(mark, '.');
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(plain)) return undefined;
  return (isNegative ? -1 : 1) * Number(plain) + 0;
}
