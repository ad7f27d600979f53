// The thread that looks on (stuck-loop.ts).
import type { Debugger } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';
import { workerData } from 'node:worker_threads';
import type { WatchedLoop } from './stuck-loop.ts';
import { LOOK_MS, STILL_LOOKS, tellLine } from './stuck-line.ts';
import { TURNS } from './stuck-loop.ts';

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
  tellLine(callFrames, urls);
  await session.post('Debugger.resume');
  session.disconnect();
}
