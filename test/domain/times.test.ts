import { afterEach, describe, expect, it } from 'vitest';
import { parseTime } from '../../src/domain/index.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

describe('parseTime', () => {
  it('gives the same time in each time zone of the machine, also for text without a zone', () => {
    process.env['TZ'] = 'America/New_York';
    // the zone is in effect for this process
    expect(new Date('2030-01-01T00:00:00Z').getHours()).toBe(19);
    const noon = Date.UTC(2030, 0, 1, 12);
    for (const text of [
      '2030-01-01 12:00',
      '2030-01-01 12:00:00.000',
      '2030-01-01 14:00+02:00',
      '2030-01-01 12:00Z',
      'Jan 1 2030 12:00',
      'Tue, 01 Jan 2030 12:00:00 GMT',
      'Tue Jan 01 2030 07:00:00 GMT-0500 (Eastern Standard Time)',
      '2030-01-01T12:00',
      '2030-01-01T12:00:00',
      '2030-01-01T12:00:00.000',
      '2030-01-01T12:00:00Z',
      '2030-01-01T14:00:00+02:00',
      '2030-01-01T07:00:00-0500',
      '2030-01-01 12:00:00+00',
      '2030-01-01 07:00:00-05',
      '2030-01-01 12:00:00 +0000',
      '2030-01-01 12:00:00 UTC',
      '2030-01-01 12:00:00 GMT',
      '2030-01-01 07:00 EST',
      'Jan 1 2030 7:00 EST',
      'Jan 1 2030 8:00 am EDT',
      'Jan 1 2030 4:00 PST',
      'Jan 1 2030 07:00 GMT-5',
      'Jan 1 2030 14:00 GMT+2',
      'Jan 1 2030 17:30 +05:30',
      '1/1/2030 12:00',
      '2030/01/01 12:00',
      'Tue Jan 1 12:00:00 UTC 2030',
      'Tue Jan 1 12:00:00 2030',
    ])
      expect(parseTime(text), text).toBe(noon);
    for (const text of ['2030-01-01', '2030/01/01', '1/1/2030', '2030-1-1', 'Jan 1 2030'])
      expect(parseTime(text), text).toBe(Date.UTC(2030, 0, 1));
  });

  it('gives undefined for text that is no time', () => {
    for (const text of ['', 'noon', '2030-13-01T00:00:00Z', 'game 5', 'Jan 5', '1/5/30', '1893524400'])
      expect(parseTime(text), text).toBeUndefined();
    expect(parseTime('2030-01-01T12:00:00+25:00')).toBeUndefined();
  });

  it('gives undefined for a day that its month does not have, in any format', () => {
    for (const date of ['2026-02-30', '2026-02-29', '2100-02-29', '2026-04-31', '2026-00-10', '2026-01-00'])
      for (const rest of ['', 'T10:00', 'T10:00:00Z', ' 10:00:00 UTC', 'T10:00:00-05:00'])
        expect(parseTime(`${date}${rest}`), `${date}${rest}`).toBeUndefined();
    for (const text of ['2/30/2026', '2026/02/30', 'Feb 30 2026', 'Mon, 30 Feb 2026 02:00:00 GMT'])
      expect(parseTime(text), text).toBeUndefined();
    expect(parseTime('Sun Feb 29 20:00:00 EST 2026')).toBeUndefined();
    expect(parseTime('2028-02-29')).toBe(Date.UTC(2028, 1, 29));
    expect(parseTime('Tue Feb 29 20:00:00 EST 2028')).toBe(Date.UTC(2028, 2, 1, 1));
    expect(parseTime('2030-01-31T24:00:00Z')).toBe(Date.UTC(2030, 1, 1));
  });
});
