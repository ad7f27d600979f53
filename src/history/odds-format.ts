// How the numbers and odds of one table are written: decided once for the file, since `1,234` and `120` alone leave it open.
import { tableError } from './columns.ts';
import type { DecimalMark } from './numbers.ts';
import { decimalMarkOf, numberOf } from './numbers.ts';

export type NumberFormat = {
  readonly mark: DecimalMark;
  readonly odds: OddsFormat;
};

/**
 * @param odds cells with odds
 * @param amounts cells with other numbers
 * @throws OddsmakerError TABLE_INVALID: the file has both decimal marks
 */
export function numberFormatOf(odds: readonly string[], amounts: readonly string[], file: string): NumberFormat {
  const mark = decimalMarkOf([...amounts, ...odds]);
  if (mark === undefined) throw tableError(file, 'some numbers have a decimal comma and others a decimal point');
  const prices = odds.flatMap((text) => {
    const value = numberOf(text, mark);
    return value === undefined ? [] : [{ text, value }];
  });
  return { mark, odds: oddsFormatOf(prices) };
}

/** Decimal odds, stake included. Undefined: no price, or one that the rest of the file leaves open. */
export function priceOf(text: string, { mark, odds }: NumberFormat): number | undefined {
  const value = numberOf(text, mark);
  if (value === undefined) return undefined;
  if (value <= -100) return 1 - 100 / value;
  if (/^\s*\+/.test(text)) return value >= 100 ? 1 + value / 100 : undefined;
  if (value > 1 && value < 100) return value;
  if (value < 100) return undefined;
  return odds === 'american' ? 1 + value / 100 : value;
}

type OddsFormat = 'american' | 'decimal';

/**
 * How the odds of a file are written. A price of −100 or less, or with a plus, is American; one below 100 is decimal. A
 * file may have both.
 */
function oddsFormatOf(values: readonly { readonly text: string; readonly value: number }[]): OddsFormat {
  const american = values.filter(({ text, value }) => value <= -100 || /^\s*\+/.test(text)).length;
  const decimal = values.filter(({ value }) => value > 1 && value < 100).length;
  if (american === 0 && decimal === 0) return 'american';
  return american >= decimal ? 'american' : 'decimal';
}

/** Decimal odds of words and fractions: `EVEN`, `10/11`. Undefined: the text is neither. */
export function oddsInWords(text: string): number | undefined {
  if (/^(?:evens?|ev)$/i.test(text)) return 2;
  const [, over, under] = /^(\d+)\s*\/\s*(\d+)$/.exec(text) ?? [];
  return over === undefined || Number(under) === 0 || Number(over) === 0 ? undefined : 1 + Number(over) / Number(under);
}
