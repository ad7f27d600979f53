// `oddsmaker events`: prints the events of a run from its journal, also while the run continues.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { EventType, RunEvent, StampedArrival } from '../domain/index.ts';
import { EVENT_TYPES, EXIT, OddsmakerError, redacted } from '../domain/index.ts';
import type { JournalHeader, JournalStep, Tear } from '../journal/index.ts';
import { headerOf, scanJournal, tearText, timeOf, tolerant } from '../journal/index.ts';
import { readEvents } from '../run/index.ts';
import { withEnvFile } from './env-file.ts';
import { eventText } from './event-text.ts';
import { journalNamed } from './journal-argument.ts';

/**
 * Time between two reads of a growing journal: at least this long, and at least LOOK_SHARE times the duration
 * of the read before.
 */
const READ_EVERY_MS = 1000;
const READ_FACTOR = 5;

const HELP = `
Prints the events of a run, oldest first: orders from their sending to their end, fills, settlements, answers to
requests, feeds, and the actions of the bot with their reasons. --type shows only events of this type; repeat it for
several. --follow continues until the run ends or Ctrl-C. With --json each line is one object: {"seq": 12, "t": ms,
"type": "Fill", …}, money in micro-dollars, own risk in cents, as the journal has it (docs/reference/events.md).

A journal of format 1 (before 0.3) has no events: it is replayed to know them, so it needs its strategies; --follow is
refused.

Types: ${EVENT_TYPES.join(', ')}

Exit:  0 everything was printed; 2 a wrong command line; 65 no journal, or one that was changed; 78 a bad configuration.

Examples:
  oddsmaker events data/journal
  oddsmaker events data/journal --type Fill --type Settled
  oddsmaker events config/paper.yaml --follow
  oddsmaker events data/journal --follow --json | jq 'select(.type == "Fill")'
`;

type Flags = { readonly follow?: true; readonly type: readonly string[]; readonly json?: true };
type Print = (input: Pick<StampedArrival, 'seq' | 't'>, events: readonly RunEvent[]) => void;

export function registerEvents(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Prints what happened in a run, one line an event.')
    .argument(
      '<journal|config>',
      'NDJSON file of a run, packed or not; any part of a long one; a folder: its newest; a configuration: the newest of its account',
    )
    .option('--follow', 'continue while the run does')
    .option(
      '--type <type>',
      'only these; repeat for several',
      (type: string, before: readonly string[]) => [...before, type],
      [],
    )
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', HELP)
    .action(async (path: string, flags: Flags, self: Command) => {
      const unknown = flags.type.find((type) => !EVENT_TYPES.includes(type as EventType));
      if (unknown !== undefined)
        self.error(`error: there is no event ${unknown}: it is one of ${EVENT_TYPES.join(', ')}`, {
          exitCode: EXIT.usage,
        });
      finish(await printEvents(await journalNamed(path), flags));
    });
}

async function printEvents(file: string, flags: Flags): Promise<number> {
  const wanted: ReadonlySet<string> = new Set(flags.type.length === 0 ? EVENT_TYPES : flags.type);
  const print: Print = ({ seq, t }, events) => {
    for (const event of events) {
      if (!wanted.has(event.type)) continue;
      const line =
        flags.json === true
          ? JSON.stringify({ seq, t, ...event })
          : `${timeOf({ t })}  #${String(seq).padEnd(7)} ${eventText(event)}`;
      process.stdout.write(`${redacted(line)}\n`);
    }
  };
  const header = await headerOf(file);
  const { journal: format } = header as { readonly journal?: unknown };
  if (format !== 1) return follow(file, print, flags.follow === true);
  if (flags.follow === true)
    throw new OddsmakerError('JOURNAL_INVALID', `${file}: a journal of format 1 has no events to follow`);
  return replayed(file, header, print);
}

/** Prints the events that the journal holds. @param continues continue until the journal has its end */
async function follow(file: string, print: Print, continues: boolean): Promise<number> {
  let seen = 0;
  for (;;) {
    const startedAt = performance.now();
    let tear: Tear | undefined;
    await scanJournal(file, {
      step: tolerant(file, ({ input, events = [] }: JournalStep) => {
        if (input.seq <= seen) return;
        seen = input.seq;
        print(input, events);
      }),
      torn: (foundTear) => (tear = foundTear),
      begins: () => undefined,
    });
    if (tear === undefined) return EXIT.done;
    if (!continues) {
      process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
      return EXIT.done;
    }
    await sleep(Math.max(READ_EVERY_MS, READ_FACTOR * (performance.now() - startedAt)));
  }
}

/** Prints the events of a journal that has none, by a replay of its inputs with this version. */
async function replayed(file: string, header: JournalHeader, print: Print): Promise<number> {
  const { difference, invalid, tear } = await readEvents(file, header, 'replaying', print);
  if (invalid !== undefined) throw new OddsmakerError('JOURNAL_INVALID', invalid);
  if (difference !== undefined) process.stderr.write(`oddsmaker: ${difference}: events are shown up to there\n`);
  if (tear !== undefined) process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
  return EXIT.done;
}
