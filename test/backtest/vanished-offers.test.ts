// Offers that are gone from one frame to the next: cancelled, taken, or neither, worked out by hand in each
// scenario. Most prices are +100, where a taker's stake is as large as the risk that it takes. The order of
// the test is at −110, where a stake of 10 takes 11.
import { describe, expect, it } from 'vitest';
import type { Row } from './made-tape.ts';
import { MadeTape, START_S } from './made-tape.ts';
import { inEachScenario } from './schedule.ts';

/** A game with this ladder on HOME from second 0 on. */
const tapeWith = (rows: readonly Row[], header: ConstructorParameters<typeof MadeTape>[0] = {}): MadeTape =>
  new MadeTape(header).game(0).side(0, 'home', rows);

/** An offer of 100 at +100, with `left` left. */
const hundred = (id: string, left = 100): Row => ({ id, odds: 100, risk: 100, left });

const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;

it('less than a cent that is gone is a rounding of the recording and fills no order', async () => {
  const tape = tapeWith([hundred('g')])
    .side(10, 'home', [hundred('g', 99.995)])
    .side(20, 'home', [hundred('g', 99.98)]);
  // a cent and a half is left of the second step, which takes 1.65 cents at −110
  expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0.0165, 0.0165, 0.0165] });
});

describe('an offer that vanishes', () => {
  it('counts as cancelled (pessimistic), half taken at the top (calibrated), or taken (optimistic)', async () => {
    const tape = tapeWith([hundred('top', 80)]).side(10, 'home', []);
    // of the 80 that were left: 0, 40, 80; at −110 a stake of 40 takes 44
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 44, 88] });
  });

  it('counts as taken below the top in the optimistic scenario only', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    const tape = tapeWith([hundred('top'), deep])
      .side(10, 'home', [hundred('top')]) // 100 at +110: a stake of 110, which takes 121
      .side(20, 'home', []);
    // At second 20 the top vanishes, too. A stake of 50 takes 55; a stake of 100 takes the last 99 of 220.
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 55, 220] });
  });

  it('counts as at the top when all that ranked before it vanishes with it', async () => {
    const tape = tapeWith([hundred('top'), { id: 'next', odds: 200, risk: 10 }]).side(10, 'home', []);
    // half of both: stakes of 50 and 10 take 55 and 11; all of both: 110 and 22
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 66, 132] });
  });

  it('shares its volume among several orders once', async () => {
    const tape = tapeWith([{ id: 'g', odds: 200, risk: 50 }]).side(10, 'home', []); // stakes of 0, 50, 100
    expect(
      await inEachScenario(tape, {
        second: { at: 5, side: 'home', odds: 110, risk: 100 },
        first: { at: 6, side: 'home', odds: 100, risk: 45 },
      }),
    ).toEqual({ first: [0, 45, 45], second: [0, expect.closeTo(5 / 1.1, 5), 50] });
  });

  it('counts as taken up to its size, whatever an older frame showed again', async () => {
    // 60 of 100 are taken (66 at −110). An older frame shows 100 again. Of the 40 left 0, 20 or 40 are taken.
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 40)])
      .side(11, 'home', [hundred('g')])
      .side(20, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [66, 88, 110] });
  });

  it('is not taken again when it was taken completely and shown once more', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 0)])
      .side(12, 'home', [hundred('g', 30)])
      .side(14, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });

  it('was not taken when it returns within the look-ahead', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [])
      .side(20, 'home', [hundred('g')]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('may have been taken when it vanishes for good after it returned once', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [])
      .side(20, 'home', [hundred('g')])
      .side(30, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('was not taken when its expiry has passed, and may have been a moment before', async () => {
    const expiring = (expires: number) => tapeWith([{ id: 'g', odds: 100, risk: 100, expires }]).side(10, 'home', []);
    expect(await inEachScenario(expiring(10), { mine })).toEqual({ mine: [0, 0, 0] });
    expect(await inEachScenario(expiring(10.001), { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('was not taken when the game started meanwhile, and may have been before or after the start', async () => {
    const tape = tapeWith([hundred('a'), hundred('b'), hundred('c')])
      .side(START_S - 20, 'home', [hundred('b'), hundred('c')]) // a: before the start
      .side(START_S + 20, 'home', [hundred('c')], true) // b: during the start
      .side(START_S + 40, 'home', [], true); // c: in play
    const early = { at: 5, side: 'home', odds: -110, risk: 550 } as const;
    // a and c: 2 × 55, 2 × 110
    expect(await inEachScenario(tape, { early })).toEqual({ early: [0, 110, 220] });
  });

  it('was not taken when the whole ladder vanishes just before the market closes', async () => {
    const tape = (closes: number) =>
      tapeWith([hundred('g')])
        .side(10, 'home', [])
        .game(closes, { messageType: 'marketClosed' });
    expect(await inEachScenario(tape(10), { mine })).toEqual({ mine: [0, 0, 0] });
    expect(await inEachScenario(tape(14), { mine })).toEqual({ mine: [0, 0, 0] });
    // a close ten minutes later explains nothing
    expect(await inEachScenario(tape(610), { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('may have been taken just before a close when other offers stay', async () => {
    const tape = tapeWith([hundred('g'), hundred('stays')])
      .side(10, 'home', [hundred('stays')])
      .game(11, { messageType: 'marketClosed' });
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('was not taken when the whole ladder vanishes just before the recording loses its connection', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [])
      .disconnect(12)
      .connect(30);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('was not taken beyond the depth of the recording, and may have been within it', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    const fresh = { id: 'fresh', odds: -105, risk: 100, made: 9 };
    const cut = tapeWith([hundred('top'), deep], { depth: 2 })
      // a new offer ranks before both: the third row is cut off
      .side(10, 'home', [fresh, hundred('top')]);
    expect(await inEachScenario(cut, { mine })).toEqual({ mine: [0, 0, 0] });
    const whole = tapeWith([hundred('top'), deep], { depth: 3 }).side(10, 'home', [fresh, hundred('top')]);
    // the same frame when three rows would be shown: 100 at +110, not at the top
    expect(await inEachScenario(whole, { mine })).toEqual({ mine: [0, 0, 121] });
  });

  it('is used once when it returns after all and is taken then', async () => {
    // more events than the look-ahead covers lie between
    const tape = tapeWith([hundred('g')]).side(10, 'home', []);
    for (let i = 0; i < 5000; i++) tape.side(20 + i / 100, 'away', [{ id: `n${i}`, odds: 150, risk: 10 }]);
    tape.side(100, 'home', [hundred('g')]).side(110, 'home', [hundred('g', 0)]);
    // 0 + 100, 50 + the other 50, 100 + 0
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });
});

describe('an offer that has vanished', () => {
  it('was withdrawn by a close and a reopening with no frame between', async () => {
    const tape = tapeWith([hundred('g')])
      .game(10, { messageType: 'marketClosed' })
      .game(60, { messageType: 'marketOpen' })
      .side(61, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('fell off the depth of a ladder that also shows a row with nothing left', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    const fresh = { id: 'fresh', odds: -105, risk: 100, made: 9 };
    // two rows are shown, the most there can be; the second is taken completely: 100 take 110
    const tape = tapeWith([hundred('top'), deep], { depth: 2 }).side(10, 'home', [fresh, hundred('top', 0)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });

  it('had not gone when a REST read is older than the frames around it and the next frame shows it', async () => {
    const tape = tapeWith([hundred('g')])
      .read(10, { home: [], away: [] })
      .side(11, 'home', [hundred('g')]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('was at the top when the offers before it were all taken', async () => {
    const tape = tapeWith([hundred('top'), { id: 'next', odds: 200, risk: 10 }]).side(10, 'home', [
      hundred('top', 0), // taken completely: 100 take 110
    ]);
    // half of next is a stake of 10, which takes 11; all of it takes 22
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 121, 132] });
  });

  it('fell off the depth of a ladder that also shows a new row with nothing left', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    // this offer arrived and was taken between two frames, and ranks where the second row would
    const spent = { id: 'spent', odds: -105, risk: 100, left: 0, made: 9 };
    const tape = tapeWith([hundred('top'), deep], { depth: 2 }).side(10, 'home', [spent, hundred('top')]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('was removed when its game went live before its time', async () => {
    const tape = tapeWith([hundred('a'), hundred('b')])
      // in play, ten minutes early: the offers from before the start are gone
      .side(START_S - 600, 'home', [hundred('b')], true)
      .side(START_S - 500, 'home', [], true); // in play: may have been taken
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('fell off the depth of a ladder whose every row is shown with nothing left', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    const fresh = { id: 'fresh', odds: -105, risk: 100, left: 0, made: 9 };
    const tape = tapeWith([hundred('top'), deep], { depth: 2 }).side(10, 'home', [fresh, hundred('top', 0)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });

  it('was not taken when an own offer of the recorder before it is untouched (calibrated)', async () => {
    const own = { ...hundred('own'), own: true };
    const tape = tapeWith([own, { id: 'g', odds: 110, risk: 100 }]).side(10, 'home', [own]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 121] });
  });

  it('was withdrawn by a close when a game update empties the ladder and shows the other side with nothing left', async () => {
    const spent = { id: 'a', odds: 150, risk: 10, left: 0 };
    const tape = tapeWith([hundred('g')])
      .side(0, 'away', [{ ...spent, left: 10 }])
      .game(10, {}, { home: [], away: [spent] })
      .game(12, { messageType: 'marketClosed' });
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });
});
