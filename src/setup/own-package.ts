// A tarball of the package of this program.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OddsmakerError } from '../domain/index.ts';
import { isSource, ROOT } from '../files/index.ts';

/**
 * Writes a tarball of the package into an empty folder. A checkout is built first.
 * @returns the path of the tarball
 * @throws OddsmakerError WORKSPACE_FAILED
 */
export function packInto(folder: string): string {
  const args = ['pack', ROOT, '--pack-destination', folder, ...(isSource ? [] : ['--ignore-scripts'])];
  try {
    execFileSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
      stdio: 'pipe',
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: unknown };
    const reason = code === 'ENOENT' ? 'npm is not installed' : typeof stderr === 'string' ? stderr.trim() : '';
    throw new OddsmakerError('WORKSPACE_FAILED', `the package could not be packed: ${reason}`, { cause: error });
  }
  const [tarball] = readdirSync(folder);
  if (tarball === undefined) throw new OddsmakerError('WORKSPACE_FAILED', 'npm packed nothing');
  return join(folder, tarball);
}
