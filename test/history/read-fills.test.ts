// A table of fills becomes fills: whatever its columns, numbers, times and words are called, and nothing about money
// is guessed.
import { describe, expect, it } from 'vitest';
import type { UserTable } from '../../src/table/index.ts';
import { readFills } from '../../src/history/index.ts';

const table = (text: string, delimiter = ','): UserTable => {
  const [head = '', ...lines] = text.trim().split('\n');
  return {
    columns: head.split(delimiter),
    rows: lines.map((line, index) => ({ line: index + 2, cells: line.split(delimiter) })),
  };
};
const NO_MAP = { map: {} };
const read = (text: string, settings: Parameters<typeof readFills>[1] = NO_MAP, delimiter = ',') =>
  readFills(table(text, delimiter), settings, 'bets.csv');
const AT = '2026-11-08T18:03:00Z';
const HEAD = 'time,event,market,side,line,odds,stake,result';

describe('a row', () => {
  it('becomes a fill with its money in micro-dollars', () => {
    const { fills, faults } = read(`${HEAD}\n${AT},Bulls @ Lakers,spread,Lakers,-3.5,+105,$100.00,W`);
    expect(faults).toEqual([]);
    expect(fills).toMatchObject([
      {
        line: 2,
        t: Date.parse(AT),
        teams: { home: 'Lakers', away: 'Bulls' },
        type: 'spread',
        period: 'full',
        side: { team: 'Lakers' },
        sideLine: -3.5,
        decimal: 2.05,
        risk: 100e6,
        win: 105e6,
        profit: 105e6,
      },
    ]);
  });

  it.each([
    ['moneyline,home,', { type: 'moneyline', side: 'home', sideLine: undefined }],
    ['ML,Lakers ML,', { type: 'moneyline', side: { team: 'Lakers' } }],
    ['Over/Under,Over 224.5,', { type: 'total', side: 'over', sideLine: 224.5 }],
    ['Total Points,u,224½', { type: 'total', side: 'under', sideLine: 224.5 }],
    ['Asian Handicap,Lakers −3.25,', { type: 'spread', side: { team: 'Lakers' }, sideLine: -3.25 }],
    ['1st Half Spread,76ers,+2', { type: 'spread', period: 'h1', side: { team: '76ers' }, sideLine: 2 }],
    ['totals_q1,Over,55.5', { type: 'total', period: 'q1', side: 'over', sideLine: 55.5 }],
    [',Lakers +2.5 (-110),', { type: 'spread', side: { team: 'Lakers' }, sideLine: 2.5 }],
    [',Schalke 04,', { type: 'moneyline', side: { team: 'Schalke 04' } }],
  ])('reads the bet %s', (bet, expected) => {
    const { fills, faults } = read(`${HEAD}\n${AT},Bulls @ Lakers,${bet},-110,50,`);
    expect(faults).toEqual([]);
    expect(fills).toMatchObject([expected]);
  });

  it.each([
    ['won', 45_454_545],
    ['L', -50e6],
    ['Push', 0],
    ['VOID', 0],
    ['half won', 22_727_273],
    ['Half Lost', -25e6],
    ['', undefined],
    ['pending', undefined],
    ['45.45', 45_450_000],
    ['(50.00)', -50e6],
  ])('has the profit of the result "%s"', (result, profit) => {
    expect(read(`${HEAD}\n${AT},Bulls @ Lakers,ML,Bulls,,-110,50,${result}`).fills[0]?.profit).toBe(profit);
  });

  it.each([
    [`${AT},Bulls @ Lakers,ML,Bulls,,,50,W`, 'it has no odds'],
    [`${AT},Bulls @ Lakers,ML,Bulls,,50,50,W`, undefined],
    [`${AT},Bulls @ Lakers,ML,Bulls,,0.9,50,W`, 'odds 0.9: expected American'],
    [`${AT},Bulls @ Lakers,ML,Bulls,,-110,0,W`, 'stake "0": expected an amount above 0'],
    [`${AT},Bulls @ Lakers,ML,Bulls,,-110,50,maybe`, 'result "maybe": expected won, lost, push or void'],
    [`${AT},Bulls @ Lakers,ML,Draw,,-110,50,W`, 'a bet on the draw'],
    [`${AT},Bulls @ Lakers,spread,Bulls,,-110,50,W`, 'a spread without a line'],
    [`${AT},Bulls @ Lakers,ML,Over 3,,-110,50,W`, 'side "Over 3" is none of a moneyline'],
    [`${AT},Bulls @ Lakers,Corners,Bulls,,-110,50,W`, 'market "Corners"'],
    [`2026-11-08,Bulls @ Lakers,ML,Bulls,,-110,50,W`, 'a date without a time of day'],
    [`soon,Bulls @ Lakers,ML,Bulls,,-110,50,W`, 'time soon: expected a time'],
    [`${AT},,ML,Bulls,,-110,50,W`, 'it has no event'],
  ])('that cannot be a fill is named: %s', (row, why) => {
    const { fills, faults } = read(`${HEAD}\n${row}`);
    if (why === undefined) expect(fills).toHaveLength(1);
    else expect(faults).toEqual([{ line: 2, why: expect.stringContaining(why) as string }]);
  });

  it('whose result and profit contradict each other is left out', () => {
    const { faults } = read(`${HEAD},profit\n${AT},Bulls @ Lakers,ML,Bulls,,+100,50,W,-50`);
    expect(faults[0]?.why).toBe('its result W makes 50.00, and its profit is -50');
  });
});

describe('a table', () => {
  it('may have decimal commas, semicolons and euros', () => {
    const { fills } = read(
      `Placed;Event;Selection;Price;Stake\n${AT};Leeds v Arsenal;Arsenal;1,91;€ 1.100,00\n${AT};Leeds v Arsenal;Leeds;3,4;50 EUR`,
      NO_MAP,
      ';',
    );
    expect(fills.map(({ decimal, risk, teams }) => [decimal, risk, teams?.home])).toEqual([
      [1.91, 1100e6, 'Leeds'],
      [3.4, 50e6, 'Leeds'],
    ]);
  });

  it('may have American and decimal odds, which differ in size', () => {
    const { fills } = read(`${HEAD}\n${AT},A @ B,ML,A,,150,50,\n${AT},A @ B,ML,A,,-150,50,\n${AT},A @ B,ML,A,,2.5,50,`);
    expect(fills.map(({ decimal }) => Number(decimal.toFixed(4)))).toEqual([2.5, 1.6667, 2.5]);
  });

  it('of two number formats is refused', () => {
    expect(() =>
      read(`${HEAD}\n${AT},A @ B,ML,A,,1.91,"1.100,5",\n${AT},A @ B,ML,A,,1.9,"1,100.5",`, NO_MAP),
    ).not.toThrow();
    const two = {
      ...table(HEAD),
      rows: ['1,91', '1.91'].map((odds, index) => ({
        line: index + 2,
        cells: [AT, 'A @ B', 'ML', 'A', '', odds, '5', ''],
      })),
    };
    expect(() => readFills(two, NO_MAP, 'bets.csv')).toThrow(
      /some numbers have a decimal comma and others a decimal point/,
    );
  });

  it('counts a doubled row once, and says so', () => {
    const row = `${AT},A @ B,ML,A,,-110,50,W`;
    const { fills, faults } = read(`${HEAD}\n${row}\n${row}`);
    expect(fills).toHaveLength(1);
    expect(faults[0]?.why).toContain('the same as line 2: counted once');
    const ids = read(`id,${HEAD}\n7,${row}\n7,${row}\n7,${AT},A @ B,ML,A,,-110,60,W\n8,${row}`);
    expect(ids.fills).toHaveLength(2);
    expect(ids.faults.map(({ why }) => why)).toEqual([
      'the same as line 2: counted once',
      'its id 7 is that of line 2, and they differ: only the first counts',
    ]);
  });

  it('in two time zones is read by its offsets; a time without one beside them is left out', () => {
    const row = (time: string): string => `${time},A @ B,ML,A,,-110,50,W`;
    const { fills, faults } = read(
      `${HEAD}\n${row('2026-11-08T13:03:00-05:00')}\n${row('2026-11-08T18:04:00Z')}\n${row('2026-11-08 18:05')}`,
    );
    expect(fills.map(({ t }) => t)).toEqual([Date.parse(AT), Date.parse('2026-11-08T18:04:00Z')]);
    expect(faults[0]?.why).toContain('has no zone, and others of the file have one: give --zone');
    const zoned = read(`${HEAD}\n${row('2026-11-08 13:03')}`, { map: {}, zoneMinutes: -300 });
    expect(zoned.fills[0]?.t).toBe(Date.parse(AT));
    expect(read(`${HEAD}\n${row('2026-11-08 18:03')}`).notes[0]).toContain('read as UTC');
  });

  it('names its columns by --map; an error names the right ones', () => {
    const text = `When,Game,Bet,Px,Amt\n${AT},A @ B,A,-110,50`;
    const map = { time: 'When', odds: 'Px', stake: 'amt' };
    expect(read(text, { map }).fills).toHaveLength(1);
    expect(() => read(text)).toThrow(
      /no column for time; odds; stake: name it with --map time=COLUMN; columns: When, Game/,
    );
    expect(() => read(text, { map: { ...map, oods: 'Px' } })).toThrow(/it is no field; did you mean odds\?/);
    expect(() => read(text, { map: { ...map, odds: 'Pxx' } })).toThrow(/there is no such column; did you mean Px\?/);
  });
});

describe('periods', () => {
  it.each([
    ['1H', 'h1'],
    ['First Half', 'h1'],
    ['Q3', 'q3'],
    ['3rd period', 'p3'],
    ['F5', 'f5'],
    ['Full Game', 'full'],
  ])('%s is %s', (name, period) => {
    const { fills } = read(`time,event,period,market,side,line,odds,stake\n${AT},A v B,${name},total,over,110,-110,10`);
    expect(fills[0]?.period).toBe(period);
  });

  it('are in the market too, and a period that is not known is refused', () => {
    const { fills } = read(`${HEAD}\n${AT},A v B,1H spread,A,-2.5,-110,10,`);
    expect(fills[0]).toMatchObject({ type: 'spread', period: 'h1' });
    const { faults } = read(`time,event,period,side,odds,stake\n${AT},A v B,banana,A,-110,10`);
    expect(faults[0]?.why).toMatch(/^period "banana": expected full, 1H/);
  });
});

describe('dates', () => {
  const times = (...dates: readonly string[]) =>
    read(`${HEAD}\n${dates.map((date, index) => `${date},A v B,ML,A,,-110,1${index},`).join('\n')}`);
  const days = (...dates: readonly string[]) =>
    times(...dates).fills.map(({ t }) => new Date(t).toISOString().slice(0, 16));

  it('begin with their day when one of the file can be nothing else', () => {
    expect(days('05/11/2025 14:00', '31/12/2025 14:00')).toEqual(['2025-11-05T14:00', '2025-12-31T14:00']);
  });

  it('begin with their month otherwise, and the report says so where no date shows it', () => {
    expect(days('11/9/25 10:00 AM', '11/19/25 10:00 AM')).toEqual(['2025-11-09T10:00', '2025-11-19T10:00']);
    expect(times('05/11/2025 14:00').notes).toContainEqual(expect.stringContaining('with the month first'));
    expect(times('05/13/2025 14:00').notes).not.toContainEqual(expect.stringContaining('with the month first'));
  });

  it('with points begin with their day', () => {
    expect(days('09.11.2025 15:00')).toEqual(['2025-11-09T15:00']);
    expect(times('31.02.2025 15:00').faults).toHaveLength(1);
  });
});

describe('bets on more than one outcome', () => {
  it('are refused by their names and by ids that have several events', () => {
    const { fills, faults } = read(
      `id,${HEAD}\n1,${AT},Ravens / Bills parlay,ML,Ravens,,+250,10,\n2,${AT},A v B,ML,A,,+600,10,\n2,${AT},C v D,ML,C,,+600,10,\n3,${AT},A v B,ML,A,,+100,10,`,
    );
    expect(fills.map(({ line }) => line)).toEqual([5]);
    expect(faults.map(({ line, why }) => [line, why.replace(/^.*: /, '')])).toEqual([
      [2, 'a bet on more than one outcome has no price of its own'],
      [3, 'a bet on more than one outcome has no price of its own'],
      [4, 'a bet on more than one outcome has no price of its own'],
    ]);
  });
});

describe('slips of the pen', () => {
  it.each([
    ['spread,Ravens +110,,1.91,10', /^line 110: no spread has it/],
    ['spread,A,-4.3,-110,10', /^line -4.3: no spread/],
    ['total,under,-48,-110,10', /^line -48: no total/],
    ['ML,A,,+99999999999999,10', /^odds .*: longer than any/],
    ['ML,A,,-110,100000000000000000000', /^stake .*: more than any bet/],
  ])('are refused: %s', (row, why) => {
    const { fills, faults } = read(`${HEAD}\n${AT},A v B,${row},`);
    expect([fills, faults[0]?.why]).toEqual([[], expect.stringMatching(why)]);
  });
});

describe('words for numbers', () => {
  it.each([
    ['ML,A,,EVEN,10', { decimal: 2 }],
    ['ML,A,,5/2,10', { decimal: 3.5 }],
    ['spread,A,PK,-110,10', { sideLine: 0 }],
    ['spread,A,-4.0/-4.5,-110,10', { sideLine: -4.25 }],
  ])('%s', (row, fields) => {
    expect(read(`${HEAD}\n${AT},A v B,${row},`).fills).toMatchObject([fields]);
  });

  it('are not results: 1 may be won, or a dollar', () => {
    const { fills, faults } = read(`${HEAD}\n${AT},A v B,ML,A,,+100,10,1\n${AT},A v B,ML,A,,+100,11,-11`);
    expect(fills.map(({ profit }) => profit)).toEqual([-11e6]);
    expect(faults[0]?.why).toMatch(/^result 1: won, push or lost, or an amount\?/);
  });

  it('settled and cashed out have the profit that the table shows', () => {
    const { fills, faults } = read(
      `${HEAD},profit\n${AT},A v B,ML,A,,+100,10,Settled,10\n${AT},A v B,ML,A,,+100,11,Cashed out,0`,
    );
    expect([fills.map(({ profit }) => profit), faults]).toEqual([[10e6, 0], []]);
  });
});
