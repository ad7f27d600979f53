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
