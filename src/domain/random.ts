// Seeded random numbers (sfc32). One stream per purpose: the draws of one stream never shift another, so a
// price path stays the same whatever the traders around it do.
export type Random = {
  /** Uniform in [0,1). */
  readonly next: () => number;
  /** Uniform in [low, high). */
  readonly between: (low: number, high: number) => number;
  /** Standard normal. */
  readonly normal: () => number;
};

export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix32(h);
}

/** A bijection of the 32-bit integers: different inputs stay different. */
export function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export function createRandom(seed: number, stream: string): Random {
  let a = mix32(seed);
  let b = hash32(stream);
  let c = mix32(b ^ a);
  let d = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return (t >>> 0) / 4294967296;
  };
  for (let i = 0; i < 12; i++) next();
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
