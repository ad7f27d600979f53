// Plays by themselves: what is booked, whose it is, and in which mode it may be.
import { describe, expect, it } from 'vitest';
import type { Micros, OrderRef, TxId } from '../../src/domain/index.ts';
import type { BookedPlay } from '../../src/orders/plays.ts';
import { Plays } from '../../src/orders/plays.ts';
import { target } from './fixtures.ts';

const { market } = target(1);
const [a, b] = ['a', 'b'] as unknown as [OrderRef, OrderRef];
const tx = (name: string): TxId => name as TxId;

/** Of $100 against $90, by default of an order of ours that was sent at 1000. */
function booked(plays: Plays, name: string, of: Partial<BookedPlay> = {}): void {
  const [risk, win] = [100e6 as Micros, 90e6 as Micros];
  plays.isNews(tx(name));
  plays.book(tx(name), { market, side: 'home', risk, win, ref: a, owned: true, sentAt: 1000, ...of });
}

const withPlays = (): Plays => new Plays(() => undefined);

describe('plays', () => {
  it('are settled once, however often that is told', () => {
    const plays = withPlays();
    booked(plays, 'one');
    for (let told = 0; told < 3; told++) plays.applySettled(tx('one'), 90e6 as Micros);
    plays.applySettled(tx('never booked'), undefined);
    expect(plays.realized).toBe(90e6);
    expect([...plays.open]).toEqual([]);
    expect(plays.positions.size).toBe(0);
  });

  it('are owned by the order that they fill: neither by another one nor for a reference that they only name', () => {
    const plays = withPlays();
    booked(plays, 'filled');
    booked(plays, 'named', { owned: false });
    booked(plays, 'other', { ref: b });
    expect(plays.ownedBy(a, market.gameId)).toEqual(['filled']);
  });

  it('that turn out to fill another order are in the mode in which that was sent', () => {
    const plays = withPlays();
    booked(plays, 'one');
    plays.applyMoved([tx('one')], { ref: b, modeAt: 3000 });
    plays.applyModeSure(2000);
    expect([...plays.unsureIn(market.id)]).toMatchObject([{ ref: b, sentAt: 3000 }]);
    expect(plays.surePositionIn(market.id).staked).toBe(0);
    plays.applyModeSure(4000);
    expect(plays.awaitsMode).toBe(false);
    expect(plays.surePositionIn(market.id).staked).toBe(100e6);
  });

  it('that are nobody’s for a while keep the time by which their mode is known', () => {
    const plays = withPlays();
    booked(plays, 'one');
    plays.applyMoved([tx('one')], undefined);
    expect(plays.refOf(tx('one'))).toBeUndefined();
    plays.applyModeSure(2000);
    expect(plays.awaitsMode).toBe(false);
  });
});
