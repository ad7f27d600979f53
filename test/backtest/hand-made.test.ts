// Fills worked out by hand. Orders of the test stand among the offers of a tape that the test writes; times
// are seconds after noon. Most prices are +100, where a taker's stake is as large as the risk that it takes.
import { describe, expect, it } from 'vitest';
import { readCompact } from '../../src/tape/compact-reader.ts';
import { CompactWriter } from '../../src/tape/compact-writer.ts';
import { decodeTape } from '../../src/tape/tape-stream.ts';
import type { MarketEvent } from '../../src/tape/index.ts';
import type { Row } from './made-tape.ts';
import { MadeTape, START_S } from './made-tape.ts';
import { inEachScenario, play } from './schedule.ts';

/** A game with this ladder on HOME from second 0 on. */
const tapeWith = (rows: readonly Row[], header: ConstructorParameters<typeof MadeTape>[0] = {}): MadeTape =>
  new MadeTape(header).game(0).side(0, 'home', rows);

/** An offer of 100 at +100, with `left` left. */
const hundred = (id: string, left = 100): Row => ({ id, odds: 100, risk: 100, left });

describe('a take of a recorded offer', () => {
  it('does not reach an order that ranks behind the offer: younger at the same price, or worse for the taker', async () => {
    const tape = tapeWith([
      { id: 'better', odds: -105, risk: 100 },
      { id: 'older', odds: 100, risk: 50 },
    ])
      .side(10, 'home', [
        { id: 'better', odds: -105, risk: 100, left: 60 }, // 40 taken, before +100 comes into reach
        { id: 'older', odds: 100, risk: 50, left: 20 }, // 30 taken, before the order of second 5
      ])
      .side(20, 'home', [{ id: 'older', odds: 100, risk: 50, left: 10 }]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 30 } });
    expect(mine).toEqual({ fills: [], end: 'open' });
  });

  it('first fills an order that ranks before the offer: older at the same price, or better for the taker', async () => {
    const older = { id: 'older', odds: 100, risk: 50 };
    const tape = tapeWith([older])
      .side(10, 'home', [older, { id: 'younger', odds: 100, risk: 50, made: 8 }])
      .side(20, 'home', [
        older,
        { id: 'younger', odds: 100, risk: 50, left: 40, made: 8 }, // 10 taken: they meet the order first
      ])
      .side(25, 'home', [
        older,
        { id: 'younger', odds: 100, risk: 50, left: 40, made: 8 },
        { id: 'worse', odds: 120, risk: 50 },
      ])
      .side(30, 'home', [
        older,
        { id: 'younger', odds: 100, risk: 50, left: 40, made: 8 },
        { id: 'worse', odds: 120, risk: 50, left: 40 }, // 10 taken at +120 is a stake of 12
      ]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 30 } });
    expect(mine.fills).toEqual([
      [20, 10],
      [30, 12],
    ]);
    expect(mine.end).toBe('open'); // 8 of 30 are left
  });

  it('counts in the stake of its taker, and fills an order at the order’s odds', async () => {
    // 50 of an offer at +120 are taken: a stake of 60. Of an offer at −200 a stake of 60 takes 120.
    const tape = tapeWith([{ id: 'g', odds: 120, risk: 200 }]).side(10, 'home', [
      { id: 'g', odds: 120, risk: 200, left: 150 },
    ]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -200, risk: 300 } });
    expect(mine.fills).toEqual([[10, 120]]);
  });

  it('is complete when a row has nothing left, also when amounts are text', async () => {
    for (const nothing of ['0', '0.0', '"0"', '"0.00"', '" 0 "']) {
      const tape = tapeWith([hundred('g')]).side(10, 'home', [hundred('g', 0)]);
      tape.lines.push(
        (tape.lines.pop() ?? '').replace('\\"sumUntaken\\":0,', `\\"sumUntaken\\":${nothing.replaceAll('"', '\\"')},`),
      );
      const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -110, risk: 220 } });
      expect(mine.fills, nothing).toEqual([[10, 110]]);
    }
  });

  it('is the increase of risk − sumUntaken from frame to frame', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 90)]) // 10 taken
      .side(20, 'home', [hundred('g', 90)]) // nothing new
      .side(30, 'home', [hundred('g', 65)]); // 25 taken
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -100, risk: 50 } });
    // at −100, which is +100, the order is younger: nothing
    expect(mine.fills).toEqual([]);
    const { better } = await play(tape, { better: { at: 5, side: 'home', odds: -110, risk: 55 } });
    // at −110 a stake of 10 takes 11 of the order, a stake of 25 takes 27.50
    expect(better.fills).toEqual([
      [10, 11],
      [30, 27.5],
    ]);
  });

  it('is complete when a row is shown with nothing left', async () => {
    const tape = tapeWith([hundred('g', 70)])
      .side(10, 'home', [hundred('g', 0)]) // the last 70
      .side(20, 'home', []);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -110, risk: 110 } });
    expect(mine.fills).toEqual([[10, 77]]);
  });

  it('is what remains of a drop of sumUntaken when risk drops with it', async () => {
    const tape = tapeWith([hundred('g')])
      // a cut of 30: risk and sumUntaken fall together
      .side(10, 'home', [{ id: 'g', odds: 100, risk: 70, left: 70 }])
      // a cut of 20 and a take of 10 in one frame
      .side(20, 'home', [{ id: 'g', odds: 100, risk: 50, left: 40 }])
      // the rest is cut
      .side(30, 'home', [{ id: 'g', odds: 100, risk: 10, left: 0 }]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -110, risk: 110 } });
    expect(mine.fills).toEqual([[20, 11]]);
  });

  it('does not follow from takenRatio alone', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [{ ...hundred('g'), takenRatio: 0.4 }])
      .side(20, 'home', [{ ...hundred('g'), takenRatio: 0.9 }]);
    expect(await inEachScenario(tape, { mine: { at: 5, side: 'home', odds: -110, risk: 110 } })).toEqual({
      mine: [0, 0, 0],
    });
  });

  it('fills several orders by price, then by age, and uses its volume once', async () => {
    const tape = tapeWith([{ id: 'g', odds: 200, risk: 100 }])
      .side(10, 'home', [{ id: 'g', odds: 200, risk: 100, left: 65 }]) // 35 at +200: a stake of 70
      .side(20, 'home', [{ id: 'g', odds: 200, risk: 100, left: 65 }]);
    const stories = await play(tape, {
      third: { at: 4, side: 'home', odds: 110, risk: 40 },
      second: { at: 6, side: 'home', odds: 100, risk: 40 },
      first: { at: 5, side: 'home', odds: 100, risk: 40 },
    });
    expect(stories.first).toEqual({ fills: [[10, 40]], end: 'filled' });
    expect(stories.second).toEqual({ fills: [[10, 30]], end: 'open' });
    expect(stories.third.fills).toEqual([]);
  });

  it('fills no order that arrives later or was cancelled before', async () => {
    const tape = tapeWith([hundred('g')]).side(10, 'home', [hundred('g', 50)]);
    const stories = await play(tape, {
      late: { at: 10.001, side: 'home', odds: -110, risk: 11 },
      gone: { at: 5, until: 9.999, side: 'home', odds: -110, risk: 11 },
      there: { at: 9.999, until: 10.001, side: 'home', odds: -110, risk: 11 },
    });
    expect(stories).toEqual({
      late: { fills: [], end: 'open' },
      gone: { fills: [], end: 'cancelled' },
      there: { fills: [[10, 11]], end: 'filled' },
    });
  });

  it('fills orders on its own side and line only', async () => {
    const tape = new MadeTape()
      .game(0)
      .side(0, 'home -3.5', [hundred('spread')])
      .side(0, 'over 210.5', [hundred('total')])
      .side(10, 'home -3.5', [hundred('spread', 80)]) // 20 taken
      .side(20, 'over 210.5', [hundred('total', 70)]); // 30 taken
    const orderOn = (side: Parameters<MadeTape['side']>[1]) => ({ at: 5, side, odds: -110, risk: 110 });
    const stories = await play(tape, {
      spread: orderOn('home -3.5'),
      facing: orderOn('away 3.5'),
      line: orderOn('home -4.5'),
      moneyline: orderOn('home'),
      over: orderOn('over 210.5'),
      under: orderOn('under 210.5'),
    });
    expect(stories.spread.fills).toEqual([[10, 22]]);
    expect(stories.over.fills).toEqual([[20, 33]]);
    for (const other of ['facing', 'line', 'moneyline', 'under'] as const) expect(stories[other].fills).toEqual([]);
  });
});

describe('a recorded offer that arrives', () => {
  it('fills the orders that it crosses, at their odds and by their rank', async () => {
    const tape = tapeWith([hundred('g')]).side(10, 'away', [{ id: 'x', odds: -110, risk: 60, made: 10 }]);
    // A backer of AWAY at −110 for 60 takes HOME at +105: 42 take all 40 of it. The 18 left take 18 at +100.
    const stories = await play(tape, {
      second: { at: 5, side: 'home', odds: 105, risk: 40 },
      first: { at: 6, side: 'home', odds: 100, risk: 18 },
      third: { at: 7, side: 'home', odds: 105, risk: 40 },
    });
    expect(stories.first).toEqual({ fills: [[10, 18]], end: 'filled' });
    expect(stories.second).toEqual({ fills: [[10, 40]], end: 'filled' });
    expect(stories.third.fills).toEqual([]);
  });

  it('fills nothing when it does not cross, or was there before the order', async () => {
    const tape = tapeWith([hundred('g')])
      .side(0, 'away', [{ id: 'before', odds: 110, risk: 60 }])
      .side(10, 'away', [
        { id: 'near', odds: -104, risk: 60, made: 10 },
        { id: 'before', odds: 110, risk: 60 },
      ]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: 105, risk: 40 } });
    expect(mine.fills).toEqual([]);
  });

  it('is used up as far as it filled: later takes of that part fill no other order', async () => {
    const x = { id: 'x', odds: -110, risk: 66, made: 10 };
    const tape = tapeWith([{ id: 'far', odds: 300, risk: 100 }])
      .side(10, 'away', [x]) // 44 of it take all of the 40 at +110
      .side(20, 'away', [{ ...x, left: 26 }]) // 40 taken: all of them of the 44
      .side(30, 'away', [{ ...x, left: 15 }]); // 11 taken: 4 of the 44 and 7 others
    const stories = await play(tape, {
      mine: { at: 5, side: 'home', odds: 110, risk: 40 },
      // At −220 on AWAY it ranks before x. The other 7 at −110 are a stake of 70/11, which takes 14 of it.
      behind: { at: 15, side: 'away', odds: -220, risk: 22 },
    });
    expect(stories.mine).toEqual({ fills: [[10, 40]], end: 'filled' });
    expect(stories.behind.fills).toEqual([[30, expect.closeTo(14, 4)]]);
  });

  it('stays used up when an older frame shows it whole again', async () => {
    const x = { id: 'x', odds: -110, risk: 66, made: 10 };
    const tape = tapeWith([{ id: 'far', odds: 300, risk: 100 }])
      .side(10, 'away', [x]) // 44 of it take all of the 40 at +110
      .side(20, 'away', [{ ...x, left: 26 }]) // 40 taken: all of them of the 44
      .side(20.01, 'away', [x])
      .side(20.02, 'away', [{ ...x, left: 26 }])
      .side(30, 'away', [{ ...x, left: 15 }]); // 11 taken: 4 of the 44 and 7 others
    const stories = await play(tape, {
      mine: { at: 5, side: 'home', odds: 110, risk: 40 },
      behind: { at: 15, side: 'away', odds: -220, risk: 22 },
    });
    expect(stories.behind.fills).toEqual([[30, expect.closeTo(14, 4)]]);
  });

  it('is not taken by an order: the exchange refuses an order that would take it, since every quote is a post order', async () => {
    const tape = tapeWith([hundred('g')]);
    const stories = await play(tape, {
      crossing: { at: 5, side: 'away', odds: 100, risk: 10 },
      near: { at: 5, side: 'away', odds: 101, risk: 10 },
    });
    expect(stories.crossing.end).toBe('refused');
    expect(stories.near.end).toBe('open');
  });
});

describe('rows of the recorder’s own offers', () => {
  const own = (left: number): Row => ({ id: 'own', odds: 100, risk: 100, left, own: true });

  it('do not rank before an order, and takes of them fill it', async () => {
    // the recorder's offer is older at the same price, and still a take of it reaches the order
    const tape = tapeWith([own(100)]).side(10, 'home', [own(60)]);
    expect(await inEachScenario(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 30 } })).toEqual({
      mine: [30, 30, 30],
    });
  });

  it('are taken completely when they are shown with nothing left', async () => {
    const tape = tapeWith([own(100)]).side(10, 'home', [own(0)]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 300 } });
    expect(mine.fills).toEqual([[10, 100]]);
  });

  it('that vanish were moved by their owner and never count as taken', async () => {
    const tape = tapeWith([own(100)]).side(10, 'home', []);
    expect(await inEachScenario(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 30 } })).toEqual({
      mine: [0, 0, 0],
    });
  });

  it('cross no order: an order may rest where they would match, and they fill none when they arrive', async () => {
    const away: Row = { id: 'own', odds: 100, risk: 100, own: true };
    const tape = new MadeTape().game(0).side(0, 'away', [away]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 30 } });
    expect(mine).toEqual({ fills: [], end: 'open' });
    const comes = new MadeTape().game(0).side(0, 'away', []).side(10, 'away', [away]);
    const { there } = await play(comes, { there: { at: 5, side: 'home', odds: 100, risk: 30 } });
    expect(there).toEqual({ fills: [], end: 'open' });
  });
});

describe('a game that starts', () => {
  const tape = tapeWith([hundred('g')])
    .side(START_S + 10, 'home', [hundred('g', 80)])
    .side(START_S + 20, 'home', [hundred('g', 80)], true)
    .side(START_S + 40, 'home', [hundred('g', 50)], true);

  it('ends the orders that expire with its start; others stay', async () => {
    const stories = await play(tape, {
      expiring: { at: 5, side: 'home', odds: -110, risk: 11, gameStartExpiry: true },
      staying: { at: 5, side: 'home', odds: -110, risk: 11 },
    });
    expect(stories.expiring).toEqual({ fills: [], end: 'expired' });
    expect(stories.staying).toEqual({ fills: [[START_S + 10, 11]], end: 'filled' });
  });

  it('accepts no orders from its start until it is live', async () => {
    const stories = await play(tape, {
      before: { at: START_S - 0.001, side: 'home', odds: -110, risk: 11 },
      // the moment of the start counts as after it
      after: { at: START_S, side: 'home', odds: -110, risk: 11 },
      live: { at: START_S + 21, side: 'home', odds: -110, risk: 11 },
    });
    expect(stories.before.end).toBe('filled');
    expect(stories.after.end).toBe('refused');
    // 30 were taken in play
    expect(stories.live.fills).toEqual([[START_S + 40, 11]]);
  });
});

describe('a gap in the recording', () => {
  const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;

  it('hides when changes took place: a change during the gap is no take, a later one is', async () => {
    const tape = tapeWith([hundred('g'), hundred('v')])
      .disconnect(10)
      .connect(20)
      .side(21, 'home', [hundred('g', 70)]) // 30 taken and v gone, at a time between 0 and 21
      .side(30, 'home', [hundred('g', 60)]); // 10 taken at 30
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [11, 11, 11] });
  });

  it('ends for each side with the first frame of that side', async () => {
    const tape = tapeWith([hundred('g')])
      .side(0, 'away', [{ id: 'a', odds: 150, risk: 100 }])
      .disconnect(10)
      .connect(20)
      .side(21, 'away', [{ id: 'a', odds: 150, risk: 100 }])
      .side(30, 'home', [hundred('g', 70)]) // the first frame of HOME since the gap: no take
      .side(40, 'home', [hundred('g', 50)]); // 20 taken
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [22, 22, 22] });
  });

  it('hides as much when it begins in the very millisecond of the last frame', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g')])
      .disconnect(10)
      .connect(20)
      .side(21, 'home', [hundred('g', 70)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('hides as much when a REST read ends it', async () => {
    const tape = tapeWith([hundred('g'), hundred('v')])
      .disconnect(10)
      .connect(20)
      .read(21, { home: [hundred('g', 70)], away: [] });
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });
});

describe('a recording that another recording continues', () => {
  const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;
  const first = (): MadeTape => tapeWith([hundred('g')]);
  /** The recording that continues the first one. */
  const second = (): MadeTape => new MadeTape();

  it('shows takes between the two when both have the same connection, as when the file was full', async () => {
    const next = second().side(60, 'home', [hundred('g', 70)]);
    expect(await inEachScenario([first(), next], { mine })).toEqual({ mine: [33, 33, 33] });
  });

  it('leaves a gap when it was stopped and the next one has another connection', async () => {
    const next = second()
      .connect(60)
      .side(61, 'home', [hundred('g', 70)])
      .side(70, 'home', [hundred('g', 60)]);
    // the 10 taken after the gap
    expect(await inEachScenario([first().disconnect(10), next], { mine })).toEqual({ mine: [11, 11, 11] });
  });

  it('leaves a gap when it was killed and the next one has another connection', async () => {
    const next = second()
      .connect(60)
      .side(61, 'home', [hundred('g', 70)])
      .side(70, 'home', [hundred('g', 60)]);
    expect(await inEachScenario([first(), next], { mine })).toEqual({ mine: [11, 11, 11] });
  });

  it.each([
    ['stopped', first().disconnect(10)],
    ['killed', first()],
  ])('leaves a gap after it was %s, also while a recording of other markets continues', async (_how, before) => {
    const next = second()
      .connect(60)
      .side(61, 'home', [hundred('g', 70)])
      .side(70, 'home', [hundred('g', 60)]);
    const others = new MadeTape().connect(0).disconnect(200);
    expect(await inEachScenario([others, before, next], { mine })).toEqual({ mine: [11, 11, 11] });
  });

  it('adds nothing when it covers the same market at the same time, a little late', async () => {
    const delayedTape = (late: number): MadeTape =>
      new MadeTape()
        .game(late)
        .side(late, 'home', [hundred('g'), hundred('v')])
        .side(10 + late, 'home', [hundred('g', 60), hundred('v')]) // 40 taken
        .side(10.01 + late, 'home', [hundred('g', 30)]) // 30 taken, v is gone
        .side(10.02 + late, 'home', [hundred('g', 0)]) // 30 taken
        .side(10.03 + late, 'home', []);
    // 100 take 110; half or all of the 100 of v count once
    const alone = { mine: [110, 110, 220] };
    expect(await inEachScenario([delayedTape(0)], { mine })).toEqual(alone);
    expect(await inEachScenario([delayedTape(0), delayedTape(0.004)], { mine })).toEqual(alone);
    // so late that frames come out of order: what was at the top at which moment is no longer certain
    const late = await inEachScenario([delayedTape(0), delayedTape(0.015)], { mine });
    expect(late).toEqual({ mine: [110, expect.any(Number), 220] });
  });
});

describe('recorded volume', () => {
  const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;

  it('that an older frame takes back and a newer one shows again is used once', async () => {
    // two recorders of one feed, the second one a little late
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 60)]) // 40 taken
      .side(10.01, 'home', [hundred('g')])
      .side(10.02, 'home', [hundred('g', 60)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [44, 44, 44] });
  });

  it('that was taken completely is used once, also when an older frame shows it again', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 0)]) // 100 taken
      .side(10.01, 'home', [hundred('g')])
      .side(10.02, 'home', [hundred('g', 0)])
      .side(10.03, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });

  it('that vanished and filled no order is left for an order that arrives before it returns', async () => {
    // more events than the look-ahead covers lie between
    const tape = tapeWith([hundred('g')]).side(10, 'home', []);
    for (let i = 0; i < 5000; i++) tape.side(20 + i / 100, 'away', [{ id: `n${i}`, odds: 150, risk: 10 }]);
    tape.side(100, 'home', [hundred('g')]).side(110, 'home', [hundred('g', 0)]);
    const small = { at: 5, side: 'home', odds: -110, risk: 11 } as const;
    const late = { at: 80, side: 'home', odds: -105, risk: 21 } as const;
    // `small` takes a stake of 10 in each scenario. `late` takes 20 of the other 90, surely taken at 110.
    expect(await inEachScenario(tape, { small, late })).toEqual({ small: [11, 11, 11], late: [21, 21, 21] });
  });

  it('was taken completely when a read shows its row with nothing left', async () => {
    const tape = tapeWith([hundred('g', 70)]).read(10, { home: [hundred('g', 0)], away: [] });
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [77, 77, 77] });
  });

  it('was taken completely when only the noise of the exchange’s arithmetic is left of its row', async () => {
    // 100 − 33.3 − 66.7 in floating-point arithmetic
    const tape = tapeWith([hundred('g', 70)]).side(10, 'home', [hundred('g', 1.4210854715202004e-14)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [77, 77, 77] });
  });

  it('of one frame fills orders alike whether a cent or nothing is left of the first row', async () => {
    const next: Row = { id: 'next', odds: 110, risk: 100 };
    const taken = (left: number) =>
      tapeWith([hundred('top'), next]).side(10, 'home', [hundred('top', left), { ...next, left: 80 }]);
    // One order ranks before the top row, the other between the two rows: 20 at +110, a stake of 22, reach
    // it.
    const orders = {
      before: { at: 5, side: 'home', odds: -110, risk: 55 },
      between: { at: 5, side: 'home', odds: 105, risk: 20 },
    } as const;
    const cent = await inEachScenario(taken(0.01), orders);
    const nothing = await inEachScenario(taken(0), orders);
    for (const name of ['before', 'between'] as const)
      expect(nothing[name][0], name).toBeCloseTo(cent[name][0] ?? 0, 1);
  });
});

describe('a recorded read of a book', () => {
  // The read is sent at 10 and answered at 12. Between the two a frame shows that 30 of `g` were taken and
  // `n` arrived.
  const between = (away: readonly Row[] = []): MadeTape =>
    tapeWith([hundred('g')])
      .side(11, 'home', [hundred('g', 70), { id: 'n', odds: 140, risk: 100 }])
      .read(12, { home: [hundred('g')], away }, 10);

  it('takes back nothing that a frame showed after the read was sent', async () => {
    // 20 taken
    const tape = between().side(20, 'home', [hundred('g', 50), { id: 'n', odds: 140, risk: 100 }]);
    const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [55, 55, 55] }); // 33 and 22
  });

  it('does not bring back an offer that had gone by then, which would fill an order without a take', async () => {
    const tape = tapeWith([hundred('g')])
      .side(11, 'home', [{ id: 'n', odds: 140, risk: 100 }])
      .read(12, { home: [hundred('g')], away: [] }, 10);
    // the offer would cross HOME at +100, but not at +140
    const mine = { at: 11.5, side: 'away', odds: -120, risk: 50 } as const;
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('shows the sides that no frame has shown since', async () => {
    // the offer crosses the order at +110 on HOME
    const away = [{ id: 'old', odds: -125, risk: 100 }];
    const mine = { at: 5, side: 'home', odds: 110, risk: 40 } as const;
    expect(await inEachScenario(between(away), { mine })).toEqual({ mine: [40, 40, 40] });
  });

  it('does not undo that a frame turned the game live', async () => {
    const header = { live: false, mainTotal: 200.5 };
    const live = tapeWith([hundred('g')])
      .side(START_S + 1, 'home', [hundred('g', 70)], true)
      .read(START_S + 2, { home: [hundred('g')], away: [] }, START_S, header)
      .side(START_S + 3, 'home', [hundred('g', 50)], true);
    const late = { at: START_S + 2.5, side: 'home', odds: -110, risk: 220 } as const;
    // the exchange would refuse an order for a game that has started and is not live
    expect(await inEachScenario(live, { late })).toEqual({ late: [22, 22, 22] });
  });
});

describe('an own offer of the recorder', () => {
  const own = (left = 100): Row => ({ ...hundred('own', left), own: true });
  const mine = { at: 5, side: 'home', odds: 100, risk: 200 } as const;
  const rest = hundred('rest');

  it.each([
    ['before', 19.99],
    ['after', 20.01],
  ])(
    'that is taken completely just vanishes: the user feed reports the take %s the row is gone',
    async (_when, takenAtSecond) => {
      const lines = [
        (tape: MadeTape) => tape.side(20, 'home', [rest]),
        (tape: MadeTape) => tape.took(takenAtSecond, 'own', 100),
      ];
      const tape = tapeWith([own(), rest])
        .side(10, 'home', [own(40), rest])
        .took(10.01, 'own', 60);
      for (const line of takenAtSecond < 20 ? lines.reverse() : lines) line(tape);
      expect(await inEachScenario(tape, { mine })).toEqual({ mine: [100, 100, 100] }); // 60 and 40
    },
  );

  it('that is cancelled was not taken, in any scenario', async () => {
    const tape = tapeWith([own(), rest])
      .side(10, 'home', [own(40), rest])
      .side(20, 'home', [rest]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [60, 60, 60] });
  });

  it('counts as taken once, whichever feed reports it first and however often', async () => {
    const tape = tapeWith([own(), rest])
      .took(9.99, 'own', 60)
      .side(10, 'home', [own(40), rest])
      .took(10.01, 'own', 60)
      .took(11, 'own', 20) // late
      .took(12, 'unknown', 60);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [60, 60, 60] });
  });

  it('is the same from the compact form of a tape, as are reads and connections', async () => {
    const tape = tapeWith([own(), rest], { depth: 20 })
      .took(9, 'own', 60)
      .read(10, { home: [rest], away: [] }, 8)
      .read(11, { home: [rest], away: [] })
      .disconnect(12)
      .connect(13)
      .write();
    const events: MarketEvent[] = [];
    for await (const batch of decodeTape(tape, {})) events.push(...batch);
    const compact = `${tape}.compact`;
    const writer = new CompactWriter(compact, '');
    for (const event of events) writer.addEvent(event);
    writer.finishFile({ skipped: 0, torn: false, problems: [] });
    expect([...readCompact(compact)].flat()).toEqual(events);
    expect(events.map(({ what }) => what)).toEqual(['game', 'side', 'own', 'game', 'game', 'down', 'up']);
  });
});
