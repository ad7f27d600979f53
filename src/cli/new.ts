// `oddsmaker new strategy NAME`: writes a strategy and its test into a workspace.
import type { Command } from 'commander';
import { Option } from 'commander';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, OddsmakerError } from '../domain/index.ts';
import { ROOT } from '../files/index.ts';

const HELP = `
Writes strategies/NAME.ts, which quotes both sides at an edge, and strategies/NAME.test.ts, and prints the lines for the
YAML file. NAME is of small letters, digits and dashes. Nothing that is there is written over.

--from copies a strategy of the shelf instead (docs/strategy-shelf.md).

Exit:  0 done; 2 a wrong command line, or a file of that name is there.

Examples:
  oddsmaker new strategy fade-the-public
  oddsmaker new strategy my-fade --from fade-jump
`;

/** The strategies that ship, each with the parameters that it needs. */
const SHELF: Readonly<Record<string, string>> = {
  'close-before-start': '{ most: 50 }',
  'fade-jump': '{ risk: 50 }',
  'fair-game': '{ risk: 50 }',
  'follow-outside': '{ risk: 50 }',
  'join-best': '{ risk: 50 }',
  'own-price': '{ edge: 0.02, risk: 50 }',
  'two-sided': '{ edge: 0.02, risk: 50 }',
};

const FOLDER = 'strategies';
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export function registerNew(command: Command, finish: (code: number) => void): void {
  command
    .description('Another strategy, with its test.')
    .argument('<what>', '`strategy`')
    .argument('<name>', 'such as fade-the-public')
    .addOption(new Option('--from <name>', 'the strategy to copy').choices(Object.keys(SHELF)))
    .addHelpText('after', HELP)
    .action((kind: string, name: string, { from }: { readonly from?: string }, self: Command) => {
      const misused = (problem: string): never => self.error(`error: ${problem}`, { exitCode: EXIT.usage });
      if (kind !== 'strategy') misused(`\`new ${kind}\` is not known: \`oddsmaker new strategy NAME\``);
      if (!NAME.test(name))
        misused(`${JSON.stringify(name)} is no name: small letters, digits and dashes, such as fade-the-public`);
      process.stdout.write(newStrategy(name, from));
      finish(EXIT.done);
    });
}

/**
 * Writes the files. @returns the text that says what to do with them @throws OddsmakerError
 * WORKSPACE_NOT_EMPTY
 */
function newStrategy(name: string, from: string | undefined): string {
  const written = ['.ts', '.test.ts'].map((ending) => ({
    file: join(FOLDER, `${name}${ending}`),
    text: from === undefined ? templateOf(ending, name) : ending === '.ts' ? copyOf(from, name) : testOf(from, name),
  }));
  const existing = written.find(({ file }) => existsSync(file));
  if (existing !== undefined) throw new OddsmakerError('WORKSPACE_NOT_EMPTY', `${existing.file} is there already`);
  mkdirSync(FOLDER, { recursive: true });
  for (const { file, text } of written) writeFileSync(file, text, { flag: 'wx' });
  const files = written.map(({ file }) => `  ${file}\n`).join('');
  return `${files}\nIn the YAML file, below strategies:\n\n  - { use: ../${FOLDER}/${name}.ts, id: ${name}, params: ${from === undefined ? '{ edge: 0.012, risk: 100 }' : SHELF[from]} }\n`;
}

/** A strategy that ships, under another name. */
const copyOf = (from: string, name: string): string =>
  readFileSync(join(ROOT, 'strategies', `${from}.ts`), 'utf8').replace(`name: '${from}'`, `name: '${name}'`);

/** A test that holds for each of them, to go on from. */
const testOf = (from: string, name: string): string =>
  readFileSync(join(ROOT, 'templates', 'from.test.ts'), 'utf8')
    .replace("'../strategies/two-sided.ts'", `'./${name}.ts'`)
    .replace(SHELF['two-sided'] ?? '', SHELF[from] ?? '');

function templateOf(ending: string, name: string): string {
  const text = readFileSync(join(ROOT, 'templates', 'workspace', FOLDER, `first${ending}`), 'utf8');
  return text
    .replaceAll("'./first.ts'", `'./${name}.ts'`)
    .replaceAll("name: 'first'", `name: '${name}'`)
    .replaceAll('import first from', 'import strategy from')
    .replaceAll('StrategyTest(first,', 'StrategyTest(strategy,');
}
