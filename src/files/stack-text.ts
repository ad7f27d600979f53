// Stack traces as text that names the source files, also when the code runs from the bundle of the package.
// Source maps are read only when a trace is wanted: Node would read all of them at every start.
import { readFileSync } from 'node:fs';
import type { SourceMapPayload, SourceMapping } from 'node:module';
import { SourceMap } from 'node:module';
import { isSource, OWN_CODE } from './own-code.ts';

/** The stack of what was thrown with the places of the sources, or its message where it has no stack. */
export const stackText = (thrown: unknown): string =>
  thrown instanceof Error ? withSourcePlaces(thrown.stack || thrown.message) : String(thrown);

const PLACE = /(file:\/\/[^\s():]+\.js):(\d+):(\d+)/g;

/** Replaces places in bundled files by those in the sources from which they were made. */
function withSourcePlaces(text: string): string {
  if (isSource) return text;
  return text.replace(PLACE, (place: string, url: string, line: string, column: string) => {
    // lines and columns count from 0
    const source = sourcePlaceOf(url, Number(line) - 1, Number(column) - 1);
    return source === undefined ? place : `${source.url}:${source.line + 1}:${source.column + 1}`;
  });
}

/**
 * The place in a source file from which a place in the bundle was made. Lines and columns count from 0.
 * Undefined when the place is not in the bundle.
 */
export function sourcePlaceOf(
  url: string,
  line: number,
  column: number,
): { readonly url: string; readonly line: number; readonly column: number } | undefined {
  if (isSource || !url.startsWith(OWN_CODE)) return undefined;
  const origin: Partial<SourceMapping> = mapOf(url)?.findEntry(line, column) ?? {};
  const { originalSource, originalLine = 0, originalColumn = 0 } = origin;
  if (originalSource === undefined) return undefined;
  return { url: new URL(originalSource, url).href, line: originalLine, column: originalColumn };
}

const maps = new Map<string, SourceMap | undefined>();

function mapOf(url: string): SourceMap | undefined {
  if (!maps.has(url)) maps.set(url, readMap(new URL(`${url}.map`)));
  return maps.get(url);
}

function readMap(url: URL): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(url, 'utf8')) as SourceMapPayload);
  } catch {
    // a trace with places of the bundle is better than none
    return undefined;
  }
}
