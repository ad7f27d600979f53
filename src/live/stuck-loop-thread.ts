// The thread that looks on (stuck-loop.ts).
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { printable } from '../domain/index.ts';
import type { WatchedLoop } from './stuck-loop.ts';
import { PausedMain } from './stuck-line.ts';
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
  const main = await PausedMain.pause();
  await main.evaluate(signals.map((signal) => `process.removeAllListeners('${signal}');`).join(' '));
  const { line: at } = main;
  const seconds = (STILL_LOOKS * LOOK_MS) / 1000;
  // nobody's line, as while a slow machine compiles: later again
  if (at === undefined) looks = 0;
  else {
    const where = printable(`${at.file}:${at.line}${at.name === '' ? '' : ` (${at.name})`}`);
    writeSync(
      2,
      `\noddsmaker: ${where} has been running for ${seconds} s: a loop without an end? Press Ctrl-C to end it, again if you did\n`,
    );
  }
  await main.resume();
}
