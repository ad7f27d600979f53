// `oddsmaker replay --verify`: runs the core again on the inputs of a journal and compares every command.
// Only when a command differs, the journal is read again for the steps that led to it.
import type { Command } from 'commander';
import type { Difference, Replayed } from '../replay/index.ts';
import type { ExitCode } from '../domain/index.ts';
import { EXIT, redacted } from '../domain/index.ts';
import type { JournalStep } from '../journal/index.ts';
import { scanJournal, headerOf, journalAt, tearText, tolerant } from '../journal/index.ts';
import { OrderNames, StepChain } from '../run/index.ts';
import { withEnvFile } from './env-file.ts';
import { loadReplay, replayJournal } from '../replay/index.ts';
import { indexOfDifference, jsonOfReplay, replayText } from './replay-text.ts';
import type { ReplayReport } from './replay-text.ts';

const HELP = `
The journal holds every input, so the same core, strategies and configuration must give the same commands, byte for byte.
The first difference is shown: the input, the two lists of commands, the keys that differ, and what led there (the inputs
that the commands name as their cause, and the last steps about the same markets, orders and requests).

The configuration is the journal's own (secrets are hidden in it; the core needs none). Its strategy files are looked
for where the configuration file of the run was, in the current folder, in the folder of the journal and in those above
it. Where one of them, or a file that it imports, is gone or was changed, all are taken from the sources in the journal:
replay only journals that you trust, since they have code in them. With --config the run is replayed with that file
instead, strategies relative to it, and every key that differs from the journal is named. Variables of the environment
that it names must be set, except secrets that the core does not need. The core needs a secret that is a parameter of a
strategy: the journal hides it, so it must come from --config, and it cannot be compared with the run's.

Everything that differs from the run is named first: the version (behind its + what the core's code was), a
configuration key, a strategy file, or one that it imports (by its sha256). The comparison still runs.

--json prints one object: {schema: 1, ok, journal: {file, records, torn, invalid, run, from, to}, version, config,
strategies, hidden, changed, compared: {records, commands}, difference}. difference is null, or {seq, at, mono, input,
command, recorded, replayed, threw, keys, chain}; long texts and lists of the input and of the chain are cut.

Exit:  0 every command is the same; 2 a wrong command line; 65 the journal is torn (it is compared up to there) or was
       changed, its header cannot be read, or commands differ after something was changed that the core depends on, or
       with parameters that the journal hides;
       70 commands differ although nothing was changed: a bug, or a strategy that reads a clock, chance or state of its
       own; 78 a bad configuration, or a strategy file that is missing or does not load.

Examples:
  oddsmaker replay --verify data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson
  oddsmaker replay --verify data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson --config live.yaml
  oddsmaker replay --verify data/journal/2026-11-21T17-04-10-854Z-1489bcb0.ndjson --json | jq .difference.keys
`;

type Flags = { readonly config?: string; readonly json?: true };

export function registerReplay(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Runs the core again on the inputs of a journal and compares every command with the recorded one.')
    .argument('<journal>', 'NDJSON file of a run, packed or not; any part of a long one; or a folder: its newest')
    .requiredOption('--verify', 'compare every command (there is nothing else to replay a journal for)')
    .option('--config <file>', 'YAML file to run with, instead of the configuration in the journal')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags) => {
      finish(await replay(journalAt(file), flags));
    });
}

async function replay(file: string, flags: Flags): Promise<ExitCode> {
  const header = await headerOf(file);
  const replayed = await loadReplay(file, header, flags.config);
  try {
    return await replayWith(file, replayed, flags.json === true);
  } finally {
    replayed.close();
  }
}

async function replayWith(file: string, replayed: Replayed, json: boolean): Promise<ExitCode> {
  const outcome = await replayJournal(file, replayed, 'comparing');
  const { difference, tear, invalid } = outcome;
  const report: ReplayReport = {
    ...outcome,
    file,
    replayed,
    difference: difference === undefined ? undefined : { ...difference, chain: await chainOf(file, difference) },
  };
  if (tear !== undefined) process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
  if (invalid !== undefined) process.stderr.write(`oddsmaker: ${invalid}\n`);
  // parameters may contain values of the environment
  const text = json ? `${JSON.stringify(jsonOfReplay(report))}\n` : replayText(report);
  process.stdout.write(redacted(text));
  return exitOf(report);
}

function exitOf({ difference, replayed, tear, invalid }: ReplayReport): ExitCode {
  if (invalid !== undefined) return EXIT.badData;
  if (difference !== undefined && !replayed.changed && replayed.hidden.length === 0) return EXIT.bug;
  return difference === undefined && tear === undefined ? EXIT.done : EXIT.badData;
}

async function chainOf(file: string, difference: Difference): Promise<readonly JournalStep[]> {
  const { seq, input, recorded, replayed } = difference;
  const names = new OrderNames();
  const read = (apply: (step: JournalStep) => void): Promise<void> =>
    scanJournal(file, { step: tolerant(file, apply), torn: () => undefined, upTo: seq - 1 });
  await read((step) => names.applyStep(step.input, step.events ?? [], step.commands));
  const index = indexOfDifference(difference);
  const differing = [recorded[index], replayed[index]].filter((command) => command !== undefined);
  const chain = new StepChain({ input, commands: recorded }, differing, names);
  await read((step) => {
    chain.applyStep(step);
  });
  return chain.steps;
}
