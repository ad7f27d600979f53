// `oddsmaker record`: writes the raw feeds to tapes. It only reads: it has no code that could place or
// cancel.
import type { Command } from 'commander';
import { loadConfig } from '../config/index.ts';
import { EXIT, OddsmakerError } from '../domain/index.ts';
import { createLog, STOPPED_BY } from '../ops/index.ts';
import { embeddedFor, targetOf, recorderFor, tape, tapesOf, Watcher } from '../live/index.ts';
import { withEnvFile } from './env-file.ts';
import { duration } from './flags.ts';

const REPORT_EVERY_MS = 10_000;

const HELP = `
Writes both feeds as received, with the books from REST at the start and after every reconnect, to packed segments
(.ndjson.zst, a new one every hour or 64 MB) with an index.json. Where: record.dir of the file, else ./data/tapes beside
it. Ids of accounts become stable pseudonyms, tokens and passwords are taken out. A kill loses at most the last second.
It logs in by itself and never places or cancels: it may run beside the bot of the same account. A run of the bot
records too while record.dir is set.

After a write error it tries again every 10 s; lost records are counted, and the tape marks the gap.

Exit:  0 after Ctrl-C, SIGTERM or --for; 2 a wrong command line; 75 the exchange does not answer, or the disk refused
       the end of the tape; 77 the login was refused; 78 a bad configuration.

Examples:
  oddsmaker record config/live.yaml
  oddsmaker record config/paper.yaml --for 60s       the embedded paper exchange, to see what a tape is
  oddsmaker run config/paper-nba.yaml --tape data/tapes/<segment>.ndjson.zst
`;

export function registerRecord(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Records both feeds of an account until it is stopped.')
    .argument('<config>', 'YAML file')
    .option('--for <duration>', 'stop after this long, such as 12h', duration)
    .addHelpText('after', HELP)
    .action(async (file: string, flags: { readonly for?: number }) => {
      finish(await record(file, flags.for));
    });
}

async function record(file: string, forMs: number | undefined): Promise<number> {
  const loaded = loadConfig(file, process.env);
  const log = createLog(loaded.config.log.level);
  const embedded = await embeddedFor(loaded, log);
  const target = targetOf(loaded, embedded);
  const watcher = new Watcher(loaded, target, { log });
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  for (const signal of STOPPED_BY) process.on(signal, stop);
  let isOver = false;
  const timer =
    forMs === undefined
      ? undefined
      : setTimeout(() => {
          isOver = true;
          stop();
        }, forMs);
  try {
    await watcher.logIn(ending.signal);
    if (watcher.token === undefined) {
      process.stdout.write('0 records, 0 lost: stopped before the login\n');
      if (isOver) throw new OddsmakerError('EXCHANGE_UNREACHABLE', 'the login did not succeed in that time');
      return EXIT.done;
    }
    const recorder = recorderFor(loaded, target, log, {
      token: () => watcher.token,
      // the books are unknown after a gap: they are read again
      resumed: () => watcher.readBooks(),
    });
    const report = setInterval(() => {
      log.info('recording', { records: recorder.records, lost: recorder.lost });
    }, REPORT_EVERY_MS);
    void watcher.watch({
      received: (arrival, times) => tape(recorder, arrival, times),
      read: (...args) => recorder.read(...args),
    });
    const gone = await Promise.race([ended(ending.signal), watcher.lost, embedded?.died ?? NEVER]);
    watcher.stop();
    clearInterval(report);
    await recorder.close();
    const { records, lost: missing } = recorder;
    process.stdout.write(`${records - missing} records, ${missing} lost, in ${tapesOf(loaded)}\n`);
    if (gone !== undefined) throw gone;
    if (!recorder.isRefused) return EXIT.done;
    throw new OddsmakerError('TAPE_UNWRITABLE', `${tapesOf(loaded)}: the disk refused the end of the tape`);
  } finally {
    clearTimeout(timer);
    for (const signal of STOPPED_BY) process.off(signal, stop);
    watcher.close();
    await embedded?.close();
  }
}

const NEVER = new Promise<never>(() => undefined);

const ended = (signal: AbortSignal): Promise<undefined> =>
  signal.aborted
    ? Promise.resolve(undefined)
    : new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve(undefined);
        });
      });
