// What the core keeps of a market while it may be quoted.
import type { Consensus, HeldIntent, Ladder, MarketId, StrategyId } from '../domain/index.ts';
import type { Freshness, MarketBook } from '../mirror/index.ts';
import type { LastGood } from './band-references.ts';
import type { Alarm } from './market-alarms.ts';
import type { SlotShare } from './quoted-share.ts';

/** A market that is quoted now. */
export type Quoted = {
  readonly book: MarketBook;
  readonly intents: Map<StrategyId, HeldIntent>;
  /** Freshness of both sides, as last shown to the strategies. */
  freshness: readonly [Freshness, Freshness];
  /** Ladders of both sides without own offers. A changed ladder is a new array. */
  others: readonly [Ladder, Ladder];
  consensus: Consensus | undefined;
  /** True when the consensus is a fair price: the book is neither wide nor thin. */
  isFair: boolean;
  readonly lastGood: LastGood;
  share: SlotShare;
  /** Earliest time at which a fresh side goes stale, monotonic ms. */
  readonly stale: Alarm<MarketId>;
  /** When quotes must end because the game starts, Unix ms. */
  readonly start: Alarm<MarketId>;
};
