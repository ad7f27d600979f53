// Imported into a measured process: at exit it writes the CPU time of all its threads to a file, ms.
import { writeFileSync } from 'node:fs';

const meterFile = process.env['CPU_METER'];
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  if (meterFile !== undefined) writeFileSync(meterFile, String((user + system) / 1000));
});
