// Gives a test run its own caches, so that it uses and leaves nothing in the user's, and nothing of another
// state of the code.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-cache-'));
  process.env['XDG_CACHE_HOME'] = folder;
  // processes and threads of test files share compiled code
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'oddsmaker', 'code');
  return () => rmSync(folder, { recursive: true, force: true });
}
