// Where a worker has its tapes from: the folder that it was given, by content and whatever the names; else its cache; else the
// submitter. A tape is what its hash says, wherever it comes from.
import { createHash } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Tape } from '../../backtest/tape-cache.ts';
import { sha256Of } from '../../backtest/tape-cache.ts';
import { messageOf, OddsmakerError } from '../../domain/index.ts';
import { cacheFolder } from '../../record/cache-folder.ts';
import type { BundledTape } from '../bundled-tape.ts';
import type { SharedKey } from './key-file.ts';
import { tapePath, tapeToken } from './tape-server.ts';

const CONNECT_MS = 10_000;
const NAME = /[^\w.-]/g;

type Known = { readonly bytes: number; readonly mtimeMs: number; readonly sha256: string };

export class TapeStore {
  readonly #folder: string | undefined;
  readonly #cache = join(cacheFolder(), 'tapes');
  readonly #key: SharedKey;
  /** Of files that were read before: they are not read again while size and time are the same. */
  readonly #known: Map<string, Known>;

  /** @throws OddsmakerError SWEEP_INVALID when there is no such folder */
  constructor(folder: string | undefined, key: SharedKey) {
    if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new OddsmakerError('SWEEP_INVALID', `--tapes ${folder}: there is no such folder`);
    this.#folder = folder;
    this.#key = key;
    this.#known = new Map(Object.entries(this.#readIndex()));
  }

  /** All of them, here. `serve`: where the submitter gives them. @throws OddsmakerError TAPE_INVALID when one is nowhere to be had */
  async find(tapes: readonly BundledTape[], serve: string | null): Promise<readonly Tape[]> {
    const found: Tape[] = [];
    for (const { name, sha256, bytes, isSegment } of tapes) {
      const file = (await this.#inFolder(sha256, bytes)) ?? (await this.#inCache(name, sha256, bytes, serve));
      found.push({ file, sha256, bytes, isSegment });
    }
    return found;
  }

  /** They are read again before they count as what they were. */
  forget(tapes: readonly Tape[]): void {
    for (const { file } of tapes) this.#known.delete(file);
  }

  async #inFolder(sha256: string, bytes: number): Promise<string | undefined> {
    if (this.#folder === undefined) return undefined;
    const names = readdirSync(this.#folder, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names) {
      const file = join(this.#folder, name);
      const stat = statSync(file, { throwIfNoEntry: false });
      // only what has its size can be it
      if (stat?.isFile() !== true || stat.size !== bytes) continue;
      if ((await this.#hashOf(file, stat)) === sha256) return file;
    }
    return undefined;
  }

  async #hashOf(
    file: string,
    { size: bytes, mtimeMs }: { readonly size: number; readonly mtimeMs: number },
  ): Promise<string> {
    const known = this.#known.get(file);
    if (known !== undefined && known.bytes === bytes && known.mtimeMs === mtimeMs) return known.sha256;
    const sha256 = await sha256Of(file);
    this.#known.set(file, { bytes, mtimeMs, sha256 });
    this.#writeIndex();
    return sha256;
  }

  async #inCache(name: string, sha256: string, bytes: number, serve: string | null): Promise<string> {
    const file = join(this.#cache, `${sha256.slice(0, 16)}-${name.replace(NAME, '_')}`);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.size === bytes && (await this.#hashOf(file, stat)) === sha256) return file;
    const what = `tape ${name} (sha256 ${sha256.slice(0, 12)}…, ${bytes.toLocaleString('en')} bytes)`;
    const where =
      this.#folder === undefined ? 'there is no --tapes here' : `it is not in --tapes ${this.#folder}`;
    if (serve === null)
      throw new OddsmakerError('TAPE_INVALID', `${what}: ${where}, and the sweep gives none`);
    try {
      await this.#fetch(new URL(tapePath(sha256), serve), sha256, file);
    } catch (error) {
      throw new OddsmakerError(
        'TAPE_INVALID',
        `${what}: ${where}, and ${serve} does not give it (${reasonOf(error)})`,
      );
    }
    return file;
  }

  async #fetch(url: URL, sha256: string, file: string): Promise<void> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new Error('it does not answer')), CONNECT_MS);
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${tapeToken(this.#key, sha256)}` },
      redirect: 'error',
      signal: abort.signal,
    }).finally(() => clearTimeout(timer));
    if (!answer.ok || answer.body === null) throw new Error(`it answers ${answer.status}`);
    mkdirSync(this.#cache, { recursive: true, mode: 0o700 });
    const part = `${file}.${process.pid}.part`;
    const hash = createHash('sha256');
    const hashed = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    try {
      await pipeline(Readable.fromWeb(answer.body), hashed, createWriteStream(part));
      if (hash.digest('hex') !== sha256) throw new Error('what it gives is another tape');
      renameSync(part, file);
    } finally {
      rmSync(part, { force: true });
    }
  }

  get #index(): string {
    return join(this.#cache, 'index.json');
  }

  #readIndex(): Readonly<Record<string, Known>> {
    try {
      return existsSync(this.#index)
        ? (JSON.parse(readFileSync(this.#index, 'utf8')) as Record<string, Known>)
        : {};
    } catch {
      // it is made anew
      return {};
    }
  }

  #writeIndex(): void {
    try {
      mkdirSync(this.#cache, { recursive: true, mode: 0o700 });
      writeFileSync(this.#index, JSON.stringify(Object.fromEntries(this.#known)));
    } catch {
      // it costs a reading the next time
    }
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message !== '' ? cause.message : messageOf(error);
}
