// Finds the tapes of a sweep on a worker: in the folder of --tapes by content, whatever their names; then in
// the cache; then at the submitter. A tape counts only when its hash is right, wherever it comes from.
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
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Tape } from '../../tape/index.ts';
import { sha256Of } from '../../tape/index.ts';
import { messageOf, OddsmakerError } from '../../domain/index.ts';
import { cacheFolder } from '../../files/index.ts';
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
  /** Hashes of files that were read before; a file is read again when its size or time changes. */
  readonly #known: Map<string, Known>;

  /** @throws OddsmakerError SWEEP_INVALID when there is no such folder */
  constructor(folder: string | undefined, key: SharedKey) {
    if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new OddsmakerError('SWEEP_INVALID', `--tapes ${folder}: there is no such folder`);
    this.#folder = folder;
    this.#key = key;
    this.#known = new Map(Object.entries(this.#readIndex()));
  }

  /**
   * All tapes as local files. `serve`: URL of the submitter's tape server. @throws OddsmakerError
   * TAPE_INVALID when a tape cannot be found
   */
  async find(tapes: readonly BundledTape[], serve: string | null): Promise<readonly Tape[]> {
    const found: Tape[] = [];
    for (const { name, sha256, bytes, isSegment } of tapes) {
      const here = await this.#inFolder(sha256, bytes);
      const file =
        here === undefined ? await this.#inCache(name, sha256, bytes, serve) : this.#named(here, name, sha256);
      found.push({ file, sha256, bytes, isSegment });
    }
    return found;
  }

  /** Forgets the hashes of these tapes, so that the files are read again. */
  forget(tapes: readonly Tape[]): void {
    for (const { file } of tapes) this.#known.delete(file);
  }

  async #inFolder(sha256: string, bytes: number): Promise<string | undefined> {
    if (this.#folder === undefined) return undefined;
    const names = readdirSync(this.#folder, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names) {
      const file = join(this.#folder, name);
      const stat = statSync(file, { throwIfNoEntry: false });
      // a file of another size has another content
      if (stat?.isFile() !== true || stat.size !== bytes) continue;
      if ((await this.#hashOf(file, stat)) === sha256) return file;
    }
    return undefined;
  }

  /**
   * A path of the file whose ending shows its compression, as the sweep names it: the file, or a link to it
   * in the cache.
   */
  #named(file: string, name: string, sha256: string): string {
    if (packingIn(file) === packingIn(name)) return file;
    const link = this.#placeOf(name, sha256);
    const draft = `${link}.${process.pid}.part`;
    try {
      mkdirSync(this.#cache, { recursive: true, mode: 0o700 });
      rmSync(draft, { force: true });
      symlinkSync(resolve(file), draft);
      renameSync(draft, link);
    } catch (error) {
      throw new OddsmakerError(
        'TAPE_INVALID',
        `tape ${name}: ${file} has its content but another ending, and no link to it can be made in ${this.#cache} (${messageOf(error)}): rename the file to that ending`,
      );
    }
    return link;
  }

  #placeOf(name: string, sha256: string): string {
    return join(this.#cache, `${sha256.slice(0, 16)}-${name.replace(NAME, '_')}`);
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
    const file = this.#placeOf(name, sha256);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.size === bytes && (await this.#hashOf(file, stat)) === sha256) return file;
    const tape = `tape ${name} (sha256 ${sha256.slice(0, 12)}…, ${bytes.toLocaleString('en')} bytes)`;
    const where = this.#folder === undefined ? 'this worker has no --tapes' : `it is not in --tapes ${this.#folder}`;
    if (serve === null) throw new OddsmakerError('TAPE_INVALID', `${tape}: ${where}, and the sweep serves no tapes`);
    try {
      await this.#fetch(new URL(tapePath(sha256), serve), sha256, file);
    } catch (error) {
      throw new OddsmakerError(
        'TAPE_INVALID',
        `${tape}: ${where}, and ${serve} does not serve it (${reasonOf(error)})`,
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
      if (hash.digest('hex') !== sha256) throw new Error('it serves another tape');
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
      return existsSync(this.#index) ? (JSON.parse(readFileSync(this.#index, 'utf8')) as Record<string, Known>) : {};
    } catch {
      // the index is built again
      return {};
    }
  }

  #writeIndex(): void {
    try {
      mkdirSync(this.#cache, { recursive: true, mode: 0o700 });
      writeFileSync(this.#index, JSON.stringify(Object.fromEntries(this.#known)));
    } catch {
      // without the index the tapes are read again next time
    }
  }
}

const packingIn = (name: string): string => /\.(?:gz|zst)$/.exec(name)?.[0] ?? '';

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message !== '' ? cause.message : messageOf(error);
}
