// A copy of this checkout for the commands of a documentation page, with ports of its own.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedPort, ROOT } from './children.ts';

/** Ports that pages and their configurations name. */
const PORTS = ['4000', '9464', '6379'];
/** What a build of the code (built.ts) has instead of this checkout, or does not have. */
const OF_BUILD = ['bin', 'dist', 'src'];
const COPIED = ['config', 'examples', 'strategies'];

/** A folder in `root` like a checkout: links to this one, with copies of the files that people change. */
export function checkoutIn(root: string, ports: (text: string) => string): string {
  const folder = mkdtempSync(join(root, 'checkout-'));
  const built = process.env['ODDSMAKER_BUILT'] ?? ROOT;
  for (const name of readdirSync(ROOT)) {
    const from = join(OF_BUILD.includes(name) ? built : ROOT, name);
    if (COPIED.includes(name)) cpSync(from, join(folder, name), { recursive: true });
    else if (!name.startsWith('.') && name !== 'data' && existsSync(from)) symlinkSync(from, join(folder, name));
  }
  for (const file of ['examples/practice.yaml', ...readdirSync(join(folder, 'config')).map((name) => `config/${name}`)])
    writeFileSync(join(folder, file), withPort(readFileSync(join(folder, file), 'utf8'), ports));
  return folder;
}

/** The file with its ports replaced. A bot that names no port takes the usual one, which another test may use. */
export function withPort(text: string, ports: (text: string) => string): string {
  const isBot = /^exchange:/m.test(text) && !/^ops:/m.test(text);
  return ports(isBot ? `${text}\nops: { port: 9464 }\n` : text);
}

/** Replaces the ports of a page by free ones. */
export async function freePorts(): Promise<(text: string) => string> {
  const free = new Map<string, string>();
  for (const port of PORTS) free.set(port, String(await closedPort()));
  return (text) => [...free].reduce((changed, [port, own]) => changed.replaceAll(port, own), text);
}
