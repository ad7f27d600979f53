import { beforeEach, describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { MirrorFixture, rows } from './fixtures.ts';

describe('a frame', () => {
  let fixture: MirrorFixture;
  beforeEach(() => {
    fixture = new MirrorFixture().up();
    fixture.read({ homeMoneylines: rows([['h', -105, 100]]), awayMoneylines: rows([['a', 102, 100]]) }, 0);
  });

  it('replaces the whole ladder of its side and leaves the other side alone', () => {
    expect(
      fixture.home(
        [
          ['x', -104, 50],
          ['y', 101, 60],
        ],
        1,
      ),
    ).toBe('applied');
    expect(fixture.ids()).toEqual([['x', 'y'], ['a']]);
  });

  it('with an empty ladder empties its side', () => {
    fixture.home([], 1);
    expect(fixture.ids()).toEqual([[], ['a']]);
  });

  it('replaces one line and leaves the other lines alone', () => {
    const spread = (line: number, id: string) => ({
      type: 'spread',
      spread: line,
      participantID: 'p-home',
      sideOrders: rows([[id, 105, 10]]),
    });
    fixture.frame(spread(-3.5, 's'), 1);
    fixture.frame(spread(-4, 't'), 2);
    fixture.frame({ ...spread(-4, ''), sideOrders: [] }, 3);
    expect(fixture.ids('spread', -3.5)).toEqual([['s'], []]);
    expect(fixture.ids('spread', -4)).toEqual([[], []]);
    expect(fixture.ids()).toEqual([['h'], ['a']]);
  });

  it('of home −3.5 and of away +3.5 is in one market', () => {
    const fields = { type: 'spread', sideOrders: rows([['s', 105, 10]]) };
    fixture.frame({ ...fields, spread: -3.5, participantID: 'p-home' }, 1);
    fixture.frame({ ...fields, spread: 3.5, participantID: 'p-away', sideOrders: rows([['t', 105, 10]]) }, 1);
    expect(fixture.ids('spread', -3.5)).toEqual([['s'], ['t']]);
    expect(fixture.book('spread', -3.5).market.line).toBe(-3.5);
  });

  it('of a level spread is in the market of line 0 from either side', () => {
    const fields = { type: 'spread', sideOrders: rows([['s', 105, 10]]) };
    fixture.frame({ ...fields, spread: 0, participantID: 'p-home' }, 1);
    fixture.frame({ ...fields, spread: '-0', participantID: 'p-away' }, 1);
    expect(fixture.ids('spread', 0)).toEqual([['s'], ['s']]);
    expect(Object.is(fixture.book('spread', 0).market.line, 0)).toBe(true);
    expect(fixture.mirror.games.get('g1' as GameId)?.markets.size).toBe(2);
  });

  it('of over and of under is in one total', () => {
    const fields = { type: 'total', total: '210.5', participantID: null };
    fixture.frame({ ...fields, OU: 'over', sideOrders: rows([['o', 105, 10]]) }, 1);
    fixture.frame({ ...fields, OU: 'under', sideOrders: rows([['u', 105, 10]]) }, 1);
    expect(fixture.ids('total', 210.5)).toEqual([['o'], ['u']]);
  });

  it('stays on the side of its participant, also when it carries OU', () => {
    fixture.frame({ participantID: 'p-away', OU: 'over', sideOrders: rows([['x', 103, 10]]) }, 1);
    expect(fixture.ids()).toEqual([['h'], ['x']]);
  });

  it.each([
    ['of an unknown game', { gameID: 'g9', participantID: 'p-home' }, 'unknown-game'],
    ['of an unknown participant', { participantID: 'p-unknown' }, 'unknown-participant'],
  ])('%s changes nothing and returns the reason', (_case, fields, outcome) => {
    fixture.drain();
    expect(fixture.frame({ ...fields, sideOrders: rows([['x', 105, 10]]) }, 1)).toBe(outcome);
    expect(fixture.ids()).toEqual([['h'], ['a']]);
    expect(fixture.drain()).toBe(0);
  });

  it('marks its market as touched, once', () => {
    fixture.drain();
    fixture.home([['x', -104, 50]], 1);
    fixture.home([['x', -104, 40]], 2);
    expect([...fixture.mirror.touched].map((book) => book.market.id)).toEqual(['g1/moneyline']);
  });
});

describe('own offers', () => {
  it('are the offers with an owner from the exchange, and stay in the ladder', () => {
    const fixture = new MirrorFixture().up();
    fixture.read({}, 0);
    fixture.home(
      [
        ['mine', -104, 50, true],
        ['theirs', -103, 50],
      ],
      1,
    );
    expect(fixture.side(0).ladder.map((offer) => [offer.id, offer.own])).toEqual([
      ['mine', true],
      ['theirs', false],
    ]);
  });

  it('stay own when a read shows the same book without owners', () => {
    const fixture = new MirrorFixture().up();
    fixture.read({}, 0);
    fixture.home([['mine', -104, 50, true]], 1);
    fixture.read({ homeMoneylines: rows([['mine', -104, 50]]) }, 5, 4);
    expect(fixture.side(0).ladder.map((offer) => offer.own)).toEqual([true]);
  });
});

describe('a mirror', () => {
  it('keeps games apart', () => {
    const fixture = new MirrorFixture().up();
    fixture.read({ homeMoneylines: rows([['h', -105, 100]]) }, 0);
    fixture.read({ id: 'g2', homeMoneylines: rows([['x', -105, 100]]) }, 0);
    fixture.home([], 1);
    const other = fixture.mirror.games
      .get('g2' as GameId)
      ?.markets.values()
      .next().value;
    expect(other?.sides[0].ladder.map((offer) => offer.id)).toEqual(['x']);
    expect(fixture.ids()).toEqual([[], []]);
  });
});
