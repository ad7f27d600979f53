// What single strategies may lose: a real account, its fills and orders, and the exposure that limits read.
import { expect, it } from 'vitest';
import { Account } from '../../src/account/index.ts';
import type { FillReport, Market, OrderRef, Side, StrategyId, TxId } from '../../src/domain/index.ts';
import { dollarsOfMicros, market } from '../../src/domain/index.ts';
import { Exposure, StrategyExposures } from '../../src/risk/index.ts';
import { fillOf, id, MONEYLINE, orderOf, OWNER, ref, usd, withAccount } from '../account/scene.ts';
import { ruleOf as ruleOfDraw } from '../support/sport-rules.ts';

const ruleOf = (): ReturnType<typeof ruleOfDraw> => ruleOfDraw('impossible');
const SPREAD = market(MONEYLINE.gameId, 'spread', -3.5);
const OTHER = 'other' as StrategyId;

/** The exposures of the account and its strategies, wired as the order manager wires them. */
function exposuresOf(account: Account) {
  const strategies = new StrategyExposures(account, { ruleOf });
  const all = new Exposure(account, { ruleOf, moved: (games) => strategies.applyMoved(games) });
  return {
    worstOf: (strategy: StrategyId = OWNER.strategy): number => {
      all.worstOf(MONEYLINE.gameId);
      const exposure = strategies.of(strategy);
      return dollarsOfMicros((exposure.worstOf(MONEYLINE.gameId) - exposure.unplacedIn(MONEYLINE.gameId)) as never);
    },
  };
}

type Filled = { readonly side?: Side; readonly by?: OrderRef; readonly in?: Market; readonly dollars?: number };

/** A fill of an order; without `by`, of an order that this run sends. */
function fill(
  account: Account,
  name: string,
  { side = 'home', by, in: where = MONEYLINE, dollars = 100 }: Filled = {},
) {
  if (by === undefined)
    account.applySent({ ...orderOf(ref(name), side, dollars), market: where }, OWNER, { req: 1, t: 0 });
  account.record(
    {
      ref: by ?? ref(name),
      orderId: id(name),
      from: 'event',
      seenAt: 1,
      kind: { type: 'fill', fill: fillOf(name, dollars) },
    },
    { market: where, side },
  );
}

it('what a strategy held leaves its limits when it is settled, and hedges nothing any more', () => {
  const account = withAccount();
  const { worstOf } = exposuresOf(account);
  fill(account, '1');
  fill(account, '2', { side: 'away', in: SPREAD });
  // home by 1 to 3 wins both; home by 4 loses the spread and wins the moneyline
  const both = worstOf();
  expect(both).toBeGreaterThan(-100);
  account.fills.applyGraded('1' as TxId, usd(90));
  expect(worstOf()).toBe(-100);
  account.fills.applyGraded('2' as TxId, usd(-100));
  expect(worstOf()).toBe(0);
});

it('a fill of unknown player mode counts in full, and hedges nothing', () => {
  const account = new Account({ instance: 'a', playerMode: 'coins', lateArrivalMs: 12_000 });
  account.fills.applyBoot('run');
  account.beginStep(1000);
  const { worstOf } = exposuresOf(account);
  fill(account, '1', { in: SPREAD });
  fill(account, '2', { side: 'away', in: SPREAD });
  expect(worstOf()).toBe(-100);
  account.fills.applyModeSure(1001);
  // at +109 on both sides nothing can be lost
  expect(worstOf()).toBe(0);
});

it('fills of former runs count for the strategy in their reference, and are not shown as its own', () => {
  const account = withAccount();
  account.applyRead(0);
  const { worstOf } = exposuresOf(account);
  fill(account, '1', { by: 'a.main.#0.before-1' as OrderRef });
  fill(account, '2', { by: 'a.other.#0.before-2' as OrderRef, dollars: 30 });
  fill(account, '3', { by: 'elsewhere.main.#0.before-2' as OrderRef, dollars: 500 });
  expect([worstOf(), worstOf(OTHER)]).toEqual([-100, -30]);
  expect(account.fills.fillsOf(OWNER.strategy, MONEYLINE.id)).toEqual([]);
});

it('a fill whose market is not known yet may be lost in full by its strategy', () => {
  const account = withAccount();
  account.applyRead(0);
  const { worstOf } = exposuresOf(account);
  const report: FillReport = fillOf('t1', 40);
  account.record({
    ref: ref('9'),
    from: 'list',
    seenAt: 1,
    kind: { type: 'fill', fill: report, gameId: MONEYLINE.gameId },
  });
  expect(worstOf()).toBe(-40);
  account.beginStep(2);
  account.fills.placeWaiting(() => ({ market: MONEYLINE, side: 'home' }));
  expect(worstOf()).toBe(-40);
  expect(account.holdings.byStrategy.of(OWNER.strategy).stakedElsewhere).toBe(0);
});
