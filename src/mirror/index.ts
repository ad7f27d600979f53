// The local copy of what the exchange shows: books per side, games, freshness.
export * from './mirror.ts';
export { mergeGame } from './games.ts';
