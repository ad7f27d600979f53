import { describe, expect, it } from 'vitest';
import { answerAdmin, InProcessExchange } from '../../../src/paper/index.ts';

describe('the admin port: the teams of a game', () => {
  const x = new InProcessExchange({ startMs: Date.UTC(2029, 0, 1), traders: 'none', games: 1, accounts: [] });
  const post = (path: string, body: object) => answerAdmin(x.world.exchange, { method: 'POST', path, body });
  const [otters, ravens] = [
    { id: 'o', name: 'Otters', shortName: 'OTT' },
    { id: 'r', name: 'Ravens', shortName: 'RAV' },
  ];
  const made = post('/games', { league: 'NBA', home: otters, away: ravens, mainHomeSpread: -3.5 });
  const id = made.ok ? (made.body as { readonly id: string }).id : '';
  const header = () => [...x.world.venue.games.values()].find((game) => game.header.id === id)?.header;

  it('swaps home and away, and adjusts the game’s name and main spread', () => {
    expect(post(`/games/${id}`, { swapTeams: true })).toMatchObject({ ok: true });
    expect(header()).toMatchObject({ home: ravens, away: otters, mainHomeSpread: 3.5, eventName: 'Otters @ Ravens' });
    expect(post(`/games/${id}`, { home: otters, away: ravens })).toMatchObject({ ok: true });
    expect(header()).toMatchObject({ home: otters, away: ravens, mainHomeSpread: -3.5 });
  });

  it('replaces and renames one team, and refuses the same team on both sides', () => {
    expect(post(`/games/${id}`, { away: { id: 'x', name: 'Foxes' } })).toMatchObject({ ok: true });
    expect(header()).toMatchObject({ away: { id: 'x', name: 'Foxes', shortName: 'Foxes' } });
    expect(post(`/games/${id}`, { away: { id: 'o', name: 'Otters' } })).toMatchObject({
      ok: false,
      status: 400,
      message: expect.stringContaining('are both o') as string,
    });
    expect(post(`/games/${id}`, { swapTeams: false })).toMatchObject({ ok: false, status: 400 });
  });
});
