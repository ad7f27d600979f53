// Imported into a process that is measured: tells in a file what CPU its threads took, ms.
import { writeFileSync } from 'node:fs';

const meterFile = process.env['CPU_METER'];
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  if (meterFile !== undefined) writeFileSync(meterFile, String((user + system) / 1000));
});
