// How busily a made-up market is traded. Only numbers: who trades, and how, is the same at every tempo.

/** Before the start, and in play. */
type Phases = { readonly ahead: number; readonly live: number };
type Seconds = readonly [low: number, high: number];

export type Tempo = {
  readonly lines: 'main' | 'all';
  /** How far the form of a game drifts, and how often there is news of it: multiples of what is usual. */
  readonly drift: number;
  readonly news: number;
  readonly makers: number;
  /** Offers of a maker on each side: one number or the other. */
  readonly levels: readonly [few: number, many: number];
  /** A maker quotes anew when the fair price moved by more than this, probability … */
  readonly requoteAt: Phases;
  /** … and pulls first and thinks after when it moved by more than this. */
  readonly pullAt: Phases;
  /** What a maker that was filled brings back: all its offers anew, or those that are gone. */
  readonly refill: 'all' | 'gone';
  /** Offers on each side, at most, that wait far from the fair price. */
  readonly waiting: number;
  /** Between two takes of noise in a market; in one that is traded lightly. */
  readonly noiseEvery: Seconds;
  readonly lightNoiseEvery: Seconds;
  /** The largest of them, dollars. */
  readonly noiseMost: number;
};

/** A market that moves all the time: for bots to be tried on. */
export const BUSY: Tempo = {
  lines: 'all',
  drift: 1,
  news: 1,
  makers: 3,
  levels: [2, 3],
  requoteAt: { ahead: 0.005, live: 0.005 },
  pullAt: { ahead: 0.02, live: 0.02 },
  refill: 'all',
  waiting: 0,
  noiseEvery: [3, 6],
  lightNoiseEvery: [15, 60],
  noiseMost: 150,
};

/** Deep books that move seldom: whole days of them are small enough to be kept. */
export const CALM: Tempo = {
  lines: 'main',
  drift: 0.4,
  news: 0.2,
  makers: 2,
  levels: [2, 3],
  requoteAt: { ahead: 0.012, live: 0.02 },
  pullAt: { ahead: 0.03, live: 0.05 },
  refill: 'gone',
  waiting: 10,
  noiseEvery: [50, 150],
  lightNoiseEvery: [60, 240],
  noiseMost: 300,
};
