// The page has its own types for the messages of the stream. `npm run types` checks that the bot's types fit
// them.
import { expectTypeOf, it } from 'vitest';
import type { MarketView, PageState } from '../../src/page/state.ts';
import type { OneMarket, Snapshot } from '../../web/src/wire.ts';

it('the types of a state and a market in the bot extend those of the page', () => {
  expectTypeOf<PageState>().toExtend<Snapshot>();
  expectTypeOf<MarketView>().toExtend<OneMarket>();
});
