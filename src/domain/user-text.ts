// Text of files that a user wrote: UTF-8, with or without the byte order mark that Windows editors and
// PowerShell put first. Each reader of such a file uses these functions, line by line where the file may be
// large.

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * The text of a file, or of one line of it, without a byte order mark.
 * @throws Error for UTF-16, UTF-32 and for bytes that are not UTF-8 (Latin-1): they would be read as other
 * characters
 */
export function userText(bytes: Uint8Array): string {
  refuseWide(bytes);
  try {
    // the decoder itself removes the mark
    return UTF8.decode(bytes);
  } catch {
    throw new Error(
      `${placeOfWrongByte(bytes)}: it must be UTF-8 (is it Latin-1?): save it again with the encoding UTF-8`,
    );
  }
}

const LINE_END = 10;

/** The place of the first character that is not UTF-8, as text. */
function placeOfWrongByte(bytes: Uint8Array): string {
  let line = 1;
  for (let from = 0; from <= bytes.length; line++) {
    const end = bytes.indexOf(LINE_END, from);
    const piece = bytes.subarray(from, end < 0 ? bytes.length : end);
    try {
      UTF8.decode(piece);
    } catch {
      return `line ${line} has a character that is not UTF-8`;
    }
    if (end < 0) break;
    from = end + 1;
  }
  return 'it has a character that is not UTF-8';
}

/**
 * The first piece of a file that is read in pieces, without its mark. It has at least `MOST_MARK` bytes,
 * unless the file has fewer.
 */
export function withoutMark<Bytes extends Uint8Array>(first: Bytes): Bytes {
  refuseWide(first);
  return MARK.every((byte, index) => first[index] === byte) ? (first.subarray(MARK.length) as Bytes) : first;
}
export const MOST_MARK = MARK.length;

/**
 * Refuses another encoding: by its mark, or by half of a wide character, since no UTF-8 text has one zero
 * byte among the first two.
 */
function refuseWide([first, second]: Uint8Array): void {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || (second !== undefined && (first === 0) !== (second === 0)))
    throw new Error('it is UTF-16 and must be UTF-8: save it again with the encoding UTF-8');
}
