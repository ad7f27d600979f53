import { describe, expect, it } from 'vitest';
import { answerAdmin, InProcessExchange } from '../../../src/paper/index.ts';

const zone = process.env['TZ'];

describe('the admin port: the start of a game', () => {
  const x = new InProcessExchange({ startMs: Date.UTC(2029, 0, 1), traders: 'none', games: 1, accounts: [] });
  const post = (path: string, body: object) => answerAdmin(x.world.exchange, { method: 'POST', path, body });
  const game = { league: 'NBA', home: { name: 'Otters' }, away: { name: 'Ravens' } };
  const startsOf = (): readonly number[] => [...x.world.venue.games.values()].map(({ header }) => header.start);

  it('reads a start without a zone as UTC in any time zone of the machine', () => {
    process.env['TZ'] = 'America/New_York';
    expect(post('/games', { ...game, start: '2030-01-01T19:00:00' })).toMatchObject({ ok: true });
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
    expect(startsOf()).toContain(Date.UTC(2030, 0, 1, 19));
  });

  it('refuses a start on a day that does not exist', () => {
    const refused = post('/games', { ...game, start: '2030-02-30T19:00:00Z' });
    expect(refused).toMatchObject({ ok: false, status: 400 });
    expect(JSON.stringify(refused)).toContain('expected an ISO time of a day that exists');
  });
});
