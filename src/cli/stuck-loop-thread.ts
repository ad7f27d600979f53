// The thread that looks on (stuck-loop.ts).
import { writeSync } from 'node:fs';
import type { Debugger } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import type { WatchedLoop } from './stuck-loop.ts';
import { TURNS } from './stuck-loop.ts';

const LOOK_MS = 1000;
/** By the looks of this thread: a machine that slept is no loop that stands still. */
const STILL_LOOKS = 5;

const { turns, signals } = workerData as WatchedLoop;
let known = -1;
let looks = 0;
// goes on after it told: nothing else keeps this thread alive
setInterval(() => {
  const now = Atomics.load(turns, TURNS);
  looks = now === known ? looks + 1 : 0;
  known = now;
  if (looks === STILL_LOOKS) void tell();
}, LOOK_MS);

async function tell(): Promise<void> {
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
  const paused = new Promise<Debugger.PausedEventDataType>((resolve) =>
    session.once('Debugger.paused', ({ params }) => resolve(params)),
  );
  await session.post('Debugger.enable');
  await session.post('Debugger.pause');
  const { callFrames } = await paused;
  const expression = signals.map((signal) => `process.removeAllListeners('${signal}');`).join(' ');
  await session.post('Runtime.evaluate', { expression });
  const where = placeOf(callFrames, urls);
  const seconds = (STILL_LOOKS * LOOK_MS) / 1000;
  // nobody's line, as while a slow machine compiles: later again
  if (where === undefined) looks = 0;
  else
    writeSync(
      2,
      `\noddsmaker: ${where} has been running for ${seconds} s: a loop without an end? Press Ctrl-C to end it, again if you did\n`,
    );
  await session.post('Debugger.resume');
  session.disconnect();
}

/** The innermost line of a file that is neither ours nor a library's. */
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
