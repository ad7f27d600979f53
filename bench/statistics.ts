/** The value below which the share `p` of the numbers lies. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? Number.NaN;
}

/** The quantile of each group of so many lists, which are joined. */
export const quantilesOf = (lists: readonly (readonly number[])[], p: number, group: number): readonly number[] =>
  Array.from({ length: Math.ceil(lists.length / group) }, (_none, index) =>
    quantile(lists.slice(index * group, (index + 1) * group).flat(), p),
  );

/** Each number divided by the one at its place in the other list. */
export const ratiosOf = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.map((value, index) => value / (b[index] ?? Number.NaN));

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The smallest and the largest value, as text. */
export const spread = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
