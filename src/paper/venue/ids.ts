// Opaque ids from counters: 24 hex digits that look unordered, the same for the same seed, and never twice within a kind
// because the counter goes through a bijection.
import { hash32, mix32 } from './random.ts';

const HEX4: readonly string[] = Array.from({ length: 0x10000 }, (_, value) =>
  value.toString(16).padStart(4, '0'),
);
const hex8 = (value: number): string => (HEX4[value >>> 16] as string) + (HEX4[value & 0xffff] as string);

export function createIds(seed: number, kind: string): () => string {
  const prefix = hex8(hash32(`${kind}:${seed}`));
  const salt = hash32(`${seed}:${kind}`);
  let count = 0;
  return () => {
    count++;
    return prefix + hex8(mix32(count ^ salt)) + hex8(mix32(Math.imul(count, 0x9e3779b1) ^ salt));
  };
}
