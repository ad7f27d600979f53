// `oddsmaker init`: makes a workspace with a strategy, its test, a paper configuration and a live
// configuration to fill in. The workspace depends on a copy of the package inside it, not on a registry name
// that a stranger could publish.
import type { Command } from 'commander';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { EXIT, messageOf, OddsmakerError } from '../domain/index.ts';
import { packInto } from '../setup/index.ts';
import { ROOT, MANIFEST } from '../files/index.ts';

const HELP = `
Makes DIR, or fills it where it is there and empty: package.json, tsconfig.json, .env.example, .gitignore, a configuration
for the paper exchange and one for the real one, strategies/first.ts with its test, README.md. Nothing is downloaded until
you say \`npm install\` there. The package itself is copied into DIR/vendor, and the folder depends on that copy.

Exit:  0 done; 2 a wrong command line, or DIR is not empty; 75 npm or the disk refused.

Examples:
  oddsmaker init workspace && cd workspace && npm install && npm start
  oddsmaker init .
`;

const TEMPLATE = join(ROOT, 'templates', 'workspace');
const VENDOR = 'vendor';
/** Template files and their names in the workspace: npm leaves out, or interprets, files with these names. */
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

/**
 * Makes the workspace. @returns the text with the next steps @throws OddsmakerError WORKSPACE_NOT_EMPTY,
 * WORKSPACE_FAILED
 */
function init(dir: string): string {
  const workspace = resolve(dir);
  const found = entriesOf(workspace);
  if (found.length > 0)
    throw new OddsmakerError(
      'WORKSPACE_NOT_EMPTY',
      `${dir} is not empty: it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ' and more' : ''}`,
    );
  const wasThere = existsSync(workspace);
  try {
    mkdirSync(join(workspace, VENDOR), { recursive: true });
    const tarball = packInto(join(workspace, VENDOR));
    cpSync(TEMPLATE, workspace, { recursive: true });
    for (const [from, to] of Object.entries(RENAMED)) renameSync(join(workspace, from), join(workspace, to));
    writeFileSync(join(workspace, 'package.json'), manifestOf(workspace, `file:${VENDOR}/${basename(tarball)}`));
  } catch (error) {
    // removes only the files of this command: others may have been added meanwhile
    const made = readdirSync(TEMPLATE).flatMap((name) => [name, RENAMED[name] ?? name]);
    for (const entry of wasThere ? [VENDOR, 'package.json', ...made] : ['.'])
      rmSync(join(workspace, entry), { recursive: true, force: true });
    if (error instanceof OddsmakerError) throw error;
    throw new OddsmakerError('WORKSPACE_FAILED', `${dir}: ${messageOf(error)}`, { cause: error });
  }
  const where = relative('', workspace);
  const quoted = /^[\w./-]+$/.test(where) ? where : `'${where.replaceAll("'", String.raw`'\''`)}'`;
  return `${where === '' ? 'This folder' : where} is ready. Next:\n\n${where === '' ? '' : `  cd ${quoted}\n`}  npm install\n  npm start        trade on a paper exchange; Ctrl-C stops it in order\n  npm test         the tests of the strategies\n`;
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new OddsmakerError('WORKSPACE_NOT_EMPTY', `${folder} is no folder that can be read: ${messageOf(error)}`);
  }
}

function manifestOf(workspace: string, packageSpec: string): string {
  const { dependencies, devDependencies } = MANIFEST;
  const version = (name: string): string => dependencies[name] ?? devDependencies[name] ?? '*';
  const named = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, version(name)]));
  const name = basename(workspace)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${JSON.stringify(
    {
      // a package with this name would depend on itself
      name: name === '' || name === MANIFEST.name ? 'workspace' : name,
      private: true,
      type: 'module',
      scripts: {
        start: 'oddsmaker run config/paper.yaml',
        dev: 'oddsmaker dev config/paper.yaml',
        test: 'node --test "strategies/*.test.ts"',
        types: 'tsc',
      },
      dependencies: { [MANIFEST.name]: packageSpec, ...named('rxjs', 'zod') },
      devDependencies: named('@types/node', 'typescript'),
    },
    null,
    2,
  )}\n`;
}
