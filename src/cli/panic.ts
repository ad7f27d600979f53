// `oddsmaker panic`: cancels every open order of the account, including external orders, and confirms that
// none is left. A running bot is halted at the same time, or it would quote again. Only the exchange section
// of the file is needed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { loadExchange } from '../config/index.ts';
import { EXIT } from '../domain/index.ts';
import type { Log } from '../ops/index.ts';
import { createLog, livingOwner } from '../ops/index.ts';
import { AccountDoor, haltBot, filesOf } from '../guard/index.ts';
import { withEnvFile } from './env-file.ts';
import type { HaltedBot } from '../guard/index.ts';

const ASK_EVERY_MS = 1000;
/** The cancel-all of the exchange cancels about 15 orders a second: repeat it only after this time. */
const REPEAT_MS = 15_000;
/** Orders on their way to the exchange may land up to this much later. */
const EMPTY_FOR_MS = 5000;
const GIVE_UP_MS = 120_000;

const HELP = `
Logs in, sends cancelAllOrders, and lists the open orders until none is open 5 s after the last cancel. Repeats the
cancel when orders stay open or new ones appear. It cancels every open order of the account, including external orders.
Only the exchange section of the file has to be valid.

A bot of the account that runs on this machine is named and halted at the same time: by its control socket or, if it
does not answer, by a fence. Cancels do not wait for that. It stays halted until \`oddsmaker ctl <config> resume\`.

--unless-running is for supervisors: nothing is cancelled while a bot of the account runs on this machine.

Exit:  0 nothing is open and no bot quotes, or with --unless-running a bot runs; 2 a wrong command line; 74 that could
       not be confirmed; 75 the exchange does not answer; 77 the login was refused; 78 the exchange section is wrong.

Examples:
  oddsmaker panic config/live.yaml
  oddsmaker panic config/live.yaml && echo flat
`;

export function registerPanic(command: Command, finish: (code: number) => void): void {
  withEnvFile(command)
    .description('Cancels every open order of the account, halts its bot, and confirms that none is left.')
    .argument('<config>', 'YAML file')
    .option('--unless-running', 'do nothing while a bot of the account runs on this machine')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: { readonly unlessRunning?: true }) => {
      const bot = flags.unlessRunning === true ? livingOwner(filesOf(file).lease) : undefined;
      if (bot === undefined) finish(await panic(file));
      else {
        process.stdout.write(`a bot of the account runs (pid ${bot.pid}): nothing was cancelled\n`);
        finish(EXIT.done);
      }
    });
}

async function panic(file: string): Promise<number> {
  const exchange = loadExchange(file, process.env);
  const log = createLog('info');
  const door = new AccountDoor(file, exchange, log);
  const ending = new AbortController();
  // runs beside the login: neither waits for the other
  let bot: HaltedBot | undefined;
  const halting = haltBot(file, log, ending.signal).then((halted) => {
    bot = halted;
  });
  try {
    await door.login();
    const open = await cancelUntilEmpty(door, log, () => bot !== undefined);
    await Promise.race([halting, sleep(0)]);
    return reportOutcome(open, bot);
  } finally {
    ending.abort();
    await halting;
    door.close();
  }
}

/**
 * Cancels until the list of open orders stays empty. Returns the number of open orders at the end, or
 * undefined when that is not known.
 */
async function cancelUntilEmpty(door: AccountDoor, log: Log, isHalted: () => boolean): Promise<number | undefined> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  let cancelledAt = Number.NEGATIVE_INFINITY;
  let open: number | undefined;
  let lastOpen: number | undefined;
  while (performance.now() < giveUpAt) {
    const since = performance.now() - cancelledAt;
    // an order that appears after an empty list was not covered by the cancel before
    if ((open !== 0 && since >= REPEAT_MS) || (lastOpen === 0 && open !== 0)) {
      log.info('cancelAllOrders was sent', { answer: (await door.cancelAll()) ?? 'taken' });
      cancelledAt = performance.now();
    }
    const askedAt = performance.now();
    lastOpen = open;
    open = await door.countOpen();
    log.info('open orders', { open: open ?? 'unknown' });
    if (open === 0 && lastOpen === 0 && askedAt - cancelledAt >= EMPTY_FOR_MS && isHalted()) return 0;
    await sleep(ASK_EVERY_MS);
  }
  return open;
}

function reportOutcome(open: number | undefined, bot: HaltedBot | undefined): number {
  const problems = [
    ...(open === 0 ? [] : [open === undefined ? 'the open orders could not be listed' : `${open} orders are open`]),
    ...(bot === undefined ? ['it is not known whether the bot is halted'] : []),
    ...(bot?.problem === undefined ? [] : [bot.problem]),
  ];
  if (bot?.text !== undefined) process.stdout.write(`${bot.text}\n`);
  process.stdout.write(problems.length === 0 ? 'nothing is open\n' : `NOT CONFIRMED: ${problems.join('; ')}\n`);
  return problems.length === 0 ? EXIT.done : EXIT.notConfirmed;
}
