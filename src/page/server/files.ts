// The files of the page, as vite built them into dist/web. They are few and read once, by the path of their
// URL.
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export type PageFile = {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  /** True when the name contains a hash of the content: it never changes. */
  readonly isImmutable: boolean;
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** Whether the client accepts gzip. */
export const takesGzip = (headers: IncomingHttpHeaders): boolean => /\bgzip\b/.test(headers['accept-encoding'] ?? '');

/** Reads the built files, by path such as `/index.html`. Empty when the page is not built. */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  let names: readonly string[];
  try {
    names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return files;
  }
  for (const name of names) {
    const body = readFileSync(name);
    const path = `/${relative(folder, name).split(sep).join('/')}`;
    files.set(path, {
      type: TYPES[extname(name)] ?? '',
      body,
      gzip: gzipSync(body),
      isImmutable: path.startsWith('/assets/'),
    });
  }
  return files;
}
