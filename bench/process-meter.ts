// Imported into a measured process. At exit it writes what the process used to a file: the CPU time of all
// its threads in ms, its peak memory in MB, and the files that its main thread loaded.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

export type Used = { readonly cpuMs: number; readonly peakMb: number; readonly files: number };

const { PROCESS_METER: meterFile = '', COUNT_FILES } = process.env;
let files = 0;
// the hook itself takes time: only for runs that count
if (COUNT_FILES !== undefined)
  registerHooks({
    load: (url, context, next) => {
      if (url.startsWith('file:')) files += 1;
      return next(url, context);
    },
  });
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const used: Used = { cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024, files };
  writeFileSync(meterFile, JSON.stringify(used));
});
