// What is told of a loop that stands still: by whoever watches that of the process, or that of a thread.
import { writeSync } from 'node:fs';
import type { Debugger } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

export const LOOK_MS = 1000;
/** By the looks of who watches: a machine that slept is no loop that stands still. */
export const STILL_LOOKS = 5;

/** The innermost line of a file that is neither ours nor a library's; none: nothing is told. `urls`: of scripts, by id. */
export function tellLine(frames: readonly Debugger.CallFrame[], urls: ReadonlyMap<string, string>): void {
  const where = placeOf(frames, urls);
  const seconds = (STILL_LOOKS * LOOK_MS) / 1000;
  if (where !== undefined)
    writeSync(
      2,
      `\noddsmaker: ${where} has been running for ${seconds} s: a loop without an end? Press Ctrl-C to end it, again if you did\n`,
    );
}

function placeOf(
  frames: readonly Debugger.CallFrame[],
  urls: ReadonlyMap<string, string>,
): string | undefined {
  const ours = new URL('../', import.meta.url).href;
  for (const { location, functionName } of frames) {
    const [url = ''] = (urls.get(location.scriptId) ?? '').split('?');
    if (!url.startsWith('file:') || url.startsWith(ours) || url.includes('/node_modules/')) continue;
    return `${fileURLToPath(url)}:${location.lineNumber + 1}${functionName === '' ? '' : ` (${functionName})`}`;
  }
  return undefined;
}
