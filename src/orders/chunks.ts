/** Splits a list into chunks of at most `size`, in order. */
export function chunks<T>(list: readonly T[], size: number): (readonly T[])[] {
  const out: (readonly T[])[] = [];
  for (let start = 0; start < list.length; start += size) out.push(list.slice(start, start + size));
  return out;
}
