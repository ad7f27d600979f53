/** What an account trades in (spec, Player mode): two balances, of which one is active. */
export type PlayerMode = 'cash' | 'coins';
export const PLAYER_MODES: readonly PlayerMode[] = ['cash', 'coins'];
