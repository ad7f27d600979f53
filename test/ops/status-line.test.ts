import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineState } from '../../src/ops/index.ts';
import { statusLine } from '../../src/ops/index.ts';

const state = (fields: Partial<LineState> = {}): LineState => ({
  frames: 1234,
  malformed: 0,
  oversize: { prices: 0, user: 0 },
  intents: 500,
  placed: 40,
  edited: 3,
  cancelled: 20,
  cancelledByOthers: 0,
  undetermined: 0,
  fills: 7,
  riskFilled: 612.4,
  refused: 0,
  unknown: { ever: 2, now: 0 },
  markets: 18,
  wanted: 36,
  resting: 34,
  held: {},
  withoutReference: 0,
  openOrders: 34,
  waiting: { slots: 2, value: 0.4 },
  externalOrders: 0,
  balance: 5000,
  creditInUse: 3400,
  openAtExit: undefined,
  pnl: { marked: 12.345, worst: -640.5 },
  inventory: 215.6,
  quotedShare: 0.95,
  atLimits: 0,
  heldShare: {},
  idle: {},
  heldExpired: [],
  permits: { place: 21, cancel: 30 },
  feeds: { prices: true, user: true },
  mode: 'coins',
  trading: 'active',
  accountRead: true,
  closed: undefined,
  stopping: false,
  ages: { prices: 0.24, user: 12.7 },
  limits: { place: 25, cancel: 30 },
  ...fields,
});

describe('the status line', () => {
  it('shows what an operator wants to see at a glance', () => {
    expect(statusLine(state(), 200)).toBe(
      'quoting · markets 18 · quotes 34/36 · fills 7 ($612) · inventory $216 · pnl $12.35 worst -$640.50 · ' +
        'permits 21/25 30/30 · feeds 0.2s 13s',
    );
  });

  it.each<[Partial<LineState>, string]>([
    [{ stopping: true, closed: 'stopping' }, 'stopping · '],
    [{ closed: 'the books have not been read yet' }, 'waiting: the books have not been read yet · '],
  ])('says why nothing is quoted: %j', (fields, begin) => {
    expect(statusLine(state(fields), 200).startsWith(begin)).toBe(true);
  });

  it.each<[Partial<LineState>, string]>([
    [{ feeds: { prices: false, user: true } }, 'feeds DOWN 13s'],
    [{ feeds: { prices: true, user: false } }, 'feeds 0.2s DOWN'],
    [{ feeds: { prices: false, user: false } }, 'feeds DOWN DOWN'],
    [{ ages: { prices: undefined, user: undefined } }, 'feeds up up'],
    [{ ages: { prices: 9.96, user: 0 } }, 'feeds 10.0s 0.0s'],
  ])('shows the age of each feed, or that it is down: %j', (fields, text) => {
    expect(statusLine(state(fields), 200)).toContain(text);
  });

  it('shows orders of unknown fate only while there are any', () => {
    expect(statusLine(state(), 200)).not.toContain('UNKNOWN');
    expect(statusLine(state({ unknown: { ever: 3, now: 2 } }), 200)).toMatch(/ · UNKNOWN 2$/);
  });

  it('shows a marked loss as a negative amount', () => {
    expect(statusLine(state({ pnl: { marked: -3, worst: 0 } }), 200)).toContain('pnl -$3.00 worst $0.00');
  });

  it('fits the width, and marks where it was cut', () => {
    const whole = statusLine(state(), 1000);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (width) => {
        const text = statusLine(state(), width);
        expect(text.length).toBeLessThanOrEqual(width);
        if (width >= whole.length) expect(text).toBe(whole);
        else if (text.endsWith('…')) expect(text).toHaveLength(width);
      }),
    );
  });

  it('shortens its parts before it is cut: a busy run fits 77 columns whole', () => {
    const busy = state({
      markets: 214,
      resting: 398,
      wanted: 428,
      fills: 1234,
      inventory: 8421,
      pnl: { marked: -1234.5, worst: -9876.5 },
    });
    expect(statusLine(busy, 77)).toBe('quoting  214 mkts 398/428  fills 1234  pnl -$1235/-$9877  21p 30c  0s 13s');
  });

  it('keeps what matters most inside 79 columns', () => {
    const text = statusLine(state(), 79);
    for (const part of ['quoting', '18 mkts', '34/36', 'fills 7', /inv \$/, 'pnl', /\d+p \d+c/, /s$/]) {
      expect(text).toMatch(part);
    }
  });
});
