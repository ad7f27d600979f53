import { describe, expect, it } from 'vitest';
import { userText, withoutMark } from '../../src/domain/index.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8'): Buffer => Buffer.from(text, encoding);
const swapped = (text: string): Buffer => bytes(text, 'utf16le').swap16();

describe('userText', () => {
  it('removes a byte order mark and keeps each other character', () => {
    for (const text of ['', 'a', '{}\r\n', 'Málaga\n', '\n', 'a\ufeffb']) {
      expect(userText(bytes(text))).toBe(text);
      expect(userText(bytes(`\ufeff${text}`))).toBe(text);
      expect(withoutMark(bytes(`\ufeff${text}`)).toString()).toBe(text);
      expect(withoutMark(bytes(text)).toString()).toBe(text);
    }
  });

  it.each([
    ['Latin-1', 'a: 1\nb: Málaga\n', 'line 2 has a character that is not UTF-8'],
    ['Latin-1 at its end', 'a: 1\r\nb: Perú', 'line 2 has a character that is not UTF-8'],
  ])('refuses %s and names the line', (_name, text, problem) => {
    expect(() => userText(bytes(text, 'latin1'))).toThrow(
      `${problem}: it must be UTF-8 (is it Latin-1?): save it again with the encoding UTF-8`,
    );
  });

  it.each([
    ['with a byte order mark', bytes('\ufeffa: 1\n', 'utf16le')],
    ['with a byte order mark, big-endian', swapped('\ufeffa: 1\n')],
    ['without a mark', bytes('a: 1\n', 'utf16le')],
    ['without a mark, big-endian', swapped('a: 1\n')],
  ])('refuses UTF-16 %s and says what to do', (_name, wide) => {
    expect(() => userText(wide)).toThrow('it is UTF-16 and must be UTF-8: save it again with the encoding UTF-8');
    expect(() => withoutMark(wide)).toThrow('UTF-16');
  });
});
