// The page has its own types of what the stream says: they are those of the bot, which `npm run types` holds.
import { expectTypeOf, it } from 'vitest';
import type { MarketView, PageState } from '../../src/page/state.ts';
import type { OneMarket, Snapshot } from '../../web/src/wire.ts';

it('a state of the bot is a snapshot of the page, and a market is one', () => {
  expectTypeOf<PageState>().toExtend<Snapshot>();
  expectTypeOf<MarketView>().toExtend<OneMarket>();
});
