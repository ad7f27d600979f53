// The package of this program: its folder, and a tarball of it.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OddsmakerError } from '../domain/index.ts';

/** Folder of the package: a checkout or an installed package. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Writes a tarball of the package into an empty folder. A checkout is built first.
 * @returns the path of the tarball
 * @throws OddsmakerError WORKSPACE_FAILED
 */
export function packInto(folder: string): string {
  const isCheckout = existsSync(join(ROOT, 'src'));
  const args = ['pack', ROOT, '--pack-destination', folder, ...(isCheckout ? [] : ['--ignore-scripts'])];
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
