// What a strategy may emit. A bad intent withdraws that instance and says what was wrong.
import { config, map } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entryOf, HostFixture, intentOf, MONEYLINE, OTHER_GAME, SPREAD, TOTAL } from './fixtures.ts';

/** Emits a good intent, then the given thing, then a good one again; a second market only good ones. */
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
const quote = (more: Readonly<Record<string, unknown>> = {}): unknown => ({
  side: 'home',
  risk: 10_000,
  odds: 105,
  ...more,
});
const circular: unknown[] = [];
circular.push(circular);

describe('a bad intent', () => {
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
    ['with a key of words', quotes(quote({ key: 'my key' })), /quote\.key "my key" is not/],
    [
      'with one key for two quotes',
      quotes(quote({ key: 'L' }), quote({ key: 'L', odds: 110 })),
      /two quotes on home have the key "L"/,
    ],
    ['that is null', null, /not an intent/],
    ['that is undefined', undefined, /not an intent/],
    ['that is a number', 7, /not an intent/],
    ['without quotes', { market: MONEYLINE.id }, /quotes/],
    ['with quotes that are no list', { market: MONEYLINE.id, quotes: { length: 1 } }, /quotes/],
    ['with a quote that is null', quotes(null), /quote/],
    ['with a side of a total', quotes(quote({ side: 'over' })), /quote\.side "over"/],
    ['without a side', quotes(quote({ side: undefined })), /quote\.side/],
    [
      'with a fair price that is none',
      { market: MONEYLINE.id, quotes: [], fair: 1 },
      /intent\.fair 1 is not a probability/,
    ],
    ['with fractional cents', quotes(quote({ risk: 99.5 })), /99\.5 is not integer cents/],
    ['with a risk that is not a number', quotes(quote({ risk: Number.NaN })), /risk NaN/],
    ['with an endless risk', quotes(quote({ risk: Infinity })), /risk Infinity/],
    ['with a risk as text', quotes(quote({ risk: '100' })), /risk/],
    ['with both odds and probability', quotes(quote({ probability: 0.5 })), /either odds or a probability/],
    ['with neither', quotes({ side: 'home', risk: 100 }), /either odds or a probability/],
    ['with odds that are not a number', quotes(quote({ odds: Number.NaN })), /odds/],
    ['with an endless probability', quotes({ side: 'home', risk: 100, probability: -Infinity }), /probability/],
    ['with odds and a probability that is no number', quotes(quote({ probability: Number.NaN })), /odds/],
    ['with too many quotes', quotes(...Array.from({ length: 101 }, () => quote())), /more than 100/],
    ['with a key that is no text', quotes(quote({ key: 5 })), /key/],
    ['with an empty key', quotes(quote({ key: '' })), /key/],
    ['with a long key', quotes(quote({ key: 'x'.repeat(17) })), /key/],
    ['with a key that would break references', quotes(quote({ key: 'a|b' })), /key/],
    ['whose last quote is bad', quotes(quote(), quote({ side: 'away', risk: 0.1 })), /risk/],
  ])('%s withdraws that instance only, and says what is wrong', (_what, thing, says) => {
    const fixture = emitting(thing);
    expect(fixture.faults.map(({ code, strategy }) => [code, strategy])).toEqual([['STRATEGY_BAD_INTENT', 'main']]);
    expect(fixture.faults[0]?.detail).toMatch(says);
    expect(fixture.faults[0]?.detail).toContain(`main|${MONEYLINE.id}`);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('main', SPREAD)).toBe(2);
    expect(fixture.standing('other', MONEYLINE)).toBe(100);
  });

  // What cannot be written as JSON, or throws when looked at, must not escape as an error that nobody catches.
  it.each<[string, unknown]>([
    ['a side that JSON cannot say', quotes(quote({ side: 1n }))],
    ['a market that goes in circles', { market: circular, quotes: [] }],
    [
      'quotes that throw',
      Object.defineProperty({ market: MONEYLINE.id }, 'quotes', {
        get: () => {
          throw new Error('trap');
        },
      }),
    ],
  ])('with %s is a fault like any other', async (_what, thing) => {
    const escaped: unknown[] = [];
    config.onUnhandledError = (error: unknown) => escaped.push(error);
    onTestFinished(() => {
      config.onUnhandledError = null;
    });
    const fixture = emitting(thing);
    // rxjs reports what a subscriber throws from a timer of its own, set before this one
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(escaped).toEqual([]);
    expect(fixture.faults).toHaveLength(1);
    expect(fixture.standing('main', MONEYLINE)).toBeUndefined();
    expect(fixture.standing('main', SPREAD)).toBe(2);
  });
});

describe('a good intent', () => {
  it.each<[string, unknown]>([
    ['no quotes', { market: MONEYLINE.id, quotes: [], reason: 'nothing to do' }],
    ['a probability', quotes({ side: 'away', risk: 5000, probability: 0.48 })],
    ['keys', quotes(quote({ key: 'a' }), quote({ key: 'b-2_C' }))],
    ['a hundred quotes', quotes(...Array.from({ length: 100 }, () => quote()))],
  ])('with %s replaces the former one as it is', (_what, thing) => {
    const fixture = emitting(thing);
    expect(fixture.faults).toEqual([]);
    const ours = fixture.said.filter((one) => one.what === 'intent' && one.strategy === 'main');
    expect(ours[2]).toMatchObject({ intent: thing });
  });
});
