/** The currency of an account (spec, Player mode): it has two balances, one of them active. */
export type PlayerMode = 'cash' | 'coins';
export const PLAYER_MODES: readonly PlayerMode[] = ['cash', 'coins'];
