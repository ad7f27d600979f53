// Fills folded from events: what is known of each fill, whatever the order of the events.
import { expect, it } from 'vitest';
import type { EventOf, MarketId, Micros, RunEvent, TxId } from '../../src/domain/index.ts';
import { FillBook } from '../../src/run/index.ts';
import { filled, MARKET, settled, START } from './events.ts';

const T = START - 3_600_000;

function bookOf(...events: readonly RunEvent[]): FillBook {
  const book = new FillBook();
  for (const event of events)
    if (event.type === 'Fill') book.addFill(event, T);
    else book.applyEvent(event);
  return book;
}

const markout = (txId: string, seconds: EventOf<'Markout'>['seconds'], fair?: number): RunEvent => ({
  type: 'Markout',
  txId: txId as TxId,
  seconds,
  ...(fair === undefined ? {} : { fair }),
});
const close = (changes: Partial<EventOf<'CloseTaken'>> = {}): EventOf<'CloseTaken'> => ({
  type: 'CloseTaken',
  market: MARKET,
  isInPlay: false,
  prices: { consensus: 0.52 },
  own: {},
  ...changes,
});
const only = (book: FillBook) => [...book.fills][0];

it('a fill has the prices of its own side, also on the second side of its market', () => {
  const book = bookOf(
    filled('x', { side: 'away', before: { consensus: 0.7, own: 0.6, odds: 0.72 }, past: { consensus: 0.71 } }),
    markout('x', 1, 0.75),
    close({ prices: { consensus: 0.8, odds: 0.78 }, own: { main: 0.65 } as EventOf<'CloseTaken'>['own'] }),
  );
  const fill = only(book);
  expect(fill?.f0).toBeCloseTo(0.3);
  expect(fill?.past).toBeCloseTo(0.29);
  expect(fill?.later[0]).toBeCloseTo(0.25);
  expect(fill?.fc).toBeCloseTo(0.2);
  expect(fill?.own?.f0).toBeCloseTo(0.4);
  expect(fill?.own?.fc).toBeCloseTo(0.35);
  expect(fill?.outside.odds?.f0).toBeCloseTo(0.28);
  expect(fill?.outside.odds?.fc).toBeCloseTo(0.22);
});

it('a close sets the closing price of fills of its market and phase that have none yet', () => {
  const live = { league: 'NBA', sport: 'basketball', name: 'Away @ Home', start: START, live: true };
  const other = 'g1/total/200.5' as MarketId;
  const book = bookOf(
    filled('early'),
    filled('late', { game: live }),
    filled('elsewhere', { market: other, side: 'over' }),
    close(),
    close({ prices: { consensus: 0.9 } }),
    close({ isInPlay: true, prices: { consensus: 0.95 } }),
  );
  expect([...book.fills].map(({ fc }) => fc)).toEqual([0.52, 0.95, undefined]);
});

it('a fill in play of an ended run gets its closing price from the next run', () => {
  const live = { league: 'NBA', sport: 'basketball', name: 'Away @ Home', start: START, live: true };
  const book = bookOf(
    filled('x', { game: live }),
    close({ isInPlay: true, prices: { odds: 0.6 } }),
    { type: 'RunStarted', run: 'run2' },
    filled('x', { game: live, before: { consensus: 0.1 } }),
    close({ isInPlay: true, prices: { consensus: 0.9 } }),
  );
  expect(only(book)).toMatchObject({ f0: 0.5, fc: 0.9, outside: { odds: { fc: 0.6 } } });
});

it('a run that finds a fill of an earlier run adds no markout to it', () => {
  const started: RunEvent = { type: 'RunStarted', run: 'run2' };
  const book = bookOf(filled('x'), markout('x', 1, 0.51), started, filled('x'), markout('x', 5, 0.6));
  expect(only(book)?.later).toEqual([0.51]);
});

it('a missed markout is unknown, and the next markout keeps its own time', () => {
  expect(only(bookOf(filled('x'), markout('x', 1), markout('x', 10, 0.53)))?.later).toEqual([
    undefined,
    undefined,
    0.53,
  ]);
});

it('a fill has its mark at the fill, its later mark, and the role and queue that a venue reports', () => {
  const book = new FillBook();
  const taker = filled('x', { side: 'away', fair: 0.4, aheadAtFill: 7e6 as Micros, role: 'taker' });
  book.addFill(taker, 0);
  expect([...book.fills]).toMatchObject([{ mark: 0.6, markLater: undefined, queueFilled: 7e6, role: 'taker' }]);
  // no price was known after a minute, and one at the end of the run
  const later = { type: 'Markout', txId: taker.txId, seconds: 60 } as const;
  for (const event of [later, { ...later, mark: 0.3 }, { ...later, mark: 0.2 }]) book.applyEvent(event);
  expect([...book.fills]).toMatchObject([{ mark: 0.6, markLater: 0.7 }]);
});

it('a fill stays on its team when home and away change places', () => {
  const moved = 'g1/moneyline' as MarketId;
  const book = bookOf(filled('x'), { type: 'FillMoved', txId: 'x' as TxId, market: moved, side: 'away' }, close());
  expect(only(book)).toMatchObject({ side: 'away', position: { first: -100e6, second: 105e6 } });
  expect(only(book)?.fc).toBeCloseTo(0.48);
});

it('a fill counts once, and is among the changed fills when something of it becomes known', () => {
  const book = bookOf(filled('x'), filled('x'));
  expect(book.takeChanged()).toHaveLength(1);
  expect(book.takeChanged()).toHaveLength(0);
  book.applyEvent(markout('x', 1, 0.5));
  expect(book.takeChanged().map(({ txId }) => txId)).toEqual(['x']);
});

it('a fill with an unknown market is added when its market becomes known', () => {
  const book = bookOf(filled('x', { market: undefined, side: undefined }));
  expect([...book.fills]).toEqual([]);
  expect(book.addFill(filled('x'), T)).toBe(true);
});

it('commission is shared by the winning fills of a market, in any order of settlements and reversals', () => {
  const profits = { a: 100, b: 300, c: -200 };
  for (const order of ['abc', 'cba', 'bca', 'cab'] as const) {
    const book = bookOf(filled('a'), filled('b'), filled('c'));
    book.commission = { of: 'market', share: 0.05 };
    const settle = (txId: string) => book.applyEvent(settled(txId, profits[txId as 'a']));
    const takeBack = (txId: string) => book.applyEvent({ type: 'Unsettled', txId: txId as TxId });
    const kept = () => [...book.fills].map(({ commission }) => commission);
    for (const txId of order) settle(txId);
    expect(book.shareCommission().map(({ txId }) => txId)).toEqual(expect.arrayContaining(['a', 'b']));
    expect(kept()).toEqual([3, 8, 0]);
    expect(book.shareCommission()).toEqual([]);
    takeBack('a');
    expect(kept()).toEqual([0, 5, 0]);
    settle('a');
    expect(kept()).toEqual([3, 8, 0]);
    takeBack('b');
    // a market that lost pays no commission, and gets none back
    expect(kept()).toEqual([0, 0, 0]);
  }
});

it('a fill that does not count has no share in the commission', () => {
  const book = new FillBook(10, ({ txId }) => txId !== ('other' as TxId));
  book.commission = { of: 'market', share: 0.05 };
  for (const txId of ['own', 'other']) book.addFill(filled(txId), T);
  book.applyEvent(settled('other', -1000));
  book.applyEvent(settled('own', 100));
  expect([...book.fills].map(({ commission }) => commission)).toEqual([5, 0]);
});

it('a full fill book drops its oldest fills', () => {
  const book = new FillBook(2);
  for (const txId of ['a', 'b', 'c']) book.addFill(filled(txId), T);
  expect([...book.fills].map(({ txId }) => txId)).toEqual(['b', 'c']);
});
