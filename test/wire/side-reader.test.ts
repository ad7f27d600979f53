import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookPerspective } from '../../src/domain/index.ts';
import { ok } from '../../src/domain/index.ts';
import { readTape } from '../../src/tape/tape-reader.ts';
import { parseOrderUpdate, SideReader } from '../../src/wire/index.ts';
import { OFFERER, sideFrame, TAKER, value } from './fixtures.ts';

/** A row as JSON text, so that a test decides on every letter of it. */
const rowText = (id: string, untaken = '12.5', fields = '"expiry":null'): string =>
  `{"id":"${id}","type":"moneyline","risk":100,"sumUntaken":${untaken},"odds":105,"takenRatio":0.0,` +
  `"spread":null,${fields},"createdAt":"2030-01-01T00:00:00.000Z","gameStartExpiry":false}`;
const { sideOrders: _rows, ...header } = sideFrame({});
const HEAD = JSON.stringify(header).slice(0, -1);
const frameText = (rows: readonly string[], tail = '}'): string => `${HEAD},"sideOrders":[${rows.join(',')}]${tail}`;

/** A payload as it stands inside a JSON text. */
const escaped = (payload: string): string => JSON.stringify(payload).slice(1, -1);

/**
 * Compares the reader with the parser, and returns how many payloads were read as they stand inside a JSON
 * text.
 */
function same(payloads: readonly string[], perspective: BookPerspective = OFFERER): number {
  const reader = new SideReader(perspective);
  const inside = new SideReader(perspective, 'escaped');
  let read = 0;
  for (const payload of payloads) {
    const whole = parseOrderUpdate(payload, perspective);
    expect(reader.read(payload)).toEqual(whole);
    const frame = inside.scan(escaped(payload));
    if (frame === undefined) continue;
    expect(ok(frame)).toEqual(whole);
    read += 1;
  }
  return read;
}

describe('SideReader', () => {
  it('keeps the offers that did not change, and the ladder when none did', () => {
    const reader = new SideReader(OFFERER);
    const [a, b, c] = ['a', 'b', 'c'].map((id) => rowText(id));
    const first = value(reader.read(frameText([a, b, c].map(String)))).offers;
    expect(value(reader.read(frameText([a, b, c].map(String)))).offers).toBe(first);
    const second = value(reader.read(frameText([rowText('new'), String(a), rowText('b', '3'), String(c)]))).offers;
    expect(second.map(({ id }) => id)).toEqual(['new', 'a', 'b', 'c']);
    expect(second[1]).toBe(first[0]);
    expect(second[2]).toMatchObject({ untaken: 3_000_000 });
    expect(second[3]).toBe(first[2]);
    // written differently, it is the same offer
    const third = value(reader.read(frameText([rowText('new', '12.50'), String(a)]))).offers;
    expect(third[0]).toBe(second[0]);
  });

  it('reads payloads as they stand inside a JSON text, and refuses text that cannot stand there', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => rowText(id));
    const frames = [
      frameText([a, b, c].map(String)),
      frameText([rowText('new'), String(a), rowText('b', '3'), String(c)]),
      frameText([rowText('a', '0'), String(c)]),
      frameText([]),
    ];
    expect(same(frames)).toBe(4);
    const reader = new SideReader(OFFERER, 'escaped');
    for (const frame of frames) expect(reader.scan(escaped(frame))).toBeDefined();
    // plain quotes would end the text, and an escape that JSON does not have is refused
    for (const frame of frames) expect(reader.scan(frame)).toBeUndefined();
    expect(reader.scan(escaped(frames[0] ?? '').replace('100', '1\\00'))).toBeUndefined();
    expect(reader.scan(escaped(frames[0] ?? '').replace('"a', '"a"'))).toBeUndefined();
  });

  it.each([
    ['a row that expires', rowText('a', '1', '"expiry":"2030-01-02T00:00:00.000Z"')],
    ['an own row', rowText('a', '1', '"createdBy":"someone"')],
    ['a number as text', rowText('a', '"1"')],
    ['nothing left', rowText('a', '0')],
    ['a negative amount', rowText('a', '-4')],
    ['an exponent', rowText('a', '1e1')],
    ['more digits than a double has', rowText('a', '0.12345678901234567')],
    ['a number that is none in JSON', rowText('a', '01')],
    ['a point without a digit', rowText('a', '1.')],
    ['an escape in the id', rowText('a\\u0062')],
    ['a quote in the id', rowText('a\\"b')],
    ['a letter beyond ASCII', rowText('é')],
    ['a control character', rowText('a\u0001')],
    ['a brace in a text', rowText('a', '1', '"note":"}{"')],
    ['a nested value', rowText('a', '1', '"note":{"id":"x"}')],
    ['a name twice', rowText('a', '1', '"id":"b"')],
    ['an escaped name', rowText('a', '1', '"\\u0069d":"b"')],
    ['a bet beside the risk', rowText('a', '1', '"bet":5')],
    ['no row', ''],
    ['no object', '7'],
    ['an array', `[${rowText('a')}]`],
    ['a comma too many', `${rowText('a')},`],
    ['space', ` ${rowText('a')} `],
    ['a second ladder', `${rowText('a')}],"sideOrders":[${rowText('b')}`],
    ['a second ladder in disguise', `${rowText('a')}],"side\\u004frders":[${rowText('b')}`],
    ['a ladder inside', `${rowText('a')}],"more":{"sideOrders":[]},"x":[`],
  ])('reads a frame with %s as the parser of whole frames does', (_what, row) => {
    const plain = [rowText('x'), rowText('y')];
    const odd = frameText([row, ...plain].filter((text) => text !== ''));
    same([frameText(plain), odd, odd, frameText(plain), frameText([...plain, row]), odd]);
    same([odd, frameText(plain), odd], TAKER);
  });

  it.each(['', '}', '{}', 'null', '[]', `"sideOrders":[`, `{"a":{"sideOrders":[]}}`, `${HEAD},"sideOrders":[]`])(
    'reports for %s the problem that the parser of whole frames reports',
    (payload) => {
      same([payload, payload]);
    },
  );

  const rows = fc.array(
    fc.tuple(
      fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'é', 'g\\"h', 'i}'),
      fc.constantFrom('1', '2', '0', '1.25', '0.1', '1e2', '-1', '"3"', 'null', '01', '123456789.123456789'),
      fc.constantFrom(
        ...['"expiry":null', '"expiry":"2031-01-01T00:00:00Z"', '"createdBy":"me"', '"n":{}', '"odds":-120'],
      ),
    ),
    { maxLength: 6 },
  );
  const damage = fc.option(
    fc.record({
      start: fc.nat(2000),
      length: fc.nat(3),
      text: fc.constantFrom('', '"', '}', ']', ',', '1', '\\', 'é', ' '),
    }),
    { freq: 3, nil: undefined },
  );
  const harmed = (text: string, harm: { start: number; length: number; text: string } | undefined): string => {
    const start = harm === undefined ? 0 : harm.start % text.length;
    return harm === undefined ? text : text.slice(0, start) + harm.text + text.slice(start + harm.length);
  };

  it('reads any damaged text as the parser of whole frames does', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(rows, damage), { minLength: 1, maxLength: 8 }), (frames) => {
        const reader = new SideReader(OFFERER, 'escaped');
        for (const [list, harm] of frames) {
          const text = frameText(list.map(([id, untaken, fields]) => rowText(id, untaken, fields)));
          const inside = harmed(escaped(text), harm);
          const frame = reader.scan(inside);
          if (frame === undefined) continue;
          // otherwise this throws
          expect(ok(frame)).toEqual(parseOrderUpdate(JSON.parse(`"${inside}"`) as string, OFFERER));
          read += 1;
        }
      }),
      { numRuns: 1500 },
    );
    expect(read).toBeGreaterThan(200);
  });

  it('reads any frames, whole or damaged, as the parser reads each of them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(rows, damage), { minLength: 1, maxLength: 8 }), fc.boolean(), (frames, taker) => {
        same(
          frames.map(([list, harm]) =>
            harmed(frameText(list.map(([id, untaken, fields]) => rowText(id, untaken, fields))), harm),
          ),
          taker ? TAKER : OFFERER,
        );
      }),
      { numRuns: 1500 },
    );
  });

  const recorded = fileURLToPath(new URL('../../../shared/data/basketball-prematch.ndjson.gz', import.meta.url));
  it.skipIf(!existsSync(recorded))('reads a recorded evening as JSON.parse does', { timeout: 60_000 }, async () => {
    const reader = new SideReader(TAKER);
    const inside = new SideReader(TAKER, 'escaped');
    let different = 0;
    for await (const { event, data } of readTape(recorded)) {
      if (event !== 'orderUpdate') continue;
      const whole = JSON.stringify(parseOrderUpdate(data, TAKER));
      if (JSON.stringify(reader.read(data)) !== whole) different += 1;
      if (JSON.stringify({ ok: true, value: inside.scan(escaped(data)) }) !== whole) different += 1;
    }
    expect(different).toBe(0);
  });
});
