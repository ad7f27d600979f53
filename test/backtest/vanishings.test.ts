// Offers that are gone from one frame to the next: cancelled, taken, or neither, worked out by hand in each scenario. Most
// prices are +100, where a taker's stake is as large as the risk that it takes; ours stands at −110, where 10 take 11.
import { describe, expect, it } from 'vitest';
import type { Row } from './made-tape.ts';
import { MadeTape, START_S } from './made-tape.ts';
import { inEachScenario } from './schedule.ts';

/** A game with this ladder on HOME from second 0 on. */
const tapeWith = (rows: readonly Row[], header: ConstructorParameters<typeof MadeTape>[0] = {}): MadeTape =>
  new MadeTape(header).game(0).side(0, 'home', rows);

/** An offer of 100 at +100, with so much left. */
const hundred = (id: string, left = 100): Row => ({ id, odds: 100, risk: 100, left });

const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;

it('what a recording rounds is nothing: less than a cent that is gone fills nobody', async () => {
  const tape = tapeWith([hundred('g')])
    .side(10, 'home', [hundred('g', 99.995)])
    .side(20, 'home', [hundred('g', 99.98)]);
  // of the second step a cent and a half is left, at −110 1.65 cents of ours
  expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0.0165, 0.0165, 0.0165] });
});

describe('an offer that vanishes', () => {
  it('was cancelled (pessimistic), half taken at the top (calibrated), or taken (optimistic)', async () => {
    const tape = tapeWith([hundred('top', 80)]).side(10, 'home', []);
    // of the 80 that were left: 0, 40, 80. At −110 a stake of 40 takes 44.
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 44, 88] });
  });

  it('below the top was taken in the optimistic scenario only', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    const tape = tapeWith([hundred('top'), deep])
      .side(10, 'home', [hundred('top')]) // 100 at +110: a stake of 110, which takes 121
      .side(20, 'home', []);
    // at second 20 the top goes as well: 50 or 100, of which ours takes 55, or the 99 that are left of its 220
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 55, 220] });
  });

  it('together with all that was served before it was at the top', async () => {
    const tape = tapeWith([hundred('top'), { id: 'next', odds: 200, risk: 10 }]).side(10, 'home', []);
    // half of both: stakes of 50 and 10 take 55 and 11; all of both: 110 and 22
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 66, 132] });
  });

  it('shares its volume among own offers once', async () => {
    const tape = tapeWith([{ id: 'g', odds: 200, risk: 50 }]).side(10, 'home', []); // stakes of 0, 50, 100
    expect(
      await inEachScenario(tape, {
        second: { at: 5, side: 'home', odds: 110, risk: 100 },
        first: { at: 6, side: 'home', odds: 100, risk: 45 },
      }),
    ).toEqual({ first: [0, 45, 45], second: [0, expect.closeTo(5 / 1.1, 5), 50] });
  });

  it('was taken no further than to its size, whatever an older frame showed again', async () => {
    // 60 of 100 are taken (66 at −110); a frame from before that shows 100 again; of the 40 that are left 0, 20 or 40 go
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 40)])
      .side(11, 'home', [hundred('g')])
      .side(20, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [66, 88, 110] });
  });

  it('after it was taken to the end and shown again is taken no second time', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 0)])
      .side(12, 'home', [hundred('g', 30)])
      .side(14, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });

  it('and comes back within the events that are known ahead was no take', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [])
      .side(20, 'home', [hundred('g')]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('for good after it had come back once was perhaps a take', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [])
      .side(20, 'home', [hundred('g')])
      .side(30, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('when its expiry has passed was no take; a moment before, perhaps', async () => {
    const expiring = (expires: number) => tapeWith([{ id: 'g', odds: 100, risk: 100, expires }]).side(10, 'home', []);
    expect(await inEachScenario(expiring(10), { mine })).toEqual({ mine: [0, 0, 0] });
    expect(await inEachScenario(expiring(10.001), { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('while the game started was no take; before the start and after it, perhaps', async () => {
    const tape = tapeWith([hundred('a'), hundred('b'), hundred('c')])
      .side(START_S - 20, 'home', [hundred('b'), hundred('c')]) // a: before
      .side(START_S + 20, 'home', [hundred('c')], true) // b: meanwhile
      .side(START_S + 40, 'home', [], true); // c: in play
    const early = { at: 5, side: 'home', odds: -110, risk: 550 } as const;
    // a and c: 2 × 55, 2 × 110
    expect(await inEachScenario(tape, { early })).toEqual({ early: [0, 110, 220] });
  });

  it('with the whole ladder just before the market closes was no take', async () => {
    const tape = (closes: number) =>
      tapeWith([hundred('g')])
        .side(10, 'home', [])
        .game(closes, { messageType: 'marketClosed' });
    expect(await inEachScenario(tape(10), { mine })).toEqual({ mine: [0, 0, 0] });
    expect(await inEachScenario(tape(14), { mine })).toEqual({ mine: [0, 0, 0] });
    // a close ten minutes later explains nothing
    expect(await inEachScenario(tape(610), { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('while others stay is not explained by a close', async () => {
    const tape = tapeWith([hundred('g'), hundred('stays')])
      .side(10, 'home', [hundred('stays')])
      .game(11, { messageType: 'marketClosed' });
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('with the whole ladder just before the recording lost its connection was no take', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [])
      .disconnect(12)
      .connect(30);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('beyond the depth of the recording was no take; inside it, perhaps', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    const fresh = { id: 'fresh', odds: -105, risk: 100, made: 9 };
    const cut = tapeWith([hundred('top'), deep], { depth: 2 })
      // somebody came before both: the third row is cut off
      .side(10, 'home', [fresh, hundred('top')]);
    expect(await inEachScenario(cut, { mine })).toEqual({ mine: [0, 0, 0] });
    const whole = tapeWith([hundred('top'), deep], { depth: 3 }).side(10, 'home', [fresh, hundred('top')]);
    // the same frame where three rows would be shown: 100 at +110, not at the top
    expect(await inEachScenario(whole, { mine })).toEqual({ mine: [0, 0, 121] });
  });

  it('when it comes back after all, and is taken then, its volume is used once', async () => {
    // more events than are known ahead lie between
    const tape = tapeWith([hundred('g')]).side(10, 'home', []);
    for (let i = 0; i < 5000; i++) tape.side(20 + i / 100, 'away', [{ id: `n${i}`, odds: 150, risk: 10 }]);
    tape.side(100, 'home', [hundred('g')]).side(110, 'home', [hundred('g', 0)]);
    // 0 + 100, 50 + the other 50, 100 + 0
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });
});

describe('what else explains a vanishing', () => {
  it('a close and a reopening with no frame between', async () => {
    const tape = tapeWith([hundred('g')])
      .game(10, { messageType: 'marketClosed' })
      .game(60, { messageType: 'marketOpen' })
      .side(61, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('the depth of a ladder that also shows a row with nothing left', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    const fresh = { id: 'fresh', odds: -105, risk: 100, made: 9 };
    // two rows are shown, as many as there can be; the second is taken to the end: 100, which take 110
    const tape = tapeWith([hundred('top'), deep], { depth: 2 }).side(10, 'home', [fresh, hundred('top', 0)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });

  it('a REST read that is older than the frames around it: the id is back in the next one', async () => {
    const tape = tapeWith([hundred('g')])
      .read(10, { home: [], away: [] })
      .side(11, 'home', [hundred('g')]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('nothing, where the offers before it were all taken: it was at the top', async () => {
    const tape = tapeWith([hundred('top'), { id: 'next', odds: 200, risk: 10 }]).side(10, 'home', [
      hundred('top', 0), // taken to the end: 100, which take 110
    ]);
    // half of next: a stake of 10, which takes 11; all of it 22
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 121, 132] });
  });

  it('the depth of a ladder that also shows a row nobody saw before, with nothing left', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    // it came and was taken between two frames, and stands where the second row would
    const spent = { id: 'spent', odds: -105, risk: 100, left: 0, made: 9 };
    const tape = tapeWith([hundred('top'), deep], { depth: 2 }).side(10, 'home', [spent, hundred('top')]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('the game, which went live before its time', async () => {
    const tape = tapeWith([hundred('a'), hundred('b')])
      .side(START_S - 600, 'home', [hundred('b')], true) // in play, ten minutes early: offers for before are gone
      .side(START_S - 500, 'home', [], true); // in play: perhaps a take
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 55, 110] });
  });

  it('the depth of a ladder whose every row is shown with nothing left', async () => {
    const deep = { id: 'deep', odds: 110, risk: 100 };
    const fresh = { id: 'fresh', odds: -105, risk: 100, left: 0, made: 9 };
    const tape = tapeWith([hundred('top'), deep], { depth: 2 }).side(10, 'home', [fresh, hundred('top', 0)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });

  it('the recorder’s own offer before it, untouched: no taker came through to it (calibrated)', async () => {
    const own = { ...hundred('own'), own: true };
    const tape = tapeWith([own, { id: 'g', odds: 110, risk: 100 }]).side(10, 'home', [own]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 121] });
  });

  it('a close, when a game’s update empties the ladder and shows the other side with nothing left', async () => {
    const spent = { id: 'a', odds: 150, risk: 10, left: 0 };
    const tape = tapeWith([hundred('g')])
      .side(0, 'away', [{ ...spent, left: 10 }])
      .game(10, {}, { home: [], away: [spent] })
      .game(12, { messageType: 'marketClosed' });
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });
});
