import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../src/cli/env-entries.ts';

const problemsIn = (text: string): readonly (string | undefined)[] =>
  entriesOf(text).map(({ line, problem }) => problem && `${line}: ${problem}`);

describe('a file of variables', () => {
  it.each([
    ['a # without a blank before it', 'A=1\nPW=abc#123\n', /^2: the value ends before the #/],
    ['a # at once', '\n\nPW=#123', /^3: the value ends before the #/],
    ['a # behind an odd quote', "PW=it's#1", /^1: the value ends before the #/],
    ['text behind the second quote', "# mine\nPW='it's me'\n", /^2: the value ends at its second quote/],
    ['a blank value, which takes the next line', 'A=1\nB= \nC=2\n', /^2: .* the value is the next line/],
    ['all of that with the line ends of Windows', 'A=1\r\nPW=abc#123\r\n', /^2: the value ends before the #/],
  ])('names the line of %s, and never the value', (_what, text, problem) => {
    const found = problemsIn(text).filter((problemText) => problemText !== undefined);
    expect(found).toEqual([expect.stringMatching(problem)]);
    expect(found.join()).not.toMatch(/123|abc|it's|me'/);
  });

  it('reports no problem for comments, quotes and blanks that change no value', () => {
    const text = [
      ...['# PW=abc#123', 'A=abc # comment', 'B="abc#123"', "C='abc#123' # comment", 'D=`a"b\'c#d`#comment'],
      ...['E=', 'F= # comment', 'export G=a b c', 'H="two', 'lines # here"', 'no variable # here', 'I=a=b'],
    ];
    expect(problemsIn(text.join('\n'))).toEqual(Array.from({ length: 9 }));
    expect(problemsIn(text.join('\r\n'))).toEqual(Array.from({ length: 9 }));
  });

  it('has the values that Node reads, for any text', () => {
    const piece = fc.constantFrom(...['A', 'B', '=', '#', '"', "'", '`', ' ', '\t', '\n', '\r', '\\n', 'x']);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const values = entriesOf(text).map(({ name, value }) => [name, value] as const);
        // no program can read an entry without a name
        expect({ ...Object.fromEntries(values), '': '' }).toEqual({ ...parseEnv(text), '': '' });
      }),
      { numRuns: 1000 },
    );
  });
});
