// Tables of closing odds become documents: a row for each game, or for each game and book.
import { describe, expect, it } from 'vitest';
import type { UserTable } from '../../src/table/index.ts';
import { addOddsTable } from '../../src/history/odds-table.ts';
import { OddsHistory } from '../../src/signals/index.ts';

function read(text: string, settings: Partial<Parameters<typeof addOddsTable>[2]> = {}) {
  const [head = '', ...lines] = text.trim().split('\n');
  const table: UserTable = {
    columns: head.split(','),
    rows: lines.map((line, index) => ({ line: index + 2, cells: line.split(',') })),
  };
  const history = new OddsHistory(settings.assumedDelayMs);
  const faults = addOddsTable(history, table, { map: {}, assumedDelayMs: undefined, ...settings }, 'closes.csv');
  return { events: history.events, faults: [...history.faults, ...faults] };
}

const BY_BOOK =
  'kickoff_utc,snapshot_utc,book,home_team,away_team,ml_home,ml_away,spread_home,spread_home_price,spread_away_price';
const START = '2025-11-09T18:00:00Z';

describe('a table of odds', () => {
  it('by book is one event with several books, at the time of its snapshot', () => {
    const row = (book: string, line: number) =>
      `${START},2025-11-09T17:53:00Z,${book},Jets,Browns,-120,+100,${line},-110,-110`;
    const { events, faults } = read(`${BY_BOOK}\n${row('a', -2.5)}\n${row('b', -3)}`, {
      sport: 'americanfootball_nfl',
    });
    expect(faults).toEqual([]);
    expect(events).toHaveLength(1);
    expect(events[0]?.event).toMatchObject({
      home: 'Jets',
      away: 'Browns',
      sport: 'americanfootball_nfl',
      start: Date.parse(START),
    });
    expect(events[0]?.snapshots.map(({ fetchedAt }) => fetchedAt)).toEqual([Date.parse('2025-11-09T17:53:00Z')]);
    const spreads = events[0]?.event.books.map(({ key, markets }) => [
      key,
      markets.find(({ type }) => type === 'spread')?.outcomes.map(({ point }) => point),
    ]);
    expect(spreads).toEqual([
      ['a', [-2.5, 2.5]],
      ['b', [-3, 3]],
    ]);
  });

  it('has teams in the id of a game, and three outcomes and a total where its columns name them', () => {
    const nfl = read(
      `game_id,kickoff_utc,snapshot_utc,ml_home,ml_away\n2025_02_WAS_GB,${START},2025-11-09T17:53:00Z,-175,145`,
    );
    expect(nfl.events[0]?.event).toMatchObject({ home: 'GB', away: 'WAS' });
    const soccer = read(
      `Date,HomeTeam,AwayTeam,home_close,draw_close,away_close,over_2.5_close,under_2.5_close\n2009-08-15 13:45:00,Chelsea,Hull City,1.17,6.91,20.64,1.58,2.3`,
      { assumedDelayMs: 0, sport: 'soccer_epl' },
    );
    const markets = soccer.events[0]?.event.books[0]?.markets.map(({ type, outcomes }) => [
      type,
      outcomes.map(({ decimal, point }) => [decimal, point]),
    ]);
    expect(markets).toEqual([
      [
        'moneyline',
        [
          [1.17, undefined],
          [20.64, undefined],
          [6.91, undefined],
        ],
      ],
      [
        'total',
        [
          [1.58, 2.5],
          [2.3, 2.5],
        ],
      ],
    ]);
    // a closing price without a time is the one right before the start
    expect(soccer.events[0]?.snapshots[0]?.fetchedAt).toBe(Date.parse('2009-08-15T13:45:00Z') - 1);
  });

  it('without times is refused, unless a delay is assumed; a row with a date alone is left out', () => {
    const head = 'date,home_name,away_name,home_ml,away_ml';
    const row = '2017-10-17,Cavaliers,Celtics,-195,166';
    expect(() => read(`${head}\n${row}`)).toThrow(/no column for fetched, the time at which a row was fetched/);
    const { events, faults } = read(`${head}\n${row}`, { assumedDelayMs: 60_000 });
    expect(events).toEqual([]);
    expect(faults).toEqual(['closes.csv:2: start 2017-10-17: expected a time of day, such as 2026-11-08T18:03:00Z']);
  });

  it('with a time of its prices is fetched the assumed delay after it', () => {
    const { events } = read(
      `home,away,start,last_update,ml_home,ml_away\nA,B,${START},2025-11-09T17:50:00Z,-110,-110`,
      { assumedDelayMs: 60_000 },
    );
    expect(events[0]?.snapshots[0]?.fetchedAt).toBe(Date.parse('2025-11-09T17:51:00Z'));
  });

  it('of other columns names those that are missing', () => {
    expect(() => read('a,b\n1,2')).toThrow(
      /closes.csv: no column for home; away; start; homePrice, awayPrice; fetched/,
    );
  });
});

describe('rows that were fetched in turn', () => {
  const HEAD = 'start,fetched,book,home,away,ml_home,ml_away';
  const row = (fetched: string, book: string, home: string, prices: string) =>
    `${START},2025-11-09T${fetched}Z,${book},${home},Browns,${prices}`;

  it('list the books of an event together, each with its newest row, for a quarter of an hour', () => {
    const { events } = read(
      [
        HEAD,
        row('12:00:00', 'a', 'Jets', '-110,-110'),
        row('12:00:03', 'b', 'Jets', '-150,+130'),
        row('12:00:05', 'a', 'Jets', '-120,+100'),
        row('12:15:04', 'c', 'Jets', '-130,+110'),
      ].join('\n'),
      { sport: 'americanfootball_nfl' },
    );
    const books = events[0]?.snapshots.map(({ event: { books: listed } }) =>
      listed.map(({ key, markets }) => [key, markets[0]?.outcomes[0]?.decimal.toFixed(3)]),
    );
    expect(books).toEqual([
      [['a', '1.909']],
      [
        ['a', '1.909'],
        ['b', '1.667'],
      ],
      [
        ['a', '1.833'],
        ['b', '1.667'],
      ],
      // the newest row of b is too old by then
      [
        ['a', '1.833'],
        ['c', '1.769'],
      ],
    ]);
  });

  it('say nothing of other events', () => {
    const { events } = read([HEAD, row('12:00:00', 'a', 'Jets', '-110,-110')].join('\n'));
    expect(events[0]?.snapshots[0]?.isPart).toBe(true);
  });
});
