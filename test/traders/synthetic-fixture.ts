// A generated market at a venue of its own, on a virtual clock: stepped as finely as the exchange steps it,
// or in larger strides, as after pauses.
import type { Micros } from '../../src/domain/index.ts';
import type { SyntheticOptions } from '../../src/traders/index.ts';
import type { VenueGame, VenueSink } from '../../src/venue/index.ts';
import { SyntheticTraders } from '../../src/traders/index.ts';
import { Venue } from '../../src/venue/index.ts';
import { T0 } from '../paper/fixtures.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

const QUIET: VenueSink = { sideChanged: () => {}, gameChanged: () => {}, position: () => {} };

export function syntheticMarket(
  overrides: Partial<SyntheticOptions> = {},
  venue = new Venue({ seed: overrides.seed ?? 1 }),
) {
  const options = { seed: 1, games: 1, league: 'NBA', ...overrides };
  let nowMs = T0;
  const traders = new SyntheticTraders(venue, options, nowMs);
  return {
    venue,
    traders,
    now: () => nowMs,
    listen: (sink: Partial<VenueSink>): void => {
      venue.sink = { ...QUIET, ...sink };
    },
    /** Lets time pass; `each` is called after every stride. */
    run: (ms: number, each: (nowMs: number) => void = () => {}, strideMs = 100): void => {
      for (const until = nowMs + ms; nowMs < until;) {
        nowMs += strideMs;
        traders.step(nowMs);
        each(nowMs);
      }
    },
  };
}

/** Both balances of all accounts, including the venue's own. */
export function moneyOf(venue: Venue): Micros {
  let sum = 0;
  for (const { balances } of venue.accounts.values()) sum += balances.cash + balances.coins;
  return sum as Micros;
}

export const livingGames = (venue: Venue): readonly VenueGame[] =>
  [...venue.games.values()].filter(({ header, details }) => details.kind === 'game' && !header.ended);
