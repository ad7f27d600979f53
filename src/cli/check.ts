// `oddsmaker check`: validates a configuration and prints the effective settings, with secrets hidden, and
// the assumptions about the wire.
import type { Command } from 'commander';
import { withEnvFile } from './env-file.ts';

const HELP = `
Reads the file, loads the strategies, checks their parameters and, where typescript is installed, their types; it sends
nothing. Settings that are allowed but probably not intended are warnings. For each strategy it shows the quotes on
books of the sample tape, with no position and with the largest position that a game allows; a strategy of whole games
sees all lines of a game at once, and --all shows what a position in each of its markets does to them. For each league
it shows what decides a bet and what may hedge what (sports), and warns of an unknown league. Columns of sports and
settings of the wire profile that the file does not set are marked "assumed", with the confidence (A certain … D guess)
of the assumption, and "preset" where exchange.profile.preset says what they are.

With --diff it asks the bot of the file what \`ctl <config> reload\` would do: keys that change live, strategies that
restart (they are loaded, and tried on the current books), and what waits for the next start. Nothing changes.

With --probe it logs in to the exchange of the file and asks what its wire profile assumes: books, lists, look-ups of
missing ids, both feeds; at most four reads a second. It never places, edits or cancels, switches a mode or sends a
heartbeat. Each setting \`holds\`, DIFFERS, or is not shown by the answers.

Exit:  0 the configuration is good; 1 the types of a strategy are not, or a probe found another setting; 2 a wrong
       command line; 78 the configuration is not good (file, line, column, key and what was expected are named); 75 with
       --diff: no bot of the file answers; with --probe: the exchange does not; 77 with --probe: it refused the login.

Examples:
  oddsmaker check config/paper.yaml
  oddsmaker check config/paper.yaml | grep assumed
  oddsmaker check config/live.yaml --env-file .env --probe
`;

export function registerCheck(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Validates a configuration and prints the effective one (secrets hidden) and the wire profile.')
    .argument('<config>', 'YAML file')
    .option('--probe', 'check the assumptions of the wire profile at the exchange, with reads only')
    .option('--diff', 'show what a reload would change in the running bot of this file; change nothing')
    .option(
      '--all',
      'show every line of the price table, and what a position in each market of a game does to the quotes of a strategy of whole games',
    )
    .addHelpText('after', HELP)
    .action(async (file: string, flags: { readonly diff?: true; readonly probe?: true; readonly all?: true }) => {
      const { check, diff, probe } = await import('./check-config.ts');
      if (flags.diff === true) finish(await diff(file));
      else if (flags.probe === true) finish(await probe(file));
      else await check(file, finish, flags.all);
    });
}
