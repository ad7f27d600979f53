// The sources of a market's price besides the consensus of its book.

export const OUTSIDE_SOURCES = ['fair', 'odds', 'model'] as const;
export type OutsideSource = (typeof OUTSIDE_SOURCES)[number];
/** The sources of a market's price: outside sources, and the strategy itself by the `fair` of its intents. */
export const SOURCES = [...OUTSIDE_SOURCES, 'own'] as const;
export type Source = (typeof SOURCES)[number];
