// Fills made anywhere get the bookmakers' prices of their time: by hand, with the example of the figures of a run.
import { describe, expect, it } from 'vitest';
import type { GameId, GameResult } from '../../src/domain/index.ts';
import { ownFacts, ownReport, readFills } from '../../src/history/index.ts';
import { modelFor } from '../../src/pricing/index.ts';
import { OddsHistory } from '../../src/signals/index.ts';

const START = Date.parse('2026-11-08T19:00:00Z');
const MINUTE = 60_000;
const iso = (t: number): string => new Date(t).toISOString();

/** A book without margin, so that every method leaves its probabilities as they are. */
const pairs = (key: string, first: string, second: string, p: number, point?: number) => ({
  key,
  outcomes: [
    { name: first, price: 1 / p, ...(point === undefined ? {} : { point }) },
    {
      name: second,
      price: 1 / (1 - p),
      ...(point === undefined ? {} : { point: key.startsWith('totals') ? point : 0 - point }),
    },
  ],
});

const event = (markets: readonly object[], over: object = {}) => ({
  ...{ id: 'e1', sport_key: 'basketball_nba', commence_time: iso(START), home_team: 'Lakers', away_team: 'Bulls' },
  bookmakers: [{ key: 'book', markets }],
  ...over,
});
const moneyline = (p: number) => pairs('h2h', 'Lakers', 'Bulls', p);

function historyOf(documents: readonly (readonly [time: number, ...events: object[]])[]): OddsHistory {
  const history = new OddsHistory();
  for (const [time, ...events] of documents) history.addDocument(events, time, '');
  expect(history.faults).toEqual([]);
  return history;
}

const HEAD = ['time', 'event', 'market', 'side', 'line', 'odds', 'stake', 'result'];
const fillsOf = (...rows: readonly string[]) =>
  readFills(
    { columns: HEAD, rows: rows.map((row, index) => ({ line: index + 2, cells: row.split(',') })) },
    { map: {} },
    'bets.csv',
  );
const SETTINGS = { method: 'shin', weights: {}, deviations: {}, results: new Map<GameId, GameResult>() } as const;
const factsOf = (history: OddsHistory | undefined, ...rows: readonly string[]) =>
  ownFacts(fillsOf(...rows).fills, history?.events, SETTINGS);

const EVENING = historyOf([
  [START - 120 * MINUTE, event([moneyline(0.5)])],
  [START - 60 * MINUTE + 4 * MINUTE, event([moneyline(0.51)])],
  [START - MINUTE, event([moneyline(0.52)])],
  [START + MINUTE, event([moneyline(0.9)])],
]);

describe('names of teams', () => {
  const bet = `${iso(START - 60 * MINUTE)},CHB @ L.A.,ML,L.A.,,+105,100,`;

  it('that are not recognised are in a table: from the name of the fill to that of the documents', () => {
    const read = fillsOf(bet).fills;
    expect(ownFacts(read, EVENING.events, SETTINGS).unmatched).toMatchObject([{ event: 'CHB @ L.A.' }]);
    const teams = { chb: 'Bulls', 'L.A.': 'Lakers' };
    const { facts, unmatched } = ownFacts(read, EVENING.events, { ...SETTINGS, teams });
    expect(unmatched).toEqual([]);
    expect(facts.fills).toMatchObject([{ side: 'home' }]);
  });
});

describe('a fill', () => {
  const bet = `${iso(START - 60 * MINUTE)},Bulls @ Lakers,ML,Lakers,,+105,100,`;

  it.each([
    ['W', 98.4, 105],
    ['L', -106.6, -100],
    ['P', -6.6, 0],
  ])('has the parts of the example when it ends %s', (result, luck, pnl) => {
    const read = fillsOf(`${bet}${result}`);
    const own = ownFacts(read.fills, EVENING.events, SETTINGS);
    const { figures } = ownReport('Fills', read, own, []).scenarios['own'] ?? {};
    expect(figures?.identity).toMatchObject({ spread: 2.5, drift: 4.1, luck, pnl, fills: 1 });
    expect(figures?.clv).toMatchObject({ dollars: 6.6, fills: 1 });
    // a document came four minutes later, and none within a minute
    expect(figures?.markouts).toMatchObject({ '60s': null, '300s': 4.55 });
  });

  it('takes the price fetched strictly before it, and the last one before the start as its close', () => {
    const { facts } = factsOf(EVENING, `${iso(START - 56 * MINUTE)},Bulls @ Lakers,ML,Bulls,,+105,100,`);
    expect(facts.fills[0]).toMatchObject({ side: 'away', f0: 0.5, fc: 0.48, isInPlay: false, league: 'NBA' });
  });

  it('in play has the prices of its phase', () => {
    const { facts } = factsOf(EVENING, `${iso(START + 30_000)},Bulls @ Lakers,ML,Lakers,,+105,100,`);
    const [fill] = facts.fills;
    expect(fill).toMatchObject({ isInPlay: true, f0: undefined });
    expect(fill?.fc).toBeCloseTo(0.9, 12);
    expect(fill?.later.map((price) => price?.toFixed(4))).toEqual([
      ...[undefined, undefined, undefined],
      ...['0.9000', '0.9000', '0.9000'],
    ]);
  });

  it('has no close that was seen before it, unless that is one of the start', () => {
    const early = historyOf([[START - 6 * 60 * MINUTE, event([moneyline(0.5)])]]);
    const { facts } = factsOf(early, `${iso(START - 180 * MINUTE)},Bulls @ Lakers,ML,Lakers,,+105,100,`);
    expect(facts.fills[0]).toMatchObject({ f0: 0.5, fc: undefined });
    const late = factsOf(EVENING, `${iso(START - 1)},Bulls @ Lakers,ML,Lakers,,+105,100,`);
    expect([late.facts.fills[0]?.fc, late.closeAges]).toEqual([0.52, [MINUTE]]);
  });

  it('on a line that no book quotes is priced by the model of all lines, before the start alone', () => {
    const model = modelFor('basketball', { margin: 4.5, total: 220 });
    const lines = [
      pairs('spreads', 'Lakers', 'Bulls', model.spread(-4.5).fair, -4.5),
      moneyline(model.moneyline().fair),
    ];
    const history = historyOf([
      [START - 120 * MINUTE, event([...lines, pairs('totals', 'Over', 'Under', 0.5, 220.5)])],
    ]);
    const { facts, byModel } = factsOf(
      history,
      `${iso(START - 60 * MINUTE)},Bulls @ Lakers,spread,Bulls,+7.5,-110,110,`,
      `${iso(START + MINUTE)},Bulls @ Lakers,spread,Bulls,+7.5,-110,110,`,
    );
    expect(facts.fills[0]?.market.line).toBe(-7.5);
    expect(facts.fills[0]?.f0).toBeCloseTo(1 - model.spread(-7.5).fair, 3);
    expect(facts.fills[1]?.fc).toBeUndefined();
    expect(byModel).toBe(1);
  });

  it('on one of three outcomes is worth its share, the draw apart', () => {
    const three = {
      key: 'h2h',
      outcomes: [
        { name: 'Lakers', price: 2 },
        { name: 'Bulls', price: 4 },
        { name: 'Draw', price: 4 },
      ],
    };
    const history = historyOf([[START - MINUTE, event([three], { sport_key: 'soccer_epl' })]]);
    const { facts } = factsOf(history, `${iso(START - 1)},Lakers v Bulls,ML,Bulls,,4.2,10,`);
    expect(facts.fills[0]).toMatchObject({ side: 'away', f0: 0.25, league: 'EPL' });
  });

  it('is settled by the results where its table has none; the table counts where both differ', () => {
    const results = new Map<GameId, GameResult>([['e1' as GameId, { home: 101, away: 97 }]]);
    const { fills } = fillsOf(bet, `${bet}L`);
    const own = ownFacts(fills, EVENING.events, { ...SETTINGS, results });
    expect(own.facts.fills.map(({ profit }) => profit)).toEqual([105e6, -100e6]);
    expect(own.faults[0]).toContain('the table has -100.00, and by the results it is 105.00: the table counts');
  });
});

describe('the event of a fill', () => {
  it('is not a later game of its teams, unless it was listed already or begins soon', () => {
    const weeks = START - 21 * 24 * 60 * MINUTE;
    const row = `${iso(weeks)},Bulls @ Lakers,ML,Lakers,,+105,100,`;
    expect(factsOf(EVENING, row).unmatched[0]?.why).toBe('its teams play at another time');
    const listed = historyOf([
      [weeks - MINUTE, event([moneyline(0.5)])],
      [START - MINUTE, event([moneyline(0.52)])],
    ]);
    expect(factsOf(listed, row).facts.fills[0]).toMatchObject({ f0: 0.5, fc: 0.52 });
  });

  it('may have any start at which it was announced', () => {
    const later = { commence_time: iso(START + 180 * MINUTE) };
    const moved = historyOf([
      [START - 60 * MINUTE, event([moneyline(0.5)])],
      [START + 170 * MINUTE, event([moneyline(0.52)], later)],
    ]);
    const row = `${iso(START - 30 * MINUTE)},Bulls @ Lakers,ML,Lakers,,+105,100`;
    const { fills } = readFills(
      { columns: [...HEAD.slice(0, -1), 'start'], rows: [{ line: 2, cells: `${row},${iso(START)}`.split(',') }] },
      { map: {} },
      'bets.csv',
    );
    expect(ownFacts(fills, moved.events, SETTINGS).facts.fills[0]).toMatchObject({ f0: 0.5, fc: 0.52 });
  });

  const other = event([moneyline(0.6)], { id: 'e2', home_team: 'Celtics', commence_time: iso(START + 30 * MINUTE) });
  const why = (history: OddsHistory, row: string) => factsOf(history, row).unmatched[0];

  it('is named with the nearest ones where it is not found, and the fill keeps its result', () => {
    const { facts, unmatched } = factsOf(EVENING, `${iso(START - 1)},Bulls @ Knicks,ML,Bulls,,+105,100,W`);
    expect(unmatched).toEqual([
      {
        line: 2,
        event: 'Bulls @ Knicks',
        why: 'no event has both of its teams',
        candidates: ['Bulls @ Lakers, 2026-11-08 19:00'],
      },
    ]);
    expect(facts.fills[0]).toMatchObject({ profit: 105e6, f0: undefined, start: undefined });
  });

  it('is found with home and away turned, and by one team', () => {
    const { facts } = factsOf(
      EVENING,
      `${iso(START - 1)},Lakers @ Bulls,ML,home,,+105,100,`,
      `${iso(START - 1)},Lakers,ML,Lakers,,+105,100,`,
    );
    expect(facts.fills.map(({ side }) => side)).toEqual(['away', 'home']);
  });

  it('is none of two that fit', () => {
    const alike = historyOf([[START - 120 * MINUTE, event([moneyline(0.5)]), event([moneyline(0.6)], { id: 'e3' })]]);
    expect(why(alike, `${iso(START - 1)},Bulls @ Lakers,ML,Bulls,,+105,100,`)?.why).toContain(
      'more than one event fits',
    );
    const both = historyOf([[START - 120 * MINUTE, event([moneyline(0.5)]), other]]);
    expect(why(both, `${iso(START - 1)},Bulls,ML,Bulls,,+105,100,`)?.why).toContain('more than one event fits');
  });

  it('is not one of another time', () => {
    expect(why(EVENING, `${iso(START + 9 * 60 * MINUTE)},Bulls @ Lakers,ML,Bulls,,+105,100,`)?.why).toBe(
      'its teams play at another time',
    );
  });
});

describe('documents', () => {
  it('without a time are refused, or count from their newest price on by an assumed delay', () => {
    const update = { last_update: iso(START - 90 * MINUTE) };
    const dated = event([{ ...moneyline(0.5), ...update }]);
    const refused = new OddsHistory();
    refused.addText(JSON.stringify([dated]), 'odds.json');
    expect(refused.events).toEqual([]);
    expect(refused.faults[0]).toContain('odds.json: it does not show when it was fetched');
    const assumed = new OddsHistory(5 * MINUTE);
    assumed.addText(JSON.stringify([dated]), 'odds.json');
    expect(assumed.events[0]?.snapshots.map(({ fetchedAt }) => fetchedAt)).toEqual([START - 85 * MINUTE]);
  });

  it('of a vendor for a time in the past have it as timestamp, and may hold one event', () => {
    const history = new OddsHistory();
    history.addText(JSON.stringify({ timestamp: iso(START - MINUTE), data: event([moneyline(0.5)]) }), 'odds.json');
    expect(history.events[0]?.snapshots.map(({ fetchedAt }) => fetchedAt)).toEqual([START - MINUTE]);
  });

  it('of one time are one document', () => {
    const spread = pairs('spreads', 'Lakers', 'Bulls', 0.5, -4.5);
    const history = historyOf([
      [START - MINUTE, event([moneyline(0.5)])],
      [START - MINUTE, event([spread])],
    ]);
    expect(history.events[0]?.snapshots[0]?.event.books[0]?.markets.map(({ key }) => key)).toEqual(['h2h', 'spreads']);
  });
});
