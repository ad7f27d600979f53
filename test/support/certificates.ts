// Test certificates made by openssl: an own authority, and servers that it certifies.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const HAS_OPENSSL = (() => {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL');
  } catch {
    console.warn('openssl is not installed: tests that need certificates are skipped');
    return false;
  }
})();

export type Certificate = { readonly cert: string; readonly key: string };

const openssl = (...args: readonly string[]): void => {
  execFileSync('openssl', args, { stdio: 'ignore' });
};

/**
 * Writes the authority's certificate and one for each server into `folder`. `servers` has their names, such
 * as `IP:127.0.0.1`.
 */
export function makeCertificates<Name extends string>(
  folder: string,
  servers: Readonly<Record<Name, string>>,
): { readonly ca: string; readonly of: Readonly<Record<Name, Certificate>> } {
  const pathOf = (name: string): string => join(folder, name);
  const [ca, caKey] = [pathOf('ca.pem'), pathOf('ca.key')];
  const make = ['-newkey', 'rsa:2048', '-nodes', '-keyout'];
  openssl('req', '-x509', ...make, caKey, '-days', '2', '-subj', '/CN=authority of a test', '-out', ca);
  const certificates = {} as Record<Name, Certificate>;
  for (const [name, names] of Object.entries(servers) as [Name, string][]) {
    const [cert, key, request, extensions] = ['.pem', '.key', '.csr', '.ext'].map((end) => pathOf(name + end)) as [
      string,
      string,
      string,
      string,
    ];
    writeFileSync(extensions, `subjectAltName=${names}`);
    openssl('req', ...make, key, '-subj', `/CN=${name}`, '-out', request);
    const signing = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '2', '-extfile', extensions];
    openssl('x509', '-req', '-in', request, ...signing, '-out', cert);
    certificates[name] = { cert, key };
  }
  return { ca, of: certificates };
}
