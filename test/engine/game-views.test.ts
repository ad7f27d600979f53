// Views of whole games: what they show beside the market that changed, and when they come.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Input, Regime, RunEvent } from '../../src/domain/index.ts';
import { centsOfDollars, market } from '../../src/domain/index.ts';
import { modelFor } from '../../src/pricing/index.ts';
import type { GameView, QuoteIntent } from '../../src/strategy/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { CoreDriver, coreSettings, GAME_ID } from '../support/core-driver.ts';

const signals = (values: Readonly<Record<string, number | null>>): Input => ({ type: 'signal', values, ttlMs: 60_000 });
const PARAMETERS = { [`model:${GAME_ID}:margin`]: 4.5, [`model:${GAME_ID}:total`]: 225 };
const MODEL = modelFor('basketball', { margin: 4.5, total: 225 });
const SPREAD = market(GAME_ID, 'spread', -4.5);

/** A core with a strategy of whole games that reads something of each view. */
function watching<T>(
  read: (view: GameView) => T,
  regimeOf: (view: GameView) => Regime | undefined = () => undefined,
  quotes: QuoteIntent['quotes'] = [],
) {
  const seen: T[] = [];
  const strategy = defineStrategy({
    name: 'watching',
    params: z.object({}),
    scope: 'game',
    create: () => (views$) =>
      views$.pipe(
        map((view) => {
          seen.push(read(view));
          const regime = regimeOf(view);
          return { market: view.market.id, quotes, ...(regime === undefined ? {} : { regime }) };
        }),
      ),
  });
  const driver = new CoreDriver(coreSettings({ markets: { lines: 'all', live: true } }, strategy, {}));
  driver.start();
  driver.passTime(2000);
  seen.length = 0;
  return { driver, seen };
}

describe('a view of a game', () => {
  it('has the distribution of the odds feed, fair prices of lines that no book shows, and one view a signal', () => {
    const { driver, seen } = watching((view) => [
      view.distribution?.moneyline().fair,
      view.fair(SPREAD, 'home'),
      view.fair(SPREAD, 'away'),
      view.reserve(SPREAD, 'home'),
    ]);
    driver.input(signals(PARAMETERS));
    const fair = MODEL.spread(-4.5).fair;
    expect(seen).toEqual([[MODEL.moneyline().fair, fair, 1 - fair, fair]]);
    driver.input(signals({ [`model:${GAME_ID}:margin`]: null }));
    expect(seen).toHaveLength(2);
  });

  it('has the distribution of the exchange’s own book where there is no odds feed', () => {
    const { driver, seen } = watching((view) => view.fair(market(GAME_ID, 'moneyline'), 'home'));
    driver.input(signals({ [`lead:${GAME_ID}`]: 0 }));
    expect(seen).toEqual([expect.closeTo(0.5, 2) as number]);
  });

  it('has what the limits leave, and prices that lean away from what is held elsewhere', () => {
    const { driver, seen } = watching((view) => ({
      room: view.room,
      reserve: view.reserve(market(GAME_ID, 'moneyline'), 'home'),
      lean: view.reserve(market(GAME_ID, 'moneyline'), 'home', 0.001),
    }));
    driver.input(signals(PARAMETERS));
    driver.input(signals({ [`held:${GAME_ID}/moneyline:first`]: 500, [`held:${GAME_ID}/moneyline:second`]: -500 }));
    driver.input(signals({ ...PARAMETERS, [`model:${GAME_ID}:margin`]: 4.6 }));
    const [before, after] = [seen[0], seen.at(-1)];
    expect(before?.room).toEqual({ game: 2_000_000_000, total: 10_000_000_000 });
    expect(before?.reserve).toBeCloseTo(MODEL.moneyline().fair, 9);
    expect(after?.reserve).toBeLessThan((before?.reserve ?? 0) - 0.01);
    expect(after?.lean).toBeLessThan((before?.reserve ?? 0) - 0.1);
  });
});

it('does not count open orders in what a game may still lose, so that quotes do not end themselves', () => {
  const quotes = [{ side: 'home', risk: centsOfDollars(400), probability: 0.45 }] as const;
  const { driver, seen } = watching(
    (view) => [view.signals.get('again'), view.room.game, view.sides[0].own.length],
    undefined,
    quotes,
  );
  expect(driver.core.worst).toBe(-400);
  driver.input(signals({ again: 1 }));
  expect(seen.at(-1)).toEqual([1, 2_000_000_000, 1]);
});

it('raises an event whenever a strategy names another regime, and shows it in the status', () => {
  let regime: Regime | undefined = 'quoting';
  const { driver } = watching(
    (view) => view.signals.get('again'),
    () => regime,
  );
  const changes = (): readonly RunEvent[] => driver.events.filter(({ type }) => type === 'RegimeChanged');
  const fields = { type: 'RegimeChanged', market: `${GAME_ID}/moneyline`, strategy: 'main' };
  expect(changes()).toEqual([{ ...fields, regime: 'quoting' }]);
  regime = 'pulled';
  driver.input(signals({ again: 1 }));
  driver.input(signals({ again: 2 }));
  expect(changes()).toEqual([
    { ...fields, regime: 'quoting' },
    { ...fields, regime: 'pulled', before: 'quoting' },
  ]);
  expect(driver.core.markets()[0]?.said).toEqual({ main: 'pulled' });
});
