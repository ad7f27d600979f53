import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { OddsDocument } from '../../src/signals/odds-shape.ts';
import { readOdds } from '../../src/signals/odds-shape.ts';
import { book, event, NOW, START } from './odds.ts';

const read = (json: unknown): OddsDocument => {
  const document = readOdds(JSON.stringify(json));
  if (typeof document === 'string') throw new Error(document);
  return document;
};

const withoutTimes = ({ last_update: _time, markets, ...rest }: ReturnType<typeof book>) => ({
  ...rest,
  markets: markets.map(({ last_update: _marketTime, ...market }) => market),
});

describe('an odds document', () => {
  const lines = {
    h2h: { Hawks: 1.8, Owls: 2.1 },
    spreads: [
      ['Hawks', 1.91, -3.5],
      ['Owls', 1.91, 3.5],
    ],
  } as const;

  it('is read as events, books, markets and outcomes, with times in ms', () => {
    const { events, skipped, format } = read([event('Hawks', 'Owls', [book('pin', lines)])]);
    expect([skipped, format]).toEqual([{ events: 0, markets: 0 }, 'decimal']);
    expect(events).toMatchObject([
      {
        home: 'Hawks',
        away: 'Owls',
        start: START,
        sport: 'basketball_nba',
        books: [
          {
            key: 'pin',
            title: 'PIN',
            markets: [
              { key: 'h2h', updated: NOW - 10_000, outcomes: [{ decimal: 1.8 }, { decimal: 2.1 }] },
              { key: 'spreads', outcomes: [{ point: -3.5 }, { point: 3.5 }] },
            ],
          },
        ],
      },
    ]);
  });

  describe('that lists an event several times', () => {
    const named = (key: string, price: number, type: 'h2h' | 'spreads', updated?: number) =>
      book(
        key,
        type === 'h2h'
          ? { h2h: { Hawks: price, Owls: 2 } }
          : { spreads: [['Hawks', price, -3.5] as const, ['Owls', 2, 3.5] as const] },
        updated,
      );
    const pricesOf = ({ events }: OddsDocument) =>
      events.map(({ books }) =>
        books.map(({ key, markets }) => [
          key,
          ...markets.map((market) => `${market.key} ${market.outcomes[0]?.decimal}`),
        ]),
      );

    it('has the event once, with the books and markets of all its entries: listed by market, and by region', () => {
      const markets = read([
        event('Hawks', 'Owls', [named('pin', 1.8, 'h2h')]),
        event('Bears', 'Bulls', []),
        event('Hawks', 'Owls', [named('pin', 1.9, 'spreads')]),
      ]);
      expect(pricesOf(markets)).toEqual([[['pin', 'h2h 1.8', 'spreads 1.9']], []]);
      const regions = read([
        event('Hawks', 'Owls', [named('us', 1.8, 'h2h')]),
        event('Hawks', 'Owls', [named('eu', 1.9, 'h2h')]),
      ]);
      expect(pricesOf(regions)).toEqual([
        [
          ['us', 'h2h 1.8'],
          ['eu', 'h2h 1.9'],
        ],
      ]);
    });

    it('uses the newest price of each market of a book, and the start that stands beside it, in any order', () => {
      const newer = { commence_time: new Date(START + 600_000).toISOString() };
      const [late, early] = [
        event('Hawks', 'Owls', [named('pin', 1.7, 'h2h', NOW - 5000)], newer),
        event('Hawks', 'Owls', [named('PIN', 1.8, 'h2h', NOW - 60_000), named('bet', 1.9, 'h2h', NOW - 60_000)]),
      ];
      for (const both of [
        [late, early],
        [early, late],
      ]) {
        const document = read(both);
        expect(
          pricesOf(document)[0]
            ?.map(([, ...prices]) => prices)
            .sort(),
        ).toEqual([['h2h 1.7'], ['h2h 1.9']]);
        expect(document.events[0]?.start).toBe(START + 600_000);
      }
    });

    it('uses the later of two entries that have no time, or the same time', () => {
      const untimed = (price: number) => event('Hawks', 'Owls', [withoutTimes(named('pin', price, 'h2h'))]);
      expect(pricesOf(read([untimed(1.8), untimed(1.7)]))).toEqual([[['pin', 'h2h 1.7']]]);
      const timed = (price: number) => event('Hawks', 'Owls', [named('pin', price, 'h2h')]);
      expect(pricesOf(read([timed(1.8), timed(1.7)]))).toEqual([[['pin', 'h2h 1.7']]]);
    });

    it('keeps different events apart: other teams under the same id, and games of a day without an id', () => {
      const id = { id: 'same' };
      expect(read([event('Hawks', 'Owls', [], id), event('Hawks', 'Bears', [], id)]).events).toHaveLength(2);
      const withoutId = { id: undefined };
      const later = { id: undefined, commence_time: new Date(START + 4 * 3_600_000).toISOString() };
      expect(read([event('Hawks', 'Owls', [], withoutId), event('Hawks', 'Owls', [], later)]).events).toHaveLength(2);
      expect(read([event('Hawks', 'Owls', [], withoutId), event('Hawks', 'Owls', [], withoutId)]).events).toHaveLength(
        1,
      );
      const numbers = [event('Hawks', 'Owls', [], { id: 7 }), event('Hawks', 'Owls', [], { ...later, id: 8 })];
      expect(read(numbers).events.map((entry) => entry.id)).toEqual(['7', '8']);
    });
  });

  it('in American odds is recognised by its prices', () => {
    const { events, format } = read([event('Hawks', 'Owls', [book('pin', { h2h: { Hawks: -125, Owls: 110 } })])]);
    expect(format).toBe('american');
    expect(events[0]?.books[0]?.markets[0]?.outcomes.map(({ decimal }) => decimal)).toEqual([1.8, 2.1]);
  });

  it('loses only the market with an impossible price, and reads a book in the other format too', () => {
    const american = { h2h: { Hawks: -125, Owls: 110 } };
    const decimals = (books: readonly unknown[]) => {
      const { events, ...rest } = read([event('Hawks', 'Owls', books)]);
      const outcomes = events[0]?.books.flatMap(({ markets }) => markets.flatMap((market) => market.outcomes));
      return { ...rest, decimals: outcomes?.map(({ decimal }) => decimal) };
    };
    for (const invalid of [0, 1, -5, -99])
      expect(decimals([book('a', american), book('b', { h2h: { Hawks: invalid, Owls: 100 } })])).toEqual({
        format: 'american',
        skipped: { events: 0, markets: 1 },
        faults: [`Owls @ Hawks: b h2h: Hawks: price ${invalid}: expected American odds, −100 or less or +100 or more`],
        decimals: [1.8, 2.1],
      });
    expect(decimals([book('a', american), book('b', { h2h: { Hawks: 1.01, Owls: 150 } })])).toEqual({
      format: 'mixed',
      skipped: { events: 0, markets: 0 },
      faults: [],
      decimals: [1.8, 2.1, 1.01, 150],
    });
    // odds that could be of either format are read in the format of the others
    const far = book('far', { h2h: { Hawks: 100, Owls: 120 } });
    expect(decimals([book('a', american), far]).decimals).toEqual([1.8, 2.1, 2, 2.2]);
    expect(decimals([book('a', lines), far]).decimals?.slice(-2)).toEqual([100, 120]);
    for (const otherBooks of [[], [book('b', { h2h: { Hawks: -5, Owls: 0 } })]])
      expect(decimals([far, ...otherBooks])).toMatchObject({ format: 'american', decimals: [2, 2.2] });
    expect(decimals([])).toMatchObject({ format: 'decimal' });
  });

  it('takes times as Unix seconds', () => {
    expect(read([event('A', 'B', [], { commence_time: START / 1000 })]).events[0]?.start).toBe(START);
  });

  it('leaves out what cannot be read, and counts it', () => {
    const { events, skipped } = read([
      event('Hawks', 'Owls', [
        book('a', { h2h: { Hawks: 0, Owls: 2 } }),
        book('b', { h2h: { Hawks: 1.5 } }),
        book('c', { h2h: { Hawks: 1.5, Owls: -110 } }),
        book('d', { h2h: { Hawks: 1.5, Owls: 2.6 } }),
        'rubbish',
        {
          key: 'e',
          markets: [
            { key: 'h2h', outcomes: 7 },
            { key: 'player_points', outcomes: [] },
          ],
        },
      ]),
      event('Hawks', 'Hawks', []),
      event('Hawks', 'Owls', [], { commence_time: 'soon' }),
      null,
    ]);
    expect(skipped).toEqual({ events: 3, markets: 4 });
    expect(events[0]?.books.filter(({ markets }) => markets.length > 0).map(({ key }) => key)).toEqual(['d']);
  });

  it.each([1_795_645_000_000_000, 1_795_645_000_000, 1e300, -1e300, 0, '+200000-01-01', '0001-01-01T00:00:00Z'])(
    'leaves out an event that starts at %s, and prices of that time, and keeps the others',
    (time) => {
      const late = {
        ...book('late', lines),
        markets: [{ ...book('late', lines).markets[0], last_update: time }],
      };
      const { events, skipped } = read([
        event('Hawks', 'Owls', [book('pin', lines)], { commence_time: time }),
        event('Hawks', 'Owls', [late, book('pin', lines)]),
      ]);
      expect(skipped).toEqual({ events: 1, markets: 1 });
      expect(events.map(({ books }) => books.map(({ markets }) => markets.length))).toEqual([[0, 2]]);
    },
  );

  it.each([
    ['UTC', 0],
    ['America/New_York', 19],
    ['Asia/Tokyo', 9],
  ])('means UTC without a zone, on a machine of %s', (zone, hour) => {
    vi.stubEnv('TZ', zone);
    // checks that this process runs in that time zone
    expect(new Date('2030-01-01T00:00:00Z').getHours()).toBe(hour);
    const [start, updated] = ['2030-01-01T19:00:00', '2030-01-01T12:00:00'].map((time) => ({
      forms: [time, time.replace('T', ' '), `${time}Z`, `${time}+00:00`],
      ms: Date.parse(`${time}Z`),
    }));
    for (const [index, commence_time] of (start?.forms ?? []).entries()) {
      const pin = { ...book('pin', { h2h: lines.h2h }), last_update: updated?.forms[index] };
      const bare = {
        ...pin,
        markets: pin.markets.map((market) => ({ ...market, last_update: undefined })),
      };
      const [found] = read([event('Hawks', 'Owls', [bare], { commence_time })]).events;
      expect([found?.start, found?.books[0]?.markets[0]?.updated]).toEqual([start?.ms, updated?.ms]);
    }
    // without this check it would be read as 2 March
    expect(read([event('Hawks', 'Owls', [], { commence_time: '2030-02-30T19:00:00' })]).skipped.events).toBe(1);
    vi.unstubAllEnvs();
  });

  it('takes the time of the book when a market has none, and no time when neither has one', () => {
    const [{ markets, ...pin }] = [book('pin', { h2h: lines.h2h })];
    const bare = markets.map((market) => ({ ...market, last_update: null }));
    const updated = (last_update: unknown) =>
      read([event('Hawks', 'Owls', [{ ...pin, last_update, markets: bare }])]).events[0]?.books[0]?.markets;
    expect(updated(pin.last_update)).toMatchObject([{ updated: NOW - 10_000 }]);
    expect(updated(undefined)).toMatchObject([{ updated: undefined }]);
    expect(updated('soon')).toEqual([]);
  });

  it.each([
    ['rubbish', 'it is no JSON'],
    ['{"message":"quota reached","error_code":"OUT_OF_USAGE_CREDITS"}', 'it says "quota reached"'],
    ['7', 'no list of events'],
  ])('is not read from %s', (text, why) => {
    expect(readOdds(text)).toContain(why);
  });

  it('of any shape is read or refused, and never throws', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(anything, anything, (a, b) => {
        readOdds(JSON.stringify(a));
        readOdds(JSON.stringify([event('A', 'B', [b, { key: 'k', markets: [{ key: 'h2h', outcomes: a }] }])]));
      }),
    );
  });
});
