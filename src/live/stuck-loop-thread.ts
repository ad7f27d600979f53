// The watching thread of stuck-loop.ts.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { printable } from '../domain/index.ts';
import type { WatchedLoop } from './stuck-loop.ts';
import { PausedMain } from './stuck-line.ts';
import { TURNS } from './stuck-loop.ts';

const CHECK_MS = 1000;
/** Checks without a turn of the loop, not time: after the machine slept, the loop has not stalled. */
const STILL_CHECKS = 5;

const { turns, signals } = workerData as WatchedLoop;
let known = -1;
let checks = 0;
// the interval continues after the report, because nothing else keeps this thread alive
setInterval(() => {
  const now = Atomics.load(turns, TURNS);
  checks = now === known ? checks + 1 : 0;
  known = now;
  if (checks === STILL_CHECKS) void reportLine();
}, CHECK_MS);

async function reportLine(): Promise<void> {
  const main = await PausedMain.pause();
  await main.evaluate(signals.map((signal) => `process.removeAllListeners('${signal}');`).join(' '));
  const { line: place } = main;
  const seconds = (STILL_CHECKS * CHECK_MS) / 1000;
  // not a line of a strategy, for example while a slow machine compiles: tried again later
  if (place === undefined) checks = 0;
  else {
    const where = printable(`${place.file}:${place.line}${place.name === '' ? '' : ` (${place.name})`}`);
    writeSync(
      2,
      `\noddsmaker: ${where} has been running for ${seconds} s: a loop without an end? Press Ctrl-C to end it, again if you did\n`,
    );
  }
  await main.resume();
}
