import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERASE_LINE, printable, printableLines } from '../../src/domain/index.ts';

const CONTROL = /(?![\n\t]|\r\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;
const parts = fc.constantFrom(
  '\u001b[2J',
  '\u009b31m',
  '\u007f',
  '\u202e',
  '\r',
  '\n',
  '\t',
  '\0',
  'Málaga',
  '"',
  '\\',
  '\u{e0041}',
);
const texts = fc.array(fc.oneof(parts, fc.string({ unit: 'grapheme' }))).map((pieces) => pieces.join(''));

describe('printed text', () => {
  it('contains no control sequence for a terminal', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(printableLines(`x${text}`)).not.toMatch(CONTROL);
        expect(printable(text)).not.toMatch(/[\p{Cc}\u202e]/u);
      }),
    );
  });

  it('has the same values as before when it is JSON', () => {
    fc.assert(
      fc.property(texts, fc.nat(2), (text, indent) => {
        const json = JSON.stringify({ [text]: [text] }, null, indent);
        expect(JSON.parse(printableLines(json))).toEqual({ [text]: [text] });
      }),
    );
  });

  it('keeps line ends, joined emoji, and the bot’s own line that refreshes in place', () => {
    for (const text of ['a\nb\tc\r\n', '👩‍👩‍👧', `${ERASE_LINE}quoting`]) expect(printableLines(text)).toBe(text);
    expect(printableLines(`${ERASE_LINE}a\u001b[2Jb`)).toBe(`${ERASE_LINE}a\\u001b[2Jb`);
    expect(printable('a\nb')).toBe('a\ufffdb');
  });
});
