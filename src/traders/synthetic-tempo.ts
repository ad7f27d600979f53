// How busily a synthetic market is traded. Only numbers differ: the kinds of traders and their behaviour are
// the same at every tempo.

/** A number before the start, and one in play. */
type Phases = { readonly ahead: number; readonly live: number };
type Seconds = readonly [low: number, high: number];

export type Tempo = {
  readonly lines: 'main' | 'all';
  /** Multiples of the usual drift of a game's form and of its frequency of news. */
  readonly drift: number;
  readonly news: number;
  /** Share of the usual stops of play that close the markets. */
  readonly stops: number;
  readonly makers: number;
  /** Offers of a maker on each side: one number or the other, at random. */
  readonly levels: readonly [few: number, many: number];
  /** Multiple of the usual distance of a maker's offers from the fair price. */
  readonly edge: number;
  /** The move of the fair price, in probability, above which a maker requotes. */
  readonly requoteAt: Phases;
  /** The move above which a maker withdraws its offers first and requotes later. */
  readonly pullAt: Phases;
  /** The offers that a maker places after a fill: all of them again, or only the filled ones. */
  readonly refill: 'all' | 'gone';
  /** The most offers on each side that wait far from the fair price. */
  readonly waiting: number;
  /** Seconds between two noise takes in a market, and in a lightly traded one. */
  readonly noiseEvery: Seconds;
  readonly lightNoiseEvery: Seconds;
  /** The largest noise take, dollars. */
  readonly noiseMost: number;
};

/** A market that moves all the time, to try bots on. */
export const BUSY: Tempo = {
  lines: 'all',
  drift: 1,
  news: 1,
  stops: 1,
  makers: 3,
  levels: [2, 3],
  edge: 1,
  requoteAt: { ahead: 0.005, live: 0.005 },
  pullAt: { ahead: 0.02, live: 0.02 },
  refill: 'all',
  waiting: 0,
  noiseEvery: [3, 6],
  lightNoiseEvery: [15, 60],
  noiseMost: 150,
};
