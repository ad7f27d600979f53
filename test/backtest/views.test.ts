// One market, written in the offerer's and in the taker's view: HOME +110 is AWAY −110 there, HOME −3 is AWAY
// +3, OVER is UNDER, and what is left is the stake that takes it. The tape's header names the view; the fills
// are the same.
import { SCENARIOS } from '../../src/report/index.ts';
import { describe, expect, it } from 'vitest';
import type { Row } from './made-tape.ts';
import { MadeTape } from './made-tape.ts';
import { play } from './schedule.ts';

const row = (id: string, left = 200, fields: Partial<Row> = {}): Row => ({
  id,
  odds: 110,
  risk: 200,
  left,
  ...fields,
});

/**
 * A market with takes, a cut, a row with nothing left, a vanishing, a recorder's row, a read, and an offer
 * that crosses.
 */
const written = (perspective: 'offerer' | 'taker'): MadeTape =>
  new MadeTape({ perspective })
    .game(0, { mainHomeSpread: -3, mainTotal: 210 }, { home: [row('h')], away: [row('a')] })
    .side(0, 'home', [row('h'), row('h2', 200, { odds: 125 })])
    .side(0, 'home -3', [row('s')])
    .side(0, 'away 3', [row('t')])
    .side(0, 'over 210', [row('o'), row('own', 200, { own: true })])
    .side(0, 'under 210', [row('u', 200, { odds: 150 })])
    .side(10, 'home', [row('h', 190), row('h2', 200, { odds: 125 })]) // 10 at +110: a stake of 11
    .side(11, 'home', [{ ...row('h', 170), risk: 180 }, row('h2', 0, { odds: 125 })]) // a cut, and 200 at +125: 250
    .side(12, 'home -3', [row('s', 180)]) // 20: 22
    .side(13, 'over 210', [row('o', 200), row('own', 150, { own: true })]) // 50 of the recorder's offer: 55
    .side(14, 'under 210', []) // 200 at +150 are gone: a stake of 300
    .side(15, 'away 3', [row('t'), row('x', 110, { odds: -120, risk: 110, made: 15 })]) // crosses HOME −3 at +120
    .read(16, { home: [{ ...row('h', 160), risk: 180 }], away: [row('a', 195)] }) // 10: 11, and 5: 5.50
    // the lines of HOME's spreads are gone: 180 at +110, a stake of 198
    .game(20, { [perspective === 'offerer' ? 'homeSpreads' : 'awaySpreads']: {} });

const orders = {
  home: { at: 5, side: 'home', odds: 100, risk: 300 },
  away: { at: 5, side: 'away', odds: 105, risk: 300 },
  spread: { at: 5, side: 'home -3', odds: 110, risk: 20 },
  crossed: { at: 5, side: 'home -3', odds: 120, risk: 100 },
  late: { at: 17, side: 'home -3', odds: 100, risk: 300 },
  over: { at: 5, side: 'over 210', odds: 110, risk: 100 },
  under: { at: 5, side: 'under 210', odds: 140, risk: 100 },
} as const;

describe('a market in the offerer’s or the taker’s view', () => {
  it.each(SCENARIOS)('gives the same fills (%s)', async (scenario) => {
    const offerer = await play(written('offerer'), orders, scenario);
    expect(await play(written('taker'), orders, scenario)).toEqual(offerer);
    // At +100: stakes of 11, 250 and 11. The read that leaves out h2 fills nothing, since h2 was gone before.
    expect(offerer.home.fills).toEqual([
      [10, 11],
      [11, 250],
      [16, 11],
    ]);
    expect(offerer.away.fills).toEqual([[16, expect.closeTo(5.5 / 1.05, 5)]]);
    // Younger than s: nothing at 12. x backs AWAY +3 at −120 for 110: HOME −3 at +110 wins 22 of it, at +120
    // the other 88.
    expect(offerer.spread.fills).toEqual([[15, 20]]);
    expect(offerer.crossed.fills).toEqual([[15, expect.closeTo(88 / 1.2, 5)]]);
    const emptied = { pessimistic: [], calibrated: [[20, 99]], optimistic: [[20, 198]] };
    expect(offerer.late.fills).toEqual(emptied[scenario]);
    // o ranks before it, the recorder's row does not: it takes 50 of a stake of 55
    expect(offerer.over.fills).toEqual([[13, 50]]);
    // a stake of 300, 150 or 0 meets 100 that win 140
    const vanished = { pessimistic: [], calibrated: [[14, 100]], optimistic: [[14, 100]] };
    expect(offerer.under.fills).toEqual(vanished[scenario]);
  });

  it('is read in the offerer’s view when no header names the view', async () => {
    const bare = new MadeTape(null)
      .game(0)
      .side(0, 'home', [row('h')])
      .side(10, 'home', [row('h', 190)]);
    const { mine } = await play(bare, { mine: { at: 5, side: 'home', odds: 100, risk: 300 } });
    expect(mine.fills).toEqual([[10, 11]]);
  });

  it('gives other fills when the header names the wrong view', async () => {
    const { lines } = written('taker');
    const lying = new MadeTape();
    lying.lines.push(...lines.slice(1));
    const { home } = await play(lying, { home: orders.home });
    expect(home.fills).not.toContainEqual([10, 11]);
  });
});
