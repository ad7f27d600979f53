// `oddsmaker guard`: the watchdog, a separate process with its own login. It shares only the files beside the
// journal with the bot, so that a fault of the bot does not affect it.
import type { Command } from 'commander';
import { loadAlertTargets, loadDeadline, loadExchange, loadRunPlace } from '../config/index.ts';
import { withEnvFile } from './env-file.ts';
import { STOPPED_BY, createLog, Guard, runFiles } from '../ops/index.ts';
import { EXIT, OddsmakerError } from '../domain/index.ts';
import { AccountDoor } from '../guard/index.ts';
import { Alerting, alertTargetsOf, makeRunFolder } from '../setup/index.ts';
import { fenceKeeper } from '../ledger/index.ts';
import { readableLog } from './readable-log.ts';

/** Time between two lists of open orders. Two empty lists in a row confirm that nothing is open. */
const LIST_EVERY_MS = 1000;

const HELP = `
Waits for the bot's heartbeat beside its journal (journal.dir) and watches it. When the bot's loop has not turned for
guard.deadline, or its process is gone without an orderly end, it writes the fence, cancels every open order of the
account and lists them until two lists 1 s apart are empty; it repeats that until the bot has acknowledged the fence or
is dead. While the fence stands no bot of the account places, not even a restarted one; \`oddsmaker ctl <config>
resume\` lifts it. The fence of a dead bot is lifted by the next bot once the account is cleared (onCrash). It runs
beside every bot, under the same user, from the same file; of the file, only exchange, journal, guard and alerts are
read.

Exit:  0 after Ctrl-C or SIGTERM; 2 a wrong command line; 75 the disk has no room; 77 the login was refused at the
       start, or another guard runs; 78 one of the four sections is wrong. An exchange that does not answer is tried
       again without end.

Examples:
  oddsmaker guard config/live.yaml
  oddsmaker guard config/live.yaml 2>> guard.log
`;

export function registerGuard(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Watches the heartbeat of a bot, and clears its account when that stops.')
    .argument('<config>', 'YAML file')
    .addHelpText('after', HELP)
    .action(async (file: string) => {
      finish(await guard(file));
    });
}

async function guard(file: string): Promise<number> {
  const exchange = loadExchange(file, process.env);
  const { folder, username } = loadRunPlace(file, process.env);
  const deadlineMs = loadDeadline(file, process.env);
  const alerting = new Alerting(
    username ?? '',
    alertTargetsOf(loadAlertTargets(file, process.env), file),
    process.stderr.isTTY ? readableLog(process.stderr) : createLog('info'),
  );
  const { log } = alerting;
  const door = new AccountDoor(file, exchange, log);
  const ending = new AbortController();
  for (const signal of STOPPED_BY) process.once(signal, () => ending.abort());
  const files = runFiles(folder, username ?? '');
  makeRunFolder(folder);
  const watching = new Guard(
    files,
    { deadlineMs, lateArrivalMs: exchange.lateArrival, listEveryMs: LIST_EVERY_MS },
    door,
    log,
    fenceKeeper(file, username ?? '', log),
  ).run(ending.signal);
  try {
    // wrong credentials must fail now, not when the guard has to act; an unreachable exchange does not end
    // the guard
    const refused = door.login(exchange.requestTimeout, ending.signal).then(
      () => {
        log.info('logged in', { account: files.account });
        return new Promise<never>(() => undefined);
      },
      (error: unknown) => {
        if (error instanceof OddsmakerError && error.code === 'LOGIN_REFUSED') throw error;
        return new Promise<never>(() => undefined);
      },
    );
    await Promise.race([watching, refused]);
    log.info('the guard ends', {});
    return EXIT.done;
  } finally {
    ending.abort();
    // the race above already threw its error
    await watching.catch(() => undefined);
    door.close();
    await alerting.close();
  }
}
