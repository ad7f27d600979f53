import { beforeEach, describe, expect, it } from 'vitest';
import { MirrorFixture, rows, START, teams } from './fixtures.ts';

describe('a game', () => {
  let fixture: MirrorFixture;
  beforeEach(() => {
    fixture = new MirrorFixture().up();
  });

  it('is known from its header, with home and away by name', () => {
    fixture.read({ mainHomeSpread: -3.5, mainTotal: 210.5 }, 0);
    expect(fixture.game).toEqual({
      id: 'g1',
      parentGameId: undefined,
      kind: 'game',
      period: 'full',
      league: 'NBA',
      sport: 'basketball',
      eventName: 'Away Town @ Home City',
      start: Date.parse(START),
      live: false,
      ended: false,
      open: true,
      futures: false,
      home: { id: 'p-home', name: 'Home City', shortName: 'HOM' },
      away: { id: 'p-away', name: 'Away Town', shortName: 'AWY' },
      mainHomeSpread: -3.5,
      mainTotal: 210.5,
    });
  });

  it('that was closed before a reconnect is open again when a read does not show it closed', () => {
    fixture.read({}, 0);
    fixture.update({ messageType: 'marketClosed' }, 1);
    fixture.read({}, 2);
    expect(fixture.game.open).toBe(false);
    fixture.down().up();
    fixture.read({}, 3);
    expect(fixture.game.open).toBe(true);
    fixture.down().up();
    fixture.read({ messageType: 'marketClosed' }, 4);
    expect(fixture.game.open).toBe(false);
  });

  it('takes home and away from homeAway, whatever the order of the participants', () => {
    fixture.read({ participants: [...teams].reverse() }, 0);
    expect([fixture.game.home.id, fixture.game.away.id]).toEqual(['p-home', 'p-away']);
  });

  it.each([
    ['has no participants', { participants: undefined }],
    ['has one participant', { participants: teams.slice(0, 1) }],
    ['has three participants', { participants: [...teams, { id: 'p-draw', homeAway: 'home' }] }],
    ['names no home team', { participants: teams.map(({ id }) => ({ id })) }],
    ['has no start', { start: undefined }],
    ['has a start that is not a time', { start: 'soon' }],
  ])('that %s is not traded', (_problem, fields) => {
    expect(fixture.read(fields, 0)).toBeUndefined();
    expect(fixture.mirror.games.size).toBe(0);
  });

  it('gets names and an event name when the exchange gives none', () => {
    fixture.read({ eventName: undefined, participants: teams.map(({ id, homeAway }) => ({ id, homeAway })) }, 0);
    expect(fixture.game.eventName).toBe('p-away @ p-home');
  });

  it('opens and closes by messageType, and other types change nothing', () => {
    fixture.read({}, 0);
    const opens = ['marketClosed', 'marketPaused', 'marketOpen', 'marketClosed'].map((messageType) => {
      fixture.update({ messageType }, 1);
      return fixture.game.open;
    });
    expect(opens).toEqual([false, false, true, false]);
  });

  it('stays closed when a message does not say that it opens', () => {
    fixture.read({}, 0);
    fixture.update({ messageType: 'marketClosed' }, 1);
    fixture.update({ homeMoneylines: rows([['h', -105, 10]]) }, 2);
    expect(fixture.game.open).toBe(false);
  });

  it('moves its start, goes live and ends', () => {
    fixture.read({}, 0);
    fixture.update({ start: '2030-01-01T13:00:00.000Z' }, 1);
    expect(fixture.game.start).toBe(Date.UTC(2030, 0, 1, 13));
    fixture.frame({ participantID: 'p-home', live: true }, 2);
    expect(fixture.game.live).toBe(true);
    fixture.update({ ended: true }, 3);
    expect(fixture.game.ended).toBe(true);
  });

  it('keeps every part of its header that a message leaves out', () => {
    const fields = { parentGameID: 'g0', mainHomeSpread: -3.5, mainTotal: 210.5 };
    fixture.read({ ...fields, isFutures: true, live: true, ended: true, messageType: 'marketClosed' }, 0);
    const before = fixture.game;
    fixture.update({}, 1);
    fixture.update({ participants: [], start: null, league: '', sport: 7, live: 'yes' }, 2);
    expect(fixture.game).toEqual(before);
  });

  it('changes its main lines by gameUpdate and by frame, and loses them when a message says that there are none', () => {
    fixture.read({ mainHomeSpread: -3.5, mainTotal: 210.5 }, 0);
    fixture.update({ mainHomeSpread: -4 }, 1);
    expect([fixture.game.mainHomeSpread, fixture.game.mainTotal]).toEqual([-4, 210.5]);
    fixture.frame({ type: 'total', OU: 'over', total: 210.5, participantID: null, mainTotal: 211 }, 2);
    expect(fixture.game.mainTotal).toBe(211);
    fixture.update({ mainHomeSpread: 0, homeSpreads: {}, awaySpreads: {} }, 3);
    expect(fixture.game.mainHomeSpread).toBeUndefined();
  });

  it.each([0, null, undefined, 'NaN'])(
    'keeps its main line when a frame with an empty ladder has %j',
    (mainHomeSpread) => {
      fixture.read({ mainHomeSpread: -3.5 }, 0);
      fixture.frame({ type: 'spread', spread: -3.5, participantID: 'p-home', mainHomeSpread }, 1);
      expect(fixture.game.mainHomeSpread).toBe(-3.5);
    },
  );

  it('touches its markets when its header changes, and only then', () => {
    fixture.read({ homeMoneylines: rows([['h', -105, 10]]), over: { '210.5': rows([['o', 105, 10]]) } }, 0);
    fixture.drain();
    fixture.update({ messageType: 'marketOpen', league: 'NBA' }, 1);
    expect(fixture.drain()).toBe(0);
    fixture.update({ messageType: 'marketClosed' }, 2);
    expect(fixture.drain()).toBe(2);
    fixture.frame({ participantID: 'p-home', live: true }, 3);
    expect(fixture.drain()).toBe(2);
  });

  it('is the same object while nothing in its header changes', () => {
    fixture.read({}, 0);
    const before = fixture.game;
    fixture.read({}, 1);
    fixture.home([['h', -105, 10]], 2);
    expect(fixture.game).toBe(before);
  });
});
