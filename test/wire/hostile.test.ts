// Parsers answer any input with a Result: they never throw, and every number they accept is finite.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as wire from '../../src/wire/index.ts';
import { readNumber } from '../../src/wire/json.ts';
import { hostile, OFFERER, row, sideFrame, TAKER } from './fixtures.ts';

type Parser = (input: unknown) => unknown;
function text(input: unknown): string {
  if (typeof input === 'string') return input;
  try {
    return JSON.stringify(input) ?? '';
  } catch {
    // too deep to be written as JSON: such a value cannot have come as text
    return '';
  }
}

const PARSERS: Readonly<Record<string, Parser>> = {
  parseOrderUpdate: (input) => wire.parseOrderUpdate(text(input), OFFERER),
  'parseOrderUpdate (taker)': (input) => wire.parseOrderUpdate(text(input), TAKER),
  parseGameUpdate: (input) => wire.parseGameUpdate(text(input), OFFERER),
  parsePositionUpdate: (input) => wire.parsePositionUpdate(text(input)),
  readGame: (input) => wire.readGame(input, TAKER),
  readLadder: (input) => wire.readLadder(input, OFFERER),
  parseLeagueReply: (input) => wire.parseLeagueReply(input, OFFERER),
  parseGameReply: (input) => wire.parseGameReply(input, OFFERER),
  parseGameBook: (input) => wire.parseGameBook(input, TAKER),
  parsePlaceReply: (input) => wire.parsePlaceReply(input, 1),
  parseEditReply: (input) => wire.parseEditReply(input),
  parseCancelReply: (input) => wire.parseCancelReply(input, 1),
  parseOpenOrders: (input) => wire.parseOpenOrders(input),
  parsePlays: (input) => wire.parsePlays(input),
  parsePlayLookup: (input) => wire.parsePlayLookup(input, 't1' as never),
  parseReferenceTrail: (input) => wire.parseReferenceTrail(input, 'r1' as never),
  parseOrderLookup: (input) => wire.parseOrderLookup(input),
  parseUser: (input) => wire.parseUser(input),
};
const parsers = Object.entries(PARSERS);

/** Puts a value where the interesting part of a body stands. */
const ENVELOPES: readonly ((inner: unknown) => unknown)[] = [
  (inner) => inner,
  (inner) => ({ data: inner }),
  (inner) => ({ data: [inner] }),
  (inner) => ({
    data: { game: inner, games: [inner], user: inner, order: inner, unmatched: [inner], matched: [inner] },
  }),
  (inner) => ({ data: { game: { id: 'g1' }, childGames: [inner], propGames: inner } }),
  (inner) => ({ data: { createdSessions: [inner], cancelled: inner, matched: [], unmatched: inner } }),
  (inner) => sideFrame({ sideOrders: [row(inner as Readonly<Record<string, unknown>>)] }),
  (inner) => ({
    id: 'g1',
    homeMoneylines: [inner],
    homeSpreads: inner,
    over: [inner],
    participants: [inner, inner],
  }),
  (inner) => ({ bet: inner }),
  (inner) => ({ bet: { txID: 't1', profit: inner, graded: inner } }),
  (inner) => ({ gameID: 'g1', origin: 'offer', unmatched: inner, matched: inner }),
];
const bodies = fc.tuple(fc.constantFrom(...ENVELOPES), hostile).map(([wrap, inner]) => wrap(inner));

/** Lists every number that is NaN or infinite, with its path. */
function unsound(input: unknown, path = ''): string[] {
  if (typeof input === 'number') return Number.isFinite(input) ? [] : [`${path} = ${input}`];
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([key, inner]) => unsound(inner, `${path}.${key}`));
}

function expectResult(result: unknown): void {
  const answer = result as { ok: unknown; value?: unknown; problem?: unknown };
  if (answer.ok === true) expect(answer.value).toBeDefined();
  else expect([answer.ok, typeof answer.problem]).toEqual([false, 'string']);
  expect(unsound(answer)).toEqual([]);
}

describe.each(parsers)('%s', (_name, parse) => {
  it('answers any text with a result', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (input) => {
        expectResult(parse(input));
      }),
    );
  });

  it('answers any JSON with a result', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        expectResult(parse(input));
      }),
    );
  });

  it('answers JSON made of field names of the wire with a result, and with finite numbers', () => {
    fc.assert(
      fc.property(bodies, (input) => {
        expectResult(parse(input));
      }),
      { numRuns: 500 },
    );
  });

  it('answers a deep nest with a result, as text and as a value', () => {
    const depth = 5000;
    for (const [open, close] of [
      ['[', ']'],
      ['{"data":', '}'],
      ['{"sideOrders":[', ']}'],
    ] as const) {
      const nest = `${open.repeat(depth)}1${close.repeat(depth)}`;
      expectResult(parse(nest));
      expectResult(parse(JSON.parse(nest)));
    }
  });
});

describe('every parser of a reply', () => {
  it('is tested in this file', () => {
    const exported = Object.keys(wire).filter((name) => /^parse/.test(name) && name !== 'parseEnvelope');
    expect(exported.filter((name) => PARSERS[name] === undefined)).toEqual([]);
  });
});

describe('parseEnvelope, sideHeaderOf and gameIdIn', () => {
  it('never throw', () => {
    fc.assert(
      fc.property(fc.oneof(bodies, fc.string({ unit: 'binary' })), (input) => {
        expect(unsound(wire.parseEnvelope(input))).toEqual([]);
        expect(['string', 'undefined']).toContain(typeof wire.sideHeaderOf(text(input)));
        expect(['string', 'undefined']).toContain(typeof wire.gameIdIn('gameUpdate', text(input)));
      }),
    );
  });
});

describe('numbers and texts of the wire', () => {
  it.each<[unknown, number | undefined]>([
    [1.5, 1.5],
    ['1.5', 1.5],
    [' 1.5 ', 1.5],
    ['+105', 105],
    ['', undefined],
    [' ', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['1e999', undefined],
    ['1,5', undefined],
    [Number.NaN, undefined],
    [Infinity, undefined],
    [null, undefined],
    [true, undefined],
    [[1], undefined],
    [{}, undefined],
  ])('%j reads as the number %j', (input, number) => {
    expect(wire.readNumber(input)).toBe(number);
  });

  it.each<[unknown, number | undefined]>([
    ['2030-01-01T12:00:00.000Z', Date.UTC(2030, 0, 1, 12)],
    ['2030-01-01T12:00:00Z', Date.UTC(2030, 0, 1, 12)],
    ['soon', undefined],
    ['', undefined],
    [1_893_499_200_000, undefined],
    [null, undefined],
  ])('%j reads as the time %j', (input, time) => {
    expect(wire.readTime(input)).toBe(time);
  });

  it.each<[unknown, string | undefined]>([
    ['x', 'x'],
    ['', undefined],
    [7, undefined],
    [null, undefined],
  ])('%j reads as the text %j', (input, read) => {
    expect(wire.readText(input)).toBe(read);
  });
});

it('readNumber reads a long text within a second of CPU time, and only decimal numbers', () => {
  const from = process.cpuUsage();
  expect(readNumber(`${'1'.repeat(500_000)}x`)).toBeUndefined();
  const { user, system } = process.cpuUsage(from);
  expect(user + system).toBeLessThan(1_000_000);
  for (const text of ['0x80', '1 2', '1e', '.', '', '--1', 'Infinity', '1_000'])
    expect([text, readNumber(text)]).toEqual([text, undefined]);
  for (const [text, value] of [
    ['-110', -110],
    [' 1.5 ', 1.5],
    ['.5', 0.5],
    ['+2.', 2],
    ['1e3', 1000],
  ] as const)
    expect(readNumber(text)).toBe(value);
});
