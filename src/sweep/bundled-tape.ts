// A tape as a bundle names it: by its content, wherever the file is.
import { basename } from 'node:path';
import type { Tape } from '../tape/index.ts';

export type BundledTape = Pick<Tape, 'sha256' | 'bytes' | 'isSegment'> & { readonly name: string };

export const bundledTape = ({ file, sha256, bytes, isSegment }: Tape): BundledTape => ({
  name: basename(file),
  sha256,
  bytes,
  isSegment,
});
