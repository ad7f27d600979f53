// The floor of bench/command.ts: JSON.parse of a tape's payloads, once, in its own process. It reports only
// the CPU time of that.
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const [, , tape = ''] = process.argv;
const payloads = gunzipSync(readFileSync(tape))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => (JSON.parse(line) as { readonly data?: unknown }).data)
  .filter((data) => typeof data === 'string');
const before = process.cpuUsage();
let kept: unknown;
for (const data of payloads) kept = JSON.parse(data);
const { user, system } = process.cpuUsage(before);
if (kept === undefined) throw new Error('nothing was parsed');
const meterFile = process.env['CPU_METER'];
// runs after the exit handler of the CPU meter, whose file it overwrites
process.on('exit', () => {
  if (meterFile !== undefined) writeFileSync(meterFile, String((user + system) / 1000));
});
