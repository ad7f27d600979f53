// Two games of the same teams have two rows with different names in a report and on the page.
import { expect, it } from 'vitest';
import type { OrderRef, TxId } from '../../src/domain/index.ts';
import { market, namedGame } from '../../src/domain/index.ts';
import { fillRow } from '../../src/page/page-rows.ts';
import type { EventLog } from '../../src/report/index.ts';
import { busiestOf, shownKey } from '../../src/run/index.ts';
import { reportScenario } from '../../src/report/index.ts';
import { marketText, periodText, sideText } from '../../web/src/place.ts';
import { facts, fill, HOUR_MS, M, START } from '../run/facts.ts';

const NOTHING: EventLog = {
  placed: 0,
  cancelled: 0,
  refused: 0,
  unknown: 0,
  http: {},
  quotedShare: 0,
  heldBack: {},
  refusals: {},
  idle: {},
  alerts: {},
  signals: null,
  end: null,
};
const first = fill({ game: 'g1', eventName: 'Hawks @ Bulls', profit: 55 * M });
const second = fill({ game: 'g2', eventName: 'Hawks @ Bulls', profit: -50 * M, start: START + 4 * HOUR_MS });

it('a report has a row for each game, named with its start time', () => {
  const { figures, names = {} } = reportScenario(facts({ fills: [first, second] }), undefined, NOTHING, 1);
  const rows = figures.attribution.game;
  expect(rows.map(({ key, pnl }) => [key, pnl])).toEqual([
    ['g1', 55],
    ['g2', -50],
  ]);
  expect(rows.map(({ key }) => shownKey('game', key, names))).toEqual([
    'Hawks @ Bulls, 2030-01-02 20:00',
    'Hawks @ Bulls, 2030-01-03 00:00',
  ]);
  expect(shownKey('market', second.market.id, names)).toBe('Hawks @ Bulls, 2030-01-03 00:00 moneyline');
  expect(busiestOf([first, second], () => [])?.eventName).toBe('Hawks @ Bulls, 2030-01-02 20:00');
});

it('a fill on the page names its game with its start time', () => {
  const gameOf = (filled: typeof first): string | null =>
    fillRow({ ...filled, txId: 't' as TxId, ref: 'r' as OrderRef }).game;
  expect([gameOf(first), gameOf(second)]).toEqual([
    'Hawks @ Bulls, 2030-01-02 20:00',
    'Hawks @ Bulls, 2030-01-03 00:00',
  ]);
});

it('a fill on the page has the type, line and period of its market', () => {
  const ids = { txId: 't' as TxId, ref: 'r' as OrderRef };
  expect(fillRow({ ...first, ...ids })).toMatchObject({ type: 'moneyline', line: null, period: 'full' });
  const total = { ...first, ...ids, market: market(first.gameId, 'total', 215.5) };
  expect(fillRow(total, 'h1')).toMatchObject({ type: 'total', line: 215.5, period: 'h1' });
});

it('lines, sides and periods of markets have distinct texts on the page', () => {
  const spread = { type: 'spread', line: -3.5, period: 'full' };
  expect(marketText(spread)).toBe('spread -3.5, full game');
  expect([sideText('home', spread), sideText('away', spread)]).toEqual(['home -3.5', 'away +3.5']);
  expect(sideText('away', { type: 'spread', line: 0 })).toBe('away 0');
  expect(sideText('over', { type: 'total', line: 215.5 })).toBe('over 215.5');
  expect(sideText('home', { type: 'moneyline', line: null })).toBe('home');
  expect(['full', 'h1', 'q4', 'i9', 'f5', 'prop h1'].map(periodText)).toEqual([
    ...['full game', '1st half', '4th quarter', '9th inning', 'first five innings', 'prop h1'],
  ]);
});

it('a game with an unknown or absurd start time has only its name', () => {
  expect(namedGame('Hawks @ Bulls', undefined)).toBe('Hawks @ Bulls');
  expect(namedGame('Hawks @ Bulls', Number.NaN)).toBe('Hawks @ Bulls');
  expect(namedGame('Hawks @ Bulls', 1e300)).toBe('Hawks @ Bulls');
});
