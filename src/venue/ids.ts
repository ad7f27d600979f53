// Opaque ids from counters: 24 hex digits that look unordered and are the same for the same seed. Ids of a
// kind are unique, because the counter goes through a bijection.
import { hash32, mix32 } from '../domain/index.ts';

const HEX2: readonly string[] = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));
const hex8 = (value: number): string =>
  (HEX2[value >>> 24] as string) +
  (HEX2[(value >>> 16) & 255] as string) +
  (HEX2[(value >>> 8) & 255] as string) +
  (HEX2[value & 255] as string);

/** Returns the next id on each call. */
export function createIds(seed: number, kind: string): () => string {
  const name = createNames(seed, kind);
  let count = 0;
  return () => name(++count);
}

/** Maps a number to its id. */
export function createNames(seed: number, kind: string): (count: number) => string {
  const prefix = hex8(hash32(`${kind}:${seed}`)) + hex8(hash32(`${kind} ${seed}`));
  const salt = hash32(`${seed}:${kind}`);
  return (count) => prefix + hex8(mix32(count ^ salt));
}
