// The key that a sweep and its workers share. What is in a queue is code that workers run: only what is signed with the key is
// looked at, and nothing unsigned is ever loaded. A signature is of one kind of text, so none passes for another.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { messageOf, OddsmakerError } from '../../domain/index.ts';

const LEAST_BYTES = 32;
const OTHERS = 0o077;

export type Kind = 'sweep' | 'bundle' | 'point' | 'result' | 'tape';

export const makeKeyText = (file: string): string =>
  `make one by: head -c ${LEAST_BYTES} /dev/urandom > ${file} && chmod 600 ${file}`;

export class SharedKey {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  sign(kind: Kind, text: string): string {
    return createHmac('sha256', this.#bytes).update(`${kind}\n${text}`).digest('hex');
  }

  isSigned(kind: Kind, text: string, signature: string): boolean {
    const right = Buffer.from(this.sign(kind, text));
    const told = Buffer.from(signature);
    return right.length === told.length && timingSafeEqual(right, told);
  }

  /** The text with its signature before it. */
  seal(kind: Kind, text: string): string {
    return `${this.sign(kind, text)} ${text}`;
  }

  /** Undefined: it is not signed with this key, or as something else. */
  open(kind: Kind, sealed: unknown): string | undefined {
    if (typeof sealed !== 'string') return undefined;
    const at = sealed.indexOf(' ');
    const text = sealed.slice(at + 1);
    return at > 0 && this.isSigned(kind, text, sealed.slice(0, at)) ? text : undefined;
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
    throw refused(`it has ${bytes.length} bytes, and ${LEAST_BYTES} are needed: ${makeKeyText(file)}`);
  return new SharedKey(bytes);
}
