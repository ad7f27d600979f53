// Lists the entries of a tar that is not compressed as a whole: where each is in the file, so that any of
// them can be read later, and again, without unpacking the archive.
import { decode, decodeLongPath, decodePax } from 'tar-stream/headers.js';
import type { FilePart } from './file-part.ts';
import { bytesAt, withFile } from './file-part.ts';

const BLOCK = 512;
const MAGIC_AT = 257;
const LONGEST_NAME = 64 * 1024;

/** Recognizes a tar by the magic text that every tar since 1988 has. */
export const isTar = (head: Buffer): boolean =>
  head.length >= MAGIC_AT + 5 && head.toString('latin1', MAGIC_AT, MAGIC_AT + 5) === 'ustar';

export type TarEntry = FilePart & { readonly name: string };

/** The entries of a tar. `problem`: why reading ended early, or undefined. */
export function tarEntries(part: FilePart): {
  readonly entries: readonly TarEntry[];
  readonly problem: string | undefined;
} {
  return withFile(part.file, (fd) => {
    const entries: TarEntry[] = [];
    const end = part.at + part.length;
    let longName: string | undefined;
    for (let offset = part.at; ;) {
      const block = bytesAt(fd, offset, Math.min(BLOCK, end - offset));
      if (block.length < BLOCK) {
        // empty blocks mark the end, but some archives omit them
        const problem = block.length === 0 ? undefined : 'the archive is cut short';
        return { entries, problem };
      }
      if (block.every((byte) => byte === 0)) return { entries, problem: undefined };
      let header;
      try {
        header = decode(block, 'utf-8', true);
      } catch {
        return { entries, problem: 'the archive is damaged' };
      }
      if (header === null) return { entries, problem: 'the archive is damaged' };
      const { size, type, name } = header;
      const from = offset + BLOCK;
      offset = from + Math.ceil(size / BLOCK) * BLOCK;
      const isNamed = type === 'gnu-long-path' || type === 'pax-header';
      if (isNamed) {
        const bytes = bytesAt(fd, from, Math.min(size, LONGEST_NAME, Math.max(0, end - from)));
        longName = type === 'pax-header' ? decodePax(bytes)['path'] : decodeLongPath(bytes, 'utf-8');
        continue;
      }
      const length = Math.min(size, Math.max(0, end - from));
      if (type === 'file' || type === 'contiguous-file')
        entries.push({ name: longName ?? name, file: part.file, at: from, length });
      if (type !== 'pax-global-header') longName = undefined;
      if (from + size > end) return { entries, problem: 'the archive is cut short' };
    }
  });
}
