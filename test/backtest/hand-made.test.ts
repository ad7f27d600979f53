// Fills worked out by hand. Orders of the test stand among the offers of a tape written in the test; times are seconds after
// noon. Most prices are +100, where a taker's stake is as large as the risk that it takes.
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

/** An offer of 100 at +100, with so much left. */
const hundred = (id: string, left = 100): Row => ({ id, odds: 100, risk: 100, left });

describe('a take of a recorded offer', () => {
  it('leaves an own offer alone that stands behind it: older at the same price, or better for the taker', async () => {
    const tape = tapeWith([
      { id: 'better', odds: -105, risk: 100 },
      { id: 'older', odds: 100, risk: 50 },
    ])
      .side(10, 'home', [
        { id: 'better', odds: -105, risk: 100, left: 60 }, // 40 taken, before +100 comes into reach
        { id: 'older', odds: 100, risk: 50, left: 20 }, // 30 taken, before whoever came at second 5
      ])
      .side(20, 'home', [{ id: 'older', odds: 100, risk: 50, left: 10 }]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 30 } });
    expect(mine).toEqual({ fills: [], end: 'open' });
  });

  it('fills an own offer first that stands before it: younger at the same price, or worse for the taker', async () => {
    const older = { id: 'older', odds: 100, risk: 50 };
    const tape = tapeWith([older])
      .side(10, 'home', [older, { id: 'younger', odds: 100, risk: 50, made: 8 }])
      .side(20, 'home', [
        older,
        { id: 'younger', odds: 100, risk: 50, left: 40, made: 8 }, // 10 taken: they meet ours first
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

  it('is told in the stake of its taker, and fills at the odds of the own offer', async () => {
    // 50 of an offer at +120 are taken: a stake of 60. Of an offer at −200 a stake of 60 takes 120.
    const tape = tapeWith([{ id: 'g', odds: 120, risk: 200 }]).side(10, 'home', [
      { id: 'g', odds: 120, risk: 200, left: 150 },
    ]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -200, risk: 300 } });
    expect(mine.fills).toEqual([[10, 120]]);
  });

  it('to the end is told by a row with nothing left, also where amounts are text', async () => {
    for (const nothing of ['0', '0.0', '"0"', '"0.00"', '" 0 "']) {
      const tape = tapeWith([hundred('g')]).side(10, 'home', [hundred('g', 0)]);
      tape.lines.push(
        (tape.lines.pop() ?? '').replace('\\"sumUntaken\\":0,', `\\"sumUntaken\\":${nothing.replaceAll('"', '\\"')},`),
      );
      const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -110, risk: 220 } });
      expect(mine.fills, nothing).toEqual([[10, 110]]);
    }
  });

  it('is the increase of risk − sumUntaken, frame by frame', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 90)]) // 10 taken
      .side(20, 'home', [hundred('g', 90)]) // nothing new
      .side(30, 'home', [hundred('g', 65)]); // 25 more
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -100, risk: 50 } });
    // at −100, which is +100, ours is the younger one: nothing
    expect(mine.fills).toEqual([]);
    const { better } = await play(tape, { better: { at: 5, side: 'home', odds: -110, risk: 55 } });
    // at −110 a stake of 10 takes 11 of ours, a stake of 25 takes 27.50
    expect(better.fills).toEqual([
      [10, 11],
      [30, 27.5],
    ]);
  });

  it('goes to the end where a row is shown with nothing left', async () => {
    const tape = tapeWith([hundred('g', 70)])
      .side(10, 'home', [hundred('g', 0)]) // the last 70
      .side(20, 'home', []);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: -110, risk: 110 } });
    expect(mine.fills).toEqual([[10, 77]]);
  });

  it('is what is left of a fall of sumUntaken when risk falls with it', async () => {
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

  it('is not told by takenRatio alone', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [{ ...hundred('g'), takenRatio: 0.4 }])
      .side(20, 'home', [{ ...hundred('g'), takenRatio: 0.9 }]);
    expect(await inEachScenario(tape, { mine: { at: 5, side: 'home', odds: -110, risk: 110 } })).toEqual({
      mine: [0, 0, 0],
    });
  });

  it('fills several own offers by price, then age, its volume once', async () => {
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

  it('reaches nobody who comes at a later time, nor who was cancelled before', async () => {
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

  it('fills on its own side and line only', async () => {
    const tape = new MadeTape()
      .game(0)
      .side(0, 'home -3.5', [hundred('spread')])
      .side(0, 'over 210.5', [hundred('total')])
      .side(10, 'home -3.5', [hundred('spread', 80)]) // 20 taken
      .side(20, 'over 210.5', [hundred('total', 70)]); // 30 taken
    const of = (side: Parameters<MadeTape['side']>[1]) => ({ at: 5, side, odds: -110, risk: 110 });
    const stories = await play(tape, {
      spread: of('home -3.5'),
      facing: of('away 3.5'),
      line: of('home -4.5'),
      moneyline: of('home'),
      over: of('over 210.5'),
      under: of('under 210.5'),
    });
    expect(stories.spread.fills).toEqual([[10, 22]]);
    expect(stories.over.fills).toEqual([[20, 33]]);
    for (const other of ['facing', 'line', 'moneyline', 'under'] as const) expect(stories[other].fills).toEqual([]);
  });
});

describe('a recorded offer that comes', () => {
  it('fills an own offer that it would have crossed, at the own odds, by rank', async () => {
    const tape = tapeWith([hundred('g')]).side(10, 'away', [{ id: 'x', odds: -110, risk: 60, made: 10 }]);
    // whoever backs AWAY at −110 for 60 takes HOME at +105: 42 take all 40 of it. The 18 left take 18 at +100.
    const stories = await play(tape, {
      second: { at: 5, side: 'home', odds: 105, risk: 40 },
      first: { at: 6, side: 'home', odds: 100, risk: 18 },
      third: { at: 7, side: 'home', odds: 105, risk: 40 },
    });
    expect(stories.first).toEqual({ fills: [[10, 18]], end: 'filled' });
    expect(stories.second).toEqual({ fills: [[10, 40]], end: 'filled' });
    expect(stories.third.fills).toEqual([]);
  });

  it('that does not cross fills nothing, nor does one that was there before', async () => {
    const tape = tapeWith([hundred('g')])
      .side(0, 'away', [{ id: 'before', odds: 110, risk: 60 }])
      .side(10, 'away', [
        { id: 'near', odds: -104, risk: 60, made: 10 },
        { id: 'before', odds: 110, risk: 60 },
      ]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: 105, risk: 40 } });
    expect(mine.fills).toEqual([]);
  });

  it('is used up as far as it filled: what is taken of it afterwards fills nobody again', async () => {
    const x = { id: 'x', odds: -110, risk: 66, made: 10 };
    const tape = tapeWith([{ id: 'far', odds: 300, risk: 100 }])
      .side(10, 'away', [x]) // 44 of it take all of ours at +110
      .side(20, 'away', [{ ...x, left: 26 }]) // 40 taken: of the 44
      .side(30, 'away', [{ ...x, left: 15 }]); // 11 taken: 4 of the 44, 7 fresh
    const stories = await play(tape, {
      mine: { at: 5, side: 'home', odds: 110, risk: 40 },
      // at −220 AWAY is served before x. The fresh 7 at −110 are a stake of 70/11, which takes 14 of it.
      behind: { at: 15, side: 'away', odds: -220, risk: 22 },
    });
    expect(stories.mine).toEqual({ fills: [[10, 40]], end: 'filled' });
    expect(stories.behind.fills).toEqual([[30, expect.closeTo(14, 4)]]);
  });

  it('stays used up when an older frame shows it whole again', async () => {
    const x = { id: 'x', odds: -110, risk: 66, made: 10 };
    const tape = tapeWith([{ id: 'far', odds: 300, risk: 100 }])
      .side(10, 'away', [x]) // 44 of it take all of ours at +110
      .side(20, 'away', [{ ...x, left: 26 }]) // 40 taken: of the 44
      .side(20.01, 'away', [x])
      .side(20.02, 'away', [{ ...x, left: 26 }])
      .side(30, 'away', [{ ...x, left: 15 }]); // 11 taken: 4 of the 44, 7 fresh
    const stories = await play(tape, {
      mine: { at: 5, side: 'home', odds: 110, risk: 40 },
      behind: { at: 15, side: 'away', odds: -220, risk: 22 },
    });
    expect(stories.behind.fills).toEqual([[30, expect.closeTo(14, 4)]]);
  });

  it('would be taken by an own offer: that is refused, since every quote is post', async () => {
    const tape = tapeWith([hundred('g')]);
    const stories = await play(tape, {
      crossing: { at: 5, side: 'away', odds: 100, risk: 10 },
      near: { at: 5, side: 'away', odds: 101, risk: 10 },
    });
    expect(stories.crossing.end).toBe('refused');
    expect(stories.near.end).toBe('open');
  });
});

describe('rows of whoever recorded', () => {
  const own = (left: number): Row => ({ id: 'own', odds: 100, risk: 100, left, own: true });

  it('do not stand before an own offer, and who took them is there for it', async () => {
    // the recorder's offer is older and at the same price: still a take of it reaches ours
    const tape = tapeWith([own(100)]).side(10, 'home', [own(60)]);
    expect(await inEachScenario(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 30 } })).toEqual({
      mine: [30, 30, 30],
    });
  });

  it('are taken to the end when they are shown with nothing left', async () => {
    const tape = tapeWith([own(100)]).side(10, 'home', [own(0)]);
    const { mine } = await play(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 300 } });
    expect(mine.fills).toEqual([[10, 100]]);
  });

  it('that vanish were moved about by their owner: never a take', async () => {
    const tape = tapeWith([own(100)]).side(10, 'home', []);
    expect(await inEachScenario(tape, { mine: { at: 5, side: 'home', odds: 100, risk: 30 } })).toEqual({
      mine: [0, 0, 0],
    });
  });

  it('cross nobody: an own offer may rest where they would match, and they fill none when they come', async () => {
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

  it('ends the offers that expire with it; others stay', async () => {
    const stories = await play(tape, {
      expiring: { at: 5, side: 'home', odds: -110, risk: 11, gameStartExpiry: true },
      staying: { at: 5, side: 'home', odds: -110, risk: 11 },
    });
    expect(stories.expiring).toEqual({ fills: [], end: 'expired' });
    expect(stories.staying).toEqual({ fills: [[START_S + 10, 11]], end: 'filled' });
  });

  it('takes no offers until it is live', async () => {
    const stories = await play(tape, {
      before: { at: START_S - 0.001, side: 'home', odds: -110, risk: 11 },
      // the start itself is past the start
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

  it('hides when things happened: what changed meanwhile is no take, what changes afterwards is', async () => {
    const tape = tapeWith([hundred('g'), hundred('v')])
      .disconnect(10)
      .connect(20)
      .side(21, 'home', [hundred('g', 70)]) // 30 taken and v gone, some time between 0 and 21
      .side(30, 'home', [hundred('g', 60)]); // 10 taken at 30
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [11, 11, 11] });
  });

  it('is over for each side by itself', async () => {
    const tape = tapeWith([hundred('g')])
      .side(0, 'away', [{ id: 'a', odds: 150, risk: 100 }])
      .disconnect(10)
      .connect(20)
      .side(21, 'away', [{ id: 'a', odds: 150, risk: 100 }])
      .side(30, 'home', [hundred('g', 70)]) // HOME is told for the first time since: no take
      .side(40, 'home', [hundred('g', 50)]); // 20
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [22, 22, 22] });
  });

  it('in the very millisecond of the last frame hides as much', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g')])
      .disconnect(10)
      .connect(20)
      .side(21, 'home', [hundred('g', 70)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('that a REST read closes hides as much', async () => {
    const tape = tapeWith([hundred('g'), hundred('v')])
      .disconnect(10)
      .connect(20)
      .read(21, { home: [hundred('g', 70)], away: [] });
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });
});

describe('a recording that another one goes on with', () => {
  const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;
  const first = (): MadeTape => tapeWith([hundred('g')]);
  /** 30 were taken since. */
  const second = (): MadeTape => new MadeTape();

  it('on the same connection tells of takes: the file was full', async () => {
    const next = second().side(60, 'home', [hundred('g', 70)]);
    expect(await inEachScenario([first(), next], { mine })).toEqual({ mine: [33, 33, 33] });
  });

  it('on another connection, after it was stopped, leaves a gap', async () => {
    const next = second()
      .connect(60)
      .side(61, 'home', [hundred('g', 70)])
      .side(70, 'home', [hundred('g', 60)]);
    // the 10 after the gap
    expect(await inEachScenario([first().disconnect(10), next], { mine })).toEqual({ mine: [11, 11, 11] });
  });

  it('on another connection, after it was killed, leaves a gap', async () => {
    const next = second()
      .connect(60)
      .side(61, 'home', [hundred('g', 70)])
      .side(70, 'home', [hundred('g', 60)]);
    expect(await inEachScenario([first(), next], { mine })).toEqual({ mine: [11, 11, 11] });
  });

  it.each([
    ['stopped', first().disconnect(10)],
    ['killed', first()],
  ])('leaves a gap after it was %s, also while a recording of other markets goes on', async (_how, before) => {
    const next = second()
      .connect(60)
      .side(61, 'home', [hundred('g', 70)])
      .side(70, 'home', [hundred('g', 60)]);
    const others = new MadeTape().connect(0).disconnect(200);
    expect(await inEachScenario([others, before, next], { mine })).toEqual({ mine: [11, 11, 11] });
  });

  it('of the same market at the same time, a little late, adds nothing', async () => {
    const told = (late: number): MadeTape =>
      new MadeTape()
        .game(late)
        .side(late, 'home', [hundred('g'), hundred('v')])
        .side(10 + late, 'home', [hundred('g', 60), hundred('v')]) // 40 taken
        .side(10.01 + late, 'home', [hundred('g', 30)]) // 30 taken, v is gone
        .side(10.02 + late, 'home', [hundred('g', 0)]) // 30 taken
        .side(10.03 + late, 'home', []);
    // 100 take 110; v with half or all of its 100, once
    const alone = { mine: [110, 110, 220] };
    expect(await inEachScenario([told(0)], { mine })).toEqual(alone);
    expect(await inEachScenario([told(0), told(0.004)], { mine })).toEqual(alone);
    // so late that frames come out of order: what was at the top at which moment is no longer sure
    const late = await inEachScenario([told(0), told(0.015)], { mine });
    expect(late).toEqual({ mine: [110, expect.any(Number), 220] });
  });
});

describe('recorded volume', () => {
  const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;

  it('that an older frame takes back and a newer one tells again is used once', async () => {
    // two recorders of one feed: the second one is a little late
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 60)]) // 40 taken
      .side(10.01, 'home', [hundred('g')])
      .side(10.02, 'home', [hundred('g', 60)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [44, 44, 44] });
  });

  it('that was taken to the end is used once, also where an older frame shows it again', async () => {
    const tape = tapeWith([hundred('g')])
      .side(10, 'home', [hundred('g', 0)]) // 100 taken
      .side(10.01, 'home', [hundred('g')])
      .side(10.02, 'home', [hundred('g', 0)])
      .side(10.03, 'home', []);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [110, 110, 110] });
  });

  it('that vanished and reached nobody is there for whoever comes before it returns', async () => {
    // more events than are known ahead lie between
    const tape = tapeWith([hundred('g')]).side(10, 'home', []);
    for (let i = 0; i < 5000; i++) tape.side(20 + i / 100, 'away', [{ id: `n${i}`, odds: 150, risk: 10 }]);
    tape.side(100, 'home', [hundred('g')]).side(110, 'home', [hundred('g', 0)]);
    const small = { at: 5, side: 'home', odds: -110, risk: 11 } as const;
    const late = { at: 80, side: 'home', odds: -105, risk: 21 } as const;
    // small takes 10 of the stake, whenever; of the 90 that are left late takes 20, and they were surely taken at 110
    expect(await inEachScenario(tape, { small, late })).toEqual({ small: [11, 11, 11], late: [21, 21, 21] });
  });

  it('of a read that shows a row with nothing left was taken to the end', async () => {
    const tape = tapeWith([hundred('g', 70)]).read(10, { home: [hundred('g', 0)], away: [] });
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [77, 77, 77] });
  });

  it('of a row that has nothing but the noise of its exchange’s arithmetic left was taken to the end', async () => {
    // 100 − 33.3 − 66.7, as a program adds it up
    const tape = tapeWith([hundred('g', 70)]).side(10, 'home', [hundred('g', 1.4210854715202004e-14)]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [77, 77, 77] });
  });

  it('taken in one frame is shared as much the same whether a cent or nothing is left of the first row', async () => {
    const next: Row = { id: 'next', odds: 110, risk: 100 };
    const taken = (left: number) =>
      tapeWith([hundred('top'), next]).side(10, 'home', [hundred('top', left), { ...next, left: 80 }]);
    // before the top; and between the two, where 20 at +110 come by: a stake of 22
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
  // it was asked for at 10, and answered at 12: between the two a frame told that 30 of `g` were taken, and `n` came
  const between = (away: readonly Row[] = []): MadeTape =>
    tapeWith([hundred('g')])
      .side(11, 'home', [hundred('g', 70), { id: 'n', odds: 140, risk: 100 }])
      .read(12, { home: [hundred('g')], away }, 10);

  it('takes nothing back that was told after it was asked for', async () => {
    const tape = between().side(20, 'home', [hundred('g', 50), { id: 'n', odds: 140, risk: 100 }]); // 20 more
    const mine = { at: 5, side: 'home', odds: -110, risk: 220 } as const;
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [55, 55, 55] }); // 33 and 22
  });

  it('brings no offer back that was gone by then, and that would fill what nobody took', async () => {
    const tape = tapeWith([hundred('g')])
      .side(11, 'home', [{ id: 'n', odds: 140, risk: 100 }])
      .read(12, { home: [hundred('g')], away: [] }, 10);
    // it would cross HOME at +100, but not at +140
    const mine = { at: 11.5, side: 'away', odds: -120, risk: 50 } as const;
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [0, 0, 0] });
  });

  it('shows the sides that nobody told of since', async () => {
    // it crosses ours at +110 of HOME
    const away = [{ id: 'old', odds: -125, risk: 100 }];
    const mine = { at: 5, side: 'home', odds: 110, risk: 40 } as const;
    expect(await inEachScenario(between(away), { mine })).toEqual({ mine: [40, 40, 40] });
  });

  it('says nothing of a game that a frame has moved on: it is live', async () => {
    const header = { live: false, mainTotal: 200.5 };
    const live = tapeWith([hundred('g')])
      .side(START_S + 1, 'home', [hundred('g', 70)], true)
      .read(START_S + 2, { home: [hundred('g')], away: [] }, START_S, header)
      .side(START_S + 3, 'home', [hundred('g', 50)], true);
    const late = { at: START_S + 2.5, side: 'home', odds: -110, risk: 220 } as const;
    // an order for a game that has started and is not live would be refused
    expect(await inEachScenario(live, { late })).toEqual({ late: [22, 22, 22] });
  });
});

describe('an offer of whoever recorded', () => {
  const own = (left = 100): Row => ({ ...hundred('own', left), own: true });
  const mine = { at: 5, side: 'home', odds: 100, risk: 200 } as const;
  const rest = hundred('rest');

  it.each([
    ['before', 19.99],
    ['after', 20.01],
  ])('that is taken to its end just goes: the user feed tells it, %s the row is gone', async (_what, told) => {
    const lines = [(tape: MadeTape) => tape.side(20, 'home', [rest]), (tape: MadeTape) => tape.took(told, 'own', 100)];
    const tape = tapeWith([own(), rest])
      .side(10, 'home', [own(40), rest])
      .took(10.01, 'own', 60);
    for (const line of told < 20 ? lines.reverse() : lines) line(tape);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [100, 100, 100] }); // 60 and 40
  });

  it('that is cancelled was not taken, in whatever scenario', async () => {
    const tape = tapeWith([own(), rest])
      .side(10, 'home', [own(40), rest])
      .side(20, 'home', [rest]);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [60, 60, 60] });
  });

  it('is told once, whoever tells it first and however often', async () => {
    const tape = tapeWith([own(), rest])
      .took(9.99, 'own', 60)
      .side(10, 'home', [own(40), rest])
      .took(10.01, 'own', 60)
      .took(11, 'own', 20) // late
      .took(12, 'nobody', 60);
    expect(await inEachScenario(tape, { mine })).toEqual({ mine: [60, 60, 60] });
  });

  it('is the same from the compact form, as are reads and connections', async () => {
    const tape = tapeWith([own(), rest], { depth: 20 })
      .took(9, 'own', 60)
      .read(10, { home: [rest], away: [] }, 8)
      .read(11, { home: [rest], away: [] })
      .disconnect(12)
      .connect(13)
      .write();
    const told: MarketEvent[] = [];
    for await (const batch of decodeTape(tape, {})) told.push(...batch);
    const compact = `${tape}.compact`;
    const writer = new CompactWriter(compact, '');
    for (const event of told) writer.add(event);
    writer.end({ skipped: 0, torn: false, problems: [] });
    expect([...readCompact(compact)].flat()).toEqual(told);
    expect(told.map(({ what }) => what)).toEqual(['game', 'side', 'own', 'game', 'game', 'down', 'up']);
  });
});
