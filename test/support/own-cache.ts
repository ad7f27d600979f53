// Caches of a run of the tests are its own: nothing of the user's is used or left there, and nothing of another state of the code.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-cache-'));
  process.env['XDG_CACHE_HOME'] = folder;
  // the processes of test files and their threads compile nothing twice either
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'oddsmaker', 'code');
  return () => rmSync(folder, { recursive: true, force: true });
}
