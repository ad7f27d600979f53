/** A list in pieces of at most `size`, in order. */
export function chunks<T>(list: readonly T[], size: number): (readonly T[])[] {
  const out: (readonly T[])[] = [];
  for (let at = 0; at < list.length; at += size) out.push(list.slice(at, at + size));
  return out;
}
