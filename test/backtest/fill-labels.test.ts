// What a recording shows of an offer that vanishes, and which of these offers are known to be taken: worked
// out by hand.
import { describe, expect, it } from 'vitest';
import { labelsIn } from '../../src/backtest/fill-labels.ts';
import { MarketSource } from '../../src/backtest/market-source.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import type { FillLabels } from '../../src/backtest/fill-labels.ts';
import type { Row } from './made-tape.ts';
import { MadeTape } from './made-tape.ts';

const labels = (tape: MadeTape): Promise<FillLabels> =>
  labelsIn(new MarketSource([{ name: 'made', batches: decodeTape(tape.write(), {}) }]), () => undefined);

const row = (id: string, odds: number, fields: Partial<Row> = {}): Row => ({ id, odds, risk: 100, ...fields });

describe('a label of an offer that vanishes', () => {
  it('has its rank, what stays, and the other side right before and a moment after', async () => {
    const tape = new MadeTape()
      .game(0)
      .side(0, 'away', [row('far', -102)])
      .side(0, 'home', [row('best', 100, { made: -10 }), row('gone', 110, { made: -20 }), row('last', 150)])
      // The best offer is partly taken in the same frame. The other side changes a moment later, and again
      // after that.
      .side(10, 'home', [row('best', 100, { left: 40 }), row('last', 150)])
      .side(10.05, 'away', [row('near', -110), row('far', -102)])
      .side(11, 'away', [row('nearer', -120), row('near', -110), row('far', -102)]);
    const { labelled, unknown, exhausted } = await labels(tape);
    expect([labelled, unknown, exhausted]).toEqual([[], 1, 0]);
    const [known] = (await labels(tape.side(20, 'home', [row('last', 150, { left: 0 })]))).labelled;
    expect(known).toMatchObject({
      isTaken: false,
      vanished: {
        id: 'gone',
        isTop: false,
        place: 1,
        risk: 100,
        payout: 210,
        ahead: 200,
        ageMs: 30_000,
        isNextTaken: true,
        together: 1,
        live: false,
        toStartMs: 3_590_000,
        proof: undefined,
      },
    });
    expect(known?.vanished.price).toBeCloseTo(100 / 210, 10);
    expect(known?.vanished.best).toBeCloseTo(0.5, 10);
    expect(known?.vanished.facingBefore).toBeCloseTo(102 / 202, 10);
    expect(known?.vanished.facingAfter).toBeCloseTo(110 / 210, 10);
  });

  it('is taken when a row is shown once more with nothing left; if a recording has such rows, all others are cancelled', async () => {
    const tape = new MadeTape()
      .game(0)
      .side(0, 'home', [row('a', 100), row('b', 110), row('c', 120), row('d', 130)])
      .side(10, 'home', [row('a', 100, { left: 0 }), row('b', 110, { left: 0 }), row('c', 120), row('d', 130)])
      .side(10, 'home', [row('c', 120), row('d', 130)])
      .side(20, 'home', [row('d', 130)]);
    const { labelled, exhausted } = await labels(tape);
    expect(exhausted).toBe(2);
    expect(
      labelled.map(({ vanished, isTaken }) => [
        vanished.id,
        vanished.isTop,
        vanished.place,
        vanished.together,
        isTaken,
      ]),
    ).toEqual([
      ['a', true, 0, 2, true],
      ['b', true, 1, 2, true],
      ['c', true, 0, 1, false],
    ]);
  });

  it('is cancelled behind an own offer that stays, and taken before an own offer that is taken', async () => {
    const own = (left: number): Row => row('mine', 110, { own: true, left });
    const tape = new MadeTape()
      .game(0)
      .side(0, 'home', [row('before', 100), own(100), row('beside', 110), row('behind', 120)])
      .side(10, 'home', [row('before', 100), own(100), row('beside', 110)])
      .side(20, 'home', [row('before', 100), own(100)])
      .side(30, 'home', [own(60)])
      .side(40, 'home', [own(60), row('new', 105)])
      // of this one nothing is known, since the own offer behind it stays as it was
      .side(50, 'home', [own(60)]);
    const { labelled, unknown } = await labels(tape);
    expect(labelled.map(({ vanished, isTaken }) => [vanished.id, isTaken])).toEqual([
      ['behind', false],
      ['before', true],
    ]);
    expect(unknown).toBe(2);
  });
});
