// The secret key that a sweep and its workers share. A queue carries code that workers run, so only text
// signed with the key is read, and nothing unsigned is ever loaded. A signature covers the kind of the text,
// so that one kind never passes for another.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { messageOf, OddsmakerError } from '../../domain/index.ts';

const LEAST_BYTES = 32;
const OTHERS = 0o077;

export type Kind = 'sweep' | 'bundle' | 'point' | 'result' | 'tape';

export const makeKeyText = (file: string): string =>
  `make one with: head -c ${LEAST_BYTES} /dev/urandom > ${file} && chmod 600 ${file}`;

export class SharedKey {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  sign(kind: Kind, text: string): string {
    return createHmac('sha256', this.#bytes).update(`${kind}\n${text}`).digest('hex');
  }

  isSigned(kind: Kind, text: string, signature: string): boolean {
    const expected = Buffer.from(this.sign(kind, text));
    const given = Buffer.from(signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  /** The text behind its signature and a space. */
  seal(kind: Kind, text: string): string {
    return `${this.sign(kind, text)} ${text}`;
  }

  /**
   * The text of a sealed string. Undefined when it is not signed with this key, or is signed as another kind.
   */
  open(kind: Kind, sealed: unknown): string | undefined {
    if (typeof sealed !== 'string') return undefined;
    const space = sealed.indexOf(' ');
    const text = sealed.slice(space + 1);
    return space > 0 && this.isSigned(kind, text, sealed.slice(0, space)) ? text : undefined;
  }
}

/** @throws OddsmakerError KEY_INVALID */
export function readKey(file: string): SharedKey {
  const refused = (why: string): OddsmakerError => new OddsmakerError('KEY_INVALID', `--key ${file}: ${why}`);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
    const { mode } = statSync(file);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
      throw refused(`others may read it (mode ${(mode & 0o777).toString(8)}): chmod 600 ${file}`);
  } catch (error) {
    if (error instanceof OddsmakerError) throw error;
    throw refused(`it cannot be read (${messageOf(error)}): ${makeKeyText(file)}`);
  }
  if (bytes.length < LEAST_BYTES)
    throw refused(`it has ${bytes.length} bytes, but ${LEAST_BYTES} are needed: ${makeKeyText(file)}`);
  return new SharedKey(bytes);
}
