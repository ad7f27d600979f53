// The key under which frames replace each other while the process is busy: frames with the same key must be
// of the same side.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOrderUpdate, sideHeaderOf } from '../../src/wire/index.ts';
import { OFFERER, row, sideFrame } from './fixtures.ts';

/** A frame as the exchange lays it out: the side first, the ladder last. */
function text(change: Readonly<Record<string, unknown>> = {}): string {
  const { sideOrders, ...header } = { ...sideFrame({ sideOrders: [row()] }), ...change };
  return JSON.stringify({ ...header, sideOrders });
}

/** The game, market and side of a frame, as the parser reads it. */
function sideOf(payload: string): string | undefined {
  const frame = parseOrderUpdate(payload, OFFERER);
  if (!frame.ok) return undefined;
  const { gameId, type, participantId, side, line } = frame.value;
  return [gameId, type, type === 'total' ? side : participantId, line].join('|');
}

/** Lays out the fields of a frame by hand, so that a test decides on their order, duplicates and nesting. */
const layout = (...fields: readonly (readonly [string, unknown])[]): string =>
  `{${fields.map(([name, fieldValue]) => `"${name}":${JSON.stringify(fieldValue)}`).join()}}`;

describe('the side header of a frame', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['moneyline', {}],
    ['spread', { type: 'spread', spread: -3.5 }],
    ['total', { type: 'total', OU: 'over', total: 210.5, participantID: null }],
  ])('of a %s is the same whatever offers rest', (_type, change) => {
    const header = sideHeaderOf(text(change));
    expect(header).toBeDefined();
    expect(sideHeaderOf(text({ ...change, sideOrders: [] }))).toBe(header);
    expect(sideHeaderOf(text({ ...change, sideOrders: [row({ id: 'x' }), row({ id: 'y' })] }))).toBe(header);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['game', { gameID: 'g2' }],
    ['participant', { participantID: 'p-away' }],
    ['type', { type: 'spread', spread: 1.5 }],
    ['live flag', { live: true }],
  ])('differs for another %s', (_what, change) => {
    expect(sideHeaderOf(text(change))).not.toBe(sideHeaderOf(text()));
  });

  it('differs between lines, and between over and under', () => {
    const total = { type: 'total', OU: 'over', total: 210.5, participantID: null };
    const headers = [total, { ...total, OU: 'under' }, { ...total, total: 211 }].map((change) =>
      sideHeaderOf(text(change)),
    );
    expect(new Set(headers).size).toBe(3);
    expect(headers).not.toContain(undefined);
  });

  it.each<[string, string]>([
    ['is empty', ''],
    ['is not JSON', '"sideOrders":['],
    [
      'names its side after the ladder',
      layout(['type', 'moneyline'], ['sideOrders', []], ['gameID', 'g1'], ['participantID', 'p']),
    ],
    [
      'does not end with the ladder',
      layout(['gameID', 'g1'], ['type', 'moneyline'], ['participantID', 'p'], ['sideOrders', []], ['live', true]),
    ],
    ['has no ladder', layout(['gameID', 'g1'], ['type', 'moneyline'], ['participantID', 'p'])],
    ['is laid out with spaces', JSON.stringify(sideFrame({ sideOrders: [row()] }), undefined, 1)],
    [
      'lacks the line of a spread',
      layout(['gameID', 'g1'], ['type', 'spread'], ['participantID', 'p'], ['sideOrders', []]),
    ],
    ['lacks over or under', layout(['gameID', 'g1'], ['type', 'total'], ['total', 210.5], ['sideOrders', []])],
    ['has an unknown type', layout(['gameID', 'g1'], ['type', 'future'], ['participantID', 'p'], ['sideOrders', []])],
  ])('is undefined when the payload %s: such a frame is never conflated', (_what, payload) => {
    expect(sideHeaderOf(payload)).toBeUndefined();
  });

  it('ignores field names of the wire inside a text', () => {
    const noise = '"gameID":"g9","type":"moneyline","participantID":"p","sideOrders":[';
    expect(sideHeaderOf(layout(['sport', noise], ['type', 'future'], ['sideOrders', []]))).toBeUndefined();
    const [first, second] = ['g1', 'g2'].map((gameID) => sideHeaderOf(text({ sport: noise, gameID })));
    expect(first === undefined || first !== second).toBe(true);
  });

  const fields = fc.record({
    gameID: fc.constantFrom('g1', 'g2'),
    type: fc.constantFrom('moneyline', 'spread', 'total'),
    participantID: fc.constantFrom('p-home', 'p-away', null),
    spread: fc.constantFrom(-3.5, 3.5, null),
    total: fc.constantFrom(210.5, 211, null),
    OU: fc.constantFrom('over', 'under', null),
    live: fc.boolean(),
    sideOrders: fc.constantFrom([], [row()]),
  });
  const flat = fields
    .chain((values) => fc.shuffledSubarray(Object.entries(values), { minLength: 6 }))
    .map((all) => layout(...all));

  it('is shared only by frames of one side, whatever the order of their fields', () => {
    fc.assert(
      fc.property(fc.array(flat, { minLength: 2, maxLength: 40 }), (payloads) => {
        const sides = new Map<string, string>();
        for (const payload of payloads) {
          const [header, side] = [sideHeaderOf(payload), sideOf(payload)];
          if (header === undefined || side === undefined) continue;
          expect(sides.get(header) ?? side).toBe(side);
          sides.set(header, side);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is not taken from an object nested before the ladder', () => {
    const nested = (gameID: string) =>
      layout(
        ['was', { gameID: 'g0', participantID: 'p0' }],
        ['type', 'moneyline'],
        ['sideOrders', []],
        ['gameID', gameID],
        ['participantID', 'p-home'],
        ['tags', []],
      );
    const [a, b] = [nested('g1'), nested('g2')];
    expect(sideOf(a)).not.toBe(sideOf(b));
    expect(sideHeaderOf(a) === undefined || sideHeaderOf(a) !== sideHeaderOf(b)).toBe(true);
  });
});
