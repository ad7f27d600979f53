// `oddsmaker alert`: tests that alerts arrive before they are needed.
import type { Command } from 'commander';
import { loadAlertTargets, loadRunPlace } from '../config/index.ts';
import { EXIT } from '../domain/index.ts';
import type { AlertMessage } from '../ops/index.ts';
import { alertEnvironment, deliverOnce, shownTarget } from '../ops/index.ts';
import { alertTargetsOf, accountOf } from '../setup/index.ts';
import { withEnvFile } from './env-file.ts';

const HELP = `
Sends an alert TEST and its end to every target under \`alerts:\` of CONFIG, and shows which targets accepted it and which
environment variables a command got: \`alerts[].env\` names further ones. A running bot and guard are not affected.

Exit:  0 all targets accepted it; 2 a wrong command line; 75 one did not; 78 there is none, or the file is wrong.

Examples:
  oddsmaker alert test config/live.yaml
`;

export function registerAlert(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Sends a test alert to every target of a configuration.')
    .argument('<what>', 'test')
    .argument('<config>', 'YAML file')
    .addHelpText('after', HELP)
    .action(async (action: string, file: string, _flags: object, self: Command) => {
      if (action !== 'test') self.error(`error: there is no "${action}" of alerts: say test`, { exitCode: EXIT.usage });
      finish(await test(file));
    });
}

async function test(file: string): Promise<number> {
  const targets = alertTargetsOf(loadAlertTargets(file, process.env), file);
  if (targets.length === 0) {
    process.stderr.write(`oddsmaker: ${file} has no target under alerts: nothing was sent\n`);
    return EXIT.badConfig;
  }
  const account = accountOf(loadRunPlace(file, process.env)).username;
  const problems = await Promise.all(
    targets.map(async (target) => {
      for (const state of ['firing', 'resolved'] as const) {
        const problem = await deliverOnce(target, messageOf(state, account));
        if (problem !== undefined) return problem;
      }
      return undefined;
    }),
  );
  const lines = targets.map(
    (target, index) =>
      `${shownTarget(target)}: ${problems[index] ?? 'it accepted both'}\n${'command' in target ? givenText(target.env) : ''}`,
  );
  process.stdout.write(lines.join(''));
  return problems.every((problem) => problem === undefined) ? EXIT.done : EXIT.gaveUp;
}

/** The names of the environment variables of a command, without values, which may be secrets. */
function givenText(env: readonly string[] = []): string {
  const { given, missing } = alertEnvironment(env, process.env);
  const lacking = missing.length === 0 ? '' : `; not set: ${missing.join(', ')}`;
  return `  its environment: ${Object.keys(given).sort().join(', ') || 'empty'}${lacking}\n`;
}

const messageOf = (state: AlertMessage['state'], account: string): AlertMessage => ({
  alert: 'TEST',
  level: 'warn',
  state,
  account,
  at: new Date().toISOString(),
  text: 'alerts of oddsmaker arrive here',
  fields: {},
});
