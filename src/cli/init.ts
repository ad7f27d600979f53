// `oddsmaker init`: a folder to work in, with a strategy, its test, a paper exchange and a live configuration to fill in. It
// depends on a copy of the package it was made from, which lies in it: no name that a stranger could publish.
import type { Command } from 'commander';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { EXIT, messageOf, OddsmakerError } from '../domain/index.ts';
import { packInto, ROOT, MANIFEST } from '../setup/index.ts';

const HELP = `
Makes DIR, or fills it where it is there and empty: package.json, tsconfig.json, .env.example, .gitignore, a configuration
for the paper exchange and one for the real one, strategies/first.ts with its test, README.md. Nothing is downloaded until
you say \`npm install\` there. The package itself is copied into DIR/vendor, and the folder depends on that copy.

Exit:  0 done; 2 a wrong command line, or DIR is not empty; 75 npm or the disk refused.

Examples:
  oddsmaker init desk && cd desk && npm install && npm start
  oddsmaker init .
`;

const TEMPLATE = join(ROOT, 'templates', 'desk');
const VENDOR = 'vendor';
/** npm leaves such files out of every package, or reads them as its own. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'env.example': '.env.example' };

export function registerInit(command: Command, finish: (code: number) => void): void {
  command
    .description('Makes a folder to work in: configuration, a strategy with its test, and all they need.')
    .argument('[dir]', 'the folder', '.')
    .addHelpText('after', HELP)
    .action((dir: string) => {
      process.stdout.write(init(dir));
      finish(EXIT.done);
    });
}

/** @returns what to do next @throws OddsmakerError DESK_NOT_EMPTY, DESK_FAILED */
function init(dir: string): string {
  const desk = resolve(dir);
  const found = entriesOf(desk);
  if (found.length > 0)
    throw new OddsmakerError(
      'DESK_NOT_EMPTY',
      `${dir} is not empty: it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ' and more' : ''}`,
    );
  const wasThere = existsSync(desk);
  try {
    mkdirSync(join(desk, VENDOR), { recursive: true });
    const tarball = packInto(join(desk, VENDOR));
    cpSync(TEMPLATE, desk, { recursive: true });
    for (const [from, to] of Object.entries(RENAMED)) renameSync(join(desk, from), join(desk, to));
    writeFileSync(join(desk, 'package.json'), manifestOf(desk, `file:${VENDOR}/${basename(tarball)}`));
  } catch (error) {
    // nothing half-written is left, and what came from elsewhere meanwhile is
    const made = readdirSync(TEMPLATE).flatMap((name) => [name, RENAMED[name] ?? name]);
    for (const entry of wasThere ? [VENDOR, 'package.json', ...made] : ['.'])
      rmSync(join(desk, entry), { recursive: true, force: true });
    if (error instanceof OddsmakerError) throw error;
    throw new OddsmakerError('DESK_FAILED', `${dir}: ${messageOf(error)}`, { cause: error });
  }
  const where = relative('', desk);
  const quoted = /^[\w./-]+$/.test(where) ? where : `'${where.replaceAll("'", String.raw`'\''`)}'`;
  return `${where === '' ? 'This folder' : where} is ready. Next:\n\n${where === '' ? '' : `  cd ${quoted}\n`}  npm install\n  npm start        trade on a paper exchange; Ctrl-C stops it in order\n  npm test         the tests of the strategies\n`;
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new OddsmakerError('DESK_NOT_EMPTY', `${folder} is no folder that can be read: ${messageOf(error)}`);
  }
}

function manifestOf(desk: string, ours: string): string {
  const { dependencies, devDependencies } = MANIFEST;
  const version = (name: string): string => dependencies[name] ?? devDependencies[name] ?? '*';
  const named = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, version(name)]));
  const name = basename(desk)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${JSON.stringify(
    {
      // its own name in its own folder would be a package that depends on itself
      name: name === '' || name === MANIFEST.name ? 'desk' : name,
      private: true,
      type: 'module',
      scripts: {
        start: 'oddsmaker run config/paper.yaml',
        dev: 'oddsmaker dev config/paper.yaml',
        test: 'node --test "strategies/*.test.ts"',
        types: 'tsc',
      },
      dependencies: { [MANIFEST.name]: ours, ...named('rxjs', 'zod') },
      devDependencies: named('@types/node', 'typescript'),
    },
    null,
    2,
  )}\n`;
}
