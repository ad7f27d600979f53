// Exact decimal arithmetic for steps and parts of a range: no noise of binary fractions, and no digit lost.

/** `digits` ÷ 10^`places`. */
type Decimal = { readonly digits: bigint; readonly places: number };

function decimalOf(value: number): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(value)) ?? [];
  const places = fraction.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

const digitsAt = ({ digits, places }: Decimal, wanted: number): bigint => digits * 10n ** BigInt(wanted - places);

function numberOf(digits: bigint, places: number): number {
  const isNegative = digits < 0n;
  const text = String(isNegative ? -digits : digits).padStart(places + 1, '0');
  const pointIndex = text.length - places;
  const value = Number(`${text.slice(0, pointIndex)}.${text.slice(pointIndex)}`);
  return isNegative ? -value : value;
}

/** How many whole times `step` fits into `to` - `from`. All are finite, and the step is above 0. */
export function stepsBetween(from: number, to: number, step: number): bigint {
  const all = [from, to, step].map(decimalOf);
  const places = Math.max(...all.map((decimal) => decimal.places));
  const [a = 0n, b = 0n, by = 1n] = all.map((decimal) => digitsAt(decimal, places));
  return (b - a) / by;
}

/** The number closest to `from` + `count` × `step`. */
export function stepFrom(from: number, step: number, count: number): number {
  const all = [from, step].map(decimalOf);
  const places = Math.max(...all.map((decimal) => decimal.places));
  const [a = 0n, by = 0n] = all.map((decimal) => digitsAt(decimal, places));
  return numberOf(a + by * BigInt(count), places);
}

/** The number closest to `part` / `parts` of the way from `from` to `to`. `parts` divides 10,000. */
export function partOfWay(from: number, to: number, part: number, parts: number): number {
  const all = [from, to].map(decimalOf);
  const places = Math.max(...all.map((decimal) => decimal.places)) + 4;
  const [a = 0n, b = 0n] = all.map((decimal) => digitsAt(decimal, places));
  return numberOf(a + ((b - a) * BigInt(part)) / BigInt(parts), places);
}
