// A table of `oddsmaker fit-quotes`: what is read, and which entry counts for a market.
import { describe, expect, it } from 'vitest';
import type { QuoteTable } from 'oddsmaker/pricing';
import { PRIOR_QUOTES, quoteMarketOf, readQuoteTable } from 'oddsmaker/pricing';

const entry = (A: number) => ({ A, k: 0.9, a: 0.6, errors: { A: 0.8, k: 0.1, a: 0.2 }, fills: 123, hours: 40.5 });
const table: QuoteTable = {
  quotes: 1,
  groups: [{ league: 'NBA', type: 'spread', phase: 'prematch', ...entry(1) }],
  leagues: [{ league: 'NBA', ...entry(2) }],
  all: entry(3),
};
const copy = (changes: object = {}): unknown => JSON.parse(JSON.stringify({ ...table, ...changes }));

describe('quoteMarketOf', () => {
  it.each([
    ['its group', 'NBA', 'spread', 'prematch', 1],
    ['its league, for another type', 'NBA', 'total', 'prematch', 2],
    ['its league, for the other phase', 'NBA', 'spread', 'inplay', 2],
    ['the whole table, for another league', 'NFL', 'spread', 'prematch', 3],
  ] as const)('takes %s', (_name, league, type, phase, A) => {
    expect(quoteMarketOf(table, { league, type, phase })).toEqual({
      ...{ A, k: 0.9, a: 0.6 },
      errors: { A: 0.8, k: 0.1, a: 0.2 },
    });
  });

  it('takes the prior without a table', () => {
    const { A, k, a, errors } = PRIOR_QUOTES.all;
    expect(quoteMarketOf(undefined, { league: 'none', type: 'total', phase: 'inplay' })).toEqual({ A, k, a, errors });
  });
});

describe('readQuoteTable', () => {
  it('reads what was written, the prior too', () => {
    expect(readQuoteTable(copy())).toEqual({ ok: true, value: table });
    expect(readQuoteTable(JSON.parse(JSON.stringify(PRIOR_QUOTES)))).toEqual({ ok: true, value: PRIOR_QUOTES });
  });

  it('drops fields that it does not know', () => {
    expect(readQuoteTable(copy({ note: 'mine', all: { ...entry(3), more: 1 } }))).toEqual({ ok: true, value: table });
  });

  it.each([
    ['no object', [], 'the table: expected an object'],
    ['null', null, 'the table: expected an object'],
    ['another version', copy({ quotes: 2 }), 'quotes: expected version 1, as fit-quotes writes it'],
    ['no groups', copy({ groups: undefined }), 'groups: expected a list'],
    ['a group that is none', copy({ groups: ['NBA'] }), 'groups.0: expected an object'],
    ['a type that does not exist', copy({ groups: [{ ...table.groups[0], type: 'prop' }] }), 'groups.0.type: expected'],
    ['a phase that does not exist', copy({ groups: [{ ...table.groups[0], phase: 1 }] }), 'groups.0.phase: expected'],
    ['k of 0', copy({ groups: [{ ...table.groups[0], k: 0 }] }), 'groups.0.k: expected a number above 0'],
    ['A as a text', copy({ all: { ...entry(3), A: '3' } }), 'all.A: expected a number above 0'],
    ['no number', copy({ all: { ...entry(3), A: null } }), 'all.A: expected a number above 0'],
    [
      'a below 0',
      copy({ leagues: [{ league: 'NBA', ...entry(2), a: -1 }] }),
      'leagues.0.a: expected a number, at least',
    ],
    ['no league', copy({ leagues: [entry(2)] }), 'leagues.0.league: expected a name'],
    ['no errors', copy({ all: { ...entry(3), errors: undefined } }), 'all.errors: expected an object'],
    [
      'an error of -1',
      copy({ all: { ...entry(3), errors: { A: 1, k: -1, a: 1 } } }),
      'all.errors.k: expected a number',
    ],
    ['no hours', copy({ all: { ...entry(3), hours: undefined } }), 'all.hours: expected a number, at least 0'],
    [
      'a group twice',
      copy({ groups: [table.groups[0], table.groups[0]] }),
      'groups.1: expected NBA spread prematch once',
    ],
    ['a league twice', copy({ leagues: [table.leagues[0], table.leagues[0]] }), 'leagues.1: expected NBA once'],
  ])('refuses %s, and names the field', (_name, value, problem) => {
    expect(readQuoteTable(value)).toEqual({ ok: false, problem: expect.stringContaining(problem) as string });
  });

  it('refuses NaN and Infinity', () => {
    for (const A of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(readQuoteTable({ ...table, all: { ...entry(3), A } })).toMatchObject({ ok: false });
  });
});
