// The floor of bench/command.ts: a warm `JSON.parse` of a tape's payloads, in a process of its own. It prints
// the medians of the passes after the first, in ms of wall clock and of CPU.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { median } from './statistics.ts';

export type Parsed = { readonly wallMs: number; readonly cpuMs: number };

const PASSES = 6;

const [, , tape = ''] = process.argv;
const payloads = gunzipSync(readFileSync(tape))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => (JSON.parse(line) as { readonly data?: unknown }).data)
  .filter((data) => typeof data === 'string');
const passes: Parsed[] = [];
for (let pass = 0; pass < PASSES; pass++) {
  const before = process.cpuUsage();
  const began = performance.now();
  let kept: unknown;
  for (const data of payloads) kept = JSON.parse(data);
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  if (kept === undefined) throw new Error('nothing was parsed');
  if (pass > 0) passes.push({ wallMs, cpuMs: (user + system) / 1000 });
}
const parsed: Parsed = {
  wallMs: median(passes.map(({ wallMs }) => wallMs)),
  cpuMs: median(passes.map(({ cpuMs }) => cpuMs)),
};
process.stdout.write(JSON.stringify(parsed));
