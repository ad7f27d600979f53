// Opaque ids from counters: 24 hex digits that look unordered, the same for the same seed, and never twice within a kind
// because the counter goes through a bijection.
import { hash32, mix32 } from './random.ts';

const hex8 = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

export function createIds(seed: number, kind: string): () => string {
  const prefix = hex8(hash32(`${kind}:${seed}`));
  const salt = hash32(`${seed}:${kind}`);
  let count = 0;
  return () => {
    count++;
    return prefix + hex8(mix32(count ^ salt)) + hex8(hash32(`${salt}:${count}`));
  };
}
