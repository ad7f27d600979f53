// A copy of this checkout for the commands of a documentation page, with ports of its own.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { closedPort, CODE, ROOT } from './children.ts';
import { filesOf, Shell, shellEnv } from './typed.ts';

/** Ports that pages and their configurations name. */
const PORTS = ['4000', '9464', '6379'];
/** What a build of the code (built.ts) has instead of this checkout. */
const OF_BUILD = ['bin', 'dist'];
const COPIED = ['config', 'examples', 'strategies'];

/**
 * A shell in a copy of this checkout, with the files that a page shows.
 * @param npx that of npm, or one that finds the same programs and takes a second of CPU less
 */
export function checkoutShell(
  root: string,
  page: string,
  ports: (text: string) => string,
  npx: 'npm' | 'quick' = 'quick',
): Shell {
  const folder = checkoutIn(root, ports);
  const env = shellEnv(join(root, 'cache'));
  const shell = new Shell(folder, {
    ...env,
    ...(npx === 'npm' ? {} : { PATH: `${quickNpx(folder)}${delimiter}${env['PATH'] ?? ''}` }),
    npm_config_cache: join(root, 'npm'),
    npm_config_offline: 'true',
  });
  for (const { name, text } of filesOf(page)) shell.write({ name, text: withPort(text, ports) });
  return shell;
}

/** The folder of an `npx` that starts the command of a checkout, or a program of its libraries. */
function quickNpx(checkout: string): string {
  const folder = join(checkout, '.npx');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'npx'),
    `#!/bin/sh
name=$1
shift
if [ "$name" = oddsmaker ]; then exec '${checkout}/bin/oddsmaker.js' "$@"; fi
exec '${checkout}/node_modules/.bin/'"$name" "$@"
`,
    { mode: 0o755 },
  );
  return folder;
}

/** A folder in `root` like a checkout: links to this one, with copies of the files that people change. */
function checkoutIn(root: string, ports: (text: string) => string): string {
  const folder = mkdtempSync(join(root, 'checkout-'));
  for (const name of readdirSync(ROOT)) {
    const from = join(OF_BUILD.includes(name) ? CODE : ROOT, name);
    if (COPIED.includes(name)) cpSync(from, join(folder, name), { recursive: true });
    else if (!name.startsWith('.') && name !== 'data' && existsSync(from)) symlinkSync(from, join(folder, name));
  }
  for (const file of ['examples/practice.yaml', ...readdirSync(join(folder, 'config')).map((name) => `config/${name}`)])
    writeFileSync(join(folder, file), withPort(readFileSync(join(folder, file), 'utf8'), ports));
  return folder;
}

/** The file with its ports replaced. A bot that names no port takes the usual one, which another test may use. */
function withPort(text: string, ports: (text: string) => string): string {
  const isBot = /^exchange:/m.test(text) && !/^ops:/m.test(text);
  return ports(isBot ? `${text}\nops: { port: 9464 }\n` : text);
}

/** Replaces the ports of a page by free ones. */
export async function freePorts(): Promise<(text: string) => string> {
  const free = new Map<string, string>();
  for (const port of PORTS) free.set(port, String(await closedPort()));
  return (text) => [...free].reduce((changed, [port, own]) => changed.replaceAll(port, own), text);
}
