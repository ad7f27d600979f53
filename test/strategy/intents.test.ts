// The intents that a strategy may emit. An invalid intent disables that instance and names the problem.
import { config, map } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entryOf, HostFixture, intentOf, MONEYLINE, OTHER_GAME, SPREAD, TOTAL } from './fixtures.ts';

/** Emits a valid intent, then `thing`, then a valid one again; in a second market only valid ones. */
function emitting(thing: unknown): HostFixture {
  const fixture = new HostFixture(
    entryOf(
      'main',
      () => (views$) =>
        views$.pipe(
          map((view, n) =>
            n === 1 && view.market.id === MONEYLINE.id ? (thing as never) : intentOf(view.market, n + 1),
          ),
        ),
    ),
    entryOf('other', () => (views$) => views$.pipe(map((view) => intentOf(view.market, 100)))),
  );
  fixture.show(MONEYLINE).show(SPREAD).show(MONEYLINE).show(MONEYLINE).show(SPREAD);
  return fixture;
}

const quotes = (...all: readonly unknown[]): unknown => ({ market: MONEYLINE.id, quotes: all });
const quote = (fields: Readonly<Record<string, unknown>> = {}): unknown => ({
  side: 'home',
  risk: 10_000,
  odds: 105,
  ...fields,
});
const circular: unknown[] = [];
circular.push(circular);

describe('an invalid intent', () => {
  it.each<[string, unknown, RegExp]>([
    ['for a market of another game', intentOf(OTHER_GAME, 1), /g2\/moneyline/],
    ['for another market of the game', intentOf(TOTAL, 1), /not a market of this instance/],
    ['without a market', { quotes: [] }, /market/],
    ['with decimal odds', quotes(quote({ odds: 1.95 })), /quote\.odds 1\.95 are not American odds/],
    [
      'with a percentage',
      quotes({ side: 'home', risk: 100, probability: 48 }),
      /probability 48 is not between 0 and 1/,
    ],
    ['with odds as text', quotes(quote({ odds: '110' })), /as a finite number, not "110"/],
    ['with a key that contains a blank', quotes(quote({ key: 'my key' })), /quote\.key "my key" is not/],
    [
      'with one key for two quotes',
      quotes(quote({ key: 'L' }), quote({ key: 'L', odds: 110 })),
      /two quotes on home have the key "L"/,
    ],
    ['that is null', null, /not an intent/],
    ['that is undefined', undefined, /not an intent/],
    ['that is a number', 7, /not an intent/],
    ['without quotes', { market: MONEYLINE.id }, /quotes/],
    ['with quotes that are not a list', { market: MONEYLINE.id, quotes: { length: 1 } }, /quotes/],
    ['with a quote that is null', quotes(null), /quote/],
    ['with a side of another market type', quotes(quote({ side: 'over' })), /quote\.side "over"/],
    ['without a side', quotes(quote({ side: undefined })), /quote\.side/],
    ['with a fair price of 1', { market: MONEYLINE.id, quotes: [], fair: 1 }, /intent\.fair 1 is not a probability/],
    ['with fractional cents', quotes(quote({ risk: 99.5 })), /99\.5 is not integer cents/],
    ['with a risk that is not a number', quotes(quote({ risk: Number.NaN })), /risk NaN/],
    ['with an infinite risk', quotes(quote({ risk: Infinity })), /risk Infinity/],
    ['with a risk as text', quotes(quote({ risk: '100' })), /risk/],
    ['with both odds and probability', quotes(quote({ probability: 0.5 })), /either odds or a probability/],
    ['with neither odds nor probability', quotes({ side: 'home', risk: 100 }), /either odds or a probability/],
    ['with odds that are not a number', quotes(quote({ odds: Number.NaN })), /odds/],
    ['with an infinite probability', quotes({ side: 'home', risk: 100, probability: -Infinity }), /probability/],
    ['with odds and a probability that is not a number', quotes(quote({ probability: Number.NaN })), /odds/],
    ['with too many quotes', quotes(...Array.from({ length: 101 }, () => quote())), /more than 100/],
    ['with a key that is not text', quotes(quote({ key: 5 })), /key/],
    ['with an empty key', quotes(quote({ key: '' })), /key/],
    ['with a long key', quotes(quote({ key: 'x'.repeat(17) })), /key/],
    ['with a key that would break references', quotes(quote({ key: 'a|b' })), /key/],
    ['whose last quote is invalid', quotes(quote(), quote({ side: 'away', risk: 0.1 })), /risk/],
  ])('%s disables that instance only, and its fault names the problem', (_name, thing, says) => {
    const fixture = emitting(thing);
    expect(fixture.faults.map(({ code, strategy }) => [code, strategy])).toEqual([['STRATEGY_BAD_INTENT', 'main']]);
    expect(fixture.faults[0]?.detail).toMatch(says);
    expect(fixture.faults[0]?.detail).toContain(`main|${MONEYLINE.id}`);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('main', SPREAD)).toBe(2);
    expect(fixture.standing('other', MONEYLINE)).toBe(100);
  });

  // a value that JSON cannot represent, or that throws when it is read, must not escape as an unhandled error
  it.each<[string, unknown]>([
    ['a side that JSON cannot represent', quotes(quote({ side: 1n }))],
    ['a circular market', { market: circular, quotes: [] }],
    [
      'quotes that throw',
      Object.defineProperty({ market: MONEYLINE.id }, 'quotes', {
        get: () => {
          throw new Error('trap');
        },
      }),
    ],
  ])('with %s is a fault like any other, and not an unhandled error', async (_name, thing) => {
    const escaped: unknown[] = [];
    config.onUnhandledError = (error: unknown) => escaped.push(error);
    onTestFinished(() => {
      config.onUnhandledError = null;
    });
    const fixture = emitting(thing);
    // rxjs reports errors of a subscriber from its own timer, which is set before this one
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(escaped).toEqual([]);
    expect(fixture.faults).toHaveLength(1);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('main', SPREAD)).toBe(2);
  });
});

describe('a valid intent', () => {
  it.each<[string, unknown]>([
    ['no quotes', { market: MONEYLINE.id, quotes: [], reason: 'nothing to do' }],
    ['a probability', quotes({ side: 'away', risk: 5000, probability: 0.48 })],
    ['keys', quotes(quote({ key: 'a' }), quote({ key: 'b-2_C' }))],
    ['a hundred quotes', quotes(...Array.from({ length: 100 }, () => quote()))],
  ])('with %s replaces the one before unchanged', (_name, thing) => {
    const fixture = emitting(thing);
    expect(fixture.faults).toEqual([]);
    const mainIntents = fixture.said.filter((entry) => entry.what === 'intent' && entry.strategy === 'main');
    expect(mainIntents[2]).toMatchObject({ intent: thing });
  });
});
