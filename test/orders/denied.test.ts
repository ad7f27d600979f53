// A control that denies some of what is wanted keeps nobody else from being served.
import { expect, it } from 'vitest';
import type { Command, Game, GameId } from '../../src/domain/index.ts';
import { centsOfDollars, market, microsOfDollars, slotId } from '../../src/domain/index.ts';
import { OrderManager } from '../../src/orders/index.ts';
import { coreSettings } from '../support/core-driver.ts';
import { target } from './fixtures.ts';

it.each([
  [5, 1, 1],
  [26, 25, 1],
  [60, 1, 20],
  [1300, 25, 20],
])(
  '%d denied quotes that are worth more leave the permits (%d, for %d orders each) to the others',
  (denied, permits, most) => {
    const sent: Command[] = [];
    let requests = 0;
    const { orders } = coreSettings();
    const risk = { ...orders.risk, maxGameLoss: microsOfDollars(50) };
    const manager = new OrderManager(
      { ...orders, maxOrdersPerPlace: most, risk },
      {
        nextRequest: () => (requests += 1),
        send: (command) => sent.push(command),
        alert: () => undefined,
        wall: () => 0,
        gameOf: (id) => ({ id, sport: 'basketball', league: 'NBA' }) as Game,
        balance: () => undefined,
      },
    );
    const want = (game: string, line: number, dollars: number): void => {
      const of = market(game as GameId, 'spread', line);
      const wanted = { ...target(0), market: of, risk: centsOfDollars(dollars) };
      manager.setTargets(of.id, [{ ...wanted, slot: slotId(wanted.strategy, of, 'home', '#0') }]);
      manager.refresh(of.id, 0);
    };
    for (let line = 1; line <= denied; line++) want('limited', -line, 100);
    want('free', -1, 10);
    for (let permit = 1; permit <= permits; permit++) manager.sender.permits.place.push(permit);
    manager.plan(1);
    expect(sent).toMatchObject([{ type: 'place', orders: [{ market: { gameId: 'free' } }] }]);
  },
);
